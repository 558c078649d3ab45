"""One-click unsubscribe without login (RFC 8058). The link token in each email contains the reader, the kind of email
and the game."""

from typing import NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, select, update

from server.accounts.notice_kinds import INVITATION, NOTICE_KINDS, OFF
from server.accounts.players import player_of, stored_locale
from server.accounts.preferences import stored_notifications
from server.accounts.signed_links import STOP, sign_text, verify_text
from server.store.database_retry import with_retries
from server.store.rows import Json
from server.store.tables import GameRow, Player, SeatRow, db

GAME, KIND = "game", "kind"


class Stop(NamedTuple):
    """The emails that a link token stops. `reader` is a player's id, or the invited address."""

    kind: str
    reader: str
    game_id: UUID | None


class StopState(NamedTuple):
    """What the unsubscribe page shows: which emails can be stopped, and which are stopped."""

    kind: str
    kind_is_off: bool
    title: str | None  # title of the game; None unless it is one of the reader's games
    game_is_off: bool
    locale: str | None  # language of the reader; None for an invited address without an account
    letters: str  # description of the emails of this kind
    time_runs: bool  # whether the reader's time may run without these emails


def stop_token(kind: str, reader: str, game_id: UUID | None = None) -> str:
    """Return the link token that stops emails of this kind or, with `game_id`, about this game."""
    return sign_text(STOP, f"{kind} {reader} {game_id.hex if game_id else ''}")


def stop_state(word: str) -> StopState:
    """Return which emails are stopped, without changing anything. Raise NotFound for an invalid token."""
    it = _verified(word)
    player = db.session.scalars(select(Player).where(_is_reader(it))).one_or_none()
    mails: Json = stored_notifications(player.notifications).get("mails", {}) if player else {}
    seat = db.session.scalars(select(SeatRow).where(*_own_seat(it))).one_or_none() if it.game_id else None
    game = db.session.get(GameRow, it.game_id) if it.game_id else None
    game_is_off = bool(seat and seat.mails == OFF)
    kind = NOTICE_KINDS[it.kind]
    return StopState(
        kind.name,
        mails.get(kind.name) == OFF,
        game.title if game else None,
        game_is_off,
        stored_locale(player.locale) if player else None,
        kind.stop,
        kind.time_runs,
    )


@with_retries
def stop_mails(word: str, what: str | None = None, again: bool = False) -> None:
    """Stop the emails about a game or of a kind. With `again`, resume them. Without `what`, the token of an email about
    a game stops all emails about that game. Raise NotFound for an invalid token."""
    it = _verified(word)
    if it.game_id and what != KIND:
        db.session.execute(update(SeatRow).where(*_own_seat(it)).values(mails=None if again else OFF))
    else:
        _choose_for_kind(it, again)
    db.session.commit()


def _choose_for_kind(it: Stop, again: bool) -> None:
    if it.kind == INVITATION.name:
        player_of(it.reader, "en")  # preferences need a profile
    player = db.session.scalars(select(Player).where(_is_reader(it)).with_for_update()).one_or_none()
    if player is not None:
        readable = stored_notifications(player.notifications)
        mails = {kind: choice for kind, choice in readable.get("mails", {}).items() if kind != it.kind}
        player.notifications = readable | {"mails": mails if again else mails | {it.kind: OFF}}


def _verified(word: str) -> Stop:
    kind, reader, game_id = verify_text(STOP, word).split(" ")
    return Stop(kind, reader, UUID(game_id) if game_id else None)


def _is_reader(it: Stop) -> ColumnElement[bool]:
    return Player.email == it.reader if it.kind == INVITATION.name else Player.player_id == UUID(it.reader)


def _own_seat(it: Stop) -> tuple[ColumnElement[bool], ...]:
    return SeatRow.game_id == it.game_id, SeatRow.player_id == UUID(it.reader)
