"""Lists of games."""

from typing import Any, cast
from uuid import UUID

from sqlalchemy import ColumnElement, ScalarSelect, Select, Uuid, any_, func, literal, select, tuple_
from sqlalchemy.dialects.postgresql import ARRAY

from server.play.table import UNDER_WAY
from server.play.views import summary
from server.rules import Json
from server.store.paging import Cursor, Page
from server.store.tables import GameRow, Player, PlayerGame, SeatRow, db

_MANY = 1000  # of a player's games are looked through at once, at most
_MORE = 4  # times as many as the time before


def list_games(
    player_id: UUID | None,
    *,
    status: str | None = None,
    rules: str | None = None,
    mine: bool = False,
    my_turn: bool = False,
    free: bool = False,
    players: int | None = None,
    cursor: Cursor | None = None,
    limit: int = 20,
) -> Page:
    """Games, newest first: public ones, or those where the player sits.

    `free`: with a seat that anybody may take; `players`: for so many. Both are asked of the seats of each game that is
    looked through, so they choose among open games, which are few beside all that ever were.
    """
    where: list[ColumnElement[bool]] = []
    if status:
        where.append(GameRow.status == status)
    if rules:
        where.append(GameRow.rules == rules)
    if my_turn:
        where.append(GameRow.status == "running")
    if free or players is not None:
        where.append(GameRow.status == "open")
    if free:
        where.append(_seats_of_each(SeatRow.kind == "open") > 0)
    if players is not None:
        where.append(_seats_of_each() == players)
    if not (mine or my_turn):
        query = _newest(select(GameRow).where(~GameRow.private, *where), GameRow, cursor).limit(limit + 1)
        rows = list(db.session.scalars(query))
        return _page(rows, limit, player_id)
    sat: Any = select(PlayerGame.made_at, PlayerGame.game_id).where(PlayerGame.player_id == player_id)
    if my_turn or free or players is not None or status in UNDER_WAY:
        sat = sat.where(PlayerGame.over_at.is_(None))
    found: list[GameRow] = []
    some = limit + 1
    while len(found) <= limit:
        batch = db.session.execute(_newest(sat, PlayerGame, cursor).limit(some)).all()
        ids = [row.game_id for row in batch]
        if my_turn:
            ids = _waiting(ids, player_id)
        query = select(GameRow).where(_among(GameRow.game_id, ids), *where)
        found += db.session.scalars(_newest(query, GameRow, None).limit(limit + 1 - len(found)))
        if len(batch) < some:
            break
        cursor, some = (batch[-1].made_at, batch[-1].game_id), min(_MORE * some, _MANY)
    return _page(found, limit, player_id)


def waiting_games(player_id: UUID) -> list[Json]:
    """The games that wait for this player himself, the most urgent first: game, title, rules, seat, turn, due time, and
    what he wants of its mails."""
    under_way = (PlayerGame.player_id == player_id) & PlayerGame.over_at.is_(None)
    ids = list(db.session.scalars(select(PlayerGame.game_id).where(under_way)))
    asked = select(SeatRow.game_id, SeatRow.seat, SeatRow.turn, SeatRow.asked_at, SeatRow.due_at, SeatRow.mails).where(
        SeatRow.game_id.in_(ids), SeatRow.player_id == player_id, SeatRow.to_act, SeatRow.due_at.is_not(None)
    )
    seats = [row._asdict() for row in db.session.execute(asked)]
    heads = select(GameRow.game_id, GameRow.title, GameRow.rules).where(
        GameRow.game_id.in_([it["game_id"] for it in seats]), GameRow.status == "running"
    )
    running = {row.game_id: row._asdict() for row in db.session.execute(heads)}
    found = [it | running[it["game_id"]] for it in seats if it["game_id"] in running]
    return sorted(found, key=lambda it: (it["due_at"], it["game_id"]))


def _newest(query: Select[Any], table: Any, cursor: Cursor | None) -> Select[Any]:
    if cursor is not None:
        query = query.where(tuple_(table.made_at, table.game_id) < tuple_(*cursor))
    return query.order_by(table.made_at.desc(), table.game_id.desc())


def _seats_of_each(*which: ColumnElement[bool]) -> ScalarSelect[int]:
    """How many seats of each game are of this kind; a count, for which no plan looks through the seats of all games."""
    return select(func.count()).where(SeatRow.game_id == GameRow.game_id, *which).correlate(GameRow).scalar_subquery()


def _waiting(ids: list[UUID], player_id: UUID | None) -> list[UUID]:
    """Those of the games that wait for this player himself."""
    asked = select(SeatRow.game_id).where(
        _among(SeatRow.game_id, ids), SeatRow.player_id == player_id, SeatRow.to_act, SeatRow.stand_in.is_(None)
    )
    return list(db.session.scalars(asked))


def _among(column: Any, ids: list[UUID]) -> ColumnElement[bool]:
    """As one parameter, however many there are."""
    return cast(ColumnElement[bool], column == any_(literal(ids, ARRAY(Uuid))))


def _page(found: list[GameRow], limit: int, player_id: UUID | None) -> Page:
    shown = found[:limit]
    ids = [game.game_id for game in shown]
    seats = (
        list(db.session.scalars(select(SeatRow).where(SeatRow.game_id.in_(ids)).order_by(SeatRow.seat))) if ids else []
    )
    people = {s.player_id for s in seats if s.player_id}
    known = select(Player.player_id, Player.name, Player.unreachable_since).where(Player.player_id.in_(people))
    persons: dict[UUID | None, Json] = {row.player_id: row._asdict() for row in db.session.execute(known)}
    nobody = {"name": None, "unreachable_since": None}
    items = []
    for game in shown:
        rows = [_columns(s) | persons.get(s.player_id, nobody) for s in seats if s.game_id == game.game_id]
        items.append(summary(_columns(game), rows) | {"you": _you(game, rows, player_id), "outcome": game.outcome})
    more = len(found) > limit
    return Page(items, (shown[-1].made_at, shown[-1].game_id) if more else None)


def _you(game: GameRow, seats: list[Json], player_id: UUID | None) -> Json | None:
    """As `looking.you` tells it of a table, by what is stored of the seats."""
    own = next((row for row in seats if row["player_id"] == player_id), None) if player_id else None
    if own is None:
        return None
    is_asked = game.status == "running" and own["stand_in"] is None
    return {"seat": own["seat"], "turn": own["turn"] if is_asked else None}


def _columns(row: Any) -> Json:
    return {column.key: getattr(row, column.key) for column in row.__table__.columns}
