"""Letters that wait to be carried. Whoever claims one holds a lease on it, so that no lock is held while SMTP is slow.

A claim counts up the tries, and whoever has lost his lease to another is told apart by their number.
"""

from collections.abc import Collection, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from psycopg.rows import dict_row
from sqlalchemy import ColumnElement, Text, and_, cast, delete, func, select, update
from sqlalchemy.dialects.postgresql import insert

from server.store.connections import autocommit
from server.store.database_retry import tried_again
from server.store.leases import is_free
from server.store.tables import Delivery, LetterRow, Player, PlayerDelivery, PlayerLetterRow, SeatRow, db
from server.store.webhook_queue import NOTE


class Waiting(NamedTuple):
    """A letter of a game (`owner` is the game) or of a player that is due; a hint only."""

    table: type[LetterRow] | type[PlayerLetterRow]
    owner: UUID
    letter_id: UUID
    due_at: datetime
    tries: int
    reader: str


def put(game_id: UUID, letters: Sequence[dict[str, Any]]) -> None:
    """Add letters of a game beside a commit, as part of the transaction under way; once only."""
    for letter in letters:
        row = insert(LetterRow).values(game_id=game_id, due_at=letter["made_at"], tries=0, **letter)
        db.session.execute(row.on_conflict_do_nothing(index_elements=["game_id", "dedupe"]))


def due(now: datetime, most: int, busy: Collection[str] = (), lapsed_at: datetime | None = None) -> list[Waiting]:
    """The letters that are due, of both outboxes, the oldest first; but none to the `busy` readers.

    Also those whose lease had ended by `lapsed_at`.
    """
    found: list[Waiting] = []
    for table, owner, reader in (
        (LetterRow, LetterRow.game_id, func.coalesce(cast(LetterRow.player_id, Text), LetterRow.data["to"].astext)),
        (PlayerLetterRow, PlayerLetterRow.player_id, cast(PlayerLetterRow.player_id, Text)),
    ):
        query = select(owner, table.letter_id, table.due_at, table.tries, reader.label("reader"))
        query = query.where(table.due_at <= now, is_free(table, lapsed_at))
        if table is LetterRow:
            query = query.where(LetterRow.kind != NOTE)
        if busy:
            query = query.where(reader.not_in(busy))
        rows = db.session.execute(query.order_by(table.due_at).limit(most))
        found += [Waiting(table, *row) for row in rows]
    db.session.rollback()
    return sorted(found, key=lambda it: it.due_at)


def bring_forward(now: datetime, leeway: timedelta) -> None:
    """Letters from hours that a clock set right has yet to reach are due now; one a transaction."""
    for table, owner in ((LetterRow, LetterRow.game_id), (PlayerLetterRow, PlayerLetterRow.player_id)):
        query = select(owner, table.letter_id, table.due_at).where(table.made_at > now + leeway, table.due_at > now)
        for owner_id, letter_id, due_at in db.session.execute(query).all():
            seen = (owner == owner_id) & (table.letter_id == letter_id) & (table.due_at == due_at)
            db.session.execute(update(table).where(seen).values(due_at=now))
            db.session.commit()


def claim(letter: Waiting, until: datetime) -> Any | None:
    """The letter's row, ours until the lease ends; None if somebody else was faster."""
    owner = "game_id" if letter.table is LetterRow else "player_id"
    columns = ", ".join(letter.table.__table__.columns.keys())  # those that this release knows, whatever is added
    with autocommit() as connection, connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(
            f"UPDATE {letter.table.__tablename__} SET leased_until = %(until)s, tries = tries + 1"
            f" WHERE {owner} = %(owner)s AND letter_id = %(letter_id)s AND tries = %(tries)s RETURNING {columns}",
            {"until": until, **letter._asdict()},
        ).fetchone()
    return letter.table(**row) if row else None


def renew(letter: Waiting, row: Any, until: datetime) -> bool:
    """Have the lease end later; False if somebody else has the letter now."""
    ours = letter.table.leased_until.is_not(None) & _is_ours(letter, row)
    renewed = update(letter.table).where(ours).values(leased_until=until).returning(letter.table.letter_id)
    is_ours = db.session.execute(renewed).first() is not None
    db.session.commit()
    return is_ours


def put_into_bundle(player_id: UUID, at: datetime, now: datetime, noted: dict[str, Any] | None = None) -> None:
    """Have a player get a mail for all his games at this moment, with what is noted by letter, as part of the transaction.

    Putting the same in again changes nothing.
    """
    bundle = insert(PlayerLetterRow).values(
        player_id=player_id,
        letter_id=uuid4(),
        dedupe=f"bundle/{at.isoformat()}/mail",
        kind="bundle",
        data={"at": at.isoformat(), **(noted or {})},
        made_at=now,
        due_at=at,
        tries=0,
    )
    merged = PlayerLetterRow.data.op("||")(bundle.excluded.data)
    db.session.execute(bundle.on_conflict_do_update(index_elements=["player_id", "dedupe"], set_={"data": merged}))


@tried_again
def done(letter: Waiting, row: Any, at: datetime, result: str, detail: str) -> None:
    """Note what became of a letter, and forget it, unless the lease ran out and somebody else has it now."""
    _note(row, at, result, detail)
    db.session.execute(delete(letter.table).where(_is_ours(letter, row)))
    db.session.commit()


@tried_again
def again(letter: Waiting, row: Any, at: datetime, later: datetime, detail: str) -> None:
    """Note a failed try, and when the next one is due."""
    put_off = update(letter.table).where(_is_ours(letter, row)).values(due_at=later, leased_until=None)
    _note(row, at, "failed", detail)
    db.session.execute(put_off)
    db.session.commit()


def _is(letter: Waiting) -> tuple[Any, Any]:
    table: Any = letter.table
    owner = table.game_id if table is LetterRow else table.player_id
    return owner == letter.owner, table.letter_id == letter.letter_id


def _is_ours(letter: Waiting, row: Any) -> ColumnElement[bool]:
    """`row` as it was claimed: nobody has claimed it since."""
    return and_(*_is(letter), letter.table.tries == row.tries)


def _note(row: Any, at: datetime, result: str, detail: str) -> None:
    """Of a letter to an address without a player there is nobody to tell, unless it belongs to a game."""
    reader = reader_of(row)
    table: type[Delivery | PlayerDelivery] = PlayerDelivery
    values = {
        "player_id": reader,
        "letter_id": row.letter_id,
        "nr": row.tries,
        "kind": row.kind,
        "result": result,
        "detail": detail,
        "at": at,
    }
    if isinstance(row, LetterRow):
        table, values = Delivery, values | {"game_id": row.game_id, "seat": row.seat, "version": row.version}
        if row.kind == "invitation" and result in ("refused", "given-up", "dropped"):
            lose_invitation(row.game_id, row.seat, row.data["to"], at)
    elif reader is None:
        return
    tried = insert(table).values(**values)
    db.session.execute(tried.on_conflict_do_nothing())  # a commit whose answer was lost has noted it


def lose_invitation(game_id: UUID, seat: int, email: str, at: datetime) -> None:
    """Within the transaction under way: the invitation to this address did not arrive."""
    kept = (SeatRow.game_id == game_id) & (SeatRow.seat == seat) & (SeatRow.email == email)
    db.session.execute(update(SeatRow).where(kept).values(lost_at=at))


def reader_of(row: Any) -> UUID | None:
    """The player whom a letter goes to, also when it names an address only."""
    if "to" not in row.data:
        reader: UUID | None = row.player_id
        return reader
    return db.session.scalars(select(Player.player_id).where(Player.email == row.data["to"])).one_or_none()
