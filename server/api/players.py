"""Signing in, tokens, profiles."""

from typing import Any

from flask import current_app, request
from flask.views import MethodView

from server import play
from server.api import examples, schemas
from server.api.auth import any_caller, caller
from server.api.document import ANYBODY, TOKEN_OR_NONE, Blueprint
from server.api.paging import NEXT_PAGE, cursor_of, page_of, read_cursor
from server.play.errors import BadField, TooMany, WrongCode

blp = Blueprint("players", __name__, url_prefix="/v1", description="People: signing in, tokens, profiles")


@blp.route("/sign-ins")
class SignIns(MethodView):
    @blp.arguments(schemas.SignInRequest, example=examples.SIGN_IN)
    @blp.response(202, schemas.SignInAnswer, example=examples.SIGN_IN_ANSWER)
    @blp.doc(operationId="signIn", **ANYBODY)
    @blp.raises(TooMany)
    def post(self, wanted: Any) -> Any:
        """Ask for a code by mail

        The answer is the same whether or not anybody is known at this address. The code is good for ten minutes and
        five tries.
        """
        sender = request.remote_addr if current_app.config["LIMITS"] else None
        return {"sign_in": play.begin_sign_in(wanted["email"], wanted["locale"], sender)}


@blp.route("/tokens")
class Tokens(MethodView):
    @blp.arguments(
        schemas.TokenRequest,
        required=False,
        examples={"by code": {"value": examples.TOKEN_BY_CODE}, "a further one": {"value": examples.FURTHER_TOKEN}},
    )
    @blp.response(201, schemas.TokenAnswer, example=examples.TOKEN_ANSWER)
    @blp.doc(operationId="makeToken", **TOKEN_OR_NONE)
    @blp.raises(WrongCode, BadField)
    def post(self, wanted: Any) -> Any:
        """Get a token

        With `sign_in` and the mailed `code`; or, with a token, a further one with some of its scopes.
        """
        if "code" in wanted:
            token, scopes = play.redeem(wanted["sign_in"], wanted["code"])
        else:
            who = caller("tokens:write")
            token, scopes = play.further_token(
                who, wanted.get("name", "further"), wanted.get("scopes"), wanted.get("expires_at")
            )
        return {"token": token, "scopes": scopes}


@blp.route("/tokens/current")
class CurrentToken(MethodView):
    @blp.response(204)
    @blp.doc(operationId="revokeToken")
    def delete(self) -> None:
        """Make the token of this request worthless at once"""
        play.revoke(any_caller())


@blp.route("/me")
class Me(MethodView):
    @blp.response(200, schemas.Profile, example=examples.PROFILE)
    @blp.doc(operationId="getProfile")
    def get(self) -> Any:
        """Your profile"""
        return play.profile(caller("profile:read").player_id)

    @blp.arguments(schemas.ProfileChanges, required=False, example=examples.PROFILE_CHANGES)
    @blp.response(200, schemas.Profile, example=examples.PROFILE)
    @blp.doc(operationId="changeProfile")
    @blp.raises(BadField)
    def patch(self, changes: Any) -> Any:
        """Change your profile; your time counts by it from your next turn on"""
        return play.change_profile(caller("profile:write").player_id, changes)


@blp.route("/me/deliveries")
class Deliveries(MethodView):
    @blp.arguments(schemas.PageQuery, location="query")
    @blp.response(200, schemas.Deliveries, example=examples.DELIVERIES, headers=NEXT_PAGE)
    @blp.doc(operationId="listDeliveries")
    @blp.raises(BadField)
    def get(self, query: Any) -> Any:
        """The letters to you and what became of each, newest first"""
        who = caller("profile:read")
        page = play.deliveries(who.player_id, read_cursor(query.get("cursor")), query["limit"])
        return page_of(page.items, page.next and {"cursor": cursor_of(*page.next)})


@blp.route("/me/feed")
class Feed(MethodView):
    @blp.response(200, schemas.Feed, example=examples.FEED)
    @blp.doc(operationId="getFeed")
    def get(self) -> Any:
        """The secret address of your due times, for calendar programs"""
        return _feed(play.feed_word(caller("profile:read").player_id))

    @blp.response(201, schemas.Feed, example=examples.FEED)
    @blp.doc(operationId="makeFeed")
    def post(self) -> Any:
        """Make a new secret address of your due times; the earlier one is worthless at once"""
        return _feed(play.new_feed(caller("profile:write").player_id))

    @blp.response(204)
    @blp.doc(operationId="endFeed")
    def delete(self) -> None:
        """Have no such address any more"""
        play.end_feed(caller("profile:write").player_id)


def _feed(word: str | None) -> Any:
    return {"url": word and f"{current_app.config['BASE_URL']}/feed/{word}.ics"}
