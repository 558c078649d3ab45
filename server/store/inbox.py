"""Mails that came in. They are kept before their senders hear 250, and dealt with one at a time, each under a lease."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from sqlalchemy import ColumnElement, Text, delete, exists, func, literal_column, or_, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import aliased

from server.store.connections import autocommit
from server.store.database_retry import tried_again
from server.store.tables import GameRow, Incoming, LetterRow, db


class Arrived(NamedTuple):
    """A mail that is to be dealt with; a hint only."""

    game_id: UUID
    mail_id: UUID
    due_at: datetime | None


@tried_again
def keep(
    game_id: UUID, seat: int, turn: int, same: str, raw: bytes, now: Callable[[], datetime], mark: int | None = None
) -> bool:
    """Keep a mail; once only, if it is brought again (`same` is what a mail and its copies have in common).

    False if there is no such game.
    """
    # Under the lock of the game's head, under which seats are timed out, too, by `record_commit_unless_held`: it has
    # seen every mail with an earlier moment of arrival.
    if db.session.execute(select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update()).first() is None:
        return False
    moment = now()
    row = upsert(Incoming).values(
        game_id=game_id,
        mail_id=uuid5(game_id, f"{seat}/{turn}/{same}"),
        seat=seat,
        turn=turn,
        raw=raw,
        arrived_at=moment,
        due_at=moment,
        tries=0,
        asks="",
        mark=mark,
    )
    db.session.execute(row.on_conflict_do_nothing())
    db.session.commit()
    return True


def has_mail(game_id: UUID, seat: int, before: datetime) -> bool:
    """Whether a mail that arrived before this moment is not dealt with yet."""
    waits = (Incoming.game_id == game_id) & (Incoming.seat == seat) & Incoming.due_at.is_not(None)
    query = select(Incoming.mail_id).where(waits, Incoming.arrived_at < before).limit(1)
    found = db.session.execute(query).first()
    db.session.rollback()
    return found is not None


def due(now: datetime, most: int) -> list[Arrived]:
    """The mails that are to be dealt with, in the order in which they arrived."""
    query = "SELECT game_id, mail_id, due_at FROM inbox WHERE due_at <= %s ORDER BY arrived_at LIMIT %s"
    with autocommit() as connection:
        return [Arrived(*row) for row in connection.execute(query, (now, most))]


def claim(mail: Arrived, until: datetime) -> Incoming | None:
    """The mail's row, ours until the lease ends; None if somebody has it, or an earlier one of the same seat waits."""
    earlier = aliased(Incoming)
    is_behind = exists().where(
        earlier.game_id == mail.game_id,
        earlier.seat == Incoming.seat,
        earlier.due_at.is_not(None),
        earlier.arrived_at < Incoming.arrived_at,
    )
    taken = (
        update(Incoming)
        .where(_is(mail.game_id, mail.mail_id), Incoming.due_at == mail.due_at, ~is_behind)
        .values(due_at=until, tries=Incoming.tries + 1)
        .returning(Incoming)
    )
    row = db.session.scalars(taken).one_or_none()
    if row is not None:
        db.session.expunge(row)
    db.session.commit()
    return row


def forget_try(mail: Incoming) -> None:
    """Have the try that began with this claim not count; the mail is due again when the lease ends."""
    db.session.execute(update(Incoming).where(_is_ours(mail)).values(tries=Incoming.tries - 1))
    db.session.commit()


def asked(game_id: UUID, seat: int) -> list[Incoming]:
    """The mails of this seat that wait for the player's confirmation, the oldest first."""
    query = select(Incoming).where(Incoming.game_id == game_id, Incoming.seat == seat, Incoming.asks != "")
    rows = list(db.session.scalars(query.order_by(Incoming.arrived_at)))
    db.session.expunge_all()
    return rows


def answers(game_id: UUID, seat: int, turn: int, most: int) -> list[dict[str, Any]]:
    """What we answered this seat in letters that are answered to the address of this turn, the newest of them."""
    query = select(Incoming.answer).where(
        Incoming.game_id == game_id, Incoming.seat == seat, Incoming.answer["turn"].as_integer() == turn
    )
    return list(db.session.scalars(query.order_by(Incoming.arrived_at.desc()).limit(most)))


def acted_before(mail: Incoming) -> set[str]:
    """The hashes of the lines that act in mails for this seat that arrived before this one."""
    earlier = (
        (Incoming.seat == mail.seat) & (Incoming.arrived_at < mail.arrived_at) & (Incoming.mail_id != mail.mail_id)
    )
    query = select(Incoming.acted).where(Incoming.game_id == mail.game_id, Incoming.acted.is_not(None), earlier)
    return {line for lines in db.session.scalars(query) for line in lines or ()}


def done(
    mail: Incoming,
    asks: str,
    letter: dict[str, Any] | None,
    confirmed: UUID | None,
    acted: Collection[str] = (),
    fault: str | None = None,
) -> bool:
    """Within the transaction under way: this mail is dealt with, `confirmed` asks no more, and the answer is noted, and
    by which lines the mail is known again.

    With a `fault`, it is kept aside instead. False if the lease ran out and somebody else has it now.
    """
    answer = letter and {"version": letter["version"], "turn": letter["version"], **letter["data"]}
    values = {"due_at": None, "asks": asks, "answer": answer, "acted": sorted(acted) or None, "fault": fault}
    finished = update(Incoming).where(_is_ours(mail)).values(values).returning(Incoming.mail_id)
    if db.session.execute(finished).first() is None:
        return False
    if confirmed:
        db.session.execute(update(Incoming).where(_is(mail.game_id, confirmed)).values(asks=""))
    if letter:
        db.session.execute(
            upsert(LetterRow).values(**letter).on_conflict_do_nothing(index_elements=["game_id", "dedupe"])
        )
    return True


def bring_forward(now: datetime, leeway: timedelta) -> None:
    """Mails from hours that a clock set right has yet to reach arrived now; one a transaction."""
    ahead = (Incoming.due_at.is_not(None)) & (Incoming.arrived_at > now + leeway)
    for game_id, mail_id in db.session.execute(select(Incoming.game_id, Incoming.mail_id).where(ahead)).all():
        db.session.execute(update(Incoming).where(_is(game_id, mail_id), ahead).values(arrived_at=now, due_at=now))
        db.session.commit()


def forget(before: datetime) -> None:
    """Drop the mails that arrived before this moment and are dealt with; of those with lines that acted, all but these."""
    old = Incoming.due_at.is_(None) & Incoming.fault.is_(None) & (Incoming.arrived_at < before)
    db.session.execute(delete(Incoming).where(old, Incoming.acted.is_(None)))
    is_whole = Incoming.raw != literal_column("''")  # a parameter would not tell that the index holds all of these
    db.session.execute(update(Incoming).where(old, is_whole).values(raw=b"", asks="", answer=None))
    db.session.commit()


def mentions(email: str) -> ColumnElement[bool]:
    """Whether a mail names this address, or our answer to it."""
    texts = func.encode(Incoming.raw, "escape"), Incoming.answer.cast(Text)
    return or_(*(text.icontains(email, autoescape=True) for text in texts))


# Mails kept aside


def aside(most: int) -> list[Incoming]:
    """The newest of them."""
    query = select(Incoming).where(Incoming.fault.is_not(None)).order_by(Incoming.arrived_at.desc())
    return list(db.session.scalars(query.limit(most)))


def one_aside(mail_id: UUID) -> Incoming | None:
    own = (Incoming.mail_id == mail_id) & Incoming.fault.is_not(None)
    return db.session.scalars(select(Incoming).where(own)).one_or_none()


def number_aside() -> int:
    return db.session.scalar(select(func.count()).where(Incoming.fault.is_not(None))) or 0


def again(game_id: UUID, mail_id: UUID, now: datetime) -> bool:
    """Deal once more with a mail kept aside; whether there is one."""
    own = update(Incoming).where(_is(game_id, mail_id), Incoming.fault.is_not(None))
    found = db.session.scalar(own.values(due_at=now, tries=0, fault=None).returning(Incoming.mail_id)) is not None
    db.session.commit()
    return found


def drop(game_id: UUID, mail_id: UUID) -> None:
    """Keep a mail no longer aside; a copy of it is still known for one."""
    own = update(Incoming).where(_is(game_id, mail_id), Incoming.fault.is_not(None))
    db.session.execute(own.values(fault=None))
    db.session.commit()


def forget_aside(before: datetime) -> None:
    """Drop the mails kept aside that arrived before this moment."""
    db.session.execute(delete(Incoming).where(Incoming.fault.is_not(None), Incoming.arrived_at < before))
    db.session.commit()


def _is(game_id: UUID, mail_id: UUID) -> ColumnElement[bool]:
    return (Incoming.game_id == game_id) & (Incoming.mail_id == mail_id)


def _is_ours(mail: Incoming) -> ColumnElement[bool]:
    """`mail` as it was claimed: its due time is the end of our lease."""
    return _is(mail.game_id, mail.mail_id) & (Incoming.due_at == mail.due_at)
