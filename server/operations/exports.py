"""Exports of a game, or of all data about a player (GDPR, article 15)."""

from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from sqlalchemy import select

from server.accounts.apps import apps_of
from server.accounts.players import profile
from server.accounts.redaction import origin_of, redacted
from server.accounts.signed_links import is_mark_of
from server.clock import clock
from server.games import Json
from server.operations.queries import player
from server.play import archive
from server.play.commits import load, whole_log
from server.play.mail.mail_in import is_of_others
from server.play.seating.stand_ins import is_about
from server.play.table import OVER, last_change_of_hands
from server.play.views import story
from server.play.votes import votes_of
from server.post.incoming import replies
from server.post.incoming.child import TooMuch, child
from server.store.database_retry import Unavailable, is_passing
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
    SeatRow,
    StandIn,
    db,
)

BACKUP: Final = "sternenpost-backup"
WARNING: Final = "This game is not over: its seed and events reveal its players' secrets. Don't show it to anyone."
_SEAT: Final = (
    "seat",
    "kind",
    "bot",
    "player_id",
    "email",
    "greeting",
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
    """Return the archive of a finished game, or all data of an unfinished game, including its secrets. Raise NotFound
    if there is no such game."""
    game = load(game_id)
    if game.table.status in OVER:
        return archive.make(game.head, game.seats, whole_log(game_id))
    return {
        "format": BACKUP,
        "format_version": 1,
        "secret": WARNING,
        "copied_at": clock.now(),
        "head": game.head._asdict() | {"seed": game.head.seed.hex()},
        "seats": [{name: getattr(row, name) for name in (*_SEAT, *_TIMES)} for row in game.seats],
        "votes": votes_of(game_id),
        "plans": _rows(Plan, Plan.game_id == game_id, Plan.seat),
        "messages": _rows(Message, Message.game_id == game_id, Message.nr),
        "events": [fact(row) | {"hash": row.hash.hex()} for row in whole_log(game_id)],
    }


def is_secret(copy: Json) -> bool:
    """Return whether a copy of a game contains data that its players must not see."""
    return bool(copy["format"] == BACKUP)


def copy_of_player(player_id: UUID) -> Json:
    """Return what is stored about a player, without credentials and without secrets of unfinished games.

    Queues, webhook deliveries and stored responses are also left out, because they expire within days.
    """
    known = player(player_id)
    own = select(PlayerGame).where(PlayerGame.player_id == player_id).order_by(PlayerGame.made_at)
    rows = [
        row
        for row in db.session.scalars(own.where(PlayerGame.role.is_distinct_from(FORMER))).all()
        if _can_be_read(row.game_id)
    ]
    seats = [(row.game_id, row.seat) for row in rows if row.role is None]
    played = [it for it in ((row.game_id, row.seat) for row in rows) if _plays(player_id, *it)]
    copy = {
        "copied_at": clock.now(),
        "profile": profile(player_id),
        **{name: known[name] for name in ("made_at", "banned_at", "banned_until", "ban_reason", "tokens")},
        "webhooks": [it | {"url": origin_of(it["url"])} for it in known["webhooks"]],
        "games": [_game(game_id, seat, player_id) for game_id, seat in seats],
        "messages": _rows(Message, Message.player_id == player_id, Message.at),
        "mails": [mail for game_id, seat in played for mail in _mails(game_id, seat, player_id, known["email"])],
        "letters": [
            *_rows(Delivery, Delivery.player_id == player_id, Delivery.at),
            *_rows(PlayerDelivery, PlayerDelivery.player_id == player_id, PlayerDelivery.at),
        ],
        "stand_ins": _rows(
            StandIn, is_about(player_id, known["email"]), StandIn.from_at, but=("mark", "wake_at", "app_id")
        ),
        "invitations": _invitations(player_id),
        "notes": _rows(Note, Note.player_id == player_id, Note.game_id),
        "blocks": _rows(Block, Block.player_id == player_id, Block.made_at),
        "reports": _rows(Report, Report.by_player == player_id, Report.at),
        "push_subscriptions": [
            row | {"endpoint": origin_of(row["endpoint"])}
            for row in _rows(
                PushSubscription,
                PushSubscription.player_id == player_id,
                PushSubscription.made_at,
                but=("p256dh", "auth"),
            )
        ],
        "apps": apps_of(player_id),
        "bounces": _rows(Bounce, Bounce.player_id == player_id, Bounce.at),
    }
    return redacted(copy)  # type: ignore[no-any-return]  # of the same type


def _can_be_read(game_id: UUID) -> bool:
    """Return whether the rules and the file of a game are present. A game without them is left out."""
    try:
        load(game_id)
    except Unavailable as error:
        if is_passing(error):
            raise
        return False
    return True


def _plays(player_id: UUID, game_id: UUID, seat: int) -> bool:
    """Return whether the player plays this seat themselves. If so, the seat's emails are theirs, not a stand-in's."""
    return load(game_id).seats[seat].player_id == player_id


def _game(game_id: UUID, seat: int, player_id: UUID) -> Json:
    """Return a player's game. Until the game ends, its story is what spectators see, without the salt."""
    game = load(game_id)
    row, is_over = game.seats[seat], game.table.status in OVER
    return {
        "game": game_id,
        **{name: getattr(game.head, name) for name in ("title", "rules", "status", "outcome")},
        "seat": seat,
        "salt": row.salt if is_over else None,
        "salt_hash": row.salt_hash,
        "mails": row.mails,
        "story": story(game, seat if is_over else None, player_id=player_id if is_over else None),
    }


def _mails(game_id: UUID, seat: int, player_id: UUID, email: str) -> list[Json]:
    """Return the stored emails that a seat's current player has sent us, with our replies."""
    at_seat = (Incoming.game_id == game_id) & (Incoming.seat == seat)
    rows = db.session.scalars(select(Incoming).where(at_seat).order_by(Incoming.arrived_at))
    since = last_change_of_hands(whole_log(game_id), seat)

    def is_own(turn: int, mark: int | None) -> bool:
        return turn >= since and not is_of_others(turn, player_id) if mark is None else is_mark_of(email, mark)

    return [_mail(row) for row in rows if is_own(row.turn, row.mark)]


def _invitations(player_id: UUID) -> list[Json]:
    """Return what the player wrote in invitations that are still stored, without the invited addresses."""
    columns = SeatRow.game_id, SeatRow.seat, SeatRow.greeting
    written = (SeatRow.invited_by == player_id) & SeatRow.greeting.is_not(None)
    query = select(*columns).where(written).order_by(SeatRow.game_id, SeatRow.seat)
    return [row._asdict() for row in db.session.execute(query)]


_OF_MAIL: Final = ("game_id", "mail_id", "seat", "turn", "arrived_at")


def _mail(row: Incoming) -> Json:
    """Return what the player wrote. Quoted text and attachments are left out, since they repeat our emails with their
    links."""
    answer = row.answer and {name: value for name, value in row.answer.items() if name != "confirm"}
    return {name: getattr(row, name) for name in _OF_MAIL} | _written(row.raw) | {"answer": answer}


def _written(raw: bytes) -> Json:
    """Return an email's content. `text` is None if the email is unreadable or its content was deleted."""
    try:
        read = child.run(replies.read, raw) if raw else None
    except TooMuch:
        read = None
    if read is None:
        return {"from": None, "subject": None, "text": None}
    return {"from": read.sender, "subject": read.subject, "text": None if read.doubt else "\n".join(read.lines)}


def _rows(table: Any, condition: Any, order: Any, but: Sequence[str] = ()) -> list[Json]:
    columns = [column for column in table.__table__.columns if column.name not in but]
    return [row._asdict() for row in db.session.execute(select(*columns).where(condition).order_by(order))]
