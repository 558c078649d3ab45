"""Emails to the post desk, each of which is processed under a lease, and the numbers under which players know their
games."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ColumnElement, delete, exists, func, select, update
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import aliased

from server.store.database_retry import with_retries
from server.store.leases import claim_oldest
from server.store.locks import hold
from server.store.tables import DeskGame, DeskMail, IdempotencyKey, PlayerLetterRow, db


@with_retries
def keep(
    mail_id: UUID,
    recipient: str,
    raw: bytes,
    now: datetime,
    of_player: tuple[UUID | None, Sequence[str] | None] = (None, None),
) -> None:
    """Store an email once. `of_player`: the reader of the signed address, and commands that a proved sender wrote."""
    player_id, lines = of_player
    row = insert(DeskMail).values(
        mail_id=mail_id,
        recipient=recipient,
        player_id=player_id,
        raw=raw,
        lines=lines,
        arrived_at=now,
        due_at=now,
        tries=0,
    )
    db.session.execute(row.on_conflict_do_nothing())
    db.session.commit()


_earlier = aliased(DeskMail)
_IS_BEHIND = exists().where(  # built once, since the worker looks often
    _earlier.player_id == DeskMail.player_id, _earlier.due_at.is_not(None), _earlier.arrived_at < DeskMail.arrived_at
)


def claim(now: datetime, until: datetime) -> DeskMail | None:
    """Lease the oldest email that is due, and return its row. Return None if no email is due.

    An email waits while an earlier one of the same reader is being processed, or will be retried.
    """
    return claim_oldest(DeskMail, now, until, ~_IS_BEHIND)


def asked(mail_id: UUID) -> DeskMail | None:
    """Return an email whose commands the player must confirm with `yes`, or None."""
    query = select(DeskMail).where(DeskMail.mail_id == mail_id, DeskMail.due_at.is_(None), DeskMail.lines.is_not(None))
    row = db.session.scalars(query).one_or_none()
    if row is not None:
        db.session.expunge(row)
    return row


def owner_of(mail_id: UUID) -> UUID | None:
    """Return the player who wrote an email that has been processed, or None."""
    return db.session.scalar(select(DeskMail.player_id).where(DeskMail.mail_id == mail_id))


def has_mail(player_id: UUID, before: datetime) -> bool:
    """Return whether an email to one of a player's addresses is waiting that arrived before this time."""
    waits = (DeskMail.player_id == player_id) & DeskMail.due_at.is_not(None) & (DeskMail.arrived_at < before)
    found = db.session.execute(select(DeskMail.mail_id).where(waits).limit(1)).first()
    db.session.rollback()
    return found is not None


def finish(
    mail: DeskMail,
    letter: Mapping[str, Any] | None,
    player_id: UUID | None = None,
    asks: Sequence[str] | None = None,
    confirmed: UUID | None = None,
    later: Sequence[Mapping[str, Any]] = (),
) -> None:
    """Record that an email has been processed, and queue our reply, within the current transaction. Do nothing if the
    lease has expired and another worker has the email.

    `asks`: commands that the sender must confirm with `yes`. `confirmed`: the email whose commands have been carried
    out. `later`: emails that follow our reply.
    """
    done = {"due_at": None, "raw": b"", "player_id": player_id, "lines": asks}
    finished = update(DeskMail).where(_is_ours(mail)).values(**done).returning(DeskMail.mail_id)
    if db.session.execute(finished).first() is None:
        return
    if confirmed:
        db.session.execute(update(DeskMail).where(DeskMail.mail_id == confirmed).values(lines=None))
    for it in (letter, *later):
        if it:
            put(it)


def put(letter: Mapping[str, Any]) -> None:
    """Queue an email once, within the current transaction."""
    db.session.execute(
        insert(PlayerLetterRow).values(**letter).on_conflict_do_nothing(index_elements=["player_id", "dedupe"])
    )


def reserve(player_id: UUID, same: str, mail_id: UUID, now: datetime) -> bool:
    """Reserve an email's commands for this copy of it, within the current transaction. Return whether no other copy has
    them. Copies share `same`."""
    # `game_id` is required, so it holds the player's id
    own = {"game_id": player_id, "player_id": player_id, "key": f"desk {same}"}
    row = insert(IdempotencyKey).values(**own, request_hash=mail_id.bytes, made_at=now)
    db.session.execute(row.on_conflict_do_nothing())
    holder = select(IdempotencyKey.request_hash).filter_by(**own)
    return db.session.scalar(holder) == mail_id.bytes


def begin_leaving(mail: DeskMail, lines: Sequence[Any]) -> None:
    """Store the player who is leaving, and the last email to them. From now on, no player is the email's sender, so it
    outlasts the account."""
    db.session.execute(update(DeskMail).where(_is_ours(mail)).values(player_id=None, lines=lines))
    db.session.commit()


def forget_try(mail: DeskMail) -> None:
    """Don't count the attempt that began with this claim, unless it is the first: the next one must know that commands
    may have been carried out. The email is due again when its lease ends."""
    db.session.execute(update(DeskMail).where(_is_ours(mail)).values(tries=func.greatest(DeskMail.tries - 1, 1)))
    db.session.commit()


def _is_ours(mail: DeskMail) -> ColumnElement[bool]:
    """Return an SQL condition that is true while the email is under the lease of this claim."""
    return (DeskMail.mail_id == mail.mail_id) & (DeskMail.due_at == mail.due_at)


def drop(mail_id: UUID) -> None:
    """Delete an email, and commit."""
    db.session.execute(delete(DeskMail).where(DeskMail.mail_id == mail_id))
    db.session.commit()


def forget(before: datetime) -> None:
    """Delete processed emails that arrived before this time. Until then, the server recognizes copies of them."""
    db.session.execute(delete(DeskMail).where(DeskMail.due_at.is_(None), DeskMail.arrived_at < before))
    db.session.commit()


# Numbers of games


def numbers(player_id: UUID, game_ids: Collection[UUID] = ()) -> dict[UUID, int]:
    """Return the numbers of these games of a player. Games without a number get the next numbers, in this order."""
    known = _numbers(player_id)
    if any(it not in known for it in game_ids):
        hold(player_id)  # only one process at a time assigns numbers
        known = _numbers(player_id)
        for game_id in dict.fromkeys(game_ids):
            if game_id not in known:
                known[game_id] = max(known.values(), default=0) + 1
                row = insert(DeskGame).values(player_id=player_id, game_id=game_id, nr=known[game_id])
                db.session.execute(row.on_conflict_do_nothing())
        db.session.commit()
    return known


def _numbers(player_id: UUID) -> dict[UUID, int]:
    query = select(DeskGame.game_id, DeskGame.nr).where(DeskGame.player_id == player_id)
    return {game_id: nr for game_id, nr in db.session.execute(query)}


def game_of(player_id: UUID, nr: int) -> UUID | None:
    """Return the player's game with this number, or None."""
    return db.session.scalar(select(DeskGame.game_id).where(DeskGame.player_id == player_id, DeskGame.nr == nr))


def note_found(player_id: UUID, game_id: UUID, mail_id: UUID | None) -> None:
    """Record which email led to a game. `mail_id` is None if the search was cancelled or failed."""
    own = (DeskGame.player_id == player_id) & (DeskGame.game_id == game_id)
    db.session.execute(update(DeskGame).where(own).values(found_by=mail_id))
    db.session.commit()


def found(player_id: UUID, mail_id: UUID | None = None) -> list[UUID]:
    """Return the games that a player's searches have found, or only those that this email's search has found, oldest
    first."""
    own = (DeskGame.player_id == player_id) & DeskGame.found_by.is_not(None)
    if mail_id is not None:
        own &= DeskGame.found_by == mail_id
    return list(db.session.scalars(select(DeskGame.game_id).where(own).order_by(DeskGame.nr)))
