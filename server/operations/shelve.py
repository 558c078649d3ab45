"""Archiving: moves old games' events from their table to files."""

from datetime import timedelta
from uuid import UUID

import orjson
import psycopg
from sqlalchemy import select

from server.clock import clock
from server.play import archive
from server.play.archive import Flaw
from server.play.commits import load, whole_log
from server.play.table import OVER
from server.store import shelf
from server.store.tables import EventRow, GameRow, db


def games_to_shelve(over_for: timedelta) -> list[UUID]:
    """Return the games that ended at least this long ago. A game that was closed before it began has no archive, so its
    events stay."""
    of_game = select(EventRow.recorded_at).where(EventRow.game_id == GameRow.game_id)
    # max() instead of LIMIT would take minutes.
    last = of_game.order_by(EventRow.seq.desc()).limit(1).scalar_subquery()
    found = select(GameRow.game_id).where(
        GameRow.status.in_(OVER), GameRow.version > 1, GameRow.shelved.is_(None), last <= clock.now() - over_for
    )
    ids = list(db.session.scalars(found))
    db.session.rollback()
    return ids


def shelve_game(game_id: UUID, owner: psycopg.Connection) -> bool:
    """Write the archive, check it, and then delete the rows. The connection `owner` must belong to the owner of the
    tables.

    A concurrent call waits, so that only one call writes the file. Return False if the game is archived already. If the
    check fails, keep the rows and raise Flaw.
    """
    game, rows = load(game_id), whole_log(game_id)
    with owner.transaction():
        shelved = owner.execute(
            "UPDATE games SET shelved = %s WHERE game_id = %s AND version = %s AND shelved IS NULL",
            (rows[-1].seq, game_id, game.version),
        )
        if not shelved.rowcount:
            return False
        path = shelf.put(game_id, orjson.dumps(archive.make(game.head, game.seats, rows)))
        if list(archive.check(path.read_bytes()).rows) != rows:
            raise Flaw(f"The content of {path} differs from what was written.")
        owner.execute("DELETE FROM events WHERE game_id = %s", (game_id,))
    return True


def shelf_trouble() -> str | None:
    """Return what is wrong with one file in the archive storage, "" if the file is fine, or None if there are no
    files."""
    game_id = db.session.scalar(select(GameRow.game_id).where(GameRow.shelved.is_not(None)).limit(1))
    if game_id is None:
        return None
    try:
        whole_log(game_id)
    except shelf.NotOnShelf as error:
        return str(error)
    return ""
