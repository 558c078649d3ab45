"""The ready check before a game begins (option `ready_check`), in which players also reveal their salts.

Players must confirm within a set time. It runs only in the hours of their calendar, and stops during outages. They get
one reminder, at the first of their thresholds for turns.
"""

from collections.abc import Mapping
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Any, Final
from uuid import UUID

from sqlalchemy import update

from server.accounts.notice_kinds import REMINDER
from server.durations import duration
from server.errors import BadField, NotAllowed, Unfit, WrongSalt
from server.games import Json
from server.play.commits import commit_of, load_within, record_within
from server.play.events import GameStarted
from server.play.game import Game
from server.play.mail.letters import News, letter, ready_check_letters
from server.play.table import terms
from server.play.timing.due_times import DueTimes, due_times, hours_of
from server.store import outbox
from server.store.connections import in_transaction
from server.store.rows import SeatState
from server.store.seats import is_seat
from server.store.tables import GameRow, SeatRow, db
from server.translations import noted

FREE: Final = ("open", "invited")  # kinds of seats without a player
ASKED_BY_NOBODY: Final = dict.fromkeys(("asked_at", "allowed", "hours", "due_at", "remind_at", "wake_at"))


def within(options: Mapping[str, Any]) -> timedelta | None:
    """Return how long players have to confirm that they are ready, or None if the game has no ready check."""
    asked = options.get("ready_check")
    return duration(asked["within"], "PT1H", "P30D") if asked else None


def check_option(options: Mapping[str, Any]) -> None:
    """Raise BadField if the value of the option `ready_check` is invalid."""
    try:
        within(options)
    except Unfit as error:
        raise BadField("options.ready_check", error.words) from None


def check_salt(options: Mapping[str, Any], salt: str, salt_hash: str | None) -> None:
    """Raise BadField unless a new player may reveal this salt, or commit to it by this hash."""
    if salt_hash is None:
        return
    if within(options) is None:
        raise BadField("salt_hash", "You can commit to a salt only in games with the `ready_check` option.")
    if salt:
        raise BadField("salt_hash", "A committed salt stays secret for now. Omit `salt`.")


def expect_asking(head: GameRow) -> None:
    """Raise NotAllowed if the game has no ready check."""
    if within(head.options) is None:
        raise NotAllowed(noted("This game has no `ready_check`, so players don't confirm that they're ready."))


def expect_committed(salt: str, salt_hash: str | None) -> None:
    """Raise WrongSalt if the salt doesn't match its commitment."""
    if salt_hash is None:
        raise WrongSalt(noted("You haven't committed to a salt, so there is none to reveal."))
    if sha256(salt.encode()).hexdigest() != salt_hash:
        raise WrongSalt(noted("The SHA-256 of this salt isn't the one you committed to."))


def is_free(seat: SeatState) -> bool:
    """Return whether the seat has no player yet."""
    return seat.kind in FREE


def start_if_full(game_id: UUID, now: datetime, anyway: bool = False) -> None:
    """Begin the game if it is full, or start its ready check. Call this within the transaction in which a player takes
    a seat.

    `anyway`: begin without waiting for players who haven't confirmed that they are ready.
    """
    game = load_within(in_transaction(db.session.connection()), game_id)
    if any(map(is_free, game.seats)):
        return
    missing = [row for row in game.seats if row.player_id and not row.ready]
    if missing and not anyway and (time := within(game.head.options)):
        _ask(game, [row for row in missing if row.asked_at is None], time, now)
    else:
        _start(game, now)


def _start(game: Game, now: datetime) -> None:
    connection = in_transaction(db.session.connection())
    if any(row.asked_at for row in game.seats):
        asked = update(SeatRow).where(SeatRow.game_id == game.game_id)
        db.session.execute(asked.values(**ASKED_BY_NOBODY))
        game = load_within(connection, game.game_id)
    dice = game.dice()
    opening = game.table.rules.setup(len(game.seats), game.head.options, dice)
    started = GameStarted(len(game.seats), terms(game.head, game.seats))
    record_within(connection, commit_of(game, [started, *opening], now, dice.drawn))


def _ask(game: Game, rows: list[SeatState], time: timedelta, now: datetime) -> None:
    for row in rows:
        asked: Json = {"asked_at": now, "allowed": time.total_seconds(), "hours": hours_of(game, row)}
        times = due_times(game, row._replace(**asked), now)
        values = asked | times._asdict()
        db.session.execute(update(SeatRow).where(is_seat(game.game_id, row.seat)).values(**values))
    game = load_within(in_transaction(db.session.connection()), game.game_id)
    outbox.put(game.game_id, ready_check_letters(game, [row.seat for row in rows], now))


def remind_within(game: Game, row: SeatState, fresh: DueTimes, now: datetime) -> None:
    """Set the time of a seat's next check, and queue a reminder if one is due, in the transaction that locks the open
    game. After an outage, only change the times."""
    remind_at = fresh.remind_at if row.remind_at else None
    if row.remind_at and row.remind_at <= now and fresh.due_at == row.due_at:
        outbox.put(game.game_id, [letter(game, News(REMINDER, row.seat, about=row.remind_at.isoformat()), now)])
        remind_at = None
    times = {"due_at": fresh.due_at, "remind_at": remind_at, "wake_at": remind_at or fresh.due_at}
    db.session.execute(update(SeatRow).where(is_seat(game.game_id, row.seat)).values(**times))


def call_off_within(game_id: UUID) -> None:
    """Cancel the ready check, in the transaction that locks the open game.

    Delete revealed salts, since the next player would know them.
    """
    here = SeatRow.game_id == game_id
    revealed = update(SeatRow).where(here, SeatRow.salt_hash.is_not(None), SeatRow.salt != "")
    db.session.execute(revealed.values(salt="", salt_hash=None))
    db.session.execute(update(SeatRow).where(here).values(ready=False, **ASKED_BY_NOBODY))
