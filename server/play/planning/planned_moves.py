"""Planned moves. A worker plays them when their seat's turn comes."""

from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import Connection
from sqlalchemy import select, update

from server.accounts.notice_kinds import YOUR_TURN
from server.clock import NOTHING
from server.games import Json, RuleError, Seat
from server.play.commits import at_version, load_within, whole_log
from server.play.game import Game
from server.play.mail.letters import News, letter, note
from server.play.moves import play_planned
from server.play.planning.plan_conditions import holds
from server.play.planning.plans import NO_PLAN, delay, end_of, load_plan, over_because
from server.play.story.table_cache import tables
from server.play.table import parse_event, story_item
from server.play.timing.due_times import due_times
from server.play.views import turn_of
from server.store import outbox
from server.store.connections import in_transaction
from server.store.rows import SeatState
from server.store.seats import is_seat
from server.store.tables import GameRow, Plan, SeatRow, db


def is_plan_due(row: SeatState, now: datetime) -> bool:
    """Return whether the plan of this seat must be checked now. A plan is checked once in each turn, and again when its
    delay has passed."""
    if not row.planned:
        return False
    if row.plan_turn != row.turn or row.plan_at is None:
        return True
    return row.plan_at <= now or (row.due_at is not None and row.due_at <= now)


def let_plan_move(game_id: UUID, seat: Seat, now: datetime) -> bool:
    """Play the planned move for this turn, postpone the move, or end the plan. Return False if the game is locked or
    another commit came first.

    A move and the change of its plan are one commit, under the lock that all moves take. So if a plan, an email, a
    click, a time-out and a take-back compete, only one of them succeeds. A plan that is checked again continues where
    it was.
    """
    free = select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update(skip_locked=True)
    if db.session.execute(free).first() is None:
        db.session.rollback()
        return False
    connection = in_transaction(db.session.connection())
    game = load_within(connection, game_id, tables.get(game_id))
    is_due = turn_of(game.table, seat) is not None and is_plan_due(game.seats[seat], now)
    if is_due:
        _look(connection, game, seat, now)
    db.session.commit()
    return is_due


def _look(connection: Connection[Any], game: Game, seat: Seat, now: datetime) -> None:
    plan, row, turn = load_plan(game, seat), game.seats[seat], turn_of(game.table, seat)
    assert turn is not None
    if plan is None or not plan.moves:
        return _wait_for_player(game, seat, now)
    if because := over_because(game, plan):
        return _end(game, plan, now, because)
    planned = plan.moves[0]
    if not _may_play(game, plan, turn):
        return _end(game, plan, now, "condition")
    if row.plan_turn != turn and delay(planned) > NOTHING:
        return _wait(game, plan, turn, now)
    try:
        after = play_planned(connection, game, seat, planned["move"])
    except RuleError as refused:
        return _end(game, plan, now, "illegal-move", refused.code)
    _go_on(after, plan, now)


def _may_play(game: Game, plan: Plan, turn: int) -> bool:
    """Return whether the conditions of the next planned move are true at the version in which the turn began."""
    rules = game.table.rules
    conditions = plan.moves[0]["if"]
    if not conditions:
        return True
    view = rules.view(at_version(game, turn).state, None)
    rows = [row for row in whole_log(game.game_id) if plan.version < row.version <= turn]
    happened = {row.type for row in rows if story_item(rules, row, parse_event(rules, row), None) is not None}
    return all(holds(condition, view, happened) for condition in conditions)


def _wait(game: Game, plan: Plan, turn: int, now: datetime) -> None:
    """Postpone the planned move by its delay. Meanwhile the clock keeps running, and the player may move."""
    row = game.seats[plan.seat]
    assert row.due_at is not None
    plan_at = min(now + delay(plan.moves[0]), row.due_at)
    _note_times(game, row._replace(plan_turn=turn, plan_at=plan_at), now)
    _tell(game, plan.seat, now, {"move": plan.moves[0]["move"], "at": plan_at.isoformat()})


def _end(game: Game, plan: Plan, now: datetime, because: str, reason: str | None = None) -> None:
    ended, is_first_look = end_of(plan, because, reason), game.seats[plan.seat].plan_at is None
    _change(plan, moves=[], ended=ended)
    if because == "moved" and game.table.rules.is_mid_turn(game.table.state, plan.seat):
        _note_times(game, game.seats[plan.seat]._replace(**NO_PLAN), now)  # no email in mid-turn
    else:
        _wait_for_player(game, plan.seat, now, ended, "" if is_first_look else "plan-ended")


def _go_on(after: Game, plan: Plan, now: datetime) -> None:
    """Store the rest of the plan for the next turn, which may already have begun."""
    left = plan.moves[1:]
    _change(plan, moves=left, done=plan.done + 1, played=[*plan.played, after.version])
    if left:
        return
    if turn_of(after.table, plan.seat) is None:
        db.session.execute(update(SeatRow).where(is_seat(after.game_id, plan.seat)).values(**NO_PLAN))
    else:
        _wait_for_player(after, plan.seat, now)


def _wait_for_player(game: Game, seat: Seat, now: datetime, ended: Json | None = None, about: str = "") -> None:
    _note_times(game, game.seats[seat]._replace(**NO_PLAN), now)
    _tell(game, seat, now, ended, about)


def _change(plan: Plan, **values: Any) -> None:
    own = (Plan.game_id == plan.game_id) & (Plan.seat == plan.seat)  # the plan is gone if the move ended the game
    db.session.execute(update(Plan).where(own).values(revision=plan.revision + 1, **values))


def _note_times(game: Game, row: SeatState, now: datetime) -> None:
    plan = {name: getattr(row, name) for name in NO_PLAN}
    values = plan | due_times(game, row, now)._asdict()
    db.session.execute(update(SeatRow).where(is_seat(game.game_id, row.seat)).values(**values))


def _tell(game: Game, seat: Seat, now: datetime, plan: Json | None, about: str = "") -> None:
    """Tell the player that it is their turn, and what became of their plan."""
    told = [letter(game, News(YOUR_TURN, seat, {} if plan is None else {"plan": plan}, about), now)]
    if game.seats[seat].person.has_webhooks:
        told.append(note(game, News(YOUR_TURN, seat, about=about), now))
    outbox.put(game.game_id, told)
