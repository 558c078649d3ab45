"""Stand-ins play another player's seat for some days. A stand-in accepts a request sent by email, sits there from the
first day to the last, and sees the seat's secrets only during that time.

Meanwhile the seat's owner may watch and chat, but can play only after ending the stand-in. So each move has one author.
Both the owner and the stand-in can end it.
"""

import logging
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime, time, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from psycopg import Connection
from sqlalchemy import ColumnElement, Row, delete, or_, select, update
from sqlalchemy.dialects.postgresql import insert

from server.accounts import notice_kinds
from server.accounts.bans import expect_welcome, is_welcome
from server.accounts.blocks import is_block_between
from server.accounts.calendars import stored_zone
from server.accounts.closing import SIGN_UPS, expect_open
from server.accounts.grants import expect_app
from server.accounts.guests import expect_no_guest, is_guest
from server.accounts.players import player_at, player_of
from server.accounts.rate_limits import expect_within
from server.accounts.signed_links import STAND_IN as WORD
from server.accounts.signed_links import sign, verify
from server.accounts.tokens import NewToken, token_of_visitor
from server.clock import clock
from server.errors import AlreadySeated, BadField, NotFound, NotRunning, PlayError, SeatTaken
from server.games import Json, Seat
from server.play.commits import commit_of, load, load_within, people_of, record_within
from server.play.events import SeatTakenBack, StandInBegan, StandInEnded
from server.play.game import Game
from server.play.mail.letters import News, stand_in_letters
from server.play.nameless import is_nameless
from server.play.seating.games import Guest, checked_greeting, invitations, note_letter_to, note_seat
from server.play.seating.hosting import addressed
from server.play.seating.programs import expect_admitted, is_admitted
from server.play.table import OVER
from server.play.views import load_visible, own_seat
from server.store import outbox
from server.store.connections import autocommit, in_transaction
from server.store.database_retry import committing, in_doubt, one_by_one, with_retries
from server.store.notify import notifier
from server.store.seats import LATER, is_seat
from server.store.stand_ins import STAND_IN, leave_behind
from server.store.tables import GameRow, Player, SeatRow, StandIn, db
from server.stored_data import warn_of
from server.translations import noted

LONGEST: Final = timedelta(days=90)

_OVER = noted("This game has not started, or is over.")
_NOBODY = noted("This stand-in request is no longer open.")
_logger = logging.getLogger(__name__)


class Days(NamedTuple):
    """The time from the start of the first day to the end of the last day."""

    begin: datetime
    end: datetime


class Wish(NamedTuple):
    """Two dates, and either a player or an address, with lines to the stand-in."""

    first: str
    last: str
    player: UUID | None = None
    email: str | None = None
    greeting: str = ""


def days(first: str, last: str, zone: str, now: datetime) -> Days:
    """Return the time between two dates in this time zone. Raise BadField if it is invalid."""
    first_day, last_day = _day(first, "from"), _day(last, "until")
    if last_day < first_day:
        raise BadField("until", "The last day is before the first.")
    begin, end = (
        datetime.combine(day, time(), stored_zone(zone)).astimezone(now.tzinfo)
        for day in (first_day, last_day + timedelta(days=1))
    )
    if end <= now or end - begin > LONGEST + timedelta(hours=12):  # daylight saving time may begin or end in between
        raise BadField("until", "These days are in the past, or there are more than %(most)s.", most=LONGEST.days)
    return Days(begin, end)


def _day(text: str, field: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise BadField(field, "This date doesn't exist: %(day)s.", day=text) from None


def stand_in_of(game_id: UUID, player_id: UUID) -> Json | None:
    """Return the player's request for a stand-in. Raise NotFound, NotSeated."""
    return _facts(game_id, own_seat(load_visible(game_id, player_id), player_id))


def _facts(game_id: UUID, seat: Seat) -> Json | None:
    asked = _load_request(game_id, seat)
    if asked is None:
        return None
    who = asked.accepted_by or asked.player_id
    sits = db.session.scalars(select(SeatRow.owner_id).where(is_seat(game_id, seat))).one() is not None
    return {
        "seat": seat,
        "name": db.session.scalars(select(Player.name).where(Player.player_id == who)).one_or_none() if who else None,
        "from": asked.from_at,
        "until": asked.until_at,
        "accepted": asked.accepted_by is not None,
        "sits": sits,
    }


@with_retries
def ask_stand_in(game_id: UUID, by: UUID, wish: Wish, app_id: UUID | None = None) -> Json:
    """Ask a player or an address to play the seat of `by`. This replaces an earlier request. The call is idempotent.
    Days begin and end in the time zone of `by`, or in UTC in anonymous games. `app_id`: the app that makes the request.

    Raise NotFound, NotSeated, NotRunning, SeatTaken, BadField, SignInFirst, TooMany, BadToken.
    """
    first, last, player, email, _ = wish
    greeting = checked_greeting(wish.greeting, "greeting")
    head = load_visible(game_id, by).head
    expect_no_guest(by)
    now = clock.now()
    zone = db.session.scalars(select(Player.zone).where(Player.player_id == by)).one()
    if is_nameless(head.options):  # all players see when the stand-in begins and ends
        zone = "UTC"
    begin, end = days(first, last, zone, now)
    to = _address(player, email)
    asked: Json = {"player_id": player, "email": email, "from_at": begin, "until_at": end}
    if greeting:  # a repeated request without a greeting keeps its greeting
        asked["greeting"] = greeting
    expect_app(by, app_id)
    with _holding(game_id) as (_, game):
        seat = own_seat(game, by)
        _expect_under_way(game)
        if game.seats[seat].owner_id is not None:
            raise SeatTaken("A stand-in is playing this seat. Stop the stand-in first.")
        # In an anonymous game, or for an address, a rejection would reveal who sits there.
        is_seen = player is not None and not is_nameless(game.head.options)
        if is_seen or player_at(to) == by:
            _expect_elsewhere(game, player or by)
        before = _load_request(game_id, seat, is_locked=True)
        if before is None or any(getattr(before, name) != value for name, value in asked.items()):
            expect_within(*invitations(by, to))
            if before is not None:
                _tell_called_off(game, before, now, by)
            mark = secrets.randbits(32)
            values = (
                {"greeting": None}
                | asked
                | {"mark": mark, "asked_by": by, "accepted_by": None, "app_id": app_id, "wake_at": end}
            )
            row = insert(StandIn).values(game_id=game_id, seat=seat, **values)
            db.session.execute(row.on_conflict_do_update(index_elements=["game_id", "seat"], set_=values))
            _note_letter(game_id, seat, to, by, mark)
        elif before.app_id is not None:
            before.app_id = app_id  # the player or another app has made the same request
    found = _facts(game_id, seat)
    assert found is not None
    return found


def _note_letter(game_id: UUID, seat: Seat, to: str, by: UUID, mark: int) -> None:
    note_letter_to(game_id, Guest(seat, to), by, f"invitation/stand-in/{seat}/mail/{mark}", {"stand_in": mark})


def ask_anew(game_id: UUID, player_id: UUID, old: str, email: str) -> None:
    """Send a player's open requests again, to the new address, within the transaction that locks the game."""
    asked = select(StandIn).where(StandIn.game_id == game_id, is_asked(player_id, old))
    for row in db.session.scalars(asked.with_for_update().execution_options(populate_existing=True)).all():
        row.email = row.email and email
        if row.accepted_by is None:
            row.mark = secrets.randbits(32)
            _note_letter(game_id, row.seat, email, row.asked_by, row.mark)


def _address(player: UUID | None, email: str | None) -> str:
    """Return the address to which the request is sent. Raise BadField if there is none."""
    if (player is None) == (email is None):
        raise BadField("player", "Send either a player or an address.")
    if email is not None:
        return email
    found = db.session.get(Player, player)
    if found is None or found.deleted_at is not None or is_guest(found.player_id):
        raise BadField("player", "This player doesn't exist or has no address.")
    return found.email


def _expect_elsewhere(game: Game, player_id: UUID | None) -> None:
    """Raise AlreadySeated if this player has a seat in the game, or will be a stand-in for another player there."""
    if player_id in people_of(game):
        raise AlreadySeated("Players at this table can't stand in for one another.")


def stand_in_word(game_id: UUID, seat: Seat, mark: int) -> str:
    """Return the link token with which the recipient accepts a request."""
    return sign(WORD, game_id, seat, mark)


def open_stand_in_link(word: str) -> tuple[Game, StandIn | None]:
    """Return a pair: the game and the request of a link token, with None for a request that has ended. Raise NotFound
    if the token is invalid."""
    game_id, seat, mark = verify(WORD, word)
    asked = _load_request(game_id, seat)
    return load(game_id), asked if asked and asked.mark == mark and asked.until_at > clock.now() else None


def is_asked(player_id: UUID, email: str) -> ColumnElement[bool]:
    """Return an SQL condition that selects requests to this player or address."""
    return or_(StandIn.email == email, StandIn.player_id == player_id)


def is_about(player_id: UUID, email: str) -> ColumnElement[bool]:
    """Return an SQL condition that selects requests by or to this player or address, and requests that this player has
    accepted."""
    return or_(is_asked(player_id, email), StandIn.asked_by == player_id, StandIn.accepted_by == player_id)


def is_stranger(asked: StandIn) -> bool:
    """Return whether the request was sent to an address that belongs to no player."""
    return asked.player_id is None and asked.email is not None and player_at(asked.email) is None


def accept_stand_in(word: str, player_id: UUID) -> Game:
    """Accept a request as the player or address to which it was sent. The stand-in begins to play on the first day.

    Raise NotFound, NotRunning, AlreadySeated, SeatTaken, Banned, SignInFirst.
    """
    game, asked = open_stand_in_link(word)
    email = db.session.get_one(Player, player_id).email
    if asked is None or (asked.player_id != player_id if asked.player_id else asked.email != email):
        raise NotFound(_NOBODY)
    return _accept(game.game_id, asked.seat, asked.mark, player_id)


def enter_as_stand_in(word: str, locale: str = "en", name: str = "", zone: str = "UTC") -> tuple[Game, NewToken | None]:
    """Accept a stand-in request. If the account is new, sign it in (see `token_of_visitor`)."""
    _, asked = open_stand_in_link(word)
    is_new = asked is not None and is_stranger(asked)
    game, player_id = accept_as_addressee(word, locale, name, zone=zone)
    token = token_of_visitor(player_id, is_new)
    db.session.commit()
    return game, token


def accept_as_addressee(
    word: str, locale: str = "en", name: str = "", likely_name: str = "", zone: str = "UTC"
) -> tuple[Game, UUID]:
    """Accept a stand-in request once, as the holder of its token. Return the game and the player.

    The other parameters are used if the player is new (see `player_of`). Raise as `accept_stand_in`.
    """
    game, asked = open_stand_in_link(word)
    if asked is None or asked.accepted_by is not None:
        raise NotFound(_NOBODY)
    if is_stranger(asked):
        expect_open(SIGN_UPS)
    player_id = asked.player_id or player_of(str(asked.email), locale, name, zone, likely_name)
    return _accept(game.game_id, asked.seat, asked.mark, player_id), player_id


@with_retries
def decline_stand_in(word: str) -> Game:
    """Decline a request that wasn't accepted, as the holder of its token, and notify the player who asked. Raise
    NotFound."""
    game_id, seat, mark = verify(WORD, word)
    if in_doubt() == mark:
        return load(game_id)
    with _holding(game_id) as (_, game):
        asked = _load_request(game_id, seat, is_locked=True)
        if asked is None or asked.mark != mark or asked.accepted_by is not None:
            raise NotFound(_NOBODY)
        about: Json = {"what": "declined", "until": asked.from_at.isoformat(), "own": True}
        if asked.player_id:  # a player who was asked by address may be unknown to the player who asked
            about["other"] = str(asked.player_id)
        else:
            about["who"] = asked.email
        news = News(notice_kinds.STAND_IN, seat, about, f"declined/{mark}")
        outbox.put(game_id, [addressed(game, news, asked.asked_by, clock.now())])
        db.session.delete(asked)
        with committing(mark):
            db.session.commit()
    return game


@with_retries
def _accept(game_id: UUID, seat: Seat, mark: int, player_id: UUID) -> Game:
    expect_welcome(player_id)
    expect_no_guest(player_id)
    now = clock.now()
    with _holding(game_id) as (connection, game):
        asked = _load_request(game_id, seat, is_locked=True)
        if asked is None or asked.mark != mark or asked.accepted_by not in (None, player_id):
            raise NotFound(_NOBODY)
        _expect_under_way(game)
        if asked.accepted_by is None:
            _expect_elsewhere(game, player_id)
            will = select(StandIn.seat).where(StandIn.game_id == game_id, StandIn.accepted_by == player_id)
            if db.session.execute(will).first() is not None:
                raise AlreadySeated("You already stand in for another player at this table.")
            if not is_nameless(game.head.options) and is_block_between(player_id, people_of(game)):
                raise SeatTaken("You've blocked a player at this table, or they've blocked you.")
            expect_admitted(game.head.programs, player_id)
            asked.accepted_by, asked.wake_at = player_id, asked.from_at
            db.session.flush()
            if asked.from_at <= now:
                game = _begin(connection, game, asked, now)
            else:
                stand_in = db.session.get_one(Player, player_id).name
                outbox.put(game_id, stand_in_letters(game, seat, stand_in, asked.from_at, now))
    return load(game_id)


@with_retries
def end_stand_in(game_id: UUID, player_id: UUID) -> None:
    """End a stand-in or a request, as the seat's owner or the stand-in.

    Raise NotFound, NotSeated.
    """
    if _stands_in_later(game_id, player_id) is None:
        own_seat(load_visible(game_id, player_id), player_id)
    with _holding(game_id) as (connection, game):
        later = _stands_in_later(game_id, player_id)
        seat = own_seat(game, player_id) if later is None else later
        if game.seats[seat].owner_id is not None:
            record_within(connection, commit_of(game, [StandInEnded(seat)], clock.now()))
        else:
            call_off(game, seat, clock.now(), player_id)


def call_off(game: Game, seat: Seat, now: datetime, by: UUID | None = None) -> None:
    """Cancel the pending stand-in for this seat, within the transaction that locks the game's row."""
    asked = _load_request(game.game_id, seat, is_locked=True)
    if asked is not None:
        _tell_called_off(game, asked, now, by)
        db.session.delete(asked)
        db.session.flush()


def _tell_called_off(game: Game, asked: StandIn, now: datetime, by: UUID | None) -> None:
    """Notify the seat's owner and the player who has accepted, except the one who called it off (`by`)."""
    if asked.accepted_by is None:
        return
    told = {asked.accepted_by: asked.asked_by}
    if game.table.status not in OVER and game.seats[asked.seat].player_id == asked.asked_by:
        told[asked.asked_by] = asked.accepted_by
    for reader, other in told.items():
        if reader == by:
            continue
        about = {"what": "called-off", "until": asked.from_at.isoformat(), "own": reader == asked.asked_by}
        about["other"] = str(other)  # the id, since the account may be closed before the email is written
        key = f"called-off/{asked.mark}/{reader}"
        outbox.put(game.game_id, [addressed(game, News(notice_kinds.STAND_IN, asked.seat, about, key), reader, now)])


def games_with_stand_ins(player_id: UUID) -> Sequence[UUID]:
    """Return the games in which the player has requested a stand-in, or has agreed to be one."""
    his = or_(StandIn.asked_by == player_id, StandIn.accepted_by == player_id)
    return db.session.scalars(select(StandIn.game_id).where(his)).all()


def _stands_in_later(game_id: UUID, player_id: UUID) -> Seat | None:
    promised = select(StandIn.seat).join(SeatRow, (SeatRow.game_id == StandIn.game_id) & (SeatRow.seat == StandIn.seat))
    promised = promised.where(StandIn.game_id == game_id, StandIn.accepted_by == player_id, SeatRow.owner_id.is_(None))
    return db.session.scalars(promised).one_or_none()


# Beginning and ending on time


def change_stand_ins() -> None:
    """Begin and end stand-ins that are due, one game at a time.

    Locked games are left for the next call.
    """
    now = clock.now()
    with autocommit() as connection:  # a cheap check first: usually nothing is due
        if connection.execute("SELECT FROM stand_ins WHERE wake_at <= %s LIMIT 1", (now,)).fetchone() is None:
            return
    due = select(StandIn.game_id, StandIn.seat, StandIn.wake_at).where(StandIn.wake_at <= now)
    found = db.session.execute(due.order_by(StandIn.wake_at).limit(100)).all()
    db.session.rollback()

    def try_later(it: Row[UUID, Seat, datetime]) -> None:
        own = (StandIn.game_id == it.game_id) & (StandIn.seat == it.seat) & (StandIn.wake_at == it.wake_at)
        db.session.execute(update(StandIn).where(own).values(wake_at=now + LATER))
        db.session.commit()
        _logger.exception("The stand-in for seat %s of game %s is tried again later", it.seat, it.game_id)

    one_by_one(found, lambda it: _change(it.game_id, it.seat, now), try_later)


@with_retries
def _change(game_id: UUID, seat: Seat, now: datetime) -> None:
    free = select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update(skip_locked=True)
    if db.session.execute(free).first() is None:
        db.session.rollback()
        return
    here = (StandIn.game_id == game_id) & (StandIn.seat == seat)
    if db.session.scalars(select(StandIn.seat).where(here, StandIn.wake_at <= now)).first() is not None:
        connection = in_transaction(db.session.connection())
        game, asked = load_within(connection, game_id), _load_request(game_id, seat)
        if seat < len(game.seats) and game.seats[seat].owner_id is not None:
            record_within(connection, commit_of(game, [StandInEnded(seat)], now))
        elif asked is None or seat >= len(game.seats):
            db.session.execute(delete(StandIn).where(here))
        elif asked.accepted_by is None or asked.until_at <= now or not _may_begin(game, asked):
            call_off(game, seat, now)
        else:
            _begin(connection, game, asked, now)
    db.session.commit()


def _may_begin(game: Game, asked: StandIn) -> bool:
    """Return whether the accepted request is still valid, given what has happened since it was accepted."""
    assert asked.accepted_by is not None
    return (
        game.table.status in ("running", "paused")
        and game.seats[asked.seat].player_id == asked.asked_by
        and asked.accepted_by not in people_of(game)
        and (is_nameless(game.head.options) or not is_block_between(asked.accepted_by, people_of(game)))
        and is_welcome(db.session.get_one(Player, asked.accepted_by, populate_existing=True))
        and is_admitted(game.head.programs, asked.accepted_by)
    )


def _begin(connection: Connection[Any], game: Game, asked: StandIn, now: datetime) -> Game:
    """Begin a stand-in, within the transaction that locks the game's row. If a bot plays the seat, the bot first gives
    it back."""
    row, player_id = game.seats[asked.seat], asked.accepted_by
    assert player_id is not None
    asked.wake_at = asked.until_at
    leave_behind(connection, game.game_id, [asked.seat])
    values = {"player_id": player_id, "since": game.version + 1, "mails": None, "stood_in_until": asked.until_at}
    owner = {"owner_id": row.player_id, "owner_since": row.since, "owner_mails": row.mails}
    db.session.execute(update(SeatRow).where(is_seat(game.game_id, asked.seat)).values(**values, **owner))
    note_seat(player_id, game.game_id, asked.seat, game.head.made_at, STAND_IN)
    db.session.flush()
    events: list[Any] = [SeatTakenBack(asked.seat)] if game.table.stand_ins[asked.seat] else []
    begun = commit_of(load_within(connection, game.game_id), [*events, StandInBegan(asked.seat)], now)
    after = record_within(connection, begun)
    assert after is not None  # the lock excludes other commits
    return after


@contextmanager
def _holding(game_id: UUID) -> Iterator[tuple[Connection[Any], Game]]:
    """Lock the game's row, and yield the connection and the game. Commit at the end."""
    if db.session.execute(select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update()).first() is None:
        raise NotFound("Game not found.")
    try:
        connection = in_transaction(db.session.connection())
        yield connection, load_within(connection, game_id)
    except PlayError:
        db.session.rollback()
        raise
    db.session.commit()
    notifier.note_change(game_id)


def _expect_under_way(game: Game) -> None:
    if game.table.status in OVER or not game.table.turns:
        raise NotRunning(_OVER)


def _load_request(game_id: UUID, seat: Seat, is_locked: bool = False) -> StandIn | None:
    """Return the request for this seat. Lock the request before changing it: when an app's access ends, its requests
    are deleted without the game's lock.

    A request without a name or days counts as missing.
    """
    own = select(StandIn).where(StandIn.game_id == game_id, StandIn.seat == seat)
    own = own.with_for_update() if is_locked else own
    found = db.session.scalars(own.execution_options(populate_existing=True)).one_or_none()
    if found is not None and not is_sound(found):
        warn_of("stand_ins")
        return None
    return found


def is_sound(asked: StandIn) -> bool:
    """Return whether the stored request names existing players and a recipient, and its days are in order."""
    is_addressed = asked.player_id is not None or asked.email is not None
    people = {asked.asked_by, asked.accepted_by} - {None}
    are_players = all(db.session.get(Player, player_id) for player_id in people)
    return is_addressed and are_players and asked.from_at < asked.until_at
