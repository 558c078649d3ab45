"""Vacations by email: days as people write them, and the line that we offer for days that can't be right."""

from datetime import date, timedelta

import pytest

from server.accounts.players import change_profile, profile
from server.clock import clock
from server.post.desk.arguments import Unclear
from server.post.desk.days import days_in
from server.post.desk.reading import commands_beside_table, read_line
from server.translations import language
from server.translations.times import day
from tests.post.desk.test_proof import ann_joins
from tests.post.desk.writing import Correspondent

ENGLISH = language("en")
TODAY = date(2026, 11, 29)  # a Sunday
CHRISTMAS, DECEMBER, WEEK = "2026-12-24..2027-01-02", "2026-12-03..2026-12-10", "2026-11-30..2026-12-06"


@pytest.mark.parametrize(
    ("locale", "text", "days"),
    [
        ("en", "24 Dec to 2 Jan", CHRISTMAS),
        ("en", "December 24th - January 2nd", CHRISTMAS),
        ("en", "Thu 24 Dec 2026 until 2 Jan 2027", CHRISTMAS),
        ("en", "12/24 - 1/2", CHRISTMAS),
        ("en", "24/12 to 2/1", CHRISTMAS),
        ("de", "24.12.26 – 2.1.27", CHRISTMAS),
        ("de", "vom 24.12. bis zum 2.1.", CHRISTMAS),
        ("fr", "du 24 décembre au 2 janvier 2027", CHRISTMAS),
        ("it", "dal 24 dicembre al 2 gennaio", CHRISTMAS),
        ("en", "from 3.12. to 10.12.", DECEMBER),
        ("en", "between 3 and 10 December", DECEMBER),
        ("en", "Dec 3-10", DECEMBER),
        ("de", "vom 3. bis 10. Dezember", DECEMBER),
        ("fr", "du 3 au 10 décembre", DECEMBER),
        ("it", "mar 3 dic - gio 10 dic", DECEMBER),
        ("en", "2026-12-03-2026-12-10", DECEMBER),
        ("en", "next week", WEEK),
        ("de", "nächste Woche", WEEK),
        ("fr", "la semaine prochaine", WEEK),
        ("it", "la prossima settimana", WEEK),
        ("en", "from tomorrow for 7 days", WEEK),
        ("en", "on Monday for a week", WEEK),
        ("de", "ab Montag eine Woche", WEEK),
        ("fr", "à partir de lundi pour une semaine", WEEK),
        ("en", "until Monday", "2026-11-29..2026-11-30"),
        ("de", "bis Montag", "2026-11-29..2026-11-30"),
        ("fr", "jusqu’à lundi", "2026-11-29..2026-11-30"),
        ("it", "fino a lunedì", "2026-11-29..2026-11-30"),
        ("it", "da lunedì a venerdì", "2026-11-30..2026-12-04"),
        ("en", "next weekend", "2026-12-05..2026-12-06"),
        ("en", "the day after tomorrow", "2026-12-01..2026-12-01"),
        ("en", "24 December", "2026-12-24..2026-12-24"),
        ("en", "28 to 3 January", "2026-12-28..2027-01-03"),
    ],
)
def test_days_may_be_written_as_people_write_them(locale: str, text: str, days: str) -> None:
    first, last = days_in(text, TODAY, locale)
    assert f"{first}..{last}" == days


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("10.12. to 3.12.", DECEMBER),
        ("2026-12-10..2026-12-03", DECEMBER),
        ("from 10 to 3 December", DECEMBER),
        ("24.12.2026 to 2.1.2026", CHRISTMAS),
        ("2025-12-24..2026-01-02", CHRISTMAS),
        ("31 November to 5 December", "2026-11-30..2026-12-05"),
        ("29.2.2027 to 5.3.2027", "2027-02-28..2027-03-05"),
        ("12.24. to 1.2.", "2026-12-24..2027-02-01"),
        ("7/1 to 7/8", "2027-07-01..2027-07-08"),
        ("from 24 Dec", "2026-12-24..2027-01-06"),
        ("when I like", ""),
        ("3", ""),
        ("0000-01-01..0000-01-02", ""),
    ],
)
def test_days_that_cannot_be_right_suggest_those_that_were_meant(text: str, meant: str) -> None:
    with pytest.raises(Unclear) as error:
        days_in(text, TODAY, "en")
    assert error.value.meant == meant


@pytest.mark.parametrize(
    ("line", "locale"),
    [("away 24 Dec to 2 Jan", "en"), ("Holiday next week!", "de"), ("Ferien vom 3. bis 10. Dezember", "de")]
    + [("absente la semaine prochaine", "fr"), ("Ferie dal 3 al 10 dicembre.", "it")],
)
def test_several_words_announce_a_vacation_to_the_desk_and_in_a_reply_to_a_game(line: str, locale: str) -> None:
    asked = read_line(line, locale)
    assert asked and asked.command == "vacation"
    assert [it.command for it in commands_beside_table([line], locale, "sternenhimmel")] == ["vacation"]


def test_a_vacation_is_taken_or_the_probable_one_is_offered(ann: Correspondent) -> None:
    ann_id = ann_joins(ann)
    first, last = (clock.now().date() + timedelta(days=days) for days in (10, 20))
    told = ann.asks(f"Away from {first.day}.{first.month}. to {last.day}.{last.month}.").text
    assert f"from {day(first, ENGLISH)} to {day(last, ENGLISH)}" in " ".join(told.split())
    alone = last + timedelta(days=7)
    assert f"Your clock stops on {day(alone, ENGLISH)}." in ann.asks(f"vacation {alone}..{alone}").text
    asked = ann.asks(f"vacation {last}..{first}").text
    line = f"vacation {first}..{last}"
    assert f'before the first. Did you mean "{line}"? Then reply with that line.' in " ".join(asked.split())
    ann.asks("yes")
    taken = profile(ann_id)["calendar"]["vacations"]
    assert taken == [{"from": str(alone), "to": str(alone)}, {"from": str(first), "to": str(last)}]
    cancelled = ann.asks("vacation off").text
    assert "Your vacations are cancelled." in cancelled and "runs again" not in cancelled
    assert profile(ann_id)["calendar"]["vacations"] == []


def test_a_vacation_that_has_begun_can_be_ended(ann: Correspondent) -> None:
    ann_id = ann_joins(ann)
    change_profile(ann_id, {"locale": "de"})
    today = clock.now().date()
    told = " ".join(ann.asks(f"urlaub {today}..{today + timedelta(days=9)}").text.split())
    assert "Um ihn abzusagen, antworte „urlaub aus“." in told
    assert "Ab morgen läuft deine Uhr wieder." in ann.asks("Urlaub aus!").text
    assert profile(ann_id)["calendar"]["vacations"] == [{"from": str(today), "to": str(today)}]
