"""Moves: which are open, and playing one."""

from typing import Any
from uuid import UUID

from flask import jsonify
from flask.views import MethodView

from server import play
from server.api.auth import caller
from server.api.document import IDEMPOTENCY_KEY, Blueprint
from server.api.idempotency import once
from server.api.schemas import LegalMoves, LegalMovesRequest, MoveAnswer, MoveQuery, MoveRequest

blp = Blueprint("moves", __name__, url_prefix="/v1/games/<uuid:game_id>", description="Moves")


@blp.route("/moves")
class Moves(MethodView):
    @blp.arguments(MoveQuery, location="query")
    @blp.arguments(MoveRequest)
    @blp.response(201, MoveAnswer)
    @blp.doc(parameters=[IDEMPOTENCY_KEY])
    @blp.alt_response(
        200,
        schema={"anyOf": [{"$ref": f"#/components/schemas/{name}"} for name in ("MoveAnswer", "Foresight")]},
        description="This very move was played before: the first answer again. Or the answer to a dry run.",
    )
    @blp.alt_response(403, description="You have no seat at this table")
    @blp.alt_response(404, description="No such game, or not for your eyes")
    @blp.alt_response(409, description="`stale-turn`, `seat-handed-over`, `game-not-running`")
    def post(self, query: Any, wanted: Any, game_id: UUID) -> Any:
        """Play a move for the turn that it answers

        With `dry_run=true` nothing changes; the answer is a 200 with what the move `would` lead to (schema Foresight),
        as far as you can foresee it.
        """
        who, turn, move = caller("moves:write"), wanted["turn"], wanted["move"]
        if query["dry_run"]:
            return jsonify(play.try_move(game_id, who.player_id, turn, move))

        def played() -> tuple[Any, int]:
            answer, first = play.play_move(game_id, who.player_id, turn, move)
            return answer, 201 if first else 200

        return once(who, game_id, played, may_repeat=True)


@blp.route("/legal-moves")
class Legal(MethodView):
    @blp.response(200, LegalMoves)
    @blp.alt_response(403, description="You have no seat at this table")
    @blp.alt_response(404, description="No such game, or not for your eyes")
    def get(self, game_id: UUID) -> Any:
        """Your turn and the moves open to you; none if you are not asked"""
        return play.legal_moves(game_id, caller("games:read").player_id, [])

    @blp.arguments(LegalMovesRequest)
    @blp.response(200, LegalMoves)
    @blp.alt_response(403, description="You have no seat at this table")
    @blp.alt_response(404, description="No such game, or not for your eyes")
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """The next steps open to you after those begun, for games whose turns have several"""
        return play.legal_moves(game_id, caller("games:read").player_id, wanted["begun"])
