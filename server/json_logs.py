"""Logs as one JSON object a line, with no secret in it: no path with a word in it, no body, no parameter."""

import json
import logging
import logging.config
import traceback
from datetime import UTC, datetime
from typing import Any

_LINES = json.JSONEncoder(ensure_ascii=False)


class JsonLines(logging.Formatter):
    """`at`, `level`, `logger`, `message`, the record's `facts`, and of an exception everything but its text."""

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
    """Where it happened and what kind of error it was; its text may quote a letter, a move or a row."""
    cause = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    kind = f"{type(error).__module__}.{type(error).__qualname__}"
    state = getattr(error, "sqlstate", None)
    here = "".join(traceback.format_tb(error.__traceback__)) + kind + (f" (SQLSTATE {state})" if state else "")
    return f"{_told(cause)}\n\n{here}" if cause else here


class NoRequests(logging.Filter):
    """gunicorn quotes requests that it cannot read, and the paths of those that fail; either may hold a word."""

    def filter(self, record: logging.LogRecord) -> bool:
        for beginning in ("Invalid request", "Error handling request"):
            if str(record.msg).startswith(beginning):
                record.msg, record.args = beginning, ()
        return True


def configuration(level: int) -> dict[str, Any]:
    """For `logging.config.dictConfig`: everything to standard error."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"lines": {"()": JsonLines}},
        "filters": {"no requests": {"()": NoRequests}},
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "lines"}},
        "root": {"level": level, "handlers": ["stderr"]},
        "loggers": {
            "alembic": {"level": logging.WARNING},
            "mail.log": {"level": logging.ERROR},  # aiosmtpd quotes what senders say, and with it words of seats
            "apscheduler": {"level": logging.ERROR},  # it reports each beat that a long one made it skip
            "gunicorn.error": {"level": logging.WARNING, "handlers": [], "filters": ["no requests"], "propagate": True},
        },
    }


def set_up(level: int = logging.INFO) -> None:
    """For all of this process."""
    logging.config.dictConfig(configuration(level))
    logging.captureWarnings(True)
