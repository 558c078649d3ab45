"""The second process. APScheduler is its metronome; what is due stands in the tables."""

import logging
import os
import signal
from collections.abc import Callable

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from flask import Flask

from server import play
from server.config import Settings
from server.post import PostOffice
from server.post.mail import carrier

_ROUNDS = 10
_LAST_LETTERS = 5.0  # seconds for letters under way at a stop

log = logging.getLogger(__name__)


def work(app: Flask, settings: Settings) -> None:
    """Run until SIGTERM or Ctrl-C, then finish what is in hand."""
    post = PostOffice(app, carrier(settings.smtp_url or app.config["MAILBOX"]))
    beats: dict[str, tuple[float, Callable[[], object]]] = {
        "sweep": (1, _sweep),
        "deliver": (1, post.deliver_due),
        "tidy": (3600, _tidy),
    }
    scheduler = BackgroundScheduler(timezone="UTC", executors={"default": ThreadPoolExecutor(len(beats))})
    for name, (seconds, deed) in beats.items():
        scheduler.add_job(
            _beat,
            "interval",
            (app, name, deed),
            seconds=seconds,
            coalesce=True,
            max_instances=1,
            misfire_grace_time=None,
        )
    stop = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, stop)  # the threads inherit it, so that only sigwait sees these signals
    scheduler.start()
    signal.sigwait(stop)
    scheduler.shutdown()
    post.close(_LAST_LETTERS)
    logging.shutdown()
    os._exit(0)  # a thread that hangs in SMTP would hold up the end


def _beat(app: Flask, name: str, deed: Callable[[], object]) -> None:
    with app.app_context():
        try:
            deed()
        except Exception:
            log.exception("The beat %s failed; the next one tries again", name)


def _tidy() -> None:
    play.forget_old_codes()
    play.forget_old_answers()


def _sweep() -> None:
    """A beat ends after some rounds, so that a stop need not wait for every game of bots."""
    for _ in range(_ROUNDS):
        play.beat("worker")
        if not play.sweep():
            break
