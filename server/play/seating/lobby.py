"""Lists of games."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from itertools import groupby
from typing import Any, Final, cast
from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    Interval,
    ScalarSelect,
    Select,
    Uuid,
    any_,
    case,
    exists,
    func,
    literal,
    select,
    tuple_,
)
from sqlalchemy import cast as cast_to
from sqlalchemy.dialects.postgresql import ARRAY

from server.accounts.players import address_of
from server.games import GAMES, Json, Seat
from server.play.game import Stored, expect_playable, readable, visible_seat
from server.play.seating.track_record import reliability_of
from server.play.table import UNDER_WAY, parse_event, story_item
from server.play.timing.time_control import DEFAULT_CLOCK
from server.play.views import seat_kept_for, summary
from server.play.votes import OFFER
from server.store import log
from server.store.connections import autocommit
from server.store.database_retry import Unavailable
from server.store.paging import Cursor, Page
from server.store.rows import SEAT_COLUMNS, GameHead, Person, SeatState, players_in, seat_of
from server.store.stand_ins import FORMER
from server.store.tables import GameRow, PlayerGame, SeatRow, Vote, db

PACES: Final = {  # time per move: more than, and up to
    "quick": (timedelta(0), timedelta(hours=12)),
    "usual": (timedelta(hours=12), timedelta(hours=48)),
    "slow": (timedelta(hours=48), None),
}
_DURATION = (  # the form that `server.durations` parses
    "^P(?=[0-9T])([0-9]{1,8}W)?([0-9]{1,8}D)?(T(?=[0-9])([0-9]{1,8}H)?([0-9]{1,8}M)?([0-9]{1,8}S)?)?$"
)
_MANY = 1000  # of a player's games per query
_NEWEST = 24  # newest events that are searched for the last move, more than most commits have
_MORE = 4  # factor from one search to the next


Tell = Callable[[Sequence[Json], Sequence[str]], str | None]  # items of a story as text, with the seats' names


def list_games(
    player_id: UUID | None,
    *,
    status: str | None = None,
    rules: str | None = None,
    mine: bool = False,
    my_turn: bool = False,
    free: bool = False,
    players: int | None = None,
    pace: str | None = None,
    clock: str | None = None,
    edition: str | None = None,
    reliability: int | None = None,
    offered: bool = False,
    cursor: Cursor | None = None,
    limit: int = 20,
    tell: Tell | None = None,
) -> Page:
    """List games, newest first: public ones, or the player's own. Open ones include those with an invitation.

    Filters: `free`, an open seat; `players`, their number; `pace`, `clock` and `edition`; `reliability` of those
    seated. They are computed per game, so they are for open games, which are few. `offered`: a bot's seat that the
    table offers for take-over. `tell` writes `latest` for the player's own games in progress.
    """
    where: list[ColumnElement[bool]] = []
    if status:
        where.append(GameRow.status == status)
    if rules:
        where.append(GameRow.rules == rules)
    if my_turn:
        where.append(GameRow.status == "running")
    is_picky = free or any(it is not None for it in (players, pace, clock, edition, reliability))
    if is_picky:
        where.append(GameRow.status == "open")
    if free:
        where.append(_seats_of_each(SeatRow.kind == "open") > 0)
    if players is not None:
        where.append(_seats_of_each() == players)
    if pace is not None:
        where += _paced(pace)
    if clock is not None:
        where.append(GameRow.clock.has_key(clock))
    if edition is not None:
        scenario = func.concat("scenario-", GameRow.options["scenario"].astext)
        where.append(func.coalesce(GameRow.options["edition"].astext, scenario) == edition)
    if reliability is not None:
        where.append(_seats_of_each(_among(SeatRow.player_id, _less_reliable(reliability))) == 0)
        # Anonymous games must reveal nothing about their players.
        where.append(func.coalesce(GameRow.options["nameless"].astext, "false") == "false")
    if offered:
        where += _with_offered_seat()
    if not (mine or my_turn):
        query = _newest(_HEADS.where(~GameRow.private, *where), GameRow, cursor).limit(limit + 1)
        return _page(_heads(query), limit, player_id)
    if mine and status == "open" and player_id is not None:
        ids = _sat_at_or_invited_to(player_id)
        query = _newest(_HEADS.where(_among(GameRow.game_id, ids), *where), GameRow, cursor).limit(limit + 1)
        return _page(_heads(query), limit, player_id)
    sat: Any = select(PlayerGame.made_at, PlayerGame.game_id).where(
        PlayerGame.player_id == player_id, PlayerGame.role.is_distinct_from(FORMER)
    )
    if my_turn or is_picky or status in UNDER_WAY:
        sat = sat.where(PlayerGame.over_at.is_(None))
    found: list[GameHead] = []
    some = _MORE * (limit + 1) if my_turn else limit + 1  # most games wait for other players
    while len(found) <= limit:
        batch = db.session.execute(_newest(sat, PlayerGame, cursor).limit(some)).all()
        ids = [row.game_id for row in batch]
        if my_turn:
            ids = _waiting(ids, player_id)
        query = _HEADS.where(_among(GameRow.game_id, ids), *where)
        found += _heads(_newest(query, GameRow, None).limit(limit + 1 - len(found)))
        if len(batch) < some:
            break
        cursor, some = (batch[-1].made_at, batch[-1].game_id), min(_MORE * some, _MANY)
    return _page(found, limit, player_id, tell if mine else None)


def waiting_games(player_id: UUID) -> list[Json]:
    """Return the games that wait for this player, most urgent first. Each has game, title, rules, seat, turn, due time,
    and the mail setting."""
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


def _sat_at_or_invited_to(player_id: UUID) -> list[UUID]:
    """Return the games before their start that the player sits in or is invited to, with some that have begun."""
    sat = select(PlayerGame.game_id).where(PlayerGame.player_id == player_id, PlayerGame.over_at.is_(None))
    kept = select(SeatRow.game_id).where(SeatRow.email == address_of(player_id), SeatRow.kind == "invited")
    return [*db.session.scalars(sat), *db.session.scalars(kept)]


def _newest(query: Select[Any], table: Any, cursor: Cursor | None) -> Select[Any]:
    if cursor is not None:
        query = query.where(tuple_(table.made_at, table.game_id) < tuple_(*cursor))
    return query.order_by(table.made_at.desc(), table.game_id.desc())


def _seats_of_each(*which: ColumnElement[bool]) -> ScalarSelect[int]:
    """Return a subquery that counts such seats per game. The planner can't turn it into a scan of all seats."""
    return select(func.count()).where(SeatRow.game_id == GameRow.game_id, *which).correlate(GameRow).scalar_subquery()


def _with_offered_seat() -> list[ColumnElement[bool]]:
    """Return conditions equal to `votes.offered_seats`."""
    wants = Vote.wish == OFFER
    plays = (SeatRow.kind == "human") & SeatRow.stand_in.is_(None)
    agrees = exists().where(Vote.game_id == SeatRow.game_id, Vote.seat == SeatRow.seat, wants)
    return [
        GameRow.status.in_(("running", "paused")),
        GameRow.game_id.in_(select(Vote.game_id).where(wants)),
        _seats_of_each(SeatRow.stand_in.is_not(None)) > 0,
        _seats_of_each(plays, ~agrees) == 0,
    ]


def _paced(pace: str) -> list[ColumnElement[bool]]:
    """Return conditions on the time per move, or on the increment of a bank."""
    least, most = PACES[pace]
    text = func.coalesce(GameRow.clock["per_move"].astext, GameRow.clock["increment"].astext)
    is_duration = text.regexp_match(_DURATION)  # Postgres would fail on other text
    allowed = cast_to(case((is_duration, text), else_=DEFAULT_CLOCK["per_move"]), Interval)
    return [allowed > least, *([allowed <= most] if most else [])]


def _less_reliable(asked: int) -> list[UUID]:
    """Return the players in open games who have left more games than that."""
    sits = (SeatRow.game_id == GameRow.game_id) & SeatRow.player_id.is_not(None)
    people = db.session.scalars(select(SeatRow.player_id).where(sits, GameRow.status == "open").distinct()).all()
    found = reliability_of([it for it in people if it])
    return [player_id for player_id, reliability in found.items() if reliability < asked]


def _waiting(ids: list[UUID], player_id: UUID | None) -> list[UUID]:
    asked = select(SeatRow.game_id).where(
        _among(SeatRow.game_id, ids), SeatRow.player_id == player_id, SeatRow.to_act, SeatRow.stand_in.is_(None)
    )
    return list(db.session.scalars(asked))


def _among(column: Any, ids: list[UUID]) -> ColumnElement[bool]:
    """Return a condition with one parameter for all ids."""
    return cast(ColumnElement[bool], column == any_(literal(ids, ARRAY(Uuid))))


def _page(found: list[GameHead], limit: int, player_id: UUID | None, tell: Tell | None = None) -> Page:
    shown = found[:limit]
    seats_of = _seats_of([head.game_id for head in shown])
    is_anybody_invited = player_id is not None and any(seat.email for seats in seats_of.values() for seat in seats)
    email = address_of(player_id) if is_anybody_invited else None
    latest = _latest_of([head for head in shown if head.status in UNDER_WAY] if tell else [], seats_of, player_id)
    items = []
    for stored in shown:
        head = readable(stored)
        rows = seats_of[head.game_id]
        game, you = Stored(head, rows), _you(head, rows, player_id)
        item = summary(_with_options(head, len(rows)), rows, game.hides_names) | {
            "you": you,
            "invited": seat_kept_for(email, rows),
            "outcome": head.outcome,
        }
        if tell and you and head.game_id in latest:
            item["latest"] = tell(latest[head.game_id], game.names)
        items.append(item)
    more = len(found) > limit
    return Page(items, (shown[-1].made_at, shown[-1].game_id) if more else None)


def _with_options(head: GameHead, seats: int) -> GameHead:
    """Return the game row, without options that its rules reject."""
    try:
        if head.rules in GAMES:
            expect_playable(GAMES[head.rules], head.options, seats)
    except Unavailable:
        return head._replace(options={})
    return head


def _latest_of(
    heads: Sequence[GameHead], seats_of: Mapping[UUID, list[SeatState]], player_id: UUID | None
) -> dict[UUID, list[Json]]:
    """Return `_latest` of each of these games, from the log only where a game has changed since this was last asked."""
    keys: dict[UUID, tuple[Any, ...]] = {}
    for head in heads:
        rows = seats_of[head.game_id]
        # The log has no other commit of this version, unless a replica or a backup took its place: hence the moments.
        keys[head.game_id] = head.game_id, head.version, *visible_seat(rows, player_id), *(row.asked_at for row in rows)
    found = {game_id: it for game_id, key in keys.items() if (it := _recent.get(key)) is not None}
    changed = {head.game_id: head.rules for head in heads if head.game_id not in found}
    if changed:
        with autocommit() as connection:
            newest = log.newest(connection, changed, _NEWEST)
        read = {game_id: _latest(changed[game_id], it, *keys[game_id][2:4]) for game_id, it in newest.items()}
        if len(_recent) > _MOST_RECENT:
            _recent.clear()
        _recent.update((keys[game_id], it) for game_id, it in read.items())
        found |= read
    return found


_recent: dict[tuple[Any, ...], list[Json]] = {}  # of the games that players of this process listed
_MOST_RECENT = 10_000


def _latest(rules: str, newest: Sequence[log.Recorded], viewer: Seat | None, since: int) -> list[Json]:
    """Return others' last actions as this viewer saw them. Return none if the viewer moved last, or this process lacks
    the rules."""
    if rules not in GAMES:
        return []
    try:
        return _newest_seen(rules, newest, viewer, since)
    except (KeyError, TypeError):  # an event of a later release
        return []


def _newest_seen(rules: str, newest: Sequence[log.Recorded], viewer: Seat | None, since: int) -> list[Json]:
    events = GAMES[rules].EVENTS
    for _, rows in groupby(newest, key=lambda row: row.version):
        commit = list(rows)[::-1]
        has_begun = commit[0].type == "game-started"
        mover = next((row.seat for row in commit if row.type in events and row.seat is not None), None)
        if mover is not None and mover == viewer and not has_begun:
            return []
        seen_as = viewer if commit[0].version >= since else None
        told = [story_item(GAMES[rules], row, parse_event(GAMES[rules], row), seen_as) for row in commit]
        if any(told):
            return [it for it in told if it]
    return []


def _you(head: GameHead, seats: list[SeatState], player_id: UUID | None) -> Json | None:
    """Return `views.you`, computed from the rows of the seats."""
    seat = visible_seat(seats, player_id)[0]
    if seat is None:
        return None
    own = seats[seat]
    is_asked = head.status == "running" and own.stand_in is None and own.player_id == player_id
    return {"seat": seat, "turn": own.turn if is_asked else None}


# As columns, since ORM objects would cost more than all statements.
_HEADS = select(*(GameRow.__table__.c[name] for name in GameHead._fields))
_SEATS = f"SELECT game_id, {', '.join(SEAT_COLUMNS)} FROM seats WHERE game_id = ANY(%s) ORDER BY seat"
_PEOPLE = f"SELECT player_id, {', '.join(Person._fields)} FROM players WHERE player_id = ANY(%s)"


def _heads(query: Select[*tuple[Any, ...]]) -> list[GameHead]:
    return [GameHead._make(row) for row in db.session.execute(query)]


def _seats_of(games: list[UUID]) -> dict[UUID, list[SeatState]]:
    """Return the seats of each of these games, in order."""
    found: dict[UUID, list[SeatState]] = {game_id: [] for game_id in games}
    if not games:
        return found
    with autocommit() as connection:
        seats = connection.execute(_SEATS, (games,)).fetchall()
        ids = {it for _, *columns in seats for it in players_in(columns)}
        people = {it: Person._make(columns) for it, *columns in connection.execute(_PEOPLE, ([*ids],))}
    for game_id, *columns in seats:
        found[game_id].append(seat_of(columns, people))
    return found
