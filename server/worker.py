"""The worker, its sender process, and the processes that compute moves for bots. What is due is stored in tables, and
APScheduler starts the jobs of the worker and the sender."""

import logging
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from threading import Event, Thread
from time import sleep, thread_time
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import urlsplit

from apscheduler.executors.pool import ThreadPoolExecutor
from apscheduler.schedulers.background import BackgroundScheduler
from flask import Flask

from server.accounts.apps import forget_apps
from server.accounts.deliveries import forget_old_letters
from server.accounts.mailed_codes import forget_old_codes
from server.accounts.signed_links import forget_old_secrets
from server.accounts.stream_tickets import forget_ended_tickets
from server.accounts.tokens import forget_ended_tokens
from server.clock import clock
from server.config import Settings
from server.jobs import Job
from server.operations.archives import archive_of
from server.operations.change_address import end_changes
from server.operations.delete_player import delete_confirmed_account, forget_guests
from server.operations.exports import copy_of_player
from server.operations.health import overdue_work
from server.play.mail.mail_in import forget_old_mails
from server.play.mail.postmaster import forget_kept_mails
from server.play.seating.hosting import close_due
from server.play.seating.stand_ins import change_stand_ins
from server.play.seating.track_record import read_records
from server.play.timing import heartbeats, host_clock
from server.play.timing.outages import follow_outages
from server.play.timing.sandbox_clock import follow_clock
from server.play.timing.sweep import wake_due
from server.play.turns.idempotency import forget_old_answers
from server.play.turns.reviewing import review_due
from server.play.turns.thinking import think_due
from server.post.delivery import PostOffice
from server.post.desk.acting import Records
from server.post.desk.counter import deal_with_desk, forget_desk_mails
from server.post.dkim_signing import Signing, read_key
from server.post.incoming import answering
from server.post.incoming.bounces import read_returned_mails
from server.post.incoming.smtp_server import OPEN_AGAIN, SmtpServer
from server.post.letters.compose import mail_host
from server.post.smtp import Carrier, carrier
from server.store import embedded_postgres, webhook_queue
from server.store.lookout import Lookout
from server.store.mail_proofs import forget_expired_proofs
from server.store.notify import notifier, on_hint
from server.store.open_streams import forget_open
from server.store.watching import forget_watching
from server.webhooks.sender import HookOffice
from server.webhooks.subscriptions import forget_old_deliveries

if TYPE_CHECKING:
    from server.post.incoming.imap import ImapReader

_BEAT = 1  # seconds between checks for due work
_MAIL_BEAT = 2  # the same, for emails that have arrived
_HINTED_BEAT = 3  # the same, for jobs that notifications also start
_ROUNDS = 50
_SWEEPS, _POSTS = 0x57E3, 0x57E4  # ids of the leader elections
_MORE_SWEEPS = 1  # with more, many due seats would be processed sooner, but players' commits would be delayed
_LAST_JOBS = 3.0  # seconds to finish the jobs in progress when the worker stops
_LAST_LETTERS = 5.0  # the same, for emails
_LAST_CALLS = 2.0  # the same, for webhooks
_STOP = {signal.SIGTERM, signal.SIGINT}
# Niceness of the sender. By the kernel's weights, 3 gives it half of another process's share. With 10, it had a tenth:
# beside four busy processes, sixty emails took two minutes.
_BEHIND = 3
_LOOK = 0.1  # seconds of CPU time between two looks for a bot's turn while a review is computed
_LAST = 19  # niceness of processes that compute moves
_STUCK = 30  # seconds of CPU time for everything except computing moves
_MOVES = 5  # moves per turn

RECORDS = Records(archive_of, copy_of_player, delete_confirmed_account)  # functions that the post desk needs

_many_are_due = Event()

log = logging.getLogger(__name__)


def work(app: Flask, settings: Settings) -> NoReturn:
    """Run until SIGTERM, Ctrl-C, or the end of the sender process. Then finish the jobs in progress.

    Emails are sent by a separate process. Drawing one picture takes longer than twenty commits, and would block all
    threads.
    """
    _block_signals()
    post, thinkers = _start("post"), [_start("think") for _ in range(settings.thinkers)]
    ways_in = [_way_in(app, url, settings.inbound_domain or "") for url in settings.mail_in or ()]
    seldom, pause = partial(_throttle, Lookout(_SWEEPS)), 10 if settings.inbound_domain else 60
    jobs = {
        Job(app, "sweep", seldom(_sweep, 3, others=60)): _BEAT,
        Job(app, "outages", _by_right_clock(follow_outages)): 5,
        Job(app, "open games", _by_right_clock(seldom(close_due, 60))): 10,
        Job(app, "stand-ins", _by_right_clock(seldom(change_stand_ins, 60))): 10,
        Job(app, "replies", seldom(answering.deal_with_mails, pause)): _MAIL_BEAT,
        Job(app, "post desk", seldom(partial(deal_with_desk, RECORDS), pause)): _MAIL_BEAT,
        Job(app, "returned mails", seldom(read_returned_mails, pause)): 5,
        Job(app, "changes of address", _by_right_clock(end_changes)): 60,
        Job(app, "held up", seldom(log_overdue_work, 120)): 30,
        Job(app, "track records", seldom(read_records, 60)): 60,
        Job(app, "expired apps", _by_right_clock(forget_apps)): 60,
        Job(app, "tidy", _by_right_clock(partial(_tidy, settings))): 3600,
    }
    for way_in in ways_in:
        run = way_in.keep_open if isinstance(way_in, SmtpServer) else way_in.read_on
        jobs[Job(app, "mail in", run)] = int(OPEN_AGAIN)
    notifier.tell_from(app)
    along = [Job(app, "sweep along", _sweep_along) for _ in range(_MORE_SWEEPS)]
    for job in along:
        Thread(target=_run_when_many_are_due, args=(job,), daemon=True).start()
    scheduler = _start_scheduler(jobs)
    for way_in in ways_in:
        if isinstance(way_in, SmtpServer):
            way_in.keep_open()
    while signal.sigwait(_STOP | {signal.SIGCHLD}) == signal.SIGCHLD and post.poll() is None:
        thinkers = [it if it.poll() is None else _start("think") for it in thinkers]
    status = 0 if post.poll() is None else 1
    for process in (post, *thinkers):
        process.terminate()
    for way_in in ways_in:
        way_in.close()
    _end(scheduler, *along)
    try:
        post.wait(_LAST_JOBS + _LAST_LETTERS + _LAST_CALLS)
    except subprocess.TimeoutExpired:
        post.kill()
    _exit(status)


def carry(app: Flask, settings: Settings) -> NoReturn:
    """Send emails and call webhooks until SIGTERM or Ctrl-C. Then finish the jobs in progress."""
    _block_signals()
    os.nice(_BEHIND)
    post = PostOffice(app, outgoing(app, settings), settings.inbound_domain)
    hooks = HookOffice(app)

    def deliver() -> None:
        follow_clock()  # in a sandbox, the clock can be moved
        post.deliver_due()

    def tell_webhooks() -> None:
        if webhook_queue.are_there_any():
            hooks.deliver_due()

    hinted = Job(app, "deliver", deliver), Job(app, "webhooks", tell_webhooks)
    seldom = partial(_throttle, Lookout(_POSTS))
    by_themselves = {
        Job(app, "look for emails", seldom(hinted[0], 10, others=60)): _HINTED_BEAT,
        Job(app, "look for webhooks", seldom(hinted[1], 10, others=60)): _HINTED_BEAT,
        Job(app, "notes left over", hooks.deliver_due): 300,
    }
    scheduler = _start_scheduler(by_themselves)
    on_hint(app, *hinted)  # so that a commit's emails are sent immediately
    signal.sigwait(_STOP)
    _end(scheduler, *hinted)
    post.close(_LAST_LETTERS)
    hooks.close(_LAST_CALLS)
    _exit(0)


def think(app: Flask, settings: Settings) -> NoReturn:
    """Compute moves for bots, and reviews in between, until SIGTERM. If this process is killed, nothing is lost: another
    process computes the move or the review, or the sweep moves."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _STOP)
    os.nice(_LAST)

    def think_of_turns() -> None:
        follow_clock()
        signal.setitimer(signal.ITIMER_VIRTUAL, _STUCK + settings.thinking * _MOVES)  # its signal ends the process
        while think_due(settings.thinking):
            signal.setitimer(signal.ITIMER_VIRTUAL, _STUCK + settings.thinking * _MOVES)

    look = sparing(think_of_turns)

    def think_on() -> None:
        think_of_turns()
        while review_due(look):
            look()

    job = Job(app, "think", think_on)
    while True:
        job()
        time.sleep(_BEAT)


def sparing(look: Callable[[], object]) -> Callable[[], None]:
    """Return a function that calls `look`, but only once in `_LOOK` seconds of CPU time.

    After each query of a look, a process of low priority waits for its next share of a busy processor.
    """
    looked_at = -math.inf

    def look_at_times() -> None:
        nonlocal looked_at
        if thread_time() - looked_at >= _LOOK:
            look()
            looked_at = thread_time()

    return look_at_times


def _start(command: str) -> subprocess.Popen[bytes]:
    """Start a process that ends together with this one."""
    return subprocess.Popen(
        [sys.executable, "-m", "server.cli", command],
        preexec_fn=embedded_postgres.ends_with_parent(signal.SIGTERM),  # noqa: PLW1509  the function only calls prctl
    )


def _block_signals() -> None:
    """Block these signals in all threads, so that only sigwait gets them."""
    signal.pthread_sigmask(signal.SIG_BLOCK, _STOP | {signal.SIGCHLD})


def _start_scheduler(jobs: Mapping[Job, int]) -> BackgroundScheduler:
    scheduler = BackgroundScheduler(timezone="UTC", executors={"default": ThreadPoolExecutor(len(jobs))})
    for job, seconds in jobs.items():
        scheduler.add_job(job, "interval", seconds=seconds, coalesce=True, max_instances=1, misfire_grace_time=None)
    scheduler.start()
    return scheduler


def _throttle(
    lookout: Lookout, run: Callable[[], object], every: float, others: float = math.inf
) -> Callable[[], None]:
    """Return a job that runs at each beat, or less often if tables are distributed over machines (see `lookout.py`)."""

    def look() -> None:
        if lookout.is_time(run, every, others):
            run()

    return look


def _by_right_clock(run: Callable[[], object]) -> Callable[[], None]:
    """Return a job that does nothing while this machine's clock is wrong."""

    def run_if_right() -> None:
        if not host_clock.is_wrong():
            run()

    return run_if_right


def _end(scheduler: BackgroundScheduler, *hinted: Job) -> None:
    """Stop the scheduler. `hinted` are jobs that notifications or other jobs start."""

    def end() -> None:
        scheduler.shutdown()
        for job in hinted:
            job.end()

    ending = Thread(target=end)
    ending.start()
    ending.join(_LAST_JOBS)


def _exit(status: int) -> NoReturn:
    logging.shutdown()
    os._exit(status)  # a thread that is blocked in SMTP or Postgres would delay the exit


def _way_in(app: Flask, url: str, domain: str) -> "SmtpServer | ImapReader":
    if not url.startswith("imaps:"):
        return SmtpServer(app, urlsplit(url).netloc)
    from server.post.incoming.imap import ImapReader  # most servers don't need this module

    return ImapReader(app, url, domain)


def outgoing(app: Flask, settings: Settings) -> Carrier:
    """Return the mail transport. If there is a key, the transport signs emails."""
    plain = carrier(*(settings.smtp_url or [app.config["MAILBOX"]]))
    if settings.dkim_key is None:
        return plain
    return Signing(plain, mail_host(settings.base_url), settings.dkim_selector, read_key(settings.dkim_key))


def _tidy(settings: Settings) -> None:
    forget_old_letters(settings.keep_deliveries)
    forget_old_codes()
    forget_ended_tokens()
    forget_ended_tickets()
    forget_old_answers(settings.keep_answers)
    forget_old_mails()
    forget_desk_mails()
    forget_expired_proofs(clock.real())
    forget_watching(clock.now())
    forget_open(clock.now())
    forget_old_secrets()
    forget_kept_mails()
    forget_old_deliveries()
    forget_guests()


def log_overdue_work() -> None:
    """Log overdue work. The worker does this because the sender may hang, or get no CPU time."""
    for what, age in overdue_work().items():
        log.warning("Some %s have been due for %.0f s, and no process handles them", what, age.total_seconds())


def _sweep() -> None:
    """Sweep for a few rounds only, so that stopping the worker needn't wait until games between bots are over.

    The heartbeat is sent after the database has responded, since an outage must not count against players.
    """
    for _ in range(_ROUNDS):
        woken = wake_due(call_help=_many_are_due.set)
        heartbeats.beat("worker")
        if not woken:
            break


def _run_when_many_are_due(job: Job) -> NoReturn:
    while True:
        _many_are_due.wait()
        job()
        sleep(_BEAT)  # also after a failure, for example of the database


def _sweep_along() -> None:
    """Sweep in a second thread while many seats are due. This helps because a commit spends most of its time waiting
    for Postgres."""
    for _ in range(_ROUNDS):
        if not _many_are_due.is_set():
            break
        if not wake_due():
            _many_are_due.clear()
