"""Jobs that web processes and workers run repeatedly, even after a failure."""

import logging
from collections.abc import Callable
from threading import Lock

from flask import Flask

from server.store.database_retry import is_passing

log = logging.getLogger(__name__)


class Job:
    """A function that is called at intervals and on notifications, one call at a time. A job logs one warning when the
    database goes down, and another when it is back."""

    def __init__(self, app: Flask, name: str, run: Callable[[], object]) -> None:
        self._app = app
        self._name = name
        self._run = run
        self._waits = False
        self._lock = Lock()
        self._has_ended = False

    def end(self) -> None:
        """Wait for the call in progress. Later calls do nothing."""
        with self._lock:
            self._has_ended = True

    def __call__(self) -> None:
        with self._lock, self._app.app_context():
            if self._has_ended:
                return
            try:
                self._run()
            except Exception as error:
                if not is_passing(error):
                    log.exception("The job %s failed; the next run retries it", self._name)
                elif not self._waits:
                    self._waits = True
                    log.warning("The job %s waits for the database", self._name)
            else:
                if self._waits:
                    self._waits = False
                    log.warning("The job %s has its database again", self._name)
