"""Every line of moves in our reply to ? is accepted when it is sent back."""

import textwrap
from collections.abc import Iterator
from dataclasses import replace
from functools import reduce
from random import Random
from typing import Any

import pytest

from server.games import GAMES, SeededDice
from server.post.incoming.help_lines import help_line, help_lines
from server.post.incoming.lines import Wishes
from server.post.incoming.replies import Mail, parse, understand
from server.post.wording import by_beginning
from server.translations import LOCALES

TURNS = 60  # of a game
LINES = 4  # of an answer that are tried


def sent_back(line: str, offered: list[str], rules: str, locale: str) -> Wishes:
    mail = Mail("ada@example.org", False, (line,), None, "", None)
    return understand(parse(mail, GAMES[rules], locale), offered)


def wrapped(line: str) -> tuple[str, ...]:
    """As a mail program breaks what it sends."""
    return tuple(textwrap.wrap(line, 72, break_long_words=False, break_on_hyphens=False))


def mail_of(*lines: str, beside: tuple[str, ...] | None = None) -> Mail:
    return Mail("ada@example.org", False, lines, None, "", None, beside)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("rules", GAMES)
def test_every_line_of_the_help_is_accepted_as_written(rules: str, locale: str) -> None:
    lines = help_lines(rules, locale)
    ours = [f"  {help_line(*line)}" for line in lines] + [f"{written} ({what})" for written, what in lines]
    for written, what in lines:
        meant = understand(parse(mail_of(written), GAMES[rules], locale), ours)
        assert not meant.problem, written
        for line in (help_line(written, what), f"  {help_line(written, what)}", f"{written} ({what})"):
            for sent in ((line,), ("Hello,", "", line, "", "Ada"), wrapped(line.strip())):
                found = understand(parse(mail_of(*sent), GAMES[rules], locale), ours)
                assert replace(found, line="") == replace(meant, line=""), sent
        both = mail_of(*wrapped(help_line(written, what)), beside=(f"{written} ({what})",))
        assert replace(understand(parse(both, GAMES[rules], locale), ours), line="") == replace(meant, line="")


@pytest.mark.parametrize(
    "above", ["Guten Abend, here is my move:", "Hi there,\n\nI'd play", "Hallo, mein Zug:", "Hi, I'd like to do this:"]
)
def test_an_offered_move_may_be_sent_below_a_lead_in(above: str) -> None:
    mail = mail_of(*above.split("\n"), "", "7 leo c", "", "bye")
    assert understand(parse(mail, GAMES["sternenhimmel"]), ["For example:", "  7 leo c"]).move == "7 leo c"


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("rules", GAMES)
def test_copying_the_whole_help_plays_nothing(rules: str, locale: str) -> None:
    lines = [help_line(*line) for line in help_lines(rules, locale)]
    rng = Random(20261127)
    for copy in (lines, *(rng.sample(lines, number) for number in range(2, len(lines)) for _ in range(5))):
        found = understand(parse(mail_of(*copy), GAMES[rules], locale), lines)
        chats = [line for line in copy if parse(mail_of(line), GAMES[rules], locale).lines[0].command]
        assert found.problem or (chats and not (found.move or found.pause or found.resign or found.plan)), copy


@pytest.mark.parametrize("locale", LOCALES)
def test_a_line_with_unknown_text_in_brackets_is_not_executed(locale: str) -> None:
    for line in ("7 leo c (or rather 8)", "7 leo c (a move.", "pause (please)"):
        assert understand(parse(mail_of(line), GAMES["sternenhimmel"], locale)).problem, line


def answers(name: str, rng: Random) -> Iterator[list[str]]:
    """The moves open in each turn of a random game, as notation."""
    rules, dice = GAMES[name], SeededDice(rng.randbytes(8), [""] * 3)
    state: Any = reduce(rules.apply, rules.setup(3, {}, dice), None)
    for _ in range(TURNS):
        if not (waiting := sorted(rules.to_act(state))):
            return
        seat = rng.choice(waiting)
        moves = rules.legal_moves(state, seat)
        yield [rules.write_move(move) for move in moves]
        state = reduce(rules.apply, rules.decide(state, seat, rng.choice(moves), dice), state)


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("rules", GAMES)
def test_every_line_that_our_emails_offer_is_accepted_when_sent_back(rules: str, locale: str) -> None:
    rng = Random(20261126)
    singles = several = 0
    for _ in range(3):
        for moves in answers(rules, rng):
            offered = by_beginning(moves)
            for line in rng.sample(offered, min(LINES, len(offered))):
                found = sent_back(line, offered, rules, locale)
                if " | " in line:
                    several += 1
                    assert found.problem in ("two-moves", "only-our-letter"), line
                else:
                    singles += 1
                    assert found.move in moves, line
                beginning, _, endings = line.rpartition(": ")
                kept = rng.choice(endings.split(" | "))  # a player deletes the others
                for written in (f"{beginning}: {kept}", f"{beginning} {kept}") if beginning else (kept,):
                    assert sent_back(written, offered, rules, locale).move in moves, written
    assert singles > TURNS / 2 and several > TURNS / 2, (singles, several)
