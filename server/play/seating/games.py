"""Opening a game, and starting it once it is full."""

import secrets
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID, uuid4

from sqlalchemy import func, select
from sqlalchemy.dialects.postgresql import insert

from server.accounts import notice_kinds
from server.accounts.blocks import is_block_between
from server.accounts.guests import expect_no_guest, hold_guest, is_guest
from server.accounts.players import player_at, program_since
from server.accounts.rate_limits import ALL, OF_ONE, Use, expect_room, expect_within
from server.accounts.signed_links import INVITATION, mark_of, sign
from server.bots import BOTS
from server.clock import clock
from server.errors import BadField, Unfit
from server.games import GAMES, TAKE_BACKS, Json, Seat, newest_rules
from server.play.commits import load
from server.play.game import Game
from server.play.nameless import is_nameless
from server.play.seating.hosting import DEFAULT_OPEN_FOR, closing
from server.play.seating.lobby import NOT_MET, address_of_companion
from server.play.seating.programs import comings
from server.play.seating.ready_check import FREE, check_option, check_salt, start_if_full
from server.play.timing import time_control
from server.play.timing.time_control import DEFAULT_CLOCK
from server.play.timing.timeout_policy import DEFAULT_LADDER, ladder
from server.sanitize import clean, clean_lines, has_link, mailbox_of
from server.store.database_retry import with_retries
from server.store.tables import GameRow, LetterRow, PlayerGame, SeatRow, db

LONGEST_GREETING: Final = 200  # characters
MOST_LINES: Final = 6  # of a greeting


class _Wanted(NamedTuple):
    """The columns of a new seat."""

    seat: Seat
    kind: str
    player_id: UUID | None = None
    bot: str | None = None
    email: str | None = None
    invited_by: UUID | None = None
    greeting: str | None = None
    salt_hash: str | None = None


class Rematch(NamedTuple):
    """Another game with the players of a game that is over. `reserved` are addresses to which seats are offered, and
    which the host doesn't learn."""

    of: UUID
    reserved: Mapping[Seat, str]


def open_game(player_id: UUID, wanted: Json, game_id: UUID | None = None, again: Rematch | None = None) -> Game:
    """Open a game. If the game is full, it starts immediately. If there is a game with the id `game_id`, return that
    game instead. Raise BadOption, BadField, TooMany, SignInFirst."""
    reserved = again.reserved if again else {}
    rules = GAMES.get(wanted["rules"])
    if rules is None:
        raise BadField(
            "rules",
            "Unknown name `%(name)s`. Use one of these: %(known)s.",
            name=wanted["rules"],
            known=", ".join(GAMES),
        )
    seats = [_wanted_seat(i, seat, player_id) for i, seat in enumerate(wanted["seats"])]
    seats = [_Wanted(it.seat, "invited", email=reserved[it.seat]) if it.seat in reserved else it for it in seats]
    if sum(seat.player_id is not None for seat in seats) > 1:
        raise BadField("seats", "You can take only one seat.")
    chosen = {"take_back": TAKE_BACKS[0]} | wanted.get("options", {}) | newest_rules(rules)
    options = rules.resolve_options(chosen, len(seats))
    check_option(options)
    for seat in seats:
        check_salt(options, "", seat.salt_hash)
    title = clean(wanted.get("title") or rules.NAME.capitalize(), 80)
    if not title:
        raise BadField("title", "A title needs at least one visible character.")
    programs = wanted.get("programs", not is_nameless(options))
    if any(seat.player_id for seat in seats) and not programs and program_since(player_id):
        raise BadField(
            "programs",
            "Your account belongs to a program. Set `programs` to true, so that players know before they join.",
        )
    guests = [Use("guest-games", player_id)] if is_guest(player_id) else []
    if guests and any(seat.kind in FREE for seat in seats):
        expect_no_guest(player_id)
    times = closing(wanted.get("open_for", DEFAULT_OPEN_FOR), clock.now())
    game_clock = wanted.get("clock", DEFAULT_CLOCK)
    on_timeout = wanted.get("on_timeout", DEFAULT_LADDER)
    for field, check in (
        ("clock", lambda: time_control.game_clock(game_clock)),
        ("on_timeout", lambda: ladder(on_timeout, BOTS)),
    ):
        try:
            check()
        except Unfit as error:
            raise BadField(field, error.words) from None
    return _open(
        game_id or uuid4(),
        player_id,
        seats,
        guests,
        rematch_of=again.of if again else None,
        rules=rules.NAME,
        options=options,
        title=title,
        private=wanted.get("private", False) or bool(guests),
        clock=game_clock,
        on_timeout=on_timeout,
        min_reliability=wanted.get("min_reliability"),
        programs=programs,
        host=player_id,
        **times,
    )


@with_retries
def _open(game_id: UUID, player_id: UUID, seats: list[_Wanted], guests: list[Use], **head: Any) -> Game:
    now = clock.now()
    if db.session.get(GameRow, game_id) is None:  # a retry after the commit's response was lost
        if guests:
            hold_guest(player_id)  # otherwise the guest's games might pass to another player in between
        expect_within(
            Use("games", player_id),
            *guests,
            *comings(player_id),
            *invitations(player_id, *(seat.email for seat in seats if seat.email)),
        )
        if any(seat.kind in FREE for seat in seats):
            own = (GameRow.host == player_id) & (GameRow.status == "open")
            expect_room("waiting-games", db.session.scalar(select(func.count()).where(own)) or 0)
        db.session.execute(
            insert(GameRow).values(
                game_id=game_id,
                made_by=player_id,
                made_at=now,
                seed=secrets.token_bytes(32),
                drawn=0,
                status="open",
                version=0,
                outcome=None,
                **head,
            )
        )
        empty = {"salt": "", "to_act": False, "lent": 0}
        db.session.execute(insert(SeatRow), [{"game_id": game_id, **empty, **seat._asdict()} for seat in seats])
        for seat in seats:
            if seat.email:
                guest = Guest(seat.seat, seat.email, seat.greeting or "", head["rematch_of"] is not None)
                note_invitation(game_id, guest, player_id)
            if seat.player_id:
                note_seat(player_id, game_id, seat.seat, now)
        start_if_full(game_id, now)
        db.session.commit()
    return load(game_id)


def _wanted_seat(seat: Seat, wanted: Json, player_id: UUID) -> _Wanted:
    match wanted:
        case {"player": "me"}:
            return _Wanted(seat, "human", player_id=player_id, salt_hash=wanted.get("salt_hash"))
        case {"email": str(email)}:
            greeting = checked_greeting(wanted.get("greeting", ""), f"seats.{seat}.greeting") or None
            return _Wanted(seat, "invited", email=email, invited_by=player_id, greeting=greeting)
        case {"companion": UUID() as companion}:
            if address := address_of_companion(player_id, companion):
                return _Wanted(seat, "invited", email=address)  # without `invited_by`, the host doesn't learn it
            raise BadField(f"seats.{seat}.companion", NOT_MET)
        case {"bot": str(bot)} if bot in BOTS:
            return _Wanted(seat, "bot", bot=bot)
        case {"open": True}:
            return _Wanted(seat, "open")
    raise BadField(
        f"seats.{seat}",
        'A seat must be {"player": "me"}, {"email": "..."}, {"bot": "..."} or {"open": true}. The bots are %(bots)s.',
        bots=", ".join(BOTS),
    )


def invitations(by: UUID, *emails: str) -> Iterator[Use]:
    """Yield what these invitations count against the rate limits."""
    for email in emails:
        yield from (Use("invitations", by), Use("invitations-to", mailbox_of(email)))
        yield from (Use("invitations-in-all", ALL), Use("invitations-in-all", by, OF_ONE))


class Guest(NamedTuple):
    """A person who is invited to a seat."""

    seat: Seat
    email: str
    greeting: str = ""  # lines from the player who invites them
    is_rematch: bool = False  # whether the game is another one with the same players


def checked_greeting(greeting: str, field: str) -> str:
    """Return the greeting in a few lines. Raise BadField if it contains a link, since the email may go to a stranger."""
    if has_link(greeting) or has_link(" ".join(greeting.split())):
        raise BadField(field, "Leave out web addresses, email addresses and phone numbers.")
    return clean_lines(greeting, LONGEST_GREETING, MOST_LINES)


def note_invitation(game_id: UUID, guest: Guest, by: UUID) -> None:
    """Queue the email with the link to a seat. The email is queued again only if the first one was sent. A player who
    blocks the host gets none."""
    seat, email, greeting, is_rematch = guest
    data: dict[str, object] = {"invitation": sign(INVITATION, game_id, seat, mark_of(email))}
    if greeting:
        data["greeting"] = greeting
    if is_rematch:
        data["rematch"] = True
    note_letter_to(game_id, guest, by, f"invitation/0/{seat}/mail/{email}", data)


def note_letter_to(game_id: UUID, guest: Guest, by: UUID, dedupe: str, data: dict[str, object]) -> None:
    """Queue an email that asks for a player. The email isn't sent if one of the two blocks the other."""
    seat, email, now = guest.seat, guest.email, clock.now()
    if (asked := player_at(email)) and is_block_between(asked, [by]):
        return
    row = insert(LetterRow).values(
        game_id=game_id,
        letter_id=uuid4(),
        dedupe=dedupe,
        kind=notice_kinds.INVITATION.name,
        version=0,
        seat=seat,
        player_id=None,
        data={"to": email, "by": str(by), **data},
        made_at=now,
        due_at=now,
        tries=0,
    )
    db.session.execute(row.on_conflict_do_nothing(index_elements=["game_id", "dedupe"]))


def note_seat(player_id: UUID, game_id: UUID, seat: Seat, made_at: datetime, role: str | None = None) -> None:
    """Add the game to the player's list of games. `role`: see `PlayerGame`. A player who returns to the seat for good
    gets a new record."""
    again = {"role": role, "over_at": None} | ({} if role else {"record": None})
    row = insert(PlayerGame).values(player_id=player_id, game_id=game_id, seat=seat, made_at=made_at, role=role)
    was = PlayerGame.role.is_not(None)
    db.session.execute(
        row.on_conflict_do_update(index_elements=["player_id", "game_id", "seat"], set_=again, where=was)
    )
