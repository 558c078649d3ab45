"""Stand-ins: somebody plays another one's seat for some days."""

from typing import Any
from uuid import UUID

from flask.views import MethodView

from server.api.auth import caller
from server.api.openapi import examples, schemas
from server.api.openapi.document import Blueprint, needs
from server.errors import AlreadySeated, BadField, NoPrograms, NotRunning, NotSeated, SeatTaken, SignInFirst, TooMany
from server.play.seating.stand_ins import accept_stand_in, ask_stand_in, end_stand_in, stand_in_of
from server.play.views import describe

blp = Blueprint("stand-ins", __name__, url_prefix="/v1", description="Stand-ins")


@blp.route("/games/<uuid:game_id>/seats/me/stand-in")
class OwnStandIn(MethodView):
    @blp.response(200, schemas.OwnStandIn, example=examples.OWN_STAND_IN)
    @blp.doc(operationId="getStandIn", **needs("games:read"))
    @blp.raises(NotSeated)
    def get(self, game_id: UUID) -> Any:
        """Who is asked to play your seat for some days, or does; or for how long you play it"""
        return {"stand_in": stand_in_of(game_id, caller("games:read").player_id)}

    @blp.arguments(schemas.StandInRequest, example=examples.STAND_IN_WANTED)
    @blp.response(201, schemas.StandIn, example=examples.STAND_IN)
    @blp.doc(operationId="askStandIn", **needs("games:write"))
    @blp.raises(NotSeated, NotRunning, AlreadySeated, SeatTaken, BadField, SignInFirst, TooMany)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Ask somebody to play your seat for some days

        Name a player or an address: a letter goes there, whose link accepts. From the beginning of the first day, by your
        clocks, to the end of the last one he gets the letters of your seat, sees what it sees, and plays it; his name stands
        beside yours. You look on and talk meanwhile; to play again yourself, end it. A turn under way goes on for him under
        a new number and has no more time for it. Who asks anew asks instead of before. What he does counts for nobody's
        record, what he plans ends with his days, and afterwards he sees what everybody does.
        """
        return ask_stand_in(game_id, caller("games:write").player_id, **wanted)

    @blp.response(204)
    @blp.doc(operationId="endStandIn", **needs("games:write"))
    @blp.raises(NotSeated)
    def delete(self, game_id: UUID) -> None:
        """End it: as whose seat it is, or as who stands in there; also before it begins

        So it does by itself when its days or the game are over, when a bot gets the seat, and when its person resigns.
        """
        end_stand_in(game_id, caller("games:write").player_id)


@blp.route("/stand-ins/<word>")
class Accepted(MethodView):
    @blp.response(201, schemas.Game, example=examples.GAME)
    @blp.doc(operationId="acceptStandIn", **needs("games:write"))
    @blp.raises(NotRunning, AlreadySeated, SeatTaken, SignInFirst, NoPrograms)
    def post(self, word: str) -> Any:
        """Say that you will stand in: `word` is the last one of the link in the letter

        Only whoever was named can, once signed in. On the first day you sit there; if that has come, at once. Not where you
        sit yourself, nor for two at one table.
        """
        who = caller("games:write")
        game = accept_stand_in(word, who.player_id)
        return describe(game, game.seat_of(who.player_id), player_id=who.player_id)
