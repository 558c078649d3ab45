"""The help that we send in reply to `help`: one line per command, with its explanation in brackets."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from server.bots.search import can_compare
from server.games import GAMES
from server.games.presentation import in_words, notation
from server.post.incoming import commands
from server.post.incoming.commands import off_for, word_for
from server.translations import language

_EXAMPLES_KEPT = 200
_DAYS = "2027-07-01..2027-07-14"


@lru_cache(_EXAMPLES_KEPT)
def help_lines(rules_name: str, locale: str, example: str = "", days: str = _DAYS) -> Sequence[tuple[str, str]]:
    """Return the commands that players can send at a table of this game, each with its explanation. `example` is a move,
    and `days` a period, as players may write them."""
    gettext = language(locale).gettext
    example = example or _example(GAMES[rules_name], locale)
    move = gettext("a move. %(notation)s", notation=notation(rules_name, locale))
    wished = gettext("happens as soon as everyone agrees")
    stops = gettext("stops your clock from the first day to the last")
    hint = (commands.HINT, "", gettext("sends you the best moves, if all others are bots"))
    known = (
        *([hint] if can_compare(GAMES[rules_name]) else []),
        (commands.SAY, gettext("Good evening!"), gettext("sends this to everyone at the table")),
        (commands.PAUSE, "", wished),
        (commands.RESUME, "", wished),
        (
            commands.PLAN,
            example,
            gettext("plans this move for your next turn. If you give no move, sends you your current plan"),
        ),
        (commands.UNDO, "", gettext("takes back your last move. If necessary, we ask the others first")),
        (commands.AGREE, "", gettext("agrees to what another player asks for")),
        (commands.READY, "", gettext("confirms before the start that you're ready")),
        (commands.VACATION, days, stops),
        (
            commands.STAND_IN,
            f"ben@example.org {days}",
            gettext(
                'asks this person to play for you on these days. To stop the stand-in, write "%(off)s"',
                off=off_for(locale),
            ),
        ),
        (commands.RESIGN, "", gettext("hands your seat to a bot")),
    )
    return [
        (example, move),
        ("?", gettext("sends you your possible moves")),
        *((f"{word_for(name, locale)} {more}".strip(), what) for name, more, what in known),
    ]


def _example(rules: Any, locale: str) -> str:
    return in_words(rules, rules.describe()["notation"]["examples"][0]["text"], locale)


def help_line(written: str, what: str) -> str:
    """Return a help line in the form in which emails show it."""
    return f"{written}  ({what})"
