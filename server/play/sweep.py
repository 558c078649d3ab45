"""Nobody holds up a table: bots move, the slow are reminded, the absent are timed out, and outages count for nobody."""

import logging
import random
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from functools import partial, reduce
from typing import Any, NamedTuple, TypeVar
from uuid import UUID, uuid4

import psycopg
from sqlalchemy import ColumnElement, select, update
from sqlalchemy.dialects.postgresql import insert

from server.bots import BOTS
from server.play import clock as clocks
from server.play.clock import clock
from server.play.commits import load, outlined, outlines, record, record_within, with_due_time
from server.play.game import Game
from server.play.letters import letter, note
from server.play.table import GameAbandoned, SeatHandedOver, TimeExtended, TimeRanOut
from server.play.votes import count_votes
from server.rules import Json, Seat
from server.store import inbox, outbox, webhook_queue
from server.store.connections import autocommit, is_passing, let_go, tried_again
from server.store.log import Outline, record_if_free
from server.store.tables import Heartbeat, Letter, Outage, Setting, db
from server.store.tables import Seat as SeatRow

PARTS = ("web", "worker")
GAP = timedelta(minutes=2)  # a part not seen for longer was not to be reached
SOON = timedelta(seconds=5)  # when to look again at a seat whose mail is being read
LATER = timedelta(minutes=5)  # when a game that failed in a sweep is tried again

_AT_ONCE = 20  # so many games are looked at together
_APART = 5  # among so many batches a sweep picks its own, so that it seldom meets another one
_OFFSET = "clock-offset"

T = TypeVar("T")

log = logging.getLogger(__name__)


# Heartbeats and outages


def beat(part: str) -> datetime:
    """Note that a part of the service is alive, and as an outage that it was not; the time of this beat."""
    now = _beat(part)
    db.session.commit()
    return now


def _beat(part: str) -> datetime:
    row = db.session.execute(select(Heartbeat).where(Heartbeat.part == part).with_for_update()).scalar_one_or_none()
    follow_clock()
    now = clock.now()  # after the lock, so that beats are in order
    if row is None:
        db.session.execute(insert(Heartbeat).values(part=part, at=now).on_conflict_do_nothing())
    elif now - row.at > GAP:
        _note_outage(part, row.at, now)
        row.at = now
    else:
        if row.at - now > GAP:
            # The clock had run ahead and was set right: what was noted in between happened now at the latest.
            db.session.execute(update(Outage).where(Outage.ended_at > now).values(ended_at=now))
            _note_outage(part, now, now)
        if row.at - now > GAP or now > row.at:
            row.at = now
    return now


def _note_outage(part: str, began_at: datetime, ended_at: datetime) -> None:
    row = Outage(outage_id=uuid4(), part=part, began_at=began_at, ended_at=ended_at, followed=False)
    db.session.add(row)


def follow_outages() -> None:
    """Have the times of all seats follow the outages that were noted since, one game at a time.

    Nobody's time runs out by an old due time, since the sweep computes it anew; this is for those who read it, and
    after a clock that ran ahead. A call that breaks off is made good by the next one.
    """
    now = clock.now()
    noted = db.session.scalars(select(Outage.outage_id).where(~Outage.followed)).all()
    timed = select(SeatRow.game_id).where(SeatRow.due_at.is_not(None) | (SeatRow.asked_at > now)).distinct()
    games = db.session.scalars(timed).all() if noted else []
    db.session.rollback()
    if not noted:
        return
    outbox.bring_forward(now, GAP)
    inbox.bring_forward(now, GAP)
    webhook_queue.bring_forward(now, GAP)
    have_followed = [_have_followed(some) for some in _by_few(games)]
    if all(have_followed):
        db.session.execute(update(Outage).where(Outage.outage_id.in_(noted)).values(followed=True))
        db.session.commit()


def wait_from_now_on(game_id: UUID) -> None:
    """Have letters and seats of a game that was made as if long ago wait since now: nobody was late with them."""
    now = clock.now()
    new = (Letter.game_id == game_id) & (Letter.due_at < now) & (Letter.tries == 0)
    db.session.execute(update(Letter).where(new).values(made_at=now, due_at=now))
    db.session.execute(update(SeatRow).where(SeatRow.game_id == game_id, SeatRow.wake_at < now).values(wake_at=now))
    db.session.commit()


def _have_followed(game_ids: Sequence[UUID]) -> bool:
    """Compute the due times of these games anew, as far as they change; False if somebody is at one of them."""
    found, now = outlines(game_ids), clock.now()
    have_followed = [_has_followed(outline, now) for outline in found.values()]
    return all(have_followed)


def _has_followed(outline: Outline, now: datetime) -> bool:
    try:
        return _follow(outlined(outline), now)
    except Exception as error:
        if is_passing(error):
            raise
        let_go()
        log.exception("The due times of game %s do not follow the outages", outline.head["game_id"])
        return True  # the sweep goes on trying


@tried_again
def _follow(game: Game, now: datetime) -> bool:
    moved = [row for row in game.seats if row["asked_at"] and (row["asked_at"] > now or _is_moved(row, now))]
    if moved and not _is_free(game.game_id):
        return False
    for row in moved:
        if (asked_at := row["asked_at"]) > now:
            seen = _is_seat(game.game_id, row["seat"]) & (SeatRow.asked_at == asked_at)
            db.session.execute(update(SeatRow).where(seen).values(asked_at=now))
            row = {**row, "asked_at": now}  # the game stays as it was, for another try
        if _is_moved(row, now):
            _remind(game, row, with_due_time(row, now), now)
    db.session.commit()
    return True


def _is_moved(row: Json, now: datetime) -> bool:
    return row["due_at"] is not None and with_due_time(row, now)["due_at"] != row["due_at"]


def is_reachable(now: datetime) -> bool:
    """Whether every part of the service was seen lately; time runs out for nobody while one is away."""
    with autocommit() as connection:
        beats = dict(connection.execute("SELECT part, at FROM heartbeats"))
    return all(part in beats and abs(now - beats[part]) <= GAP for part in PARTS)


# The sandbox's clock


def move_clock(by: timedelta) -> datetime:
    """Put the clock of all processes forward, as if the service had been running all the while; the new time."""
    db.session.execute(select(Heartbeat.part).with_for_update()).all()
    offset = (_stored_offset() or clock.offset) + by
    row = insert(Setting).values(name=_OFFSET, value=str(offset.total_seconds()))
    db.session.execute(row.on_conflict_do_update(index_elements=["name"], set_={"value": row.excluded.value}))
    clock.offset = offset
    db.session.execute(update(Heartbeat).values(at=clock.now()))
    db.session.commit()
    return clock.now()


def follow_clock() -> None:
    """Take over what another process did to the clock; outside a sandbox nobody ever does."""
    offset = _stored_offset()
    if offset is not None:
        clock.offset = offset


def _stored_offset() -> timedelta | None:
    value = db.session.execute(select(Setting.value).where(Setting.name == _OFFSET)).scalar()
    return None if value is None else timedelta(seconds=float(value))


# The sweep


class Due(NamedTuple):
    """A seat whose time has come; a hint only."""

    game_id: UUID
    seat: Seat
    wake_at: datetime | None


def wake_due(batch: int = 100) -> int:
    """Wake seats whose time has come, one game at a time; how many were woken, 0 if all sleep.

    A game that somebody holds at the moment is left for the next sweep. Any number of sweeps may run at once: each
    picks its seats at random, and each deed counts only for the version of the game that it has seen.
    """
    now = clock.now()
    query = select(SeatRow.game_id, SeatRow.seat, SeatRow.wake_at).where(SeatRow.wake_at <= now)
    if not is_reachable(now):
        query = query.where(SeatRow.due_at.is_(None) | (SeatRow.due_at > now))
    due = [Due(*row) for row in db.session.execute(query.order_by(SeatRow.wake_at).limit(_APART * batch))]
    db.session.rollback()
    picked = random.sample(due, min(batch, len(due)))
    return sum(map(_wake_all, _by_few(picked)))


def _by_few(items: Sequence[T]) -> Iterator[Sequence[T]]:
    """Not more than are looked at together."""
    return (items[n : n + _AT_ONCE] for n in range(0, len(items), _AT_ONCE))


def _wake_all(due: Sequence[Due]) -> int:
    """Looked at together, but each game's deed is one of its own."""
    now = clock.now()
    can_run_out = is_reachable(now)  # before the outages are looked up: what has ended by now is among them
    found, woken = outlines({it.game_id for it in due}), 0
    for game_id, seat, wake_at in due:
        try:
            woken += 1 if wake(outlined(found[game_id]), seat, now, can_run_out) else 0
        except Exception:
            _put_off(_is_seat(game_id, seat) & (SeatRow.wake_at == wake_at), now + LATER)
            log.exception("Seat %s of game %s could not be woken and is tried again later", seat, game_id)
    return woken


def _is_free(game_id: UUID) -> bool:
    """Whether nobody holds this game's head; to wait for one who has stopped would hold up all other games.

    Rolled back, since a lock that is committed has to reach the disk first, as if it were a deed.
    """
    look = "SELECT FROM games WHERE game_id = %s FOR UPDATE SKIP LOCKED"
    with autocommit() as connection, psycopg.ClientCursor(connection) as cursor:  # it can send several statements
        cursor.execute(f"BEGIN; {look}; ROLLBACK", (game_id,))
        cursor.nextset()
        return cursor.rowcount == 1


def _put_off(seat_as_seen: ColumnElement[bool], wake_at: datetime) -> None:
    """Unless somebody else has done by now what was due."""
    db.session.rollback()
    db.session.execute(update(SeatRow).where(seat_as_seen).values(wake_at=wake_at))
    db.session.commit()


@tried_again
def wake(outline: Game, seat: Seat, now: datetime, can_run_out: bool) -> bool:
    """Do what is due for a seat, if it still is: let its bot move, time its player out, or remind him.

    False if there was nothing to do, or somebody holds the game or was faster.
    """
    row = outline.seats[seat]
    if row["turn"] is None or row["wake_at"] is None or row["wake_at"] > now:
        return False
    if bot := outline.bot_at(seat):
        return _let_move(outline, seat, bot, now)
    if (fresh := with_due_time(row, now))["due_at"] > now:
        return _is_free(outline.game_id) and _remind(outline, row, fresh, now)
    return can_run_out and _time_out(outline, seat, fresh["due_at"], now)


def _let_move(outline: Game, seat: Seat, bot: str, now: datetime) -> bool:
    game = load(outline.game_id)
    if game.table.version != outline.table.version:
        return False
    events, drawn = _bots_turn(game, seat, bot)
    return record(game, events, now, drawn, write=record_if_free) is not None


def _bots_turn(game: Game, seat: Seat, bot: str) -> tuple[list[Any], int]:
    """The events of all that is left of this turn, played by the bot, and the words of chance drawn by then."""
    rules, state, dice, events = game.table.rules, game.table.state, game.dice(), list[Any]()
    while not events or rules.goes_on(state, seat):
        move = BOTS[bot](rules, rules.view(state, seat), rules.legal_moves(state, seat), random.SystemRandom())
        moved = rules.decide(state, seat, move, dice)
        state = reduce(rules.apply, moved, state)
        events += moved
    return events, dice.drawn


def _time_out(game: Game, seat: Seat, due_at: datetime, now: datetime) -> bool:
    """What the ladder says; only for a rung above its extensions must the story be known."""
    rung, drawn = clocks.rung_for(game.ladder, game.table.extended[seat], 0), game.head["drawn"]
    if not isinstance(rung, clocks.Extend):
        seen, game = game.table.version, load(game.game_id)
        if game.table.version != seen:
            return False
        rung = clocks.rung_for(game.ladder, game.table.extended[seat], game.table.missed[seat])
    match rung:
        case clocks.Extend(by):
            events: list[Any] = [TimeExtended(seat, clocks.duration_text(by))]
        case clocks.BotMove(bot):
            moved, drawn = _bots_turn(game, seat, bot)
            events = [TimeRanOut(seat, bot), *moved]
        case clocks.BotTakesOver(bot):
            events = [TimeRanOut(seat, None), SeatHandedOver(seat, bot, "time")]
        case clocks.Abandon():
            events = [TimeRanOut(seat, None), GameAbandoned(seat)]
    with autocommit() as connection:
        if_free = partial(record_if_free, late=seat, due_at=due_at)
        is_recorded = record_within(connection, game, events, now, drawn, write=if_free) is not None
    if is_recorded and isinstance(events[-1], SeatHandedOver):
        count_votes(game.game_id)
    if not is_recorded and inbox.has_mail(game.game_id, seat, due_at):  # what is in that mail comes first
        _put_off(_is_seat(game.game_id, seat) & (SeatRow.wake_at == game.seats[seat]["wake_at"]), now + SOON)
    return is_recorded


def _remind(game: Game, row: Json, fresh: Json, now: datetime) -> bool:
    """Note the next time to wake this seat, and a reminder if one is due; an outage only moves the times.

    False if somebody else has done so.
    """
    times = {name: fresh[name] for name in ("due_at", "remind_at", "wake_at")}
    seen = _is_seat(game.game_id, row["seat"]) & (SeatRow.turn == row["turn"]) & (SeatRow.wake_at == row["wake_at"])
    written = db.session.execute(update(SeatRow).where(seen).values(**times).returning(SeatRow.seat)).first()
    if written and row["remind_at"] and row["remind_at"] <= now and fresh["due_at"] == row["due_at"]:
        about = f"{row['turn']}/{row['remind_at'].isoformat()}"
        letters = [letter(game, "reminder", row["seat"], now, about)]
        if row["has_webhooks"]:
            letters.append(note(game, "reminder", row["seat"], now, about))
        outbox.put(game.game_id, letters)
    db.session.commit()
    return written is not None


def _is_seat(game_id: UUID, seat: Seat) -> ColumnElement[bool]:
    return (SeatRow.game_id == game_id) & (SeatRow.seat == seat)
