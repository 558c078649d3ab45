"""Who made a move: its player, a bot, or a plan, which nobody but its owner learns."""

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby

from server.play.table import story_item, typed
from server.rules import Json, Rules, Seat
from server.store.log import Recorded

PLAYER, BOT, PLAN = "player", "bot", "plan"
AUTHORS = (PLAYER, "stand-in", BOT, PLAN)


def told(
    rules: Rules, rows: Sequence[Recorded], viewer: Seat | None, seats: Sequence[Json], planned: Collection[int]
) -> Iterator[tuple[Recorded, Json]]:
    """These rows of a log up to its end, each as this viewer saw it happen, and each move with `by`.

    `seats`: as they are after these rows. `planned`: the versions that the viewer's own plans have played.
    """
    moved_by = _authors(rules, rows, seats)
    for row in rows:
        item = story_item(rules, row, typed(rules, row), viewer)
        if item is None:
            continue
        seat, author = moved_by.get(row.version, (None, PLAYER))
        if seat is not None and row.seat == seat and row.type in rules.EVENTS:
            item["by"] = PLAN if seat == viewer and row.version in planned else author
        yield row, item


def _authors(rules: Rules, rows: Sequence[Recorded], seats: Sequence[Json]) -> dict[int, tuple[Seat, str]]:
    """Who has moved at which version, and how: read backwards, from who plays each seat now."""
    has_bot = [bool(row["bot"] or row["stand_in"]) for row in seats]
    found = {}
    for version, events in groupby(reversed(rows), key=lambda row: row.version):
        commit = list(events)[::-1]
        seat = next((row.seat for row in commit if row.type in rules.EVENTS and row.seat is not None), None)
        if seat is not None and commit[0].type != "game-started":
            found[version] = seat, BOT if has_bot[seat] or commit[0].type == "time-ran-out" else PLAYER
        for row in commit:
            if row.type in ("seat-handed-over", "seat-taken-back") and row.seat is not None:
                has_bot[row.seat] = row.type == "seat-taken-back"
    return found
