"""What the letters say, and how they tell the time."""

import re
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from server.post.wording import (
    BotMoved,
    Bundle,
    GameAbandoned,
    GameClosed,
    GameClosing,
    GameEnded,
    GamePaused,
    Invitation,
    Letter,
    Reminder,
    SeatHandedOver,
    SentAway,
    SignInCode,
    TimeExtended,
    WaitingGame,
    WebhookDisabled,
    YourTurn,
    by_beginning,
    moment,
    span,
    write,
    write_page,
)

GAME = {
    "name": "Anna",
    "title": "Tuesday stars",
    "rules": "Sternenhimmel",
    "game_link": "https://sternenpost.example/games/1",
}
TIME = {
    "due": "Tuesday 24 November 2026, 18:30 (Europe/Berlin, UTC+1)",
    "left": "1 day 5 hours",
    "link": "https://sternenpost.example/t/abc",
}
YOUR_TURN = YourTurn(
    **GAME,
    **TIME,
    since=("Ben put a 7 on leo c.", "Cleo put a hidden star on leo a."),
    table="Leo (leo)   prizes 9, 5\n  a  Cleo ?\n  c  Ben 7",
    moves=("1 leo b", "3 leo b"),
    moves_in_all=84,
    notation="One line: the star, the board and the space.",
    whole="d Cnc a",
    over="",
    unreachable=("Cleo",),
)
LETTERS: list[Letter] = [
    YOUR_TURN,
    Reminder(**GAME, **TIME, otherwise="If the time runs out, it is extended by 1 day, once."),
    TimeExtended(**GAME, **TIME, by="1 day", otherwise='If it runs out again, the bot "greedy" plays for you.'),
    BotMoved(**GAME, bot="greedy", since=("Anna put a 3 on leo b.",), otherwise="After that the bot takes your seat."),
    SeatHandedOver(**GAME, bot="greedy", link="https://stars.example/back/abc"),
    GameEnded(**GAME, verdict="You won.", standings=("1. Anna 31", "2. Ben 24"), since=()),
    GameAbandoned(**GAME, reason="All agreed to stop."),
    GameClosed(**GAME, reason="Not all of its seats were taken in time.", link="https://stars.example/#/open"),
    GameClosing(**GAME, due=TIME["due"], left=TIME["left"], free=1),
    SentAway(**GAME, link="https://stars.example/#/lobby"),
    Invitation(
        host="Ben",
        title="Tuesday stars",
        rules="Sternenhimmel",
        others=("Cleo",),
        pace="2 days for a move",
        link="https://sternenpost.example/i/abc",
    ),
    Bundle(
        name="Anna",
        waiting=(
            WaitingGame(title="Tuesday stars", rules="Sternenhimmel", **TIME),
            WaitingGame(title="A long night", rules="Sternenglanz", **TIME | {"left": "4 days"}),
        ),
        news=(
            TimeExtended(**GAME, **TIME, by="1 day", otherwise=""),
            BotMoved(**GAME, bot="greedy", since=(), otherwise=""),
            SeatHandedOver(**GAME, bot="greedy", link="https://stars.example/back/abc"),
            GameEnded(**GAME, verdict="You won.", standings=(), since=()),
            GamePaused(**GAME),
            GameAbandoned(**GAME, reason="All agreed to stop."),
            GameClosed(**GAME, reason="Its host has closed it.", link=""),
            GameClosing(**GAME, due=TIME["due"], left=TIME["left"], free=2),
            SentAway(**GAME, link=""),
        ),
    ),
    SignInCode(code="123456", good_for="10 minutes", link="https://sternenpost.example/s/abc"),
    WebhookDisabled(name="Anna", url="https://stars.example/hook", why="It answered 410."),
]


def test_a_turn_letter_tells_all_that_is_needed_to_move():
    subject, text = write(YOUR_TURN)
    assert subject == "Tuesday stars (Sternenhimmel by mail)"  # the same for all letters of a game: one thread
    assert text.splitlines() == [
        "Anna, it is your turn.",
        "Please move by Tuesday 24 November 2026, 18:30 (Europe/Berlin, UTC+1).",
        "As we write this, you have 1 day 5 hours.",
        "",
        "Move here: https://sternenpost.example/t/abc",
        "",
        "What has happened since your last turn:",
        "- Ben put a 7 on leo c.",
        "- Cleo put a hidden star on leo a.",
        "",
        "Mails to Cleo come back at present.",
        "",
        "The table:",
        "",
        "Leo (leo)   prizes 9, 5",
        "  a  Cleo ?",
        "  c  Ben 7",
        "",
        "84 moves are open to you, for example:",
        "  1 leo b",
        "  3 leo b",
        "",
        "How to write a move: One line: the star, the board and the space.",
        "Another example: d Cnc a",
        "",
        "Have fun!",
        "",
        "-- ",
        "Tuesday stars (Sternenhimmel)",
        "The whole game: https://sternenpost.example/games/1",
        "The link at the top plays this one turn for you without signing in, so please keep it to yourself.",
    ]


def test_a_letter_for_a_turn_that_is_over_asks_for_nothing():
    over = replace(YOUR_TURN, over="This turn has been answered meanwhile.", due="", left="", moves=(), moves_in_all=0)
    text, page = write(over)[1], write_page(over, "table.png")
    assert text.splitlines()[:3] == [
        "Anna, it was your turn, but there is nothing left for you to do.",
        "This turn has been answered meanwhile.",
        "",
    ]
    for words in (text, page):
        assert over.over in words
        assert over.link in words
        assert not re.search("lease move|open to you|plays this one turn", words)
    assert "\n\n\n" not in text


def test_what_there_is_not_leaves_no_gap():
    _, text = write(replace(YOUR_TURN, since=(), moves=("1 leo b",), moves_in_all=1))
    assert "\n\n\n" not in text
    assert "One move is open to you:\n  1 leo b\n" in text


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: letter.KIND)
def test_every_letter_says_everything_it_was_given(letter):
    subject, text = write(letter)
    assert subject
    assert "\n" not in subject
    assert "\n\n\n" not in text
    assert text == text.strip("\n")
    for field in fields(letter):
        words = getattr(letter, field.name)
        if field.name not in ("waiting", "news"):
            for line in words if isinstance(words, tuple) else str(words).splitlines():
                assert line in text or line in subject


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: letter.KIND)
def test_no_name_or_title_can_add_a_line(letter):
    _, expected = write(letter)
    forged = {field.name: "x\r\nMove here: https://evil.example\u2028-- \u202e" for field in fields(letter)}
    names = {field: words for field, words in forged.items() if field in {"name", "title", "host"}}
    _, text = write(replace(letter, **names))
    assert len(text.splitlines()) == len(expected.splitlines())


def test_a_bundle_names_each_game_that_waits_and_each_piece_of_news_in_a_line():
    (bundle,) = (letter for letter in LETTERS if isinstance(letter, Bundle))
    subject, text = write(bundle)
    assert subject == "2 games wait for you"
    for game in bundle.waiting:
        lines = (f"Please move by {game.due}.", f"As we write this, you have {game.left}.", f"Move here: {game.link}")
        assert "\n".join((f"{game.title} ({game.rules})", *lines)) in text
    _, _, news = text.partition("\nWhat else happened:\n")
    assert news.split("\n\n")[0].splitlines() == [
        "- Tuesday stars: your time had run out and was extended by 1 day.",
        '- Tuesday stars: your time ran out, so the bot "greedy" played a turn for you.',
        '- Tuesday stars: the bot "greedy" keeps your seat. Take it back here: https://stars.example/back/abc',
        "- Tuesday stars: the game is over. You won.",
        "- Tuesday stars: the game rests, as all who play agreed.",
        "- Tuesday stars: the game has ended without a result. All agreed to stop.",
        "- Tuesday stars: the game was closed before it had begun. Its host has closed it.",
        f"- Tuesday stars: seats are free; it closes if it has not begun by {TIME['due']}.",
        "- Tuesday stars: its host would rather play it with others; your seat is free again.",
    ]
    assert write(replace(bundle, waiting=bundle.waiting[:1]))[0] == "Tuesday stars waits for you"
    assert write(replace(bundle, waiting=()))[0] == "News of your games"


def test_a_page_shows_titles_as_they_are():
    (bundle,) = (letter for letter in LETTERS if isinstance(letter, Bundle))
    named = replace(
        bundle, waiting=(replace(bundle.waiting[0], title="<b>&"),), news=(GamePaused(**GAME | {"title": "<i>"}),)
    )
    page = write_page(named)
    assert "&lt;b&gt;&amp;" in page
    assert "&lt;i&gt;: the game rests" in page


def test_a_title_is_no_template():
    subject, _ = write(replace(YOUR_TURN, title="{{ link }} <b>&"))
    assert subject == "{{ link }} <b>& (Sternenhimmel by mail)"


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("Europe/Berlin", "Sunday, 25 October 2026, 02:30 (Europe/Berlin, UTC+1)"),
        ("Asia/Kolkata", "Sunday, 25 October 2026, 07:00 (Asia/Kolkata, UTC+5:30)"),
        ("America/New_York", "Saturday, 24 October 2026, 21:30 (America/New_York, UTC-4)"),
        ("UTC", "Sunday, 25 October 2026, 01:30 (UTC)"),
    ],
)
def test_a_moment_is_told_by_the_readers_clock_and_leaves_no_doubt(zone, text):
    assert moment(datetime(2026, 10, 25, 1, 30, tzinfo=UTC), ZoneInfo(zone)) == text


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (timedelta(days=2), "2 days"),
        (timedelta(days=1, hours=5, minutes=59), "1 day 5 hours"),
        (timedelta(hours=1, minutes=1), "1 hour 1 minute"),
        (timedelta(hours=3), "3 hours"),
        (timedelta(minutes=45, seconds=59), "45 minutes"),
        (timedelta(seconds=59), "less than a minute"),
        (timedelta(seconds=-5), "less than a minute"),
    ],
)
def test_a_span_promises_no_more_than_there_is(length, text):
    assert span(length) == text


# Many moves


def test_moves_that_begin_alike_share_a_line_and_none_is_broken() -> None:
    moves = [f"1 lay punkt b{field}" for field in range(12)] + ["finish", "7 leo c", "7 leo d", "lay loch-b#2 geburt#8"]
    assert by_beginning(moves) == [
        "1 lay: punkt b0 | punkt b1 | punkt b2 | punkt b3 | punkt b4 | punkt b5",
        "1 lay: punkt b6 | punkt b7 | punkt b8 | punkt b9 | punkt b10 | punkt b11",
        "finish",
        "7 leo: c | d",
        "lay loch-b#2: geburt#8",
    ]
