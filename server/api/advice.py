"""Hints during a game against bots."""

from typing import Any
from uuid import UUID

from flask.views import MethodView

from server.api.auth import caller
from server.api.languages import spoken
from server.api.openapi import examples, schemas
from server.api.openapi.document import Blueprint, needs
from server.errors import HandedOver, NoHints, NotSeated, TooMany
from server.play.turns.hints import hint

blp = Blueprint("advice", __name__, url_prefix="/v1/games/<uuid:game_id>", description="Hints and reviews")


@blp.route("/hint")
class Hint(MethodView):
    @blp.response(200, schemas.Hint, example=examples.HINT)
    @blp.doc(operationId="getHint", **needs("games:read", of_seat=True))
    @blp.raises(NotSeated, HandedOver, NoHints, TooMany)
    def get(self, game_id: UUID) -> Any:
        """Get a hint

        Returns the three best moves for your turn, as a bot that searches sees them. It knows only what your seat sees.
        The list is empty if it isn't your turn.

        Hints are available only in games in which all other players are bots.
        """
        return hint(game_id, caller("games:read", game_id).player_id, spoken().locale)
