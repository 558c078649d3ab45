"""Stand-in requests by day, counted from today."""

from typing import Any
from uuid import UUID

from flask import Flask
from sqlalchemy import select

from server.clock import clock
from server.games import Json
from server.play.seating.stand_ins import Wish, accept_stand_in, ask_stand_in, stand_in_word
from server.store.tables import StandIn, db
from tests.support.games import DAY


def day(days: int) -> str:
    return (clock.now() + days * DAY).date().isoformat()


def asks(game_id: UUID, owner: UUID, first: int = 0, last: int = 6, **whom: Any) -> Json:
    return ask_stand_in(game_id, owner, Wish(day(first), day(last), **whom))


def word_of(game_id: UUID) -> str:
    db.session.rollback()
    asked = db.session.scalars(select(StandIn).where(StandIn.game_id == game_id)).one()
    return stand_in_word(game_id, asked.seat, asked.mark)


def word_at(app: Flask, path: str) -> str:
    with app.app_context():
        return word_of(UUID(path[-36:]))


def stands_in(game_id: UUID, owner: UUID, who: UUID, first: int = 0, last: int = 6) -> None:
    asks(game_id, owner, first, last, player=who)
    accept_stand_in(word_of(game_id), who)
