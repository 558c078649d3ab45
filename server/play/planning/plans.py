"""Plans: moves that a player leaves for his next turns, each on conditions. `planned_moves` plays them.

Nobody else learns what is left, nor that anything is. What others can see of a plan, that and when it moves or does not,
follows from what they saw before and from the plan, never from what its owner holds:

- A condition speaks of the spectator's view only.
- Whether a move is legal in its turn follows from that view, too: `Rules.check_planned` lets a plan use only what its owner
  holds when he leaves it, a thing once. What a seat holds it loses by moves of its own alone, and any such move but the
  plan's own ends the plan, as does any take-back at the table, which might give and take. What is drawn meanwhile can
  be used by a later plan only, and where a step might reveal a secret or not, what follows it is a move of its own.
- When a plan plays follows from the plan and from when its seat was asked; that it ended only its owner is told.
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
from server.play.views import played_seat, seen_by, turn_of
from server.store.connections import in_transaction
from server.store.database_retry import tried_again
from server.store.seats import is_seat
from server.store.tables import GameRow, Plan, SeatRow, db
from server.stored_data import REFUSED, warn_of
from server.translations import Words, noted

MOST = 20  # moves of a plan
AT_ONCE = "PT0S"
NO_PLAN: Json = {"planned": False, "plan_turn": None, "plan_at": None}  # of a seat
REASONS = ("condition", "illegal-move", "moved", "taken-back")  # why a plan ends before its end
_GIVEN_AWAY = ("time-ran-out", "seat-handed-over", "seat-taken-back")


def get_plan(game_id: UUID, player_id: UUID) -> Json:
    """The player's plan as it stands. Raises NotFound, NotSeated, HandedOver."""
    game = seen_by(game_id, player_id)
    return plan_of(game, played_seat(game, player_id))


@tried_again
def put_plan(game_id: UUID, player_id: UUID, revision: int, moves: Sequence[Json]) -> Json:
    """Leave these moves instead of those of this revision. Done twice, it is done once.

    Raises NotFound, NotSeated, NotRunning, HandedOver, StalePlan, IllegalPlan.
    """
    with _holding(game_id, player_id) as (game, seat):
        if game.table.status in OVER or not game.table.turns:
            raise NotRunning(noted("You can plan only while the game is running."))
        if game.bot_at(seat):
            raise HandedOver("A bot plays your seat. Take your seat back first.")
        _check(game, seat, moves)
        now = plan_of(game, seat)
        if now["revision"] == revision:
            _write(game, seat, revision + 1, moves)
        elif now["revision"] != revision + 1 or now["moves"] != moves or now["ended"]:
            raise StalePlan(now["revision"])
        return plan_of(game, seat)


@tried_again
def drop_plan(game_id: UUID, player_id: UUID) -> None:
    """Leave nothing any more. Raises NotFound, NotSeated, HandedOver."""
    with _holding(game_id, player_id) as (game, seat):
        if stored(game, seat):
            _write(game, seat, plan_of(game, seat)["revision"] + 1, [])


def forget_plan(game_id: UUID, seat: Seat) -> None:
    """Within the transaction in which somebody leaves his seat, or lets another one play it: a plan is of who left it."""
    db.session.execute(delete(Plan).where(Plan.game_id == game_id, Plan.seat == seat))
    db.session.execute(update(SeatRow).where(is_seat(game_id, seat)).values(**NO_PLAN))


def plan_of(game: Game, seat: Seat) -> Json:
    """The plan of this seat as its owner sees it: its revision, the moves to come, and why it ended, if it did."""
    plan = stored(game, seat)
    if plan is None:
        return {"revision": 0, "moves": [], "ended": None}
    ended = plan.ended
    if plan.moves and (because := over_because(game, plan)):
        ended = end_of(plan, because)
    return {"revision": plan.revision, "moves": [] if ended else plan.moves, "ended": ended}


def end_of(plan: Plan, because: str, reason: str | None = None) -> Json:
    """`index`: of the move at which it ended, among those left. `reason`: the rule's that forbids it."""
    return {"because": because, "index": plan.done, "move": plan.moves[0]["move"], "reason": reason}


def stored(game: Game, seat: Seat) -> Plan | None:
    """Return the plan of this seat. Moves that this release can't read count as none."""
    own = select(Plan).where(Plan.game_id == game.game_id, Plan.seat == seat)
    plan = db.session.scalars(own.execution_options(populate_existing=True)).one_or_none()
    if plan is not None and not is_readable(game.table.rules, len(game.seats), plan.moves):
        warn_of("plan")
        db.session.expunge(plan)
        plan.moves = []
    return plan


def is_readable(rules: Rules, seats: int, moves: Any) -> bool:
    """Whether these are planned moves in a game for so many seats, be they legal or not."""
    try:
        for item in moves:
            _check_times(rules, seats, item)
            rules.move_from_json(item["move"])
    except (RuleError, *REFUSED):
        return False
    return type(moves) is list


def _check_times(rules: Rules, seats: int, item: Json) -> None:
    """Raises Unfit for a planned move that is put off or bound to conditions as none can be."""
    delay(item)
    for condition in item["if"]:
        check_condition(rules, seats, condition)


def over_because(game: Game, plan: Plan) -> str | None:
    """What has happened since that ends this plan: its owner or a bot has moved without it, or a move was taken back.

    It is read from the log, so that no move need know of plans.
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
    """How long a planned move waits once its turn has come."""
    return NOTHING if item["after"] == AT_ONCE else duration(item["after"])


@contextmanager
def _holding(game_id: UUID, player_id: UUID) -> Iterator[tuple[Game, Seat]]:
    """The game and this player's seat there, in a transaction that holds the game's head and is committed at the end."""
    seen_by(game_id, player_id)
    db.session.execute(select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update())
    try:
        game = load_within(in_transaction(db.session.connection()), game_id)
        yield game, played_seat(game, player_id)
    except PlayError:
        db.session.rollback()
        raise
    db.session.commit()


def _write(game: Game, seat: Seat, revision: int, moves: Sequence[Json]) -> None:
    """Whoever is asked already is looked at now."""
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
    """Raises IllegalPlan for the first that cannot be left."""
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
