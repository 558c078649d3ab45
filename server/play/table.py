"""A table: the state of a game according to its rules and the server, folded from the log."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

from server.games import GAMES, Json, Rules, Seat
from server.play.events import (
    HOUSE_EVENTS,
    GameAbandoned,
    GameEnded,
    GamePaused,
    GameResumed,
    GameStarted,
    MoveTakenBack,
    SeatHandedOver,
    SeatTakenBack,
    SeatTakenOver,
    StandInBegan,
    StandInEnded,
    TimeExtended,
    TimeRanOut,
)
from server.store.database_retry import Unavailable
from server.store.log import Recorded, moment_text
from server.store.rows import GameHead, SeatState

UNDER_WAY = ("open", "running", "paused")
OVER = ("finished", "abandoned")
TAKEN_BACK = "move-taken-back"
CHANGES_OF_HANDS = ("stand-in-began", "stand-in-ended", "seat-taken-over")


class Table(NamedTuple):
    """A game at one version. Tuples have one item per seat."""

    rules: Rules
    version: int = 0
    seq: int = 0
    hash: bytes = b""
    status: str = "open"  # one of the above
    state: Any = None
    turns: tuple[int | None, ...] = ()  # each seat's current turn
    stand_ins: tuple[str | None, ...] = ()  # the bot that plays for an absent player
    stood_in: tuple[bool, ...] = ()  # whether a stand-in plays
    extended: tuple[int, ...] = ()  # number of extensions in this game
    missed: tuple[int, ...] = ()  # number of time-outs in a row
    ended: GameEnded | None = None

    @property
    def to_act(self) -> list[Seat]:
        """Return the seats whose turn it is."""
        return [seat for seat, turn in enumerate(self.turns) if turn is not None]

    @property
    def outcome(self) -> Json | None:
        """Return the outcome in the form used by rows and responses."""
        return self.ended and {"scores": self.ended.scores, "places": self.ended.places}

    def after(self, events: Sequence[Any], version: int, earlier: "Table | None" = None) -> "Table":
        """Return the table after the events of one commit. Their sequence numbers aren't set yet.

        `earlier`: the table to which a take-back returns.
        """
        table, actor, late = self, None, False
        for event in events:
            match event:
                case GameStarted(seats):
                    none = (None,) * seats
                    table = table._replace(
                        status="running",
                        turns=none,
                        stand_ins=none,
                        stood_in=(False,) * seats,
                        extended=(0,) * seats,
                        missed=(0,) * seats,
                    )
                case TimeExtended(seat):
                    table = table._replace(extended=_put(table.extended, seat, table.extended[seat] + 1))
                case TimeRanOut(seat):
                    table, late = table._replace(missed=_put(table.missed, seat, table.missed[seat] + 1)), True
                case SeatHandedOver(seat, bot):
                    table = table._replace(stand_ins=_put(table.stand_ins, seat, bot))
                case SeatTakenBack(seat):
                    table = table._without_bot(seat)
                case StandInBegan(seat) | StandInEnded(seat):
                    stood_in = _put(table.stood_in, seat, isinstance(event, StandInBegan))
                    table = table._replace(stood_in=stood_in, turns=_put(table.turns, seat, None))
                case SeatTakenOver(seat):
                    table = table._without_bot(seat)._replace(turns=_put(table.turns, seat, None))
                case MoveTakenBack():
                    assert earlier is not None
                    table = table._replace(state=earlier.state, turns=_unanswered(table.turns, earlier.turns))
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
        has_changed = table.state is not self.state or table.status != self.status or table.turns is not self.turns
        if has_changed:  # otherwise no turn begins
            table = table._replace(turns=_turns(table, actor, version))
        return table._replace(version=version)

    def _without_bot(self, seat: Seat) -> "Table":
        return self._replace(stand_ins=_put(self.stand_ins, seat, None), missed=_put(self.missed, seat, 0))

    def logged(self, newest: Recorded) -> "Table":
        """Return this table with this row as the last one of its log."""
        return self._replace(seq=newest.seq, hash=newest.hash)


def _turns(table: Table, actor: Seat | None, version: int) -> tuple[int | None, ...]:
    """Return the seats' turns after a commit. A turn that wasn't answered keeps its number. A new turn gets this
    version."""
    asked = table.rules.to_act(table.state) if table.status in ("running", "paused") else frozenset()
    return tuple(
        None if seat not in asked else version if turn is None or seat == actor else turn
        for seat, turn in enumerate(table.turns)
    )


def _unanswered(now: Sequence[int | None], then: Sequence[int | None]) -> tuple[int | None, ...]:
    """Return the current turns that already existed before, and so don't begin again."""
    return tuple(turn if turn == was else None for turn, was in zip(now, then, strict=True))


def _put(items: tuple[Any, ...], at: int, item: Any) -> tuple[Any, ...]:
    return (*items[:at], item, *items[at + 1 :])


def terms(head: GameHead, seats: Sequence[SeatState]) -> Json:
    """Return the terms of a game. The log begins with the terms, so they can't change."""
    hashes = [row.salt_hash for row in seats]
    return {
        "game": str(head.game_id),
        "rules": head.rules,
        "options": head.options,
        "clock": head.clock,
        "on_timeout": head.on_timeout,
        "bots": [row.bot for row in seats],
        **({"salt_hashes": hashes} if any(hashes) else {}),
    }


def next_commit(before: Table, events: Sequence[Any], earlier: Table | None = None) -> tuple[Sequence[Any], Table]:
    """Return a pair: the events of a commit, including `game-ended` and the ends of stand-ins that follow from them,
    and the table after the commit.

    Each event is applied once. `earlier`: see `Table.after`.
    """
    version = before.version + 1
    after = before.after(events, version, earlier)
    has_moved = after.state is not before.state
    outcome = after.rules.outcome(after.state) if has_moved and after.status == "running" else None
    ended = [GameEnded(list(outcome.scores), list(outcome.places))] if outcome is not None else []
    if ended:
        after = after.after(ended, version)
    is_over, stood_in = after.status in OVER, zip(after.stood_in, after.stand_ins, strict=True)
    gone = [StandInEnded(seat) for seat, (there, bot) in enumerate(stood_in) if there and (is_over or bot)]
    if gone:
        after = after.after(gone, version)
    return [*events, *ended, *gone] if ended or gone else events, after


def rules_of(name: str) -> Rules:
    """Return the rules of a stored game. Raise Unavailable if this process lacks them."""
    if name not in GAMES:
        raise Unavailable(f"This release has no rules for {name}.")
    return GAMES[name]


def new_table(rules: str) -> Table:
    return Table(rules_of(rules))


def last_change_of_hands(log: Iterable[Recorded], seat: Seat) -> int:
    """Return the version at which this seat last changed players, including changes to a stand-in, or 0."""
    return max((row.version for row in log if row.type in CHANGES_OF_HANDS and row.seat == seat), default=0)


def fold(table: Table, log: Sequence[Recorded]) -> Table:
    """Return the table after further rows of its log. Raise KeyError if a take-back goes back to before this table: see
    `goes_behind`."""
    for _, after in fold_commits(table, log):
        table = after
    return table


def fold_commits(table: Table, log: Sequence[Recorded]) -> Iterator[tuple[list[Recorded], Table]]:
    """Yield each commit in further rows of a log, with the table after that commit."""
    wanted = {row.body["to"] for row in log if row.type == TAKEN_BACK}  # the only tables that must be kept
    kept = {table.version: table} if table.version in wanted else {}
    for version, commit in groupby(log, key=lambda e: e.version):
        rows = list(commit)
        earlier = kept[rows[0].body["to"]] if rows[0].type == TAKEN_BACK else None
        table = table.after([parse_event(table.rules, row) for row in rows], version, earlier).logged(rows[-1])
        if version in wanted:
            kept[version] = table
        yield rows, table


def goes_behind(table: Table, log: Iterable[Recorded]) -> bool:
    """Return whether a take-back in these rows goes back to before this table. If so, the whole log must be folded."""
    return any(row.type == TAKEN_BACK and row.body["to"] < table.version for row in log)


def parse_event(rules: Rules, row: Recorded) -> Any:
    """Return the event in a row of the log."""
    kind = HOUSE_EVENTS.get(row.type) or rules.EVENTS[row.type]
    return kind(seat=row.seat, **row.body)


_NAMES = {
    kind: name for events in (HOUSE_EVENTS, *(game.EVENTS for game in GAMES.values())) for name, kind in events.items()
}


def type_name(event: Any) -> str:
    return _NAMES[type(event)]


def story_item(rules: Rules, row: Recorded, event: Any, viewer: Seat | None) -> Json | None:
    """Return an event as this viewer sees it, or None if it is hidden."""
    told = row.body if row.type in HOUSE_EVENTS else rules.tell(event, viewer)
    if told is None:
        return None
    return {
        "seq": row.seq,
        "version": row.version,
        "type": row.type,
        "seat": row.seat,
        "at": moment_text(row.recorded_at),
        **told,
    }
