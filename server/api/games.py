"""The games there are, the games being played, and their seats."""

import base64
import binascii
import json
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from flask import jsonify, request
from flask.views import MethodView
from werkzeug.exceptions import BadRequest, NotFound

from server import play
from server.api.auth import caller, viewer
from server.api.document import Blueprint
from server.api.schemas import (
    AtQuery,
    Game,
    GamesPage,
    GamesQuery,
    GameWanted,
    RulesList,
    SeatRequest,
    Story,
    StoryQuery,
)

blp = Blueprint("games", __name__, url_prefix="/v1", description="Games and their seats")


@blp.route("/rules")
class AllRules(MethodView):
    @blp.response(200, RulesList)
    @blp.doc(security=[])
    def get(self) -> Any:
        """The games that can be played here"""
        return {"items": [rules.describe() for rules in play.GAMES.values()]}


@blp.route("/rules/<name>")
class Rules(MethodView):
    @blp.response(200, content_type="application/json")
    @blp.alt_response(404, description="No such game")
    @blp.doc(security=[])
    def get(self, name: str) -> Any:
        """One game: options, editions, boards, move schema, notation"""
        if name not in play.GAMES:
            raise NotFound("There is no such game.")
        return jsonify(play.GAMES[name].describe())


@blp.route("/games")
class Games(MethodView):
    @blp.arguments(GameWanted)
    @blp.response(201, Game)
    def post(self, wanted: Any) -> Any:
        """Open a game

        Seats are numbered as listed. The game starts when the last open seat is taken, at once if there is none.
        """
        player_id = caller("games:write").player_id
        game = play.open_game(player_id, wanted)
        return play.describe(game, game.seat_of(player_id)), 201, {"Location": f"/v1/games/{game.game_id}"}

    @blp.arguments(GamesQuery, location="query")
    @blp.response(200, GamesPage)
    @blp.doc(security=[{}, {"token": []}])
    def get(self, query: Any) -> Any:
        """List games, newest first

        Public ones, or with `mine` and `my_turn` those where you sit and those that wait for you.
        """
        mine = query["mine"] or query["my_turn"]
        player_id = caller("games:read").player_id if mine else viewer("games:read")
        page = play.list_games(player_id, **query | {"cursor": _read_cursor(query.get("cursor"))})
        rest = {name: value for name, value in request.args.items() if name != "cursor"}
        following = page.next and f"/v1/games?{urlencode(rest | {'cursor': _cursor(*page.next)})}"
        return {"items": page.items, "next": following}


def _cursor(made_at: datetime, game_id: UUID) -> str:
    return base64.urlsafe_b64encode(json.dumps([made_at.isoformat(), game_id.hex]).encode()).decode()


def _read_cursor(text: str | None) -> tuple[datetime, UUID] | None:
    if text is None:
        return None
    try:
        made_at, game_id = json.loads(base64.urlsafe_b64decode(text))
        moment = datetime.fromisoformat(made_at)
        if moment.tzinfo is None:
            raise ValueError
        return moment, UUID(game_id)
    except (ValueError, TypeError, AttributeError, binascii.Error, RecursionError):
        raise BadRequest("This cursor is not one of ours.") from None


@blp.route("/games/<uuid:game_id>")
class OneGame(MethodView):
    @blp.arguments(AtQuery, location="query")
    @blp.response(200, Game)
    @blp.alt_response(404, description="No such game, or not for your eyes")
    @blp.doc(security=[{}, {"token": []}])
    def get(self, query: Any, game_id: UUID) -> Any:
        """A game as you may see it, now or at an earlier version"""
        player_id = viewer("games:read")
        game = play.seen_by(game_id, player_id)
        return play.describe(game, game.seat_of(player_id), query.get("at"))


@blp.route("/games/<uuid:game_id>/seats")
class Seats(MethodView):
    @blp.arguments(SeatRequest)
    @blp.response(201, Game)
    @blp.alt_response(404, description="No such game, or not for your eyes")
    @blp.alt_response(409, description="`seat-taken`, `already-seated`, `game-not-running`")
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Take a seat, or take your own back from a bot"""
        player_id = caller("games:write").player_id
        game = play.take_seat(game_id, player_id, **wanted)
        return play.describe(game, game.seat_of(player_id))


@blp.route("/games/<uuid:game_id>/seats/me")
class MySeat(MethodView):
    @blp.response(204)
    @blp.alt_response(403, description="You have no seat at this table")
    @blp.alt_response(404, description="No such game, or not for your eyes")
    def delete(self, game_id: UUID) -> None:
        """Leave before the start; afterwards resign, and a bot plays on"""
        play.leave(game_id, caller("games:write").player_id)


@blp.route("/games/<uuid:game_id>/events")
class Events(MethodView):
    @blp.arguments(StoryQuery, location="query")
    @blp.response(200, Story)
    @blp.alt_response(404, description="No such game, or not for your eyes")
    @blp.doc(security=[{}, {"token": []}])
    def get(self, query: Any, game_id: UUID) -> Any:
        """The story since the event `after`, as you saw it happen"""
        player_id = viewer("games:read")
        game = play.seen_by(game_id, player_id)
        return jsonify(items=play.story(game, game.seat_of(player_id), query["after"]))
