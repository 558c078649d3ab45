"""The secret address of a player's calendar feed, which lists the due times of the player's turns."""

import secrets
from uuid import UUID

from sqlalchemy import select, update

from server.accounts.bans import is_welcome
from server.accounts.grants import expect_app
from server.accounts.players import stored_locale
from server.accounts.signed_links import FEED, sign, verify
from server.errors import NotFound
from server.play.seating.lobby import WaitingGame, waiting_games
from server.store.database_retry import with_retries
from server.store.tables import Player, db

_NUMBERS = 2**31  # random, so that no token repeats


def feed_word(player_id: UUID) -> str | None:
    """Return the link token of a player's feed, or None if the player has no feed."""
    number = db.session.scalars(select(Player.feed).where(Player.player_id == player_id)).one()
    return None if number is None else sign(FEED, player_id, 0, number)


def new_feed(player_id: UUID, app_id: UUID | None = None) -> str:
    """Create a new link token for a player's feed. Earlier tokens expire. `app_id`: the app that requests the token.
    Raise BadToken if the app's access has ended."""
    number = secrets.randbelow(_NUMBERS)
    _set_feed(player_id, number, app_id)
    return sign(FEED, player_id, 0, number)


def end_feed(player_id: UUID) -> None:
    """Revoke the link token of a player's feed."""
    _set_feed(player_id, None)


@with_retries
def _set_feed(player_id: UUID, number: int | None, app_id: UUID | None = None) -> None:
    expect_app(player_id, app_id)
    own = update(Player).where(Player.player_id == player_id)
    db.session.execute(own.values(feed=number, feed_app_id=app_id))
    db.session.commit()


def feed(word: str) -> tuple[list[WaitingGame], str]:
    """Return a pair: the games that are waiting for the player with this link token, and the player's language. Raise
    NotFound if the token is invalid."""
    player_id, _, number = verify(FEED, word)
    player = db.session.get(Player, player_id)
    if player is None or player.feed != number or not is_welcome(player):
        raise NotFound("Nothing was found at this address.")
    return waiting_games(player_id), stored_locale(player.locale)
