"""Signing in, tokens, profiles."""

from typing import Any
from uuid import UUID

from flask import current_app, jsonify, request
from flask.views import MethodView
from flask_babel import gettext

from server.accounts.account_codes import ask_for_address, ask_for_deletion, new_address_of
from server.accounts.apps import apps_of, end_app
from server.accounts.deliveries import deliveries
from server.accounts.guests import is_guest, new_guest
from server.accounts.mailed_codes import CODE_LIFE
from server.accounts.players import change_profile, profile
from server.accounts.sign_in import begin_sign_in, redeem
from server.accounts.tokens import further_token, revoke, revoke_all, revoke_token, tokens_of
from server.api.auth import any_caller, caller, known_sender
from server.api.openapi import examples, schemas
from server.api.openapi.document import ANYBODY, Blueprint, needs, takes
from server.api.paging import NEXT_PAGE, cursor_of, page_of, read_cursor
from server.api.rate_limits import LONG, spend
from server.clock import clock
from server.errors import BadField, SignInFirst, TooMany, WrongCode
from server.operations.change_address import change_address
from server.operations.delete_player import delete_own_account
from server.operations.exports import copy_of_player
from server.play.seating.calendar_feed import end_feed, feed_word, new_feed
from server.play.seating.guests import sign_in_guest
from server.play.seating.programs import marked_since
from server.webhooks.failures import failure
from server.webhooks.push_subscriptions import public_key, subscribe, told_subscriptions, unsubscribe

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


@blp.route("/guests")
class Guests(MethodView):
    @blp.arguments(schemas.GuestRequest, required=False, example=examples.GUEST)
    @blp.response(201, schemas.TokenAnswer, example=examples.GUEST_ANSWER)
    @blp.doc(operationId="comeAsGuest", **ANYBODY)
    @blp.raises(TooMany)
    def post(self, wanted: Any) -> Any:
        """Come as a guest, without an address

        A guest plays against bots, at private tables, gets no letters, and is forgotten when his token ends. He signs in by sending this
        token beside the mailed code to POST /v1/tokens: his seats are then those of the player who has that address.
        """
        made = new_guest(wanted["locale"], request.remote_addr or "")
        return made.facts | {"token": made.text}


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
        that the first one lacks, and ends no later. With a code and the token of a guest, his seats become yours.
        """
        if "code" in wanted:
            guest = known_sender()
            if guest is not None and is_guest(guest.player_id):
                made = sign_in_guest(guest.player_id, wanted["sign_in"], wanted["code"])
            else:
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
        """Make all your tokens worthless at once, the one of this request too; no browser is told any more"""
        revoke_all(caller("tokens:write").player_id)


@blp.route("/tokens/current")
class CurrentToken(MethodView):
    @blp.response(204)
    @blp.doc(operationId="revokeToken")
    def delete(self) -> None:
        """Make the token of this request worthless at once, whatever its scopes

        That is signing out. All other tokens stay good.
        """
        revoke(any_caller())


@blp.route("/tokens/<uuid:token_id>")
class OneToken(MethodView):
    @blp.response(204)
    @blp.doc(operationId="revokeOneToken", **needs("tokens:write"))
    def delete(self, token_id: UUID) -> None:
        """Make one of your tokens worthless at once; that of an app ends the app"""
        revoke_token(caller("tokens:write").player_id, token_id)


@blp.route("/apps")
class Apps(MethodView):
    @blp.response(200, schemas.Apps, example=examples.APPS)
    @blp.doc(operationId="listApps", **needs("tokens:write"))
    def get(self) -> Any:
        """The apps of strangers that you have allowed something (OAuth 2.1), the newest first"""
        return {"items": apps_of(caller("tokens:write").player_id)}


@blp.route("/apps/<uuid:app_id>")
class OneApp(MethodView):
    @blp.response(204)
    @blp.doc(operationId="endApp", **needs("tokens:write"))
    def delete(self, app_id: UUID) -> None:
        """End an app: all that it was given is worthless at once"""
        end_app(caller("tokens:write").player_id, app_id)


@blp.route("/me")
class Me(MethodView):
    @blp.response(200, schemas.Profile, example=examples.PROFILE)
    @blp.doc(operationId="getProfile", **needs("profile:read"))
    def get(self) -> Any:
        """Your profile"""
        return _own(caller("profile:read").player_id)

    @blp.arguments(schemas.ProfileChanges, required=False, example=examples.PROFILE_CHANGES)
    @blp.response(200, schemas.Profile, example=examples.PROFILE)
    @blp.doc(operationId="changeProfile", **needs("profile:write"))
    @blp.raises(BadField, WrongCode, SignInFirst, TooMany)
    def patch(self, changes: Any) -> Any:
        """Change your profile; your time counts by it from your next turn on

        `program` marks an account that a program plays, and takes the mark off, while it sits nowhere. Others see it wherever the
        account sits, and hosts may keep it out; once a game was played so, it stays.

        Another `email` is yours when it is sent again with both codes: one is mailed to your present address, one to the
        new one, and nothing changes before. Whether the new one is somebody's already is told only to whoever has its code.
        """
        player_id = caller("profile:write").player_id
        email, code, new_code = (changes.pop(name, None) for name in ("email", "code", "new_code"))
        if (code or new_code) and not (email and code and new_code):
            raise BadField("code", "Send code and new_code together, and with email.")
        if "program" in changes:
            changes["program_since"] = marked_since(player_id, changes.pop("program"))
        if email and code:
            change_address(player_id, email, code, new_code, changes)
        elif email:
            ask_for_address(player_id, email, changes)
        else:
            change_profile(player_id, changes)
        return _own(player_id)

    @blp.arguments(schemas.DeletionQuery, location="query")
    @blp.response(204)
    @blp.alt_response(
        202, schema=schemas.CodeMailed, description="A code was mailed to you", example=examples.CODE_MAILED
    )
    @blp.doc(operationId="deleteAccount", **needs("profile:write"))
    @blp.raises(WrongCode, TooMany)
    def delete(self, query: Any) -> Any:
        """Delete your account: first without a code, which is mailed to you, then with it

        Your address, name, settings, tokens, webhooks and letters go, and what you said at tables loses its text. Bots play
        your seats on, and archives stay as they are, since they name seats and no persons. It cannot be undone. A guest
        needs no code.
        """
        player_id = caller("profile:write").player_id
        if "code" in query or is_guest(player_id):
            return delete_own_account(player_id, query.get("code", ""))
        ask_for_deletion(player_id)
        return {"expires_at": clock.now() + CODE_LIFE}, 202


def _own(player_id: UUID) -> Any:
    return profile(player_id) | {"new_email": new_address_of(player_id)}


@blp.route("/me/export")
class Export(MethodView):
    @blp.response(200, schemas.Export, example=examples.EXPORT)
    @blp.doc(operationId="exportAccount", **needs("profile:read"))
    def get(self) -> Any:
        """All that is stored of you (GDPR, article 15): no secret of a game, no hash of a token

        But for what passes within days by itself: what waits to be carried, what webhooks were told, answers to be repeated.
        """
        player_id = caller("profile:read").player_id
        spend(LONG)
        copy = copy_of_player(player_id)
        del copy["copied_at"]  # `Date` says so, and the same facts are the same bytes
        return jsonify(copy)


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


@blp.route("/push-subscriptions")
class PushSubscriptions(MethodView):
    @blp.response(200, schemas.PushSubscriptions, example=examples.PUSH_SUBSCRIPTIONS)
    @blp.doc(operationId="listPushSubscriptions", **needs("profile:read"))
    def get(self) -> Any:
        """The browsers in which you are told, and the key that a browser subscribes with"""
        who = caller("profile:read")
        return {"key": public_key(), "items": told_subscriptions(who.player_id)}

    @blp.arguments(schemas.PushSubscriptionWanted, example=examples.PUSH_SUBSCRIPTION_WANTED)
    @blp.response(201, schemas.PushSubscription, example=examples.PUSH_SUBSCRIPTION)
    @blp.doc(operationId="subscribeToPush", **needs("profile:write"))
    @blp.raises(SignInFirst, BadField, TooMany)
    def post(self, wanted: Any) -> Any:
        """Be told in a browser (Web Push, RFC 8030)

        Of your turns, of reminders, of questions before and during a game and of its end, as `notifications.push` of your
        profile says; not in your nights, and never of what was answered meanwhile. A message has `title`, `body`, `game`,
        `kind` and how many games are `waiting` for you. A browser that is gone is forgotten.
        """
        who = caller("profile:write")
        return subscribe(who.player_id, wanted["endpoint"], wanted["keys"], current_app.config["SANDBOX"])


@blp.route("/push-subscriptions/<uuid:subscription_id>")
class OnePushSubscription(MethodView):
    @blp.response(204)
    @blp.doc(operationId="unsubscribeFromPush", **needs("profile:write"))
    def delete(self, subscription_id: UUID) -> None:
        """Be told in this browser no more"""
        unsubscribe(caller("profile:write").player_id, subscription_id)


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
