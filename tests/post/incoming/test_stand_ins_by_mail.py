"""Stand-ins by email: requested and ended by a line in the reader's language."""

import re
from datetime import date, timedelta
from html import unescape
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from server.accounts.players import change_profile
from server.clock import clock
from server.errors import BadField
from server.play.seating.stand_ins import Wish, accept_stand_in, ask_stand_in, stand_in_of
from server.post.desk.days import days_in
from server.post.incoming.answering import deal_with_mails
from tests.post.incoming.replying import ada_writes
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.games import game_of, happened, moves_on, person
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
        words = " ".join(words.split())
        assert ("The seat will show both names" in words) is not nameless
        assert ("sees your name only after the game ends" in words) is nameless


def test_a_stand_in_request_says_what_to_expect_and_shows_the_public_table(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    change_profile(ada, {"name": "Ada", "zone": "Europe/Zurich"})
    first, last = (str((clock.now() + timedelta(days=days)).date()) for days in (1, 4))
    with pytest.raises(BadField):
        ask_stand_in(game_id, ada, Wish(first, last, email="dan@example.org", greeting="See example.com"))
    ask_stand_in(game_id, ada, Wish(first, last, email="dan@example.org", greeting="I'm off to the sea!\nAda"))
    [mail] = office.mails("dan")
    assert "“I'm off to the sea!\nAda”" in mail.text
    for words in (mail.text, unescape(mail.page)):
        assert "I'm off to the sea!" in words
        assert "– Ada" not in words, "The message is signed."
        assert words.count("00:00 (Europe/Zurich, UTC+") == words.count("23:59 (Europe/Zurich, UTC+") == 1
        assert "Expect about 4 turns" in words
    assert [it.get_content_type() for it in mail.message.walk()].count("image/png") == 1
    ask_stand_in(game_id, ada, Wish(first, last, email="dan@example.org"))
    assert len(office.mails("dan")) == 1, "A repeated request without a message changes nothing."


def test_emails_to_a_stand_in_say_for_whom_they_play(office: Office, game_id: UUID, ada: UUID, bea: UUID) -> None:
    today = clock.now().date().isoformat()
    ask_stand_in(game_id, ada, Wish(today, today, email="dan@example.org"))
    accept_stand_in(word_of(game_id), person("dan"))
    said = "You're playing for ada until"
    *_, turn = office.mails("dan")
    assert turn.subject == "Your turn: Sternenhimmel"
    assert turn.text.count(said) == unescape(turn.page).count(said) == 1
    began = office.mails("dan")[-2]
    assert 'To end this stand-in, you can also reply "stand-in off".' in began.text
    moves_on(game_id, person("dan"))
    arrives(began.reply_to, a_mail("stand-in off", sender="dan@example.org"))
    deal_with_mails()
    assert happened(game_id)[-1] == "stand-in-ended"
    assert not any(said in mail.text for name in ("ada", "bea") for mail in office.mails(name))


def declines(app: Flask, office: Office, game_id: UUID, mail: Mail) -> None:
    browser, word = app.test_client(), word_of(game_id)
    assert "No, thanks" in browser.get(f"/s/{word}").text
    assert browser.post(f"/s/{word}/no", headers={"Origin": "https://evil.example"}).status_code == 404
    assert "The player who asked gets an email." in browser.post(f"/s/{word}/no").text
    assert browser.post(f"/s/{word}/no").status_code == 303


def declines_by_mail(app: Flask, office: Office, game_id: UUID, mail: Mail) -> None:
    for _ in range(2):
        arrives(mail.reply_to, a_mail("No, sorry", sender=mail.to))
        deal_with_mails()
    [told] = office.mails_to(mail.to)[1:]
    assert told.subject == "Invitation declined: Sternenhimmel"
    assert "You've declined to stand in" in " ".join(told.text.split())


@pytest.mark.parametrize("way", [declines, declines_by_mail])
@pytest.mark.parametrize("whom", ["player", "address"])
def test_a_stand_in_request_can_be_declined_and_the_player_who_asked_hears_of_it(
    app: Flask, office: Office, game_id: UUID, ada: UUID, way: Any, whom: str
) -> None:
    today = clock.now().date().isoformat()
    asked = {"player": person("dan")} if whom == "player" else {"email": "new@example.net"}
    ask_stand_in(game_id, ada, Wish(today, today, **asked))
    [mail] = office.mails_to("dan@example.org" if whom == "player" else "new@example.net")
    way(app, office, game_id, mail)
    assert stand_in_of(game_id, ada) is None
    [told] = [it for it in office.mails("ada") if "can't play for you" in it.text]
    who = "dan" if whom == "player" else "new@example.net"
    assert f"{who} can't play for you from" in " ".join(told.text.split())


def test_a_stand_in_accepts_by_reply_and_then_declines_only_at_the_table(
    office: Office, game_id: UUID, ada: UUID
) -> None:
    today = clock.now().date().isoformat()
    ask_stand_in(game_id, ada, Wish(today, today, email="new@example.net"))
    [mail] = office.mails_to("new@example.net")
    assert "Or reply with one word on its own line: yes or no." in mail.text
    for sender, text in (("eve@example.net", "yes"), (mail.to, "maybe"), (mail.to, "yes"), (mail.to, "no")):
        arrives(mail.reply_to, a_mail(text, sender=sender))
        deal_with_mails()
    assert happened(game_id).count("stand-in-began") == 1
    assert [
        it.subject.partition(":")[0] for it in office.mails_to(mail.to) if it.subject.startswith(("You're", "Please"))
    ] == [
        "Please check",
        "Please check",
        "You're in",
        "Please check",
    ]
