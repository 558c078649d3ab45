"""The timeout policy of a game: what its time-outs do, one step after the other."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from server.durations import expect_fields, length_of
from server.errors import Unfit


@dataclass(frozen=True)
class Extend:
    """More time for this turn; so often for a seat in the whole game."""

    by: timedelta
    times: int


@dataclass(frozen=True)
class BotMove:
    """A bot plays this turn; for so many time-outs in a row."""

    bot: str
    times: int


@dataclass(frozen=True)
class BotTakesOver:
    """A bot takes the seat, until its player comes back."""

    bot: str


@dataclass(frozen=True)
class Abandon:
    """The game ends without a result."""


Rung = Extend | BotMove | BotTakesOver | Abandon

DEFAULT_LADDER: Final = [
    {"do": "extend", "by": "P1D", "times": 1},
    {"do": "bot-move", "bot": "greedy", "times": 2},
    {"do": "bot-takes-over", "bot": "greedy"},
]
DEFAULT_BOT: Final = "greedy"
_DOES: Final = ("extend", "bot-move", "bot-takes-over", "abandon")
MOST_RUNGS: Final = 10
MOST_TIMES: Final = 100


def ladder(data: Any, bots: Collection[str]) -> tuple[Rung, ...]:
    """The rungs of `on_timeout`, lowest first; `bots` are those that the game may name. Raises Unfit."""
    if not isinstance(data, list) or not 1 <= len(data) <= MOST_RUNGS:
        raise Unfit("Must be a list of 1 to %(most)s steps.", "on_timeout", most=MOST_RUNGS)
    rungs = tuple(_rung(item, bots) for item in data)
    if [n for n, rung in enumerate(rungs, 1) if isinstance(rung, BotTakesOver | Abandon)] != [len(rungs)]:
        raise Unfit(
            "Only the last step can be `bot-takes-over` or `abandon`, and it must be one of them.", "on_timeout"
        )
    return rungs


def _rung(data: Any, bots: Collection[str]) -> Rung:
    match data.get("do") if isinstance(data, dict) else None:
        case "extend":
            expect_fields(data, "on_timeout", {"do", "by", "times"})
            return Extend(length_of(data["by"], "on_timeout: `by`"), _times(data["times"]))
        case "bot-move":
            expect_fields(data, "on_timeout", {"do", "bot", "times"})
            return BotMove(_bot(data["bot"], bots), _times(data["times"]))
        case "bot-takes-over":
            expect_fields(data, "on_timeout", {"do", "bot"})
            return BotTakesOver(_bot(data["bot"], bots))
        case "abandon":
            expect_fields(data, "on_timeout", {"do"})
            return Abandon()
        case _:
            raise Unfit("The `do` of a step must be one of %(known)s.", "on_timeout", known=", ".join(_DOES))


def _times(times: Any) -> int:
    if type(times) is not int or not 1 <= times <= MOST_TIMES:
        raise Unfit("`times` must be a whole number from 1 to %(most)s.", "on_timeout", most=MOST_TIMES)
    return times


def _bot(name: Any, bots: Collection[str]) -> str:
    if not isinstance(name, str) or name not in bots:
        raise Unfit("`%(field)s` must be one of %(known)s.", "on_timeout", field="bot", known=", ".join(sorted(bots)))
    return name


def rung_for(ladder: Sequence[Rung], extended: int, missed: int) -> Rung:
    """What the next time-out of a seat does.

    `extended` counts its extensions in this game so far, `missed` the turns in a row that a bot has just played for it
    (extensions apart; 0 once its player has moved himself).
    """
    for rung in ladder:
        match rung:
            case Extend(_, times):
                if extended < times:
                    return rung
                extended -= times
            case BotMove(_, times):
                if missed < times:
                    return rung
                missed -= times
            case _:
                return rung
    raise ValueError("A ladder ends with bot-takes-over or abandon.")


def bot_of(ladder: Sequence[Rung]) -> str:
    """The bot that plays on for whoever leaves: the last that the ladder names."""
    bots = [rung.bot for rung in ladder if isinstance(rung, BotMove | BotTakesOver)]
    return bots[-1] if bots else DEFAULT_BOT
