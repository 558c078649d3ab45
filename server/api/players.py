"""Sign-in, tokens and profiles."""

from typing import Any
from uuid import UUID

from flask import current_app, jsonify, request
from flask.views import MethodView
from flask_babel import gettext

from server.accounts.account_codes import ask_for_address, ask_for_deletion, new_address_of
from server.accounts.apps import apps_of, end_app
from server.accounts.calendars import time_zone
from server.accounts.deliveries import deliveries
from server.accounts.guests import is_guest, new_guest
from server.accounts.mailed_codes import CODE_LIFE
from server.accounts.players import change_profile, profile
from server.accounts.redaction import without_tokens
from server.accounts.sign_in import begin_sign_in, redeem
from server.accounts.tokens import further_token, revoke, revoke_all, revoke_token, tokens_of
from server.api.auth import any_caller, caller, known_sender
from server.api.languages import spoken
from server.api.openapi import examples, schemas
from server.api.openapi.document import ANYBODY, Blueprint, needs, takes
from server.api.paging import NEXT_PAGE, cursor_of, page_of, read_cursor
from server.api.rate_limits import LONG, spend
from server.clock import clock
from server.errors import BadField, Closed, SignInFirst, TooMany, Unfit, WrongCode
from server.games import Json
from server.operations.change_address import change_address
from server.operations.delete_player import delete_own_account
from server.operations.exports import copy_of_player
from server.play.seating.calendar_feed import end_feed, feed_word, new_feed
from server.play.seating.guests import sign_in_guest
from server.play.seating.programs import marked_since
from server.push.subscriptions import list_subscriptions, public_key, subscribe, unsubscribe
from server.webhooks.failures import failure

blp = Blueprint(
    "players", __name__, url_prefix="/v1", description="Your account: sign-in, tokens, profile, notifications"
)


@blp.route("/sign-ins")
class SignIns(MethodView):
    @blp.arguments(schemas.SignInRequest, example=examples.SIGN_IN)
    @blp.response(202, schemas.SignInAnswer, example=examples.SIGN_IN_ANSWER)
    @blp.doc(operationId="signIn", **ANYBODY)
    @blp.raises(TooMany, BadField)
    def post(self, wanted: Any) -> Any:
        """Request a sign-in code by email

        The response is the same whether or not the address has an account. The code is valid for ten minutes and five
        attempts. While sign-ups are closed (`closed` in GET /v1), addresses without an account receive no code.
        """
        locale = wanted.get("locale", spoken().locale)
        return {"sign_in": begin_sign_in(wanted["email"], locale, request.remote_addr or "", _zone(wanted))}


def _zone(wanted: Json) -> str:
    """Return the time zone requested for a new player, or UTC. Raise BadField for an unknown time zone."""
    try:
        return time_zone(wanted.get("zone", "UTC")).key
    except Unfit as error:
        raise BadField("zone", error.words) from None


@blp.route("/guests")
class Guests(MethodView):
    @blp.arguments(schemas.GuestRequest, required=False, example=examples.GUEST)
    @blp.response(201, schemas.TokenAnswer, example=examples.GUEST_ANSWER)
    @blp.doc(operationId="comeAsGuest", **ANYBODY)
    @blp.raises(TooMany, Closed, BadField)
    def post(self, wanted: Any) -> Any:
        """Create a guest account

        A guest needs no email address, plays against bots at private tables, and gets no emails. The token has the
        scopes for games, moves, messages, the profile and the export, but not for webhooks. The account is deleted when
        the token expires. To keep their seats, guests send this token together with an emailed code to POST /v1/tokens.
        The seats then belong to the player with that address.
        """
        made = new_guest(wanted.get("locale", spoken().locale), request.remote_addr or "", _zone(wanted))
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
    @blp.raises(WrongCode, BadField, TooMany, Closed)
    def post(self, wanted: Any) -> Any:
        """Create a token

        With `sign_in` and the emailed `code`, the token has all scopes. With an existing token, you create another
        token. The new token can't have scopes that the existing token lacks, and can't expire later than the existing
        token. If you send a code and a guest's token, the guest's seats become yours.
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
        """List your active tokens"""
        page = tokens_of(caller("tokens:write"), read_cursor(query.get("cursor")), query["limit"])
        return page_of(page.items, page.next and {"cursor": cursor_of(*page.next)})

    @blp.response(204)
    @blp.doc(operationId="revokeAllTokens", **needs("tokens:write"))
    def delete(self) -> None:
        """Revoke all your tokens

        All your tokens stop working immediately, including the one in this request. All browsers are unsubscribed from
        push messages.
        """
        revoke_all(caller("tokens:write").player_id)


@blp.route("/tokens/current")
class CurrentToken(MethodView):
    @blp.response(204)
    @blp.doc(operationId="revokeToken")
    def delete(self) -> None:
        """Revoke the current token

        Signs you out: the token in this request stops working immediately, regardless of its scopes. Your other tokens
        remain valid.
        """
        revoke(any_caller())


@blp.route("/tokens/<uuid:token_id>")
class OneToken(MethodView):
    @blp.response(204)
    @blp.doc(operationId="revokeOneToken", **needs("tokens:write"))
    def delete(self, token_id: UUID) -> None:
        """Revoke one of your tokens

        The token stops working immediately. If it belongs to an app, the app's access ends (see endApp).
        """
        revoke_token(caller("tokens:write").player_id, token_id)


@blp.route("/apps")
class Apps(MethodView):
    @blp.response(200, schemas.Apps, example=examples.APPS)
    @blp.doc(operationId="listApps", **needs("tokens:write"))
    def get(self) -> Any:
        """List the apps with access

        Returns the third-party apps that you have authorized with OAuth 2.1, newest first.
        """
        return {"items": apps_of(caller("tokens:write").player_id)}


@blp.route("/apps/<uuid:app_id>")
class OneApp(MethodView):
    @blp.response(204)
    @blp.doc(operationId="endApp", **needs("tokens:write"))
    def delete(self, app_id: UUID) -> None:
        """Revoke an app's access

        The app's tokens and stream tickets stop working immediately. These are deleted:

        - webhooks with a `url` that the app set
        - its push subscriptions
        - the calendar feed, if the app created the current one
        - its stand-in requests that have not been accepted

        Stand-ins who have accepted stay. Moves, plans, messages, invitations and changes to your profile also stay.

        An app's access also ends in three other cases: you or the app revoke one of its tokens, a code or refresh
        token is used twice, or its access expires. If you revoke a personal token, the webhooks, feed, push
        subscriptions and stand-in requests made with it stay.
        """
        end_app(caller("tokens:write").player_id, app_id)


@blp.route("/me")
class Me(MethodView):
    @blp.response(200, schemas.Profile, example=examples.PROFILE)
    @blp.doc(operationId="getProfile", **needs("profile:read"))
    def get(self) -> Any:
        """Get your profile"""
        return _own(caller("profile:read").player_id)

    @blp.arguments(schemas.ProfileChanges, required=False, example=examples.PROFILE_CHANGES)
    @blp.response(200, schemas.Profile, example=examples.PROFILE)
    @blp.doc(operationId="changeProfile", **needs("profile:write"))
    @blp.raises(BadField, WrongCode, SignInFirst, TooMany)
    def patch(self, changes: Any) -> Any:
        """Update your profile

        A new calendar or time zone applies from your next turn.

        `program` marks your account as belonging to a program. You can change the mark only while you have no seat.
        Other players see the mark at every table, and hosts can exclude marked accounts. Once a program has played a
        game with the account, the mark is permanent.

        To change `email`, send the new address, then send it again with two codes. One code is emailed to your current
        address, the other to the new one. Nothing changes until both codes arrive. Only the holder of the new address's
        code learns whether that address already has an account.
        """
        player_id = caller("profile:write").player_id
        email, code, new_code = (changes.pop(name, None) for name in ("email", "code", "new_code"))
        if (code or new_code) and not (email and code and new_code):
            raise BadField("code", "Send code, new_code and email together.")
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
        202, schema=schemas.CodeMailed, description="Accepted. A code was emailed to you.", example=examples.CODE_MAILED
    )
    @blp.doc(operationId="deleteAccount", **needs("profile:write"))
    @blp.raises(WrongCode, TooMany)
    def delete(self, query: Any) -> Any:
        """Delete your account

        Call this first without a code: the code is emailed to you. Then call it again with the code. Guests need no
        code.

        Your address, name, settings, tokens, webhooks and emails are deleted, and your chat messages lose their text. Bots continue to play your seats. Archives stay unchanged because they contain seat numbers and no names.
        You can't undo this.
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
    @blp.doc(operationId="exportAccount", **needs("export:read"))
    def get(self) -> Any:
        """Download a copy of your data

        Fulfils your right of access (GDPR, article 15). For unfinished games, the copy contains your own actions and
        what spectators see, without hands, salts or plans. Your emails are included as the text you wrote, without
        quoted text or attachments.

        Link tokens are removed. Webhook and push addresses are reduced to scheme and host. Queues, webhook deliveries
        and stored responses are left out because they expire within days.
        """
        player_id = caller("export:read").player_id
        spend(LONG)
        copy = copy_of_player(player_id)
        del copy["copied_at"]  # `Date` has the time, and the ETag stays stable
        return jsonify(copy)


@blp.route("/me/deliveries")
class Deliveries(MethodView):
    @blp.arguments(schemas.PageQuery, location="query")
    @blp.response(200, schemas.Deliveries, example=examples.DELIVERIES, headers=NEXT_PAGE)
    @blp.doc(operationId="listDeliveries", **needs("profile:read"))
    @blp.raises(BadField)
    def get(self, query: Any) -> Any:
        """List the emails sent to you

        Returns each email with its delivery result, newest first.
        """
        who = caller("profile:read")
        page = deliveries(who.player_id, read_cursor(query.get("cursor")), query["limit"])
        items = [it | {"detail": without_tokens(failure(it["detail"], gettext))} for it in page.items]
        return page_of(items, page.next and {"cursor": cursor_of(*page.next)})


@blp.route("/push-subscriptions")
class PushSubscriptions(MethodView):
    @blp.response(200, schemas.PushSubscriptions, example=examples.PUSH_SUBSCRIPTIONS)
    @blp.doc(operationId="listPushSubscriptions", **needs("profile:read"))
    def get(self) -> Any:
        """List your push subscriptions

        Also returns the public key that a browser needs to subscribe.
        """
        who = caller("profile:read")
        return {"key": public_key(), "items": list_subscriptions(who.player_id)}

    @blp.arguments(schemas.PushSubscriptionWanted, example=examples.PUSH_SUBSCRIPTION_WANTED)
    @blp.response(201, schemas.PushSubscription, example=examples.PUSH_SUBSCRIPTION)
    @blp.doc(operationId="subscribeToPush", **needs("profile:write"))
    @blp.raises(SignInFirst, BadField, TooMany)
    def post(self, wanted: Any) -> Any:
        """Subscribe a browser to push messages

        Uses Web Push (RFC 8030). You are notified when it's your turn, with reminders, when you have a question to
        answer, and when a game ends. Your `notifications.push` setting selects which of these you get. Nothing is sent
        during your night hours, or about a turn or question that is already settled.

        A message has `title`, `body`, `game`, `kind` and `waiting`, the number of games waiting for you. A subscription
        is deleted when its browser no longer accepts messages.
        """
        who = caller("profile:write")
        sandbox = current_app.config["SANDBOX"]
        return subscribe(who.player_id, wanted["endpoint"], wanted["keys"], sandbox, who.app_id)


@blp.route("/push-subscriptions/<uuid:subscription_id>")
class OnePushSubscription(MethodView):
    @blp.response(204)
    @blp.doc(operationId="unsubscribeFromPush", **needs("profile:write"))
    def delete(self, subscription_id: UUID) -> None:
        """Unsubscribe a browser from push messages"""
        unsubscribe(caller("profile:write").player_id, subscription_id)


@blp.route("/me/feed")
class Feed(MethodView):
    @blp.response(200, schemas.Feed, example=examples.FEED)
    @blp.doc(operationId="getFeed", **needs("profile:read"))
    def get(self) -> Any:
        """Get your calendar feed

        Returns the secret URL of a calendar with your move deadlines.
        """
        return _feed(feed_word(caller("profile:read").player_id))

    @blp.response(201, schemas.Feed, example=examples.FEED)
    @blp.doc(operationId="makeFeed", **needs("profile:write"))
    def post(self) -> Any:
        """Create a new calendar feed

        Returns a new secret URL. The previous URL stops working immediately.
        """
        who = caller("profile:write")
        return _feed(new_feed(who.player_id, who.app_id))

    @blp.response(204)
    @blp.doc(operationId="endFeed", **needs("profile:write"))
    def delete(self) -> None:
        """Delete your calendar feed"""
        end_feed(caller("profile:write").player_id)


def _feed(word: str | None) -> Any:
    return {"url": word and f"{current_app.config['BASE_URL']}/feed/{word}.ics"}
