"""Plans: a player's moves for later turns, each with conditions. `planned_moves` plays them.

A plan is secret, and so is the fact that it exists. All visible effects follow from public facts and the plan, never
from the player's secrets:

- A condition sees the spectator's view only.
- Whether a move is legal follows from that view, too. `Rules.check_planned` lets a plan use only what the player holds
  when making it, each thing once. A seat loses things only by its own moves. A move of the seat outside the plan ends
  the plan, as does any take-back. Things drawn later are for later plans. A step that may reveal a secret ends a move.
- The time of a planned move follows from the plan and the start of the turn. Only the player learns that it ended.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from itertools import groupby
from typing import Any
from uuid import UUID

from sqlalchemy import delete, select, update
from sqlalchemy.dialects.postgresql import insert

from server.clock import NOTHING, clock
from server.durations import duration
from server.errors import HandedOver, IllegalPlan, NotRunning, PlayError, StalePlan, Unfit
from server.games import Json, RuleError, Rules, Seat
from server.play.commits import load_within, whole_log
from server.play.game import Game
from server.play.planning.plan_conditions import check_condition
from server.play.story.line import mover
from server.play.table import OVER, TAKEN_BACK
from server.play.views import load_visible, played_seat, turn_of
from server.store.connections import in_transaction
from server.store.database_retry import with_retries
from server.store.seats import is_seat
from server.store.tables import GameRow, Plan, SeatRow, db
from server.stored_data import REFUSED, warn_of
from server.translations import Words, noted

MOST = 20  # moves per plan
AT_ONCE = "PT0S"
NO_PLAN: Json = {"planned": False, "plan_turn": None, "plan_at": None}  # columns of a seat
REASONS = ("condition", "illegal-move", "moved", "taken-back")  # why a plan ends early
_GIVEN_AWAY = ("time-ran-out", "seat-handed-over", "seat-taken-back")


def get_plan(game_id: UUID, player_id: UUID) -> Json:
    """Return the player's plan. Raise NotFound, NotSeated, HandedOver."""
    game = load_visible(game_id, player_id)
    return plan_of(game, played_seat(game, player_id))


@with_retries
def put_plan(game_id: UUID, player_id: UUID, revision: int, moves: Sequence[Json]) -> Json:
    """Replace the plan, whose revision must be `revision`. The call is idempotent.

    Raise NotFound, NotSeated, NotRunning, HandedOver, StalePlan, IllegalPlan.
    """
    with _holding(game_id, player_id) as (game, seat):
        if game.table.status in OVER or not game.table.turns:
            raise NotRunning(noted("You can plan only while the game is running."))
        if game.bot_at(seat):
            raise HandedOver("A bot is playing for you. Take your seat back first.")
        _check(game, seat, moves)
        now = plan_of(game, seat)
        if now["revision"] == revision:
            _write(game, seat, revision + 1, moves)
        elif now["revision"] != revision + 1 or now["moves"] != moves or now["ended"]:
            raise StalePlan(now["revision"])
        return plan_of(game, seat)


@with_retries
def drop_plan(game_id: UUID, player_id: UUID) -> None:
    """Delete the player's plan. Raise NotFound, NotSeated, HandedOver."""
    with _holding(game_id, player_id) as (game, seat):
        if load_plan(game, seat):
            _write(game, seat, plan_of(game, seat)["revision"] + 1, [])


def forget_plan(game_id: UUID, seat: Seat) -> None:
    """Delete a seat's plan, within the transaction in which the player leaves the seat or hands it over."""
    db.session.execute(delete(Plan).where(Plan.game_id == game_id, Plan.seat == seat))
    db.session.execute(update(SeatRow).where(is_seat(game_id, seat)).values(**NO_PLAN))


def plan_of(game: Game, seat: Seat) -> Json:
    """Return this seat's plan in the form that its player sees: the revision, the remaining moves, and why the plan
    ended early."""
    plan = load_plan(game, seat)
    if plan is None:
        return {"revision": 0, "moves": [], "ended": None}
    ended = plan.ended
    if plan.moves and (because := over_because(game, plan)):
        ended = end_of(plan, because)
    return {"revision": plan.revision, "moves": [] if ended else plan.moves, "ended": ended}


def end_of(plan: Plan, because: str, reason: str | None = None) -> Json:
    """Return why a plan ended. `index`: the move at which the plan ended. `reason`: the rule that forbids that move."""
    return {"because": because, "index": plan.done, "move": plan.moves[0]["move"], "reason": reason}


def load_plan(game: Game, seat: Seat) -> Plan | None:
    """Return this seat's plan. If its moves are unreadable, the plan has no moves."""
    own = select(Plan).where(Plan.game_id == game.game_id, Plan.seat == seat)
    plan = db.session.scalars(own.execution_options(populate_existing=True)).one_or_none()
    if plan is not None and not is_readable(game.table.rules, len(game.seats), plan.moves):
        warn_of("plan")
        db.session.expunge(plan)
        plan.moves = []
    return plan


def is_readable(rules: Rules, seats: int, moves: Any) -> bool:
    """Return whether these are well-formed planned moves for such a game. They may still be illegal."""
    try:
        for item in moves:
            _check_times(rules, seats, item)
            rules.move_from_json(item["move"])
    except (RuleError, *REFUSED):
        return False
    return type(moves) is list


def _check_times(rules: Rules, seats: int, item: Json) -> None:
    """Raise Unfit if a planned move has an impossible delay or condition."""
    delay(item)
    for condition in item["if"]:
        check_condition(rules, seats, condition)


def over_because(game: Game, plan: Plan) -> str | None:
    """Return why later events end this plan: a move by its player or a bot, or a take-back. Return None if the plan
    goes on.

    The answer follows from the log alone, so the code that plays moves needs no knowledge of plans.
    """
    rows = [row for row in whole_log(game.game_id) if plan.version < row.version <= game.version]
    for version, events in groupby(rows, key=lambda row: row.version):
        commit = list(events)
        if commit[0].type == TAKEN_BACK:
            return "taken-back"
        if any(row.type in _GIVEN_AWAY and row.seat == plan.seat for row in commit):
            return "moved"
        if mover(game.table.rules, commit) == plan.seat and version not in plan.played:
            return "moved"
    return None


def delay(item: Json) -> timedelta:
    """Return how long after the start of its turn a planned move is played."""
    return NOTHING if item["after"] == AT_ONCE else duration(item["after"])


@contextmanager
def _holding(game_id: UUID, player_id: UUID) -> Iterator[tuple[Game, Seat]]:
    """Lock the game's row, and yield the game and the player's seat. Commit at the end."""
    load_visible(game_id, player_id)
    db.session.execute(select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update())
    try:
        game = load_within(in_transaction(db.session.connection()), game_id)
        yield game, played_seat(game, player_id)
    except PlayError:
        db.session.rollback()
        raise
    db.session.commit()


def _write(game: Game, seat: Seat, revision: int, moves: Sequence[Json]) -> None:
    """Store the plan. If it is already the seat's turn, the worker checks the plan immediately."""
    row = insert(Plan).values(
        game_id=game.game_id,
        seat=seat,
        revision=revision,
        version=game.version,
        moves=moves,
        done=0,
        played=[],
        ended=None,
    )
    names = ("revision", "version", "moves", "done", "ended")
    changed = {name: getattr(row.excluded, name) for name in names}
    db.session.execute(row.on_conflict_do_update(index_elements=["game_id", "seat"], set_=changed))
    values: Json = NO_PLAN | {"planned": bool(moves)}
    if moves and turn_of(game.table, seat) is not None:
        values["wake_at"] = clock.now()
    db.session.execute(update(SeatRow).where(is_seat(game.game_id, seat)).values(**values))


def _check(game: Game, seat: Seat, moves: Sequence[Json]) -> None:
    """Raise IllegalPlan for the first planned move that is illegal."""
    rules, earlier = game.table.rules, list[Any]()
    for index, item in enumerate(moves):
        try:
            move = rules.move_from_json(item["move"])
            rules.check_planned(game.table.state, seat, earlier, move)
            earlier.append(move)
        except RuleError as refused:
            raise IllegalPlan(index, refused.code, Words(refused.text)) from refused
        try:
            _check_times(rules, len(game.seats), item)
        except Unfit as refused:
            raise IllegalPlan(index, "bad-condition", refused.words) from None
