"""Retries of a webhook: how long it is left alone after a failure, and when it is given up."""

from datetime import datetime, timedelta

from server.webhooks.http import Answer

FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=6)
GIVE_UP = timedelta(days=3)
LEAST_TRIES = 10  # before anything is given up, be it that the clock jumps, or that we were away for days


def pause(failures: int, answer: Answer | None) -> timedelta:
    """Four times as long with each failure, and no less than the other side asks for."""
    asked = timedelta(seconds=answer.retry_after) if answer else FIRST_PAUSE
    growing: timedelta = FIRST_PAUSE * 4 ** min(failures, 10)
    return min(max(growing, asked), LONGEST_PAUSE)


def is_hopeless(since: datetime | None, failures: int, now: datetime) -> bool:
    """Whether this failure is the last of many, over days."""
    return since is not None and now - since >= GIVE_UP and failures + 1 >= LEAST_TRIES
