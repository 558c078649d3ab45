"""The retry policy for webhooks: how long to pause after a failure, and when to give up."""

from datetime import datetime, timedelta

from server.webhooks.http import Answer

FIRST_PAUSE = timedelta(seconds=5)
LONGEST_PAUSE = timedelta(hours=6)
GIVE_UP = timedelta(days=3)
LEAST_TRIES = 10  # before giving up, even after a clock jump or days of downtime


def pause(failures: int, answer: Answer | None) -> timedelta:
    """Return how long to wait before the next attempt. The pause is four times longer after each failure, and at least
    `Retry-After`."""
    asked = timedelta(seconds=answer.retry_after) if answer else FIRST_PAUSE
    growing: timedelta = FIRST_PAUSE * 4 ** min(failures, 10)
    return min(max(growing, asked), LONGEST_PAUSE)


def is_hopeless(since: datetime | None, failures: int, now: datetime) -> bool:
    """Return whether to give up after this failure. `since` is when the first of these failures occurred."""
    return since is not None and now - since >= GIVE_UP and failures + 1 >= LEAST_TRIES
