"""Rate limits in answers, and a clock by which no bucket refills."""

import re
from datetime import datetime, timedelta
from typing import NamedTuple, Self

from werkzeug.test import TestResponse

from server.clock import clock


class Told(NamedTuple):
    """A limit in an answer: units in all, the seconds in which they return, units left, seconds until all are back."""

    name: str
    quota: int
    window: int
    left: int
    full_in: int

    @classmethod
    def by(cls, answer: TestResponse) -> Self:
        return cls.all_by(answer)[0]

    @classmethod
    def all_by(cls, answer: TestResponse) -> list[Self]:
        policies = [re.fullmatch(r'"([\w-]+)";q=(\d+);w=(\d+)', it) for it in members(answer, "RateLimit-Policy")]
        limits = [re.fullmatch(r'"([\w-]+)";r=(\d+);t=(\d+)', it) for it in members(answer, "RateLimit")]
        found = []
        for policy, limit in zip(policies, limits, strict=True):
            assert policy is not None
            assert limit is not None
            assert policy[1] == limit[1]
            found.append(cls(policy[1], *map(int, (policy[2], policy[3], limit[2], limit[3]))))
        return found


def members(answer: TestResponse, name: str) -> list[str]:
    return answer.headers[name].split(", ")


class StandingClock:
    def __init__(self) -> None:
        self._now = clock.now()

    def now(self) -> datetime:
        return self._now

    def forward(self, by: timedelta) -> None:
        self._now += by
