"""Track records of players, computed from the logs of finished games. Such a log never changes, so a worker reads it
once and stores the result with the player's games."""

import logging
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from statistics import median
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Integer, cast, func, select, update

from server.accounts.guests import is_guest
from server.durations import duration_text
from server.errors import NotFound
from server.games import Json, Seat
from server.play.commits import whole_log
from server.play.game import Game
from server.play.nameless import hides_names
from server.play.table import Table, fold_commits, new_table
from server.store.connections import let_go
from server.store.database_retry import Unavailable, is_passing, with_retries
from server.store.log import Recorded
from server.store.stand_ins import STAND_IN
from server.store.tables import GameRow, Player, PlayerGame, SeatRow, db

log = logging.getLogger(__name__)

FEW: Final = 3  # with fewer finished games, a record says little
_LATEST: Final = 200  # number of latest games whose response times count
_AT_ONCE: Final = 50


def read_records() -> None:
    """Read the logs of some finished games, one game per transaction. Games are chosen at random, so that games with
    missing rules or files don't block others."""
    unread = select(PlayerGame.game_id).where(PlayerGame.over_at.is_not(None), PlayerGame.record.is_(None))
    for game_id in set(db.session.scalars(unread.order_by(func.random()).limit(_AT_ONCE)).all()):
        try:
            _read(game_id)
        except Unavailable as error:
            if is_passing(error):
                raise
            let_go()
            log.warning("The track record of game %s is read later: %s", game_id, error)


@with_retries
def _read(game_id: UUID) -> None:
    rules = db.session.scalars(select(GameRow.rules).where(GameRow.game_id == game_id)).one_or_none()
    records = dict(_records(rules, whole_log(game_id))) if rules else {}
    unread = select(PlayerGame.player_id, PlayerGame.seat).where(
        PlayerGame.game_id == game_id, PlayerGame.over_at.is_not(None), PlayerGame.record.is_(None)
    )
    for player_id, seat in db.session.execute(unread).all():
        his = (PlayerGame.player_id == player_id) & (PlayerGame.game_id == game_id) & (PlayerGame.seat == seat)
        db.session.execute(update(PlayerGame).where(his).values(record=records.get(seat, _NOTHING)))
    db.session.commit()


_NOTHING: Final[Json] = {"finished": False, "left": False, "time_outs": 0, "answers": []}


def _records(rules: str, events: Sequence[Recorded]) -> Iterator[tuple[Seat, Json]]:
    """Yield each seat's record: whether its player finished the game, the number of time-outs, and the seconds per
    move. A stand-in's moves don't count. If a new player takes over the seat, the record starts from zero."""
    table, at, answers, late = new_table(rules), dict[int, datetime](), dict[Seat, list[int]](), list[Seat | None]()
    for rows, after in fold_commits(table, events):
        first = rows[0]
        at[after.version] = first.recorded_at
        late += [it.seat for it in rows if it.type == "time-ran-out" and not _is_stood_in(table, it.seat)]
        if first.type == "seat-taken-over" and first.seat is not None:
            answers.pop(first.seat, None)
            late = [seat for seat in late if seat != first.seat]
        if table.turns and first.type in table.rules.EVENTS and first.seat is not None:
            turn = table.turns[first.seat]
            if turn is not None and table.stand_ins[first.seat] is None and not table.stood_in[first.seat]:
                answers.setdefault(first.seat, []).append(int((first.recorded_at - at[turn]).total_seconds()))
        table = after
    for seat, bot in enumerate(table.stand_ins or ()):
        yield (
            seat,
            {
                "finished": table.status == "finished",
                "left": bot is not None,
                "time_outs": late.count(seat),
                "answers": answers.get(seat, []),
            },
        )


def _is_stood_in(table: Table, seat: Seat | None) -> bool:
    return seat is not None and bool(table.stood_in) and table.stood_in[seat]


def record_so_far(game: Game, seat: Seat) -> Json:
    """Return the record of a player who is leaving a seat permanently."""
    return dict(_records(game.table.rules.NAME, whole_log(game.game_id)))[seat]


def track_record(player_id: UUID) -> Json:
    """Return a player's public record. Guests and deleted players have one, too. Private games count only for the
    reliability, and the account's age is in days. Otherwise, strangers could learn when the player is online.

    Raise NotFound if there is no such player.
    """
    player = db.session.get(Player, player_id)
    if player is None:
        raise NotFound("Player not found.")
    hidden = {*_at_nameless_tables([player_id]), *_private_games(player_id)}
    over = PlayerGame.record
    own = (PlayerGame.player_id == player_id) & (PlayerGame.role.is_distinct_from(STAND_IN) | over.is_not(None))
    own &= PlayerGame.game_id.not_in(hidden)
    query = select(func.count(), *_sums()).where(own)
    games, finished, left, time_outs = db.session.execute(query).one()
    latest = select(over["answers"]).where(own, over.is_not(None)).order_by(PlayerGame.over_at.desc()).limit(_LATEST)
    seconds = [second for answers in db.session.scalars(latest) for second in answers]
    answer = timedelta(seconds=max(1, round(median(seconds)))) if seconds else None
    return {
        "id": player_id,
        "name": player.name,
        "program": player.program_since is not None,
        "since": player.made_at.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0),
        "games": games,
        "finished": finished,
        "won": _won(player_id, hidden),
        "reliability": reliability_of([player_id])[player_id],
        "median_answer": answer and duration_text(answer),
        "time_outs": time_outs,
        "left": left + _left_under_way([player_id], hidden)[player_id],
        "new": finished < FEW or is_guest(player_id),
    }


def _won(player_id: UUID, hidden: Collection[UUID]) -> int:
    """Return how many finished games the player won in their own seat. Games that a bot finished in that seat don't
    count."""
    record = PlayerGame.record
    own = (PlayerGame.player_id == player_id) & PlayerGame.role.is_(None) & PlayerGame.game_id.not_in(hidden)
    own &= record["finished"].as_boolean() & ~record["left"].as_boolean()
    found = db.session.execute(select(PlayerGame.game_id, PlayerGame.seat).where(own))
    seats = {game_id: seat for game_id, seat in found}
    places = select(GameRow.game_id, GameRow.outcome["places"]).where(GameRow.game_id.in_(seats))
    return sum(its[seats[game_id]] == 1 for game_id, its in db.session.execute(places) if its)


def _sums() -> tuple[Any, Any, Any]:
    record = PlayerGame.record
    return (
        func.count().filter(record["finished"].as_boolean()),
        func.count().filter(record["left"].as_boolean()),
        func.coalesce(func.sum(cast(record["time_outs"].as_integer(), Integer)), 0),
    )


def _at_nameless_tables(players: Collection[UUID]) -> list[UUID]:
    """Return the games of these players that currently hide names. A change in a track record would reveal who plays
    there."""
    may_go_on = PlayerGame.over_at.is_(None) | PlayerGame.role.is_not(None)
    never_began = ~PlayerGame.record["finished"].as_boolean()  # the game never began, or was abandoned later
    which = may_go_on | PlayerGame.record.is_(None) | never_began
    ids = db.session.scalars(select(PlayerGame.game_id).where(PlayerGame.player_id.in_(players), which)).all()
    heads = select(GameRow.game_id, GameRow.options, GameRow.status, GameRow.version).where(GameRow.game_id.in_(ids))
    return [row.game_id for row in db.session.execute(heads) if hides_names(row.options, row.status, row.version)]


def _private_games(player_id: UUID) -> list[UUID]:
    ids = db.session.scalars(select(PlayerGame.game_id).where(PlayerGame.player_id == player_id)).all()
    return list(db.session.scalars(select(GameRow.game_id).where(GameRow.game_id.in_(ids), GameRow.private)))


def _left_under_way(players: Collection[UUID], hidden: Collection[UUID]) -> Counter[UUID]:
    """Return in how many current games a bot is playing each player's seat."""
    under_way = PlayerGame.player_id.in_(players) & PlayerGame.over_at.is_(None) & PlayerGame.game_id.not_in(hidden)
    ids = list(db.session.scalars(select(PlayerGame.game_id).where(under_way)))
    absent = SeatRow.player_id.in_(players) & SeatRow.stand_in.is_not(None)
    return Counter(db.session.scalars(select(SeatRow.player_id).where(SeatRow.game_id.in_(ids), absent)))


def reliability_of(players: Collection[UUID]) -> Mapping[UUID, int]:
    """Return the percentage of games that each player didn't leave to a bot, or 100 for a player without such games. It
    counts games that are over, and current ones in which a bot is playing the player's seat."""
    record, hidden = PlayerGame.record, _at_nameless_tables(players)
    query = select(PlayerGame.player_id, func.count(), _sums()[1]).where(
        PlayerGame.player_id.in_(players), record.is_not(None), PlayerGame.game_id.not_in(hidden)
    )
    left_now = _left_under_way(players, hidden)
    found = dict.fromkeys(left_now, 0)
    for player_id, over, left in db.session.execute(query.group_by(PlayerGame.player_id)):
        found[player_id] = 100 * (over - left) // (over + left_now[player_id])
    return {player_id: found.get(player_id, 100) for player_id in players}
