"""Revokes an app's access, and deletes everything that the app created."""

from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, delete, select, update

from server.errors import BadToken
from server.store.locks import hold
from server.store.tables import App, Player, PushSubscription, StandIn, StreamTicket, Token, Webhook, db


def expect_app(player_id: UUID, app_id: UUID | None) -> None:
    """Lock the player while an app creates something, so that the app's access can't be revoked in the meantime.
    Without an app, do nothing. Raise BadToken if the app's access has ended."""
    if app_id is None:
        return
    hold(player_id)
    if db.session.get(App, (player_id, app_id)) is None:
        raise BadToken("This token is invalid.")


def end_apps(player_id: UUID, *which: ColumnElement[bool]) -> None:
    """Delete some of a player's apps and everything that they created, in the current transaction.

    The caller must hold the lock on the player. No lock is needed if all these apps are bound to one game, since such
    apps create only stream tickets. Stand-ins who have accepted stay, because they have promised to play for the
    player.
    """
    ended = db.session.scalars(delete(App).where(App.player_id == player_id, *which).returning(App.app_id)).all()
    if not ended:
        return
    tokens = _delete_made(Token, player_id, ended, Token.token_hash)
    of_tokens = (StreamTicket.player_id == player_id) & StreamTicket.token_hash.in_(tokens)
    db.session.execute(delete(StreamTicket).where(of_tokens))
    asked = (StandIn.asked_by == player_id) & StandIn.app_id.in_(ended)
    db.session.execute(delete(StandIn).where(asked, StandIn.accepted_by.is_(None)))
    player = update(Player).where(Player.player_id == player_id)
    db.session.execute(player.where(Player.feed_app_id.in_(ended)).values(feed=None, feed_app_id=None))
    for table, key, flag in (
        (PushSubscription, PushSubscription.subscription_id, Player.has_push),
        (Webhook, Webhook.webhook_id, Player.has_webhooks),
    ):
        if _delete_made(table, player_id, ended, key) and not _has_any(table, player_id):
            db.session.execute(player.values({flag: False}))


def _delete_made(table: Any, player_id: UUID, apps: Any, key: Any) -> list[Any]:
    """Delete the rows that these apps created in a table, and return their keys."""
    made = delete(table).where(table.player_id == player_id, table.app_id.in_(apps))
    return list(db.session.scalars(made.returning(key)))


def _has_any(table: Any, player_id: UUID) -> bool:
    return db.session.execute(select(table.player_id).where(table.player_id == player_id).limit(1)).first() is not None
