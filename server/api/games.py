"""The games there are, the games being played, and their seats."""

import base64
import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from flask import current_app, jsonify, request
from flask.views import MethodView
from werkzeug.exceptions import BadRequest, NotFound

from server import play
from server.api.auth import caller, viewer
from server.api.document import IDEMPOTENCY_KEY, Blueprint
from server.api.idempotency import new_game_id, once
from server.api.schemas import (
    Archive,
    AtQuery,
    Game,
    GamesPage,
    GamesQuery,
    GameWanted,
    InvitationQuery,
    InvitationRequest,
    Invited,
    Message,
    MessageRequest,
    MessagesQuery,
    RulesDescription,
    RulesList,
    SeatRequest,
    Story,
    StoryQuery,
    VoteRequest,
)
from server.api.schemas import Messages as MessagesPage
from server.api.schemas import Votes as VotesAnswer

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
    @blp.response(200, RulesDescription)
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
    @blp.doc(parameters=[IDEMPOTENCY_KEY])
    def post(self, wanted: Any) -> Any:
        """Open a game

        Seats are numbered as listed. The game starts when the last open seat is taken, at once if there is none.
        """
        who = caller("games:write")
        game_id = new_game_id(who)

        def opened() -> tuple[Any, int]:
            game = play.open_game(who.player_id, wanted, game_id)
            return play.describe(game, game.seat_of(who.player_id)), 201

        response = once(who, game_id, opened, may_repeat=True)
        response.headers["Location"] = f"/v1/games/{response.get_json()['id']}"
        return response

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
        return (
            {"items": page.items, "next": following},
            200,
            {"Link": f'<{following}>; rel="next"'} if following else {},
        )


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
        return moment.astimezone(UTC), UUID(game_id)
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
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
        game = play.seen_by(game_id, player_id, query.get("invitation"))
        return play.describe(game, game.seat_of(player_id), query.get("at"))


@blp.route("/games/<uuid:game_id>/seats")
class Seats(MethodView):
    @blp.arguments(SeatRequest)
    @blp.response(201, Game)
    @blp.doc(parameters=[IDEMPOTENCY_KEY])
    @blp.alt_response(404, description="No such game, or not for your eyes")
    @blp.alt_response(409, description="`seat-taken`, `already-seated`, `game-not-running`")
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Take a seat, or take your own back from a bot"""
        who = caller("games:write")

        def seated() -> tuple[Any, int]:
            game = play.take_seat(game_id, who.player_id, **wanted)
            return play.describe(game, game.seat_of(who.player_id)), 201

        return once(who, game_id, seated)


@blp.route("/games/<uuid:game_id>/seats/me")
class MySeat(MethodView):
    @blp.response(204)
    @blp.alt_response(403, description="You have no seat at this table")
    @blp.alt_response(404, description="No such game, or not for your eyes")
    def delete(self, game_id: UUID) -> None:
        """Leave before the start; afterwards resign, and a bot plays on"""
        play.leave(game_id, caller("games:write").player_id)


@blp.route("/games/<uuid:game_id>/invitations")
class Invitations(MethodView):
    @blp.arguments(InvitationRequest)
    @blp.response(201, Invited)
    @blp.doc(parameters=[IDEMPOTENCY_KEY])
    @blp.alt_response(403, description="You have no seat at this table")
    @blp.alt_response(404, description="No such game, or not for your eyes")
    @blp.alt_response(409, description="`seat-taken`, `game-not-running`")
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Keep a seat for an address and invite it by mail

        Naming a seat that is kept for somebody else invites this address instead.
        """
        who, limited = caller("games:write"), current_app.config["LIMITS"]
        return once(
            who, game_id, lambda: ({"seat": play.invite(game_id, who.player_id, **wanted, limited=limited)}, 201)
        )


@blp.route("/games/<uuid:game_id>/votes")
class Votes(MethodView):
    @blp.arguments(VoteRequest)
    @blp.response(200, VotesAnswer)
    @blp.doc(parameters=[IDEMPOTENCY_KEY])
    @blp.alt_response(403, description="You have no seat at this table")
    @blp.alt_response(404, description="No such game, or not for your eyes")
    @blp.alt_response(409, description="`game-not-running`, `seat-handed-over`")
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Consent to pausing, resuming or abandoning the game

        It happens when all who play themselves consent; bots and the absent are not asked.
        """
        who = caller("games:write")

        def voted() -> tuple[Any, int]:
            play.vote(game_id, who.player_id, wanted["on"], wanted["vote"])
            return play.votes(game_id), 200

        return once(who, game_id, voted)

    @blp.arguments(InvitationQuery, location="query")
    @blp.response(200, VotesAnswer)
    @blp.alt_response(404, description="No such game, or not for your eyes")
    @blp.doc(security=[{}, {"token": []}])
    def get(self, query: Any, game_id: UUID) -> Any:
        """Who consents to what at present"""
        play.seen_by(game_id, viewer("games:read"), query.get("invitation"))
        return play.votes(game_id)


@blp.route("/games/<uuid:game_id>/messages")
class Messages(MethodView):
    @blp.arguments(MessageRequest)
    @blp.response(201, Message)
    @blp.doc(parameters=[IDEMPOTENCY_KEY])
    @blp.alt_response(403, description="You have no seat at this table")
    @blp.alt_response(404, description="No such game, or not for your eyes")
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Say something at your table"""
        who = caller("chat:write")
        return once(who, game_id, lambda: (play.say(game_id, who.player_id, wanted["text"]), 201))

    @blp.arguments(MessagesQuery, location="query")
    @blp.response(200, MessagesPage)
    @blp.alt_response(404, description="No such game, or not for your eyes")
    @blp.doc(security=[{}, {"token": []}])
    def get(self, query: Any, game_id: UUID) -> Any:
        """What was said since message number `after`"""
        play.seen_by(game_id, viewer("games:read"), query.get("invitation"))
        return {"items": play.messages(game_id, query["after"], query["limit"])}


@blp.route("/games/<uuid:game_id>/events")
class Events(MethodView):
    @blp.arguments(StoryQuery, location="query")
    @blp.response(200, Story)
    @blp.alt_response(404, description="No such game, or not for your eyes")
    @blp.doc(security=[{}, {"token": []}])
    def get(self, query: Any, game_id: UUID) -> Any:
        """The story since an event or a version, as you saw it happen"""
        player_id = viewer("games:read")
        game = play.seen_by(game_id, player_id, query.get("invitation"))
        story = play.story(game, game.seat_of(player_id), query["after"], since_version=query["since_version"])
        return jsonify(items=story)


@blp.route("/games/<uuid:game_id>/archive")
class ArchiveOf(MethodView):
    @blp.arguments(InvitationQuery, location="query")
    @blp.response(200, Archive)
    @blp.alt_response(404, description="No such game, not for your eyes, or not over")
    @blp.doc(security=[{}, {"token": []}])
    def get(self, query: Any, game_id: UUID) -> Any:
        """A game that is over, with seed, salts and all events: [check that it was fair](/docs/fairness)"""
        return jsonify(play.archive_of(game_id, viewer("games:read"), query.get("invitation")))
