"""Taking a seat, inviting players, leaving and coming back."""

from contextlib import suppress
from datetime import datetime
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Connection
from sqlalchemy import delete, select, update

from server.accounts.bans import expect_welcome
from server.accounts.blocks import is_block_between
from server.accounts.closing import expect_known_or_open
from server.accounts.guests import expect_no_guest
from server.accounts.notice_kinds import NOT_READY, SEAT_TAKEN_OVER, SENT_AWAY
from server.accounts.players import address_of, player_at, player_of
from server.accounts.preferences import stored_choice
from server.accounts.rate_limits import expect_within
from server.accounts.signed_links import (
    ANY_SEAT,
    INVITATION,
    READY,
    RETURN,
    Capability,
    is_mark_of,
    mark_of,
    sign,
    verify,
)
from server.accounts.tokens import NewToken, revoke_of_seat, token_of_visitor
from server.clock import clock
from server.errors import AlreadySeated, BadField, NotFound, NotReliable, NotRunning, NotSeated, SeatTaken, WrongSalt
from server.games import Json, Seat
from server.play.commits import commit_of, load, load_within, people_of, record, record_within
from server.play.events import SeatHandedOver, SeatTakenBack, SeatTakenOver
from server.play.game import Game
from server.play.mail.letters import News
from server.play.nameless import is_nameless
from server.play.planning.plans import forget_plan
from server.play.seating.games import Guest, checked_greeting, invitations, note_invitation, note_seat
from server.play.seating.hosting import (
    addressed,
    expect_open,
    give_back,
    give_up_hosting,
    host_leaves_within,
    lock_hosted_game,
    take_again,
    tell_host_of_guest,
)
from server.play.seating.lobby import NOT_MET, address_of_companion
from server.play.seating.programs import expect_admitted
from server.play.seating.ready_check import (
    call_off_within,
    check_salt,
    expect_asking,
    expect_committed,
    remind_within,
    start_if_full,
)
from server.play.seating.stand_ins import call_off, end_stand_in, games_with_stand_ins
from server.play.seating.track_record import record_so_far, reliability_of
from server.play.table import UNDER_WAY
from server.play.timing.due_times import due_times
from server.play.timing.timeout_policy import bot_of
from server.play.turns.idempotency import note_named
from server.play.views import invitation_access, load_visible, may_see, own_seat
from server.play.votes import count_votes, offered_seats
from server.store import outbox
from server.store.connections import in_transaction
from server.store.database_retry import committing, in_doubt, with_retries
from server.store.notify import notifier
from server.store.rows import SeatState, moment_from_json
from server.store.seats import is_seat
from server.store.stand_ins import FORMER, leave_behind
from server.store.tables import GameRow, Player, PlayerGame, SeatRow, db
from server.translations import noted


class SeatClaim(NamedTuple):
    """Which seat a player wants, and what they bring."""

    seat: Seat | None = None  # any
    salt: str = ""
    invitation: str | None = None
    salt_hash: str | None = None  # SHA-256, in hex, of a salt to be revealed with `ready`


_ANYWHERE = SeatClaim()


@with_retries
def take_seat(game_id: UUID, player_id: UUID, claim: SeatClaim = _ANYWHERE) -> Game:
    """Take a seat in a game that hasn't started, or take the player's own seat back from a bot.

    Raise NotFound, SeatTaken, AlreadySeated, NotRunning, Banned, SignInFirst, NotReliable, NoPrograms, TooMany,
    BadField.
    """
    return _take_seat(game_id, player_id, claim)


def _take_seat(game_id: UUID, player_id: UUID, claim: SeatClaim) -> Game:
    seat, salt, invitation, salt_hash = claim
    game = load(game_id)
    own = game.seat_of(player_id)
    if own is not None and in_doubt() == (player_id, own):
        return game
    if own is not None and game.table.status in ("running", "paused"):
        return _take_back(game, own)
    now, email = clock.now(), db.session.get_one(Player, player_id).email
    head = db.session.execute(select(GameRow).where(GameRow.game_id == game_id).with_for_update()).scalar_one()
    seats = db.session.scalars(select(SeatRow).where(SeatRow.game_id == game_id).order_by(SeatRow.seat)).all()
    people = [(s.player_id, s.email) for s in seats]
    word = invitation_access(game_id, [s.email for s in seats], invitation)
    if head.private and word is None and not may_see(head.host, people, player_id, email):
        raise NotFound("Game not found.")
    if invitation and word is None:
        raise NotFound("This invitation is not for this game.")
    if any(s.player_id == player_id for s in seats):
        raise AlreadySeated("You're already at this table.")
    expect_welcome(player_id)
    expect_no_guest(player_id)
    expect_open(head)
    if str(player_id) in head.sent_away and not any(row.email == email for row in seats):
        raise SeatTaken("The host of this game prefers to play with others.")
    if not is_nameless(head.options) and is_block_between(player_id, [row.player_id for row in seats if row.player_id]):
        raise SeatTaken("You've blocked a player at this table, or they've blocked you.")
    if word is None and not any(row.email == email for row in seats):
        _expect_reliable(player_id, head.min_reliability or 0)
    expect_admitted(head.programs, player_id)
    check_salt(head.options, salt, salt_hash)
    free = [row for row in seats if row.kind in ("open", "invited") and _is_kept_for(row, email, word)]
    free.sort(key=lambda s: (s.kind == "open", s.seat))  # reserved seats first
    chosen = next((s for s in free if seat is None or s.seat == seat), None)
    if chosen is None:
        if seat is None:
            raise SeatTaken("There is no free seat for you here.")
        raise SeatTaken("Seat %(seat)s isn't available to you.", seat=seat)
    was_invited, knows_address = chosen.email is not None, chosen.invited_by == head.host
    chosen.kind, chosen.player_id, chosen.email, chosen.salt = "human", player_id, None, salt
    chosen.salt_hash, chosen.greeting = salt_hash, None
    declined = [row for row in seats if row.declined_mark == mark_of(email)]
    for row in {chosen, *declined}:
        row.lost_at = row.declined_name = row.declined_mark = None
    db.session.flush()
    note_seat(player_id, game_id, chosen.seat, head.made_at)
    start_if_full(game_id, now)
    if (declined or was_invited) and player_id != head.host:
        name = db.session.get_one(Player, player_id).name
        is_known = knows_address or any(row.invited_by == head.host for row in declined)
        who = f"{name} ({email})" if is_known else name
        tell_host_of_guest(game_id, chosen.seat, "returned" if declined else "accepted", who, now)
    with committing((player_id, chosen.seat)):
        db.session.commit()
    notifier.note_change(game_id)
    return load(game_id)


def _expect_reliable(player_id: UUID, asked: int) -> None:
    if asked and (found := reliability_of([player_id])[player_id]) < asked:
        raise NotReliable(
            "You were present at the end of %(found)s percent of your finished games. This game requires "
            "%(asked)s percent.",
            found=found,
            asked=asked,
        )


def _is_kept_for(row: SeatRow, email: str, invitation: Capability | None) -> bool:
    """Return whether the seat is reserved for the player's address, or for the holder of this invitation."""
    if row.email is None or row.email == email:
        return row.kind == "open" or row.email == email
    return invitation is not None and invitation.seat == row.seat and is_mark_of(row.email, invitation.number)


@with_retries
def invite(game_id: UUID, player_id: UUID, guest: str | UUID, seat: Seat | None = None, greeting: str = "") -> Seat:
    """Reserve a seat (the lowest open one) for this address, or for a player they have met, and mail the invitation. If
    a seat is named, the new invitation may replace an earlier one for that seat. A repeated invitation without a
    greeting keeps its greeting.

    Raise NotFound, NotSeated, NotRunning, SeatTaken, TooMany, BadField.
    """
    greeting = checked_greeting(greeting, "greeting")
    email, invited_by = _invited(player_id, guest)
    game = load_visible(game_id, player_id)
    lost: Seat | None = in_doubt()
    if lost is not None and game.seats[lost].email == email:
        return lost
    if player_id != game.head.host:
        own_seat(game, player_id)
    expect_within(*invitations(player_id, email))
    head = db.session.execute(select(GameRow).where(GameRow.game_id == game_id).with_for_update()).scalar_one()
    expect_open(head)
    rows = db.session.scalars(select(SeatRow).where(SeatRow.game_id == game_id).order_by(SeatRow.seat)).all()
    free = [row for row in rows if row.kind == "open" or (row.kind == "invited" and row.seat == seat)]
    chosen = next((row for row in free if seat in (None, row.seat)), None)
    if chosen is None:
        if seat is None:
            raise SeatTaken("There is no free seat.")
        raise SeatTaken("Seat %(seat)s is taken.", seat=seat)
    if chosen.email != email:
        chosen.mailed_at = None
    if greeting or (chosen.email, chosen.invited_by) != (email, invited_by):
        chosen.greeting = greeting or None
    chosen.kind, chosen.email, chosen.invited_by, chosen.lost_at = "invited", email, invited_by, None
    chosen.declined_name = None
    if chosen.declined_mark != mark_of(email):
        chosen.declined_mark = None
    note_invitation(game_id, Guest(chosen.seat, email, chosen.greeting or ""), player_id)
    with committing(chosen.seat):
        db.session.commit()
    notifier.note_change(game_id)
    return chosen.seat


def _invited(player_id: UUID, guest: str | UUID) -> tuple[str, UUID | None]:
    """Return a pair: the address to invite, and the player who learns it."""
    if isinstance(guest, str):
        return guest, player_id
    if address := address_of_companion(player_id, guest):
        return address, None
    raise BadField("companion", NOT_MET)


def invitation(word: str) -> tuple[Game, Seat | None]:
    """Return a pair: the game of an invitation, and the seat that the invitation reserves. Raise NotFound if the token
    is invalid."""
    game_id, seat, _ = verify(INVITATION, word)
    return load(game_id), None if seat == ANY_SEAT else seat


def is_kept(game: Game, word: str) -> bool:
    """Return whether the invitation still gives access to its reserved seat. An invitation without a reserved seat
    needs an open seat."""
    return invitation_access(game.game_id, [row.email for row in game.seats], word) is not None


def has_accepted(game: Game, word: str) -> bool:
    """Return whether the player with the invited address has the seat."""
    _, seat, mark = verify(INVITATION, word)
    return seat != ANY_SEAT and game.seats[seat].player_id is not None and invited_address(game, seat, mark) is not None


def is_newcomer(game: Game, word: str) -> bool:
    """Return whether there is no player with the invited address yet."""
    seat = verify(INVITATION, word).seat
    email = None if seat == ANY_SEAT else game.seats[seat].email
    return email is not None and db.session.scalars(select(Player).where(Player.email == email)).first() is None


def inviter_to(game: Game, seat: Seat) -> str | None:
    """Return the name of the player who reserved this seat, or None if the player is unknown or has no account now."""
    invited_by = game.seats[seat].invited_by
    player = db.session.get(Player, invited_by) if invited_by else None
    return player.name if player and player.deleted_at is None else None


def greeting_to(game: Game, seat: Seat) -> str:
    """Return what the inviting player wrote to the player who is invited to this seat, or "" if one of the two blocks
    the other."""
    row = game.seats[seat]
    if not (row.greeting and row.email and row.invited_by):
        return ""
    asked = player_at(row.email)
    return "" if asked and is_block_between(asked, [row.invited_by]) else row.greeting


@with_retries
def accept_invitation(word: str, locale: str = "en", name: str = "", likely_name: str = "", zone: str = "UTC") -> Game:
    """Take the seat that is reserved for the invited address, as the holder of the invitation's token.

    The other parameters are used if the player is new (see `player_of`). Raise NotFound, SeatTaken, AlreadySeated, NotRunning, Banned,
    NoPrograms, Closed, TooMany.
    """
    game, seat = invitation(word)
    if seat is not None and in_doubt() == (game.seats[seat].player_id, seat):
        return game
    email = None if seat is None else game.seats[seat].email
    if email is None or not is_mark_of(email, verify(INVITATION, word).number):
        raise SeatTaken("This seat is no longer reserved for you.")
    expect_known_or_open(email)
    player_id = player_of(email, locale, name, zone, likely_name)
    return _take_seat(game.game_id, player_id, SeatClaim(seat))


def invited_address(game: Game, seat: Seat, mark: int) -> str | None:
    """Return the address with this mark while the seat is reserved for it, or while its player sits there. Otherwise
    return None."""
    row = game.seats[seat]
    email = row.email or address_of(row.player_id)
    return email if email is not None and is_mark_of(email, mark) else None


def decline_invitation(word: str, words: str = "") -> datetime:
    """Decline the invitation with this token, and with these words for the host. Return the time, with which it can be
    restored. Raise NotFound, NotRunning."""
    game, seat = invitation(word)
    email = None if seat is None else game.seats[seat].email
    if seat is None or email is None or not is_mark_of(email, verify(INVITATION, word).number):
        raise NotFound("This seat is no longer reserved for you.")
    now = clock.now()
    give_back(game.game_id, seat, email, now, words)
    return now


def can_reconsider(game: Game, seat: Seat, email: str) -> bool:
    """Return whether the seat is still free and this address was the last to decline it."""
    row = game.seats[seat]
    return row.kind == "open" and row.lost_at is not None and row.declined_mark == mark_of(email)


def reconsider(game: Game, seat: Seat, email: str) -> None:
    """Reserve the seat again for the address that declined it, if it was the last to do so. Raise as
    `restore_invitation`."""
    row = game.seats[seat]
    if row.lost_at is None or not can_reconsider(game, seat, email):
        raise SeatTaken("This seat is no longer reserved for you.")
    take_again(game.game_id, seat, email, row.lost_at)


def restore_invitation(word: str, email: str, declined_at: str) -> None:
    """Reserve the seat again for this address, to which the token was mailed, if the seat is still open after that
    decline. Raise NotFound, SeatTaken, AlreadySeated, NotRunning."""
    game_id, seat, mark = verify(INVITATION, word)
    try:
        at = moment_from_json(declined_at)
    except (ValueError, OverflowError):
        at = None
    if seat == ANY_SEAT or not is_mark_of(email, mark) or at is None:
        raise NotFound("This seat is no longer reserved for you.")
    take_again(game_id, seat, email, at)


def enter_by_invitation(word: str, locale: str, name: str, zone: str = "UTC") -> tuple[Game, NewToken | None]:
    """Accept an invitation. If the account is new, sign it in (see `token_of_visitor`)."""
    game, seat = invitation(word)
    email, is_new = None if seat is None else game.seats[seat].email, is_newcomer(game, word)
    game = accept_invitation(word, locale, name, zone=zone)
    player_id = db.session.scalars(select(Player.player_id).where(Player.email == email)).one()
    token = token_of_visitor(player_id, is_new)
    db.session.commit()
    return game, token


def return_word(game_id: UUID, seat: Seat, since: int = 0) -> str:
    """Return the link token with which an absent player takes the seat back. The token is valid until another player
    takes the seat over. `since`: the version at which the player sat down."""
    return sign(RETURN, game_id, seat, since)


def open_return_link(word: str) -> tuple[Game, Seat]:
    """Return the game and seat of a return link. Raise NotFound if the link is invalid."""
    game_id, seat, since = verify(RETURN, word)
    game = load(game_id)
    if game.seats[seat].since != since:
        raise NotFound("Another player has taken over this seat.")
    return game, seat


@with_retries
def come_back(word: str) -> Game:
    """Take the seat back from the bot. Raise NotFound, NotRunning, AlreadySeated, Banned."""
    game, seat = open_return_link(word)
    if game.table.status not in ("running", "paused"):
        raise NotRunning("This game is over.")
    return _take_back(game, seat)


def _take_back(game: Game, seat: Seat) -> Game:
    player_id = game.seats[seat].player_id
    assert player_id is not None  # return links exist for players only
    expect_welcome(player_id)
    if game.table.stand_ins[seat] is None:
        if in_doubt() == (player_id, seat):
            return game
        raise AlreadySeated("You're already at this table.")
    with committing((player_id, seat)):
        after = record(commit_of(game, [SeatTakenBack(seat)], clock.now()))
    return after or take_seat(game.game_id, player_id)


@with_retries
def take_over(game_id: UUID, player_id: UUID, seat: Seat | None = None, invitation: str | None = None) -> Game:
    """Take over an offered seat (see `votes.OFFER`) from a bot, permanently. If `seat` is None, take over the lowest
    offered seat. Until then, the absent player may come back. Both players keep their own records.

    Raise NotFound, SeatTaken, AlreadySeated, NotRunning, Banned, SignInFirst, NotReliable, NoPrograms, TooMany.
    """
    game = load_visible(game_id, player_id, invitation)
    lost: Seat | None = in_doubt()
    if lost is not None and game.seats[lost].player_id == player_id:
        return game
    expect_welcome(player_id)
    expect_no_guest(player_id)
    db.session.execute(select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update())
    connection = in_transaction(db.session.connection())
    game, now = load_within(connection, game_id), clock.now()
    people = people_of(game)
    if player_id in people:
        raise AlreadySeated("You're already at this table.")
    if game.table.status not in ("running", "paused"):
        raise NotRunning("This game has not started, or is over.")
    offered = [it for it in offered_seats(game) if seat in (None, it)]
    if not offered:
        raise SeatTaken("You haven't been offered a seat here.")
    row = game.seats[offered[0]]
    others = [] if is_nameless(game.head.options) else [it for it in people if it != row.player_id]
    if is_block_between(player_id, others):
        raise SeatTaken("You've blocked a player at this table, or they've blocked you.")
    _expect_reliable(player_id, game.head.min_reliability or 0)
    expect_admitted(game.head.programs, player_id)
    _succeed(connection, game, offered[0], player_id, now)
    with committing(offered[0]):
        db.session.commit()
    return load(game_id)


def _succeed(connection: Connection[Any], game: Game, seat: Seat, player_id: UUID, now: datetime) -> None:
    """Give the seat to this player, within the transaction that locks the game's row."""
    game_id, former = game.game_id, game.seats[seat].player_id
    assert former is not None  # only seats of players are offered
    leave_behind(connection, game_id, [seat])
    revoke_of_seat(former, game_id)
    his = (PlayerGame.player_id == former) & (PlayerGame.game_id == game_id)
    gone = {"role": FORMER, "over_at": now, "record": record_so_far(game, seat)}
    db.session.execute(update(PlayerGame).where(his).values(**gone))
    call_off(game, seat, now, former)  # a separate email informs the former player
    time_anew = {"allowed": None, "lent": 0, "asked_at": None, "hours": None}
    new = {"player_id": player_id, "since": game.version + 1, "mails": None, **time_anew}
    db.session.execute(update(SeatRow).where(is_seat(game_id, seat)).values(**new))
    note_seat(player_id, game_id, seat, game.head.made_at)
    taken_over = commit_of(load_within(connection, game_id), [SeatTakenOver(seat)], now)
    after = record_within(connection, taken_over)
    assert after is not None  # the lock excludes other commits
    outbox.put(game_id, [addressed(after, News(SEAT_TAKEN_OVER, seat, about=str(former)), former, now)])


@with_retries
def leave(game_id: UUID, player_id: UUID) -> None:
    """Leave a game before its start, or resign, so that a bot continues. If the player is a stand-in, only end the
    stand-in.

    Raise NotFound, NotSeated, NotRunning.
    """
    if in_doubt() and load(game_id).seat_of(player_id) is None:
        return
    game = load_visible(game_id, player_id)
    seat = game.seat_of(player_id)
    if seat is None:
        raise NotSeated("You have no seat at this table.")
    if game.table.status == "open":
        _get_up(game_id, player_id)
    elif game.table.status not in ("running", "paused"):
        raise NotRunning("This game is over.")
    elif game.seats[seat].owner_id not in (None, player_id):
        end_stand_in(game_id, player_id)
    else:
        if game.seats[seat].owner_id is None:
            end_stand_in(game_id, player_id)  # cancels the player's pending stand-in
        revoke_of_seat(player_id, game_id)
        forget_plan(game_id, seat)
        db.session.commit()
        resigned = SeatHandedOver(seat, bot_of(game.ladder), "resigned")
        if game.table.stand_ins[seat] is None and record(commit_of(game, [resigned], clock.now())) is None:
            leave(game_id, player_id)
        count_votes(game_id)


def _get_up(game_id: UUID, player_id: UUID) -> None:
    head = db.session.execute(select(GameRow).where(GameRow.game_id == game_id).with_for_update()).scalar_one()
    if head.status != "open":
        db.session.rollback()
        return leave(game_id, player_id)
    _vacate(game_id, player_id)
    if head.host == player_id:
        host_leaves_within(game_id, clock.now())
    with committing("getting up"):
        db.session.commit()


def _vacate(game_id: UUID, player_id: UUID) -> None:
    """Leave a seat, within the transaction that locks an open game."""
    his = (SeatRow.game_id == game_id) & (SeatRow.player_id == player_id)
    seats = db.session.scalars(select(SeatRow.seat).where(his)).all()
    leave_behind(in_transaction(db.session.connection()), game_id, seats)
    empty = {"kind": "open", "player_id": None, "salt": "", "salt_hash": None, "mails": None}
    db.session.execute(update(SeatRow).where(his).values(**empty))
    call_off_within(game_id)
    gone = (PlayerGame.player_id == player_id) & (PlayerGame.game_id == game_id)
    db.session.execute(delete(PlayerGame).where(gone))
    note_named(game_id, player_id)
    revoke_of_seat(player_id, game_id)


@with_retries
def ready(game_id: UUID, player_id: UUID, salt: str | None = None) -> Game:
    """Confirm that the player is ready, and reveal a committed salt. The last player's confirmation begins the game.
    Raise NotFound, NotSeated, NotRunning, NotAllowed, WrongSalt."""
    own_seat(load_visible(game_id, player_id), player_id)
    head = db.session.execute(select(GameRow).where(GameRow.game_id == game_id).with_for_update()).scalar_one()
    expect_asking(head)
    row = _own_row(game_id, player_id)
    if row.ready and salt in (None, row.salt):  # a repetition, such as a click after an email
        db.session.rollback()
        return load(game_id)
    expect_open(head)
    if row.asked_at is None:
        raise NotRunning("Some seats are still open. We'll ask you when all seats are taken.")
    if salt is not None:
        expect_committed(salt, row.salt_hash)
        row.salt = salt
    row.ready, row.due_at, row.remind_at, row.wake_at = True, None, None, None
    db.session.flush()
    start_if_full(game_id, clock.now())
    db.session.commit()
    return load(game_id)


def ready_word(game: Game, seat: Seat) -> str:
    """Return the link token with which this seat's player confirms that they are ready."""
    return sign(READY, game.game_id, seat, mark_of(str(game.seats[seat].player_id)))


def open_ready_link(word: str) -> tuple[Game, Seat]:
    """Return the game and seat of a ready link. Raise NotFound if the player has left."""
    game_id, seat, mark = verify(READY, word)
    game = load(game_id)
    if not is_mark_of(str(game.seats[seat].player_id), mark):
        raise NotFound("You no longer have a seat at this table.")
    return game, seat


def is_asked(game: Game, seat: Seat) -> bool:
    """Return whether the player in this seat has yet to confirm that they are ready."""
    row = game.seats[seat]
    return game.table.status == "open" and row.asked_at is not None and not row.ready


def _own_row(game_id: UUID, player_id: UUID) -> SeatRow:
    """Lock the game and return the row of the player's seat. Raise NotSeated if the player has no seat."""
    own = select(SeatRow).where(SeatRow.game_id == game_id, SeatRow.player_id == player_id)
    row = db.session.scalars(own.execution_options(populate_existing=True)).one_or_none()
    if row is None:
        raise NotSeated("You have no seat at this table.")
    return row


@with_retries
def wake_asked(game_id: UUID, now: datetime) -> bool:
    """Open the seats of players who missed the ready check, and remind players who still have time.

    Return False if no player is late, or if the game is locked. Raise NotRunning if the game has begun or is closed.
    """
    free = select(GameRow).where(GameRow.game_id == game_id).with_for_update(skip_locked=True)
    head = db.session.execute(free.execution_options(populate_existing=True)).scalar_one_or_none()
    if head is None or head.status == "abandoned":  # locked, or just closed because of another late player
        db.session.rollback()
        return False
    if head.status != "open":  # the game has just begun, or its row contradicts the log
        raise NotRunning("This game has started, and its seats are taken.")
    game = load_within(in_transaction(db.session.connection()), game_id)
    asked = [(row, due_times(game, row, now)) for row in game.seats if row.asked_at and not row.ready]
    late = [row for row, times in asked if times.due_at <= now]
    if late:
        names = [game.names[row.seat] for row in late]  # the previous release reads this
        gone = [row.player_id for row in late if row.player_id]
        for player_id in gone:
            _vacate(game_id, player_id)
        people = [(row.seat, row.player_id) for row in game.seats if row.player_id]
        about: Json = {"late": names, "who": [_facts(game, row) for row in late], "seats": [row.seat for row in late]}
        key = now.isoformat()
        outbox.put(game_id, [addressed(game, News(NOT_READY, row, about, key), who, now) for row, who in people])
        if head.host in gone:
            host_leaves_within(game_id, now)
    else:
        for row, times in asked:
            remind_within(game, row, times, now)
    db.session.commit()
    return bool(late)


def _facts(game: Game, row: SeatState) -> Json | None:
    """Return what the email says about a player, or None in an anonymous game."""
    person = row.person
    since = person.program_since and person.program_since.isoformat()
    return None if game.hides_names else {"name": person.name, "program_since": since}


@with_retries
def send_away(game_id: UUID, player_id: UUID, seat: Seat) -> None:
    """Remove a player from a game before its start, and email them. They can join the game again only by invitation.

    Raise NotFound, NotRunning, NotHost.
    """
    lost: UUID | None = in_doubt()
    head, now = lock_hosted_game(game_id, player_id), clock.now()
    if lost is not None and str(lost) in head.sent_away:  # by now, another player may have the seat
        return db.session.rollback()
    taken = (SeatRow.game_id == game_id) & (SeatRow.seat == seat) & (SeatRow.kind == "human")
    guest = db.session.scalars(select(SeatRow.player_id).where(taken)).one_or_none()
    if guest == player_id:
        return leave(game_id, player_id)
    if guest is None:
        raise NotFound("No player has this seat.")
    _vacate(game_id, guest)
    head.sent_away = sorted({*head.sent_away, str(guest)})
    game = load_within(in_transaction(db.session.connection()), game_id)
    news = News(SENT_AWAY, seat, about=f"{guest}/{now.isoformat()}")
    outbox.put(game_id, [addressed(game, news, guest, now)])
    with committing(guest):
        db.session.commit()


def seats_under_way(player_id: UUID) -> list[Json]:
    """Return the player's seats for which other players may be waiting: game, title, status and seat. Seats that a bot
    plays are left out."""
    under_way = (PlayerGame.player_id == player_id) & PlayerGame.over_at.is_(None)
    ids = list(db.session.scalars(select(PlayerGame.game_id).where(under_way)))
    heads = select(GameRow.game_id, GameRow.title, GameRow.status).where(GameRow.game_id.in_(ids))
    games = {row.game_id: row._asdict() for row in db.session.execute(heads.where(GameRow.status.in_(UNDER_WAY)))}
    own = select(SeatRow.game_id, SeatRow.seat).where(
        SeatRow.game_id.in_(games),
        (SeatRow.player_id == player_id) | (SeatRow.owner_id == player_id),
        SeatRow.stand_in.is_(None),
    )
    return [games[row.game_id] | {"seat": row.seat} for row in db.session.execute(own.order_by(SeatRow.game_id))]


def give_up_seats(player_id: UUID) -> None:
    """Leave all of a player's games. Bots continue the games that have begun. The other games get a new host or are
    closed."""
    for it in seats_under_way(player_id):
        try:
            leave(it["game_id"], player_id)
        except (NotSeated, NotRunning):
            pass  # the game has just ended
    for game_id in games_with_stand_ins(player_id):
        with suppress(NotFound, NotSeated):  # the stand-in has just ended
            end_stand_in(game_id, player_id)
    give_up_hosting(player_id)


def seat_settings(game_id: UUID, player_id: UUID) -> Json:
    """Return the settings of the player's seat in this game, such as the email preference. Raise NotFound,
    NotSeated."""
    game = load_visible(game_id, player_id)
    seat = own_seat(game, player_id)
    row = game.seats[seat]
    plays = row.player_id == player_id
    return {"seat": seat, "mails": stored_choice(row.mails if plays else row.owner_mails), "salt_hash": row.salt_hash}


@with_retries
def change_seat(game_id: UUID, player_id: UUID, changes: Json) -> Json:
    """Set the email preference for one game (`mails`, None: default), or commit to a salt before the start
    (`salt_hash`).

    Raise NotFound, NotSeated, NotRunning, NotAllowed, WrongSalt.
    """
    own_seat(load_visible(game_id, player_id), player_id)
    if "salt_hash" in changes:
        _expect_nothing_revealed(game_id)
        changes = changes | {"salt": ""}
    own = (SeatRow.game_id == game_id) & (SeatRow.player_id == player_id)
    if changes:
        db.session.execute(update(SeatRow).where(own).values(**changes))
        if "mails" in changes:
            stood_in = (SeatRow.game_id == game_id) & (SeatRow.owner_id == player_id)
            db.session.execute(update(SeatRow).where(stood_in).values(owner_mails=changes["mails"]))
        db.session.commit()
    return seat_settings(game_id, player_id)


def _expect_nothing_revealed(game_id: UUID) -> None:
    """Lock an open game. Raise WrongSalt if a salt has already been revealed, NotRunning, or NotAllowed if the game has
    no ready check."""
    head = db.session.execute(select(GameRow).where(GameRow.game_id == game_id).with_for_update()).scalar_one()
    expect_asking(head)
    expect_open(head)
    revealed = (SeatRow.game_id == game_id) & SeatRow.salt_hash.is_not(None) & (SeatRow.salt != "")
    if db.session.scalars(select(SeatRow.seat).where(revealed)).first() is not None:
        raise WrongSalt(noted("A player has already revealed their salt, so you can no longer choose one."))
