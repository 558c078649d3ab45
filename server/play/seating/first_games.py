"""A player's first game."""

from itertools import groupby

from sqlalchemy import select

from server.games import Seat
from server.play.commits import whole_log
from server.play.game import Game
from server.store.tables import GameRow, PlayerGame, db


def is_first_turn(game: Game, seat: Seat, version: int) -> bool:
    """Return whether the turn that began at this version is the first one of this seat, and the game the first one of
    its player that has begun."""
    for before, commit in groupby(whole_log(game.game_id), key=lambda row: row.version):
        first = next(commit)
        if before < version and first.seat == seat and first.type in game.table.rules.EVENTS:
            return False
    own = (PlayerGame.player_id == game.seats[seat].player_id) & (PlayerGame.game_id != game.game_id)
    others = db.session.scalars(select(PlayerGame.game_id).where(own)).all()
    begun = GameRow.game_id.in_(others) & (GameRow.status != "open")
    return not others or db.session.execute(select(GameRow.game_id).where(begun).limit(1)).first() is None
