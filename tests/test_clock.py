"""The clock: real time that can be put forward."""

from datetime import UTC, datetime, timedelta

from server.clock import Clock
from tests.support.games import DAY, MINUTE


def test_the_clock_can_be_moved_forward_and_returns_times_in_utc():
    clock = Clock()
    before = clock.now()
    clock.forward(2 * DAY)
    assert clock.now() - before >= 2 * DAY
    assert before.tzinfo is UTC


def test_real_time_is_right_while_another_thread_moves_the_clock_forward():
    class Leaping(Clock):
        """A clock that is put forward after every read."""

        @property
        def offset(self) -> timedelta:
            self.leap += DAY
            return self.leap

        @offset.setter
        def offset(self, leap: timedelta) -> None:
            self.leap = leap

    assert abs(Leaping().real() - datetime.now(UTC)) < MINUTE
