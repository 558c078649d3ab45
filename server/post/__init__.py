"""Carries letters out of the house: take what is due, write it, send it, note what became of it."""

import logging
import re
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import timedelta

from flask import Flask

from server import play
from server.play.clock import clock
from server.post.choices import set_aside
from server.post.incoming.diagnoses import is_unknown, status_in
from server.post.letters import compose
from server.post.mail import Carrier, Refused, TooBig, Unreachable
from server.store import outbox
from server.store.connections import is_passing, let_go
from server.store.outbox import Waiting
from server.store.tables import Letter, PlayerLetter
from server.translations import noted

LEASE = timedelta(minutes=10)  # longer than any try
FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=6)
GIVE_UP = timedelta(days=4)  # RFC 5321, 4.5.4.1
_CARRIERS = 8
_BATCH = 200

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

    def deliver_due(self) -> int:
        """Set out with every letter that is due, without waiting for the answers; how many."""
        self._under_way = {reader: run for reader, run in self._under_way.items() if not run.done()}
        if len(self._under_way) >= _BATCH:
            return 0
        rounds: dict[str, list[Waiting]] = {}
        for letter in outbox.due(clock.now(), _BATCH, self._under_way.keys()):
            rounds.setdefault(letter.reader, []).append(letter)
        for reader, letters in rounds.items():
            self._under_way[reader] = self._threads.submit(self._round, letters)
        return sum(map(len, rounds.values()))

    def wait(self) -> None:
        """Until every letter under way has arrived or failed."""
        wait(self._under_way.values())

    def close(self, seconds: float) -> None:
        """Start no other letter and finish those in hand, if they take no longer; else their leases run out."""
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
        until = clock.now() + LEASE
        row = outbox.claim(letter, until)
        if row is None:
            return False  # another office has begun this reader's round
        try:
            if aside := set_aside(row):
                outbox.done(letter, row, until, clock.now(), *aside)
                return True
            written = compose(row, self._app.config["BASE_URL"], self._reply_domain)
            if written is None:
                late = noted("No longer true when it was to be written")
                outbox.done(letter, row, until, clock.now(), "dropped", late)
                return True
            let_go()  # so that no connection waits for a slow mail server
            try:
                self._carrier.send(written.message, written.sender, written.to)
            except TooBig:
                self._carrier.send(written.short(), written.sender, written.to)
        except Refused as error:
            outbox.done(letter, row, until, clock.now(), "refused", str(error))
            _note_refusal(row, str(error))
        except Exception as error:
            let_go()  # what was begun for this letter has failed
            now = clock.now()
            if now - row.made_at > GIVE_UP:
                outbox.done(letter, row, until, now, "given-up", str(error))
            else:
                pause = min(FIRST_PAUSE * 2 ** min(row.tries - 1, 20), LONGEST_PAUSE)
                outbox.again(letter, row, until, now, now + pause, str(error))
            if isinstance(error, Unreachable):
                self._tell(str(error))
            else:
                log.exception("Letter %s cannot be written", letter.letter_id)
            return False
        else:
            self._tell("")
            outbox.done(letter, row, until, clock.now(), "sent", "")
        return True

    def _tell(self, why: str) -> None:
        """The log hears once that letters are not taken, and once that they are again."""
        if why and not self._is_refused:
            log.warning("A letter was not taken and is tried again: %s", re.sub(r"[^\s<>]+@[^\s<>]+", "(address)", why))
        elif self._is_refused and not why:
            log.warning("Letters are taken again")
        self._is_refused = bool(why)


def _note_refusal(row: Letter | PlayerLetter, why: str) -> None:
    """Only what is plainly about the address counts: a mail server that will not carry anything of ours refuses all."""
    status, reader = status_in(why), outbox.reader_of(row)
    if status and is_unknown(why) and reader:
        play.note_bounce(reader, row.letter_id, True, why)
