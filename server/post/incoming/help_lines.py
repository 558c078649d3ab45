"""The lines of an answer to ? that say what one may write: each a line that acts, and what it does in brackets."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from server.games import GAMES
from server.games.presentation import notation
from server.post.incoming.commands import (
    AGREE,
    PAUSE,
    PLAN,
    READY,
    RESIGN,
    RESUME,
    SAY,
    STAND_IN,
    UNDO,
    VACATION,
    word_for,
)
from server.post.incoming.planning import off_for
from server.translations import language


@cache
def help_lines(rules_name: str, locale: str) -> Sequence[tuple[str, str]]:
    """Return what one may write at a table of this game, each with what it does."""
    gettext = language(locale).gettext
    example: str = _example(GAMES[rules_name])
    move = gettext("a move. %(notation)s", notation=notation(rules_name, locale))
    wished = gettext("it is done when all who play wish it")
    days = gettext("first and last day; your time does not count then")
    commands = (
        (SAY, gettext("Good evening!"), gettext("everybody at the table reads it")),
        (PAUSE, "", wished),
        (RESUME, "", wished),
        (
            PLAN,
            example,
            gettext("this move is left for your next turn; without a move we answer with what you have left"),
        ),
        (UNDO, "", gettext("your last move is taken back, if need be when all who play agree")),
        (AGREE, "", gettext("you agree that a move is taken back")),
        (READY, "", gettext("before the start, where you are asked whether you are ready")),
        (VACATION, "2027-07-01..2027-07-14", days),
        (
            STAND_IN,
            "ben@example.org 2027-07-01..2027-07-14",
            gettext('is asked to play your seat on these days; "%(off)s" ends it', off=off_for(locale)),
        ),
        (RESIGN, "", gettext("a bot takes your seat")),
    )
    return [
        (example, move),
        ("?", gettext("we answer with the moves open to you")),
        *((f"{word_for(name, locale)} {more}".strip(), what) for name, more, what in commands),
    ]


def _example(rules: Any) -> str:
    found: str = rules.describe()["notation"]["examples"][0]["text"]
    return found


def as_told(written: str, what: str) -> str:
    """The line as a letter has it."""
    return f"{written}  ({what})"
