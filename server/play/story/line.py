"""The line of a game: its commits without those that were taken back. The log keeps all commits."""

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from server.games import Rules, Seat
from server.play.table import TAKEN_BACK, Table, fold_commits, new_table, parse_event
from server.store.log import Recorded


class Link(NamedTuple):
    """A commit, with the tables before and after it, and the number of random words drawn before it."""

    before: Table
    commit: Sequence[Recorded]
    after: Table
    drawn: int = 0


class Line:
    """The commits of a game that still stand, by version."""

    def __init__(self) -> None:
        self._links: dict[int, Link] = {}
        self._free: set[int] = set()  # versions of take-backs whose moves had revealed nothing

    def add(self, link: Link) -> None:
        first = link.commit[0]
        if first.type == TAKEN_BACK:
            if first.seat is not None and self.is_free(first.body["to"], first.seat):
                self._free.add(first.version)
            self._links = {version: it for version, it in self._links.items() if version <= first.body["to"]}
        self._links[link.after.version] = link

    def move_after(self, version: int, seat: Seat) -> Link | None:
        """Return this seat's move immediately after that version, unless the move or the version was taken back."""
        link = self._links.get(version + 1) if version in self._links else None
        return link if link and mover(link.before.rules, link.commit) == seat else None

    def moves_of(self, seat: Seat) -> list[Link]:
        """Return this seat's standing moves in order, without those of bots and stand-ins that replaced its player."""
        own = (link for link in self._links.values() if mover(link.before.rules, link.commit) == seat)
        return [it for it in own if it.before.stand_ins[seat] is None and not it.before.stood_in[seat]]

    def moves_of_bot(self, seat: Seat) -> list[Link]:
        """Return the standing moves of bots that replaced this seat's player, in order."""
        own = (link for link in self._links.values() if mover(link.before.rules, link.commit) == seat)
        return [it for it in own if it.before.stand_ins[seat] is not None]

    def last_move(self, seat: Seat) -> int | None:
        """Return the version before this seat's last standing move, or None if there is no such move."""
        moves = (it for _, it in sorted(self._links.items(), reverse=True) if mover(it.before.rules, it.commit) == seat)
        return next((it.before.version for it in moves if it.before.version in self._links), None)

    def begun_by(self, seat: Seat) -> list[Link]:
        """Return this seat's standing moves of a turn that isn't over, in order."""
        found = list[Link]()
        for _, link in sorted(self._links.items(), reverse=True):
            by = mover(link.before.rules, link.commit)
            if by not in (None, seat) or not link.after.rules.is_mid_turn(link.after.state, seat):
                break
            found += [link] if by == seat else []
        return found[::-1]

    def is_free(self, version: int, seat: Seat) -> bool:
        """Return whether only this seat's player has moved since that version, and the moves revealed nothing."""
        return all(self._shows_nothing(link, seat) for at, link in self._links.items() if at > version)

    def asked_at(self, version: int, seat: Seat) -> datetime | None:
        """Return when the time of this seat's turn at that version began to run. Return None if a pause or an extension
        has changed that time."""
        since = None
        for at, (before, commit, after, _) in self._links.items():
            if at > version:
                break
            turn, is_rest = after.turns[seat], after.rules.is_mid_turn(after.state, seat)
            if turn is None or any(_changes_time(row, seat) for row in commit):
                since = None
            elif at in self._free:
                continue  # the turn continues unchanged
            elif turn == at and not (is_rest and before.turns[seat] is not None):
                since = commit[0].recorded_at
        return since

    def _shows_nothing(self, link: Link, seat: Seat) -> bool:
        before, commit, *_ = link
        if commit[0].type == TAKEN_BACK:
            return commit[0].seat == seat and commit[0].version in self._free
        if mover(before.rules, commit) != seat or before.stand_ins[seat] is not None:
            return False
        events = [parse_event(before.rules, row) for row in commit if row.type in before.rules.EVENTS]
        return not before.rules.reveals(before.state, seat, events)


def line_of(rules: str, rows: Sequence[Recorded]) -> Line:
    """Return the line that results from a whole log."""
    line, before = Line(), new_table(rules)
    for commit, after in fold_commits(before, rows):
        line.add(Link(before, commit, after))
        before = after
    return line


def mover(rules: Rules, commit: Sequence[Recorded]) -> Seat | None:
    """Return the seat that moved if the commit is a single move, otherwise None."""
    if commit[0].type not in rules.EVENTS:
        return None
    return next((row.seat for row in commit if row.seat is not None), None)


def _changes_time(row: Recorded, seat: Seat) -> bool:
    return row.type in ("game-paused", "game-resumed") or (row.type == "time-extended" and row.seat == seat)
