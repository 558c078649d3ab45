"""Webhooks, and the results of their deliveries."""

from typing import Any
from uuid import UUID

from flask import current_app
from flask.views import MethodView
from flask_babel import gettext

from server.api.auth import caller
from server.api.openapi import examples, schemas
from server.api.openapi.document import Blueprint, needs
from server.api.paging import NEXT_PAGE, cursor_of, page_of, read_cursor
from server.errors import BadField, TooMany, TooManyWebhooks, WebhookDisabled
from server.games import Json
from server.webhooks.failures import failure
from server.webhooks.subscriptions import (
    Subscription,
    change_webhook,
    delete_webhook,
    make_webhook,
    ping_webhook,
    renew_secret,
    try_delivery_again,
    webhook,
    webhook_deliveries,
    webhook_delivery,
    webhooks_of,
)

blp = Blueprint("webhooks", __name__, url_prefix="/v1", description="Webhooks: notifications for your programs")

_WHERE = {"Location": {"description": "URL of the webhook", "required": True, "schema": {"type": "string"}}}


def _owner() -> UUID:
    return caller("webhooks:manage").player_id


def _with_result(delivery: Json) -> Json:
    """Return a delivery with its result in the caller's language."""
    return delivery | {"detail": failure(delivery["detail"], gettext)}


@blp.route("/webhooks")
class Webhooks(MethodView):
    @blp.arguments(schemas.WebhookWanted, example=examples.WEBHOOK_WANTED)
    @blp.response(201, schemas.WebhookMade, example=examples.WEBHOOK_MADE, headers=_WHERE)
    @blp.doc(operationId="makeWebhook", **needs("webhooks:manage"))
    @blp.raises(BadField, TooManyWebhooks)
    def post(self, wanted: Any) -> Any:
        """Create a webhook

        [Payloads](/docs/api/payloads) describes what is sent, and how it is signed. A payload contains ids and
        times, never the state of the table. Your program gets the state with its own token.

        You can also post your turns to a Discord or Slack channel. Set `form` to `discord` or `slack`, `kinds` to
        `["your-turn"]`, and `url` to an incoming webhook of that service. On Discord, each game has one message, which
        is edited every turn. Slack doesn't allow edits, so each turn gets its own message. Everyone in the channel sees
        the game's title, your deadline and a link to the game.
        """
        who = caller("webhooks:manage")
        subscription = Subscription(wanted["url"], wanted["kinds"], wanted["game"], wanted["form"])
        made = make_webhook(who.player_id, subscription, current_app.config["SANDBOX"], who.app_id)
        where = {"Location": f"/v1/webhooks/{made.webhook['id']}"}
        return made.webhook | {"secret": made.secret}, 201, where

    @blp.response(200, schemas.Webhooks, example=examples.WEBHOOKS)
    @blp.doc(operationId="listWebhooks", **needs("webhooks:manage"))
    def get(self) -> Any:
        """List your webhooks"""
        return {"items": webhooks_of(_owner())}


@blp.route("/webhooks/<uuid:webhook_id>")
class OneWebhook(MethodView):
    @blp.response(200, schemas.Webhook, example=examples.WEBHOOK)
    @blp.doc(operationId="getWebhook", **needs("webhooks:manage"))
    def get(self, webhook_id: UUID) -> Any:
        """Get a webhook"""
        return webhook(_owner(), webhook_id)

    @blp.arguments(schemas.WebhookChanges, required=False, example=examples.WEBHOOK_CHANGES)
    @blp.response(200, schemas.Webhook, example=examples.WEBHOOK_CHANGED)
    @blp.doc(operationId="changeWebhook", **needs("webhooks:manage"))
    @blp.raises(BadField)
    def patch(self, changes: Any, webhook_id: UUID) -> Any:
        """Update a webhook

        Also enables or disables the webhook. If an app sets the `url`, the webhook is deleted when the app's access
        ends.
        """
        who = caller("webhooks:manage")
        sandbox = current_app.config["SANDBOX"]
        return change_webhook(who.player_id, webhook_id, changes, sandbox=sandbox, app_id=who.app_id)

    @blp.response(204)
    @blp.doc(operationId="deleteWebhook", **needs("webhooks:manage"))
    def delete(self, webhook_id: UUID) -> None:
        """Delete a webhook

        Waiting deliveries are deleted too.
        """
        delete_webhook(_owner(), webhook_id)


@blp.route("/webhooks/<uuid:webhook_id>/secret")
class Secret(MethodView):
    @blp.response(200, schemas.NewSecret, example=examples.NEW_SECRET)
    @blp.doc(operationId="renewWebhookSecret", **needs("webhooks:manage"))
    def post(self, webhook_id: UUID) -> Any:
        """Rotate a webhook's secret

        Returns a new secret. For 24 hours, deliveries are signed with both the new and the old secret, so that your
        program has time to switch. If the old secret has leaked, rotate the secret twice.
        """
        return renew_secret(_owner(), webhook_id)


@blp.route("/webhooks/<uuid:webhook_id>/pings")
class Pings(MethodView):
    @blp.response(202, schemas.WebhookDelivery, example=examples.PING)
    @blp.doc(operationId="pingWebhook", **needs("webhooks:manage"))
    @blp.raises(WebhookDisabled, TooMany)
    def post(self, webhook_id: UUID) -> Any:
        """Send a test delivery

        Get the delivery later to see its result.
        """
        return _with_result(ping_webhook(_owner(), webhook_id))


@blp.route("/webhooks/<uuid:webhook_id>/deliveries")
class Deliveries(MethodView):
    @blp.arguments(schemas.PageQuery, location="query")
    @blp.response(200, schemas.WebhookDeliveries, example=examples.WEBHOOK_DELIVERIES, headers=NEXT_PAGE)
    @blp.doc(operationId="listWebhookDeliveries", **needs("webhooks:manage"))
    @blp.raises(BadField)
    def get(self, query: Any, webhook_id: UUID) -> Any:
        """List a webhook's deliveries

        Includes sent and waiting deliveries, newest first. Deliveries are stored for 30 days.
        """
        page = webhook_deliveries(_owner(), webhook_id, read_cursor(query.get("cursor")), query["limit"])
        return page_of(list(map(_with_result, page.items)), page.next and {"cursor": cursor_of(*page.next)})


@blp.route("/webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>")
class OneDelivery(MethodView):
    @blp.response(200, schemas.WebhookDelivery, example=examples.WEBHOOK_DELIVERY)
    @blp.doc(operationId="getWebhookDelivery", **needs("webhooks:manage"))
    def get(self, webhook_id: UUID, delivery_id: UUID) -> Any:
        """Get a delivery"""
        return _with_result(webhook_delivery(_owner(), webhook_id, delivery_id))


@blp.route("/webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>/tries")
class Tries(MethodView):
    @blp.response(202, schemas.WebhookDelivery, example=examples.TRIED_AGAIN)
    @blp.doc(operationId="tryWebhookDelivery", **needs("webhooks:manage"))
    @blp.raises(WebhookDisabled, TooMany)
    def post(self, webhook_id: UUID, delivery_id: UUID) -> Any:
        """Retry a delivery

        Sends the delivery again with the same id.
        """
        return _with_result(try_delivery_again(_owner(), webhook_id, delivery_id))
