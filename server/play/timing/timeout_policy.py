"""The time-out policy of a game: a sequence of steps to take when a player's time runs out."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from server.durations import expect_fields, length_of
from server.errors import Unfit


@dataclass(frozen=True)
class Extend:
    """A step that extends the turn, limited to a number of times per seat and game."""

    by: timedelta
    times: int


@dataclass(frozen=True)
class BotMove:
    """A step in which a bot plays the turn, limited to a number of time-outs in a row."""

    bot: str
    times: int


@dataclass(frozen=True)
class BotTakesOver:
    """A step in which a bot takes the seat until its player comes back."""

    bot: str


@dataclass(frozen=True)
class Abandon:
    """A step that ends the game without a result."""


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
    """Parse the steps of `on_timeout`, first to last. `bots` are the allowed bots. Raise Unfit for invalid steps."""
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
    """Return the step to take at a seat's next time-out.

    `extended`: how often this seat has been extended in this game. `missed`: how many turns in a row a bot has played
    for this seat, not counting extensions. A move of the player resets `missed`.
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
    """Return the bot that replaces a player who leaves: the last bot in the policy."""
    bots = [rung.bot for rung in ladder if isinstance(rung, BotMove | BotTakesOver)]
    return bots[-1] if bots else DEFAULT_BOT
