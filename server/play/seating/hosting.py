"""Games that haven't begun: what hosts can do, and when such games are closed."""

import logging
from datetime import datetime, timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from sqlalchemy import ColumnElement, func, select, update

from server.accounts.blocks import is_block_between
from server.accounts.notice_kinds import GAME_CLOSING
from server.accounts.players import address_of, player_at, suggested_name
from server.accounts.signed_links import mark_of
from server.clock import NOTHING, clock
from server.durations import duration
from server.errors import AlreadySeated, BadField, NotFound, NotHost, NotRunning, SeatTaken, Unfit
from server.games import Json, Seat
from server.play.commits import commit_of, load, load_within, record_within
from server.play.events import GameAbandoned
from server.play.game import Game
from server.play.mail.letters import News, letter
from server.play.nameless import is_nameless
from server.play.seating.lobby import companions
from server.play.seating.ready_check import call_off_within, expect_asking, is_free, start_if_full
from server.play.timing.heartbeats import GAP
from server.play.views import load_visible, seat_kept_for
from server.store import outbox
from server.store.connections import autocommit, in_transaction
from server.store.database_retry import committing, in_doubt, one_by_one, with_retries
from server.store.notify import notifier
from server.store.seats import LATER
from server.store.tables import GameRow, Player, SeatRow, db

DEFAULT_OPEN_FOR: Final = "P14D"
NO_DECLINE: Final = {"lost_at": None, "declined_name": None, "declined_mark": None}  # columns of `seats`
NO_INVITATION: Final = {"kind": "open", "email": None, "greeting": None, **NO_DECLINE}
_NOTICE = timedelta(days=3)  # warning to the host before the game closes; half the time if the game closes sooner

log = logging.getLogger(__name__)


def closing(open_for: Any, now: datetime) -> Json:
    """Return when the game closes if it hasn't begun by then, and when the worker next checks the game. Raise BadField
    if `open_for` is invalid."""
    try:
        length = duration(open_for, "PT1H", "P90D")
    except Unfit as error:
        raise BadField("open_for", error.words) from None
    return {"closes_at": now + length, "wake_at": now + length - min(_NOTICE, length / 2)}


def expect_open(head: GameRow) -> None:
    """Raise NotRunning if the game has begun or is closed."""
    if head.status == "abandoned" and head.version == 1:
        raise NotRunning("This game was closed before it started.")
    if head.status != "open":
        raise NotRunning("This game has started, and its seats are taken.")


# Actions of the host


@with_retries
def close_game(game_id: UUID, player_id: UUID) -> None:
    """Close a game that hasn't begun. Raise NotFound, NotRunning, NotHost."""
    if in_doubt() and load(game_id).head.status == "abandoned":
        return
    lock_hosted_game(game_id, player_id)
    close_within(game_id, clock.now())
    with committing("closing"):
        db.session.commit()


@with_retries
def keep_open(game_id: UUID, player_id: UUID, open_for: Any) -> Game:
    """Set how long from now the game stays open. Raise NotFound, NotRunning, NotHost, BadField."""
    times = closing(open_for, clock.now())
    lock_hosted_game(game_id, player_id)
    db.session.execute(update(GameRow).where(GameRow.game_id == game_id).values(**times))
    db.session.commit()
    return load(game_id)


@with_retries
def begin(game_id: UUID, player_id: UUID) -> Game:
    """Begin a game during its ready check, without waiting for players who haven't confirmed yet that they are ready.

    Raise NotFound, NotRunning, NotHost, NotAllowed.
    """
    if in_doubt() and load(game_id).table.turns:
        return load(game_id)
    head = lock_hosted_game(game_id, player_id)
    expect_asking(head)
    game = load_within(in_transaction(db.session.connection()), game_id)
    if any(map(is_free, game.seats)):
        raise NotRunning("Some seats are still open.")
    start_if_full(game_id, clock.now(), anyway=True)
    with committing("beginning"):
        db.session.commit()
    return load(game_id)


@with_retries
def seat_bot(game_id: UUID, player_id: UUID, seat: Seat, bot: str) -> Game:
    """Give an open seat to a bot, as the host. Raise NotFound, NotRunning, NotHost, SeatTaken."""
    if in_doubt() == seat:
        return load(game_id)
    lock_hosted_game(game_id, player_id)
    free = (SeatRow.game_id == game_id) & (SeatRow.seat == seat) & (SeatRow.kind == "open")
    taken = update(SeatRow).where(free).values(**NO_INVITATION | {"kind": "bot", "bot": bot}).returning(SeatRow.seat)
    if db.session.execute(taken).first() is None:
        is_invited = SeatRow.game_id == game_id, SeatRow.seat == seat, SeatRow.kind == "invited"
        if db.session.scalar(select(SeatRow.seat).where(*is_invited)) is not None:
            raise SeatTaken("Seat %(seat)s is reserved by an invitation. Withdraw it first.", seat=seat)
        raise SeatTaken("Seat %(seat)s is taken.", seat=seat)
    start_if_full(game_id, clock.now())
    with committing(seat):
        db.session.commit()
    notifier.note_change(game_id)
    return load(game_id)


def invitees(game_id: UUID, player_id: UUID) -> list[Json]:
    """Return the invited seats, for the host only. Each has its address if the host entered it, or the name of a player
    who was invited without one. Raise NotFound, NotHost."""
    game = load_visible(game_id, player_id)
    if game.head.host != player_id:
        raise NotHost("Only the host of this game can do this.")
    return [
        {
            "seat": row.seat,
            "email": row.email if row.invited_by == player_id else None,
            "name": _name_of_guest(game_id, row.email, None) if row.email and row.invited_by is None else None,
        }
        for row in game.seats
        if row.kind == "invited"
    ]


@with_retries
def withdraw_invitation(game_id: UUID, player_id: UUID, seat: Seat) -> None:
    """Withdraw the invitation to this seat as the host, or decline it as the invited player. Raise NotFound,
    NotRunning, NotHost."""
    invited = (SeatRow.game_id == game_id) & (SeatRow.seat == seat) & (SeatRow.kind == "invited")
    own, declined_at = address_of(player_id), None
    if in_doubt() == seat:
        expect_open(_locked(game_id))
    elif seat_kept_for(own, load_visible(game_id, player_id).seats) == seat:
        expect_open(_locked(game_id))
        invited &= SeatRow.email == own  # the seat may now be reserved for another player
        declined_at = clock.now()
    else:
        lock_hosted_game(game_id, player_id)
    _free(game_id, seat, invited, declined_at)


@with_retries
def give_back(game_id: UUID, seat: Seat, email: str, declined_at: datetime, words: str = "") -> None:
    """Decline an invitation with the token from its email, and with these words for the host. Raise NotFound,
    NotRunning."""
    expect_open(_locked(game_id))
    invited = (SeatRow.game_id == game_id) & (SeatRow.seat == seat) & (SeatRow.kind == "invited")
    _free(game_id, seat, invited & (SeatRow.email == email), declined_at, words)


@with_retries
def take_again(game_id: UUID, seat: Seat, email: str, declined_at: datetime) -> None:
    """Reserve a seat again for the address whose invitation was declined at this time. Raise SeatTaken, AlreadySeated,
    NotRunning."""
    expect_open(_locked(game_id))
    player_id = player_at(email)
    sits = (SeatRow.game_id == game_id) & (SeatRow.player_id == player_id)
    if player_id and db.session.scalars(select(SeatRow.seat).where(sits)).first() is not None:
        raise AlreadySeated("You're already at this table.")
    is_free = (SeatRow.kind == "open") & (SeatRow.lost_at == declined_at)  # no later invitation was declined
    declined = (SeatRow.game_id == game_id) & (SeatRow.seat == seat) & is_free
    kept = update(SeatRow).where(declined).values(kind="invited", email=email, lost_at=None).returning(SeatRow.seat)
    if db.session.execute(kept).first() is None and in_doubt() != seat:
        raise SeatTaken("This seat is no longer reserved for you.")
    with committing(seat):
        db.session.commit()
    notifier.note_change(game_id)


def _free(
    game_id: UUID, seat: Seat, invited: ColumnElement[bool], declined_at: datetime | None, words: str = ""
) -> None:
    guest = db.session.execute(select(SeatRow.email, SeatRow.invited_by).where(invited)).one_or_none()
    values: Json = {**NO_INVITATION}
    name = None
    if declined_at:
        del values["greeting"]  # for `take_again`
        values["lost_at"] = declined_at
    if guest and declined_at and guest.email:
        name = _name_of_guest(game_id, guest.email, guest.invited_by)
        values |= {"declined_name": name, "declined_mark": mark_of(guest.email)}
    freed = update(SeatRow).where(invited).values(**values).returning(SeatRow.seat)
    if db.session.execute(freed).first() is None and in_doubt() != seat:
        raise NotFound("This seat has no invitation.")
    if guest and declined_at and guest.email:
        _tell_host_of_decline(game_id, seat, _Decline(guest.email, guest.invited_by, name, words), declined_at)
    with committing(seat):
        db.session.commit()
    notifier.note_change(game_id)


def lock_hosted_game(game_id: UUID, player_id: UUID) -> GameRow:
    """Lock and return the row of a game whose host is this player. Raise NotFound, NotRunning, NotHost."""
    load_visible(game_id, player_id)
    head = _locked(game_id)
    expect_open(head)
    if head.host != player_id:
        raise NotHost("Only the host of this game can do this.")
    return head


def _locked(game_id: UUID) -> GameRow:
    query = select(GameRow).where(GameRow.game_id == game_id).with_for_update()
    return db.session.execute(query.execution_options(populate_existing=True)).scalar_one()


# When the host leaves, and when an open game's time is over


def host_leaves_within(game_id: UUID, now: datetime) -> None:
    """Make the player in the lowest seat the host, within the transaction in which the host leaves. If the game has no
    players left, close it."""
    people = select(SeatRow.player_id).where(SeatRow.game_id == game_id, SeatRow.player_id.is_not(None))
    host = db.session.scalars(people.order_by(SeatRow.seat).limit(1)).one_or_none()
    if host is None:
        close_within(game_id, now)
    else:
        db.session.execute(update(GameRow).where(GameRow.game_id == game_id).values(host=host))


def give_up_hosting(player_id: UUID) -> None:
    """Replace the player as host of every open game in which the player has no seat."""
    own = (GameRow.host == player_id) & (GameRow.status == "open")
    for game_id in db.session.scalars(select(GameRow.game_id).where(own)).all():
        _give_up(game_id, player_id)


@with_retries
def _give_up(game_id: UUID, player_id: UUID) -> None:
    head = _locked(game_id)
    if head.host == player_id and head.status == "open":
        host_leaves_within(game_id, clock.now())
    db.session.commit()


def close_within(game_id: UUID, now: datetime) -> None:
    """Close an open game within the transaction that locks its row. The game's invitations become invalid."""
    call_off_within(game_id)
    invited = (SeatRow.game_id == game_id) & (SeatRow.kind == "invited")
    db.session.execute(update(SeatRow).where(invited).values(**NO_INVITATION))
    db.session.execute(update(SeatRow).where(SeatRow.game_id == game_id).values(greeting=None, **NO_DECLINE))
    connection = in_transaction(db.session.connection())
    record_within(connection, commit_of(load_within(connection, game_id), [GameAbandoned()], now))


_ANY_DUE = "SELECT FROM games WHERE status = 'open' AND wake_at <= %s LIMIT 1"


def close_due() -> None:
    """Warn hosts before their games close, and close games whose time is over, one at a time.

    Locked games are left for the next call.
    """
    now = clock.now()
    with autocommit() as connection:  # a cheap check first: usually nothing is due
        if connection.execute(_ANY_DUE, (now,)).fetchone() is None:
            return
    due = (GameRow.status == "open") & (GameRow.wake_at <= now)
    query = select(GameRow.game_id).where(due).order_by(GameRow.wake_at).limit(100)
    found = db.session.scalars(query).all()
    db.session.rollback()

    def try_later(game_id: UUID) -> None:
        db.session.execute(update(GameRow).where(GameRow.game_id == game_id, due).values(wake_at=now + LATER))
        db.session.commit()
        log.exception("Game %s could not be closed and is tried again later", game_id)

    one_by_one(found, lambda game_id: _wake(game_id, now), try_later)


@with_retries
def _wake(game_id: UUID, now: datetime) -> None:
    """Do what is due for an open game. Outages extend the host's time to respond."""
    free = select(GameRow).where(GameRow.game_id == game_id).with_for_update(skip_locked=True)
    head = db.session.execute(free.execution_options(populate_existing=True)).scalar_one_or_none()
    if head is None or head.status != "open" or not (head.wake_at and head.closes_at) or head.wake_at > now:
        db.session.rollback()
        return
    asked_until = db.session.scalar(select(func.max(SeatRow.due_at)).where(SeatRow.game_id == game_id))
    if asked_until:  # if a ready check leaves a seat empty, the host still gets this much notice
        head.wake_at = max(asked_until, now)
        head.closes_at = max(head.closes_at, head.wake_at + _NOTICE)
    elif head.wake_at < head.closes_at:
        late = now - head.wake_at
        head.closes_at = head.wake_at = head.closes_at + (late if late > GAP else NOTHING)
        _tell_host(head.game_id, head.host, head.closes_at, now)
    else:
        close_within(game_id, now)
    db.session.commit()


def _tell_host(game_id: UUID, host: UUID, closes_at: datetime, now: datetime) -> None:
    game, at = load_within(in_transaction(db.session.connection()), game_id), closes_at.isoformat()
    outbox.put(
        game_id, [addressed(game, News(GAME_CLOSING, game.seat_of(host) or 0, {"closes_at": at}, at), host, now)]
    )


class _Decline(NamedTuple):
    email: str
    invited_by: UUID | None
    name: str | None
    words: str


def _name_of_guest(game_id: UUID, email: str, invited_by: UUID | None) -> str | None:
    """Return the name of an invited person for the player who invited them, or None.

    For people whom the inviting player has met at a table, or hasn't invited by address, that is the name of their
    account. For others, it is the first name in their address.
    """
    head, player_id = db.session.get_one(GameRow, game_id), player_at(email)
    if is_nameless(head.options) or (player_id and is_block_between(player_id, [head.host])):
        return None
    if player_id and (invited_by is None or player_id in {it["id"] for it in companions(invited_by)}):
        return db.session.get_one(Player, player_id).name
    if invited_by is None:  # the account has been deleted since
        return None
    return suggested_name(email).partition(" ")[0] or None


def _tell_host_of_decline(game_id: UUID, seat: Seat, guest: _Decline, declined_at: datetime) -> None:
    """Email the host, who may know the address and the words only of people whom they have invited themselves. Words
    of blocked players aren't passed on."""
    email, invited_by, name, words = guest
    game = load_within(in_transaction(db.session.connection()), game_id)
    host, about = game.head.host, f"{seat} {declined_at.isoformat()}"
    if game.head.closes_at:
        who = {host: email, None: name}.get(invited_by)
        data = {"closes_at": game.head.closes_at.isoformat(), "declined": who or ""}
        player_id = player_at(email)
        if words and invited_by == host and not (player_id and is_block_between(player_id, [host])):
            data["words"] = words
        news = News(GAME_CLOSING, game.seat_of(host) or 0, data, about)
        outbox.put(game_id, [addressed(game, news, host, declined_at)])


def tell_host_of_guest(game_id: UUID, seat: Seat, what: str, who: str, now: datetime) -> None:
    """Email the host that a player has "accepted" an invitation, or has "returned" after declining, within the current
    transaction. A game that begins has its own email."""
    game = load_within(in_transaction(db.session.connection()), game_id)
    host, closes_at = game.head.host, game.head.closes_at
    if closes_at and not game.table.turns:
        data = {"closes_at": closes_at.isoformat(), what: "" if game.hides_names else who}
        news = News(GAME_CLOSING, game.seat_of(host) or 0, data, f"{what} {seat} {now.isoformat()}")
        outbox.put(game_id, [addressed(game, news, host, now)])


def addressed(game: Game, news: News, player_id: UUID, now: datetime) -> Json:
    """Build the email for a player who may have left the seat, or who never had it."""
    name = db.session.scalars(select(Player.name).where(Player.player_id == player_id)).one()
    return letter(game, news._replace(data={"name": name, **news.data}), now) | {"player_id": player_id}
