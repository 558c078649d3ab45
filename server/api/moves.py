"""Listing legal moves, and playing a move."""

from functools import partial
from typing import Any
from uuid import UUID

from flask import jsonify
from flask.views import MethodView

from server.api.auth import caller
from server.api.idempotency import once
from server.api.openapi import examples, schemas
from server.api.openapi.document import Blueprint, either, needs
from server.api.unmodified import load_unless_unmodified
from server.errors import HandedOver, NotRunning, NotSeated, StaleTurn
from server.games import IllegalMove, Json, MalformedMove
from server.games.presentation import sentence, write_move
from server.play.moves import legal_moves, legal_moves_in, play_move, try_move
from server.play.planning.next_turn import plannable_moves
from server.play.turns.first_answers import answer_from_log
from server.play.turns.turn_links import play_by_link
from server.play.views import load_visible

blp = Blueprint(
    "moves", __name__, url_prefix="/v1/games/<uuid:game_id>", description="Playing moves and listing legal ones"
)

_TO_MOVE = {
    "playMove": {
        "operationId": "playMove",
        "description": "Send this `turn`, and one of these `moves` as `move`",
        "parameters": {"game_id": "$request.path.game_id"},
    }
}
_LEGAL = examples.of_both(examples.LEGAL_MOVES, examples.LEGAL_STEPS)
_RESULT = either("MoveResult", "Result of a move or of a dry run", "MoveAnswer", "Foresight")


@blp.route("/moves")
class Moves(MethodView):
    @blp.arguments(schemas.MoveQuery, location="query")
    @blp.arguments(schemas.MoveRequest, example=examples.MOVE)
    @blp.response(
        201,
        _RESULT,
        description="The move was played (schema MoveAnswer).",
        examples=examples.of_both(examples.MOVED, examples.STEP_PLAYED),
    )
    @blp.alt_response(
        200,
        schema=_RESULT,
        description="The first response again if this move was already played, or the result of a dry run.",
        examples={"again": {"value": examples.MOVED}, "dry run": {"value": examples.FORESEEN}},
    )
    @blp.doc(operationId="playMove", **needs("moves:write", of_seat=True))
    @blp.idempotent
    @blp.raises(NotSeated, StaleTurn, NotRunning, HandedOver, IllegalMove, MalformedMove)
    def post(self, query: Any, wanted: Any, game_id: UUID) -> Any:
        """Play a move

        The move counts for the turn named in `turn`. If you send the same move again, you get the first response.

        With `dry_run=true`, the game doesn't change. The response is a 200 with the events the move `would` cause
        (schema Foresight), as far as you can foresee them. Their `words` are the sentences that they would have after
        the move, in the past tense.
        """
        turn, move = wanted["turn"], wanted["move"]
        who = caller("moves:write", game_id, may_be_closed=not query["dry_run"])
        told = partial(_in_words, game_id, who.player_id, query.get("words"))
        if query["dry_run"]:
            return jsonify(told(try_move(game_id, who.player_id, turn, move)))

        def play() -> tuple[Any, int]:
            if who.turn is not None:
                played = play_by_link(who.player_id, who.turn, who.closed, turn, move)
            else:
                played = play_move(game_id, who.player_id, turn, move)
            return told(played.answer), 201 if played.first else 200

        def again() -> Any:
            return told(answer_from_log(game_id, who.player_id, turn, move))

        return once(who, game_id, play, may_repeat=True, again=again)


def _in_words(game_id: UUID, player_id: UUID, locale: str | None, answer: Json) -> Json:
    """Return the result of a move or of a dry run, with a sentence about each event if a language is given."""
    if locale is None:
        return answer
    game, key = load_visible(game_id, player_id), "would" if "would" in answer else "events"
    rules = game.head.rules
    return answer | {
        key: [item | {"words": sentence(item, game.names, locale, rules_name=rules)} for item in answer[key]]
    }


@blp.route("/legal-moves")
class Legal(MethodView):
    @blp.arguments(schemas.LegalMovesQuery, location="query")
    @blp.response(200, schemas.LegalMoves, examples=_LEGAL)
    @blp.doc(operationId="getLegalMoves", responses={200: {"links": _TO_MOVE}}, **needs("games:read", of_seat=True))
    @blp.raises(NotSeated)
    def get(self, query: Any, game_id: UUID) -> Any:
        """List your legal moves

        Returns your turn and its legal moves. The list is empty if it isn't your turn.
        """
        who = caller("games:read", game_id)
        found = legal_moves_in(load_unless_unmodified(game_id, who), who.player_id, [])
        return _written(game_id, who.player_id, query, found)

    @blp.arguments(schemas.LegalMovesQuery, location="query")
    @blp.arguments(schemas.LegalMovesRequest, example=examples.BEGUN)
    @blp.response(200, schemas.LegalMoves, examples=_LEGAL)
    @blp.doc(operationId="findLegalMoves", **needs("games:read", of_seat=True))
    @blp.raises(NotSeated, NotRunning, HandedOver, MalformedMove, IllegalMove)
    def post(self, query: Any, wanted: Any, game_id: UUID) -> Any:
        """List legal next steps

        In some games, a turn has several steps. Returns the steps that can follow the ones you send.

        With `planned`, returns moves for your plan instead. Other players move before your turn. So a move from this
        list can become illegal, and a missing one legal.
        """
        player_id = caller("games:read", game_id).player_id
        if "planned" in wanted:
            found = plannable_moves(game_id, player_id, wanted["planned"], wanted["begun"])
        else:
            found = legal_moves(game_id, player_id, wanted["begun"])
        return _written(game_id, player_id, query, found)


def _written(game_id: UUID, player_id: UUID, query: Json, found: Json) -> Json:
    """Return legal moves with each in words if a language is given."""
    if "words" not in query:
        return found
    rules = load_visible(game_id, player_id).table.rules
    words = [write_move(rules, rules.move_from_json(move), query["words"]) for move in found["moves"]]
    return found | {"words": words}
