"""Inbound emails. They are stored before their senders get a 250 response. Then they are processed one at a time, each
under a lease."""

from collections.abc import Callable, Collection
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid5

from sqlalchemy import ColumnElement, Text, delete, exists, func, literal_column, or_, select, update
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import aliased

from server.store.connections import autocommit
from server.store.database_retry import with_retries
from server.store.tables import GameRow, Incoming, LetterRow, SeatRow, db

MOST_JOINED = 4  # confirmations that are looked up for the email about a turn; it rarely contains more than one


class Arrived(NamedTuple):
    """An email that is due. Another worker may already be processing it."""

    game_id: UUID
    mail_id: UUID
    due_at: datetime | None


@with_retries
def keep(
    game_id: UUID, seat: int, turn: int, same: str, raw: bytes, now: Callable[[], datetime], mark: int | None = None
) -> bool:
    """Store an email once. All copies of an email have the same value of `same`. Return False if the game doesn't
    exist."""
    # The game row's lock orders emails and time-outs: `record_commit_unless_held` sees every email with an earlier
    # arrival.
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
    """Return whether an email for this seat is waiting that arrived before this time."""
    waits = (Incoming.game_id == game_id) & (Incoming.seat == seat) & Incoming.due_at.is_not(None)
    query = select(Incoming.mail_id).where(waits, Incoming.arrived_at < before).limit(1)
    found = db.session.execute(query).first()
    db.session.rollback()
    return found is not None


def due(now: datetime, most: int) -> list[Arrived]:
    """Return the emails that are due, in order of arrival."""
    query = "SELECT game_id, mail_id, due_at FROM inbox WHERE due_at <= %s ORDER BY arrived_at LIMIT %s"
    with autocommit() as connection:
        return [Arrived(*row) for row in connection.execute(query, (now, most))]


def claim(mail: Arrived, until: datetime) -> Incoming | None:
    """Lease an email, and return its row. Return None if the email is already leased, or if an earlier email for the
    same seat is waiting."""
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
    """Don't count the attempt that began with this claim. The email is due again when its lease ends."""
    db.session.execute(update(Incoming).where(_is_ours(mail)).values(tries=Incoming.tries - 1))
    db.session.commit()


def awaiting_confirmation(game_id: UUID, seat: int) -> list[Incoming]:
    """Return this seat's emails that the player has yet to confirm, oldest first."""
    query = select(Incoming).where(Incoming.game_id == game_id, Incoming.seat == seat, Incoming.asks != "")
    rows = list(db.session.scalars(query.order_by(Incoming.arrived_at)))
    db.session.expunge_all()
    return rows


def answers(game_id: UUID, seat: int, turn: int, most: int) -> list[dict[str, Any]]:
    """Return our newest replies to this seat, if they have this turn's reply address. Also return those that were
    waiting when this turn began: the email about this turn may contain them, or they may have become replies about it."""
    own = (Incoming.game_id == game_id) & (Incoming.seat == seat) & Incoming.mark.is_(None)
    of_turn = own & (Incoming.answer["turn"].as_integer() == turn)
    version, may_join = Incoming.answer["version"].as_integer(), Incoming.answer["may_join"].as_boolean()
    before = may_join | (Incoming.answer["turn"].as_integer() == version)
    return [
        answer
        for condition, limit in ((of_turn, most), (own & before & (version <= turn), MOST_JOINED))
        for answer in db.session.scalars(
            select(Incoming.answer).where(condition).order_by(Incoming.arrived_at.desc()).limit(limit)
        )
    ]


def is_in_hand(games: Collection[UUID], player_id: UUID, by: datetime) -> bool:
    """Return whether an email from this player's seat in one of these games is being processed that arrived by this
    time."""
    waits = Incoming.game_id.in_(games) & Incoming.due_at.is_not(None)
    own = (SeatRow.game_id == Incoming.game_id) & (SeatRow.seat == Incoming.seat) & (SeatRow.player_id == player_id)
    query = select(Incoming.mail_id).where(waits, Incoming.arrived_at <= by, exists().where(own)).limit(1)
    found = db.session.execute(query).first()
    db.session.rollback()
    return found is not None


def earlier_acted_lines(mail: Incoming) -> set[str]:
    """Return the hashes of the lines that took effect in this seat's earlier emails."""
    earlier = (
        (Incoming.seat == mail.seat) & (Incoming.arrived_at < mail.arrived_at) & (Incoming.mail_id != mail.mail_id)
    )
    query = select(Incoming.acted).where(Incoming.game_id == mail.game_id, Incoming.acted.is_not(None), earlier)
    return {line for lines in db.session.scalars(query) for line in lines or ()}


def finish(
    mail: Incoming,
    asks: str,
    letter: dict[str, Any] | None,
    confirmed: UUID | None,
    acted: Collection[str] = (),
    fault: str | None = None,
) -> bool:
    """Record that an email has been processed, within the current transaction: store our reply and the hashes of the
    lines that took effect. The email `confirmed` no longer waits for confirmation.

    Confirmations that still wait for an email about the next turn are sent before our reply. The notice that our reply
    `replaces` is deleted.

    If there is a `fault`, set the email aside instead. Return False if the lease has expired and another worker has the
    email.
    """
    answer = None
    if letter:
        version = letter["version"]
        answer = {"version": version, "turn": version, "letter_id": str(letter["letter_id"]), **letter["data"]}
    values = {"due_at": None, "asks": asks, "answer": answer, "acted": sorted(acted) or None, "fault": fault}
    finished = update(Incoming).where(_is_ours(mail)).values(values).returning(Incoming.mail_id)
    if db.session.execute(finished).first() is None:
        return False
    if confirmed:
        db.session.execute(update(Incoming).where(_is(mail.game_id, confirmed)).values(asks=""))
    if letter:
        waiting = (LetterRow.game_id == mail.game_id) & (LetterRow.seat == mail.seat) & LetterRow.leased_until.is_(None)
        if replaced := letter["data"].get("replaces"):
            db.session.execute(delete(LetterRow).where(waiting, LetterRow.kind == replaced))
        held = waiting & LetterRow.data["may_join"].as_boolean() & (LetterRow.due_at > letter["due_at"])
        db.session.execute(update(LetterRow).where(held).values(due_at=LetterRow.made_at))
        db.session.execute(
            upsert(LetterRow).values(**letter).on_conflict_do_nothing(index_elements=["game_id", "dedupe"])
        )
    return True


def bring_forward(now: datetime, leeway: timedelta) -> None:
    """Change times in the future, which come from a clock that was ahead, to the current time. Each email is its own
    transaction."""
    ahead = (Incoming.due_at.is_not(None)) & (Incoming.arrived_at > now + leeway)
    for game_id, mail_id in db.session.execute(select(Incoming.game_id, Incoming.mail_id).where(ahead)).all():
        db.session.execute(update(Incoming).where(_is(game_id, mail_id), ahead).values(arrived_at=now, due_at=now))
        db.session.commit()


def forget(before: datetime) -> None:
    """Delete processed emails that arrived before this time. The hashes of emails that had an effect are kept."""
    old = Incoming.due_at.is_(None) & Incoming.fault.is_(None) & (Incoming.arrived_at < before)
    db.session.execute(delete(Incoming).where(old, Incoming.acted.is_(None)))
    is_whole = Incoming.raw != literal_column("''")  # a parameter would prevent the use of the index
    db.session.execute(update(Incoming).where(old, is_whole).values(raw=b"", asks="", answer=None))
    db.session.commit()


def mentions(email: str) -> ColumnElement[bool]:
    """Return an SQL condition that selects emails in which this address is named, and emails whose replies name it."""
    texts = func.encode(Incoming.raw, "escape"), Incoming.answer.cast(Text)
    return or_(*(text.icontains(email, autoescape=True) for text in texts))


# Emails that were set aside


def list_aside(most: int) -> list[Incoming]:
    """Return the newest emails that were set aside."""
    query = select(Incoming).where(Incoming.fault.is_not(None)).order_by(Incoming.arrived_at.desc())
    return list(db.session.scalars(query.limit(most)))


def one_aside(mail_id: UUID) -> Incoming | None:
    own = (Incoming.mail_id == mail_id) & Incoming.fault.is_not(None)
    return db.session.scalars(select(Incoming).where(own)).one_or_none()


def number_aside() -> int:
    return db.session.scalar(select(func.count()).where(Incoming.fault.is_not(None))) or 0


def retry_aside(game_id: UUID, mail_id: UUID, now: datetime) -> bool:
    """Process an email again that was set aside. Return whether there is such an email."""
    own = update(Incoming).where(_is(game_id, mail_id), Incoming.fault.is_not(None))
    found = db.session.scalar(own.values(due_at=now, tries=0, fault=None).returning(Incoming.mail_id)) is not None
    db.session.commit()
    return found


def drop(game_id: UUID, mail_id: UUID) -> None:
    """Delete the content of an email that was set aside. Copies of it are still recognized."""
    own = update(Incoming).where(_is(game_id, mail_id), Incoming.fault.is_not(None))
    db.session.execute(own.values(fault=None))
    db.session.commit()


def forget_aside(before: datetime) -> None:
    db.session.execute(delete(Incoming).where(Incoming.fault.is_not(None), Incoming.arrived_at < before))
    db.session.commit()


def _is(game_id: UUID, mail_id: UUID) -> ColumnElement[bool]:
    return (Incoming.game_id == game_id) & (Incoming.mail_id == mail_id)


def _is_ours(mail: Incoming) -> ColumnElement[bool]:
    """Return an SQL condition that is true while the email is under the lease of this claim."""
    return _is(mail.game_id, mail.mail_id) & (Incoming.due_at == mail.due_at)
