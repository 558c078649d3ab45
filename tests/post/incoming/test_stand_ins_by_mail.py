"""Stand-ins by email: requested and ended by a line in the reader's language."""

import re
from datetime import date, timedelta
from uuid import UUID

import pytest

from server.accounts.players import change_profile
from server.clock import clock
from server.play.seating.stand_ins import Wish, accept_stand_in, ask_stand_in, stand_in_of
from server.post.desk.arguments import days_in
from tests.post.incoming.replying import ada_writes
from tests.post.office import Office
from tests.support.games import game_of, happened, person
from tests.support.stand_ins import word_of

pytestmark = pytest.mark.usefixtures("within")


def confirming(text: str) -> str:
    """The line that this answer asks for."""
    found = re.search(r"^ *(\w+ [a-z0-9-]{8,})$", text, re.MULTILINE)
    assert found, text
    return found[1]


@pytest.mark.parametrize("how", ["{0:%Y-%m-%d}..{1:%Y-%m-%d}", "{0.day}.{0.month}.-{1.day}.{1.month}."])
def test_a_stand_in_request_is_sent_once_after_confirmation(office: Office, game_id: UUID, ada: UUID, how: str) -> None:
    first, last = (clock.now() + timedelta(days=days) for days in (2, 9))
    office.mails("ada")
    line = f"stand-in dan@example.org {how.format(first, last)}"
    answer = ada_writes(office, line)
    assert line in answer.text
    assert stand_in_of(game_id, ada) is None
    assert "We've asked" in " ".join(ada_writes(office, confirming(answer.text)).text.split())
    asked = stand_in_of(game_id, ada)
    assert asked and (asked["from"].date(), asked["until"].date()) == (first.date(), (last + timedelta(days=1)).date())
    assert any("/s/" in mail.text for mail in office.mails("dan"))


@pytest.mark.parametrize(
    ("first", "last", "days"),
    [
        ("1.7.", "14.7.", "2026-07-01 2026-07-14"),  # they have begun
        ("1.6.", "4.7.", "2027-06-01 2027-07-04"),
        ("28.12.", "3.1.", "2026-12-28 2027-01-03"),
        ("28.6.", "5.7.", "2026-06-28 2026-07-05"),
        ("20.6.2027", "4.7.", "2027-06-20 2027-07-04"),
        ("20.12.2026", "4.1.", "2026-12-20 2027-01-04"),
        ("1.8.", "14.8.2027", "2027-08-01 2027-08-14"),
    ],
)
def test_dates_without_a_year_mean_the_next_period_that_has_not_ended(first: str, last: str, days: str) -> None:
    assert [str(day) for day in days_in(f"{first}..{last}", date(2026, 7, 5))] == days.split()


def test_german_commands_request_and_end_a_stand_in(office: Office, game_id: UUID, ada: UUID) -> None:
    today = clock.now().date()
    change_profile(ada, {"locale": "de"})
    office.mails("ada")
    ada_writes(office, confirming(ada_writes(office, f"Vertretung dan@example.org {today}..{today}").text))
    accept_stand_in(word_of(game_id), person("dan"))
    assert "spielt jetzt" not in ada_writes(office, "Vertretung aus").text
    assert happened(game_id)[-1] == "stand-in-ended"


def test_our_reply_to_an_impossible_stand_in_request_gives_the_reason(office: Office, game_id: UUID, ada: UUID) -> None:
    office.mails("ada")
    for days, why in (
        ("31.2.-1.3.", "This date doesn't exist: 31.2. "),
        ("2027-07-14..2027-07-01", "is before the first"),
    ):
        answer = ada_writes(office, f"stand-in dan@example.org {days}")
        assert why in " ".join(ada_writes(office, confirming(answer.text)).text.split())
    assert stand_in_of(game_id, ada) is None


@pytest.mark.parametrize("nameless", [False, True])
def test_a_stand_in_learns_whether_their_name_will_be_shown(office: Office, nameless: bool) -> None:
    people = [person(name) for name in ("ada", "bea")]
    game_id = game_of(*people, bots=1, options={"start_seat": 0, "nameless": nameless})
    today = clock.now().date().isoformat()
    ask_stand_in(game_id, people[0], Wish(today, today, email="dan@example.org"))
    (mail,) = office.mails("dan")
    for words in (mail.text, mail.page):
        assert ("The seat will show both names" in words) is not nameless
        assert ("sees your name only after the game ends" in words) is nameless
