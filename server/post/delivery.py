"""Carries letters out of the house: take what is due, write it, send it, note what became of it."""

import logging
import re
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import timedelta
from functools import partial
from threading import Event

from flask import Flask

from server.accounts.bounces import note_bounce
from server.clock import clock
from server.leases import LENGTH, Lease, Leases, Lost
from server.post.batching import recipient, set_aside
from server.post.incoming.diagnoses import is_unknown, status_in
from server.post.letters import Written, compose
from server.post.smtp import Carrier, Refused, TooBig, Unreachable
from server.store import outbox
from server.store.connections import let_go
from server.store.database_retry import is_passing
from server.store.outbox import Waiting
from server.store.tables import LetterRow, PlayerLetterRow
from server.translations import noted

FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=6)
GIVE_UP = timedelta(days=4)  # RFC 5321, 4.5.4.1
_CARRIERS = 16  # threads, most of which wait for a mail server
_BATCH = 200
_NOTE_AGAIN = 1.0  # seconds

log = logging.getLogger(__name__)


class PostOffice:
    """Letters of several readers travel at the same time, those of one reader in order: a dead address holds up none
    but its own."""

    def __init__(self, app: Flask, carrier: Carrier, reply_domain: str | None = None) -> None:
        """`reply_domain`: where answers to letters go; None if nobody takes them in."""
        self._app = app
        self._reply_domain = reply_domain
        self._carrier = carrier
        self._threads = ThreadPoolExecutor(_CARRIERS, thread_name_prefix="post")
        self._under_way: dict[str, Future[None]] = {}
        self._is_refused = False
        self._leases = Leases(app)
        self._is_closed = Event()

    def deliver_due(self) -> int:
        """Set out with every letter that is due, without waiting for the answers; how many."""
        self._under_way = {reader: run for reader, run in self._under_way.items() if not run.done()}
        if len(self._under_way) >= _BATCH:
            return 0
        rounds: dict[str, list[Waiting]] = {}
        with self._leases.looking() as lapsed_at:
            due = outbox.due(clock.now(), _BATCH, self._under_way.keys(), lapsed_at)
        for letter in due:
            rounds.setdefault(letter.reader, []).append(letter)
        for reader, letters in rounds.items():
            self._under_way[reader] = self._threads.submit(self._round, letters)
        return sum(map(len, rounds.values()))

    def wait(self) -> None:
        """Until every letter under way has arrived or failed."""
        wait(self._under_way.values())

    def close(self, seconds: float) -> None:
        """Start no other letter and finish those in hand, if they take no longer; else their leases run out."""
        self._is_closed.set()
        self._threads.shutdown(wait=False, cancel_futures=True)
        wait(self._under_way.values(), seconds)

    def _round(self, letters: list[Waiting]) -> None:
        """One reader's letters; after a failure the others stay where they are."""
        with self._app.app_context():
            for letter in letters:
                try:
                    if not self._deliver(letter):
                        return
                except Exception as error:
                    if not is_passing(error):
                        log.exception("Letter %s was not carried", letter.letter_id)
                    return

    def _deliver(self, letter: Waiting) -> bool:
        """False if this reader cannot be reached now."""
        began = time.monotonic()
        row = outbox.claim(letter, clock.real() + LENGTH)
        if row is None:
            return False  # another office has begun this reader's round
        with self._leases.held(partial(outbox.renew, letter, row), began) as lease:
            return self._carry(letter, row, lease)

    def _carry(self, letter: Waiting, row: LetterRow | PlayerLetterRow, lease: Lease) -> bool:
        try:
            player = recipient(row)  # while he is held here, the session need not ask the database for him again
            if aside := set_aside(row, player):
                outbox.done(letter, row, clock.now(), *aside)
                return True
            written = compose(row, self._app.config["BASE_URL"], self._reply_domain)
            if written is None:
                late = noted("No longer true when it was to be written")
                outbox.done(letter, row, clock.now(), "dropped", late)
                return True
            let_go()  # so that no connection waits for a slow mail server
            self._hand_over(written, lease)
        except Lost:
            log.warning("Letter %s is left to another office: our lease on it ran out", letter.letter_id)
            return False
        except Refused as error:
            self._note(partial(outbox.done, letter, row, clock.now(), "refused", str(error)))
            _note_refusal(row, str(error))
        except Exception as error:
            let_go()  # what was begun for this letter has failed
            self._note_failure(letter, row, str(error))
            if isinstance(error, Unreachable):
                self._tell(str(error))
            else:
                log.exception("Letter %s cannot be written", letter.letter_id)
            return False
        else:
            self._tell("")
            self._note(partial(outbox.done, letter, row, clock.now(), "sent", ""))
        return True

    def _hand_over(self, written: Written, lease: Lease) -> None:
        """In short if the whole is too big. Raises Lost, Refused, Unreachable."""
        try:
            self._carrier.send(written.message, written.sender, written.to, lease.confirm)
        except TooBig:
            self._carrier.send(written.short(), written.sender, written.to, lease.confirm)

    def _note_failure(self, letter: Waiting, row: LetterRow | PlayerLetterRow, why: str) -> None:
        now = clock.now()
        if now - row.made_at > GIVE_UP:
            outbox.done(letter, row, now, "given-up", why)
        else:
            pause = min(FIRST_PAUSE * 2 ** min(row.tries - 1, 20), LONGEST_PAUSE)
            outbox.again(letter, row, now, now + pause, why)

    def _note(self, note: Callable[[], None]) -> None:
        """However long the database is away: what is not noted is carried again."""
        while True:
            try:
                return note()
            except Exception as error:
                let_go()
                if not is_passing(error) or self._is_closed.wait(_NOTE_AGAIN):
                    raise

    def _tell(self, why: str) -> None:
        """The log hears once that letters are not taken, and once that they are again."""
        if why and not self._is_refused:
            log.warning("A letter was not taken and is tried again: %s", re.sub(r"[^\s<>]+@[^\s<>]+", "(address)", why))
        elif self._is_refused and not why:
            log.warning("Letters are taken again")
        self._is_refused = bool(why)


def _note_refusal(row: LetterRow | PlayerLetterRow, why: str) -> None:
    """Only what is plainly about the address counts: a mail server that will not carry anything of ours refuses all."""
    status, reader = status_in(why), outbox.reader_of(row)
    if status and is_unknown(why) and reader:
        note_bounce(reader, row.letter_id, True, why)
