"""Delivery of emails: claim the due emails, compose and send them, and store the results."""

import logging
import re
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import ExitStack
from datetime import datetime, timedelta
from functools import partial
from itertools import groupby
from threading import BoundedSemaphore, Event
from typing import NamedTuple
from uuid import UUID

from flask import Flask

from server.accounts.bounces import note_bounce
from server.accounts.notice_kinds import ANSWER, YOUR_TURN
from server.clock import clock
from server.leases import LENGTH, Lease, Leases, Lost
from server.play.commits import load
from server.play.game import Game
from server.play.notices import is_outdated
from server.post.batching import recipient, set_aside
from server.post.coalescing import CONFIRMING, MOST, SOON, Plan, plan
from server.post.incoming.diagnoses import is_unknown, status_in
from server.post.letters.answers import with_confirmation
from server.post.letters.compose import Part, Written, compose, compose_together
from server.post.smtp import Carrier, Refused, TooBig, Unreachable
from server.push.queue import enqueue, enqueue_early
from server.push.sending import NotTaken, send
from server.store import outbox
from server.store.connections import let_go
from server.store.database_retry import Unavailable, is_passing
from server.store.outbox import Waiting
from server.store.tables import LetterRow, Player, PlayerLetterRow
from server.translations import noted

FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=6)
GIVE_UP = timedelta(days=4)  # RFC 5321, 4.5.4.1
_CARRIERS = 16  # threads, most of which wait for a mail server
_PUSHERS = 4  # separate threads, so that push services don't delay emails
_WRITERS = 2  # at a time: one composes while the other queries; with more, switching would cost a third of the time
_BATCH = 200
_NOTE_AGAIN = 1.0  # seconds
_NO_LONGER = noted("Outdated before we could send it")

log = logging.getLogger(__name__)


class _InHand(NamedTuple):
    letter: Waiting
    row: LetterRow | PlayerLetterRow
    lease: Lease


class PostOffice:
    """Sends the emails that are due. Readers are served in parallel, and each reader's emails are sent in order. A dead
    address delays only its own emails. `reply_domain` is the domain for replies, or None if inbound mail is off."""

    def __init__(self, app: Flask, carrier: Carrier, reply_domain: str | None = None) -> None:
        self._app = app
        self._reply_domain = reply_domain
        self._carrier = carrier
        self._threads = ThreadPoolExecutor(_CARRIERS, thread_name_prefix="post")
        self._pushers = ThreadPoolExecutor(_PUSHERS, thread_name_prefix="push")
        self._writers = BoundedSemaphore(_WRITERS)
        self._under_way: dict[str, Future[None]] = {}
        self._is_refused = False
        self._lapsed_at: datetime | None = None  # leases that ended by then have expired
        self._leases = Leases(app)
        self._is_closed = Event()

    def deliver_due(self) -> int:
        """Start sending all emails that are due. Return their number without waiting for the results."""
        self._under_way = {reader: run for reader, run in self._under_way.items() if not run.done()}
        if sum(not _is_push(reader) for reader in self._under_way) >= _BATCH:
            return 0
        rounds: dict[str, list[Waiting]] = {}
        with self._leases.look() as lapsed_at:
            self._lapsed_at = lapsed_at
            due = outbox.due(clock.now(), _BATCH, self._under_way.keys(), lapsed_at)
        players = outbox.players_at({it.reader for it in due})
        for letter in due:
            reader = players.get(letter.reader, letter.reader)
            if reader not in self._under_way:
                rounds.setdefault(reader, []).append(letter)
        for reader, letters in rounds.items():
            threads = self._pushers if _is_push(reader) else self._threads
            self._under_way[reader] = threads.submit(self._round, letters)
        return sum(map(len, rounds.values()))

    def wait(self) -> None:
        """Block until every email in progress has been sent or has failed."""
        wait(self._under_way.values())

    def close(self, seconds: float) -> None:
        """Stop starting to send emails, and wait up to `seconds` for emails in progress. The leases of unfinished
        emails expire."""
        self._is_closed.set()
        for threads in (self._threads, self._pushers):
            threads.shutdown(wait=False, cancel_futures=True)
        wait(self._under_way.values(), seconds)

    def _round(self, letters: list[Waiting]) -> None:
        """Send the emails of one reader. After a failure, the remaining emails stay queued."""
        told: set[UUID] = set()
        with self._app.app_context():
            for letter in letters:
                try:
                    if letter.letter_id not in told and not self._deliver(letter, told):
                        return
                except Exception as error:
                    if not is_passing(error):
                        log.exception("Letter %s was not carried", letter.letter_id)
                    return

    def _deliver(self, letter: Waiting, told: set[UUID]) -> bool:
        """Send an email, or the email about a turn or about the end that may contain it. If that one is left out, send
        the email itself. For the result and `told`, see `_send`."""
        if letter.kind == ANSWER.name and (around := outbox.email_for(letter, self._lapsed_at)):
            is_next = self._send(around, told)
            if not is_next or letter.letter_id in told:
                return is_next
            if outbox.email_for(letter, self._lapsed_at):  # it waits for other replies
                outbox.postpone(letter, clock.now() + SOON)
                return True
        return self._send(letter, told)

    def _send(self, letter: Waiting, told: set[UUID]) -> bool:
        """Send an email. Return whether this reader's next email may be sent. Add the ids of emails that were sent
        together with this one to `told`."""
        with ExitStack() as leases, ExitStack() as writing:
            writing.enter_context(self._writers)
            planned = plan(letter, self._lapsed_at)
            if planned.later:
                outbox.postpone(letter, planned.later)
                if not planned.is_seen:
                    enqueue_early(letter)
                return True
            first = self._claim(letter, leases)
            return first is not None and self._carry(first, planned, leases, writing, told)

    def _claim(self, letter: Waiting, leases: ExitStack) -> _InHand | None:
        """Claim an email. Return None if another process has claimed it."""
        began = time.monotonic()
        row = outbox.claim(letter, clock.real() + LENGTH)
        if row is None:
            return None
        lease = leases.enter_context(self._leases.hold(partial(outbox.renew, letter, row), began))
        return _InHand(letter, row, lease)

    def _carry(self, first: _InHand, planned: Plan, leases: ExitStack, writing: ExitStack, told: set[UUID]) -> bool:
        in_hand, row = [first], first.row
        to, began = "", clock.now()
        try:
            player = recipient(row)
            game = load(row.game_id) if isinstance(row, LetterRow) else None
            if game and isinstance(row, LetterRow) and row.kind == outbox.PUSH:
                writing.close()
                outbox.finish(first.letter, row, clock.now(), *send(row, player, game))
                return True
            if self._is_left_out(first, player, game):
                return True
            if game and isinstance(row, LetterRow) and is_outdated(row, game):
                outbox.finish(first.letter, row, clock.now(), "dropped", _NO_LONGER)
                return True
            parts: list[Part] = [(row, game)]
            if isinstance(row, LetterRow) and row.kind in CONFIRMING:
                self._claim_confirmations(first, in_hand, leases)
            if planned.games:
                parts += self._claim_turns(in_hand, player, planned.games, leases)
            parts += self._claim_replies(in_hand, player, planned.replies, leases)
            told |= {it.letter.letter_id for it in in_hand}
            config = self._app.config
            if player and len(parts) > 1:
                written = compose_together(parts, player, config["BASE_URL"], self._reply_domain)
            else:
                written = compose(row, player, game, config["BASE_URL"], self._reply_domain)
            if written is None:
                outbox.finish(first.letter, row, clock.now(), "dropped", _NO_LONGER)
                return True
            to = written.to
            let_go()  # waiting for a slow mail server must not occupy a connection
            writing.close()  # nor a writing slot
            self._hand_over(written, in_hand)
        except Lost:
            log.warning("Letter %s is left to another office: our lease on it ran out", first.letter.letter_id)
            return False
        except NotTaken as error:
            self._note_failure(first, str(error))
            return False
        except Refused as error:
            self._note_all(in_hand, "refused", str(error))
            _note_refusal(row, str(error))
        except Exception as error:
            let_go()  # also rolls back
            if is_passing(error):
                raise  # the leases expire soon, and then the emails are due again
            for it in in_hand:
                self._note_failure(it, str(error))
            if isinstance(error, Unreachable):
                self._tell(str(error), to)
            else:
                log.exception("Letter %s cannot be written", first.letter.letter_id)
            return isinstance(error, Unavailable) and not is_passing(error)  # the reader's other games may be readable
        else:
            self._tell("")
            self._note_all(in_hand, "sent", "", began)  # an email shows the chat up to this time
        return True

    def _is_left_out(self, it: _InHand, player: Player | None, game: Game | None) -> bool:
        enqueue(it.row, player)
        aside = set_aside(it.row, player, game)
        if aside:
            outbox.finish(it.letter, it.row, clock.now(), *aside)
        return aside is not None

    def _claim_confirmations(self, of: _InHand, in_hand: list[_InHand], leases: ExitStack) -> None:
        """Claim the waiting confirmations of moves and take-backs that an email may contain, and add them to it."""
        row = of.row
        for letter in outbox.confirmations_for(of.letter, self._lapsed_at):
            it = self._claim(letter, leases)
            if it is not None:
                in_hand.append(it)
                row.data = {**with_confirmation(row.data, it.row.data), "answers": it.row.data["answers"]}

    def _claim_turns(
        self, in_hand: list[_InHand], player: Player | None, games: Collection[UUID], leases: ExitStack
    ) -> Iterator[tuple[LetterRow, Game]]:
        """Claim and yield other waiting emails about turns in these games, to the reader of the first email
        `in_hand`."""
        reader = in_hand[0].row.player_id
        for letter in outbox.turns_of(reader, games) if reader else ():
            turns = [it.letter.owner for it in in_hand if it.row.kind == YOUR_TURN.name]
            if len(turns) == MOST or letter.owner in turns:
                continue
            it = self._claim(letter, leases)
            if it is None or not isinstance(it.row, LetterRow):
                continue
            game = self._loaded(it)
            if game is None or self._is_left_out(it, player, game):
                continue
            if is_outdated(it.row, game):
                outbox.finish(letter, it.row, clock.now(), "dropped", _NO_LONGER)
            else:
                in_hand.append(it)
                self._claim_confirmations(it, in_hand, leases)
                yield it.row, game

    def _claim_replies(
        self, in_hand: list[_InHand], player: Player | None, replies: Sequence[Waiting], leases: ExitStack
    ) -> Iterator[Part]:
        """Claim and yield these replies or, instead of a reply, the email about a turn that contains it. Emails about turns
        that began since are beside the others."""
        turns = sum(it.row.kind == YOUR_TURN.name for it in in_hand)
        for reply in replies:
            around = outbox.email_for(reply, self._lapsed_at)
            if around and (around.kind != YOUR_TURN.name or turns == MOST):
                continue
            it = self._claim(around or reply, leases)
            if it is None:
                continue
            if isinstance(it.row, PlayerLetterRow):
                in_hand.append(it)
                yield it.row, None
                continue
            game = self._loaded(it)
            if game is None or self._is_left_out(it, player, game):
                continue
            if is_outdated(it.row, game):
                outbox.finish(it.letter, it.row, clock.now(), "dropped", _NO_LONGER)
                continue
            in_hand.append(it)
            if around:
                turns += 1
                self._claim_confirmations(it, in_hand, leases)
            yield it.row, game
            if player and not around:
                yield from self._claim_turns(in_hand, player, [it.letter.owner], leases)

    def _loaded(self, it: _InHand) -> Game | None:
        """Return the game that an email is about. Return None, and note a failure, if this release can't read it."""
        try:
            return load(it.letter.owner)
        except Unavailable as error:
            if is_passing(error):
                raise
            self._note_failure(it, str(error))
            return None

    def _hand_over(self, written: Written, in_hand: Sequence[_InHand]) -> None:
        """Send an email. If a server finds it too large, send its short form. Raise Lost, Refused, Unreachable."""

        def confirm() -> None:
            for it in in_hand:
                it.lease.confirm()

        try:
            self._carrier.send(written.message, written.sender, written.to, confirm)
        except TooBig:
            self._carrier.send(written.short(), written.sender, written.to, confirm)

    def _note_failure(self, it: _InHand, why: str) -> None:
        now = clock.now()
        if now - it.row.made_at > GIVE_UP:
            outbox.finish(it.letter, it.row, now, "given-up", why)
        else:
            pause = min(FIRST_PAUSE * 2 ** min(it.row.tries - 1, 20), LONGEST_PAUSE)
            outbox.retry(it.letter, it.row, now, now + pause, why)

    def _note_all(self, in_hand: Sequence[_InHand], result: str, detail: str, at: datetime | None = None) -> None:
        for _, of_game in groupby(in_hand, lambda it: it.letter.owner):
            sent = [(it.letter, it.row) for it in of_game]
            self._note(partial(outbox.finish_together, sent, at or clock.now(), result, detail))

    def _note(self, note: Callable[[], None]) -> None:
        """Store the result, and retry until this succeeds, even during a long outage. An email without a stored result
        would be sent again."""
        while True:
            try:
                return note()
            except Exception as error:
                let_go()
                if not is_passing(error) or self._is_closed.wait(_NOTE_AGAIN):
                    raise

    def _tell(self, why: str, to: str = "") -> None:
        """Log once that emails are being rejected, and once that they are accepted again.

        Addresses are masked, and so is the recipient's domain, since it may be a person's name.
        """
        if why and not self._is_refused:
            shown = re.sub(r"(?<![^\s<>@])[^\s<>@]+@[^\s<>]+", "(address)", why)
            if domain := to.rpartition("@")[2]:
                shown = re.sub(rf"(?<![\w-]){re.escape(domain)}(?![\w-])", "(domain)", shown, flags=re.IGNORECASE)
            log.warning("A letter was not taken and is tried again: %s", shown)
        elif self._is_refused and not why:
            log.warning("Letters are taken again")
        self._is_refused = bool(why)


def _is_push(reader: str) -> bool:
    return reader.startswith(outbox.TO_BROWSERS)


def _note_refusal(row: LetterRow | PlayerLetterRow, why: str) -> None:
    """Record a bounce if the server clearly rejected the address. A server that blocks us rejects every address."""
    status, reader = status_in(why), outbox.reader_of(row)
    if status and is_unknown(why) and reader:
        note_bounce(reader, row.letter_id, True, why, row.kind)
