"""CPU time of reading a mail, in units of an ordinary mail on the same machine, so that slow machines pass."""

import time
from collections.abc import Callable
from functools import cache

from server.games import sternenhimmel
from server.post.incoming.replies import parse, read, understand
from tests.post.incoming.replies.make import plain

MOST = 30  # ordinary mails; the worst today takes six
_LETTER = "I had a fine day at the lake with my aunt.\n" * 6_000  # 250 KiB


def effort_of(work: Callable[[], object]) -> float:
    """Return how many ordinary mails could be read in the time that this takes."""
    return _seconds(work) / _of_an_ordinary_mail()


@cache
def _of_an_ordinary_mail() -> float:
    raw = plain(f"7 leo c\n\n{_LETTER}")
    return min(_seconds(lambda: understand(parse(read(raw), sternenhimmel), ())) for _ in range(3))


def _seconds(work: Callable[[], object]) -> float:
    begun = time.thread_time()
    work()
    return time.thread_time() - begun
