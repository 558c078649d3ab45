"""Email choices: at once, bundled at chosen times, or off."""

import re
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import pytest
from flask import Flask

from server.accounts.notice_kinds import MAIL_KINDS, NOTICE_KINDS
from server.accounts.players import change_profile, profile
from server.accounts.preferences import next_bundle
from server.accounts.sign_in import begin_sign_in
from server.clock import clock
from server.games.presentation import draw
from server.play.commits import load
from server.play.mail.mail_in import reply_word, take_mail
from server.play.seating.games import open_game
from server.play.seating.seats import change_seat, invite, seat_settings
from server.play.talk.chat import say
from server.play.views import view_of
from server.play.votes import vote
from server.post.coalescing import MOST
from server.post.incoming.answering import deal_with_mails
from server.render.png import png
from server.store import desk
from server.store.tables import Delivery, GameRow, LetterRow, PlayerLetterRow, db
from tests.post.desk.writing import settle
from tests.post.incoming.replying import DOMAIN, a_move
from tests.post.office import Mail, Office, a_mail, arrives
from tests.support.games import (
    DAY,
    HOUR,
    MINUTE,
    OPEN,
    everything_due_happens,
    game_of,
    happened,
    later,
    moves_on,
    seats_of,
    until,
    wanted,
)

SLOW = {"per_move": "P9D"}


pytestmark = pytest.mark.usefixtures("within")


@pytest.fixture(autouse=True)
def noon(within: None) -> None:
    """Begin hours away from any bundle, so that no test depends on the time of day."""
    tomorrow = clock.now() + DAY
    until(tomorrow.replace(hour=12, minute=0, second=0, microsecond=0))


def wants(who: UUID, **mails: str) -> None:
    """This player chooses for kinds of letters; bundles come at eight and at six, UTC."""
    choices = {kind.replace("_", "-"): choice for kind, choice in mails.items()}
    change_profile(who, {"notifications": {"mails": choices, "bundle_at": ["18:00", "08:00"]}})


def table(*people: UUID, **more: Any) -> UUID:
    """A running game of these people and a bot."""
    return game_of(*people, bots=1, **more)


def bundles() -> list[PlayerLetterRow]:
    return list(db.session.scalars(db.select(PlayerLetterRow).where(PlayerLetterRow.kind == "bundle")))


def became_of(game_id: UUID, kind: str) -> list[str]:
    ended = db.select(Delivery.result).where(Delivery.game_id == game_id, Delivery.kind == kind)
    return list(db.session.scalars(ended))


# Kinds


def test_emails_are_sent_immediately_by_default(ada: UUID, bea: UUID, office: Office) -> None:
    table(ada, bea)
    assert office.subjects("ada") == ["Your turn: Sternenhimmel"]


@pytest.mark.parametrize("change", [{"bundle_at": ["16:00"]}, {"bundle_at": ["20:00"]}])
def test_what_waits_moves_to_the_new_time_of_the_bundle(
    ada: UUID, bea: UUID, office: Office, change: dict[str, list[str]]
) -> None:
    wants(ada, your_turn="bundled")
    table(ada, bea)
    office.delivers()
    change_profile(ada, {"notifications": profile(ada)["notifications"] | change})
    [at] = change["bundle_at"]
    [bundle] = bundles()
    assert f"{bundle.due_at:%H:%M}" == at
    until(bundle.due_at)
    office.delivers()
    assert office.subjects("ada") == ["Your turn: Sternenhimmel"]
    change_profile(ada, {"notifications": profile(ada)["notifications"] | {"bundle_at": ["06:00"]}})
    office.delivers()
    assert office.subjects("ada") == ["Your turn: Sternenhimmel"]


def test_emails_of_a_kind_that_is_turned_off_are_not_sent_and_others_are(ada: UUID, bea: UUID, office: Office) -> None:
    wants(ada, your_turn="off")
    game_id = table(ada, bea)
    assert office.subjects("ada") == []
    assert became_of(game_id, "your-turn") == ["dropped"]
    later(DAY + HOUR)
    everything_due_happens()
    assert len(office.subjects("ada")) == 1


def test_a_sign_in_code_cannot_be_turned_off(ada: UUID, office: Office) -> None:
    wants(ada, **{kind.replace("-", "_"): "off" for kind in MAIL_KINDS})
    begin_sign_in("ada@example.org", "en", None)
    assert [subject[6:] for subject in office.subjects("ada")] == [" is your sign-in code"]


def test_invitations_can_be_turned_off(ada: UUID, bea: UUID, office: Office) -> None:
    wants(bea, invitation="off")
    game_id = open_game(ada, wanted({"player": "me"}, {"email": "bea@example.org"}, OPEN)).game_id
    invite(game_id, ada, "cyd@example.org")
    assert office.subjects("bea") == []
    assert len(office.subjects("cyd")) == 1


# Games


def test_a_setting_for_one_game_overrides_the_settings_for_kinds_of_emails(
    ada: UUID, bea: UUID, office: Office
) -> None:
    wants(ada, your_turn="off")
    loud, quiet = table(ada, bea), table(ada, bea)
    assert change_seat(loud, ada, {"mails": "at-once"})["mails"] == "at-once"
    office.delivers()
    assert became_of(loud, "your-turn") == ["sent"]
    assert became_of(quiet, "your-turn") == ["dropped"]
    change_seat(loud, ada, {"mails": None})
    moves_on(loud, ada)
    moves_on(loud, bea)
    everything_due_happens()
    office.delivers()
    assert became_of(loud, "your-turn").count("dropped") == 2  # hers, and bea's that was answered before it was written


def test_a_players_email_gets_a_reply_regardless_of_their_settings(ada: UUID, bea: UUID, office: Office) -> None:
    game_id = table(ada, bea)
    change_seat(game_id, ada, {"mails": "off"})
    turn = seats_of(game_id)[0].turn
    assert turn is not None
    take_mail(reply_word(game_id, 0, turn), "", b"From: ada@example.org\r\n\r\n?\r\n", limited=False)
    deal_with_mails()
    assert len(office.mails("ada")) == 1
    assert became_of(game_id, "answer") == ["sent"]


def test_a_players_email_settings_do_not_affect_others_at_the_table(ada: UUID, bea: UUID, office: Office) -> None:
    game_id = table(ada, bea)
    change_seat(game_id, ada, {"mails": "off"})
    moves_on(game_id, ada)
    assert len(office.subjects("bea")) == 1
    assert seat_settings(game_id, bea)["mails"] is None


# Bundles


def test_a_bundle_lists_all_waiting_games_most_urgent_first(app: Flask, ada: UUID, bea: UUID) -> None:
    office = Office(app, DOMAIN)
    wants(ada, your_turn="bundled")
    first = table(ada, bea, title="In no hurry", clock=SLOW)
    urgent = table(ada, bea, title="Urgent", clock={"per_move": "P3D"})
    answered = table(ada, bea, title="Answered", clock=SLOW)
    assert office.subjects("ada") == []
    assert became_of(first, "your-turn") == ["bundled"]
    moves_on(answered, ada)
    (bundle,) = bundles()
    until(bundle.due_at + MINUTE)
    (mail,) = office.mails("ada")
    assert mail.subject == "Your turn in 2 games"
    assert "\nada, 2 games are waiting for your move.\n" in mail.text
    assert re.findall(r"\n== \d (.+) \(Sternenhimmel\) ==\n", mail.text) == ["Urgent", "In no hurry"]
    assert mail.text.count("\nMove here: http://127.0.0.1:8000/t/") == 2
    assert "Answered" not in mail.text
    assert "In no hurry" in mail.page
    numbers = [desk.numbers(ada)[it] for it in (urgent, first)]
    lefts = re.findall(r"you had (.+) left", mail.text)
    listed = [
        f"{number} {title} (Sternenhimmel) with bea and Greedy: your first turn, {left} left"
        for number, title, left in zip(numbers, ("Urgent", "In no hurry"), lefts, strict=True)
    ]
    assert re.findall(r"\n- (.+)", mail.text.partition("\n==")[0].replace("\n  ", " ")) == listed
    assert re.findall(r'<a href="#game-(\d+)">(.+)</a>', mail.page) == [
        (str(number), line) for number, line in zip(numbers, listed, strict=True)
    ]
    assert re.findall(r'<h1 id="game-(\d+)">', mail.page) == [str(number) for number in numbers]
    assert "You get this email at 08:00 and 18:00 (UTC). To choose another time, reply “set mails bundled 18:00”." in (
        " ".join(mail.text.split())
    )


def test_a_reply_to_a_bundle_plays_in_the_game_that_its_line_names(app: Flask, ada: UUID, bea: UUID) -> None:
    office = Office(app, DOMAIN)
    wants(ada, your_turn="bundled")
    games = [table(ada, bea, title=title, clock=SLOW) for title in ("Autumn", "Spring")]
    office.delivers()
    until(bundles()[0].due_at + MINUTE)
    (mail,) = office.mails("ada")
    numbers = desk.numbers(ada)
    assert mail.text.startswith("##- Reply above this line: a move, or ? for help\n")
    images = [part for part in mail.message.walk() if part.get_content_type() == "image/png"]
    assert mail.text.count("\nThe table:\n") == len(images) == 2
    assert all(f"\n  game {numbers[it]}: " in mail.text and f"<code>game {numbers[it]}: " in mail.page for it in games)
    answers = {"In-Reply-To": str(mail.message["Message-ID"])}
    arrives(mail.reply_to, a_mail(a_move(games[0], ada), **answers))
    settle()
    assert "2 games are waiting for your move." in office.mails("ada")[-1].text
    later(MINUTE)
    arrives(mail.reply_to, a_mail(f"game {numbers[games[1]]}: {a_move(games[1], ada)}", **answers))
    settle()
    assert [seats_of(it)[0].to_act for it in games] == [True, False]


def test_a_late_reply_to_a_bundle_plays_in_no_newer_turn(app: Flask, ada: UUID, bea: UUID) -> None:
    office = Office(app, DOMAIN)
    wants(ada, your_turn="bundled")
    game_id = table(ada, bea, clock=SLOW)
    office.delivers()
    until(bundles()[0].due_at + MINUTE)
    (mail,) = office.mails("ada")
    later(MINUTE)
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    assert seats_of(game_id)[0].to_act
    later(MINUTE)
    answers = {"In-Reply-To": str(mail.message["Message-ID"])}
    arrives(mail.reply_to, a_mail(a_move(game_id, ada), **answers))
    settle()
    assert seats_of(game_id)[0].to_act
    assert "began after the email to which you replied" in " ".join(office.mails("ada")[-1].text.split())


def test_a_bundle_shows_the_most_urgent_turns_in_full_and_lists_the_others(app: Flask, ada: UUID, bea: UUID) -> None:
    office = Office(app, DOMAIN)
    wants(ada, your_turn="bundled")
    for _ in range(MOST + 1):
        table(ada, bea, clock=SLOW)
    strange = table(ada, bea, title="Strange", clock={"per_move": "P5D"})
    office.delivers()
    db.session.execute(db.update(GameRow).where(GameRow.game_id == strange).values(rules="chess"))
    db.session.commit()
    until(bundles()[0].due_at + MINUTE)
    (mail,) = office.mails("ada")
    assert mail.subject == f"Your turn in {MOST + 2} games"
    assert mail.text.count("\nThe table:\n") == MOST
    assert mail.text.count("\nHow to write a move: ") == 1
    assert mail.page.count("<h2>How to write a move</h2>") == 1
    assert mail.text.count("\nMove here: http://127.0.0.1:8000/t/") == mail.page.count('class="play"') == MOST + 2
    assert f"\n== {desk.numbers(ada)[strange]} Strange (Chess) ==\n\nPlease move by " in mail.text


def test_a_bundle_shows_each_table_as_it_is_when_the_bundle_leaves(app: Flask, ada: UUID, bea: UUID) -> None:
    office = Office(app, DOMAIN)
    wants(ada, your_turn="bundled")
    game_id = game_of(ada, bea, rules="sternenglanz", clock=SLOW)
    office.delivers()
    moves_on(game_id, bea)  # both choose their first cards at the same time
    until(bundles()[0].due_at + MINUTE)
    (mail,) = office.mails("ada")
    assert "Still choosing their first cards: ada\n" in mail.text
    assert pictures_in(mail) == [picture_for(game_id, 0)]


def test_an_email_that_was_held_back_shows_the_table_as_it_is_when_the_email_leaves(
    app: Flask, ada: UUID, bea: UUID
) -> None:
    office = Office(app, DOMAIN)
    game_id = game_of(ada, bea, rules="sternenglanz", clock=SLOW)
    moves_on(game_id, bea)
    (mail,) = office.mails("ada")
    assert "Still choosing their first cards: ada\n" in mail.text
    assert pictures_in(mail) == [picture_for(game_id, 0)]
    copied = mail.text.partition("\n\n")[2]
    later(MINUTE)
    arrives(mail.reply_to, a_mail(f"{a_move(game_id, ada)}\n\n{copied}"))
    settle()
    assert not seats_of(game_id)[0].to_act or happened(game_id).count("cards-chosen") == 2


def pictures_in(mail: Mail) -> list[bytes]:
    return [it.get_content() for it in mail.message.walk() if it.get_content_type() == "image/png"]


def picture_for(game_id: UUID, seat: int) -> bytes:
    """The table as this seat sees it now."""
    game = load(game_id)
    return png(draw(game.table.rules.NAME, view_of(game, seat), game.names))


def test_an_empty_bundle_is_not_sent(ada: UUID, bea: UUID, office: Office) -> None:
    wants(ada, your_turn="bundled")
    game_id = table(ada, bea, clock=SLOW)
    office.delivers()
    moves_on(game_id, ada)
    until(bundles()[0].due_at + MINUTE)
    assert office.subjects("ada") == []
    assert bundles() == []


def test_a_turn_that_ends_before_the_bundle_is_sent_immediately(ada: UUID, bea: UUID, office: Office) -> None:
    wants(ada, your_turn="bundled")
    later(next_bundle(profile(ada)["notifications"], "UTC", clock.now()) - clock.now() + MINUTE)
    table(ada, bea, clock={"per_move": "PT5M"})
    assert len(office.subjects("ada")) == 1
    assert bundles() == []


def test_news_of_bundled_kinds_appears_in_the_bundle(app: Flask, ada: UUID, bea: UUID) -> None:
    office = Office(app, DOMAIN)
    wants(ada, time_extended="bundled", bot_moved="bundled", game_abandoned="bundled", your_turn="off")
    slept = table(ada, bea, title="Slept", clock={"per_move": "P2D"})
    stopped = table(ada, bea, title="Stopped", clock=SLOW)
    for who in (ada, bea):
        vote(stopped, who, "abandon", True)
    later(2 * DAY + MINUTE)
    everything_due_happens()
    office.delivers()
    later(DAY)
    (mail,) = office.mails("ada")
    assert mail.subject == "News from your games"
    assert "- Stopped: the game has ended without a result. Everyone agreed.\n" in mail.text
    assert became_of(slept, "time-extended") == ["bundled"]
    assert mail.text.startswith("##- Reply above this line: a command, or help\n")
    arrives(mail.reply_to, a_mail("games"))
    settle()
    assert "Slept" in office.mails("ada")[-1].text


def test_two_bundles_delayed_by_an_outage_become_one(ada: UUID, bea: UUID, office: Office) -> None:
    wants(ada, your_turn="bundled", game_abandoned="bundled")
    table(ada, bea, title="Waits", clock=SLOW)
    stopped = table(ada, bea, title="Stopped", clock=SLOW)
    for who in (ada, bea):
        vote(stopped, who, "abandon", True)
    office.delivers()
    (first,) = bundles()
    until(first.due_at + MINUTE)
    office.is_closed = True
    table(ada, bea, title="Waits, too", clock=SLOW)
    office.delivers()
    assert len(bundles()) == 2
    later(DAY)
    office.is_closed = False
    (mail,) = office.mails("ada")
    assert mail.subject == "Your turn in 2 games"
    assert "Stopped: " in mail.text
    assert bundles() == []


@pytest.mark.parametrize(
    ("zone", "now", "expected"),
    [
        ("UTC", "2026-11-21T07:59:59", "2026-11-21T08:00:00"),
        ("UTC", "2026-11-21T08:00:00", "2026-11-21T18:30:00"),
        ("UTC", "2026-11-21T18:30:00", "2026-11-22T08:00:00"),
        ("Europe/Berlin", "2026-11-21T06:00:00", "2026-11-21T07:00:00"),
        ("Europe/Berlin", "2026-10-24T17:00:00", "2026-10-25T07:00:00"),  # the clocks go back in the night
        ("Pacific/Kiritimati", "2026-11-21T11:00:00", "2026-11-21T18:00:00"),
        ("America/Los_Angeles", "2026-11-21T03:00:00", "2026-11-21T16:00:00"),
    ],
)
def test_bundles_follow_the_readers_time_zone(zone: str, now: str, expected: str) -> None:
    moment = next_bundle({"bundle_at": ["18:30", "08:00"]}, zone, datetime.fromisoformat(now).replace(tzinfo=UTC))
    assert moment == datetime.fromisoformat(expected).replace(tzinfo=UTC)


# Outages of the mail server


def test_after_an_outage_only_the_newest_turn_of_a_game_is_sent(ada: UUID, bea: UUID, office: Office) -> None:
    office.is_closed = True
    game_id, other = table(ada, bea), table(ada, bea)
    for _ in range(3):
        for who in (ada, bea):
            moves_on(game_id, who)
            office.delivers()
        everything_due_happens()
    later(DAY)
    office.is_closed = False
    for _ in range(8):
        office.delivers()
    told = {name: [mail.text.partition("\n")[0] for mail in office.mails(name)] for name in ("ada", "bea")}
    assert told["ada"] == ["ada, 2 games are waiting for your move."]
    assert told["bea"] == []
    assert became_of(game_id, "your-turn").count("sent") == 1
    assert became_of(other, "your-turn").count("sent") == 1
    assert seats_of(game_id)[0].to_act


def test_after_a_day_without_a_mail_server_each_game_gets_one_email_and_past_turns_none(
    ada: UUID, bea: UUID, office: Office
) -> None:
    office.is_closed = True
    ladder = [{"do": "extend", "by": "PT6H", "times": 1}, {"do": "bot-move", "bot": "greedy", "times": 9}]
    ladder.append({"do": "bot-takes-over", "bot": "greedy"})
    games = [table(ada, bea, clock={"per_move": "PT5H"}, on_timeout=ladder) for _ in range(3)]
    moves_on(games[1], ada)
    for _ in range(24):
        later(HOUR)
        everything_due_happens()
        office.delivers()
    noted = set(db.session.scalars(db.select(LetterRow.kind))) | set(db.session.scalars(db.select(Delivery.kind)))
    assert {"your-turn", "reminder", "time-extended", "bot-moved"} <= noted
    office.is_closed = False
    for _ in range(8):  # what was tried last is tried again after some hours
        later(HOUR)
        office.delivers()
    for name, seat in (("ada", 0), ("bea", 1)):
        mails = office.mails(name)
        for game_id in games:
            own = [mail for mail in mails if str(game_id) in mail.text]
            turn = seats_of(game_id)[seat].turn if seats_of(game_id)[seat].to_act else None
            assert len(own) <= 1, (name, [mail.text[:300] for mail in own])
            assert len(own) == 1 or turn is None
            assert not own or ("\nMove here: " in own[0].text) == (turn is not None)


def test_our_reply_to_an_email_is_sent_even_if_it_is_late(ada: UUID, bea: UUID, office: Office) -> None:
    office.is_closed = True
    game_id = table(ada, bea)
    turn = seats_of(game_id)[0].turn
    assert turn is not None
    take_mail(reply_word(game_id, 0, turn), "", b"From: ada@example.org\r\n\r\nresign\r\n", limited=False)
    deal_with_mails()
    office.delivers()
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    later(DAY)
    office.is_closed = False
    for _ in range(3):
        later(HOUR)
        office.delivers()
    assert became_of(game_id, "answer").count("sent") == 1
    assert "confirm" in "".join(mail.text for mail in office.mails("ada"))


def wants_all_bundled(who: UUID) -> None:
    choices = {kind: "bundled" for kind in MAIL_KINDS if NOTICE_KINDS[kind].bundles}
    change_profile(who, {"notifications": {"mails": choices, "bundle_at": ["08:00"]}})


def test_a_bundle_shows_the_chat_even_if_its_reader_has_written_since(app: Flask, ada: UUID, bea: UUID) -> None:
    office = Office(app, DOMAIN)
    wants_all_bundled(ada)
    game_id = table(ada, bea)
    say(game_id, bea, "Good luck!")
    later(MINUTE)
    say(game_id, ada, "To you, too")  # as by email, without having seen the chat
    later(HOUR)
    office.delivers()
    say(game_id, bea, "Are you there?")
    office.delivers()
    until(bundles()[0].due_at + MINUTE)
    mail = office.mails("ada")[-1]
    assert "new messages in the chat.\n¦ bea: Good luck!\n¦ bea: Are you there?\n" in mail.text
    assert "¦ bea: Good luck!" in mail.page


def test_a_bundle_names_who_has_declined(app: Flask, ada: UUID) -> None:
    office = Office(app, DOMAIN)
    wants_all_bundled(ada)
    open_game(ada, wanted({"player": "me"}, {"email": "zoe@example.org"}, OPEN))
    (invited,) = office.mails("zoe")
    arrives(invited.reply_to, a_mail("No thanks", sender="zoe@example.org"))
    settle()
    office.delivers()
    until(bundles()[0].due_at + MINUTE)
    mail = office.mails("ada")[-1]
    assert "zoe@example.org has declined your invitation." in " ".join(mail.text.split())
    assert "has declined your invitation." in mail.page
