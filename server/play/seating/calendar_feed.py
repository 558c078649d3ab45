"""The secret address at which a player's calendar program looks up when he is due."""

import secrets
from uuid import UUID

from sqlalchemy import select, update

from server.accounts.bans import is_welcome
from server.accounts.grants import expect_app
from server.accounts.players import stored_locale
from server.accounts.signed_links import FEED, sign, verify
from server.errors import NotFound
from server.games import Json
from server.play.seating.lobby import waiting_games
from server.store.database_retry import tried_again
from server.store.tables import Player, db

_NUMBERS = 2**31  # drawn at random, so that none comes again


def feed_word(player_id: UUID) -> str | None:
    """The signed link of a player's feed; None if he has none."""
    number = db.session.scalars(select(Player.feed).where(Player.player_id == player_id)).one()
    return None if number is None else sign(FEED, player_id, 0, number)


def new_feed(player_id: UUID, app_id: UUID | None = None) -> str:
    """Return a new link token for a player's feed; earlier ones stop working. `app_id`: the app that asks.

    Raises BadToken.
    """
    number = secrets.randbelow(_NUMBERS)
    _set_feed(player_id, number, app_id)
    return sign(FEED, player_id, 0, number)


def end_feed(player_id: UUID) -> None:
    """Make the word of a player's feed worthless."""
    _set_feed(player_id, None)


@tried_again
def _set_feed(player_id: UUID, number: int | None, app_id: UUID | None = None) -> None:
    expect_app(player_id, app_id)
    own = update(Player).where(Player.player_id == player_id)
    db.session.execute(own.values(feed=number, feed_app_id=app_id))
    db.session.commit()


def feed(word: str) -> tuple[list[Json], str]:
    """The games that wait for the player of this word, as `waiting_games` has them, and his language. Raises NotFound."""
    player_id, _, number = verify(FEED, word)
    player = db.session.get(Player, player_id)
    if player is None or player.feed != number or not is_welcome(player):
        raise NotFound("Nothing was found at this address.")
    return waiting_games(player_id), stored_locale(player.locale)
