"""Export of archives, one by one and in bulk, and import of archives."""

import logging
from collections.abc import Collection
from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import select, tuple_
from sqlalchemy.dialects.postgresql import insert

from server.accounts.signed_links import keyed_hash
from server.errors import NotFound
from server.games import Json
from server.play import archive
from server.play.archive import Flaw
from server.play.commits import load, whole_log
from server.play.table import OVER
from server.play.views import load_visible
from server.store import log
from server.store.connections import in_transaction
from server.store.database_retry import Unavailable, committing, in_doubt, is_passing, with_retries
from server.store.tables import GameRow, Player, PlayerGame, SeatRow, db

NOBODY = UUID(int=0)  # the host of imported games
Place = tuple[datetime, UUID]  # when a game ended, and the game's id
_LOOKED_AT = 500  # games examined per page, some of which may be private


def archive_of(game_id: UUID, player_id: UUID | None, invitation: str | None = None) -> Json:
    """Return the archive of a finished game, if this viewer may see it. Raise NotFound otherwise."""
    game = load_visible(game_id, player_id, invitation)
    if not game.table.turns and game.table.status in OVER:
        raise NotFound("This game was closed before it started, so there is nothing to check.")
    if game.table.status not in OVER:
        raise NotFound("This game isn't over yet. Its archive will be available when the game ends.")
    return archive.make(game.head, game.seats, whole_log(game_id))


class Shared(NamedTuple):
    """A game that may be published. `players` has a pseudonym for each seat, null for bots."""

    ended_at: datetime
    players: list[str | None]
    archive: Json


def shared_games(since: datetime | None, after: Place | None, limit: int) -> tuple[list[Shared], Place | None]:
    """Return public games that were played to the end and whose players all agreed to publish them, earliest end first.
    Also return the start of the next page, or None."""
    ended = tuple_(PlayerGame.over_at, PlayerGame.game_id)
    query = select(PlayerGame.over_at, PlayerGame.game_id).join(Player, Player.player_id == PlayerGame.player_id)
    query = query.where(Player.shares_games, PlayerGame.over_at.is_not(None), PlayerGame.role.is_(None)).distinct()
    if since is not None:
        query = query.where(PlayerGame.over_at >= since)
    if after is not None:
        query = query.where(ended > tuple_(*after))
    query = query.order_by(PlayerGame.over_at, PlayerGame.game_id).limit(_LOOKED_AT)
    places = [(at, game_id) for at, game_id in db.session.execute(query).all() if at is not None]
    allowed = _given_by_all([game_id for _, game_id in places])
    given = [place for place in places if place[1] in allowed]
    found = [it for place in given[:limit] if (it := _shared(*place))]
    if len(given) > limit:
        return found, given[limit - 1]
    return found, places[-1] if len(places) == _LOOKED_AT else None


def _given_by_all(game_ids: Collection[UUID]) -> set[UUID]:
    public = select(GameRow.game_id).where(
        GameRow.game_id.in_(game_ids), GameRow.status == "finished", GameRow.private.is_(False)
    )
    kept = (
        select(SeatRow.game_id)
        .join(Player, Player.player_id == SeatRow.player_id)
        .where(SeatRow.game_id.in_(game_ids), Player.shares_games.is_(False))
    )
    others = (  # players who have left a seat to another player, or were stand-ins
        select(PlayerGame.game_id)
        .join(Player, Player.player_id == PlayerGame.player_id)
        .where(PlayerGame.game_id.in_(game_ids), PlayerGame.role.is_not(None), Player.shares_games.is_(False))
    )
    return set(db.session.scalars(public)) - set(db.session.scalars(kept)) - set(db.session.scalars(others))


def _shared(ended_at: datetime, game_id: UUID) -> Shared | None:
    """Return the data to publish about this game, or None if the game's rules or file are missing."""
    try:
        game = load(game_id)
    except Unavailable as error:
        if is_passing(error):
            raise
        logging.getLogger(__name__).warning("Game %s is left out of the list of archives: %s", game_id, error)
        return None
    players = [pseudonym(row.player_id) if row.player_id else None for row in game.seats]
    return Shared(ended_at, players, archive.make(game.head, game.seats, whole_log(game_id)))


def pseudonym(player_id: UUID) -> str:
    """Return the player's pseudonym, which is the same in all games until the installation's secret changes."""
    return keyed_hash("pseudonym", str(player_id)).hex()[:16]


@with_retries
def take_in(raw: bytes) -> UUID:
    """Import an archive as a public game without players. Raise Flaw if a check fails."""
    start, rows, table, drawn = archive.check(raw)
    terms, game_id = start.terms, UUID(start.terms["game"])
    made = insert(GameRow).values(
        game_id=game_id,
        title=terms["rules"].capitalize(),
        private=False,
        made_by=NOBODY,
        host=NOBODY,
        made_at=rows[0].recorded_at,
        seed=start.seed,
        status="open",
        version=0,
        drawn=0,
        outcome=None,
        **{name: terms[name] for name in ("rules", "options", "clock", "on_timeout")},
    )
    if db.session.execute(made.on_conflict_do_nothing().returning(GameRow.game_id)).first() is None:
        db.session.rollback()
        if in_doubt() == game_id:
            return game_id
        raise Flaw(f"The game {game_id} already exists here.")
    empty = {"game_id": game_id, "to_act": False, "lent": 0}
    hashes = terms.get("salt_hashes", [None] * len(start.salts))
    seats = [
        {**empty, "seat": seat, "kind": "bot" if bot else "human", "bot": bot, "stand_in": stand_in}
        | {
            "salt": start.salts[seat],
            "salt_hash": hashes[seat],
            "ready": start.salts[seat] != "" and bool(hashes[seat]),
        }
        for seat, (bot, stand_in) in enumerate(zip(terms["bots"], table.stand_ins, strict=True))
    ]
    db.session.execute(insert(SeatRow), seats)
    head = {"status": table.status, "version": table.version, "outcome": table.outcome, "drawn": drawn}
    log.record(in_transaction(db.session.connection()), log.Entry(game_id, 0, head, rows))
    with committing(game_id):
        db.session.commit()
    return game_id
