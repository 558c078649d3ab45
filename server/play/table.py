"""A game as its log tells it: the state of the rules and what the house adds to it, folded from the events."""

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from server.play.events import (
    HOUSE_EVENTS,
    GameAbandoned,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    SeatHandedOver,
    SeatTakenBack,
    TimeExtended,
    TimeRanOut,
)
from server.rules import GAMES, Json, Rules, Seat
from server.store.log import Recorded

UNDER_WAY = ("open", "running", "paused")
OVER = ("finished", "abandoned")


class Table(NamedTuple):
    """A game at one version. Tuples hold one item a seat."""

    rules: Rules
    version: int = 0
    seq: int = 0
    hash: bytes = b""
    status: str = "open"  # one of the above
    state: Any = None
    turns: tuple[int | None, ...] = ()  # the turn each seat is asked for
    stand_ins: tuple[str | None, ...] = ()  # the bot that plays for an absent person
    extended: tuple[int, ...] = ()  # extensions in this game
    missed: tuple[int, ...] = ()  # time-outs in a row
    ended: GameEnded | None = None

    @property
    def outcome(self) -> Json | None:
        """As heads and answers show it."""
        return self.ended and {"scores": self.ended.scores, "places": self.ended.places}

    def after(self, events: Sequence[Any], version: int) -> "Table":
        """The table after these events of one commit, which the log has yet to number."""
        table, actor, late = self, None, False
        for event in events:
            match event:
                case GameStarted(seats):
                    none = (None,) * seats
                    table = table._replace(
                        status="running", turns=none, stand_ins=none, extended=(0,) * seats, missed=(0,) * seats
                    )
                case TimeExtended(seat):
                    table = table._replace(extended=_put(table.extended, seat, table.extended[seat] + 1))
                case TimeRanOut(seat):
                    table, late = table._replace(missed=_put(table.missed, seat, table.missed[seat] + 1)), True
                case SeatHandedOver(seat, bot):
                    table = table._replace(stand_ins=_put(table.stand_ins, seat, bot))
                case SeatTakenBack(seat):
                    table = table._replace(
                        stand_ins=_put(table.stand_ins, seat, None), missed=_put(table.missed, seat, 0)
                    )
                case GamePaused():
                    table = table._replace(status="paused")
                case GameResumed():
                    table = table._replace(status="running")
                case GameEnded():
                    table = table._replace(status="finished", ended=event)
                case GameAbandoned():
                    table = table._replace(status="abandoned")
                case _:
                    if actor is None:
                        actor = event.seat
                    table = table._replace(state=self.rules.apply(table.state, event))
        if actor is not None and not late and table.missed[actor] and table.stand_ins[actor] is None:
            table = table._replace(missed=_put(table.missed, actor, 0))
        if table.state is not self.state or table.status != self.status:  # else nobody is asked anew
            table = table._replace(turns=_turns(table, actor, version))
        return table._replace(version=version)

    def logged(self, newest: Recorded) -> "Table":
        """This table, with its log at this row."""
        return self._replace(seq=newest.seq, hash=newest.hash)


def _turns(table: Table, actor: Seat | None, version: int) -> tuple[int | None, ...]:
    """A seat keeps the turn it has not answered; whoever is asked anew gets this version as the number of his turn."""
    asked = table.rules.to_act(table.state) if table.status in ("running", "paused") else frozenset()
    return tuple(
        None if seat not in asked else version if turn is None or seat == actor else turn
        for seat, turn in enumerate(table.turns)
    )


def _put(items: tuple[Any, ...], at: int, item: Any) -> tuple[Any, ...]:
    return (*items[:at], item, *items[at + 1 :])


def terms(head: Json, seats: Sequence[Json]) -> Json:
    """What a game is played on. The log begins with it, so that nobody can change it later."""
    agreed = {name: head[name] for name in ("rules", "options", "clock", "on_timeout")}
    return {"game": str(head["game_id"]), **agreed, "bots": [row["bot"] for row in seats]}


def next_commit(before: Table, events: Sequence[Any]) -> tuple[Sequence[Any], Table]:
    """The events of a commit, with `game-ended` after them if the rules say so, and the table after it.

    Each event is applied once.
    """
    version = before.version + 1
    after = before.after(events, version)
    has_moved = after.state is not before.state
    outcome = after.rules.outcome(after.state) if has_moved and after.status == "running" else None
    if outcome is None:
        return events, after
    ended = GameEnded(list(outcome.scores), list(outcome.places))
    return [*events, ended], after.after([ended], version)


def new_table(rules: str) -> Table:
    """The table of a game that has not started."""
    return Table(GAMES[rules])


def fold(table: Table, log: Iterable[Recorded]) -> Table:
    """The table after the rest of its log."""
    for version, commit in groupby(log, key=lambda e: e.version):
        rows = list(commit)
        table = table.after([typed(table.rules, row) for row in rows], version).logged(rows[-1])
    return table


def typed(rules: Rules, row: Recorded) -> Any:
    """The event of a row of the log."""
    kind = HOUSE_EVENTS.get(row.type) or rules.EVENTS[row.type]
    return kind(seat=row.seat, **row.body)


_NAMES = {
    kind: name for events in (HOUSE_EVENTS, *(game.EVENTS for game in GAMES.values())) for name, kind in events.items()
}


def type_name(event: Any) -> str:
    """The name of an event in the log."""
    return _NAMES[type(event)]


def story_item(rules: Rules, row: Recorded, event: Any, viewer: Seat | None) -> Json | None:
    """An event as this viewer saw it happen, or None."""
    told = row.body if row.type in HOUSE_EVENTS else rules.tell(event, viewer)
    if told is None:
        return None
    return {
        "seq": row.seq,
        "version": row.version,
        "type": row.type,
        "seat": row.seat,
        "at": row.recorded_at.isoformat().replace("+00:00", "Z"),
        **told,
    }
