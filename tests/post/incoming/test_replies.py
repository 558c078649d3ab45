"""What replies do: those of a corpus, and many generated emails."""

import os
import re
from datetime import date
from random import Random
from typing import Any

import pytest

from server.games import MalformedMove, sternenglanz, sternenhimmel
from server.games.sternenhimmel.material import BOARDS, STARS
from server.post.incoming.lines import Wishes
from server.post.incoming.replies import Mail, parse, read, understand
from server.post.wording import answer_above
from tests.post.incoming.effort import MOST, effort_of
from tests.post.incoming.replies.make import CASES, GLANZ, LETTERS, SKY, Case, corpus, plain
from tests.post.incoming.replies.programs import ADA, NAMES, PROGRAMS, Typed, mail, paragraphs, part

RULES = {SKY: sternenhimmel, GLANZ: sternenglanz}

corpus()


@pytest.fixture
def by_the_thousand(pytestconfig):
    """How many mails are made up; more of them find more."""
    return int(os.environ.get("STERNENPOST_REPLIES", "10000" if pytestconfig.getoption("--all") else "1000"))


def wishes(raw: bytes, game: str = SKY, ours: bool = True) -> Wishes:
    return understand(parse(read(raw), RULES[game]), LETTERS[game].split("\n") if ours else ())


def effect(raw: bytes, game: str) -> dict[str, Any]:
    """All that is out of the ordinary, as the corpus has it."""
    read_, wished = read(raw), wishes(raw, game)
    beside = "line", "fine", "others", "parsed_move", "is_prose", "written", "resigning", "remarks"
    found = {name: value for name, value in vars(wished).items() if value and name not in beside}
    found |= {name: value for name in ("doubt", "automatic") if (value := getattr(read_, name))}
    return found | ({} if read_.sender == ADA else {"sender": read_.sender})


def as_wished(expected: dict[str, Any]) -> dict[str, Any]:
    usual = {name: value for name, value in expected.items() if (name, value) != ("sender", ADA)}
    if "says" in usual:
        usual["says"] = tuple(usual["says"])
    if "vacation" in usual:
        usual["vacation"] = tuple(map(date.fromisoformat, usual["vacation"]))
    return usual


# The corpus


@pytest.mark.parametrize("name", CASES)
def test_an_email_does_what_its_writer_meant(name):
    assert effect(CASES[name].raw, CASES[name].game) == as_wished(CASES[name].expected)


def test_the_corpus_of_replies_is_large_and_reproducible():
    made = dict(CASES)
    assert corpus() == made
    assert len(made) > 600


@pytest.mark.parametrize("game", RULES)
def test_a_move_is_played_from_any_mail_program_in_any_language_and_position(game):
    words = {SKY: "Hello,\n\n7 leo c", GLANZ: "1 lay punkt b1\n2 move a1 b2 c3"}[game]
    for name, program in PROGRAMS.items():
        for locale in NAMES:
            for place in program.places:
                raw = program.write(Typed(words, locale, place, LETTERS[game]))
                for ours in (True, False):
                    assert wishes(raw, game, ours).move in ("7 leo c", "1 lay punkt b1; 2 move a1 b2 c3"), (
                        name,
                        locale,
                    )


def test_text_quoted_from_our_email_never_takes_effect_from_any_mail_program():
    for program in PROGRAMS.values():
        for game, letter in LETTERS.items():
            for locale in NAMES:
                assert wishes(program.write(Typed("Which moves?", locale, letter=letter)), game).problem
                assert wishes(program.write(Typed("", locale, letter=letter)), game).problem


# The rest of a mail


def test_subject_and_id_are_sanitized_to_one_line():
    head = "Message-ID: <5f2c@mail.example.org>\r\nSubject: =?utf-8?q?x=0D=0ABcc=3A_v=40z=2Eorg?=\r\n"
    found = read(head.encode() + b"\r\n7 leo c")
    assert (found.message_id, found.subject) == ("<5f2c@mail.example.org>", "x Bcc: v@z.org")


@pytest.mark.parametrize("value", ["", "5f2c@mail", "<a b@c>", "<a@b> <c@d>", "<\u00fc@x>", "<" + 300 * "x" + ">"])
def test_an_invalid_message_id_counts_as_missing(value):
    assert read(f"Message-ID: {value}\r\n\r\n".encode()).message_id is None


@pytest.mark.parametrize(
    "subject", ["=?x-klingon?q?x?=", "=?utf-8?b?x?=", "=?utf-8?q?=ff=fe?=", "=?zlib?q?x?=", 9 * "=?"]
)
def test_an_undecodable_subject_is_harmless(subject):
    assert read(plain("7 leo c", head=f"Subject: {subject}\r\n")).lines == ("7 leo c",)


def test_an_email_with_an_empty_return_path_counts_as_automatic():
    assert read(plain("7 leo c", head="Return-Path: <>\r\n")).automatic
    assert not read(plain("7 leo c", head=f"Return-Path: <{ADA}>\r\n")).automatic


def test_our_reply_can_quote_the_line_that_was_not_understood():
    assert wishes(plain("Hello,\n\n7 leo c\n7 loe c\n\nAda")).line == "7 loe c"
    assert wishes(plain("Hello")).line == "Hello"


def test_parsed_emails_with_equal_values_are_equal():
    assert read(plain("?")) == Mail(ADA, False, ("?",), None, "Re: Tuesday stars", None, named=f"Ada <{ADA}>")


@pytest.mark.parametrize("name", [name for name in CASES if name.startswith("hostile")])
def test_parsing_any_mail_is_fast(name):
    assert effort_of(lambda: wishes(CASES[name].raw)) < MOST


# By the thousand


def a_move(dice: Random, game: str) -> list[str]:
    """Return lines that make one move, as people might type them."""
    if game == SKY:
        board = dice.choice([name for board in BOARDS.values() for name in (board.id, board.abbr)])
        return [f"{dice.choice(STARS)} {board} {dice.choice('abcdefghij')}"]
    stars, field = ("punkt", "leucht", "pracht"), lambda: f"{dice.choice('bcdef')}{dice.randint(1, 6)}"
    steps = [
        dice.choice(
            [
                f"{slot} lay {dice.choice(stars)} {field()}",
                f"{slot} move {' '.join(field() for _ in range(dice.randint(2, 4)))}",
                f"{slot} remove {field()}",
                f"{slot} nova {field()}",
                f"{slot} lapse",
            ]
        )
        for slot in dice.sample((1, 2, 3), dice.randint(1, 3))
    ]
    if dice.random() < 0.4:
        steps.append(dice.choice(["finish", "lay geburt#4 -", "drop lay geburt#4 loch-c#2"]))
    return ["; ".join(steps)] if dice.random() < 0.4 else steps


def exactly(lines: list[str], game: str) -> str | None:
    """The move that these lines are and say letter by letter, if they do."""
    try:
        return RULES[game].write_move(RULES[game].read_move("; ".join(dict.fromkeys(lines))))
    except MalformedMove:
        return None


def slipped(dice: Random, line: str) -> str:
    place = dice.randrange(len(line))
    return line[:place] + dice.choice(["", line[place] * 2, dice.choice("abcdlmx17 .,;-")]) + line[place + 1 :]


def disguised(dice: Random, line: str) -> str:
    """What keyboards and programs make of the same line."""
    return dice.choice(
        [
            line,
            line.upper(),
            line.replace(" ", "\u00a0"),
            line.replace(" ", "  "),
            f"  {line} ",
            line.replace(" ", "\u200b "),
            "".join(chr(ord(char) + 0xFEE0) if char.isalnum() else char for char in line),
        ]
    )


CHATTER = (
    *("Hallo zusammen,", "Hi all", "Bonjour !", "Ciao a tutti", "Das wird eng, fürchte ich.", "What a game so far!"),
)
BYES = (
    *("Viele Grüße\nAda", "Cheers, Ada", "À bientôt\nAda", "Saluti\nAda", "Ada\nMusterstr. 12\n10115 Berlin"),
    "-- \nAda\n7 leo c",
)


def made_up(dice: Random) -> tuple[str, str | None, str]:
    """Return a game, the move that is meant and typed letter by letter (or none), and the whole text."""
    game = dice.choice([SKY, GLANZ])
    lines = a_move(dice, game)
    kind = dice.random()
    if kind < 0.55:
        meant = exactly(lines, game)
        shown = [disguised(dice, line) for line in lines]
    elif kind < 0.75:
        place = dice.randrange(len(lines))
        lines[place] = slipped(dice, lines[place])
        meant, shown = exactly([line for line in lines if line.strip()], game), lines
    elif kind < 0.85:
        lines = [f"{dice.choice(['I play', 'Rather', 'No,', 'or'])} {lines[0]}", *lines[1:]]
        meant, shown = None, lines
    elif kind < 0.92 and game == SKY:
        lines = [*lines, "7 leo c", "5 leo c"]
        meant, shown = None, lines
    else:
        meant, shown = None, [dice.choice(["", "Danke!", "Which moves are there?", "?", "pause", "say hi"])]
    above = [dice.choice(CHATTER), ""] if dice.random() < 0.5 else []
    below = ["", dice.choice(BYES)] if dice.random() < 0.5 else []
    return game, meant, "\n".join([*above, *shown, *below])


def written(dice: Random, words: str, game: str) -> bytes:
    """By some program, in some language and encoding."""
    typed = Typed(words, dice.choice(list(NAMES)), "top", dice.choice(["", answer_above() + "\n\n"]) + LETTERS[game])
    if dice.random() < 0.25:
        charset = dice.choice(["utf-8", "utf-8", "gb18030"])
        transfer = dice.choice(["quoted-printable", "base64", "8bit"])
        html = dice.random() < 0.4 and "-- " not in words
        return mail(
            typed,
            part("html", paragraphs(words), charset, transfer) if html else part("plain", words, charset, transfer),
            "X-A: b",
        )
    program = PROGRAMS[dice.choice([name for name in PROGRAMS if name not in NARROW])]
    return program.write(typed._replace(place=dice.choice(program.places)))


NARROW = {"mutt", "claws", "aol", "notes", "initials", "outlook", "outlook-html-only", "outlook-2003", "windows-mail"}
"""Programs whose charset has no room for some of the disguises."""


def mutated(dice: Random, raw: bytes) -> bytes:
    """The mail with something broken, but never within or beside a line that holds a move."""
    lines = raw.split(b"\n")
    free = [place for place, line in enumerate(lines) if not HOLDS_A_MOVE.search(line)]
    for _ in range(dice.randint(1, 4)):
        place = dice.choice(free)
        line = lines[place]
        cut = dice.randrange(len(line) + 1)
        lines[place] = dice.choice(
            [
                line[:cut] + line[cut + 1 :],
                line[:cut] + bytes([dice.randrange(256)]) + line[cut:],
                line[:cut] + dice.choice(SPLINTERS) + line[cut:],
                b"",
                line + b"\n" + line,
                line[cut:],
                line[:cut],
                lines[dice.choice(free)],
            ]
        )
    return b"\n".join(lines)


HOLDS_A_MOVE = re.compile(rb"(?i)leo|cancer|virgo|\blay\b|\bmove\b|remove|finish|^[A-Za-z0-9+/=]{30,}\r?$")
SPLINTERS = (b"\r\n", b"\r", b"\0", b"<", b">", b"-- ", b"--", b"<!--", b"</blockquote>", b"\xff\xfe", b"=?utf-8?q?", b"=0A", b"&#10;", b"<br>", b":", b'"')  # fmt: skip


def test_thousands_of_emails_do_only_what_they_say_and_each_gets_a_reply(by_the_thousand):
    played = 0
    for seed in range(by_the_thousand // 2):
        dice = Random(seed)
        game, meant, words = made_up(dice)
        raw = written(dice, words, game)
        wished = wishes(raw, game, dice.random() < 0.5)
        assert wished.move in (None, meant), (seed, words, wished)
        assert wished != Wishes() and wished.problem != "automatic", (seed, words)
        played += wished.move is not None
    assert played > by_the_thousand // 5


def a_good_one(dice: Random) -> tuple[Case, str | None]:
    game = dice.choice([SKY, GLANZ])
    words, meant = dice.choice(
        {
            SKY: [("7 leo c", "7 leo c"), ("Hi\n\n7 leo c\n\nAda", "7 leo c"), ("Which?", None), ("", None)],
            GLANZ: [
                ("2 move c3 d4", "2 move c3 d4"),
                ("Hi\n\n2 lapse; finish\n\nAda", "2 lapse; finish"),
                ("Hm", None),
            ],
        }[game]
    )
    program = dice.choice(list(PROGRAMS.values()))
    above = dice.choice(["", answer_above() + "\n\n"])
    raw = program.write(Typed(words, dice.choice(list(NAMES)), dice.choice(program.places), above + LETTERS[game]))
    return Case(raw, {}, game), meant


def test_a_damaged_email_does_what_its_writer_meant_or_nothing(by_the_thousand):
    for seed in range(by_the_thousand // 2):
        dice = Random(-seed - 1)
        good, meant = a_good_one(dice)
        wished = wishes(mutated(dice, good.raw), good.game)
        assert wished.move in (None, meant), (seed, wished)
        assert wished != Wishes() and wished.problem != "automatic", seed


def test_parsing_never_fails_on_any_bytes(by_the_thousand):
    for seed in range(by_the_thousand // 10):
        dice = Random(seed)
        raw = dice.choice(list(CASES.values())).raw[:20_000]
        octets = bytearray(raw or b"x")
        for _ in range(dice.randint(1, 30)):
            octets[dice.randrange(len(octets))] = dice.randrange(256)
        for game in RULES:
            assert wishes(bytes(octets[: dice.randrange(len(octets) + 1)]), game) != Wishes()
