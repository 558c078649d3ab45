"""Emails that are waiting to be sent. A process that sends an email claims it with a lease, so no lock is held while
SMTP is slow.

Each claim increments `tries`. Its value then identifies the holder of the lease.
"""

from collections.abc import Collection, Sequence
from contextlib import nullcontext
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID, uuid4

from psycopg.rows import dict_row
from sqlalchemy import cast, select, update
from sqlalchemy.dialects.postgresql import JSONB, insert

from server.store.connections import autocommit, in_transaction, rows_of
from server.store.database_retry import with_retries
from server.store.tables import Delivery, LetterRow, Player, PlayerDelivery, PlayerLetterRow, columns_of, db
from server.store.webhook_queue import NOTE


class Waiting(NamedTuple):
    """An email that is due, about a game (`owner` is the game) or to a player. Another process may already be sending
    it."""

    table: type[LetterRow] | type[PlayerLetterRow]
    owner: UUID
    letter_id: UUID
    due_at: datetime
    tries: int
    reader: str
    kind: str
    made_at: datetime


_DUE = """
SELECT {owner}, letter_id, due_at, tries, {reader}, kind, made_at FROM {outbox}
 WHERE due_at <= %(now)s AND (leased_until IS NULL OR leased_until <= %(lapsed_at)s) AND {reader} <> ALL(%(busy)s::text[]) {but}
 ORDER BY due_at LIMIT %(most)s"""
PUSH = "push"  # the kind of rows for push notifications
TO_BROWSERS = "push "  # prefix of the reader's id in rows for push notifications
_READER = f"CASE kind WHEN '{PUSH}' THEN '{TO_BROWSERS}' ELSE '' END || coalesce(player_id::text, data->>'to')"
_DUE_OF_GAMES = _DUE.format(owner="game_id", reader=f"({_READER})", outbox="outbox", but=f"AND kind <> '{NOTE}'")
_DUE_OF_PLAYERS = _DUE.format(owner="player_id", reader="player_id::text", outbox="player_outbox", but="")


_ANSWERED = "SELECT data->>'answers' FROM {outbox} WHERE {owner} = %(owner)s AND letter_id = %(letter_id)s"
_SAME = "data->>'answers' = %(answers)s AND (leased_until IS NULL OR leased_until <= %(lapsed_at)s)"
_REPLIES = f"""
SELECT game_id, letter_id, due_at, tries, player_id::text, kind, made_at FROM outbox
 WHERE game_id = ANY(%(games)s) AND player_id = %(player)s AND kind = 'answer' AND {_SAME}"""
_REPLIES_IN = """
SELECT game_id, letter_id, due_at, tries, player_id::text, kind, made_at FROM outbox
 WHERE game_id = %(owner)s AND player_id = %(reader)s AND kind = 'answer'
   AND (leased_until IS NULL OR leased_until <= %(lapsed_at)s)"""
_REPLIES_OF_DESK = f"""
SELECT player_id, letter_id, due_at, tries, player_id::text, kind, made_at FROM player_outbox
 WHERE player_id = %(player)s AND kind = 'desk-answer' AND {_SAME} AND data->>'beside' = 'true'"""
_TURNS = """
SELECT game_id, letter_id, due_at, tries, player_id::text, kind, made_at FROM outbox
 WHERE game_id = ANY(%(games)s) AND player_id = %(player)s AND kind = 'your-turn' AND leased_until IS NULL"""

_JOINING = """
SELECT {it}.game_id, {it}.letter_id, {it}.due_at, {it}.tries, {it}.player_id::text, {it}.kind, {it}.made_at FROM outbox a
  JOIN outbox t ON t.game_id = a.game_id AND t.player_id = a.player_id AND t.version >= a.version
 WHERE a.game_id = %(owner)s AND {given}.letter_id = %(letter_id)s AND a.data->>'may_join' = 'true'
   AND t.kind IN ('your-turn', 'game-ended') AND ({it}.leased_until IS NULL OR {it}.leased_until <= %(lapsed_at)s)
 ORDER BY {it}.version"""
_CONFIRMATIONS = _JOINING.format(it="a", given="t")  # "a" is the answer, "t" the email about the turn or the end
_CONFIRMING = f"{_JOINING.format(it='t', given='a')} DESC LIMIT 1"


def put(game_id: UUID, letters: Sequence[dict[str, Any]]) -> None:
    """Queue a game's emails once, within the current transaction."""
    for letter in letters:
        row = insert(LetterRow).values({"game_id": game_id, "due_at": letter["made_at"], "tries": 0, **letter})
        db.session.execute(row.on_conflict_do_nothing(index_elements=["game_id", "dedupe"]))


def due(now: datetime, most: int, busy: Collection[str] = (), lapsed_at: datetime | None = None) -> list[Waiting]:
    """Return the emails that are due in both outboxes, oldest first. Emails to `busy` readers are left out.

    Leases that ended at `lapsed_at` or before have expired.
    """
    asked = {"now": now, "lapsed_at": lapsed_at, "busy": list(busy), "most": most}
    with autocommit() as connection:
        found = [
            Waiting(table, *row)
            for table, query in ((LetterRow, _DUE_OF_GAMES), (PlayerLetterRow, _DUE_OF_PLAYERS))
            for row in connection.execute(query, asked)
        ]
    return sorted(found, key=lambda it: (it.due_at, it.made_at))


def players_at(readers: Collection[str]) -> dict[str, str]:
    """Return the ids of the players who have these addresses. Other readers are ignored."""
    emails = [it for it in readers if "@" in it]
    if not emails:
        return {}
    with autocommit() as connection:
        query = "SELECT email, player_id::text FROM players WHERE email = ANY(%s)"
        return dict(connection.execute(query, (emails,)).fetchall())


def bring_forward(now: datetime, leeway: timedelta) -> None:
    """Change times in the future, which come from a clock that was ahead, to the current time. Each email is its own
    transaction."""
    for table, owner in ((LetterRow, LetterRow.game_id), (PlayerLetterRow, PlayerLetterRow.player_id)):
        query = select(owner, table.letter_id, table.due_at).where(table.made_at > now + leeway, table.due_at > now)
        for owner_id, letter_id, due_at in db.session.execute(query).all():
            seen = (owner == owner_id) & (table.letter_id == letter_id) & (table.due_at == due_at)
            db.session.execute(update(table).where(seen).values(due_at=now))
            db.session.commit()


def postpone(letter: Waiting, later: datetime) -> None:
    """Postpone an email that has not been claimed."""
    with autocommit() as connection:
        connection.execute(
            f"UPDATE {letter.table.__tablename__} SET due_at = %(later)s WHERE {_owner_of(letter)} = %(owner)s"
            " AND letter_id = %(letter_id)s AND tries = %(tries)s AND leased_until IS NULL",
            {"later": later, **letter._asdict()},
        )


def turns_of(player_id: UUID, games: Collection[UUID]) -> list[Waiting]:
    """Return a player's unclaimed emails about turns in these games, newest first."""
    with autocommit() as connection:
        found = [Waiting(LetterRow, *row) for row in rows_of(connection, _TURNS, games, player=player_id)]
    return sorted(found, key=lambda it: it.made_at, reverse=True)


def replies_in(letter: Waiting, lapsed_at: datetime | None = None) -> list[Waiting]:
    """Return the unclaimed replies to this email's reader about its game. `lapsed_at`: see `due`."""
    asked = {"lapsed_at": lapsed_at, **letter._asdict()}
    with autocommit() as connection:
        return [Waiting(LetterRow, *row) for row in connection.execute(_REPLIES_IN, asked)]


def replies_to_same(letter: Waiting, games: Collection[UUID], lapsed_at: datetime | None = None) -> list[Waiting]:
    """Return the unclaimed replies to the email that this reply answers: those about these games, and the post desk's
    about lines for games. The reply itself is among them. `lapsed_at`: see `due`."""
    with autocommit() as connection:
        query = _ANSWERED.format(outbox=letter.table.__tablename__, owner=_owner_of(letter))
        (answers,) = connection.execute(query, letter._asdict()).fetchone() or ("",)
        if not answers:
            return []
        asked = {"answers": answers, "player": letter.reader, "lapsed_at": lapsed_at}
        of_games = sorted(rows_of(connection, _REPLIES, games, **asked), key=lambda row: row[2])
        of_desk = connection.execute(_REPLIES_OF_DESK, asked).fetchall()
    return [
        *(Waiting(LetterRow, *row) for row in of_games),
        *(Waiting(PlayerLetterRow, *row) for row in of_desk),
    ]


def add_to_turn(game_id: UUID, player_id: UUID, more: dict[str, Any]) -> bool:
    """Add data to a player's unclaimed email about a turn, within the current transaction. Return whether there is such
    an email."""
    own = (LetterRow.game_id == game_id) & (LetterRow.player_id == player_id) & (LetterRow.kind == "your-turn")
    data = LetterRow.data.op("||")(cast(more, JSONB))
    changed = update(LetterRow).where(own, LetterRow.leased_until.is_(None)).values(data=data)
    return db.session.execute(changed.returning(LetterRow.letter_id)).first() is not None


def confirmations_for(letter: Waiting, lapsed_at: datetime | None = None) -> list[Waiting]:
    """Return the unclaimed confirmations of moves that this email about a turn or about the end may contain, oldest
    first. `lapsed_at`: see `due`."""
    asked = {"lapsed_at": lapsed_at, **letter._asdict()}
    with autocommit() as connection:
        return [Waiting(LetterRow, *row) for row in connection.execute(_CONFIRMATIONS, asked)]


def sent_at(player_id: UUID, games: Collection[UUID], letter_id: UUID) -> datetime | None:
    """Return when the email with this id was sent, if it was about one of these games or this player's bundle, or
    None."""
    of_games = Delivery.game_id.in_(games) & (Delivery.letter_id == letter_id) & (Delivery.result == "sent")
    own = (PlayerDelivery.player_id == player_id) & (PlayerDelivery.letter_id == letter_id)
    of_bundles = own & (PlayerDelivery.kind == "bundle") & (PlayerDelivery.result == "sent")
    at: datetime | None = db.session.scalar(select(Delivery.at).where(of_games).limit(1))
    return at or db.session.scalar(select(PlayerDelivery.at).where(of_bundles).limit(1))


def games_sent_at(player_id: UUID, at: datetime) -> set[UUID]:
    """Return the games of the email that was sent to this player at this time, if it was only about turns."""
    sent = (Delivery.player_id == player_id) & (Delivery.at == at) & (Delivery.result == "sent")
    rows = db.session.execute(select(Delivery.game_id, Delivery.kind).where(sent)).all()
    return {game_id for game_id, _ in rows} if all(kind == "your-turn" for _, kind in rows) else set()


def kind_of_sent(game_id: UUID, letter_id: UUID) -> str | None:
    """Return the kind of the email about this game that was sent with this id, or None."""
    sent = (Delivery.game_id == game_id) & (Delivery.letter_id == letter_id) & (Delivery.result == "sent")
    kind: str | None = db.session.scalar(select(Delivery.kind).where(sent).limit(1))
    return kind


def email_for(confirmation: Waiting, lapsed_at: datetime | None) -> Waiting | None:
    """Return the unclaimed email about a turn or about the end that may contain this reply, or None."""
    with autocommit() as connection:
        row = connection.execute(_CONFIRMING, {"lapsed_at": lapsed_at, **confirmation._asdict()}).fetchone()
    return Waiting(LetterRow, *row) if row else None


def claim(letter: Waiting, until: datetime) -> Any | None:
    """Lease an email, and return its row. Return None if another process was faster."""
    owner = _owner_of(letter)
    with autocommit() as connection, connection.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(
            f"UPDATE {letter.table.__tablename__} SET leased_until = %(until)s, tries = tries + 1"
            f" WHERE {owner} = %(owner)s AND letter_id = %(letter_id)s AND tries = %(tries)s RETURNING {columns_of(letter.table)}",
            {"until": until, **letter._asdict()},
        ).fetchone()
    return letter.table(**row) if row else None


def renew(letter: Waiting, row: Any, until: datetime) -> bool:
    """Extend the lease. Return False if another process has the email."""
    table: Any = letter.table
    owner = table.game_id if table is LetterRow else table.player_id
    this = (owner == letter.owner) & (table.letter_id == letter.letter_id)
    ours = this & (table.tries == row.tries) & table.leased_until.is_not(None)
    renewed = update(table).where(ours).values(leased_until=until).returning(table.letter_id)
    is_ours = db.session.execute(renewed).first() is not None
    db.session.commit()
    return is_ours


def put_into_bundle(player_id: UUID, at: datetime, now: datetime, noted: dict[str, Any] | None = None) -> None:
    """Schedule a player's bundle and put `noted` into it, within the current transaction. The keys of `noted` are
    emails. The call is idempotent."""
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


def move_bundle(player_id: UUID, at: datetime, now: datetime) -> None:
    """Move what waits in a player's bundles to the bundle at another time, within the current transaction."""
    own = (PlayerLetterRow.player_id == player_id) & (PlayerLetterRow.kind == "bundle")
    waiting = (PlayerLetterRow.due_at > now) & (PlayerLetterRow.due_at != at)
    for bundle in db.session.scalars(select(PlayerLetterRow).where(own, waiting)).all():
        put_into_bundle(
            player_id, at, now, {letter_id: it for letter_id, it in bundle.data.items() if letter_id != "at"}
        )
        db.session.delete(bundle)


def finish(letter: Waiting, row: Any, at: datetime, result: str, detail: str) -> None:
    """Store the result of sending an email, and delete the email. Do neither if the lease has expired and another
    process has the email."""
    finish_together([(letter, row)], at, result, detail)


@with_retries
def finish_together(letters: Sequence[tuple[Waiting, Any]], at: datetime, result: str, detail: str) -> None:
    """Finish the emails about a game that were sent as one, in one transaction.

    Otherwise a crash in between would leave some of them in the outbox, to be sent again alone.
    """
    values = {"result": result, "detail": detail, "at": at}
    _settle([_settlement(letter, row, "DELETE FROM {table}", values) for letter, row in letters])


@with_retries
def retry(letter: Waiting, row: Any, at: datetime, later: datetime, detail: str) -> None:
    """Store a failed attempt and the time of the next one."""
    put_off = "UPDATE {table} SET due_at = %(later)s, leased_until = NULL"
    _settle([_settlement(letter, row, put_off, {"result": "failed", "detail": detail, "at": at, "later": later})])


def _settlement(letter: Waiting, row: Any, change: str, values: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return the statement that stores a result and changes the email, and its parameters. It does neither if another
    process has the email.

    Each part of the statement names the game, since tables may be distributed over machines.
    """
    table = letter.table.__tablename__
    owner = _owner_of(letter)
    values = {**values, "owner": letter.owner, "letter_id": row.letter_id, "nr": row.tries, "kind": row.kind}
    values["player_id"] = reader_of(row)
    parts = []
    if isinstance(row, LetterRow):
        values |= {"game_id": row.game_id, "seat": row.seat, "version": row.version}
        parts.append(_noted(Delivery, values))
        if row.kind == "invitation" and values["result"] in _INVITATION_IS:
            values["to"] = row.data["to"]
            parts.append(f"invited AS ({_INVITATION_IS[values['result']]})")
    elif values["player_id"] is not None:  # without a player, no one can read the history
        parts.append(_noted(PlayerDelivery, values))
    is_ours = f"WHERE {owner} = %(owner)s AND letter_id = %(letter_id)s AND tries = %(nr)s"
    statement = f"{change.format(table=table)} {is_ours}"
    if parts:
        statement = f"WITH {', '.join(parts)} {statement}"
    return statement, values


def _owner_of(letter: Waiting) -> str:
    """Return the column that holds the owner of an email."""
    return "game_id" if letter.table is LetterRow else "player_id"


def _settle(settlements: Sequence[tuple[str, dict[str, Any]]]) -> None:
    """Execute these statements in one transaction. A single one takes one round trip."""
    db.session.rollback()  # discard rows read for these emails
    with autocommit() as connection, connection.transaction() if len(settlements) > 1 else nullcontext():
        for statement, values in settlements:
            connection.execute(statement, values)


def _noted(table: type[Delivery | PlayerDelivery], values: dict[str, Any]) -> str:
    """Return the statement that stores a result only once, since a commit whose response was lost is repeated."""
    columns = [it.name for it in table.__table__.columns if it.name in values]
    places = ", ".join(f"%({column})s" for column in columns)
    return (
        f"noted AS (INSERT INTO {table.__tablename__} ({', '.join(columns)}) VALUES ({places}) ON CONFLICT DO NOTHING)"
    )


_IS_INVITED = "WHERE game_id = %(game_id)s AND seat = %(seat)s AND email = %(to)s"
_LOSE_INVITATION = f"UPDATE seats SET lost_at = %(at)s, mailed_at = NULL {_IS_INVITED}"
_INVITATION_IS = {
    "sent": f"UPDATE seats SET mailed_at = %(at)s {_IS_INVITED}",
    "refused": _LOSE_INVITATION,
    "given-up": _LOSE_INVITATION,
    "dropped": f"{_LOSE_INVITATION} AND mailed_at IS NULL",  # an earlier email to the same address still counts
}


def lose_invitation(game_id: UUID, seat: int, email: str, at: datetime) -> None:
    """Record that the invitation to this address has bounced, within the current transaction."""
    invitation = {"game_id": game_id, "seat": seat, "to": email, "at": at}
    in_transaction(db.session.connection()).execute(_LOSE_INVITATION, invitation)


def reader_of(row: Any) -> UUID | None:
    """Return the player who receives an email, even if the email contains only an address."""
    if "to" not in row.data:
        reader: UUID | None = row.player_id
        return reader
    return db.session.scalars(select(Player.player_id).where(Player.email == row.data["to"])).one_or_none()
