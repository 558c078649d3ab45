"""Notes about a turn, which nobody is told any more once the turn is past."""

import json
from datetime import datetime, timedelta
from typing import Final
from uuid import UUID

from server.play.commits import load
from server.play.game import Game
from server.play.views import turn_of
from server.rules import Json
from server.store.tables import WebhookDelivery

ABOUT_A_TURN: Final = ("your-turn", "reminder", "time-extended")
_LATE = timedelta(minutes=1)


class NoLonger(Exception):
    """There is nothing to be told any more."""


def game_of(about: Json, player_id: UUID) -> Game:
    """The game of a note about a turn. Raises NoLonger if that turn does not wait for this player."""
    game = load(UUID(about["game"]))
    if turn_of(game.table, about["seat"]) != about["turn"] or game.seats[about["seat"]]["player_id"] != player_id:
        raise NoLonger
    return game


def expect_present(delivery: WebhookDelivery, now: datetime) -> None:
    """Of what comes late, as after an outage. Raises NoLonger if it is about a turn that is past."""
    if delivery.kind in ABOUT_A_TURN and now - delivery.begun_at > _LATE:
        about = json.loads(delivery.payload)["data"]
        if "turn" in about:
            game_of(about, delivery.player_id)
