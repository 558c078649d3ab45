"""Signing in, tokens, profiles."""

from typing import Any
from uuid import UUID

from flask import current_app, request
from flask.views import MethodView
from flask_babel import gettext

from server.accounts.deliveries import deliveries
from server.accounts.players import change_profile, profile
from server.accounts.sign_in import begin_sign_in, redeem
from server.accounts.tokens import further_token, revoke, revoke_all, revoke_token, tokens_of
from server.api.auth import any_caller, caller
from server.api.openapi import examples, schemas
from server.api.openapi.document import ANYBODY, Blueprint, needs, takes
from server.api.paging import NEXT_PAGE, cursor_of, page_of, read_cursor
from server.errors import BadField, TooMany, WrongCode
from server.play.calendar_feed import end_feed, feed_word, new_feed
from server.webhooks.failures import failure

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
        return {"sign_in": begin_sign_in(wanted["email"], wanted["locale"], request.remote_addr or "")}


@blp.route("/tokens")
class Tokens(MethodView):
    @blp.arguments(
        schemas.TokenRequest,
        required=False,
        examples={"by code": {"value": examples.TOKEN_BY_CODE}, "a further one": {"value": examples.FURTHER_TOKEN}},
    )
    @blp.response(201, schemas.TokenAnswer, example=examples.TOKEN_ANSWER)
    @blp.doc(operationId="makeToken", **takes("tokens:write"))
    @blp.raises(WrongCode, BadField, TooMany)
    def post(self, wanted: Any) -> Any:
        """Get a token

        With `sign_in` and the mailed `code`, one with all scopes; or, with a token, a further one. It has no scope
        that the first one lacks, and ends no later.
        """
        if "code" in wanted:
            made = redeem(wanted["sign_in"], wanted["code"])
        else:
            who = caller("tokens:write")
            made = further_token(who, wanted.get("name", "further"), wanted.get("scopes"), wanted.get("expires_at"))
        return made.facts | {"token": made.text}

    @blp.arguments(schemas.PageQuery, location="query")
    @blp.response(200, schemas.Tokens, example=examples.TOKENS, headers=NEXT_PAGE)
    @blp.doc(operationId="listTokens", **needs("tokens:write"))
    @blp.raises(BadField)
    def get(self, query: Any) -> Any:
        """Your tokens that are good for something, and when each was last used"""
        page = tokens_of(caller("tokens:write"), read_cursor(query.get("cursor")), query["limit"])
        return page_of(page.items, page.next and {"cursor": cursor_of(*page.next)})

    @blp.response(204)
    @blp.doc(operationId="revokeAllTokens", **needs("tokens:write"))
    def delete(self) -> None:
        """Make all your tokens worthless at once, the one of this request too"""
        revoke_all(caller("tokens:write").player_id)


@blp.route("/tokens/current")
class CurrentToken(MethodView):
    @blp.response(204)
    @blp.doc(operationId="revokeToken")
    def delete(self) -> None:
        """Make the token of this request worthless at once, whatever its scopes"""
        revoke(any_caller())


@blp.route("/tokens/<uuid:token_id>")
class OneToken(MethodView):
    @blp.response(204)
    @blp.doc(operationId="revokeOneToken", **needs("tokens:write"))
    def delete(self, token_id: UUID) -> None:
        """Make one of your tokens worthless at once"""
        revoke_token(caller("tokens:write").player_id, token_id)


@blp.route("/me")
class Me(MethodView):
    @blp.response(200, schemas.Profile, example=examples.PROFILE)
    @blp.doc(operationId="getProfile", **needs("profile:read"))
    def get(self) -> Any:
        """Your profile"""
        return profile(caller("profile:read").player_id)

    @blp.arguments(schemas.ProfileChanges, required=False, example=examples.PROFILE_CHANGES)
    @blp.response(200, schemas.Profile, example=examples.PROFILE)
    @blp.doc(operationId="changeProfile", **needs("profile:write"))
    @blp.raises(BadField)
    def patch(self, changes: Any) -> Any:
        """Change your profile; your time counts by it from your next turn on"""
        return change_profile(caller("profile:write").player_id, changes)


@blp.route("/me/deliveries")
class Deliveries(MethodView):
    @blp.arguments(schemas.PageQuery, location="query")
    @blp.response(200, schemas.Deliveries, example=examples.DELIVERIES, headers=NEXT_PAGE)
    @blp.doc(operationId="listDeliveries", **needs("profile:read"))
    @blp.raises(BadField)
    def get(self, query: Any) -> Any:
        """The letters to you and what became of each, newest first"""
        who = caller("profile:read")
        page = deliveries(who.player_id, read_cursor(query.get("cursor")), query["limit"])
        items = [it | {"detail": failure(it["detail"], gettext)} for it in page.items]
        return page_of(items, page.next and {"cursor": cursor_of(*page.next)})


@blp.route("/me/feed")
class Feed(MethodView):
    @blp.response(200, schemas.Feed, example=examples.FEED)
    @blp.doc(operationId="getFeed", **needs("profile:read"))
    def get(self) -> Any:
        """The secret address of your due times, for calendar programs"""
        return _feed(feed_word(caller("profile:read").player_id))

    @blp.response(201, schemas.Feed, example=examples.FEED)
    @blp.doc(operationId="makeFeed", **needs("profile:write"))
    def post(self) -> Any:
        """Make a new secret address of your due times; the earlier one is worthless at once"""
        return _feed(new_feed(caller("profile:write").player_id))

    @blp.response(204)
    @blp.doc(operationId="endFeed", **needs("profile:write"))
    def delete(self) -> None:
        """Have no such address any more"""
        end_feed(caller("profile:write").player_id)


def _feed(word: str | None) -> Any:
    return {"url": word and f"{current_app.config['BASE_URL']}/feed/{word}.ics"}
