"""Blocks between players, and reports of players to the operators."""

from collections.abc import Collection
from uuid import UUID, uuid4

from sqlalchemy import delete, exists, select, update
from sqlalchemy.dialects.postgresql import insert

from server.accounts.rate_limits import Use, expect_within
from server.clock import clock
from server.errors import BadField, NotFound
from server.sanitize import paragraphs
from server.store.connections import autocommit
from server.store.database_retry import with_retries
from server.store.rows import Json
from server.store.tables import Block, Player, Report, db

_AMONG = """SELECT player_id, blocked_id FROM blocks
WHERE player_id = ANY(%(players)s) AND blocked_id = ANY(%(players)s)"""


@with_retries
def block(player_id: UUID, other: UUID) -> None:
    """Block another player: the two can't join the same table, and the other player's invitations stop. Raise NotFound,
    BadField."""
    _expect_other(player_id, other)
    row = insert(Block).values(player_id=player_id, blocked_id=other, made_at=clock.now())
    db.session.execute(row.on_conflict_do_nothing())
    db.session.commit()


@with_retries
def unblock(player_id: UUID, other: UUID) -> None:
    db.session.execute(delete(Block).where(Block.player_id == player_id, Block.blocked_id == other))
    db.session.commit()


def blocked_by(player_id: UUID) -> list[Json]:
    """Return the players this player has blocked, most recently blocked first."""
    own = select(Block.blocked_id, Block.made_at).where(Block.player_id == player_id).order_by(Block.made_at.desc())
    rows = db.session.execute(own).all()
    named = select(Player.player_id, Player.name).where(Player.player_id.in_([row.blocked_id for row in rows]))
    names = {row.player_id: row.name for row in db.session.execute(named)}
    return [{"id": row.blocked_id, "name": names.get(row.blocked_id), "at": row.made_at} for row in rows]


def blocked_among(player_id: UUID, others: Collection[UUID]) -> set[UUID]:
    """Return those of the others whom this player has blocked."""
    own = select(Block.blocked_id).where(Block.player_id == player_id, Block.blocked_id.in_(others))
    return set(db.session.scalars(own)) if others else set()


def is_block_between(player_id: UUID, others: Collection[UUID]) -> bool:
    """Return whether this player has blocked one of the others, or one of them has blocked this player."""
    either = (Block.player_id == player_id) & Block.blocked_id.in_(others)
    either |= Block.player_id.in_(others) & (Block.blocked_id == player_id)
    return bool(others) and bool(db.session.scalar(select(exists().where(either))))


def blocks_among(players: Collection[UUID]) -> set[frozenset[UUID]]:
    """Return the pairs among these players in which one has blocked the other."""
    if len(players) < 2:
        return set()
    with autocommit() as connection:
        rows = connection.execute(_AMONG, {"players": list(players)}).fetchall()
    return {frozenset(pair) for pair in rows}


@with_retries
def report(player_id: UUID, other: UUID, text: str, game_id: UUID | None) -> None:
    """Report a player to the operators. The reported player isn't notified. Raise NotFound, BadField, TooMany."""
    _expect_other(player_id, other)
    words = paragraphs(text)
    if not words:
        raise BadField("text", "This text has no visible characters.")
    expect_within(Use("reports", player_id))
    row = {"by_player": player_id, "game_id": game_id, "text": words, "at": clock.now()}
    db.session.add(Report(player_id=other, report_id=uuid4(), **row))
    db.session.commit()


def _expect_other(player_id: UUID, other: UUID) -> None:
    if other == player_id:
        raise BadField("player_id", "You can't do this to yourself.")
    if db.session.get(Player, other) is None:
        raise NotFound("Player not found.")


def reports(settled: bool, limit: int) -> list[Json]:
    """Return the open reports for operators, oldest first. With `settled`, return the settled reports as well."""
    query = select(Report).order_by(Report.at).limit(limit)
    if not settled:
        query = query.where(Report.settled_at.is_(None))
    rows = list(db.session.scalars(query))
    people = {row.player_id for row in rows} | {row.by_player for row in rows}
    known = select(Player.player_id, Player.name, Player.email).where(Player.player_id.in_(people))
    named = {row.player_id: f"{row.name} <{row.email}>" for row in db.session.execute(known)}
    return [
        {
            "id": row.report_id,
            "at": row.at,
            "about": named.get(row.player_id),
            "by": named.get(row.by_player),
            "game": row.game_id,
            "text": row.text,
            "settled_at": row.settled_at,
        }
        for row in rows
    ]


@with_retries
def settle(report_id: UUID) -> None:
    """Mark a report as settled. Raise NotFound if there is no such report."""
    this = (Report.report_id == report_id) & Report.settled_at.is_(None)
    settled = update(Report).where(this).values(settled_at=clock.now()).returning(Report.report_id)
    if db.session.execute(settled).first() is None:
        raise NotFound("This report doesn't exist or is already settled.")
    db.session.commit()
