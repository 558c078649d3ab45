"""The chat in emails: each shows what other players have written since the previous one."""

import re
from collections.abc import Iterator
from uuid import UUID

import pytest
from flask import Flask

from server.accounts.blocks import block
from server.accounts.players import change_profile
from server.clock import clock
from server.operations.delete_player import delete_player
from server.play.seating.seats import change_seat
from server.play.talk.chat import messages, say
from server.play.talk.notes import keep_note
from server.play.votes import vote
from server.post.incoming.answering import deal_with_mails
from server.post.incoming.html_text import lines_of_page
from server.post.incoming.quotes import SAID
from server.post.letters.chat import LONGEST, MOST, WIDTH
from server.store.watching import note_left, note_watching
from tests.post.incoming.replying import DOMAIN, a_move, ada_writes
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.contract import Someone
from tests.support.games import DAY, HOUR, MINUTE, game_of, head_of, later, moves_on, turn_of

pytestmark = pytest.mark.usefixtures("within")


@pytest.fixture
def office(app: Flask) -> Office:
    return Office(app, DOMAIN)


@pytest.fixture
def game_id(ada: UUID, bea: UUID, cyd: UUID) -> UUID:
    """A game in which Bea begins, then Cyd, then Ada."""
    return game_of(bea, cyd, ada)


def said_in(mail: Mail) -> list[str]:
    """Return the messages that an email shows, from either of its parts."""
    text = [line.removeprefix(SAID).strip() for line in mail.text.splitlines() if line.startswith(SAID)]
    page = [line.text.removeprefix(SAID).strip() for line in lines_of_page(mail.page) if SAID in line.text]
    assert page == text
    return list(_whole(text))


def _whole(lines: list[str]) -> Iterator[str]:
    found = ""
    for line in lines:
        if re.match(r"(?:ada|bea|cyd|Seat \d): ", line) and found:
            yield found
            found = ""
        found = f"{found} {line}".strip()
    if found:
        yield found


def newest(office: Office, name: str) -> Mail:
    return office.mails(name)[-1]


def all_move(game_id: UUID, *players: UUID) -> None:
    for who in players:
        later(MINUTE)
        moves_on(game_id, who)
        later(MINUTE)


def test_each_email_shows_the_messages_since_the_previous_one(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    say(game_id, bea, "Good evening!")
    say(game_id, ada, "Hello, Bea.")
    all_move(game_id, bea, cyd)
    turn = newest(office, "ada")
    assert said_in(turn) == ["bea: Good evening!"]
    assert "To reply in the chat, begin a line with “say”." in turn.text
    assert "begin a line with “say”" in turn.page
    later(MINUTE)
    say(game_id, cyd, "That was my best move.")
    answer = ada_writes(office, f"{a_move(game_id, ada)}\nsay Well done.")
    assert said_in(answer) == ["cyd: That was my best move."]
    all_move(game_id, bea, cyd)
    assert said_in(newest(office, "ada")) == []
    assert "Chat" not in newest(office, "ada").text + newest(office, "ada").page
    assert [said_in(mail) for mail in office.mails("bea")] == [
        ["ada: Hello, Bea.", "cyd: That was my best move.", "ada: Well done."]
    ]


def test_an_email_shows_the_newest_messages_shortened_and_in_short_lines(
    office: Office, game_id: UUID, bea: UUID, cyd: UUID
) -> None:
    for number in range(MOST + 2):
        say(game_id, bea, f"{number}. " + "<b>quite</b>\n\n" * 50)
    say(game_id, cyd, "漢字" * 60)
    all_move(game_id, bea, cyd)
    mail = newest(office, "ada")
    said = said_in(mail)
    assert [it.split()[1] for it in said[:-1]] == [f"{number}." for number in range(3, MOST + 2)]
    assert all(len(it) <= LONGEST + len("bea: ") and it.endswith("…") for it in said[:-1])
    lines = [line for line in mail.text.splitlines() if line.startswith(SAID)]
    assert max(map(len, lines)) <= WIDTH
    assert max(len(line) for line in lines if "漢" in line) <= WIDTH // 2
    assert f"3 earlier messages: http://127.0.0.1:8000/#/games/{game_id}" in mail.text
    assert "3 earlier messages</a>" in mail.page
    assert "<b>" not in mail.page


def test_addresses_in_the_chat_become_no_links(office: Office, game_id: UUID, bea: UUID, cyd: UUID) -> None:
    say(
        game_id, bea, "See https://evil.example/x or www.evil.example or bob@evil.example, 10.0.0.1, tel:+49 1. Ok? 7.5"
    )
    all_move(game_id, bea, cyd)
    mail = newest(office, "ada")
    (said,) = said_in(mail)
    assert not re.search(r"\w[.][^\W\d]|//|@\w|\w:\w|:[+]|\d[.]\d+[.]\d", said)
    assert "evil" not in "".join(re.findall('href="[^"]*"', mail.page)) + str(mail.message.items())
    assert said.endswith("Ok? 7.5")


def test_an_email_shows_no_messages_that_its_reader_does_not_want_to_read(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    say(game_id, bea, "From Bea.")
    say(game_id, cyd, "From Cyd.")
    block(ada, cyd)
    all_move(game_id, bea)
    assert said_in(newest(office, "cyd")) == ["bea: From Bea."]
    keep_note(game_id, ada, {"muted": True})
    all_move(game_id, cyd)
    assert said_in(newest(office, "ada")) == []
    keep_note(game_id, ada, {"muted": False})
    say(game_id, bea, "From Bea again.")
    say(game_id, cyd, "From Cyd again.")
    all_move(game_id, ada, bea, cyd)
    assert said_in(newest(office, "ada")) == ["bea: From Bea again."]


def test_an_email_shows_no_messages_of_deleted_accounts(office: Office, game_id: UUID, bea: UUID, cyd: UUID) -> None:
    say(game_id, bea, "From Bea.")
    all_move(game_id, bea)
    delete_player(bea)
    all_move(game_id, cyd)
    assert said_in(newest(office, "ada")) == []


def test_an_anonymous_game_shows_messages_by_seat_even_of_blocked_players(
    office: Office, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    game_id = game_of(bea, cyd, ada, options={"start_seat": 0, "nameless": True})
    block(ada, cyd)
    say(game_id, bea, "Who is that?")
    say(game_id, cyd, "Nobody.")
    all_move(game_id, bea, cyd)
    assert said_in(newest(office, "ada")) == ["Seat 1: Who is that?", "Seat 2: Nobody."]
    assert not re.search(r"\b(?:bea|cyd)\b", newest(office, "ada").text + newest(office, "ada").page, re.IGNORECASE)


def test_a_bundle_shows_the_chat_of_each_waiting_game_once(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    mails = {"your-turn": "bundled", "message": "off"}
    change_profile(ada, {"notifications": {"mails": mails, "bundle_at": ["08:00"]}})
    say(game_id, bea, "See you on Sunday.")
    all_move(game_id, bea, cyd)
    say(game_id, bea, "Or on Monday.")
    assert office.mails("ada") == []
    later(DAY)
    bundle = newest(office, "ada")
    assert bundle.subject == "Your turn: Sternenhimmel"
    assert said_in(bundle) == ["bea: See you on Sunday."]
    other = game_of(ada, bea, cyd, title="Another")
    office.delivers()
    later(DAY)
    assert "Another" in newest(office, "ada").text
    assert said_in(newest(office, "ada")) == []
    all_move(game_id, ada, bea, cyd)
    office.delivers()
    later(DAY)
    assert said_in(newest(office, "ada")) == ["bea: Or on Monday."]
    assert turn_of(other, ada) is not None


def test_a_bundle_repeats_no_messages_of_an_email_about_the_same_turn(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    change_profile(ada, {"notifications": {"mails": {"your-turn": "at-once"}, "bundle_at": ["08:00"]}})
    say(game_id, bea, "See you on Sunday.")
    all_move(game_id, bea, cyd)
    assert said_in(newest(office, "ada")) == ["bea: See you on Sunday."]
    other = game_of(bea, ada, cyd, title="Another")
    change_seat(other, ada, {"mails": "bundled"})
    say(other, bea, "Or on Monday.")
    all_move(other, bea)
    office.delivers()
    later(DAY)
    bundle = newest(office, "ada")
    assert bundle.subject == "Your turn in 2 games"
    assert said_in(bundle) == ["bea: Or on Monday."]


def test_the_email_about_the_end_shows_the_chat(office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID) -> None:
    change_profile(ada, {"locale": "de"})
    while head_of(game_id).table.status == "running":
        later(MINUTE)
        say(game_id, bea, f"Nummer {head_of(game_id).version}.")
        moves_on(game_id, next(who for who in (bea, cyd, ada) if turn_of(game_id, who) is not None))
    mail = newest(office, "ada")
    assert said_in(mail)[-1] == f"bea: Nummer {head_of(game_id).version - 1}."
    assert "\nChat seit unserer letzten E-Mail:\n" in mail.text


# Emails about the chat alone


def about_chat(office: Office, name: str) -> list[Mail]:
    return [mail for mail in office.mails(name) if mail.subject.startswith("New in the chat")]


def test_a_player_who_has_not_seen_the_chat_gets_it_by_email_after_a_while_and_can_reply(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    say(game_id, bea, "Good evening!")
    later(11 * MINUTE)
    say(game_id, cyd, "Hello!")
    assert about_chat(office, "ada") == []
    later(2 * MINUTE)
    [mail] = about_chat(office, "ada")
    assert mail.subject == "New in the chat: Sternenhimmel"
    assert said_in(mail) == ["bea: Good evening!", "cyd: Hello!"]
    assert mail.text.startswith("##- Reply above this line: say and your message")
    assert mail.message["List-Unsubscribe"]
    arrives(mail.reply_to, a_mail("say Good morning."))
    deal_with_mails()
    assert messages(game_id, 2, 9)[0]["text"] == "Good morning."
    all_move(game_id, bea, cyd)
    assert said_in(newest(office, "ada")) == []  # each message is shown once


def test_emails_about_the_chat_of_a_game_are_an_hour_apart(office: Office, game_id: UUID, bea: UUID) -> None:
    for number in range(4):
        say(game_id, bea, f"{number}.")
        later(20 * MINUTE)
        office.delivers()
    later(HOUR)
    assert [said_in(mail) for mail in about_chat(office, "ada")] == [["bea: 0."], ["bea: 1.", "bea: 2.", "bea: 3."]]


def test_no_email_about_the_chat_is_sent_to_players_who_have_seen_it(
    app: Flask, office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    note_watching([(game_id, ada)], clock.now() + MINUTE)
    say(game_id, bea, "Seen while at the table.")
    note_left([(game_id, ada)])
    later(HOUR)
    assert about_chat(office, "ada") == []
    for has_seen in (
        lambda: note_watching([(game_id, ada)], clock.now() + MINUTE),
        lambda: Someone(app, "ada").get(f"/v1/games/{game_id}/messages"),
    ):
        later(HOUR)
        say(game_id, bea, "Seen before the email.")
        later(5 * MINUTE)
        has_seen()
        later(HOUR)
        assert about_chat(office, "ada") == []
    say(game_id, bea, "Seen in another email.")
    all_move(game_id, bea, cyd)
    assert said_in(newest(office, "ada"))[-1] == "bea: Seen in another email."
    later(HOUR)
    assert about_chat(office, "ada") == []


def test_no_email_about_the_chat_is_sent_for_messages_that_its_reader_does_not_want(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    block(ada, bea)
    say(game_id, bea, "From Bea.")
    change_profile(cyd, {"notifications": {"mails": {"message": "off"}}})
    later(HOUR)
    keep_note(game_id, ada, {"muted": True})
    say(game_id, cyd, "From Cyd.")
    keep_note(game_id, ada, {"muted": False})
    later(HOUR)
    assert about_chat(office, "ada") == about_chat(office, "cyd") == []


def test_an_email_about_the_chat_repeats_no_messages_of_a_bundle(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    change_profile(ada, {"notifications": {"mails": {"your-turn": "bundled"}, "bundle_at": ["08:00"]}})
    say(game_id, bea, "See you on Sunday.")
    all_move(game_id, bea, cyd)
    say(game_id, bea, "Or on Monday.")
    office.delivers()
    later(DAY)
    alone, bundle = office.mails("ada")
    assert said_in(alone) == ["bea: Or on Monday."]
    assert said_in(bundle) == ["bea: See you on Sunday."]


def test_a_bundle_has_one_line_about_the_chat_of_a_game(office: Office, game_id: UUID, ada: UUID, bea: UUID) -> None:
    change_profile(ada, {"notifications": {"mails": {"message": "bundled"}, "bundle_at": ["08:00"]}})
    for _ in range(3):
        say(game_id, bea, "Good evening!")
        later(20 * MINUTE)
        office.delivers()
    later(DAY)
    assert newest(office, "ada").text.count("Sternenhimmel: there are new messages in the chat.") == 1


def test_a_request_shows_the_new_messages_and_no_later_email_repeats_them(
    office: Office, game_id: UUID, ada: UUID, bea: UUID, cyd: UUID
) -> None:
    say(game_id, bea, "I'm away on Sunday.")
    later(MINUTE * 2)
    vote(game_id, bea, "pause", True)
    asked = newest(office, "cyd")
    assert "pause" in asked.subject and said_in(asked) == ["bea: I'm away on Sunday."]
    later(MINUTE)
    moves_on(game_id, bea)
    later(MINUTE * 5)
    assert "your turn" in newest(office, "cyd").subject.lower()
    assert said_in(newest(office, "cyd")) == []


def test_a_message_beside_a_move_is_in_the_emails_about_that_move(
    office: Office, game_id: UUID, bea: UUID, cyd: UUID
) -> None:
    turn = newest(office, "bea")
    arrives(turn.reply_to, a_mail(f"say Here I come.\n{a_move(game_id, bea)}", sender="bea@example.org"))
    deal_with_mails()
    later(MINUTE * 5)
    assert said_in(newest(office, "cyd")) == ["bea: Here I come."]
    all_move(game_id, cyd)
    assert [said_in(it) for it in office.mails("ada")[-1:]] == [["bea: Here I come."]]
