"""Stand-ins, who play another player's seat for some days."""

from typing import Any
from uuid import UUID

from flask.views import MethodView

from server.api.auth import caller
from server.api.openapi import examples, schemas
from server.api.openapi.document import Blueprint, needs
from server.errors import AlreadySeated, BadField, NoPrograms, NotRunning, NotSeated, SeatTaken, SignInFirst, TooMany
from server.play.seating.stand_ins import Wish, accept_stand_in, ask_stand_in, end_stand_in, stand_in_of
from server.play.views import describe

blp = Blueprint(
    "stand-ins", __name__, url_prefix="/v1", description="Stand-ins: players who play your seat for some days"
)


@blp.route("/games/<uuid:game_id>/seats/me/stand-in")
class OwnStandIn(MethodView):
    @blp.response(200, schemas.OwnStandIn, example=examples.OWN_STAND_IN)
    @blp.doc(operationId="getStandIn", **needs("games:read"))
    @blp.raises(NotSeated)
    def get(self, game_id: UUID) -> Any:
        """Get your seat's stand-in

        Returns the player who has been asked to stand in or is standing in. If you are the stand-in, the response also
        contains how long you will play the seat.
        """
        return {"stand_in": stand_in_of(game_id, caller("games:read").player_id)}

    @blp.arguments(schemas.StandInRequest, example=examples.STAND_IN_WANTED)
    @blp.response(201, schemas.StandIn, example=examples.STAND_IN)
    @blp.doc(operationId="askStandIn", **needs("games:write"))
    @blp.raises(NotSeated, NotRunning, AlreadySeated, SeatTaken, BadField, SignInFirst, TooMany)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Request a stand-in

        Name a player or an email address. The player gets an email with a link to accept. The stand-in plays from the
        start of the first day to the end of the last, in your time zone. During that time, they see what your seat sees
        and get its emails. Both names are shown at the seat.

        Meanwhile you can watch and write messages. To play again yourself, end the stand-in period. A turn in progress
        gets a new number for the stand-in but no extra time. A new request replaces the previous one.

        The stand-in's moves don't count in any track record, and their plans end with the stand-in period. Afterwards
        they see only what everyone sees.
        """
        who = caller("games:write")
        return ask_stand_in(game_id, who.player_id, Wish(**wanted), who.app_id)

    @blp.response(204)
    @blp.doc(operationId="endStandIn", **needs("games:write"))
    @blp.raises(NotSeated)
    def delete(self, game_id: UUID) -> None:
        """Stop a stand-in from playing

        Both the seat's owner and the stand-in can do this, even before the first day. The stand-in period also ends
        after its last day, when the game ends, when a bot takes over the seat, or when the owner resigns.
        """
        end_stand_in(game_id, caller("games:write").player_id)


@blp.route("/stand-ins/<word>")
class Accepted(MethodView):
    @blp.response(201, schemas.Game, example=examples.GAME)
    @blp.doc(operationId="acceptStandIn", **needs("games:write"))
    @blp.raises(NotRunning, AlreadySeated, SeatTaken, SignInFirst, NoPrograms)
    def post(self, word: str) -> Any:
        """Accept a stand-in request

        `word` is the last part of the link in the email. Only the player who was asked can accept, after signing in. As
        a stand-in, you get the seat on the first day, or immediately if that day has come. You can't stand in at a
        table where you already play or stand in.
        """
        who = caller("games:write")
        game = accept_stand_in(word, who.player_id)
        return describe(game, game.seat_of(who.player_id), player_id=who.player_id)
