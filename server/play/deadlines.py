"""Nobody holds up a table: bots move, the slow are reminded, the absent are timed out, and outages count for nobody."""

import logging
import random
from datetime import datetime, timedelta
from functools import reduce
from typing import Any
from uuid import UUID, uuid4

import psycopg
from sqlalchemy import ColumnElement, select, update
from sqlalchemy.dialects.postgresql import insert

from server.bots import BOTS
from server.play import clock as clocks
from server.play.clock import clock
from server.play.deeds import load, record, record_within, with_due_time
from server.play.game import Game
from server.play.letters import letter, note
from server.play.table import GameAbandoned, SeatHandedOver, TimeExtended, TimeRanOut
from server.play.votes import count_votes
from server.rules import Json, Seat
from server.store import inbox, outbox, webhooks
from server.store.connections import autocommit, is_passing, let_go, tried_again
from server.store.tables import Heartbeat, Outage, Setting, db
from server.store.tables import Seat as SeatRow

PARTS = ("web", "worker")
GAP = timedelta(minutes=2)  # a part not seen for longer was not to be reached
SOON = timedelta(seconds=5)  # when to look again at a seat whose mail is being read
LATER = timedelta(minutes=5)  # when a game that failed in a sweep is tried again

_APART = 5  # among so many batches a sweep picks its own, so that it seldom meets another one
_OFFSET = "clock-offset"

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
    webhooks.bring_forward(now, GAP)
    have_followed = [_has_followed(game_id) for game_id in games]
    if all(have_followed):
        db.session.execute(update(Outage).where(Outage.outage_id.in_(noted)).values(followed=True))
        db.session.commit()


def _has_followed(game_id: UUID) -> bool:
    """Compute the due times of this game anew; False if somebody is at it."""
    try:
        return _is_free(game_id) and _follow(game_id)
    except Exception as error:
        if is_passing(error):
            raise
        let_go()
        log.exception("The due times of game %s do not follow the outages", game_id)
        return True  # the sweep goes on trying


@tried_again
def _follow(game_id: UUID) -> bool:
    game, now = load(game_id), clock.now()
    for row in game.seats:
        if (asked_at := row["asked_at"]) and asked_at > now:
            seen = _is_seat(game_id, row["seat"]) & (SeatRow.asked_at == asked_at)
            db.session.execute(update(SeatRow).where(seen).values(asked_at=now))
            row |= {"asked_at": now}
        if row["due_at"] and (fresh := with_due_time(row, now))["due_at"] != row["due_at"]:
            _remind(game, row, fresh, now)
    db.session.commit()
    return True


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


def sweep(batch: int = 100) -> int:
    """Wake seats whose time has come, one game at a time; how many were woken, 0 if all sleep.

    A game that somebody holds at the moment is left for the next sweep. Any number of sweeps may run at once: each
    picks its seats at random, and each deed counts only for the version of the game that it has seen.
    """
    now = clock.now()
    query = select(SeatRow.game_id, SeatRow.seat, SeatRow.wake_at).where(SeatRow.wake_at <= now)
    if not is_reachable(now):
        query = query.where(SeatRow.due_at.is_(None) | (SeatRow.due_at > now))
    due = db.session.execute(query.order_by(SeatRow.wake_at).limit(_APART * batch)).all()
    db.session.rollback()
    woken = 0
    for game_id, seat, wake_at in random.sample(due, min(batch, len(due))):
        try:
            if _is_free(game_id, _STILL_DUE, (game_id, seat, now)):
                woken += 1
                wake(game_id, seat)
        except Exception:
            _put_off(_is_seat(game_id, seat) & (SeatRow.wake_at == wake_at), now + LATER)
            log.exception("Seat %s of game %s could not be woken and is tried again later", seat, game_id)
    return woken


_STILL_DUE = "EXISTS (SELECT FROM seats WHERE game_id = %s AND seat = %s AND wake_at <= %s)"


def _is_free(game_id: UUID, condition: str = "TRUE", values: tuple[object, ...] = ()) -> bool:
    """Whether nobody holds this game's head; to wait for one who has stopped would hold up all other games.

    Rolled back, since a lock that is committed has to reach the disk first, as if it were a deed.
    """
    look = f"SELECT FROM games WHERE game_id = %s AND {condition} FOR UPDATE SKIP LOCKED"
    with autocommit() as connection, psycopg.ClientCursor(connection) as cursor:  # it can send several statements
        cursor.execute(f"BEGIN; {look}; ROLLBACK", (game_id, *values))
        cursor.nextset()
        return cursor.rowcount == 1


def _put_off(seat_as_seen: ColumnElement[bool], wake_at: datetime) -> None:
    """Unless somebody else has done by now what was due."""
    db.session.rollback()
    db.session.execute(update(SeatRow).where(seat_as_seen).values(wake_at=wake_at))
    db.session.commit()


@tried_again
def wake(game_id: UUID, seat: Seat) -> None:
    """Do what is due for a seat, if it still is: let its bot move, time its player out, or remind him."""
    game, now = load(game_id), clock.now()
    row = game.seats[seat]
    if row["turn"] is None or row["wake_at"] is None or row["wake_at"] > now:
        return
    if bot := game.bot_at(seat):
        events, drawn = _bots_turn(game, seat, bot)
        record(game, events, now, drawn)
    elif (fresh := with_due_time(row, now))["due_at"] > now:
        _remind(game, row, fresh, now)
    elif is_reachable(now):
        _time_out(game, seat, fresh["due_at"], now)


def _bots_turn(game: Game, seat: Seat, bot: str) -> tuple[list[Any], int]:
    """The events of all that is left of this turn, played by the bot, and the words of chance drawn by then."""
    rules, state, dice, events = game.table.rules, game.table.state, game.dice(), list[Any]()
    while not events or rules.goes_on(state, seat):
        move = BOTS[bot](rules, rules.view(state, seat), rules.legal_moves(state, seat), random.SystemRandom())
        moved = rules.decide(state, seat, move, dice)
        state = reduce(rules.apply, moved, state)
        events += moved
    return events, dice.drawn


def _time_out(game: Game, seat: Seat, due_at: datetime, now: datetime) -> None:
    table, drawn = game.table, game.head["drawn"]
    match clocks.rung_for(game.ladder, table.extended[seat], table.missed[seat]):
        case clocks.Extend(by):
            events: list[Any] = [TimeExtended(seat, clocks.duration_text(by))]
        case clocks.BotMove(bot):
            moved, drawn = _bots_turn(game, seat, bot)
            events = [TimeRanOut(seat, bot), *moved]
        case clocks.BotTakesOver(bot):
            events = [TimeRanOut(seat, None), SeatHandedOver(seat, bot, "time")]
        case clocks.Abandon():
            events = [TimeRanOut(seat, None), GameAbandoned(seat)]
    with autocommit() as connection, connection.transaction():
        in_time = inbox.has_mail(connection, game.game_id, seat, due_at)
        if not in_time:
            record_within(connection, game, events, now, drawn)
    if in_time:  # what is in that mail comes first
        _put_off(_is_seat(game.game_id, seat) & (SeatRow.wake_at == game.seats[seat]["wake_at"]), now + SOON)
    elif isinstance(events[-1], SeatHandedOver):
        count_votes(game.game_id)


def _remind(game: Game, row: Json, fresh: Json, now: datetime) -> None:
    """Note the next time to wake this seat, and a reminder if one is due; an outage only moves the times."""
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


def _is_seat(game_id: UUID, seat: Seat) -> ColumnElement[bool]:
    return (SeatRow.game_id == game_id) & (SeatRow.seat == seat)
