"""Copies for taking away: a game for whoever keeps it, and all that is stored of a player for himself (GDPR, article 15)."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import select

from server.accounts.apps import apps_of
from server.accounts.players import profile
from server.accounts.signed_links import is_mark_of
from server.clock import clock
from server.operations.queries import player
from server.play import archive
from server.play.commits import load, whole_log
from server.play.mail_in import is_of_others
from server.play.planning.plans import plan_of
from server.play.seating.stand_ins import is_about
from server.play.table import OVER, changed_hands
from server.play.views import story
from server.play.votes import votes_of
from server.rules import Json
from server.store.log import fact
from server.store.stand_ins import FORMER
from server.store.tables import (
    Block,
    Bounce,
    Delivery,
    Incoming,
    Message,
    Note,
    Plan,
    PlayerDelivery,
    PlayerGame,
    PushSubscription,
    Report,
    StandIn,
    db,
)

BACKUP: Final = "sternenpost-backup"
WARNING: Final = "This game is not over: its seed and events tell what its players must not know. Show it to nobody."
_SEAT: Final = (
    "seat",
    "kind",
    "bot",
    "player_id",
    "email",
    "salt",
    "salt_hash",
    "ready",
    "stand_in",
    "turn",
    "asked_at",
    "allowed",
    "lent",
)
_TIMES: Final = ("hours", "due_at", "remind_at", "wake_at", "mails")


def copy_of_game(game_id: UUID) -> Json:
    """The archive of a game that is over; of any other all that is stored, secrets included. Raises NotFound."""
    game = load(game_id)
    if game.table.status in OVER:
        return archive.make(game.head, game.seats, whole_log(game_id))
    return {
        "format": BACKUP,
        "format_version": 1,
        "secret": WARNING,
        "copied_at": clock.now(),
        "head": game.head | {"seed": game.head["seed"].hex()},
        "seats": [{name: row[name] for name in (*_SEAT, *_TIMES)} for row in game.seats],
        "votes": votes_of(game_id),
        "plans": _rows(Plan, Plan.game_id == game_id, Plan.seat),
        "messages": _rows(Message, Message.game_id == game_id, Message.nr),
        "events": [fact(row) | {"hash": row.hash.hex()} for row in whole_log(game_id)],
    }


def is_secret(copy: Json) -> bool:
    """Whether a copy of a game tells what nobody at its table may know yet."""
    return bool(copy["format"] == BACKUP)


def copy_of_player(player_id: UUID) -> Json:
    """All that is stored of a player, as he may see it: no secret of a game, no hash of a token.

    But for what passes within days by itself: what waits to be carried, what webhooks were told, answers to be repeated.
    """
    known = player(player_id)
    own = select(PlayerGame).where(PlayerGame.player_id == player_id).order_by(PlayerGame.made_at)
    rows = db.session.scalars(own.where(PlayerGame.role.is_distinct_from(FORMER))).all()
    seats = [(row.game_id, row.seat) for row in rows if row.role is None]
    played = [it for it in ((row.game_id, row.seat) for row in rows) if _plays(player_id, *it)]
    return {
        "copied_at": clock.now(),
        "profile": profile(player_id),
        **{name: known[name] for name in ("made_at", "banned_at", "banned_until", "ban_reason", "tokens", "webhooks")},
        "games": [_game(game_id, seat, player_id) for game_id, seat in seats],
        "messages": _rows(Message, Message.player_id == player_id, Message.at),
        "mails": [mail for game_id, seat in played for mail in _mails(game_id, seat, player_id, known["email"])],
        "letters": [
            *_rows(Delivery, Delivery.player_id == player_id, Delivery.at),
            *_rows(PlayerDelivery, PlayerDelivery.player_id == player_id, PlayerDelivery.at),
        ],
        "stand_ins": _rows(StandIn, is_about(player_id, known["email"]), StandIn.from_at, but=("mark", "wake_at")),
        "notes": _rows(Note, Note.player_id == player_id, Note.game_id),
        "blocks": _rows(Block, Block.player_id == player_id, Block.made_at),
        "reports": _rows(Report, Report.by_player == player_id, Report.at),
        "push_subscriptions": _rows(
            PushSubscription, PushSubscription.player_id == player_id, PushSubscription.made_at, but=("p256dh", "auth")
        ),
        "apps": apps_of(player_id),
        "bounces": _rows(Bounce, Bounce.player_id == player_id, Bounce.at),
    }


def _plays(player_id: UUID, game_id: UUID, seat: int) -> bool:
    """Whether the mails for this seat are his: they are not those of whoever stands in for him."""
    return bool(load(game_id).seats[seat]["player_id"] == player_id)


def _game(game_id: UUID, seat: int, player_id: UUID) -> Json:
    game = load(game_id)
    return {
        "game": game_id,
        **{name: game.head[name] for name in ("title", "rules", "status", "outcome")},
        "seat": seat,
        **{name: game.seats[seat][name] for name in ("salt", "salt_hash", "mails")},
        "plan": plan_of(game, seat) if game.seats[seat]["player_id"] == player_id else None,
        "story": story(game, seat, player_id=player_id),
    }


def _mails(game_id: UUID, seat: int, player_id: UUID, email: str) -> list[Json]:
    """What came in for a seat and is still kept, as it came, and what was answered; but not from others who were invited to it,
    or sat there before."""
    rows = _rows(Incoming, (Incoming.game_id == game_id) & (Incoming.seat == seat), Incoming.arrived_at)
    since = changed_hands(whole_log(game_id), seat)

    def is_own(turn: int, mark: int | None) -> bool:
        return turn >= since and not is_of_others(turn, player_id) if mark is None else is_mark_of(email, mark)

    own = [row for row in rows if is_own(row["turn"], row["mark"])]
    return [row | {"raw": row["raw"].decode(errors="replace")} for row in own]


def _rows(table: Any, condition: Any, order: Any, but: Sequence[str] = ()) -> list[Json]:
    columns = [column for column in table.__table__.columns if column.name not in but]
    return [row._asdict() for row in db.session.execute(select(*columns).where(condition).order_by(order))]
