"""A player's calendar: which hours and days count, and which vacations are allowed."""

from datetime import UTC, datetime, time, timedelta
from uuid import UUID
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.accounts.calendars import ALWAYS, Calendar, calendar, stored_calendar, stored_zone, time_zone
from server.accounts.players import change_profile
from server.clock import clock
from server.errors import BadField
from server.stored_data import warn_of
from tests.support.calendars import SLEEPER, berlin, calendars, counted_time, due_at, moments, utc
from tests.support.games import DAY, HOUR, MINUTE, later
from tests.support.players import ada, within

assert ada and within  # fixtures

NONE = timedelta(0)


# A calendar


def test_every_field_of_a_calendar_is_optional():
    assert calendar({}, "Asia/Kolkata").counts_always
    assert calendar({"night": None, "days_off": [], "vacations": []}, "UTC") == ALWAYS
    assert calendar({"night": "22:00-08:00", "days_off": [7, 6]}, "Europe/Berlin") == Calendar(
        ZoneInfo("Europe/Berlin"), (time(22), time(8)), frozenset({6, 7})
    )


@pytest.mark.parametrize(
    "night", ["22:00 - 08:00", "22-8", "24:00-08:00", "22:60-08:00", "22:00-08:00Z", "", 22, [], True]
)
def test_a_night_is_defined_by_two_times_of_day(night):
    with pytest.raises(ValueError, match="night"):
        calendar({"night": night}, "UTC")


def test_a_calendar_must_leave_at_least_eight_hours_free_per_day():
    assert calendar({"night": "18:00-10:00"}, "UTC").night == (time(18), time(10))
    for night in ("18:00-10:01", "08:00-07:59", "08:00-08:00"):
        with pytest.raises(ValueError, match="at least 8 hours a day"):
            calendar({"night": night}, "UTC")


def test_a_calendar_must_leave_at_least_four_days_free_per_week():
    assert calendar({"days_off": [1, 2, 3]}, "UTC").days_off == {1, 2, 3}
    with pytest.raises(ValueError, match="at least 4 days"):
        calendar({"days_off": [1, 2, 3, 4]}, "UTC")


@pytest.mark.parametrize("days", [[0], [8], [True], ["6"], [6.0], [6, 6], "67", None, {"6": 1}])
def test_days_off_are_weekdays_from_1_to_7(days):
    with pytest.raises(ValueError, match="days_off"):
        calendar({"days_off": days}, "UTC")


@pytest.mark.parametrize(
    "vacations",
    [
        [{"from": "2026-12-20"}],
        [{"from": "2026-12-20", "to": "2026-12-19"}],
        [{"from": "2026-02-30", "to": "2026-03-01"}],
        [{"from": "20261220", "to": "20261221"}],
        [{"from": "2026-12-20", "to": None}],
        [{"from": "1026-12-20", "to": "2026-12-20"}],
        [{"from": "2026-12-20", "to": "9999-12-31"}],
        [{"from": "2026-12-20", "to": "2026-12-21", "why": "snow"}],
        ["2026-12-20"],
        21 * [{"from": "2026-12-20", "to": "2026-12-20"}],
        None,
    ],
)
def test_a_vacation_ends_on_a_later_day_than_it_begins(vacations):
    with pytest.raises(ValueError, match="vacations"):
        calendar({"vacations": vacations}, "UTC")


def test_vacation_days_per_year_are_limited_and_overlapping_days_count_once():
    winter, longer = {"from": "2026-12-01", "to": "2027-01-31"}, {"from": "2027-01-25", "to": "2027-02-11"}
    assert len(calendar({"vacations": [longer, winter]}, "UTC").vacations) == 2
    with pytest.raises(ValueError, match="at most 42 vacation days in 2027"):
        calendar({"vacations": [longer | {"to": "2027-02-12"}, winter]}, "UTC")


def test_an_unknown_calendar_field_is_rejected():
    with pytest.raises(ValueError, match="nights"):
        calendar({"nights": ["22:00-08:00"]}, "UTC")
    with pytest.raises(ValueError, match="calendar"):
        calendar([], "UTC")


@pytest.mark.parametrize(
    "zone", ["Berlin", "europe/berlin", "CEST", "../etc/passwd", "/etc/localtime", "", "Europe", None, 1]
)
def test_a_time_zone_is_an_iana_name(zone):
    with pytest.raises(ValueError, match="IANA"):
        time_zone(zone)


# Vacations


def vacation(first: int, last: int) -> dict[str, str]:
    today = clock.now().date()
    return {"from": (today + first * DAY).isoformat(), "to": (today + last * DAY).isoformat()}


def plans(who: UUID, *vacations: dict[str, str]) -> None:
    change_profile(who, {"calendar": {"vacations": list(vacations)}})


def early_in_a_year() -> None:
    now = clock.now()
    later(now.replace(year=now.year + 1, month=2, day=1, hour=12) - now)


def test_a_vacation_that_has_begun_can_end_today_at_the_earliest(ada: UUID) -> None:
    early_in_a_year()
    plans(ada, vacation(0, 20))
    later(3 * DAY)
    for changed in ([], [vacation(-3, -1)], [vacation(-2, 5)], [vacation(1, 20)]):
        with pytest.raises(BadField, match="A vacation that has started") as refused:
            plans(ada, *changed)
        assert refused.value.field == "calendar"
    with pytest.raises(BadField, match="A vacation that has started"):
        change_profile(ada, {"calendar": {}})
    plans(ada, vacation(-3, 0))


def test_past_vacation_days_count_until_the_end_of_their_year(ada: UUID) -> None:
    early_in_a_year()
    plans(ada, vacation(0, 40))
    later(41 * DAY)
    over = vacation(-41, -1)
    with pytest.raises(BadField, match="A vacation that has started"):
        plans(ada, vacation(0, 40))
    with pytest.raises(BadField, match="at most 42 vacation days"):
        plans(ada, over, vacation(0, 1))
    plans(ada, over, vacation(0, 0))
    later(365 * DAY)
    plans(ada, vacation(0, 40))


def test_a_future_vacation_can_be_cancelled(ada: UUID) -> None:
    early_in_a_year()
    plans(ada, vacation(1, 20))
    plans(ada)


def test_a_vacation_begins_at_midnight_in_the_players_time_zone(ada: UUID) -> None:
    early_in_a_year()
    change_profile(ada, {"zone": "Pacific/Kiritimati"})  # where it is two o'clock tomorrow
    plans(ada, vacation(1, 2))
    with pytest.raises(BadField, match="A vacation that has started"):
        plans(ada)


# Counted time


def test_all_hours_count_without_nights_and_outages():
    assert due_at(berlin("2026-11-20 18:30"), 2 * DAY) == berlin("2026-11-22 18:30")


def test_nights_do_not_count():
    assert due_at(berlin("2026-11-20 21:00"), 2 * HOUR, SLEEPER) == berlin("2026-11-21 09:00")
    assert due_at(berlin("2026-11-21 03:00"), 2 * HOUR, SLEEPER) == berlin("2026-11-21 10:00")


def test_a_turn_whose_time_ends_when_the_night_begins_ends_at_that_moment():
    assert due_at(berlin("2026-11-20 21:00"), 1 * HOUR, SLEEPER) == berlin("2026-11-20 22:00")


def test_a_night_need_not_cross_midnight():
    early = calendar({"night": "00:00-09:00"}, "Europe/Berlin")
    assert due_at(berlin("2026-11-20 23:00"), 2 * HOUR, early) == berlin("2026-11-21 10:00")
    siesta = calendar({"night": "13:00-15:00"}, "Europe/Berlin")
    assert due_at(berlin("2026-11-20 12:00"), 2 * HOUR, siesta) == berlin("2026-11-20 16:00")


def test_days_off_do_not_count():
    working = calendar({"days_off": [6, 7]}, "Europe/Berlin")
    friday = berlin("2026-11-20 18:00")
    assert due_at(friday, DAY, working) == berlin("2026-11-23 18:00")


def test_a_day_off_begins_and_ends_in_the_players_time_zone():
    working = calendar({"days_off": [6]}, "Asia/Kolkata")
    assert counted_time(utc("2026-11-20 00:00"), utc("2026-11-23 00:00"), working) == 2 * DAY
    assert counted_time(utc("2026-11-20 18:30"), utc("2026-11-21 18:30"), working) == NONE


def test_vacation_days_do_not_count():
    away = calendar({"vacations": [{"from": "2026-12-20", "to": "2027-01-03"}]}, "Europe/Berlin")
    assert due_at(berlin("2026-12-19 12:00"), DAY, away) == berlin("2027-01-04 12:00")


def test_outage_hours_do_not_count():
    outages = [
        (utc("2026-11-20 15:00"), utc("2026-11-20 16:00")),
        (utc("2026-11-20 12:00"), utc("2026-11-20 14:00")),
        (utc("2026-11-20 13:00"), utc("2026-11-20 15:00")),
        (utc("2026-11-20 09:00"), utc("2026-11-20 08:00")),
    ]
    assert due_at(utc("2026-11-20 11:00"), 2 * HOUR, ALWAYS, outages) == utc("2026-11-20 17:00")
    assert due_at(utc("2026-11-20 13:30"), 2 * HOUR, ALWAYS, outages) == utc("2026-11-20 18:00")


def test_an_outage_at_night_is_not_counted_twice():
    outages = [(berlin("2026-11-20 21:30"), berlin("2026-11-21 08:30"))]
    assert due_at(berlin("2026-11-20 21:00"), 2 * HOUR, SLEEPER, outages) == berlin("2026-11-21 10:00")


def test_the_night_when_clocks_go_back_is_an_hour_longer():
    asked = berlin("2026-10-24 21:00")
    due = due_at(asked, 2 * HOUR, SLEEPER)
    assert due == berlin("2026-10-25 09:00")
    assert due.astimezone(UTC) - asked.astimezone(UTC) == 13 * HOUR


def test_the_night_when_clocks_go_forward_is_an_hour_shorter():
    asked = berlin("2026-03-28 21:00")
    due = due_at(asked, 2 * HOUR, SLEEPER)
    assert due == berlin("2026-03-29 09:00")
    assert due.astimezone(UTC) - asked.astimezone(UTC) == 11 * HOUR


def test_a_night_that_ends_in_a_skipped_hour_ends_when_clocks_go_forward():
    night = calendar({"night": "22:00-02:30"}, "Europe/Berlin")
    assert due_at(berlin("2026-03-28 22:00"), HOUR, night) == utc("2026-03-29 02:00")


def test_a_night_that_ends_in_a_repeated_hour_ends_twice():
    night = calendar({"night": "22:00-02:30"}, "Europe/Berlin")
    first_half_past_two = utc("2026-10-25 00:30")
    assert due_at(berlin("2026-10-24 22:00"), MINUTE, night) == first_half_past_two + MINUTE
    assert due_at(berlin("2026-10-24 22:00"), HOUR, night) == first_half_past_two + HOUR + HOUR / 2


def test_a_day_that_a_country_skipped_in_its_calendar_does_not_count():
    """Samoa went from Thursday, 29 December 2011, straight to Saturday the 31st."""
    no_fridays = calendar({"days_off": [5]}, "Pacific/Apia")
    assert counted_time(utc("2011-12-29 10:00"), utc("2011-12-31 10:00"), no_fridays) == 2 * DAY


def test_microseconds_are_preserved():
    asked = berlin("2026-11-20 21:59:59.123456")
    assert due_at(asked, HOUR, SLEEPER) == berlin("2026-11-21 08:59:59.123456")


outages = st.lists(st.tuples(moments, st.integers(0, 900)).map(lambda o: (o[0], o[0] + o[1] * MINUTE)), max_size=3)


def counts(minute: datetime, calendar: Calendar, outages: list[tuple[datetime, datetime]]) -> bool:
    """Return whether this minute counts, from the player's clock."""
    face = minute.astimezone(calendar.zone)
    begin, end = calendar.night or (time(0), time(0))
    asleep = begin <= face.time() < end if begin <= end else not end <= face.time() < begin
    return not (
        asleep
        or face.isoweekday() in calendar.days_off
        or any(first <= face.date() <= last for first, last in calendar.vacations)
        or any(down <= minute < up for down, up in outages)
    )


@settings(max_examples=80, deadline=None)
@given(moments, st.integers(0, 3 * 24 * 60), calendars, outages)
def test_counted_time_matches_a_minute_by_minute_check(start, minutes, calendar, outages):
    slowly = sum(counts(start + n * MINUTE, calendar, outages) for n in range(minutes))
    assert counted_time(start, start + minutes * MINUTE, calendar, outages) == slowly * MINUTE


@settings(max_examples=80, deadline=None)
@given(moments, st.integers(1, 2 * 24 * 60), calendars, outages)
def test_a_player_is_due_at_the_end_of_the_last_counted_minute(asked, minutes, calendar, outages):
    due, left = asked, minutes
    while left:
        left -= counts(due, calendar, outages)
        due += MINUTE
    assert due_at(asked, minutes * MINUTE, calendar, outages) == due


@given(moments, st.timedeltas(NONE, 60 * DAY), calendars, outages, st.timedeltas(NONE, DAY))
def test_exactly_the_allowed_time_has_passed_at_the_due_time(asked, allowed, calendar, outages, later):
    asked += later
    assert counted_time(asked, due_at(asked, allowed, calendar, outages), calendar, outages) == allowed


def test_time_before_the_start_does_not_count():
    assert counted_time(utc("2026-11-21"), utc("2026-11-20"), SLEEPER) == NONE
    assert counted_time(utc("2026-11-21"), utc("2026-11-20")) == NONE


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "localtime", "Europe/Berlin\n"])
def test_a_stored_time_zone_unknown_to_this_machine_counts_as_utc(zone, caplog):
    warn_of.cache_clear()
    assert [stored_zone(zone).key for _ in range(2)] == ["UTC", "UTC"]
    assert len(caplog.records) == 1


@pytest.mark.parametrize(
    "data", [None, [], "x", {"night": 5}, {"night": "25:00-26:00"}, {"days_off": None}, {"vacations": [{}]}, {"new": 1}]
)
def test_all_hours_count_if_the_stored_calendar_is_invalid(data):
    assert stored_calendar(data, "Mars/Olympus") == ALWAYS
