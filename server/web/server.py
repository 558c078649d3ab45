"""The web server: gunicorn's settings, and its start. `GUNICORN_CMD_ARGS` overrides them (`--bind`, `--workers`)."""

import fcntl
import logging
import os
import resource
import shutil
import sys
import tempfile
import time
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any, NoReturn

from flask import Flask
from prometheus_client import multiprocess

from server import json_logs
from server.accounts.tokens import note_uses
from server.api.rate_limits import SHARED_EVERY, is_any_taken, share
from server.config import CHECKOUT, Settings
from server.jobs import Job
from server.play.timing import heartbeats
from server.store.notify import notifier

bind = f"127.0.0.1:{Settings.from_environment().port}"
workers = 2
worker_class = "server.web.gunicorn_worker.Worker"
threads = 32  # each may hold two of the pool's 64 database connections
worker_connections = 2000  # without streams; above this, the slowest is dropped
keepalive = 20  # seconds; an idle connection holds no thread
graceful_timeout = 5  # seconds for running requests at a stop
logger_class = "server.web.gunicorn_worker.Log"
logconfig_dict = json_logs.configuration(logging.INFO)
forwarded_allow_ips = "*"  # no proxy header is used here, so proxies need no check
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
# Each process has an empty heartbeat file there. A full temporary directory may refuse even that.
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None
control_socket_disable = True  # the socket would lie in the home directory, shared by all servers of a user

log = logging.getLogger(__name__)

_EVERY = 10  # seconds between rounds of jobs
_FILES = 4096  # more than all connections and streams need; the usual limit is 1,024
_PREFIX = "sternenpost-web-metrics-"  # directories of 0.1.0 have another prefix, and no lock
_METRICS = "PROMETHEUS_MULTIPROC_DIR"  # where the processes write their metrics


def post_worker_init(worker: Any) -> None:
    """Start the background jobs. gunicorn calls this in each process, after the fork."""
    app = worker.app.wsgi()
    _allow_files()
    json_logs.set_up(logging.WARNING if app.config["SANDBOX"] else logging.INFO)
    notifier.tell_from(app)
    jobs = Job(app, "heartbeat", partial(heartbeats.beat, "web")), Job(app, "uses of tokens", note_uses)
    Thread(target=_do_again, args=(_EVERY, *jobs), daemon=True).start()
    Thread(target=_share_limits, args=(app, Job(app, "rate limits", share)), daemon=True).start()


def _allow_files() -> None:
    allowed, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _FILES if most == resource.RLIM_INFINITY else min(_FILES, most)
    if allowed != resource.RLIM_INFINITY and allowed < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


def child_exit(server: Any, worker: Any) -> None:
    if _METRICS in os.environ:
        multiprocess.mark_process_dead(worker.pid)  # type: ignore[no-untyped-call]  # has no types


def on_exit(server: Any) -> None:
    if _METRICS in os.environ:
        shutil.rmtree(os.environ[_METRICS], ignore_errors=True)


def _do_again(every: int, *jobs: Job) -> NoReturn:
    """Run the jobs forever, in rounds."""
    while True:
        for job in jobs:
            job()
        time.sleep(every)


def _share_limits(app: Flask, job: Job) -> NoReturn:
    while True:
        if is_any_taken(app):  # an idle process has nothing to share
            job()
        time.sleep(SHARED_EVERY)


def serve() -> NoReturn:
    """Replace this process by gunicorn."""
    os.chdir(CHECKOUT)
    for former in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        _clear_unless_used(former)
    try:
        os.environ[_METRICS] = _directory()
    except OSError as error:
        os.environ.pop(_METRICS, None)
        log.warning("Each process has metrics of its own: there is no temporary directory for them (%s)", error)
    os.execv(sys.executable, [sys.executable, "-m", "gunicorn", "--config", "python:server.web.server", "wsgi:app"])


def _directory() -> str:
    """Return a new directory. It stays locked until the last process of this server has ended, even by a kill."""
    while True:
        path = tempfile.mkdtemp(prefix=_PREFIX)
        lock = os.open(path, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_SH)
        if os.path.exists(path):  # unless another server cleared it before the lock
            os.set_inheritable(lock, True)
            return path
        os.close(lock)


def _clear_unless_used(path: Path) -> None:
    """Delete a directory that a killed server left. A directory that is locked, or belongs to another user, stays."""
    try:
        lock = os.open(path, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        shutil.rmtree(path, ignore_errors=True)
    except BlockingIOError:
        pass
    finally:
        os.close(lock)
