"""Take-backs: whether a move can be taken back, whether the take-back is free, and the take-back itself."""

import logging
from collections.abc import Sequence
from datetime import datetime
from typing import Any, NamedTuple

from psycopg import Connection

from server.errors import NotAllowed, NotFound, NotRunning, TooLate
from server.games import TAKE_BACKS, Seat
from server.play import archive
from server.play.commits import Commit, record_within, whole_log
from server.play.events import MoveTakenBack
from server.play.game import Game
from server.play.moves import expect_answer
from server.play.story.line import Line, Link, line_of, mover
from server.play.table import OVER, TAKEN_BACK, Table, last_change_of_hands, next_commit, parse_event
from server.play.timing.due_times import after_take_back
from server.translations import noted

_logger = logging.getLogger(__name__)


class WayBack(NamedTuple):
    """A take-back that is possible: the seat, and the standing move to take back."""

    game: Game
    seat: Seat
    line: Line
    move: Link

    def is_free(self, now: datetime) -> bool:
        """Return whether the take-back harms no other player: no other player has moved since, the move revealed
        nothing, and the turn's time isn't over."""
        earlier, answered = self.move.before, self._answered
        if answered is None or not self.line.is_free(earlier.version, self.seat):
            return False
        _, after = self._next()
        due_at = after_take_back(self.game, self.seat, after, now, answered).due_at
        return due_at is not None and due_at > now

    def go(self, connection: Connection[Any], now: datetime, is_free: bool) -> Game:
        """Take the move back, within the transaction that locks the game's row. Raise TooLate if the move can no longer
        be taken back."""
        after = record_within(connection, self._commit(now, is_free))
        assert after is not None  # the lock excludes other commits
        return after

    def _commit(self, now: datetime, is_free: bool) -> Commit:
        game = self.game
        drawn = game.head.drawn if is_free else self.drawn_before()  # so that the same random words are drawn again
        answered = self._answered if is_free else None
        events, after = self._next()
        seats = [
            after_take_back(game, seat, after, now, answered if seat == self.seat else None)
            for seat in range(len(game.seats))
        ]
        return Commit(game, events, after, seats, drawn, now, answered_at=now)

    def _next(self) -> tuple[Sequence[Any], Table]:
        """Return a pair: the events of the take-back, and the table after them."""
        earlier = self.move.before
        return next_commit(self.game.table, [MoveTakenBack(self.seat, earlier.version)], earlier)

    def drawn_before(self) -> int:
        """Return the number of random words drawn before the move. Raise TooLate if the log can't be replayed that
        far."""
        game, until = self.game, self.move.before.version
        rows = [row for row in whole_log(game.game_id) if row.version <= until]
        try:
            return archive.replay(archive.start(game.head, game.seats), rows)[1]
        except archive.Flaw as flaw:
            _logger.error("The log of game %s does not replay: %s", game.game_id, flaw)
            raise TooLate(noted("This game can no longer go back to that move.")) from None

    @property
    def _answered(self) -> tuple[datetime, datetime] | None:
        """Return a pair: when the turn began, and when it was answered. Return None if a pause or an extension has
        changed the turn's time."""
        since = self.line.asked_at(self.move.before.version, self.seat)
        return (since, self.move.commit[0].recorded_at) if since else None


def way_back(game: Game, seat: Seat, to: int) -> WayBack:
    """Return the take-back of this seat's move after version `to`.

    Raise NotFound, NotRunning, HandedOver, NotAllowed, TooLate.
    """
    if game.table.status in OVER:
        raise TooLate(noted("This game is over."))
    if not game.table.turns:
        raise NotRunning(noted("This game has not started."))
    expect_answer(game, seat)
    if take_backs_of(game) == "never":
        raise NotAllowed(noted("This game doesn't allow you to take moves back."))
    rules, rows = game.table.rules, whole_log(game.game_id)
    line = line_of(rules.NAME, rows)
    move = line.move_after(to, seat)
    if to < last_change_of_hands(rows, seat):
        raise TooLate(noted("Another player has played your seat since then."))
    if move is None:
        commit = [row for row in rows if row.version == to + 1]
        if commit and mover(rules, commit) == seat:
            raise TooLate(noted("That move has already been taken back."))
        raise NotFound(noted("You made no move at version %(version)s."), version=to)
    return WayBack(game, seat, line, move)


def last_move(game: Game, seat: Seat, at: datetime) -> int | None:
    """Return the version before the last move of this seat that stood at that time, or None if there was none."""
    rows = [row for row in whole_log(game.game_id) if row.recorded_at <= at]
    return line_of(game.table.rules.NAME, rows).last_move(seat)


def played_after(game: Game, to: int) -> Any:
    """Return the move after version `to`."""
    rules, rows = game.table.rules, whole_log(game.game_id)
    return rules.move_of([parse_event(rules, it) for it in rows if it.version == to + 1 and it.type in rules.EVENTS])


def move_after(game: Game, to: int) -> str:
    """Return the move after version `to`, in the game's notation."""
    return game.table.rules.write_move(played_after(game, to))


def played_so_far(game: Game, seat: Seat) -> str:
    """Return what this seat has played of a turn that isn't over, in the game's notation, or ""."""
    rules = game.table.rules
    line = line_of(rules.NAME, [row for row in whole_log(game.game_id) if row.version <= game.version])
    commits = [
        [parse_event(rules, it) for it in link.commit if it.type in rules.EVENTS] for link in line.begun_by(seat)
    ]
    return "; ".join(rules.write_move(rules.move_of(events)) for events in commits)


def stands(game: Game, seat: Seat, to: int) -> bool:
    """Return whether this seat's move after version `to` still stands: it hasn't been taken back."""
    return line_of(game.table.rules.NAME, whole_log(game.game_id)).move_after(to, seat) is not None


def has_gone_back(game: Game, since: datetime) -> bool:
    """Return whether any move was taken back at `since` or later."""
    return any(row.type == TAKEN_BACK and row.recorded_at >= since for row in whole_log(game.game_id))


def take_backs_of(game: Game) -> str:
    """Return the value of the option for take-backs. Old games lack the option."""
    option: str = game.head.options.get("take_back", TAKE_BACKS[0])
    return option
