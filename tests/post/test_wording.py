"""The texts of letters, and how they show times."""

import re
from collections.abc import Iterator
from dataclasses import fields, replace
from datetime import UTC, datetime, timedelta
from functools import reduce
from html import unescape
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from flask import Flask
from flask_babel import force_locale

from server.games import SeededDice, sternenglanz
from server.games import presentation as text
from server.post.incoming.automatic_mail import is_automatic
from server.post.incoming.html_text import lines_of_page
from server.post.incoming.mime import head_and_body
from server.post.incoming.quotes import MARK
from server.post.letters.account import (
    DeletionCode,
    NewAddressCode,
    NewApp,
    OldAddressCode,
    SignInCode,
    WebhookDisabled,
)
from server.post.letters.answers import Answer
from server.post.letters.chat import Chat
from server.post.letters.games import (
    GameAbandoned,
    GameBegun,
    GameClosed,
    GameClosing,
    GameEnded,
    GamePaused,
    MoveTakenBack,
    NewMessages,
    TakeBackAsked,
    VoteAsked,
    VoteRefused,
)
from server.post.letters.seats import Invitation, SeatHandedOver, SeatTakenOver, SentAway, StandIn, StandInAsked
from server.post.letters.several import ListedTurn, TurnOfSeveral, YourTurns
from server.post.letters.turns import BotMoved, Reminder, TimeExtended, YourTurn
from server.post.wording import (
    Letter,
    Picture,
    answer_above,
    by_beginning,
    counted,
    moment,
    short_span,
    span,
    wrapped,
    write,
    write_page,
)
from server.translations import LOCALES
from tests.post.test_languages import KINDS, variants

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
    unreachable=("Cleo",),
)
SEVERAL = YourTurns(
    name="Anna",
    turns=tuple(
        TurnOfSeveral(
            **vars(replace(YOUR_TURN, line="7 leo c")),
            number=number,
            short=f"{number} Sternenhimmel",
            answer=f"{number}@stars.example",
            picture="a.png",
            alt="A",
        )
        for number in (1, 2)
    ),
)
ANSWER = Answer(
    **GAME,
    **TIME,
    played="7 leo c",
    since=("Anna put a 7 on leo c.",),
    done=(),
    wrong="This isn't quite the right form.",
    line="7 leo",
    confirm="confirm 0123456789",
    asked=("resign",),
    stranger="",
    doubt="",
    how=(),
    hints=(("7 leo c", "The best:"), ("5 leo d", "About 2 points less:")),
    table="",
    moves=(),
    back="",
    last="",
)
CODE = {"code": "123456", "good_for": "10 minutes", "link": "https://sternenpost.example/s/abc"}
ASKED = {"who": "Ben", "agree": "agree", "due": TIME["due"], "left": TIME["left"]}
REQUEST = {"request": "Ben asks for a pause.", "effect": "The game will pause as soon as everyone agrees."}
LETTERS: list[Letter] = [
    YOUR_TURN,
    Reminder(**GAME, **TIME, in_short="1 day", otherwise="If your time runs out, you get 1 day more."),
    TimeExtended(**GAME, **TIME, by="1 day", otherwise="If it runs out again, the bot Greedy plays for you."),
    BotMoved(**GAME, bot="Greedy", since=("Anna put a 3 on leo b.",), otherwise="After that the bot plays for you."),
    SeatHandedOver(**GAME, bot="Greedy", link="https://stars.example/back/abc"),
    GameEnded(
        **GAME,
        verdict="You won.",
        standings=(("1.", "Anna", "31 coins"), ("2.", "Ben", "24 coins")),
        decision="The lead grew most in Leo, where Anna gained 7 coins more than Ben.",
        since=(),
        own="Your coins by constellation: Leo +9.",
        show="show",
        review="review",
        again='Reply "rematch" to play again with the same players.',
    ),
    TakeBackAsked(**GAME, **ASKED, since=("Ben put a 7 on leo c.",)),
    VoteAsked(**GAME, **REQUEST, agree="pause"),
    VoteRefused(**GAME, refusal="Ben doesn't want to pause now.", effect=REQUEST["effect"]),
    MoveTakenBack(**GAME, who="Ben"),
    NewMessages(**GAME, chat=Chat(messages=(("| Ben: Hello",),), more=0, say="say")),
    GameAbandoned(**GAME, reason="All agreed to stop."),
    GameClosed(**GAME, reason="Not all seats were taken in time.", link="https://stars.example/#/open"),
    GameBegun(**GAME, first="All are here: Ben begins.", time="Ben has 2 days to move.", table="The board"),
    GameClosing(**GAME, due=TIME["due"], left=TIME["left"], free=1, inviting="invite name@example.org 2"),
    GameClosing(
        **GAME,
        due=TIME["due"],
        left=TIME["left"],
        free=1,
        inviting="invite name@example.org 2",
        filling="fill 2",
        declined="Kim has declined your invitation.",
        words=("No, sorry, I'm too busy.", "Love, Kim"),
    ),
    SentAway(**GAME, link="https://stars.example/#/lobby"),
    StandIn(**GAME, what="began", said="Ben is playing for you.", more="You can watch.", off="stand-in off"),
    SeatTakenOver(**GAME),
    StandInAsked(
        who="Ben",
        title="Tuesday stars",
        rules="Sternenhimmel",
        begin=TIME["due"],
        end=TIME["due"],
        introduction="Place stars.",
        terms=("Pace: 2 days per turn", "Expect about 3 turns"),
        greeting=("Shall we?",),
        signed=False,
        link="https://sternenpost.example/s/abc",
        shown="The seat will show both names.",
    ),
    Invitation(
        host="Ben",
        title="Tuesday stars",
        rules="Sternenhimmel",
        others=("Cleo", "the bot Level 2"),
        terms=("Pace: 2 days per move", "Your time: about 15 turns, 30 minutes in all"),
        known_as="Sternenhimmel with Cleo",
        greeting=("Time for another round?",),
        link="https://sternenpost.example/i/abc",
        introduction="Light up the constellations.",
        free=2,
    ),
    SEVERAL,
    replace(
        SEVERAL,
        listed=(
            ListedTurn(
                number=3,
                short="3 A long night",
                title="A long night",
                rules="Sternenglanz",
                **TIME | {"left": "4 days"},
            ),
        ),
        news=(
            TimeExtended(**GAME, **TIME, by="1 day", otherwise=""),
            BotMoved(**GAME, bot="Greedy", since=(), otherwise=""),
            SeatHandedOver(**GAME, bot="Greedy", link="https://stars.example/back/abc"),
            GameEnded(**GAME, verdict="You won.", standings=(), since=(), own="", show="", review="", again=""),
            GamePaused(**GAME, resume="resume"),
            TakeBackAsked(**GAME, **ASKED, since=()),
            VoteAsked(**GAME, **REQUEST, agree=""),
            MoveTakenBack(**GAME, who="Ben"),
            GameAbandoned(**GAME, reason="All agreed to stop."),
            GameClosed(**GAME, reason="The host closed the game.", link=""),
            GameClosing(**GAME, due=TIME["due"], left=TIME["left"], free=2, inviting="invite name@example.org 2"),
            SentAway(**GAME, link=""),
            StandIn(**GAME, what="began", said="Ben is playing for you.", more=""),
            SeatTakenOver(**GAME),
        ),
    ),
    SignInCode(**CODE),
    DeletionCode(**CODE),
    OldAddressCode(**CODE, address="anna@stars.example"),
    NewAddressCode(**CODE),
    NewApp(
        name="Anna",
        app="Night Watch",
        address="https://watch.example",
        rights=("play for you",),
        game="https://stars.example/#/games/1",
        link="https://stars.example/app/abc",
    ),
    WebhookDisabled(name="Anna", url="https://stars.example/hook", why="The address responded with 410."),
]


def test_the_email_about_a_turn_contains_everything_needed_to_move():
    subject, text = write(YOUR_TURN)
    assert subject == "Your turn: Tuesday stars"
    assert text.splitlines() == [
        "Anna, it's your turn.",
        "Please move by Tuesday 24 November 2026, 18:30 (Europe/Berlin, UTC+1).",
        "When we sent this, you had 1 day 5 hours left.",
        "",
        "Move here: https://sternenpost.example/t/abc",
        "",
        "Since your last turn:",
        "- Ben put a 7 on leo c.",
        "- Cleo put a hidden star on leo a.",
        "",
        "Emails to Cleo are bouncing.",
        "",
        "The table:",
        "",
        "Leo (leo)   prizes 9, 5",
        "  a  Cleo ?",
        "  c  Ben 7",
        "",
        "84 possible moves, for example:",
        "  1 leo b",
        "  3 leo b",
        "",
        "How to write a move: One line: the star, the board and the space.",
        "",
        "-- ",
        "Tuesday stars (Sternenhimmel)",
        "The game: https://sternenpost.example/games/1",
        "Anyone with the link at the top can play this turn without signing in,",
        "so please don't share it.",
    ]


def test_an_email_has_no_gaps_where_optional_parts_are_missing():
    _, text = write(replace(YOUR_TURN, since=(), moves=("1 leo b",), moves_in_all=1))
    assert "\n\n\n" not in text
    first = replace(YOUR_TURN, since=(), first="Win.", line="7 leo c", is_first=True)
    _, begun = write(first, mark="##")
    assert begun.startswith(
        '##\n\nAnna, it\'s your turn.\n\nWin.\n\nReply with a line such as "7 leo c".\n\nPlease move'
    )
    several = TurnOfSeveral(**vars(first), number=1, short="", answer="1@stars.example", picture="a.png", alt="A")
    assert "\n\n\n" not in write(YourTurns(name="Anna", turns=(several,)))[1].replace("\n\n\n== ", "")
    assert "Your only possible move:\n  1 leo b\n" in text


def test_a_title_that_is_the_name_of_its_rules_stands_alone():
    _, text = write(replace(YOUR_TURN, title=YOUR_TURN.rules))
    assert "\n-- \nSternenhimmel\nThe game: " in text


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: letter.template)
def test_every_email_contains_all_the_data_it_was_given(letter):
    subject, text = write(letter, mark="##")
    assert subject
    assert "\n" not in subject
    assert "\n\n\n" not in text
    assert text == text.strip("\n")
    for field in fields(letter):
        words = getattr(letter, field.name)
        if field.name not in ("listed", "news", "turns", "images", "chat", "signed", "again", "is_first", "what"):
            for line in words if isinstance(words, tuple) else str(words).splitlines():
                line = " ".join(line) if field.name == "standings" else line
                assert line in " ".join(text.split()) or line in text or line in subject


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: letter.template)
def test_a_name_or_title_cannot_add_a_line(letter):
    _, expected = write(letter)
    forged = {field.name: "x\r\nMove here: https://evil.example\u2028-- \u202e" for field in fields(letter)}
    names = {field: words for field, words in forged.items() if field in {"name", "title", "host"}}
    _, text = write(replace(letter, **names))
    assert text.count("\n\n") == expected.count("\n\n")
    assert text.splitlines().count("-- ") == expected.splitlines().count("-- ")
    assert "\nMove here: https://evil" not in text


def test_a_bundle_lists_each_waiting_game_and_each_news_item_on_its_own_line():
    (bundle,) = (letter for letter in LETTERS if isinstance(letter, YourTurns) and letter.news)
    subject, text = write(bundle)
    assert subject == "Your turn in 3 games"
    assert re.findall(r"\n== (.+) ==\n", text) == [
        "1 Tuesday stars (Sternenhimmel)",
        "2 Tuesday stars (Sternenhimmel)",
        "3 A long night (Sternenglanz)",
    ]
    (game,) = bundle.listed
    lines = (f"Please move by {game.due}.", f"When we sent this, you had {game.left} left.", f"Move here: {game.link}")
    assert "\n".join(("== 3 A long night (Sternenglanz) ==\n", *lines, "\nOther news:\n")) in text
    _, _, news = text.partition("\nOther news:\n")
    assert re.sub(r"\n +", " ", news.split("\n\n")[0]).splitlines() == [
        "- Tuesday stars: your time ran out and was extended by 1 day.",
        "- Tuesday stars: your time ran out. The bot Greedy played a turn for you.",
        "- Tuesday stars: the bot Greedy is playing for you. Take your seat back here: https://stars.example/back/abc",
        "- Tuesday stars: the game is over. You won.",
        "- Tuesday stars: the game is paused. Everyone agreed.",
        f"- Tuesday stars: Ben is asking to take back a move. You can agree until {TIME['due']}.",
        "- Tuesday stars: Ben asks for a pause.",
        "- Tuesday stars: Ben took back a move. Your turn is over.",
        "- Tuesday stars: the game has ended without a result. All agreed to stop.",
        "- Tuesday stars: the game was closed before it started. The host closed the game.",
        f"- Tuesday stars: there are free seats. The game will close unless it starts by {TIME['due']}.",
        "- Tuesday stars: the host would rather play with others. Your seat is free again.",
        "- Tuesday stars: Ben is playing for you.",
        "- Tuesday stars: a player has taken over your seat from the bot.",
    ]
    assert write(replace(bundle, turns=bundle.turns[:1], listed=()))[0] == "Your turn: Tuesday stars"
    subject, text = write(replace(bundle, turns=(), listed=()))
    assert subject == "News from your games"
    assert text.startswith("Anna, you have nothing to do right now.\n\nNews:\n- Tuesday stars: your time ran out")


def test_the_html_shows_titles_as_they_were_typed():
    (bundle,) = (letter for letter in LETTERS if isinstance(letter, YourTurns) and letter.news)
    named = replace(
        bundle,
        turns=(replace(bundle.turns[0], title="<b>&"),),
        news=(GamePaused(**GAME | {"title": "<i>"}, resume="resume"),),
    )
    page = write_page(named)
    assert "&lt;b&gt;&amp;" in page
    assert "&lt;i&gt;: the game is paused" in page


def test_a_date_in_the_html_stays_on_one_line_and_a_link_stays_as_it_is() -> None:
    about = GAME | {"title": "Trip 2027-07-01..2027-07-14"}
    page = write_page(SeatHandedOver(**about, bot="Greedy", link="https://stars.example/2027-07-01"))
    head, _, body = page.partition("</head>")
    assert '<span class="whole">2027-07-01..2027-07-14</span>' in body and "<span" not in head
    assert 'href="https://stars.example/2027-07-01"' in body


def test_an_email_address_in_the_html_is_marked_and_a_link_stays_as_it_is() -> None:
    about = GAME | {"title": "Ask ann-marie.o-neill@long-name.stars-and-more.example-post.org, or ann@x.org"}
    written = write_page(
        SeatHandedOver(**about, bot="Greedy", link="https://ann-lee@stars.example/"), desk="post@mx-1.org"
    )
    head, _, body = written.partition("</head>")
    for address in ("ann-marie.o-neill@long-name.stars-and-more.example-post.org", "ann@x.org", "post@mx-1.org"):
        assert f'<span class="address">{address}</span>' in body
    assert "<span" not in head
    assert 'href="https://ann-lee@stars.example/"' in body and 'href="mailto:post@mx-1.org"' in body
    assert f"{about['title']}" in " ".join(line.text for line in lines_of_page(written))


def test_the_html_shows_the_same_table_as_the_text_without_wrapping_lines() -> None:
    table = "Leo (leo, Leo): prizes 9, 5\n  a large: Cleo, face down - next to b, c, d,\n    e\n\nAnna: coins 3\nBen: coins 5"
    for letter in (replace(YOUR_TURN, table=table), replace(ANSWER, table=table)):
        lines = [line.text for line in lines_of_page(write_page(letter))]
        told = lines[lines.index("The table in words") + 1 :]
        assert [line for line in told if line][:4] == [
            "Leo (leo, Leo): prizes 9, 5",
            "a large: Cleo, face down - next to b, c, d, e",
            "Anna: coins 3",
            "Ben: coins 5",
        ]


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
def test_sentences_do_not_touch_where_a_program_drops_the_tags(kind: type[Any]) -> None:
    for letter in variants(kind):
        page = write_page(letter, Picture("x.png"), answer_above(), "https://stars.example/stop", "post@stars.example")
        words = re.sub("<[^>]+>", "", page.partition("</style>")[2])
        assert re.findall(r"[.!?)][A-Z]\w+", words) == []


def test_a_hidden_picture_has_alternative_text() -> None:
    page = write_page(YOUR_TURN, Picture("x.png", 'Sternenhimmel: Leo. coins: "Ada" 1'))
    assert 'alt="Sternenhimmel: Leo. coins: &#34;Ada&#34; 1"' in page


def crowded() -> Iterator[tuple[Any, list[Any]]]:
    """Tables of Sternenglanz, each with the moves that are open there."""
    for scenario in (1, 4):
        dice, chance = SeededDice(bytes(32), [""] * 4), Random(scenario)
        options = sternenglanz.resolve_options({"scenario": scenario}, 4)
        state = reduce(sternenglanz.apply, sternenglanz.setup(4, options, dice), None)
        while waited_for := sternenglanz.to_act(state):
            moves = sternenglanz.legal_moves(state, min(waited_for))
            yield state, moves
            state = reduce(
                sternenglanz.apply, sternenglanz.decide(state, min(waited_for), chance.choice(moves), dice), state
            )


def test_no_html_is_so_long_that_a_mail_program_truncates_it() -> None:
    state, moves = max(crowded(), key=lambda it: len(it[1]))
    assert len(moves) > 400
    names = [f"{place} {'Donaudampfschiff' * 4}"[:40] for place in range(4)]
    letter = replace(
        ANSWER,
        confirm="",
        since=("Somebody laid a Leuchtstern on a field, and much else came of it, " * 3,) * 61,
        table=text.table("sternenglanz", sternenglanz.view(state, 0), names, "de"),
        moves=tuple(by_beginning([sternenglanz.write_move(move) for move in moves])),
    )
    page = write_page(letter, Picture("x.png"), answer_above(), "https://stars.example/stop")
    assert len(page.encode()) < 60 * 1024  # of 102 KB, above which some do


@pytest.mark.parametrize("template", ["invitation", "stand-in-asked"])
def test_the_html_of_an_invitation_has_a_button_for_each_answer(template: str) -> None:
    (letter,) = (it for it in LETTERS if it.template == template)
    page = write_page(letter)
    link = letter.link  # type: ignore[attr-defined]  # these letters have one
    assert f'<a class="play" href="{link}">' in page
    assert f'<a class="play no" href="{link}#no">No, thanks</a>' in page


def test_the_text_of_an_invitation_says_who_invites_before_the_game_is_explained() -> None:
    said = {
        "invitation": "Ben invites you to play",
        "stand-in-asked": "Ben asks you to stand in for a few days in a game of",
    }
    for letter in (it for it in LETTERS if it.template in said):
        text = write(letter)[1]
        assert f"{said[letter.template]} Sternenhimmel.\n{letter.introduction}\n\n" in text  # type: ignore[attr-defined]  # invitations have one


# In an inbox


def test_subjects_say_what_the_email_is_about() -> None:
    def subject(letter: Letter, **changes: Any) -> str:
        return write(replace(letter, **changes))[0]

    by_kind = {letter.template: letter for letter in LETTERS}
    assert subject(by_kind["reminder"]) == "1 day left: Tuesday stars"
    assert subject(by_kind["game-ended"]) == "You won: Tuesday stars"
    assert subject(by_kind["invitation"]) == "Ben invites you: Sternenhimmel with Cleo"
    assert subject(by_kind["take-back-asked"]) == "Ben asks to take back a move: Tuesday stars"
    assert subject(ANSWER) == "Please confirm: Tuesday stars"
    assert subject(ANSWER, confirm="") == "Move played: Tuesday stars"
    assert subject(ANSWER, confirm="", played="") == "Please check: Tuesday stars"
    assert subject(ANSWER, confirm="", played="", wrong="") == "Reply: Tuesday stars"


@pytest.mark.parametrize("locale", LOCALES)
def test_each_kind_has_its_own_subject_that_no_program_mistakes_for_a_delivery_report(app: Flask, locale: str) -> None:
    with app.app_context(), force_locale(locale):
        subjects = [write(letter)[0] for letter in LETTERS]
    assert len(set(subjects)) == len(LETTERS)
    for subject in subjects:
        head, _ = head_and_body(f"From: ada@example.org\r\nSubject: Re: {subject}\r\n\r\n".encode())
        assert not is_automatic(head)


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (timedelta(hours=2, minutes=59, seconds=58), "3 hours"),
        (timedelta(hours=2, minutes=40), "2 hours"),
        (timedelta(hours=29), "1 day"),
        (timedelta(days=1, hours=23, minutes=59), "2 days"),
        (timedelta(minutes=14), "14 minutes"),
    ],
)
def test_a_subject_has_the_time_left_in_one_unit(length: timedelta, text: str) -> None:
    assert short_span(length) == text


def preheader(page: str) -> str:
    """What an inbox shows of the letter beside its subject, without the blanks that keep the rest away."""
    found = re.search('<div style="display:none;.*?">(.*?)</div>', page, re.DOTALL)
    assert found
    return unescape(found[1]).removesuffix(" ##-").rstrip("\u200c\u00a0")


def test_an_inbox_preview_shows_what_happened_and_the_time_left() -> None:
    shown = preheader(write_page(YOUR_TURN))
    assert shown == f"Cleo put a hidden star on leo a. You have 1 day 5 hours left, until {TIME['due']}."
    assert preheader(write_page(replace(YOUR_TURN, since=()))).startswith(
        "It's your turn. You have 1 day 5 hours left,"
    )


@pytest.mark.parametrize("letter", LETTERS, ids=lambda letter: letter.template)
def test_the_preview_text_is_hidden_in_the_email_and_the_email_does_not_appear_in_the_preview(letter: Letter) -> None:
    page = write_page(letter, mark=answer_above())
    found = re.search("<body>\\s*(<div[^>]*>(.*?)</div>)", page, re.DOTALL)
    assert found
    assert len(unescape(found[2])) >= 150
    for hiding in ("display:none;", "max-height:0;", "opacity:0;", "color:transparent;", "mso-hide:all"):
        assert hiding in found[1]
        only_so = page.replace(
            found[1], f'<div style="{hiding}">{found[2]}</div>'
        )  # a program may take the others away
        assert lines_of_page(only_so) == lines_of_page(page.replace(found[1], ""))
    shown = lines_of_page(page.replace(found[1], f"<div>{found[2]}</div>"))
    assert preheader(page) in shown[0].text
    assert MARK in shown[0].text  # so that it is not attributed to a player


def test_a_title_with_template_syntax_is_shown_as_typed():
    subject, _ = write(replace(YOUR_TURN, title="{{ link }} <b>&"))
    assert subject == "Your turn: {{ link }} <b>&"


@pytest.mark.parametrize(
    ("zone", "text"),
    [
        ("Europe/Berlin", "Sunday, 25 October 2026, 02:30 (Europe/Berlin, UTC+1)"),
        ("Asia/Kolkata", "Sunday, 25 October 2026, 07:00 (Asia/Kolkata, UTC+5:30)"),
        ("America/New_York", "Saturday, 24 October 2026, 21:30 (America/New_York, UTC-4)"),
        ("UTC", "Sunday, 25 October 2026, 01:30 (UTC)"),
    ],
)
def test_a_time_is_shown_unambiguously_in_the_readers_zone(zone, text):
    assert moment(datetime(2026, 10, 25, 1, 30, tzinfo=UTC), ZoneInfo(zone)) == text


@pytest.mark.parametrize(
    ("length", "text"),
    [
        (timedelta(days=2), "2 days"),
        (timedelta(days=1, hours=5, minutes=54), "1 day 5 hours"),
        (timedelta(days=1, hours=23, minutes=56), "2 days"),
        (timedelta(hours=1, minutes=1), "1 hour 1 minute"),
        (timedelta(hours=3), "3 hours"),
        (timedelta(minutes=45, seconds=59), "45 minutes"),
        (timedelta(seconds=59), "less than a minute"),
        (timedelta(seconds=-5), "less than a minute"),
    ],
)
def test_a_time_span_is_rounded_down_except_for_a_few_minutes_of_days(length, text):
    assert span(length) == text


# Many moves


def test_no_line_ends_within_a_quoted_line() -> None:
    line = "1 lay dot star b1"
    for before in range(60, 80):
        for quoted in (f'"{line}"', f"“{line}”", f"„{line}“"):
            assert quoted in wrapped(f"{'x' * before} {quoted}.")


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        ("{} 1 lay dot star b1, 3 remove c1, 1 nova d4. To move a star, go on: 2 move a1 b2 c3.", "3 remove c1"),
        ("{} 1 lay dot star b1, 3 remove c1, 1 nova d4. To move a star, go on: 2 move a1 b2 c3.", "2 move a1 b2 c3"),
        (
            "new sternenhimmel {} 2 days per move with bob@example.org: Opens it.",
            "2 days per move with bob@example.org",
        ),
        ('{} "new sternenhimmel 4 players 2 days per move with bob@example.org"', "4 players 2 days per move with"),
    ],
)
def test_no_line_that_a_reader_may_copy_is_wrapped(words: str, whole: str) -> None:
    for before in range(1, 76):
        begin = "x" * before + ":" * (not words.startswith("new"))
        if not words.startswith("new") or before < 10:
            assert whole in wrapped(f"{'- ' * words.startswith('new')}{words.format(begin)}")


@pytest.mark.parametrize("locale", LOCALES)
def test_lines_of_an_email_fit_into_72_columns_and_items_hang(app: Flask, locale: str) -> None:
    with app.app_context(), force_locale(locale):
        texts = [write(letter, stop="https://x.example/stop")[1] for letter in LETTERS]
    for line in "\n".join(texts).splitlines():
        assert len(line) <= 72 or line.startswith("  ") or "https://" in line, line
    told = "Cleo put a hidden star on leo a, and that is the last star of this constellation."
    assert "\n- Cleo put" in (text := write(replace(YOUR_TURN, since=(told,)))[1])
    assert "last star of this\n  constellation.\n" in text


def test_moves_that_begin_alike_share_a_line_and_no_move_is_wrapped() -> None:
    moves = [f"1 lay punkt b{field}" for field in range(12)] + ["finish", "7 leo c", "7 leo d", "lay loch-b#2 geburt#8"]
    assert by_beginning(moves) == [
        "1 lay: punkt b0 | punkt b1 | punkt b2 | punkt b3 | punkt b4 | punkt b5",
        "1 lay: punkt b6 | punkt b7 | punkt b8 | punkt b9 | punkt b10 | punkt b11",
        "finish",
        "7 leo: c | d",
        "lay loch-b#2 geburt#8",
    ]


@pytest.mark.parametrize(
    ("locale", "first", "eleventh"),
    [
        ("de", "Dienstag, 1. Dezember 2026, 11:00 (UTC)", "Freitag, 11. Dezember 2026, 11:00 (UTC)"),
        ("en", "Tuesday, 1 December 2026, 11:00 (UTC)", "Friday, 11 December 2026, 11:00 (UTC)"),
        ("fr", "mardi 1er décembre 2026, 11:00 (UTC)", "vendredi 11 décembre 2026, 11:00 (UTC)"),
        ("it", "martedì 1º dicembre 2026, 11:00 (UTC)", "venerdì 11 dicembre 2026, 11:00 (UTC)"),
    ],
)
def test_the_first_of_a_month_is_written_idiomatically(app: Flask, locale: str, first: str, eleventh: str) -> None:
    with app.app_context(), force_locale(locale):
        for day, text in ((1, first), (11, eleventh)):
            assert moment(datetime(2026, 12, day, 11, tzinfo=UTC), ZoneInfo("UTC")) == text


@pytest.mark.parametrize(
    ("locale", "text"),
    [
        ("de", "1 Tag 5 Stunden"),
        ("en", "1 day 5 hours"),
        ("fr", "1 jour et 5 heures"),
        ("it", "1 giorno e 5 ore"),
    ],
)
def test_a_duration_is_written_idiomatically(app: Flask, locale: str, text: str) -> None:
    with app.app_context(), force_locale(locale):
        assert span(timedelta(hours=29)) == text
        assert span(timedelta(days=1)) in text


def test_the_result_has_a_button_for_a_rematch_or_a_review(app: Flask) -> None:
    told: dict[str, Any] = {
        "verdict": "You won.",
        "standings": (),
        "since": (),
        "own": "",
        "show": "",
        "again": "",
    }
    with app.app_context():
        for review, words in (("review", "Rematch or review"), ("", "Rematch")):
            page = write_page(GameEnded(**GAME, **told, review=review))
            assert f'<a class="play" href="{GAME["game_link"]}">{words}</a>' in page
        assert [counted(score, unit) for score, unit in ((1, None), (31, "points"), (87, "coins"))] == [
            *("1 point", "31 points", "87 coins")
        ]
