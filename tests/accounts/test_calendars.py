"""Time: what counts, when somebody is due, when he is reminded, and what happens if he is late."""

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.accounts.calendars import ALWAYS, Calendar, calendar, time_zone
from server.accounts.preferences import DEFAULT_REMINDERS, thresholds
from server.clock import Clock
from server.durations import duration, duration_text
from server.play.reminders import next_reminder, reminder_times
from server.play.time_control import (
    DEFAULT_CLOCK,
    Bank,
    PerMove,
    counted,
    due_at,
    first_allowance,
    game_clock,
    next_allowance,
)
from server.play.timeout_policy import DEFAULT_LADDER, Abandon, BotMove, BotTakesOver, Extend, bot_of, ladder, rung_for

BOTS = {"greedy", "random"}
MINUTE, HOUR, DAY = timedelta(minutes=1), timedelta(hours=1), timedelta(days=1)
NONE = timedelta(0)


def berlin(text: str) -> datetime:
    """A moment by the clocks of Berlin."""
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo("Europe/Berlin"))


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


SLEEPER = calendar({"night": "22:00-08:00"}, "Europe/Berlin")


# The clock on the wall


def test_the_clock_can_be_put_forward_and_tells_utc():
    clock = Clock()
    before = clock.now()
    clock.forward(2 * DAY)
    assert clock.now() - before >= 2 * DAY
    assert before.tzinfo is UTC


def test_the_real_time_is_right_also_at_the_moment_at_which_another_thread_puts_the_clock_forward():
    class Leaping(Clock):
        """Put forward whenever somebody has looked."""

        @property
        def offset(self) -> timedelta:
            self.leap += DAY
            return self.leap

        @offset.setter
        def offset(self, leap: timedelta) -> None:
            self.leap = leap

    assert abs(Leaping().real() - datetime.now(UTC)) < MINUTE


# Durations


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("P2D", 2 * DAY),
        ("PT12H", 12 * HOUR),
        ("P1DT6H", 30 * HOUR),
        ("P1W", 7 * DAY),
        ("PT90M", 90 * MINUTE),
        ("PT1S", timedelta(seconds=1)),
        ("P365D", 365 * DAY),
    ],
)
def test_a_duration_is_read_as_iso_8601_writes_it(text, length):
    assert duration(text) == length
    assert duration(duration_text(length)) == length


@pytest.mark.parametrize(
    "wrong",
    ["", "P", "PT", "2D", "P2H", "PT2D", "P1D2W", "-P1D", "+P1D", "P1.5D", "PT0,5H", "p1d", "P1D ", "P0D", "PT0S"]
    + ["P366D", "P1Y", "P1M", "P٢D", "P0003-06-04T12:30:05", "P" + 60 * "9" + "D", 2, None, True, ["P2D"], {}, 1.5],
)
def test_what_is_no_sensible_duration_is_refused_with_a_sentence(wrong):
    with pytest.raises(ValueError, match=r"\.$"):
        duration(wrong)


def test_years_and_months_are_no_duration_because_their_length_varies():
    with pytest.raises(ValueError, match="years or months"):
        duration("P1M")


# Counted time


def test_without_nights_and_outages_time_is_just_time():
    assert due_at(berlin("2026-11-20 18:30"), 2 * DAY) == berlin("2026-11-22 18:30")


def test_the_night_does_not_count():
    assert due_at(berlin("2026-11-20 21:00"), 2 * HOUR, SLEEPER) == berlin("2026-11-21 09:00")
    assert due_at(berlin("2026-11-21 03:00"), 2 * HOUR, SLEEPER) == berlin("2026-11-21 10:00")


def test_who_is_due_as_the_night_begins_is_not_given_the_night():
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


def test_a_day_off_lasts_as_the_players_own_clocks_tell():
    working = calendar({"days_off": [6]}, "Asia/Kolkata")
    assert counted(utc("2026-11-20 00:00"), utc("2026-11-23 00:00"), working) == 2 * DAY
    assert counted(utc("2026-11-20 18:30"), utc("2026-11-21 18:30"), working) == NONE


def test_vacations_do_not_count_from_the_first_day_to_the_last():
    away = calendar({"vacations": [{"from": "2026-12-20", "to": "2027-01-03"}]}, "Europe/Berlin")
    assert due_at(berlin("2026-12-19 12:00"), DAY, away) == berlin("2027-01-04 12:00")


def test_hours_in_which_the_service_was_out_of_reach_do_not_count():
    outages = [
        (utc("2026-11-20 15:00"), utc("2026-11-20 16:00")),
        (utc("2026-11-20 12:00"), utc("2026-11-20 14:00")),
        (utc("2026-11-20 13:00"), utc("2026-11-20 15:00")),
        (utc("2026-11-20 09:00"), utc("2026-11-20 08:00")),
    ]
    assert due_at(utc("2026-11-20 11:00"), 2 * HOUR, ALWAYS, outages) == utc("2026-11-20 17:00")
    assert due_at(utc("2026-11-20 13:30"), 2 * HOUR, ALWAYS, outages) == utc("2026-11-20 18:00")


def test_an_outage_by_night_is_not_counted_twice():
    outages = [(berlin("2026-11-20 21:30"), berlin("2026-11-21 08:30"))]
    assert due_at(berlin("2026-11-20 21:00"), 2 * HOUR, SLEEPER, outages) == berlin("2026-11-21 10:00")


def test_the_night_in_which_clocks_go_back_is_an_hour_longer():
    asked = berlin("2026-10-24 21:00")
    due = due_at(asked, 2 * HOUR, SLEEPER)
    assert due == berlin("2026-10-25 09:00")
    assert due.astimezone(UTC) - asked.astimezone(UTC) == 13 * HOUR


def test_the_night_in_which_clocks_go_forward_is_an_hour_shorter():
    asked = berlin("2026-03-28 21:00")
    due = due_at(asked, 2 * HOUR, SLEEPER)
    assert due == berlin("2026-03-29 09:00")
    assert due.astimezone(UTC) - asked.astimezone(UTC) == 11 * HOUR


def test_a_night_that_ends_in_an_hour_that_is_skipped_ends_with_the_skip():
    night = calendar({"night": "22:00-02:30"}, "Europe/Berlin")
    assert due_at(berlin("2026-03-28 22:00"), HOUR, night) == utc("2026-03-29 02:00")


def test_a_night_that_ends_in_an_hour_that_comes_twice_is_night_twice():
    night = calendar({"night": "22:00-02:30"}, "Europe/Berlin")
    first_half_past_two = utc("2026-10-25 00:30")
    assert due_at(berlin("2026-10-24 22:00"), MINUTE, night) == first_half_past_two + MINUTE
    assert due_at(berlin("2026-10-24 22:00"), HOUR, night) == first_half_past_two + HOUR + HOUR / 2


def test_a_weekday_that_a_country_left_out_does_not_count():
    """Samoa went from Thursday, 29 December 2011, straight to Saturday the 31st."""
    no_fridays = calendar({"days_off": [5]}, "Pacific/Apia")
    assert counted(utc("2011-12-29 10:00"), utc("2011-12-31 10:00"), no_fridays) == 2 * DAY


def test_microseconds_are_kept():
    asked = berlin("2026-11-20 21:59:59.123456")
    assert due_at(asked, HOUR, SLEEPER) == berlin("2026-11-21 08:59:59.123456")


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
outages = st.lists(st.tuples(moments, st.integers(0, 900)).map(lambda o: (o[0], o[0] + o[1] * MINUTE)), max_size=3)


def counts(minute: datetime, calendar: Calendar, outages: list[tuple[datetime, datetime]]) -> bool:
    """Whether this minute counts, by looking at the player's clock."""
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
def test_counting_agrees_with_looking_at_the_clock_every_minute(start, minutes, calendar, outages):
    slowly = sum(counts(start + n * MINUTE, calendar, outages) for n in range(minutes))
    assert counted(start, start + minutes * MINUTE, calendar, outages) == slowly * MINUTE


@settings(max_examples=80, deadline=None)
@given(moments, st.integers(1, 2 * 24 * 60), calendars, outages)
def test_somebody_is_due_at_the_end_of_the_last_minute_that_counts(asked, minutes, calendar, outages):
    due, left = asked, minutes
    while left:
        left -= counts(due, calendar, outages)
        due += MINUTE
    assert due_at(asked, minutes * MINUTE, calendar, outages) == due


@given(
    moments,
    st.timedeltas(NONE, 60 * DAY),
    calendars,
    outages,
    st.timedeltas(NONE, DAY),
)
def test_exactly_the_time_allowed_has_passed_when_somebody_is_due(asked, allowed, calendar, outages, later):
    asked += later
    assert counted(asked, due_at(asked, allowed, calendar, outages), calendar, outages) == allowed


def test_nothing_counts_before_the_start():
    assert counted(utc("2026-11-21"), utc("2026-11-20"), SLEEPER) == NONE
    assert counted(utc("2026-11-21"), utc("2026-11-20")) == NONE


# A player's calendar


def test_a_calendar_is_read_and_may_leave_everything_out():
    assert calendar({}, "Asia/Kolkata").counts_always
    assert calendar({"night": None, "days_off": [], "vacations": []}, "UTC") == ALWAYS
    assert calendar({"night": "22:00-08:00", "days_off": [7, 6]}, "Europe/Berlin") == Calendar(
        ZoneInfo("Europe/Berlin"), (time(22), time(8)), frozenset({6, 7})
    )


@pytest.mark.parametrize(
    "night", ["22:00 - 08:00", "22-8", "24:00-08:00", "22:60-08:00", "22:00-08:00Z", "", 22, [], True]
)
def test_a_night_is_written_as_two_times_of_day(night):
    with pytest.raises(ValueError, match="night"):
        calendar({"night": night}, "UTC")


def test_eight_hours_a_day_must_count():
    assert calendar({"night": "18:00-10:00"}, "UTC").night == (time(18), time(10))
    for night in ("18:00-10:01", "08:00-07:59", "08:00-08:00"):
        with pytest.raises(ValueError, match="at least 8 hours"):
            calendar({"night": night}, "UTC")


def test_four_days_a_week_must_count():
    assert calendar({"days_off": [1, 2, 3]}, "UTC").days_off == {1, 2, 3}
    with pytest.raises(ValueError, match="At least 4 days"):
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
def test_a_vacation_goes_from_a_day_to_a_later_one(vacations):
    with pytest.raises(ValueError, match="vacations"):
        calendar({"vacations": vacations}, "UTC")


def test_a_year_has_so_many_days_of_vacation_and_days_named_twice_are_one():
    fortnight = {"from": "2026-12-25", "to": "2027-01-07"}
    week = {"from": "2027-01-04", "to": "2027-01-10"}
    assert len(calendar({"vacations": [week, fortnight]}, "UTC", vacation_days=10).vacations) == 2
    with pytest.raises(ValueError, match="More than 9 days in 2027"):
        calendar({"vacations": [week, fortnight]}, "UTC", vacation_days=9)


def test_an_unknown_field_of_a_calendar_is_refused():
    with pytest.raises(ValueError, match="nights"):
        calendar({"nights": ["22:00-08:00"]}, "UTC")
    with pytest.raises(ValueError, match="calendar"):
        calendar([], "UTC")


@pytest.mark.parametrize(
    "zone", ["Berlin", "europe/berlin", "CEST", "../etc/passwd", "/etc/localtime", "", "Europe", None, 1]
)
def test_a_zone_goes_by_its_iana_name(zone):
    with pytest.raises(ValueError, match="IANA"):
        time_zone(zone)


# A game's clock


def test_a_clock_is_read():
    assert game_clock(DEFAULT_CLOCK) == PerMove(2 * DAY)
    assert game_clock({"bank": "P3D", "increment": "PT12H", "cap": "P5D"}) == Bank(3 * DAY, DAY / 2, 5 * DAY)


@pytest.mark.parametrize(
    ("data", "field"),
    [
        ({}, "bank|cap|increment"),
        ({"per_move": "2 days"}, "per_move"),
        ({"per_move": None}, "per_move"),
        ({"per_move": "P2D", "bank": "P3D"}, "bank"),
        ({"bank": "P3D", "increment": "PT12H"}, "cap"),
        ({"bank": "P6D", "increment": "PT12H", "cap": "P5D"}, "bank"),
        ({"bank": "P3D", "increment": "P6D", "cap": "P5D"}, "increment"),
        ("P2D", "clock"),
        (None, "clock"),
    ],
)
def test_a_clock_that_makes_no_sense_is_refused_by_field(data, field):
    with pytest.raises(ValueError, match=field):
        game_clock(data)


def test_a_clock_per_move_allows_the_same_every_time():
    clock = PerMove(2 * DAY)
    assert first_allowance(clock) == next_allowance(clock, 2 * DAY, DAY) == 2 * DAY


def test_a_bank_keeps_what_is_left_and_adds_the_increment_up_to_its_cap():
    clock = Bank(3 * DAY, DAY / 2, 5 * DAY)
    assert first_allowance(clock) == 3 * DAY
    assert next_allowance(clock, 3 * DAY, DAY) == 2.5 * DAY
    assert next_allowance(clock, 5 * DAY, HOUR) == 5 * DAY


def test_who_used_more_than_his_bank_goes_on_with_the_increment():
    clock = Bank(3 * DAY, DAY / 2, 5 * DAY)
    assert next_allowance(clock, 2 * DAY, 2 * DAY) == DAY / 2
    assert next_allowance(clock, 2 * DAY, 2 * DAY + 6 * HOUR) == DAY / 2


# Reminders


def test_reminders_come_at_half_time_and_three_hours_before():
    asked, due = utc("2026-11-20 12:00"), utc("2026-11-22 12:00")
    assert reminder_times(asked, due) == [utc("2026-11-21 12:00"), utc("2026-11-22 09:00")]


def test_half_the_time_means_half_of_what_counts():
    asked = berlin("2026-11-20 20:00")
    due = due_at(asked, 8 * HOUR, SLEEPER)
    assert reminder_times(asked, due, ["half"], SLEEPER) == [berlin("2026-11-21 10:00")]


def test_a_reminder_by_night_waits_for_the_morning():
    asked, due = berlin("2026-11-20 20:00"), berlin("2026-11-21 14:00")
    assert reminder_times(asked, due, ["PT11H", "PT3H"], SLEEPER) == [
        berlin("2026-11-21 08:00"),
        berlin("2026-11-21 11:00"),
    ]


def test_a_reminder_that_would_wait_past_the_next_one_is_left_out():
    asked, due = berlin("2026-11-20 20:00"), berlin("2026-11-21 10:00")
    assert reminder_times(asked, due, ["PT8H", "PT2H"], SLEEPER) == [berlin("2026-11-21 08:00")]


def test_the_last_reminder_comes_even_by_night():
    asked, due = berlin("2026-11-20 20:00"), berlin("2026-11-21 09:00")
    assert reminder_times(asked, due, ["PT3H"], SLEEPER) == [berlin("2026-11-21 06:00")]


def test_reminders_lie_between_the_question_and_the_due_time_and_each_comes_once():
    asked, due = utc("2026-11-20 12:00"), utc("2026-11-20 18:00")
    assert reminder_times(asked, due, ["PT3H", "half", "PT6H", "P1D"]) == [utc("2026-11-20 15:00")]
    assert reminder_times(asked, due, []) == []


@given(moments, st.timedeltas(MINUTE, 20 * DAY), calendars)
def test_reminders_are_in_order_and_all_but_the_last_come_at_hours_that_count(asked, allowed, calendar):
    due = due_at(asked, allowed, calendar)
    times = reminder_times(asked, due, ["P1D", "half", "PT12H", "PT3H", "PT15M"], calendar)
    assert times == sorted(set(times))
    assert all(asked < moment < due for moment in times)
    assert all(counted(moment, moment + MINUTE, calendar) > NONE for moment in times[:-1])


def test_the_next_reminder_is_never_one_that_has_passed():
    asked, due = utc("2026-11-20 12:00"), utc("2026-11-22 12:00")
    half, last = reminder_times(asked, due)
    assert next_reminder(asked, due, DEFAULT_REMINDERS, ALWAYS, after=asked) == half
    assert next_reminder(asked, due, DEFAULT_REMINDERS, ALWAYS, after=half) == last
    assert next_reminder(asked, due, DEFAULT_REMINDERS, ALWAYS, after=last) is None


def test_thresholds_are_a_short_list_of_durations():
    assert thresholds(["half", "PT3H"]) == ["half", "PT3H"]
    for wrong in (["third"], [3], [None], "half", None, 6 * ["PT3H"], {"half": 1}):
        with pytest.raises(ValueError, match="reminders"):
            thresholds(wrong)


# What a time-out does

USUAL = (Extend(DAY, 1), BotMove("greedy", 2), BotTakesOver("greedy"))


def test_the_usual_ladder_extends_then_lets_a_bot_move_then_hands_the_seat_over():
    assert ladder(DEFAULT_LADDER, BOTS) == USUAL
    assert rung_for(USUAL, extended=0, missed=0) == Extend(DAY, 1)
    assert rung_for(USUAL, extended=1, missed=0) == BotMove("greedy", 2)
    assert rung_for(USUAL, extended=1, missed=1) == BotMove("greedy", 2)
    assert rung_for(USUAL, extended=1, missed=2) == BotTakesOver("greedy")


def test_who_moves_again_is_first_helped_by_a_bot_again_but_not_by_an_extension():
    assert rung_for(USUAL, extended=1, missed=0) == BotMove("greedy", 2)


def test_rungs_of_one_kind_are_used_up_one_after_the_other():
    rungs = (Extend(DAY, 1), BotMove("greedy", 1), Extend(HOUR, 2), BotMove("random", 1), Abandon())
    assert rung_for(rungs, extended=1, missed=1) == Extend(HOUR, 2)
    assert rung_for(rungs, extended=3, missed=1) == BotMove("random", 1)
    assert rung_for(rungs, extended=3, missed=2) == Abandon()


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        ([], "1 to 10"),
        (None, "list"),
        ([{"do": "abandon"}, {"do": "abandon"}], "only the last"),
        ([{"do": "extend", "by": "P1D", "times": 1}], "The last step"),
        ([{"do": "wait"}], "do"),
        ([{}], "do"),
        (["abandon"], "do"),
        ([{"do": ["abandon"]}], "do"),
        ([{"do": "abandon", "bot": "greedy"}], "bot"),
        ([{"do": "bot-takes-over"}], "bot"),
        ([{"do": "bot-takes-over", "bot": "skynet"}], "one of greedy, random"),
        ([{"do": "bot-takes-over", "bot": []}], "one of greedy, random"),
        ([{"do": "extend", "by": "P1D", "times": 0}, {"do": "abandon"}], "times"),
        ([{"do": "extend", "by": "P1D", "times": True}, {"do": "abandon"}], "times"),
        ([{"do": "extend", "by": "P1D"}, {"do": "abandon"}], "times"),
        ([{"do": "extend", "by": "soon", "times": 1}, {"do": "abandon"}], "by"),
        (11 * [{"do": "abandon"}], "1 to 10"),
    ],
)
def test_a_ladder_that_makes_no_sense_is_refused(data, complaint):
    with pytest.raises(ValueError, match=complaint):
        ladder(data, BOTS)


def test_whoever_leaves_is_followed_by_the_bot_that_the_ladder_names_last():
    assert bot_of((BotMove("random", 1), Abandon())) == "random"
    assert bot_of(USUAL) == bot_of((Abandon(),)) == "greedy"
