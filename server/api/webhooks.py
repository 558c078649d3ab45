"""Webhooks: where your program wants to be told, and what became of it."""

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
from server.rules import Json
from server.webhooks.failures import failure
from server.webhooks.subscriptions import (
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

blp = Blueprint("webhooks", __name__, url_prefix="/v1", description="Webhooks: your program is told what happens")

_WHERE = {"Location": {"description": "Where it is", "required": True, "schema": {"type": "string"}}}


def _owner() -> UUID:
    return caller("webhooks:manage").player_id


def _told(delivery: Json) -> Json:
    """What became of it, in the language of the caller."""
    return delivery | {"detail": failure(delivery["detail"], gettext)}


@blp.route("/webhooks")
class Webhooks(MethodView):
    @blp.arguments(schemas.WebhookWanted, example=examples.WEBHOOK_WANTED)
    @blp.response(201, schemas.WebhookMade, example=examples.WEBHOOK_MADE, headers=_WHERE)
    @blp.doc(operationId="makeWebhook", **needs("webhooks:manage"))
    @blp.raises(BadField, TooManyWebhooks)
    def post(self, wanted: Any) -> Any:
        """Have your program told at an address

        What it is told, and how it knows that we say so, stands under Webhooks in the OpenAPI document. It is told
        ids and times, never what is on the table: it asks for that with a token of its own.

        A channel of Discord or Slack can be told of your turns as well: with `form` `discord` or `slack`, `kinds`
        `["your-turn"]`, and the address of an incoming webhook there. Discord shows one message for each game,
        which is changed with each turn; Slack lets nobody change such messages, so there each turn has its own.
        What is written there, everybody in that channel sees: the game's title, your time and a link.
        """
        made = make_webhook(
            _owner(),
            wanted["url"],
            wanted["kinds"],
            wanted["game"],
            sandbox=current_app.config["SANDBOX"],
            form=wanted["form"],
        )
        where = {"Location": f"/v1/webhooks/{made.webhook['id']}"}
        return made.webhook | {"secret": made.secret}, 201, where

    @blp.response(200, schemas.Webhooks, example=examples.WEBHOOKS)
    @blp.doc(operationId="listWebhooks", **needs("webhooks:manage"))
    def get(self) -> Any:
        """Your webhooks"""
        return {"items": webhooks_of(_owner())}


@blp.route("/webhooks/<uuid:webhook_id>")
class OneWebhook(MethodView):
    @blp.response(200, schemas.Webhook, example=examples.WEBHOOK)
    @blp.doc(operationId="getWebhook", **needs("webhooks:manage"))
    def get(self, webhook_id: UUID) -> Any:
        """One of your webhooks"""
        return webhook(_owner(), webhook_id)

    @blp.arguments(schemas.WebhookChanges, required=False, example=examples.WEBHOOK_CHANGES)
    @blp.response(200, schemas.Webhook, example=examples.WEBHOOK_CHANGED)
    @blp.doc(operationId="changeWebhook", **needs("webhooks:manage"))
    @blp.raises(BadField)
    def patch(self, changes: Any, webhook_id: UUID) -> Any:
        """Change a webhook, or switch it off and on"""
        return change_webhook(_owner(), webhook_id, changes, sandbox=current_app.config["SANDBOX"])

    @blp.response(204)
    @blp.doc(operationId="deleteWebhook", **needs("webhooks:manage"))
    def delete(self, webhook_id: UUID) -> None:
        """Delete a webhook, and all that waits for it"""
        delete_webhook(_owner(), webhook_id)


@blp.route("/webhooks/<uuid:webhook_id>/secret")
class Secret(MethodView):
    @blp.response(200, schemas.NewSecret, example=examples.NEW_SECRET)
    @blp.doc(operationId="renewWebhookSecret", **needs("webhooks:manage"))
    def post(self, webhook_id: UUID) -> Any:
        """Get a new secret

        For 24 hours everything is signed with the one before as well, so that your program can change over in peace.
        If that one has become known to others, ask twice.
        """
        return renew_secret(_owner(), webhook_id)


@blp.route("/webhooks/<uuid:webhook_id>/pings")
class Pings(MethodView):
    @blp.response(202, schemas.WebhookDelivery, example=examples.PING)
    @blp.doc(operationId="pingWebhook", **needs("webhooks:manage"))
    @blp.raises(WebhookDisabled, TooMany)
    def post(self, webhook_id: UUID) -> Any:
        """Try a webhook out; look at the delivery to see what became of it"""
        return _told(ping_webhook(_owner(), webhook_id))


@blp.route("/webhooks/<uuid:webhook_id>/deliveries")
class Deliveries(MethodView):
    @blp.arguments(schemas.DeliveriesQuery, location="query")
    @blp.response(200, schemas.WebhookDeliveries, example=examples.WEBHOOK_DELIVERIES, headers=NEXT_PAGE)
    @blp.doc(operationId="listWebhookDeliveries", **needs("webhooks:manage"))
    @blp.raises(BadField)
    def get(self, query: Any, webhook_id: UUID) -> Any:
        """What a webhook was told, and what waits for it, newest first; kept for 30 days"""
        page = webhook_deliveries(_owner(), webhook_id, read_cursor(query.get("cursor")), query["limit"])
        return page_of(list(map(_told, page.items)), page.next and {"cursor": cursor_of(*page.next)})


@blp.route("/webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>")
class OneDelivery(MethodView):
    @blp.response(200, schemas.WebhookDelivery, example=examples.WEBHOOK_DELIVERY)
    @blp.doc(operationId="getWebhookDelivery", **needs("webhooks:manage"))
    def get(self, webhook_id: UUID, delivery_id: UUID) -> Any:
        """One delivery"""
        return _told(webhook_delivery(_owner(), webhook_id, delivery_id))


@blp.route("/webhooks/<uuid:webhook_id>/deliveries/<uuid:delivery_id>/tries")
class Tries(MethodView):
    @blp.response(202, schemas.WebhookDelivery, example=examples.TRIED_AGAIN)
    @blp.doc(operationId="tryWebhookDelivery", **needs("webhooks:manage"))
    @blp.raises(WebhookDisabled, TooMany)
    def post(self, webhook_id: UUID, delivery_id: UUID) -> Any:
        """Have a delivery made once more, under the same id"""
        return _told(try_delivery_again(_owner(), webhook_id, delivery_id))
