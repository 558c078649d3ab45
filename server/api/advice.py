"""Hints during a game against bots, and reviews of finished games."""

from typing import Any
from uuid import UUID

from flask import jsonify
from flask.views import MethodView

from server.api.auth import caller
from server.api.languages import spoken
from server.api.openapi import examples, schemas
from server.api.openapi.document import Blueprint, needs
from server.errors import HandedOver, NoHints, NotSeated, TooMany
from server.games import IllegalMove, MalformedMove
from server.play.turns.hints import hint
from server.play.turns.reviewing import review

blp = Blueprint("advice", __name__, url_prefix="/v1/games/<uuid:game_id>", description="Hints and reviews")

_RETRY = 2  # Retry-After, in seconds, while a review is being computed


@blp.route("/hint")
class Hint(MethodView):
    @blp.response(200, schemas.Hint, example=examples.HINT)
    @blp.doc(operationId="getHint", **needs("games:read", of_seat=True))
    @blp.raises(NotSeated, HandedOver, NoHints, TooMany)
    def get(self, game_id: UUID) -> Any:
        """Get a hint

        Returns up to three moves for your turn, best first, as a bot that searches sees them. They differ in what they aim
        at. The bot knows only what your seat sees.
        The list is empty if it isn't your turn.

        Hints are available only in games in which all other players are bots.
        """
        return hint(game_id, caller("games:read", game_id).player_id, spoken().locale)

    @blp.arguments(schemas.HintRequest, example=examples.BEGUN)
    @blp.response(200, schemas.Hint, example=examples.HINT)
    @blp.doc(operationId="findHint", **needs("games:read", of_seat=True))
    @blp.raises(NotSeated, HandedOver, NoHints, TooMany, MalformedMove, IllegalMove)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Get a hint for a next step

        In some games, a turn has several steps. Returns the best steps that can follow the ones you send, as in getHint.
        The list is empty if no step can follow before you play these.
        """
        player_id = caller("games:read", game_id).player_id
        return hint(game_id, player_id, spoken().locale, begun=wanted["begun"])


@blp.route("/review")
class Review(MethodView):
    @blp.arguments(schemas.ReviewQuery, location="query")
    @blp.response(200, schemas.Review, example=examples.REVIEW)
    @blp.alt_response(
        202,
        schema=schemas.Review,
        description="The review is being computed. Repeat the request after `Retry-After` seconds.",
        example=examples.REVIEW_BEGUN,
        headers={
            "Retry-After": {
                "description": "Seconds to wait before the next request",
                "required": True,
                "schema": {"type": "integer", "minimum": 1},
            }
        },
    )
    @blp.doc(operationId="getReview", **needs("games:read", of_seat=True))
    @blp.raises(NotSeated, TooMany)
    def get(self, query: Any, game_id: UUID) -> Any:
        """Get a review of a finished game

        Shows what each of a seat's moves was worth, and which move a search-based bot would have played. The result is the
        seat's score minus the average score of the others. It is the sum of `choices` and `luck`.

        A choice is compared with the move that the bot `greedy` would have made in the same situation, as the seat saw it then. `luck`
        is the rest: cards, the seat, and the others' moves.

        The first request starts the computation, which takes minutes. Meanwhile the response is a 202 with the moves reviewed so far,
        and without figures.
        """
        who = caller("games:read", game_id)
        told, is_complete = review(game_id, who.player_id, query.get("seat"), spoken().locale)
        response = jsonify(told)
        if not is_complete:
            response.status_code = 202
            response.headers["Retry-After"] = str(_RETRY)
        return response
