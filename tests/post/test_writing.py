"""Letters are written when they are carried: what they say is true then."""

from email import message_from_bytes, policy
from uuid import UUID

import pytest

from server.accounts.calendars import time_zone
from server.accounts.sign_in import CODE_LIFE, begin_sign_in
from server.play.games import open_game
from server.play.seats import invite, leave, take_seat
from server.play.votes import vote
from server.post.letters import compose
from server.post.wording import moment
from server.store.tables import LetterRow, PlayerLetterRow, db
from tests.support.games import (
    BOT,
    DAY,
    HOUR,
    ME,
    OPEN,
    everything_due_happens,
    game_of,
    later,
    letters,
    moves_on,
    seats_of,
    wanted,
)

UTC = time_zone("UTC")


pytestmark = pytest.mark.usefixtures("within")


def text_of(letter: LetterRow | PlayerLetterRow) -> str:
    """The plain text of a letter that is written now."""
    written = compose(letter, "https://stars.example")
    assert written is not None
    body = message_from_bytes(written.message, policy=policy.default).get_body(("plain",))
    text: str = body.get_content()
    return text.replace("\r\n", "\n")


# What has happened


def test_what_a_bot_did_for_an_absent_person_is_told_as_news(ada: UUID, bea: UUID) -> None:
    ladder = [{"do": "bot-move", "bot": "greedy", "times": 1}, {"do": "bot-takes-over", "bot": "greedy"}]
    game_id = game_of(ada, bea, bots=1, on_timeout=ladder)
    later(2 * DAY)
    everything_due_happens()
    moves_on(game_id, bea)
    everything_due_happens()
    assert "the bot greedy moved instead" in text_of(letters(game_id, "your-turn")[-1])


def test_so_is_what_the_bot_did_that_had_taken_his_seat(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    everything_due_happens()
    take_seat(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    news = text_of(letters(game_id, "your-turn")[-1])
    assert news.startswith("ada, it is your turn.")
    assert "- The bot greedy plays for ada now." in news
    assert "- ada is back." in news


def test_more_time_is_no_move_of_ones_own(ada: UUID, bea: UUID) -> None:
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
    assert "- ada put" not in news


# Turns


def test_a_letter_for_a_turn_tells_the_due_time_of_now(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    later(2 * DAY)
    everything_due_happens()
    due_at = seats_of(game_id)[0].due_at
    assert f"Please move by {moment(due_at, UTC)}." in text_of(letters(game_id, "your-turn")[0])


def test_a_letter_for_a_turn_that_was_answered_says_so_and_asks_for_nothing(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    moves_on(game_id, ada)
    text = text_of(letters(game_id, "your-turn")[0])
    assert "\nThis turn has been answered meanwhile.\n" in text
    assert "https://stars.example/t/" in text
    assert "lease move" not in text


def test_so_does_one_for_a_turn_that_waits_for_nobody_any_more(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    (letter,) = letters(game_id, "your-turn")
    leave(game_id, ada)
    assert 'The bot "greedy" has taken your seat meanwhile.' in text_of(letter)
    take_seat(game_id, ada)
    for wish, words in (("pause", "paused"), ("abandon", "abandoned")):
        for who in (ada, bea):
            vote(game_id, who, wish, True)
        db.session.execute(db.delete(LetterRow).where(LetterRow.version > letter.version))  # these have been carried
        assert f"The game has been {words} meanwhile." in text_of(letter)


def test_a_letter_for_a_turn_that_is_over_is_not_needed_once_a_newer_one_waits(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    moves_on(game_id, ada)
    (of_ada,) = letters(game_id, "your-turn")[:1]
    assert text_of(of_ada)  # that which waits by now is bea's
    moves_on(game_id, bea)
    everything_due_happens()
    assert compose(of_ada, "https://stars.example") is None


def test_nobody_is_reminded_while_the_game_is_paused(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    later(DAY + HOUR)
    everything_due_happens()
    (reminder,) = letters(game_id, "reminder")
    assert text_of(reminder)
    for who in (ada, bea):
        vote(game_id, who, "pause", True)
    assert compose(reminder, "https://stars.example") is None


# Signing in


def test_a_code_that_is_good_no_longer_is_not_sent() -> None:
    begin_sign_in("ada@example.org", "en", None)
    (letter,) = db.session.scalars(db.select(PlayerLetterRow))
    assert letter.data["code"] in text_of(letter)
    later(CODE_LIFE)
    assert compose(letter, "https://stars.example") is None


# Invitations


def test_an_invitation_names_whoever_invites(ada: UUID, bea: UUID) -> None:
    first = {"email": "cyd@example.org"}
    game_id = open_game(ada, wanted(ME, OPEN, OPEN, first, BOT)).game_id
    take_seat(game_id, bea)
    invite(game_id, bea, "dan@example.org")
    by_ada, by_bea = letters(game_id, "invitation")
    assert (by_ada.data["to"], by_bea.data["to"]) == ("cyd@example.org", "dan@example.org")
    assert "ada keeps a seat for you" in text_of(by_ada)
    assert "bea keeps a seat for you" in text_of(by_bea)
