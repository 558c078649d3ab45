"""Moves: which are open, and playing one."""

from functools import partial
from typing import Any
from uuid import UUID

from flask import jsonify
from flask.views import MethodView

from server.api.auth import caller
from server.api.idempotency import once
from server.api.openapi import examples, schemas
from server.api.openapi.document import Blueprint, either, needs
from server.errors import HandedOver, NotRunning, NotSeated, StaleTurn
from server.play.moves import answer_from_log, legal_moves, play_move, try_move
from server.play.turn_links import play_by_link
from server.rules import IllegalMove, MalformedMove

blp = Blueprint("moves", __name__, url_prefix="/v1/games/<uuid:game_id>", description="Moves")

_TO_MOVE = {
    "playMove": {
        "operationId": "playMove",
        "description": "With this `turn` and one of these `moves` as `move`",
        "parameters": {"game_id": "$request.path.game_id"},
    }
}
_RESULT = either("MoveResult", "What a move led to or, of a dry run, would lead to", "MoveAnswer", "Foresight")


@blp.route("/moves")
class Moves(MethodView):
    @blp.arguments(schemas.MoveQuery, location="query")
    @blp.arguments(schemas.MoveRequest, example=examples.MOVE)
    @blp.response(201, _RESULT, example=examples.MOVED)
    @blp.alt_response(
        200,
        schema=_RESULT,
        description="This very move was played before: the first answer again. Or the answer to a dry run.",
        examples={"again": {"value": examples.MOVED}, "dry run": {"value": examples.FORESEEN}},
    )
    @blp.doc(operationId="playMove", **needs("moves:write", of_seat=True))
    @blp.may_come_again
    @blp.raises(NotSeated, StaleTurn, NotRunning, HandedOver, IllegalMove, MalformedMove)
    def post(self, query: Any, wanted: Any, game_id: UUID) -> Any:
        """Play a move for the turn that it answers

        With `dry_run=true` nothing changes; the answer is a 200 with what the move `would` lead to (schema Foresight),
        as far as you can foresee it.
        """
        turn, move = wanted["turn"], wanted["move"]
        who = caller("moves:write", game_id, may_be_closed=not query["dry_run"])
        if query["dry_run"]:
            return jsonify(try_move(game_id, who.player_id, turn, move))

        def play() -> tuple[Any, int]:
            if who.turn is not None:
                played = play_by_link(who.player_id, who.turn, who.closed, turn, move)
            else:
                played = play_move(game_id, who.player_id, turn, move)
            return played.answer, 201 if played.first else 200

        again = partial(answer_from_log, game_id, who.player_id, turn, move)
        return once(who, game_id, play, may_repeat=True, again=again)


@blp.route("/legal-moves")
class Legal(MethodView):
    @blp.response(200, schemas.LegalMoves, example=examples.LEGAL_MOVES)
    @blp.doc(operationId="getLegalMoves", responses={200: {"links": _TO_MOVE}}, **needs("games:read", of_seat=True))
    @blp.raises(NotSeated)
    def get(self, game_id: UUID) -> Any:
        """Your turn and the moves open to you; none if you are not asked"""
        return legal_moves(game_id, caller("games:read", game_id).player_id, [])

    @blp.arguments(schemas.LegalMovesRequest, example=examples.BEGUN)
    @blp.response(200, schemas.LegalMoves, example=examples.LEGAL_MOVES)
    @blp.doc(operationId="findLegalMoves", **needs("games:read", of_seat=True))
    @blp.raises(NotSeated, MalformedMove, IllegalMove)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """The next steps open to you after those begun, for games whose turns have several"""
        return legal_moves(game_id, caller("games:read", game_id).player_id, wanted["begun"])
