"""Letters are written when they are sent, so they are up to date."""

import re
from email import message_from_bytes, policy
from functools import partial
from html import unescape
from uuid import UUID

import pytest

from server.accounts.calendars import time_zone
from server.accounts.mailed_codes import CODE_LIFE
from server.accounts.players import change_profile
from server.accounts.sign_in import begin_sign_in
from server.games import presentation
from server.games.sternenhimmel.material import BOARDS
from server.operations.delete_player import delete_player
from server.play.commits import load
from server.play.seating.games import open_game
from server.play.seating.seats import invite, leave, take_seat
from server.play.story.exhibition import exhibition, today
from server.play.talk.chat import say
from server.play.views import describe, story
from server.play.votes import vote
from server.post.incoming.quotes import SAID
from server.post.letters import context
from server.post.wording import moment
from server.store.desk import numbers
from server.store.tables import LetterRow, PlayerLetterRow, db
from tests.post.office import Office
from tests.post.reader import composed, text_of
from tests.support.games import (
    BOT,
    DAY,
    HOUR,
    ME,
    MINUTE,
    OPEN,
    all_agree,
    everything_due_happens,
    game_of,
    later,
    letters,
    moves_on,
    person,
    seats_of,
    turn_of,
    wanted,
)
from tests.support.live_server import AT_ONCE

UTC = time_zone("UTC")


pytestmark = pytest.mark.usefixtures("within")


# What has happened


def test_the_first_letter_to_the_host_says_who_has_joined(office: Office, ada: UUID, bea: UUID, cyd: UUID) -> None:
    game_of(ada, bea, cyd, rules="sternenglanz", title="Tuesday stars")
    for name, is_told in (("ada", True), ("bea", False)):
        assert ("bea and cyd joined, and the game has begun." in office.mails(name)[-1].text) == is_told
    nameless = game_of(ada, bea, cyd, rules="sternenglanz", title="No names", options={"nameless": True})
    letter = composed(next(it for it in letters(nameless, "your-turn") if it.seat == load(nameless).seat_of(ada)))
    assert letter is not None and b"joined, and the game" not in letter.message


def test_a_host_who_is_not_first_hears_that_the_game_began(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 1}, title="Tuesday stars")
    [letter] = office.mails("ada")
    assert letter.subject == "The game has begun: Tuesday stars"
    for words in (letter.text, unescape(letter.page)):
        assert "All are here: bea begins." in words
        assert "bea has 2 days to move, until " in words
    assert [it.get_content_type() for it in letter.message.walk()].count("image/png") == 1
    assert [it.subject for it in office.mails("bea")] == ["Your turn: Tuesday stars"]
    moves_on(game_id, bea)
    everything_due_happens()
    assert [it.subject for it in office.mails("ada")][1:] == ["Your turn: Tuesday stars"]
    game_of(ada, bots=2, options={"start_seat": 1})
    assert len(office.mails("ada")) == 2, "Among bots, the host's own turn comes at once."
    game_of(ada, bea, bots=1, options={"start_seat": 2}, title="A bot begins")
    everything_due_happens()
    assert [it.subject for it in office.mails("ada")][2:] == ["Your turn in 2 games"]


def test_a_bots_moves_for_an_absent_player_appear_as_news(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 1}, {"do": "bot-takes-over", "bot": "greedy"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    later(2 * DAY)
    everything_due_happens()
    moves_on(game_id, bea)
    everything_due_happens()
    assert "The bot Greedy moved instead" in text_of(letters(game_id, "your-turn")[-1])


def test_players_of_the_same_name_are_told_apart_by_their_seats(ada: UUID, bea: UUID) -> None:
    dora = person("dora")
    for who in (bea, dora):
        change_profile(who, {"name": "Anna"})
    game_id = game_of(ada, bea, dora, options={"start_seat": 1})
    say(game_id, dora, "Good evening!")
    for who in (bea, dora):
        later(MINUTE)
        moves_on(game_id, who)
    text = text_of(letters(game_id, "your-turn")[-1])
    assert "Anna (2): " in text and "Anna (3): " in text
    assert f"{SAID} Anna (3): Good evening!" in text
    assert load(game_id).names == ["ada", "Anna (2)", "Anna (3)"]
    assert [it["name"] for it in describe(load(game_id), 0)["seats"]] == ["ada", "Anna", "Anna"]


def test_moves_of_a_bot_that_previously_had_the_seat_appear_as_news(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    everything_due_happens()
    take_seat(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    news = text_of(letters(game_id, "your-turn")[-1])
    assert news.startswith("ada, it's your turn.")
    assert "- You resigned. The bot Greedy took over." in news
    assert "- You're back." in news


def test_a_player_whose_seat_a_bot_took_over_is_not_told_of_a_victory(office: Office, ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, title="Tuesday stars")
    leave(game_id, ada)
    everything_due_happens()
    while load(game_id).table.status == "running":
        moves_on(game_id, bea)
        everything_due_happens()
    own, other = (office.mails(name)[-1] for name in ("ada", "bea"))
    assert own.subject.startswith("The bot in your seat ") and other.subject.startswith("You ")
    assert "You" in other.text.split("Recent moves")[0] and not re.search(r"\d[.] You|You (won|came|share)", own.text)
    assert re.search(r"\d[.] ada  ", own.text)


def test_a_time_extension_is_not_mistaken_for_the_players_own_move(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    later(2 * DAY)
    everything_due_happens()
    for who in (ada, bea):
        vote(game_id, who, "pause", True)
    for who in (ada, bea):
        vote(game_id, who, "resume", True)
    news = text_of(letters(game_id, "your-turn")[-1])
    assert "- bea put" in news
    assert "put" not in news.split("- bea put")[0]


def test_only_the_latest_news_items_appear_when_there_are_many(
    ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(context, "_MOST_NEWS", 20)
    game_id = game_of(ada, bea, rules="sternenglanz", options={"start_seat": 0, "scenario": 1})
    leave(game_id, ada)
    while len(story(load(game_id), 0)) < 60:
        everything_due_happens()
        moves_on(game_id, bea)
    everything_due_happens()
    take_seat(game_id, ada)
    while turn_of(game_id, ada) is None:
        moves_on(game_id, bea)
    news = (
        text_of(letters(game_id, "your-turn")[-1])
        .partition("Since your last turn:\n")[2]
        .partition("\n\n")[0]
        .splitlines()
    )
    assert len(news) == 21
    assert news[0] == "- Much more happened before. You'll find it on the game's page."
    assert [it for it in news if it.startswith("- Turn ") or "drew a card" in it] == []


# Turns


def test_the_email_about_a_turn_shows_the_current_due_time(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    later(2 * DAY)
    everything_due_happens()
    due_at = seats_of(game_id)[0].due_at
    assert f"Please move by {moment(due_at, UTC)}." in text_of(letters(game_id, "your-turn")[0])


def test_no_email_is_sent_for_a_turn_that_was_played(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    moves_on(game_id, ada)
    assert composed(letters(game_id, "your-turn")[0]) is None


def test_no_email_is_sent_for_a_turn_that_is_not_open(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    (letter,) = letters(game_id, "your-turn")
    assert composed(letter)
    leave(game_id, ada)
    assert composed(letter) is None
    take_seat(game_id, ada)
    for wish in ("pause", "abandon"):
        for who in (ada, bea):
            vote(game_id, who, wish, True)
        assert composed(letter) is None


def test_no_reminder_is_sent_before_the_email_about_the_turn(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    later(DAY + HOUR)
    everything_due_happens()
    (reminder,) = letters(game_id, "reminder")
    assert composed(reminder) is None
    is_told(game_id)
    assert text_of(reminder)


def is_told(game_id: UUID) -> None:
    """The letters for turns have been carried."""
    db.session.execute(db.delete(LetterRow).where(LetterRow.game_id == game_id, LetterRow.kind == "your-turn"))


def test_no_reminder_is_sent_during_a_pause(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    later(DAY + HOUR)
    everything_due_happens()
    (reminder,) = letters(game_id, "reminder")
    is_told(game_id)
    assert text_of(reminder)
    for who in (ada, bea):
        vote(game_id, who, "pause", True)
    assert composed(reminder) is None


# The end


@pytest.mark.parametrize("rules", ["sternenhimmel", "sternenglanz"])
def test_the_email_about_the_end_is_short_and_shows_the_skies_in_its_picture(rules: str, ada: UUID, bea: UUID) -> None:
    options = {"start_seat": 0} if rules == "sternenhimmel" else {"start_seat": 0, "max_rounds": 3}
    game_id = game_of(ada, bea, bots=rules == "sternenhimmel", rules=rules, options=options)
    while not (ended := letters(game_id, "game-ended")):
        everything_due_happens()
        for who in (ada, bea):
            while turn_of(game_id, who) is not None:
                moves_on(game_id, who)
    game = load(game_id)
    written = composed(ended[0], "reply.stars.example")
    assert written is not None
    mail = message_from_bytes(written.message, policy=policy.default)
    page, text = (mail.get_body((kind,)).get_content().replace("\r\n", "\n") for kind in ("html", "plain"))
    assert "##- Reply above this line: say and your message" in page  # a move would come too late
    assert len(text.splitlines()) <= 40
    assert game.table.ended
    unit = "coin" if rules == "sternenhimmel" else "point"
    for name, score in zip(("You", *game.names[1:]), game.table.ended.scores, strict=True):
        assert re.search(rf"^  \d\. {name} +{score} {unit}{'s' * (score != 1)}$", text, re.MULTILINE)
    assert all(f'Reply "{word}"' in text for word in ("rematch", "review", "show"))
    paid = {it["board"]: it["payouts"][0] for it in story(game, 0) if it["type"] == "board-scored"}
    boards = list(paid)
    gains = " ".join(text.split())
    assert all(f"{BOARDS[board].names['en']} {coins:+d}" in gains for board, coins in paid.items() if coins)
    alt = re.search('<img [^>]*alt="([^"]*)"', page)
    assert alt
    assert all(BOARDS[board].names["en"] in alt[1] for board in boards)
    assert rules == "sternenglanz" or len(boards) > 3
    if game.table.ended.places.count(1) == 1:
        assert ("ead grew most in " if rules == "sternenhimmel" else "The winner's points: ") in text


def test_the_email_about_the_end_says_how_the_goal_was_reached() -> None:
    events = [("star-removed", 18), ("star-laid", 7), ("supernova-laid", [-1, 0]), ("sternbild-completed", 5)]
    story = [{"type": type_, "seat": 0, "version": 1, "points": points} for type_, points in events]
    story.append({"type": "game-decided", "version": 2, "reason": "goal", "winners": [0]})
    told = partial(presentation.decision, "sternenglanz", {"scenario": 4, "points": [29, 3]}, story, ["Ada", "Ben"])
    points = "The winner's points: black holes 18, placed stars 7, constellations 5, Supernova -1."
    assert told(0, "en") == f"You were the first to have 30 points and a completed constellation. {points}"
    assert told(1, "en").startswith("Ada was the first to have 30 points")


# Signing in


def test_an_expired_code_is_not_sent() -> None:
    begin_sign_in("ada@example.org", "en", None)
    (letter,) = db.session.scalars(db.select(PlayerLetterRow))
    assert letter.data["code"] in text_of(letter)
    later(CODE_LIFE)
    assert composed(letter) is None


# Invitations


@pytest.mark.parametrize(
    ("name", "sender"),
    [
        ("Paula", "Paula via Sternenpost"),
        ('Zoë "Z" O\'Neil, <x>', 'Zoë "Z" O\'Neil, <x> via Sternenpost'),
        ("Mira ✨ 星", "Mira ✨ 星 via Sternenpost"),
        ("support@bank.example", "Sternenpost"),
        ("=?utf-8?q?a=40b=2Eorg?=", "Sternenpost"),
    ],
)
def test_an_email_that_a_player_causes_bears_their_name(
    office: Office, ada: UUID, bea: UUID, name: str, sender: str
) -> None:
    change_profile(ada, {"name": name})
    invite(open_game(ada, wanted(ME, OPEN, OPEN)).game_id, ada, "cyd@example.org")
    running = game_of(ada, bea, bots=1)
    vote(running, ada, "pause", True)
    say(running, bea, "Hello")
    later(DAY)
    mails = [office.mails("cyd")[-1], next(it for it in office.mails("bea") if "pause" in it.subject)]
    for mail in mails:
        [address] = mail.message["From"].addresses
        assert (address.display_name, address.addr_spec) == (sender, "sternenpost@localhost")
    assert "Ada" not in str(office.mails("bea")[0].message["From"]), "Nobody caused an email about a turn."
    assert any(str(it.message["From"]).startswith("bea via") for it in office.mails("ada"))


def test_subjects_number_games_that_have_the_same_title(office: Office, ada: UUID, bea: UUID) -> None:
    change_profile(ada, {"notifications": AT_ONCE})
    game_of(ada, bea, bots=1, options={"start_seat": 0}, title="Alone")
    first = game_of(ada, bea, bots=1, options={"start_seat": 0}, title="Stars")
    assert [it.subject for it in office.mails("ada")] == ["Your turn: Alone", "Your turn: Stars"]
    second = game_of(bea, ada, bots=1, options={"start_seat": 1}, title="Stars")
    assert office.mails("ada")[-1].subject == f"Your turn: Stars (game {numbers(ada)[second]})"
    vote(first, bea, "pause", True)
    told = office.mails("ada")[-1]
    assert told.subject == "bea asks for a pause: Stars"
    assert told.message["References"].startswith(f"<{first}@")
    all_agree(first, "abandon", ada, bea)
    vote(second, bea, "pause", True)
    told = office.mails("ada")[-1]
    assert told.subject == f"bea asks for a pause: Stars (game {numbers(ada)[second]})", "It outlasts the older game."


def test_opponents_read_that_a_player_has_deleted_their_account_and_a_bot_plays_on(
    office: Office, ada: UUID, bea: UUID
) -> None:
    change_profile(ada, {"locale": "de"})
    game_id = game_of(ada, bea, bots=1, options={"start_seat": 0})
    moves_on(game_id, ada)
    delete_player(bea)
    everything_due_happens()
    told = office.mails("ada")[-1].text
    assert f"- Gelöschtes Konto {bea.hex[:4]} hat Sternenpost verlassen. Der Bot Greedy spielt weiter." in " ".join(
        told.split()
    )
    assert "Former player" not in told


def test_an_invitation_names_the_host(ada: UUID, bea: UUID) -> None:
    first = {"email": "cyd@example.org"}
    game_id = open_game(ada, wanted(ME, OPEN, OPEN, first, BOT)).game_id
    take_seat(game_id, bea)
    invite(game_id, bea, "dan@example.org")
    by_ada, by_bea = letters(game_id, "invitation")
    assert (by_ada.data["to"], by_bea.data["to"]) == ("cyd@example.org", "dan@example.org")
    assert "ada has reserved a seat for you" in text_of(by_ada)
    assert "bea has reserved a seat for you" in text_of(by_bea)


def test_an_invitation_begins_with_the_hosts_line_and_says_who_plays_and_how_long(ada: UUID, bea: UUID) -> None:
    guest = {"email": "cyd@example.org", "greeting": "  Hi Cyd!\n\n Shall we  play again?\r\nIt's been years."}
    game_id = open_game(ada, wanted(ME, OPEN, guest, {"bot": "level-2"}, clock={"per_move": "PT6H"})).game_id
    take_seat(game_id, bea)
    (letter,) = letters(game_id, "invitation")
    written = composed(letter)
    assert written
    mail = message_from_bytes(written.message, policy=policy.default)
    assert mail["Subject"] == "ada invites you: Sternenhimmel with bea"
    body = mail.get_body(("html",))
    assert body
    assert all(name in body.get_content() for name in exhibition("sternenhimmel", today()).names)  # a demo game
    text = text_of(letter)
    assert text.startswith("“Hi Cyd!\nShall we play again?\nIt's been years.”\n– ada\n")
    assert "“Hi Cyd!<br>\nShall we play again?<br>\nIt&#39;s been years.”" in body.get_content().replace("\r", "")
    turns = -(-sum(len(board.spaces) for board in BOARDS.values()) // 4)
    assert f"At the table: ada, bea, the bot {load(game_id).names[3]} (Level 2)" in text
    assert f"about {turns} turns, " in text
    days = -(-turns * 3 * 6 // 24)  # three people, since a bot takes no time
    assert f"Duration: about {days} days if each player moves within 6 hours" in text
    page = mail.get_body(("html",)).get_content()
    assert page.index('class="play"') < page.index("<img")


def test_the_subject_of_an_invitation_names_the_title_at_most_in_part(ada: UUID) -> None:
    for title, known_as in (
        ("Winter", "Winter (Sternenhimmel)"),
        ("Sternenhimmel", "Sternenhimmel"),
        ("Wonderful " * 8, "Wonderful Wonderful Wonderful Wonderful… (Sternenhimmel)"),
        ("See stars.example now", "Sternenhimmel"),
    ):
        game_id = open_game(ada, wanted(ME, OPEN, {"email": "cyd@example.org"}, title=title)).game_id
        written = composed(letters(game_id, "invitation")[0])
        assert written
        subject = message_from_bytes(written.message, policy=policy.default)["Subject"]
        assert subject == f"ada invites you: {known_as}"
