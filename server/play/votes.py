"""What takes the consent of everybody at the table: pausing, going on, and giving up the game."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from psycopg import Connection
from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from server.clock import clock
from server.errors import HandedOver, NotRunning
from server.play.commits import load_within, record_within
from server.play.events import GameAbandoned, GamePaused, GameResumed
from server.play.game import Game
from server.play.views import own_seat, seen_by
from server.rules import Seat
from server.store.connections import in_transaction
from server.store.database_retry import committing, in_doubt, tried_again
from server.store.tables import GameRow, Vote, db
from server.translations import noted

WISHES: Mapping[str, tuple[frozenset[str], type[Any]]] = {  # in which status, and what it comes to
    "pause": (frozenset({"running"}), GamePaused),
    "resume": (frozenset({"paused"}), GameResumed),
    "abandon": (frozenset({"running", "paused"}), GameAbandoned),
}

_IN_VAIN = {
    "pause": noted("Only a game that runs can be paused."),
    "resume": noted("Only a game that is paused can go on."),
    "abandon": noted("Only a game that runs or is paused can be abandoned."),
}


@tried_again
def vote(game_id: UUID, player_id: UUID, wish: str, consents: bool) -> None:
    """Consent to a wish, or take one's consent back; it comes true when nobody is missing but bots and the absent.

    Raises NotFound, NotSeated, NotRunning, HandedOver.
    """
    seat = own_seat(seen_by(game_id, player_id), player_id)
    db.session.execute(select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update())
    connection = in_transaction(db.session.connection())
    game, now = load_within(connection, game_id), clock.now()
    if game.table.status not in WISHES[wish][0]:
        if in_doubt() == wish:  # that vote has made it come true
            db.session.rollback()
            return
        raise NotRunning(_IN_VAIN[wish])
    if game.bot_at(seat):
        raise HandedOver("A bot plays your seat; take your seat back first.")
    own = (Vote.game_id == game_id) & (Vote.wish == wish) & (Vote.seat == seat)
    if consents:
        row = insert(Vote).values(game_id=game_id, wish=wish, seat=seat, made_at=now)
        db.session.execute(row.on_conflict_do_nothing())
    else:
        db.session.execute(delete(Vote).where(own))
    _count(connection, game, now)
    with committing(wish):
        db.session.commit()


@tried_again
def count_votes(game_id: UUID) -> None:
    """Look at the votes again because somebody left: what only he had not wished for comes true."""
    db.session.execute(select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update())
    connection = in_transaction(db.session.connection())
    _count(connection, load_within(connection, game_id), clock.now())
    db.session.commit()


def _count(connection: Connection[Any], game: Game, now: datetime) -> None:
    """Do what all who are present wish for, within the transaction that holds the game's head."""
    present, wished = _present(game), votes_of(game.game_id)
    for wish, (statuses, event) in WISHES.items():
        if present and present <= set(wished[wish]) and game.table.status in statuses:
            db.session.execute(delete(Vote).where(Vote.game_id == game.game_id))
            record_within(connection, game, [event()], now)
            return


def _present(game: Game) -> set[Seat]:
    """The seats whose persons play themselves."""
    return {row["seat"] for row in game.seats if not game.bot_at(row["seat"])}


def votes_of(game_id: UUID) -> dict[str, list[Seat]]:
    """Who consents to what at present."""
    found = db.session.execute(select(Vote.wish, Vote.seat).where(Vote.game_id == game_id).order_by(Vote.seat)).all()
    return {wish: [seat for wished, seat in found if wished == wish] for wish in WISHES}
