"""Lists of games."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any, Final, NamedTuple, TypedDict, Unpack
from uuid import UUID

import orjson
import psycopg
from psycopg.types.json import Jsonb
from sqlalchemy import select

from server.accounts.bans import is_welcome
from server.accounts.blocks import blocked_among, is_block_between
from server.accounts.players import address_of
from server.errors import NotFound
from server.games import GAMES, Json, Seat
from server.games.presentation import edition_options
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
from server.store.tables import Player, db
from server.translations import noted

PACES: Final = {  # time per move: exclusive minimum, maximum
    "quick": (timedelta(0), timedelta(hours=12)),
    "usual": (timedelta(hours=12), timedelta(hours=48)),
    "slow": (timedelta(hours=48), None),
}
_DURATION = (  # the format that `server.durations` parses
    "^P(?=[0-9T])([0-9]{1,8}W)?([0-9]{1,8}D)?(T(?=[0-9])([0-9]{1,8}H)?([0-9]{1,8}M)?([0-9]{1,8}S)?)?$"
)
_MANY = 1000  # games of one player per query
NOT_MET = noted("You can invite only players with whom you've shared a table.")
_SHARED_TABLES = 100  # latest games in which a player's companions are looked for
_NEWEST = 24  # newest events searched for the last move; most commits have fewer
_MORE = 4  # factor by which each search is larger than the one before
_WHICH = ("id", "rules", "options", "title", "private", "status")  # what a list of another player's games shows
_WHO = ("seat", "name", "display_name", "player", "program", "kind", "stand_in")


OnRows = Callable[[bytes], None]  # called with all rows on which a page depends
# Returns items of a story as text. The arguments: items, names of the seats, and the reader's seat
Tell = Callable[[Sequence[Json], Sequence[str], Seat], str | None]


class Filters(TypedDict, total=False):
    """Filters of a list of games. None and False select all games."""

    status: str | None
    rules: str | None
    mine: bool
    my_turn: bool
    free: bool  # whether a seat is open
    players: int | None  # the number of seats
    pace: str | None
    clock: str | None
    edition: str | None
    reliability: int | None  # the minimum for all seated players
    offered: bool  # whether players can take over a bot's seat
    uninvited: bool  # whether all players came without an invitation by email


_OF_OPEN_GAMES = {"free", "players", "pace", "clock", "edition", "reliability"}  # slow, and open games are few


def list_games(
    player_id: UUID | None,
    *,
    cursor: Cursor | None = None,
    limit: int = 20,
    tell: Tell | None = None,
    on_rows: OnRows | None = None,
    **filters: Unpack[Filters],
) -> Page:
    """List games, newest first: either public games, or the player's own. The player's own open games include those
    with an invitation.

    `tell` sets `latest` for the player's own games in progress. `on_rows` may raise an exception to prevent that the
    page is built.
    """
    wanted: Json = {name: value for name, value in filters.items() if value is not None and value is not False}
    mine = wanted.pop("mine", False)
    where = [_CONDITIONS[name] for name in wanted]
    is_picky, my_turn, status = bool(wanted.keys() & _OF_OPEN_GAMES), "my_turn" in wanted, wanted.get("status")
    if is_picky:
        where.append("g.status = 'open'")
    if "pace" in wanted:
        wanted["least"], wanted["longest"] = PACES[wanted["pace"]]
    if "edition" in wanted:
        edition = wanted["edition"]
        wanted["chosen"] = [Jsonb(it[edition]) for it in map(edition_options, GAMES) if edition in it]
    if "reliability" in wanted:
        wanted["unreliable"] = _less_reliable(wanted["reliability"])
    with autocommit() as connection:
        looking = _Looking(connection, where, wanted | {"player": player_id})
        if not (mine or my_turn):
            found = looking.heads("NOT g.private", limit + 1, cursor)
        elif mine and status == "open":
            games = [game_id for query in (_UNDER_WAY, _INVITED) for (game_id,) in looking.rows(query)]
            found = looking.heads(_AMONG, limit + 1, cursor, games=games)
        else:
            found = looking.own(_SAT, cursor, limit + 1, my_turn, my_turn or is_picky or status in UNDER_WAY)
    return _page(found, limit, player_id, tell if mine else None, on_rows)


def games_of(
    player_id: UUID,
    viewer: UUID | None,
    *,
    together: bool = False,
    status: str | None = None,
    cursor: Cursor | None = None,
    limit: int = 20,
) -> Page:
    """List the games in which a player owns a seat, newest first, as far as this viewer may know of them.

    These are public games. Viewers without an account, and viewers with a block between them and the player, see only
    finished ones. With `together`, the list has the games in which both own a seat, including private games. Abandoned
    games and games that hide names are left out. Raise NotFound if there is no such player.
    """
    if address_of(player_id) is None:
        raise NotFound("Player not found.")
    where = [_NAMED, _OWNS.format("player"), _OWNS.format("viewer") if together else "NOT g.private"]
    if not together and (viewer is None or is_block_between(viewer, [player_id])):
        where.append("g.status = 'finished'")
    if status:
        where.append(_CONDITIONS["status"])
    sat = f"{_OWNED} AND {_SHARED}" if together else _OWNED
    with autocommit() as connection:
        looking = _Looking(connection, where, {"player": player_id, "viewer": viewer, "status": status})
        found = looking.own(sat, cursor, limit + 1, False, status in UNDER_WAY)
        shown = found[:limit]
        ends = dict(looking.rows(_ENDS, games=[head.game_id for head in shown]))
    seats_of = _seats_of([head.game_id for head in shown])
    items = []
    for head in map(readable, shown):
        rows = seats_of[head.game_id]
        game, over_at = Stored(head, rows), ends.get(head.game_id)
        if not game.hides_names:
            told = summary(_with_options(head, len(rows)), rows, nameless=False)
            seats = [{name: seat[name] for name in _WHO} for seat in told["seats"]]
            end = {"seats": seats, "outcome": head.outcome, "ended_on": over_at and str(over_at.date())}
            items.append({name: told[name] for name in _WHICH} | end)
    more = len(found) > limit
    return Page(items, (shown[-1].made_at, shown[-1].game_id) if more else None)


def companions(player_id: UUID) -> list[Json]:
    """Return the people with whom this player has shared a table, latest first, except those whom the player blocks.

    A player who blocks this one stays in the list, so that the list doesn't reveal the block.
    """
    with autocommit() as connection:
        looking = _Looking(connection, [_NAMED, "g.status <> 'open'"], {"player": player_id})
        games = [head.game_id for head in looking.own(_OWNED, None, _SHARED_TABLES, False, False)]
    seats_of = _seats_of(games)
    met = dict.fromkeys(row.owner_id or row.player_id for game_id in games for row in seats_of[game_id])
    ids = [it for it in met if it is not None and it != player_id]
    known = select(Player).where(Player.player_id.in_(ids), Player.guest_until.is_(None))
    people = {it.player_id: it for it in db.session.scalars(known) if is_welcome(it)}
    blocked = blocked_among(player_id, ids)
    found = [people[it] for it in ids if it in people and it not in blocked]
    return [{"id": it.player_id, "name": it.name, "program": it.program_since is not None} for it in found]


def address_of_companion(player_id: UUID, companion: UUID) -> str | None:
    """Return the address of a person with whom this player has shared a table, or None for any other."""
    return address_of(companion) if companion in {it["id"] for it in companions(player_id)} else None


class _Looking(NamedTuple):
    """The search for one list: conditions on the games `g`, and the values in these conditions."""

    connection: psycopg.Connection[Any]
    where: list[str]
    values: Json

    def rows(self, query: str, cursor: Cursor | None = None, **more: Any) -> list[Any]:
        place = dict(zip(("at", "id"), cursor or (), strict=False))
        return self.connection.execute(query, self.values | place | more).fetchall()

    def heads(self, which: str, most: int, cursor: Cursor | None = None, **more: Any) -> list[GameHead]:
        """Return the games that satisfy the conditions of this search and `which`, newest first."""
        conditions = " AND ".join([which, *self.where, *([_OLDER] if cursor else [])])
        rows = self.rows(f"{_HEADS} WHERE {conditions} {_NEWEST_FIRST}", cursor, most=most, **more)
        return [GameHead._make(row) for row in rows]

    def own(self, sat: str, cursor: Cursor | None, most: int, my_turn: bool, in_progress: bool) -> list[GameHead]:
        """Return the player's games that the query `sat` selects, newest first. Read more and more games until enough
        are found."""
        found: list[GameHead] = []
        some = _MORE * most if my_turn else most  # most games wait for other players
        while len(found) < most:
            conditions = " AND ".join(
                [sat, *(["over_at IS NULL"] if in_progress else []), *([_OLDER] if cursor else [])]
            )
            batch = self.rows(f"{conditions} {_NEWEST_FIRST}", cursor, most=some)
            games = [game_id for _, game_id in batch]
            if my_turn:
                games = [game_id for (game_id,) in self.rows(_WAITING, games=games)]
            found += self.heads(_AMONG, most - len(found), games=games)
            if len(batch) < some:
                break
            cursor, some = batch[-1], min(_MORE * some, _MANY)
        return found


class WaitingGame(NamedTuple):
    """A game that is waiting for a player."""

    game_id: UUID
    seat: Seat
    turn: int
    asked_at: datetime
    due_at: datetime
    mails: str | None
    title: str
    rules: str


def waiting_games(player_id: UUID) -> list[WaitingGame]:
    """Return the games that are waiting for this player, most urgent first."""
    with autocommit() as connection:
        under_way = connection.execute(_UNDER_WAY, {"player": player_id}).fetchall()
        games = {"games": [game_id for (game_id,) in under_way], "player": player_id}
        seats = connection.execute(_DUE, games).fetchall()
        games["games"] = [game_id for game_id, *_ in seats]
        heads = connection.execute(_RUNNING, games).fetchall()
    running = {game_id: about for game_id, *about in heads}
    found = [WaitingGame(*row, *running[row[0]]) for row in seats if row[0] in running]
    return sorted(found, key=lambda it: (it.due_at, it.game_id))


def _less_reliable(asked: int) -> list[UUID]:
    """Return the players in open games whose reliability is less than `asked`."""
    with autocommit() as connection:
        people = [player_id for (player_id,) in connection.execute(_SEATED_IN_OPEN_GAMES)]
    return [player_id for player_id, reliability in reliability_of(people).items() if reliability < asked]


def _seats_of_each(condition: str = "true") -> str:
    """Return a subquery that counts, for each game, the seats that meet this condition. In this form, the planner can't
    turn the subquery into a scan of all seats."""
    return f"(SELECT count(*) FROM seats s WHERE s.game_id = g.game_id AND {condition})"


_PER_MOVE = "coalesce(g.clock->>'per_move', g.clock->>'increment')"
_ALLOWED = (  # Postgres would raise an error for text that isn't a duration
    f"(CASE WHEN {_PER_MOVE} ~ '{_DURATION}' THEN {_PER_MOVE} ELSE '{DEFAULT_CLOCK['per_move']}' END)::interval"
)
_CONDITIONS = {  # on a game `g`, for each filter of `list_games`
    "status": "g.status = %(status)s",
    "rules": "g.rules = %(rules)s",
    "my_turn": "g.status = 'running'",
    "free": _seats_of_each("s.kind = 'open'") + " > 0",
    "players": f"{_seats_of_each()} = %(players)s",
    "pace": f"{_ALLOWED} > %(least)s AND ({_ALLOWED} <= %(longest)s OR %(longest)s IS NULL)",
    "clock": "g.clock ? %(clock)s",
    "edition": "g.options @> ANY(%(chosen)s::jsonb[])",
    # Anonymous games must reveal nothing about their players.
    "reliability": _seats_of_each("s.player_id = ANY(%(unreliable)s)") + " = 0"
    " AND coalesce(g.options->>'nameless', 'false') = 'false'",
    # Selects games with the seats that `votes.offered_seats` returns.
    "offered": f"g.status IN ('running', 'paused') AND g.game_id IN (SELECT game_id FROM votes WHERE wish = '{OFFER}')"
    f" AND {_seats_of_each('s.stand_in IS NOT NULL')} > 0 AND "
    + _seats_of_each(
        "s.kind = 'human' AND s.stand_in IS NULL AND NOT EXISTS (SELECT FROM votes v WHERE v.game_id = s.game_id"
        f" AND v.seat = s.seat AND v.wish = '{OFFER}')"
    )
    + " = 0",
    # A change of the invited address clears `invited_by`. The email to the new address sets `mailed_at`.
    "uninvited": _seats_of_each("(s.invited_by IS NOT NULL OR s.mailed_at IS NOT NULL OR s.owner_id IS NOT NULL)")
    + " = 0",
}
_OLDER = "(g.made_at, g.game_id) < (%(at)s, %(id)s)"
_AMONG = "g.game_id = ANY(%(games)s)"
_NEWEST_FIRST = "ORDER BY g.made_at DESC, g.game_id DESC LIMIT %(most)s"
_SAT = f"""SELECT g.made_at, g.game_id FROM player_games g
WHERE g.player_id = %(player)s AND g.role IS DISTINCT FROM '{FORMER}'"""
_OWNED = "SELECT g.made_at, g.game_id FROM player_games g WHERE g.player_id = %(player)s AND g.role IS NULL"
_SHARED = "g.game_id IN (SELECT game_id FROM player_games WHERE player_id = %(viewer)s AND role IS NULL)"
_ENDS = "SELECT game_id, over_at FROM player_games WHERE player_id = %(player)s AND game_id = ANY(%(games)s)"
_OWNS = _seats_of_each("%({0})s IN (s.player_id, s.owner_id)") + " > 0"  # `player_games` alone doesn't prove it
_NAMED = """g.status <> 'abandoned'
AND (coalesce(g.options->>'nameless', 'false') = 'false' OR g.status = 'finished')"""
_UNDER_WAY = "SELECT game_id FROM player_games WHERE player_id = %(player)s AND over_at IS NULL"
_INVITED = """SELECT game_id FROM seats
WHERE email = (SELECT email FROM players WHERE player_id = %(player)s) AND kind = 'invited'"""
_WAITING = """SELECT game_id FROM seats
WHERE game_id = ANY(%(games)s) AND player_id = %(player)s AND to_act AND stand_in IS NULL"""
_DUE = """SELECT game_id, seat, turn, asked_at, due_at, mails FROM seats
WHERE game_id = ANY(%(games)s) AND player_id = %(player)s AND to_act AND due_at IS NOT NULL"""
_RUNNING = "SELECT game_id, title, rules FROM games WHERE game_id = ANY(%(games)s) AND status = 'running'"
_SEATED_IN_OPEN_GAMES = """SELECT DISTINCT s.player_id FROM seats s JOIN games g ON g.game_id = s.game_id
WHERE g.status = 'open' AND s.player_id IS NOT NULL"""


def _page(found: list[GameHead], limit: int, player_id: UUID | None, tell: Tell | None, on_rows: OnRows | None) -> Page:
    shown = found[:limit]
    seats_of = _seats_of([head.game_id for head in shown])
    is_anybody_invited = player_id is not None and any(seat.email for seats in seats_of.values() for seat in seats)
    email = address_of(player_id) if is_anybody_invited else None
    if on_rows:
        on_rows(orjson.dumps([found, list(seats_of.items()), email], default=_plain, option=orjson.OPT_NON_STR_KEYS))
    latest = _latest_of([head for head in shown if head.status in UNDER_WAY] if tell else [], seats_of, player_id)
    items = []
    for stored in shown:
        head = readable(stored)
        rows = seats_of[head.game_id]
        game, you = Stored(head, rows), _you(head, rows, player_id)
        at_table = player_id if you is not None or head.host == player_id else None
        item = summary(_with_options(head, len(rows)), rows, game.hides_names, at_table) | {
            "you": you,
            "invited": seat_kept_for(email, rows),
            "outcome": head.outcome,
        }
        if tell and you and head.game_id in latest:
            item["latest"] = tell(latest[head.game_id], game.names, you["seat"])
        items.append(item)
    more = len(found) > limit
    return Page(items, (shown[-1].made_at, shown[-1].game_id) if more else None)


def _plain(value: Any) -> Any:
    return value.hex() if isinstance(value, bytes) else list(value)  # a NamedTuple


def _with_options(head: GameHead, seats: int) -> GameHead:
    """Return the game row. Options that its rules reject are removed."""
    try:
        if head.rules in GAMES:
            expect_playable(GAMES[head.rules], head.options, seats)
    except Unavailable:
        return head._replace(options={})
    return head


def _latest_of(
    heads: Sequence[GameHead], seats_of: Mapping[UUID, list[SeatState]], player_id: UUID | None
) -> dict[UUID, list[Json]]:
    """Return the result of `_latest` for each of these games. The log is read only for games that have changed since
    the last call."""
    keys: dict[UUID, tuple[Any, ...]] = {}
    for head in heads:
        rows = seats_of[head.game_id]
        # The times are part of the key, since a replica or a backup may have another commit with this version.
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


_recent: dict[tuple[Any, ...], list[Json]] = {}  # of the games that this process has listed
_MOST_RECENT = 10_000


def _latest(rules: str, newest: Sequence[log.Recorded], viewer: Seat | None, since: int) -> list[Json]:
    """Return the last actions of other players as this viewer saw them. The list is empty if the viewer moved last, or
    if this process lacks the rules."""
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
    """Return the same as `views.you`, computed from the rows of the seats."""
    seat = visible_seat(seats, player_id)[0]
    if seat is None:
        return None
    own = seats[seat]
    is_asked = head.status == "running" and own.stand_in is None and own.player_id == player_id
    return {"seat": seat, "turn": own.turn if is_asked else None}


# As columns, since ORM objects would cost more than all statements.
_HEADS = f"SELECT {', '.join(f'g.{name}' for name in GameHead._fields)} FROM games g"
_SEATS = f"SELECT game_id, {', '.join(SEAT_COLUMNS)} FROM seats WHERE game_id = ANY(%s) ORDER BY seat"
_PEOPLE = f"SELECT player_id, {', '.join(Person._fields)} FROM players WHERE player_id = ANY(%s)"


def _seats_of(games: list[UUID]) -> dict[UUID, list[SeatState]]:
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
