"""Delivery results of the emails to a player."""

from datetime import datetime, timedelta
from typing import Any, Final
from uuid import UUID

from sqlalchemy import Select, select, tuple_

from server.clock import clock
from server.store import retention
from server.store.paging import Cursor, Page
from server.store.rows import Json
from server.store.tables import Delivery, GameRow, LetterRow, PlayerDelivery, PlayerGame, PlayerLetterRow, db
from server.store.webhook_queue import NOTE

RESULTS: Final = ("waiting", "sent", "bounced", "bundled", "dropped", "refused", "given-up")


def deliveries(player_id: UUID, cursor: Cursor | None, limit: int) -> Page:
    """Return the emails to a player with their delivery results, newest first."""
    games = list(db.session.scalars(select(PlayerGame.game_id).where(PlayerGame.player_id == player_id)))
    mails = (LetterRow.player_id == player_id) & (LetterRow.kind != NOTE)
    found = [
        *_ended(Delivery, player_id, cursor, limit),
        *_ended(PlayerDelivery, player_id, cursor, limit),
        *_waiting(select(LetterRow).where(LetterRow.game_id.in_(games), mails), LetterRow, cursor, limit),
        *_waiting(
            select(PlayerLetterRow).where(PlayerLetterRow.player_id == player_id), PlayerLetterRow, cursor, limit
        ),
    ]
    found.sort(key=lambda it: (it["at"], it["letter"]), reverse=True)
    shown = found[:limit]
    _add_titles(shown)
    return Page(shown, (shown[-1]["at"], shown[-1]["letter"]) if len(found) > limit else None)


def forget_old_letters(kept: timedelta) -> None:
    """Delete delivery results older than `kept`."""
    for table in (Delivery, PlayerDelivery):
        retention.forget(table, table.at, clock.now() - kept)


def _ended(table: Any, player_id: UUID, cursor: Cursor | None, limit: int) -> list[Json]:
    query = select(table).where(table.player_id == player_id, table.result != "failed")
    rows = db.session.scalars(_newest(query, table.at, table.letter_id, cursor, limit))
    return [_item(row, row.result, row.detail, row.at, row.nr) for row in rows]


def _waiting(query: Select[Any], table: Any, cursor: Cursor | None, limit: int) -> list[Json]:
    rows = list(db.session.scalars(_newest(query, table.made_at, table.letter_id, cursor, limit)))
    failed = _failures(rows)
    return [_item(row, "waiting", failed.get(row.letter_id, ""), row.made_at, row.tries) for row in rows]


def _newest(query: Select[Any], at: Any, letter_id: Any, cursor: Cursor | None, limit: int) -> Select[Any]:
    if cursor is not None:
        query = query.where(tuple_(at, letter_id) < tuple_(*cursor))
    return query.order_by(at.desc(), letter_id.desc()).limit(limit + 1)


def _failures(rows: list[Any]) -> dict[UUID, str]:
    """Return the last delivery error of each email, by the email's id."""
    of_games = [(row.game_id, row.letter_id) for row in rows if isinstance(row, LetterRow) and row.tries]
    own = [(row.player_id, row.letter_id) for row in rows if isinstance(row, PlayerLetterRow) and row.tries]
    found: dict[UUID, str] = {}
    for table, owner, tried in (
        (Delivery, Delivery.game_id, of_games),
        (PlayerDelivery, PlayerDelivery.player_id, own),
    ):
        query = select(table.letter_id, table.detail).where(
            owner.in_({it for it, _ in tried}), table.letter_id.in_([it for _, it in tried]), table.result == "failed"
        )
        found |= {letter_id: detail for letter_id, detail in db.session.execute(query.order_by(table.nr))}
    return found


def _item(row: Any, result: str, detail: str, at: datetime, tries: int) -> Json:
    of_game = isinstance(row, LetterRow | Delivery)
    return {
        "letter": row.letter_id,
        "kind": row.kind,
        "game": row.game_id if of_game else None,
        "version": row.version if of_game else None,
        "result": result,
        "detail": detail,
        "tries": tries,
        "at": at,
    }


def _add_titles(items: list[Json]) -> None:
    ids = {it["game"] for it in items if it["game"]}
    rows = db.session.execute(select(GameRow.game_id, GameRow.title).where(GameRow.game_id.in_(ids)))
    titles = {game_id: title for game_id, title in rows}
    for item in items:
        item["title"] = titles.get(item["game"])
