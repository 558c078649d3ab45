"""Letters of the ready check: the question, its answers, and what happens if a player stays silent."""

import re
from uuid import UUID

import pytest
from flask import Flask

from server.accounts.players import change_profile
from server.games import Json
from server.operations.exports import copy_of_player
from server.play.commits import load
from server.play.seating.games import open_game
from server.play.seating.seats import leave, ready, take_seat
from server.play.talk.chat import messages
from server.post.incoming.answering import deal_with_mails
from tests.post.incoming.replying import DOMAIN
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.games import BOT, DAY, ME, OPEN, everything_due_happens, later, moves_of, wanted

pytestmark = pytest.mark.usefixtures("within")

CHECK: Json = {"start_seat": 0, "ready_check": {"within": "P2D"}}


@pytest.fixture
def office(app: Flask) -> Office:
    return Office(app, DOMAIN)


@pytest.fixture
def game_id(ada: UUID, bea: UUID) -> UUID:
    game_id = open_game(ada, wanted(ME, OPEN, BOT, options=CHECK)).game_id
    take_seat(game_id, bea)
    return game_id


def asked(office: Office, name: str) -> Mail:
    mail = office.mails(name)[-1]
    assert "all seats are taken. Are you ready?" in mail.text
    assert mail.text.startswith("##- Reply above this line: ready\n")
    return mail


def writes(office: Office, name: str, text: str) -> Mail:
    arrives(asked(office, name).reply_to, a_mail(text, sender=f"{name}@example.org"))
    deal_with_mails()
    return office.mails(name)[-1]


def test_players_are_asked_by_email_whether_they_are_ready_and_reply_in_their_languages(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    told = " ".join(asked(office, "ada").text.split())
    assert re.search("by .+, or your seat will be free again. You have 2 days left", told)
    assert "You're ready. The game will start as soon as everyone is ready." in writes(office, "ada", "Ready!").text
    assert load(game_id).table.status == "open"
    assert "The game has started." in writes(office, "bea", "ready\n\nBea").text
    assert load(game_id).table.status == "running"


def test_a_reply_before_a_game_without_a_state_begins_is_answered(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, rules="sternenglanz", options=CHECK)).game_id
    take_seat(game_id, bea)
    assert "You're ready. The game will start as soon as everyone is ready." in writes(office, "ada", "ready").text


def test_one_click_confirms_that_a_player_is_ready_but_viewing_the_page_does_not(
    app: Flask, office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    links = [re.search(r"/ready/\w+", asked(office, name).text) for name in ("ada", "bea")]
    paths = [link[0] for link in links if link]
    client = app.test_client()
    for path in paths:
        assert "All seats are taken. Are you ready?" in client.get(path).text
    assert load(game_id).table.status == "open"
    assert "The game starts as soon as everyone is ready." in client.post(paths[0]).text
    assert "There's nothing to confirm" in client.get(paths[0]).text
    assert [client.post(paths[1]).status_code for _ in range(2)] == [200, 200]
    assert load(game_id).table.status == "running"
    assert client.get(paths[0].upper()).status_code == 404


def test_a_ready_link_works_only_for_its_recipient(
    app: Flask, office: Office, game_id: UUID, bea: UUID, cyd: UUID
) -> None:
    link = re.search(r"/ready/\w+", asked(office, "bea").text)
    leave(game_id, bea)
    take_seat(game_id, cyd)
    assert link
    assert app.test_client().post(link[0]).status_code == 404
    assert load(game_id).table.status == "open"


def test_players_who_are_not_ready_get_a_reminder_and_can_reply_to_it(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    writes(office, "bea", "ready")
    later(DAY)
    everything_due_happens()
    reminder = office.mails("ada")[-1]
    assert "ada, are you ready? We're still waiting for you." in reminder.text
    assert "List-Unsubscribe" in reminder.message
    assert "still waiting for you" not in office.mails("bea")[-1].text
    arrives(reminder.reply_to, a_mail("ready", sender="ada@example.org"))
    deal_with_mails()
    assert load(game_id).table.status == "running"


@pytest.mark.parametrize(("choice", "told"), [("off", False), ("bundled", True)])
def test_a_reminder_of_a_ready_check_is_sent_as_its_reader_chose(
    office: Office, ada: UUID, bea: UUID, choice: str, told: bool
) -> None:
    change_profile(ada, {"notifications": {"mails": {"reminder": choice}}})
    options = CHECK | {"ready_check": {"within": "P5D"}}
    take_seat(open_game(ada, wanted(ME, OPEN, BOT, options=options)).game_id, bea)
    later(5 * DAY / 2)
    everything_due_happens()
    office.mails("ada")
    later(DAY)
    assert ("that you're ready" in " ".join(office.mails("ada")[-1].text.split())) == told


def test_an_email_tells_all_players_whose_seat_is_open_again(office: Office, game_id: UUID, ada: UUID) -> None:
    writes(office, "ada", "ready")
    later(2 * DAY)
    everything_due_happens()
    assert "ada, the game hasn't started. Not everyone was ready in time." in office.mails("ada")[-1].text
    assert "Free again: bea." in office.mails("ada")[-1].text
    assert "bea, you didn't confirm in time, so your seat is free again." in office.mails("bea")[-1].text


def test_players_who_are_already_ready_are_not_asked(app: Flask, office: Office, ada: UUID, bea: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, BOT, options=CHECK)).game_id
    take_seat(game_id, bea)
    ready(game_id, bea)
    assert asked(office, "ada")
    assert office.mails("bea") == []


@pytest.mark.parametrize(
    "line", ["resign", "pause", "resume", "undo", "agree", "plan", "plan 7 leo c", "say Hello", "?", "7 leo c"]
)
def test_a_ready_check_reply_without_a_confirmation_also_gets_a_reply(
    office: Office, game_id: UUID, ada: UUID, line: str
) -> None:
    asked(office, "ada")
    answer = writes(office, "ada", line)
    assert answer.message["Auto-Submitted"] == "auto-replied"
    if line == "resign":
        confirming = re.search("confirm [0-9a-f]{10}", answer.text)
        assert confirming
        arrives(answer.reply_to, a_mail(confirming[0]))
        deal_with_mails()
        assert "The game hasn't started. You can leave your seat at the table." in office.mails("ada")[-1].text
    assert load(game_id).table.status == "open"
    assert load(game_id).seats[0].player_id == ada


def test_ready_in_a_running_game_does_not_prevent_a_move(office: Office, game_id: UUID, ada: UUID, bea: UUID) -> None:
    for name in ("ada", "bea"):
        writes(office, name, "ready")
    move = moves_of(game_id, ada)[0]
    turn = [mail for mail in office.mails("ada") if "it's your turn" in mail.text.lower()][-1]
    arrives(turn.reply_to, a_mail(f"ready\n\n{move['star']} {move['board']} {move['space']}"))
    deal_with_mails()
    assert load(game_id).version == 2


def test_a_former_players_email_address_and_code_are_hidden_from_the_next_player(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    earlier = asked(office, "bea")
    arrives(earlier.reply_to, a_mail("say Good evening!", sender="bea@home.example"))
    deal_with_mails()
    word = re.search(r"confirm \w+", office.mails("bea")[-1].text)
    leave(game_id, bea)
    take_seat(game_id, cyd)
    before = office.mails("cyd")
    assert word
    for line in ("ready", word[0]):
        arrives(earlier.reply_to, a_mail(line, sender="bea@example.org"))
        deal_with_mails()
    assert office.mails("cyd") == before
    assert not load(game_id).seats[1].ready
    assert messages(game_id, 0, 9) == []
    assert "bea@example.org" not in str(copy_of_player(cyd)["mails"])


def test_an_email_tells_players_of_an_anonymous_game_in_their_languages_which_seats_are_free(
    office: Office, ada: UUID, bea: UUID
) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, BOT, options=CHECK | {"nameless": True})).game_id
    take_seat(game_id, bea)
    change_profile(ada, {"locale": "it"})
    ready(game_id, ada)
    later(2 * DAY)
    everything_due_happens()
    told = office.mails("ada")[-1].text
    assert "Posto 2" in told, told
