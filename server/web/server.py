"""The web server: gunicorn's settings and startup. `GUNICORN_CMD_ARGS` overrides the settings (`--bind`, `--workers`)."""

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
threads = 32  # each thread may use two of the pool's 64 database connections
worker_connections = 2000  # not counting streams; above this number, the slowest connection is dropped
keepalive = 20  # seconds; an idle connection doesn't occupy a thread
graceful_timeout = 5  # seconds to finish running requests when the server stops
logger_class = "server.web.gunicorn_worker.Log"
logconfig_dict = json_logs.configuration(logging.INFO)
forwarded_allow_ips = "*"  # proxy headers aren't used here, so proxies needn't be checked
forwarder_headers = ""
secure_scheme_headers: dict[str, str] = {}
# Each process has an empty heartbeat file there. In a temporary directory that is full, even this may fail.
worker_tmp_dir = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None
control_socket_disable = True  # the socket would be in the home directory, and shared by all servers of a user

log = logging.getLogger(__name__)

_EVERY = 10  # seconds between rounds of jobs
_FILES = 4096  # more than connections and streams ever need; the usual limit is 1,024
_PREFIX = "sternenpost-web-metrics-"  # the directories of release 0.1.0 have another prefix, and no lock
_METRICS = "PROMETHEUS_MULTIPROC_DIR"  # the directory into which processes write their metrics


def post_worker_init(worker: Any) -> None:
    """Start the background jobs. gunicorn calls this in each process after it has forked."""
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
    while True:
        for job in jobs:
            job()
        time.sleep(every)


def _share_limits(app: Flask, job: Job) -> NoReturn:
    while True:
        if is_any_taken(app):  # a process without streams has nothing to share
            job()
        time.sleep(SHARED_EVERY)


def serve() -> NoReturn:
    """Replace this process with gunicorn."""
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
    """Return a new directory. It is locked until the last process of this server has ended, even if that process is
    killed."""
    while True:
        path = tempfile.mkdtemp(prefix=_PREFIX)
        lock = os.open(path, os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_SH)
        if os.path.exists(path):  # another server may have deleted it before it was locked
            os.set_inheritable(lock, True)
            return path
        os.close(lock)


def _clear_unless_used(path: Path) -> None:
    """Delete a directory left by a server that was killed. Directories that are locked, or belong to another user,
    stay."""
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
