"""The second process, and the third, which carries. APScheduler is their metronome; what is due stands in the tables."""

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from functools import partial
from threading import Thread
from typing import NoReturn

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from flask import Flask

from server import play
from server.beats import Beat
from server.config import Settings
from server.post import PostOffice
from server.post.incoming import answering
from server.post.incoming.door import OPEN_AGAIN, Door
from server.post.letters import mail_host
from server.post.mail import Carrier, carrier
from server.post.signing import Signing, read_key
from server.post.webhooks import HookOffice
from server.store import embedded

_ROUNDS = 50
_HELPERS = 1  # more would end a flood of due seats sooner, and keep those waiting who move meanwhile
_LAST_BEATS = 3.0  # seconds for beats under way at a stop
_LAST_LETTERS = 5.0  # and for letters
_LAST_CALLS = 2.0  # and for webhooks
_STOP = {signal.SIGTERM, signal.SIGINT}
# So much nicer is the post than whoever plays: by the kernel's weights it gets half of what another process gets. At 10
# it was a tenth, and sixty letters, each 0.1 s to draw, took two minutes beside four processes that never rest.
_BEHIND = 3

log = logging.getLogger(__name__)


def work(app: Flask, settings: Settings) -> NoReturn:
    """Run until SIGTERM or Ctrl-C, then finish what is in hand; end, too, if the process that carries does.

    Letters have a process of their own: to draw the picture of one takes longer than twenty deeds, and no other thread
    runs meanwhile.
    """
    _block_signals()
    post = subprocess.Popen(
        [sys.executable, "-m", "server.cli", "post"],
        preexec_fn=embedded.ends_with_parent(signal.SIGTERM),  # noqa: PLW1509  no threads have been started
    )
    door = Door(app, settings.mail_in) if settings.mail_in else None
    beats = {
        Beat(app, "sweep", _sweep): 1,
        **{Beat(app, "sweep along", _sweep_along): 1 for _ in range(_HELPERS)},
        Beat(app, "outages", play.follow_outages): 5,
        Beat(app, "open games", play.close_due): 10,
        Beat(app, "replies", answering.deal_with_mails): 1,
        Beat(app, "held up", tell_what_is_held_up): 30,
        Beat(app, "tidy", partial(_tidy, settings)): 3600,
    }
    if door:
        beats[Beat(app, "door", door.keep_open)] = int(OPEN_AGAIN)
    play.hints.tell_from(app)
    scheduler = _started(beats)
    if door:
        door.keep_open()
    while signal.sigwait(_STOP | {signal.SIGCHLD}) == signal.SIGCHLD and post.poll() is None:
        pass  # it was only suspended, or goes on
    status = 0 if post.poll() is None else 1
    post.terminate()
    if door:
        door.close()
    _end(scheduler)
    try:
        post.wait(_LAST_BEATS + _LAST_LETTERS + _LAST_CALLS)
    except subprocess.TimeoutExpired:
        post.kill()
    _exit(status)


def carry(app: Flask, settings: Settings) -> NoReturn:
    """Carry letters, and call webhooks, until SIGTERM or Ctrl-C; then finish what is in hand."""
    _block_signals()
    os.nice(_BEHIND)
    post = PostOffice(app, _carrier(app, settings), reply_domain(settings))
    hooks = HookOffice(app)

    def deliver() -> None:
        play.follow_clock()  # else this process would learn nothing of a sandbox
        post.deliver_due()

    scheduler = _started({Beat(app, "deliver", deliver): 1, Beat(app, "webhooks", hooks.deliver_due): 1})
    signal.sigwait(_STOP)
    _end(scheduler)
    post.close(_LAST_LETTERS)
    hooks.close(_LAST_CALLS)
    _exit(0)


def _block_signals() -> None:
    """Threads inherit it, so that only sigwait sees these signals."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP | {signal.SIGCHLD})


def _started(beats: Mapping[Beat, int]) -> BackgroundScheduler:
    """A scheduler that lets each of them beat at an interval of so many seconds."""
    scheduler = BackgroundScheduler(timezone="UTC", executors={"default": ThreadPoolExecutor(len(beats))})
    for beat, seconds in beats.items():
        scheduler.add_job(beat, "interval", seconds=seconds, coalesce=True, max_instances=1, misfire_grace_time=None)
    scheduler.start()
    return scheduler


def _end(scheduler: BackgroundScheduler) -> None:
    ending = Thread(target=scheduler.shutdown)
    ending.start()
    ending.join(_LAST_BEATS)


def _exit(status: int) -> NoReturn:
    logging.shutdown()
    os._exit(status)  # a thread that hangs in SMTP or Postgres would hold up the end


def reply_domain(settings: Settings) -> str | None:
    """Where replies go, and letters that do not arrive; None if nobody takes mail in."""
    return settings.reply_domain or (mail_host(settings.base_url) if settings.mail_in else None)


def _carrier(app: Flask, settings: Settings) -> Carrier:
    """Who carries letters, signed if there is a key."""
    plain = carrier(settings.smtp_url or app.config["MAILBOX"])
    if settings.dkim_key is None:
        return plain
    return Signing(plain, mail_host(settings.base_url), settings.dkim_selector, read_key(settings.dkim_key))


def _tidy(settings: Settings) -> None:
    play.forget_old_letters(settings.keep_deliveries)
    play.forget_old_codes()
    play.forget_ended_tokens()
    play.forget_old_answers(settings.keep_answers)
    play.forget_old_mails()
    play.forget_old_secrets()
    play.forget_kept_mails()
    play.forget_old_deliveries()


def tell_what_is_held_up() -> None:
    """By the process that carries nothing: the other one may get no time on a busy machine, or be stuck."""
    for what, age in play.held_up().items():
        log.warning("Some %s have been due for %.0f s, and nobody carries them", what, age.total_seconds())


def _sweep() -> None:
    """A beat ends after some rounds, so that a stop need not wait for every game of bots.

    The worker is alive once the database has told it who is due: else the hours in which it cannot count for nobody.
    """
    for _ in range(_ROUNDS):
        woken = play.sweep()
        play.beat("worker")
        if not woken:
            break


def _sweep_along() -> None:
    """Beside the sweep that says that the worker is alive: a deed waits for Postgres longer than it computes."""
    for _ in range(_ROUNDS):
        if not play.sweep():
            break
