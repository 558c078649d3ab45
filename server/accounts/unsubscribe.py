"""Stopping mails with one click and no login (RFC 8058): a signed word in each letter says whose, of what kind and game."""

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
    """`reader` is a player's id; for an invitation, the address that it went to."""

    kind: str
    reader: str
    game_id: UUID | None


class Stopped(NamedTuple):
    """What a page about a stop shows: what can be stopped, and whether it is."""

    kind: str
    kind_is_off: bool
    title: str | None  # of the game; None for a letter that belongs to none of the reader's games
    game_is_off: bool
    locale: str | None  # of the reader; None if nobody is known at an invited address
    letters: str  # what its emails are called
    time_runs: bool  # whether the reader's time may run meanwhile


def stop_word(kind: str, reader: str, game_id: UUID | None = None) -> str:
    """The signed link that stops letters like this one, and nothing else."""
    return sign_text(STOP, f"{kind} {reader} {game_id.hex if game_id else ''}")


def stopped(word: str) -> Stopped:
    """How things are; looking changes nothing. Raises NotFound."""
    it = _verified(word)
    player = db.session.scalars(select(Player).where(_is_reader(it))).one_or_none()
    mails: Json = stored_notifications(player.notifications).get("mails", {}) if player else {}
    seat = db.session.scalars(select(SeatRow).where(*_own_seat(it))).one_or_none() if it.game_id else None
    game = db.session.get(GameRow, it.game_id) if it.game_id else None
    game_is_off = bool(seat and seat.mails == OFF)
    kind = NOTICE_KINDS[it.kind]
    return Stopped(
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
    """Stop all letters of the game, or of the kind, or send them `again`; by itself a game's letter stops its game.

    Raises NotFound.
    """
    it = _verified(word)
    if it.game_id and what != KIND:
        db.session.execute(update(SeatRow).where(*_own_seat(it)).values(mails=None if again else OFF))
    else:
        _choose_for_kind(it, again)
    db.session.commit()


def _choose_for_kind(it: Stop, again: bool) -> None:
    if it.kind == INVITATION.name:
        player_of(it.reader, "en")  # a profile is where we keep what an address wants
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
