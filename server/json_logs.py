"""Logs with one JSON object per line. The logs contain no secrets: paths with link tokens, bodies and parameters are
left out."""

import json
import logging
import logging.config
import traceback
from datetime import UTC, datetime
from typing import Any

_LINES = json.JSONEncoder(ensure_ascii=False)


class JsonLines(logging.Formatter):
    """A formatter that writes `at`, `level`, `logger`, `message` and the record's `facts`. It omits the text of
    exceptions."""

    def format(self, record: logging.LogRecord) -> str:
        line = {
            "at": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": record.getMessage(),
            **getattr(record, "facts", {}),
        }
        if record.exc_info and record.exc_info[1]:
            line["exception"] = _told(record.exc_info[1])
        return _LINES.encode(line)


def _told(error: BaseException) -> str:
    """Return the type and place of an error without its text, which may quote an email, a move or a row."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    kind = f"{type(error).__module__}.{type(error).__qualname__}"
    state = getattr(error, "sqlstate", None)
    here = "".join(traceback.format_tb(error.__traceback__)) + kind + (f" (SQLSTATE {state})" if state else "")
    return f"{_told(cause)}\n\n{here}" if cause else here


class NoRequests(logging.Filter):
    """A filter for gunicorn's messages, which quote unreadable requests and the paths of failed ones. Both may contain
    a link token."""

    def filter(self, record: logging.LogRecord) -> bool:
        for beginning in ("Invalid request", "Error handling request"):
            if str(record.msg).startswith(beginning):
                record.msg, record.args = beginning, ()
        return True


def configuration(level: int) -> dict[str, Any]:
    """Return the configuration for `logging.config.dictConfig`: everything goes to standard error."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": JsonLines}},
        "filters": {"no requests": {"()": NoRequests}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"level": level, "handlers": ["stderr"]},
        "loggers": {
            "alembic": {"level": logging.WARNING},
            "mail.log": {"level": logging.ERROR},  # aiosmtpd quotes senders, and with them the tokens of seats
            "apscheduler": {"level": logging.ERROR},  # it reports each run skipped because of a longer one
            "gunicorn.error": {"level": logging.WARNING, "handlers": [], "filters": ["no requests"], "propagate": True},
        },
    }


def set_up(level: int = logging.INFO) -> None:
    logging.config.dictConfig(configuration(level))
    logging.captureWarnings(True)
