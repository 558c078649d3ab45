"""A built-in bot in place of a program. It gets what a program gets, and also the events that its seat was shown."""

from collections.abc import Callable, Sequence
from random import SystemRandom
from typing import Any, Self

from server.bots import choose
from server.bots.program import ProgramError
from server.bots.search import Seen
from server.games import GAMES, Json, standing


class BuiltIn:
    """A bot that searches. `seconds` is its CPU time per move."""

    def __init__(self, bot: str, seconds: float) -> None:
        self._bot, self._seconds = bot, seconds

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None: ...

    def greet(self) -> None: ...

    def tell(self, message: Json) -> None: ...

    def play(self, table: Json, moves: Sequence[Json], played: Callable[[Any], None]) -> None:
        """Choose a move and pass it to `played`. `table` has the same fields as in `Program.play`, and `story`."""
        rules = GAMES.get(table["rules"])
        if rules is None:
            raise ProgramError(f"This version of sternenpost doesn't know the game {table['rules']}.")
        legal = [rules.move_from_json(move) for move in moves]
        seen = Seen(rules, table["seat"], table["view"], standing(table["story"]), legal)
        played(rules.move_to_json(choose(self._bot, seen, self._seconds, SystemRandom())))
