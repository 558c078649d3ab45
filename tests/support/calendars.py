"""Moments, and calendars with free hours."""

from collections.abc import Collection
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from hypothesis import strategies as st

from server.accounts.calendars import ALWAYS, Calendar, calendar
from server.clock import Stretch
from server.play.timing.seat_time import SeatTime
from server.play.timing.time_control import PerMove
from tests.support.games import DAY, MINUTE


def berlin(text: str) -> datetime:
    """Return a moment by the clocks of Berlin."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Berlin"))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def seat_time(calendar: Calendar = ALWAYS, outages: Collection[Stretch] = ()) -> SeatTime:
    return SeatTime(PerMove(DAY), calendar, outages)


def due_at(
    asked_at: datetime, allowed: timedelta, calendar: Calendar = ALWAYS, outages: Collection[Stretch] = ()
) -> datetime:
    return seat_time(calendar, outages).due(asked_at, allowed)


def counted_time(
    start: datetime, end: datetime, calendar: Calendar = ALWAYS, outages: Collection[Stretch] = ()
) -> timedelta:
    return seat_time(calendar, outages).used(start, end)


SLEEPER = calendar({"night": "22:00-08:00"}, "Europe/Berlin")

ZONES = ["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "Pacific/Apia"]
CLOCK_CHANGES = ["2026-03-08", "2026-03-29", "2026-04-05", "2026-10-04", "2026-10-25", "2026-11-01", "2011-12-30"]

calendars = st.builds(
    Calendar,
    st.sampled_from(ZONES).map(ZoneInfo),
    st.none()
    | st.sampled_from(["22:00-08:00", "00:00-07:30", "01:30-02:30", "12:00-00:00", "23:15-02:15"]).map(
        lambda text: tuple(map(time.fromisoformat, text.split("-")))
    ),
    st.frozensets(st.integers(1, 7), max_size=3),
    st.lists(
        st.tuples(st.sampled_from(CLOCK_CHANGES).map(date.fromisoformat), st.integers(0, 2)).map(
            lambda vacation: (vacation[0], vacation[0] + vacation[1] * DAY)
        ),
        max_size=2,
    ).map(tuple),
)
moments = st.builds(
    lambda day, minutes: utc(day) + minutes * MINUTE,
    st.sampled_from(CLOCK_CHANGES),
    st.integers(-2 * 24 * 60, 2 * 24 * 60),
)
