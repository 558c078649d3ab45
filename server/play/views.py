"""Views of a game, and the check of whether a player may see it."""

from collections.abc import Mapping, Sequence
from itertools import repeat
from uuid import UUID

from server.accounts.players import address_of
from server.accounts.signed_links import ANY_SEAT, INVITATION, Capability, is_mark_of, sign, verify
from server.errors import HandedOver, NotFound, NotSeated, PlaceAhead
from server.games import Json, Seat, commitment, without_undone
from server.games.presentation import fullest, sentence
from server.play.commits import Snapshot, at_version, load, whole_log
from server.play.game import Game, bots_name
from server.play.story.authors import CHANGES_OF_PLAYERS, Viewer, visible_events
from server.play.table import TAKEN_BACK, Table, fold_commits, new_table
from server.store import log
from server.store.connections import autocommit
from server.store.plans import played_by_plans
from server.store.rows import GameHead, SeatState
from server.store.tables import Player, db
from server.translations import noted


def load_visible(
    game_id: UUID, player_id: UUID | None, invitation: str | None = None, snapshot: Snapshot | None = None
) -> Game:
    """Return the game, or the game in this snapshot, if this player may see it. To see a private game, a player needs a
    seat or an invitation. Raise NotFound if the player may not see the game."""
    game = load(game_id, snapshot)
    if not game.head.private or game.seat_of(player_id) is not None:
        return game
    kept_for = [row.email for row in game.seats]
    if invitation_access(game_id, kept_for, invitation) is None:
        people = [(row.player_id, row.email) for row in game.seats]
        player = db.session.get(Player, player_id) if player_id else None
        if player is None or not may_see(game.head.host, people, player.player_id, player.email):
            raise NotFound("Game not found.")
    return game


def depends_on_rows(game: Game, snapshot: Snapshot, player_id: UUID | None) -> bool:
    """Return whether everything that this player may see of the game follows from the text of the snapshot.

    Invitations also depend on the player's address, and on the secret that signs them.
    """
    has_invitations = game.head.private and (game.table.status == "open" or game.seat_of(player_id) is None)
    return snapshot.determines(game) and not has_invitations and not any(row.email for row in game.seats)


def invitation_access(game_id: UUID, kept_for: Sequence[str | None], invitation: str | None) -> Capability | None:
    """Return the access that this link token gives to that game: any seat, or one that is reserved for the token's
    address. Return None if the token gives no access."""
    try:
        word = verify(INVITATION, invitation or "")
    except NotFound:
        return None
    if word.game_id != game_id:
        return None
    email = None if word.seat == ANY_SEAT else kept_for[word.seat]
    return word if word.seat == ANY_SEAT or (email and is_mark_of(email, word.number)) else None


def may_see(host: UUID, people: list[tuple[UUID | None, str | None]], player_id: UUID, email: str) -> bool:
    return player_id == host or any(player_id == sitting or email == invited for sitting, invited in people)


def own_seat(game: Game, player_id: UUID) -> Seat:
    """Return the player's seat. Raise NotSeated if the player has no seat."""
    seat = game.seat_of(player_id)
    if seat is None:
        raise NotSeated("You have no seat at this table.")
    return seat


def played_seat(game: Game, player_id: UUID) -> Seat:
    """Return the player's seat, unless a stand-in is playing it. Raise NotSeated, HandedOver."""
    seat = own_seat(game, player_id)
    if game.seats[seat].player_id != player_id:
        raise HandedOver(noted("A stand-in is playing for you. Stop the stand-in to play again yourself."))
    return seat


def describe(game: Game, viewer: Seat | None, version: int | None = None, player_id: UUID | None = None) -> Json:
    """Return a game as this viewer sees it, at an earlier version if one is given. Raise NotFound for a future version.

    `player_id`: the id of the viewer, who may be a host without a seat. Secrets from before they sat down are hidden.
    """
    table = game.table if version is None else table_at(game, version)
    seen_as = viewer if table.version >= game.sees_since(player_id) else None
    return {
        **summary(
            game.head._replace(version=table.version, status=table.status),
            _seats_at(game, table),
            nameless=game.hides_names,
            at_table=player_id if viewer is not None or player_id == game.head.host else None,
        ),
        "invitation": _open_invitation(game, viewer),
        "hosting": table.status == "open" and player_id == game.head.host,
        "you": _you(game, table, viewer, player_id),
        "invited": _kept_seat(game, player_id),
        "view": table.rules.view(table.state, seen_as) if table.state is not None else None,
        "outcome": table.outcome,
    }


def _kept_seat(game: Game, player_id: UUID | None) -> Seat | None:
    if player_id is None or not any(row.email for row in game.seats):
        return None
    return seat_kept_for(address_of(player_id), game.seats)


def seat_kept_for(email: str | None, seats: Sequence[SeatState]) -> Seat | None:
    """Return the seat reserved for this address."""
    return next((row.seat for row in seats if email is not None and row.email == email), None)


def view_of(game: Game, viewer: Seat | None, version: int | None = None) -> Json:
    """Return the viewer's view of the table, at an earlier version if one is given. Raise NotFound if the game hadn't
    started."""
    table = game.table if version is None else table_at(game, version)
    if table.state is None:
        raise NotFound("This game has not started.")
    return table.rules.view(table.state, viewer)


def table_at(game: Game, version: int) -> Table:
    """Return the table at a version. Raise NotFound if the game hasn't reached it."""
    if not 0 <= version <= game.table.version:
        raise NotFound("This game has no version %(version)s yet.", version=version)
    return at_version(game, version)


def fullest_version(game: Game) -> int:
    """Return the last version at which the table showed most to a spectator. Without `fullness`, or before the start,
    that is the current version."""
    commits = fold_commits(new_table(game.head.rules), whole_log(game.game_id))
    tables, rules = [table for _, table in commits if table.state is not None], game.table.rules
    if not tables:
        return game.table.version
    return tables[fullest(rules, [rules.view(table.state, None) for table in tables])].version


def _seats_at(game: Game, table: Table) -> Sequence[SeatState]:
    if table.version == game.table.version:
        return game.seats
    asked = zip(table.turns or repeat(None), table.stand_ins or repeat(None), strict=False)
    return [
        row._replace(turn=turn, stand_in=stand_in, due_at=None)
        for row, (turn, stand_in) in zip(game.seats, asked, strict=False)
    ]


def _open_invitation(game: Game, viewer: Seat | None) -> str | None:
    """Return the invitation that players of a private table may pass on while the table has open seats."""
    if not game.head.private or viewer is None or game.table.status != "open":
        return None
    return sign(INVITATION, game.game_id, ANY_SEAT)


def you(table: Table, seat: Seat | None) -> Json | None:
    """Return the viewer's seat and current turn."""
    return None if seat is None else {"seat": seat, "turn": turn_of(table, seat)}


def _you(game: Game, table: Table, seat: Seat | None, player_id: UUID | None) -> Json | None:
    """Return the viewer's seat and current turn. A player with a stand-in has no turn."""
    found = you(table, seat)
    return found | {"turn": None} if found and game.seats[found["seat"]].owner_id == player_id is not None else found


def turn_of(table: Table, seat: Seat) -> int | None:
    """Return the current turn of this seat's player, or None during a pause or while a bot plays."""
    return table.turns[seat] if table.status == "running" and table.stand_ins[seat] is None else None


def summary(head: GameHead, seats: Sequence[SeatState], nameless: bool, at_table: UUID | None = None) -> Json:
    """Return a game in the form used in lists, without its view. `nameless`: whether the game hides its players.
    `at_table`: the viewer, if they have a seat or are the host."""
    is_open = head.status == "open"
    return {
        "id": head.game_id,
        "rules": head.rules,
        "options": head.options,
        "title": head.title,
        "private": head.private,
        "status": head.status,
        "version": head.version,
        "made_at": head.made_at,
        "host": next((row.seat for row in seats if row.player_id == head.host), None) if is_open else None,
        "closes_at": head.closes_at if is_open else None,
        "clock": head.clock,
        "on_timeout": head.on_timeout,
        "min_reliability": head.min_reliability,
        "programs": head.programs,
        "seats": [
            _seat(row, bots_name(head.game_id, seats, row))
            | _ready(head, row)
            | {"declined_by": _declined_by(row, at_table)}
            | (_NAMELESS if nameless and row.player_id else {})
            for row in seats
        ],
        "commitment": commitment(head.seed),
        "latest": None,
    }


_NAMELESS: Json = dict.fromkeys(("name", "display_name", "player", "stood_in_by")) | dict.fromkeys(
    ("program", "unreachable"), False
)


def _seat(row: SeatState, bot: str | None) -> Json:
    whose = row.owner or row.person
    return {
        "seat": row.seat,
        "name": row.bot or whose.name,
        "display_name": bot or whose.name,
        "player": row.owner_id or row.player_id,
        "program": whose.program_since is not None,
        "kind": "bot" if row.stand_in else row.kind,
        "stand_in": row.stand_in,
        "stood_in_by": _stood_in_by(row),
        "to_act": row.turn is not None,
        "turn": row.turn,
        "due_at": row.due_at,
        "unreachable": row.person.unreachable_since is not None or (row.lost_at is not None and row.kind != "open"),
        "declined": row.lost_at is not None and row.kind == "open",
    }


def _declined_by(row: SeatState, viewer: UUID | None) -> str | None:
    """Return the name of the person who declined. If the invitation was sent to an address, only the player
    who entered the address sees it."""
    is_shown = viewer is not None and row.kind == "open" and row.invited_by in (None, viewer)
    return row.declined_name if is_shown else None


def _ready(head: GameHead, row: SeatState) -> Json:
    """During a ready check, return whether this seat's player has confirmed that they are ready, and the salt hash to
    which they have committed."""
    is_asked = row.asked_at is not None or row.ready or head.status != "open"
    return {
        "ready": row.ready if row.player_id and is_asked and head.options.get("ready_check") else None,
        "salt_hash": row.salt_hash,
        "salt_revealed": row.salt != "" if row.salt_hash else None,
    }


def _stood_in_by(row: SeatState) -> Json | None:
    if row.owner_id is None:
        return None
    return {
        "player": row.player_id,
        "name": row.person.name,
        "program": row.person.program_since is not None,
        "until": row.stood_in_until,
    }


def expect_reached(place: int, newest: int) -> None:
    """Raise PlaceAhead if the position is after the newest one."""
    if place > newest:
        raise PlaceAhead(newest)


def story(
    game: Game, viewer: Seat | None, after: int = 0, limit: int | None = None, player_id: UUID | None = None
) -> list[Json]:
    """Return the events from number `after` + 1 on, as this viewer saw them happen. At most `limit` events are read
    from the log.

    `player_id`: the viewer's id, if they aren't the player who holds the seat now. Raise NotOnShelf if the archived
    events can't be read.
    """
    player = None if viewer is None else game.seats[viewer].player_id
    plays, since = player_id in (None, player), game.sees_since(player_id or player)
    newest = game.table.seq  # later events don't match the seats of `game`
    last = newest if limit is None else min(newest, after + limit)
    with autocommit() as connection:
        records = log.read_page(connection, game.head, after, last, CHANGES_OF_PLAYERS)
        planned = played_by_plans(connection, game.game_id).get(viewer) if viewer is not None and plays else None
    rows = [row for row in records if row.seq <= newest]
    items = visible_events(game.table.rules, rows, game.seats, Viewer(viewer, planned or (), since))
    return [item for row, item in items if after < row.seq <= last]


def last_event_of(game: Game, version: int) -> int:
    """Return the number of the last event up to a version. Raise NotOnShelf if the archived events can't be read."""
    if version in (0, game.table.version):
        return game.table.seq if version else 0
    with autocommit() as connection:
        if game.head.shelved is None:
            return log.last_of_version(connection, game.game_id, version)
        rows = log.read_page(connection, game.head, 0, game.table.seq, ())
    return max((row.seq for row in rows if row.version <= version), default=0)


def would_undo(game: Game, viewer: Seat | None, to: int, locale: str) -> list[str]:
    """Return what a take-back to version `to` would undo, a sentence each, as this viewer saw it."""
    rules = game.table.rules
    aside: frozenset[str] = getattr(rules, "ASIDE", frozenset()) - getattr(rules, "MOVES_ASIDE", frozenset())
    news = [it for it in without_undone(story(game, viewer)) if it["version"] > to and it["type"] not in aside]
    news = [it for it in news if it["type"] != TAKEN_BACK]  # what it took back is left out as well
    retold: Mapping[str, str] = getattr(rules, "RETOLD", {})
    types = {it["type"] for it in news}
    news = [it for it in news if retold.get(it["type"]) not in types]
    return [told for it in news if (told := sentence(it, game.names, locale, viewer))]
