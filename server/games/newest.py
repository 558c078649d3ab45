"""A cache for the possible worlds of a position, of which bots draw many."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from server.games.contract import Json, Seat

Worlds = TypeVar("Worlds")


def newest(find: Callable[[Json, Sequence[Json], Seat], Worlds]) -> Callable[[Json, Sequence[Json], Seat], Worlds]:
    """Return this function with a cache of its newest result, for calls with the same `view` and `story` objects."""
    kept: tuple[Json, Sequence[Json], Seat, Worlds] | None = None

    def found(view: Json, story: Sequence[Json], seat: Seat) -> Worlds:
        nonlocal kept
        known = kept  # assigned atomically, since other threads may call
        if known is None or known[0] is not view or known[1] is not story or known[2] != seat:
            known = kept = (view, story, seat, find(view, story, seat))
        return known[3]

    return found
