"""The web: gunicorn's settings, and its start. `GUNICORN_CMD_ARGS` overrides them (`--bind`, `--workers`)."""

import os
import sys
from typing import NoReturn

from server.config import CHECKOUT, Settings

bind = f"127.0.0.1:{Settings.from_environment().port}"
workers = 2
worker_class = "gthread"
threads = 64  # an open event stream holds one; the API refuses streams before moves lack threads
keepalive = 20  # seconds; an idle connection holds no thread
graceful_timeout = 5  # seconds for requests under way at a stop
loglevel = "warning"
control_socket_disable = True  # it would lie in the home directory, one for all servers of a user


def serve() -> NoReturn:
    """Becomes gunicorn."""
    os.chdir(CHECKOUT)
    os.execv(sys.executable, [sys.executable, "-m", "gunicorn", "--config", "python:server.web", "wsgi:app"])
