"""Turns that begin within minutes share one letter, at most two minutes late."""

import re
from collections.abc import Sequence
from datetime import datetime, timedelta
from uuid import UUID, uuid4

import pytest
from flask import Flask

from server.accounts.players import change_profile
from server.clock import clock
from server.play.seating.seats import change_seat
from server.post.coalescing import LONGEST, MOST, put_off_until
from server.post.incoming.answering import deal_with_mails
from server.store import desk
from server.store.tables import Delivery, LetterRow, db
from server.store.watching import Place, note_watching
from tests.post.desk.writing import settle
from tests.post.incoming.replying import DOMAIN, a_move, messages
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.games import MINUTE, everything_due_happens, game_of, later, moves_on, seats_of, stop_the_clock
from tests.support.live_server import AT_ONCE

pytestmark = pytest.mark.usefixtures("within")
SECOND = timedelta(seconds=1)


@pytest.fixture(autouse=True)
def standing_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    stop_the_clock(monkeypatch, clock.real())


@pytest.fixture
def office(app: Flask) -> Office:
    return Office(app, DOMAIN)


def table(*people: UUID, title: str = "A night") -> UUID:
    """A running game with a bot, in which the first of these begins."""
    return game_of(*people, bots=1, title=title)


def looks_at(game_id: UUID, who: UUID, for_: timedelta = MINUTE) -> None:
    note_watching([(game_id, who)], clock.now() + for_)


def firsts(office: Office, name: str) -> list[str]:
    return [mail.subject for mail in office.mails(name)]


def became_of(game_id: UUID) -> list[str]:
    db.session.rollback()
    ended = db.select(Delivery.result).where(Delivery.game_id == game_id, Delivery.kind == "your-turn")
    return list(db.session.scalars(ended.order_by(Delivery.at)))


# One letter


def test_turns_due_together_are_sent_in_one_complete_email(ada: UUID, bea: UUID, office: Office) -> None:
    games = [table(ada, bea, title=title) for title in ("Autumn", "Spring")]
    (mail,) = office.mails("ada")
    assert mail.subject == "Your turn in 2 games"
    assert [became_of(game_id) for game_id in games] == [["sent"], ["sent"]]
    for title, game_id in zip(("Autumn", "Spring"), games, strict=True):
        assert f"\n== {desk.numbers(ada)[game_id]} {title} (Sternenhimmel) ==\n" in mail.text
        assert title in mail.page
        assert f"/#/games/{game_id}" in mail.text
    assert mail.text.count("Move here: http://127.0.0.1:8000/t/") == mail.text.count("The table:") == 2
    images = [part["Content-ID"] for part in mail.message.walk() if part.get_content_type() == "image/png"]
    assert sorted(images) == ["<table-1.png>", "<table-2.png>"]
    assert all(f"cid:table-{nr}.png" in mail.page for nr in (1, 2))


def test_the_email_about_a_turn_waits_while_another_game_may_bring_a_turn(
    ada: UUID, bea: UUID, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch, clock.real())
    first, second = table(bea, ada), table(bea, ada)
    moves_on(first, bea)
    assert office.mails("ada") == []
    later(LONGEST - SECOND)
    assert office.mails("ada") == []
    moves_on(second, bea)
    assert firsts(office, "ada") == ["Your turn in 2 games"]  # no other may come


def test_a_turn_is_sent_in_its_own_email_if_no_other_turn_begins(ada: UUID, bea: UUID, office: Office) -> None:
    first, _ = table(bea, ada), table(bea, ada, title="Another night")
    moves_on(first, bea)
    office.delivers()
    later(LONGEST)
    assert firsts(office, "ada") == ["Your turn: A night"]


def test_the_email_about_a_turn_is_sent_immediately_if_no_other_turn_can_begin(
    ada: UUID, bea: UUID, office: Office
) -> None:
    moves_on(table(bea, ada), bea)
    assert firsts(office, "ada") == ["Your turn: A night"]


def test_the_email_about_a_turn_is_never_more_than_two_minutes_late(ada: UUID, bea: UUID, office: Office) -> None:
    games = [table(bea, ada) for _ in range(4)]
    for game_id in games[2:]:
        looks_at(game_id, ada, 60 * MINUTE)
    told: dict[UUID, timedelta] = {}
    began: dict[UUID, datetime] = {}
    for step in range(16):
        if step % 3 == 0 and step // 3 < 3:
            moves_on(games[step // 3], bea)
            began[games[step // 3]] = clock.now()
        office.delivers()
        for game_id in began.keys() - told.keys():
            if "sent" in became_of(game_id):
                told[game_id] = clock.now() - began[game_id]
        later(15 * SECOND)
    assert told.keys() == began.keys()
    assert max(told.values()) <= 2 * MINUTE
    assert len(office.mails("ada")) == 1


# At the table


def test_an_email_waits_two_minutes_while_its_reader_watches_the_table(
    ada: UUID, bea: UUID, office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch, clock.real())
    game_id = table(bea, ada)
    looks_at(game_id, ada, 10 * MINUTE)
    moves_on(game_id, bea)
    assert office.mails("ada") == []
    later(2 * MINUTE - SECOND)
    assert office.mails("ada") == []
    later(SECOND)
    assert firsts(office, "ada") == ["Your turn: A night"]


def test_no_email_is_sent_about_a_turn_that_was_played_in_time(ada: UUID, bea: UUID, office: Office) -> None:
    game_id = table(bea, ada)
    looks_at(game_id, ada)
    moves_on(game_id, bea)
    office.delivers()
    moves_on(game_id, ada)
    later(3 * MINUTE)
    assert office.mails("ada") == []
    assert became_of(game_id)[-1] == "dropped"


# Choices


@pytest.mark.parametrize("of_game", [False, True])
def test_a_player_who_chose_at_once_gets_an_email_immediately_for_each_turn(
    of_game: bool, ada: UUID, bea: UUID, office: Office
) -> None:
    if not of_game:
        change_profile(ada, {"notifications": AT_ONCE})
    games = [table(bea, ada), table(bea, ada, title="Another night")]
    for game_id in games:
        if of_game:
            change_seat(game_id, ada, {"mails": "at-once"})
        looks_at(game_id, ada)
        looks_at(game_id, bea)
        moves_on(game_id, bea)
    assert sorted(firsts(office, "ada")) == ["Your turn: A night", "Your turn: Another night"]  # sent side by side


def test_one_click_stops_the_emails_about_several_games(ada: UUID, bea: UUID, office: Office) -> None:
    from server.accounts.unsubscribe import stop_mails, stop_state

    table(ada, bea), table(ada, bea)
    (mail,) = office.mails("ada")
    word = str(mail.message["List-Unsubscribe"]).strip("<>").rpartition("/")[2]
    stop_mails(word)
    assert stop_state(word)[:2] == ("your-turn", True)
    table(ada, bea)
    assert len(office.mails("ada")) == 1


# Answers


def address_of(mail: Mail, title: str) -> str:
    """Return the address of the button that replies for this game."""
    found = re.search(rf'href="mailto:(\S+)\?subject=Re%3A%20Your%20turn%3A%20{title}"', mail.page)
    assert found
    return found[1]


def test_each_game_in_an_email_has_its_own_reply_address(ada: UUID, bea: UUID, office: Office) -> None:
    games = [table(ada, bea, title=title) for title in ("Autumn", "Spring")]
    (mail,) = office.mails("ada")
    arrives(address_of(mail, "Spring"), a_mail(a_move(games[1], ada)))
    deal_with_mails()
    assert [seats_of(game_id)[0].to_act for game_id in games] == [True, False]


def test_a_reply_to_an_email_about_several_games_names_the_game_of_a_move(ada: UUID, bea: UUID, office: Office) -> None:
    games = [table(ada, bea, title=title) for title in ("Autumn", "Spring")]
    (mail,) = office.mails("ada")
    numbers = desk.numbers(ada)
    asked = re.search(r'for example\s+"(game\s\d:[^"]*)"', mail.text)
    assert asked
    for words, told in [
        (a_move(games[0], ada), "2 games are waiting for your move. Nothing was played yet."),
        ("hint", f'for example "game {min(numbers.values())}: hint"'),
        ("STOP", 'reply "set mails off"'),
    ]:
        arrives(mail.reply_to, a_mail(words))
        settle()
        assert told in " ".join(office.mails("ada")[-1].text.split())
    assert all(seats_of(game_id)[0].to_act for game_id in games)
    arrives(mail.reply_to, a_mail(f"{numbers[games[1]]}: say Good evening!"))
    settle()
    assert [messages(it) for it in games] == [[], ["Good evening!"]]
    arrives(mail.reply_to, a_mail(" ".join(asked[1].split())))
    settle()
    (left,) = (game_id for game_id in games if seats_of(game_id)[0].to_act)
    arrives(mail.reply_to, a_mail(f"{numbers[left]}: {a_move(left, ada)}"))
    settle()
    assert not seats_of(left)[0].to_act
    arrives(mail.reply_to, a_mail(f"{numbers[left]}: say Good night!"))
    settle()
    assert messages(left)[-1] == "Good night!"


def test_one_reply_plays_in_several_games(ada: UUID, bea: UUID, office: Office) -> None:
    games = [table(ada, bea, title=title) for title in ("Autumn", "Spring")]
    (mail,) = office.mails("ada")
    numbers = desk.numbers(ada)
    lines = [f"{numbers[game_id]}: {a_move(game_id, ada)}" for game_id in games]
    arrives(mail.reply_to, a_mail("Hello,\n\n" + "\n".join(lines) + "\n\nAda"))
    settle()
    assert not any(seats_of(game_id)[0].to_act for game_id in games)


def test_a_late_reply_to_an_email_about_several_games_plays_in_no_newer_turn(
    ada: UUID, bea: UUID, office: Office
) -> None:
    games = [table(ada, bea, title=title) for title in ("Autumn", "Spring")]
    (mail,) = office.mails("ada")
    later(SECOND)
    moves_on(games[0], ada)
    moves_on(games[0], bea)
    everything_due_happens()
    assert seats_of(games[0])[0].to_act
    answers = {"In-Reply-To": str(mail.message["Message-ID"])}
    later(SECOND)
    arrives(mail.reply_to, a_mail(f"{desk.numbers(ada)[games[0]]}: {a_move(games[0], ada)}", **answers))
    settle()
    assert seats_of(games[0])[0].to_act
    assert "began after the email to which you replied" in " ".join(office.mails("ada")[-1].text.split())
    arrives(mail.reply_to, a_mail(f"game {desk.numbers(ada)[games[0]]}: say Hi Bea!", **answers))
    settle()
    assert messages(games[0]) == ["Hi Bea!"]
    moves_on(games[1], ada)
    arrives(mail.reply_to, a_mail(a_move(games[0], ada), **answers))  # it may have been meant for the other game
    settle()
    assert seats_of(games[0])[0].to_act


def test_a_reply_to_an_email_about_two_kinds_of_games_needs_no_number(ada: UUID, bea: UUID, office: Office) -> None:
    games = [table(ada, bea), game_of(ada, bea, rules="sternenglanz", bots=1)]
    (mail,) = office.mails("ada")
    arrives(mail.reply_to, a_mail(a_move(games[0], ada)))
    settle()
    assert [seats_of(game_id)[0].to_act for game_id in games] == [False, True]


def test_a_player_who_replies_by_email_gets_the_next_turn_in_the_same_thread(
    ada: UUID, bea: UUID, office: Office
) -> None:
    game_id, _ = table(ada, bea, title="Autumn"), table(ada, bea, title="Spring")
    (mail,) = office.mails("ada")
    arrives(address_of(mail, "Autumn"), a_mail(a_move(game_id, ada), **{"Message-ID": "<7@ada.example.org>"}))
    deal_with_mails()
    office.delivers()  # otherwise the email about the next turn would contain the answer
    later(SECOND)
    moves_on(game_id, bea)
    everything_due_happens()
    later(LONGEST)
    answer, news = office.mails("ada")[1:]
    thread = f"<{game_id}@localhost>"
    assert str(answer.message["References"]).split() == [thread, "<7@ada.example.org>"]
    assert news.message["References"] == thread
    assert (answer.subject, news.subject) == ("Move played: Autumn", "Your turn: Autumn")


# What fails


def test_after_an_outage_of_the_mail_server_waiting_emails_are_merged_into_one(
    ada: UUID, bea: UUID, office: Office
) -> None:
    games = [table(ada, bea) for _ in range(3)]
    office.is_closed = True
    office.delivers()
    moves_on(games[0], ada)
    office.is_closed = False
    later(MINUTE)
    assert firsts(office, "ada") == ["Your turn in 2 games"]
    assert "dropped" in became_of(games[0])
    assert [became_of(game_id)[-1] for game_id in games[1:]] == ["sent", "sent"]
    later(10 * MINUTE)
    assert len(office.mails("ada")) == 1
    assert not list(db.session.scalars(db.select(LetterRow).where(LetterRow.player_id == ada)))


def test_past_turns_do_not_crowd_current_turns_out_of_an_email(ada: UUID, bea: UUID, office: Office) -> None:
    games = [table(ada, bea) for _ in range(4)]
    for game_id in games[:3] * 2:
        for who in (ada, bea):
            moves_on(game_id, who)
        everything_due_happens()
    assert firsts(office, "ada") == ["Your turn in 4 games"]
    later(10 * MINUTE)
    assert len(office.mails("ada")) == 1


def test_turns_that_do_not_fit_in_one_email_are_sent_in_two(ada: UUID, bea: UUID, office: Office) -> None:
    for _ in range(MOST + 2):
        table(ada, bea)
    assert firsts(office, "ada") == ["Your turn in 5 games", "Your turn in 2 games"]


# How long


NOW = clock.now()
READER, OTHER = uuid4(), uuid4()
OWN = Place(uuid4(), READER, NOW + 48 * 60 * MINUTE, None, False)
ELSEWHERE = Place(uuid4(), OTHER, NOW + 48 * 60 * MINUTE, None, False)


@pytest.mark.parametrize(
    ("is_there", "others", "expected"),
    [
        (False, [], 0),
        (True, [], 2),
        (False, [ELSEWHERE], 2),
        (True, [ELSEWHERE], 2),
        (False, [ELSEWHERE._replace(due_at=None)], 0),  # no letter about it can come
        (False, [ELSEWHERE._replace(game_id=OWN.game_id)], 0),  # nor from this very table
        (False, [ELSEWHERE._replace(player_id=READER)], 0),  # that already waits for the player
    ],
)
def test_an_email_waits_if_its_reader_may_soon_move_or_get_another_turn(
    is_there: bool, others: Sequence[Place], expected: int
) -> None:
    own = OWN._replace(is_there=is_there)
    until = NOW + expected * MINUTE
    assert put_off_until(own, NOW, [own, *others], NOW) == (until if expected else None)
    assert put_off_until(own, NOW, [own, *others], until) is None


def test_an_email_waits_only_for_a_small_part_of_the_time_for_the_move() -> None:
    own = OWN._replace(due_at=NOW + 20 * MINUTE)
    assert put_off_until(own, NOW, [own, ELSEWHERE], NOW) == NOW + MINUTE
    assert put_off_until(own._replace(is_there=True), NOW, [], NOW) == NOW + MINUTE


def test_the_email_about_a_past_turn_does_not_wait() -> None:
    assert put_off_until(OWN._replace(due_at=None), NOW, [ELSEWHERE], NOW) is None


def test_examples_in_an_email_about_several_turns_name_their_game(office: Office, ada: UUID, bea: UUID) -> None:
    for title in ("A night", "B night"):
        moves_on(table(bea, ada, title=title), bea)
    later(MINUTE * 5)
    (mail,) = [it for it in office.mails("ada") if it.subject == "Your turn in 2 games"]
    for number in (1, 2):
        assert f"\n  game {number}: " in mail.text and f"<code>game {number}: " in mail.page
