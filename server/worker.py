"""The second process. APScheduler is its metronome; what is due stands in the tables."""

import logging
import os
import signal
from threading import Thread

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from flask import Flask

from server import play
from server.beats import Beat
from server.config import Settings
from server.post import PostOffice, answering
from server.post.door import OPEN_AGAIN, Door
from server.post.letters import mail_host
from server.post.mail import Carrier, carrier
from server.post.signing import Signing, read_key
from server.post.webhooks import HookOffice

_ROUNDS = 10
_LAST_BEATS = 3.0  # seconds for beats under way at a stop
_LAST_LETTERS = 5.0  # and for letters
_LAST_CALLS = 2.0  # and for webhooks


def work(app: Flask, settings: Settings) -> None:
    """Run until SIGTERM or Ctrl-C, then finish what is in hand."""
    stop = {signal.SIGTERM, signal.SIGINT}
    signal.pthread_sigmask(signal.SIG_BLOCK, stop)  # the threads inherit it, so that only sigwait sees these signals
    post = PostOffice(app, _carrier(app, settings), reply_domain(settings))
    door = Door(app, settings.mail_in) if settings.mail_in else None
    hooks = HookOffice(app)
    beats = {
        Beat(app, "sweep", _sweep): 1,
        Beat(app, "outages", play.follow_outages): 5,
        Beat(app, "deliver", post.deliver_due): 1,
        Beat(app, "webhooks", hooks.deliver_due): 1,
        Beat(app, "replies", answering.deal_with_mails): 1,
        Beat(app, "tidy", _tidy): 3600,
    }
    if door:
        beats[Beat(app, "door", door.keep_open)] = int(OPEN_AGAIN)
    scheduler = BackgroundScheduler(timezone="UTC", executors={"default": ThreadPoolExecutor(len(beats))})
    for beat, seconds in beats.items():
        scheduler.add_job(beat, "interval", seconds=seconds, coalesce=True, max_instances=1, misfire_grace_time=None)
    scheduler.start()
    if door:
        door.keep_open()
    signal.sigwait(stop)
    ending = Thread(target=scheduler.shutdown)
    ending.start()
    if door:
        door.close()
    ending.join(_LAST_BEATS)
    post.close(_LAST_LETTERS)
    hooks.close(_LAST_CALLS)
    logging.shutdown()
    os._exit(0)  # a thread that hangs in SMTP or Postgres would hold up the end


def reply_domain(settings: Settings) -> str | None:
    """Where replies go, and letters that do not arrive; None if nobody takes mail in."""
    return settings.reply_domain or (mail_host(settings.base_url) if settings.mail_in else None)


def _carrier(app: Flask, settings: Settings) -> Carrier:
    """Who carries letters, signed if there is a key."""
    plain = carrier(settings.smtp_url or app.config["MAILBOX"])
    if settings.dkim_key is None:
        return plain
    return Signing(plain, mail_host(settings.base_url), settings.dkim_selector, read_key(settings.dkim_key))


def _tidy() -> None:
    play.forget_old_codes()
    play.forget_old_answers()
    play.forget_old_mails()
    play.forget_old_deliveries()


def _sweep() -> None:
    """A beat ends after some rounds, so that a stop need not wait for every game of bots.

    The worker is alive once the database has told it who is due: else the hours in which it cannot count for nobody.
    """
    for _ in range(_ROUNDS):
        woken = play.sweep()
        play.beat("worker")
        if not woken:
            break
