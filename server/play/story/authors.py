"""The author of a move: the player, a bot, a stand-in or a plan. Only the plan's owner sees that a plan made the
move."""

from collections.abc import Collection, Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from server.games import Json, Rules, Seat
from server.play.table import parse_event, story_item
from server.store.log import Recorded
from server.store.rows import SeatState

PLAYER, STAND_IN, BOT, PLAN = "player", "stand-in", "bot", "plan"
AUTHORS = (PLAYER, STAND_IN, BOT, PLAN)


class Viewer(NamedTuple):
    """The reader of a story."""

    seat: Seat | None
    planned: Collection[int] = ()  # versions of this seat's planned moves
    since: int = 0  # the version at which the player sat down; earlier secrets are hidden


def visible_events(
    rules: Rules, rows: Sequence[Recorded], seats: Sequence[SeatState], viewer: Viewer
) -> Iterator[tuple[Recorded, Json]]:
    """Yield the events in these rows as this viewer sees them. For each move, `by` tells who made it.

    `rows`: whole commits. After the last of them, at least the events of `CHANGES_OF_PLAYERS` must follow up to the end
    of the log. `seats`: the seats after these rows.
    """
    moved_by = _authors(rules, rows, seats)
    for row in rows:
        item = story_item(rules, row, parse_event(rules, row), viewer.seat if row.version >= viewer.since else None)
        if item is None:
            continue
        seat, author = moved_by.get(row.version, (None, PLAYER))
        if seat is not None and row.seat == seat and row.type in rules.EVENTS:
            item["by"] = PLAN if seat == viewer.seat and row.version in viewer.planned else author
        elif row.type == "stand-in-began" and (row.seat, row.version) == (viewer.seat, viewer.since):
            item["by"] = STAND_IN  # the viewer is this stand-in
        yield row, item


def _authors(rules: Rules, rows: Sequence[Recorded], seats: Sequence[SeatState]) -> dict[int, tuple[Seat, str]]:
    """Return the seat that moved and the kind of author for each version, computed backwards from the current
    players."""
    has_bot = [bool(row.bot or row.stand_in) for row in seats]
    stood_in = [row.owner_id is not None for row in seats]
    found = {}
    for version, events in groupby(reversed(rows), key=lambda row: row.version):
        commit = list(events)[::-1]
        seat = next((row.seat for row in commit if row.type in rules.EVENTS and row.seat is not None), None)
        for row in reversed(commit):  # within a commit, the seat changes players after the move
            if row.seat is not None and row.type in _BOT_BEFORE:
                has_bot[row.seat] = _BOT_BEFORE[row.type]
            elif row.seat is not None and row.type in _STAND_IN_BEFORE:
                stood_in[row.seat] = _STAND_IN_BEFORE[row.type]
        if seat is not None and commit[0].type != "game-started":
            is_bots = has_bot[seat] or commit[0].type == "time-ran-out"
            found[version] = seat, BOT if is_bots else STAND_IN if stood_in[seat] else PLAYER
    return found


_BOT_BEFORE = {"seat-handed-over": False, "seat-taken-back": True, "seat-taken-over": True}
_STAND_IN_BEFORE = {"stand-in-began": False, "stand-in-ended": True}
CHANGES_OF_PLAYERS = (*_BOT_BEFORE, *_STAND_IN_BEFORE)  # `visible_events` needs these up to the end of the log
