"""Rematches: another game with the players and options of one that is over."""

import re
from itertools import count
from uuid import UUID, uuid5

from sqlalchemy.exc import IntegrityError

from server.accounts.bans import is_welcome
from server.accounts.blocks import is_block_between
from server.accounts.rate_limits import has_left
from server.accounts.signed_links import ANY_SEAT, INVITATION, sign
from server.errors import NotFound, NotRunning
from server.games import Json, Seat
from server.play.commits import load
from server.play.game import BOT_NAMES, Game
from server.play.seating.games import Rematch, invitations, open_game
from server.play.seating.seats import SeatClaim, take_seat
from server.play.table import OVER
from server.play.views import load_visible, own_seat
from server.store.player_games import has_game_titled
from server.store.tables import Player, db
from server.translations import noted

_LONGEST_TITLE = 80  # characters
_MOST_TITLES = 20  # titles that are tried for a rematch
_NUMBERED = re.compile(r"(.+) (\()?([1-9][0-9]?)(?(2)\))")  # a title, as earlier releases and this one write it


def rematch(game_id: UUID, player_id: UUID) -> Game:
    """Give the player a seat in the rematch of a game that is over. The first player opens it, with the same bots, and
    invites the other players to their seats.

    The rematch's id depends only on the game, so all its players find the same one. If a rematch was closed, is over or
    began without the player, there is a further one. Raise NotFound, NotSeated, NotRunning, and the errors of
    `open_game` and `take_seat`.
    """
    game = _finished(game_id, player_id)
    rematch_id, found = _current(game_id, player_id)
    if found is None:
        found = _opened(rematch_id, game, player_id)
    if found.seat_of(player_id) is not None:
        return found
    return take_seat(rematch_id, player_id, SeatClaim(invitation=sign(INVITATION, rematch_id, ANY_SEAT)))


def find_rematch(game_id: UUID, player_id: UUID) -> Json:
    """Return the rematch that the player would get, the seat of the player who opened it, and whether the player sits
    there. A player doesn't find the rematch of a player whom they block. Raise NotFound, NotSeated, NotRunning."""
    game = _finished(game_id, player_id)
    _, found = _current(game_id, player_id)
    if found is None or is_block_between(player_id, [found.head.made_by]):
        return {"game": None, "asked_by": None, "seated": False}
    seated = found.seat_of(player_id) is not None
    return {"game": found.game_id, "asked_by": game.seat_of(found.head.made_by), "seated": seated}


def _finished(game_id: UUID, player_id: UUID) -> Game:
    """Return a game that is over, and in which the player has a seat."""
    game = load_visible(game_id, player_id)
    own_seat(game, player_id)
    if game.head.status not in OVER:
        raise NotRunning(noted("This game isn't over yet."))
    return game


def _current(game_id: UUID, player_id: UUID) -> tuple[UUID, Game | None]:
    """Return the id of the rematch for this player, and the rematch itself if it exists."""
    numbers = count(1)
    while True:
        rematch_id = _rematch_id(game_id, next(numbers))
        try:
            found = load(rematch_id)
        except NotFound:
            return rematch_id, None
        is_seated = found.seat_of(player_id) is not None
        if found.head.status == "open" or (is_seated and found.head.status not in OVER):
            return rematch_id, found


def _rematch_id(game_id: UUID, number: int) -> UUID:
    """Return an id with which the bots have the same names, since these depend on the id."""
    ids = (uuid5(game_id, f"rematch {number}.{i}" if i else f"rematch {number}") for i in count())
    return next(it for it in ids if (it.int - game_id.int) % len(BOT_NAMES) == 0)


def find_game_before(game_id: UUID, player_id: UUID | None, invitation: str | None) -> Json:
    """Return the game of which this one is a rematch, and the number of the rematch in its title. Both are null if it
    isn't one, or if the player can't see that game. Raise NotFound."""
    game = load_visible(game_id, player_id, invitation)
    before, numbered = game.head.rematch_of, _NUMBERED.fullmatch(game.head.title)
    try:
        is_seen = before is not None and load_visible(before, player_id) is not None
    except NotFound:
        is_seen = False
    return {"game": before if is_seen else None, "number": int(numbered[3]) if is_seen and numbered else None}


def _opened(rematch_id: UUID, game: Game, player_id: UUID) -> Game:
    try:
        again = Rematch(game.game_id, _others(game, player_id))
        return open_game(player_id, _like(game, player_id), rematch_id, again)
    except IntegrityError:  # another player has just opened it
        db.session.rollback()
        return load(rematch_id)


def _others(game: Game, player_id: UUID) -> dict[Seat, str]:
    """Return the addresses of the other players by seat, of those who can be invited. A player who blocks this one gets
    no email, as with every invitation."""
    found = ((it.seat, db.session.get(Player, it.owner_id or it.player_id)) for it in game.seats if not it.bot)
    return {
        seat: other.email
        for seat, other in found
        if other
        and other.player_id != player_id
        and other.guest_until is None
        and is_welcome(other)
        and all(map(has_left, invitations(player_id, other.email)))
    }


def _like(game: Game, player_id: UUID) -> Json:
    """Return a request for a game like this one."""
    own, head = game.seat_of(player_id), game.head
    seats = [
        {"player": "me"} if row.seat == own else {"bot": row.bot} if row.bot else {"open": True} for row in game.seats
    ]
    return {
        "rules": head.rules,
        "options": head.options,
        "seats": seats,
        "title": _next_title(head.title, player_id),
        "clock": head.clock,
        "on_timeout": head.on_timeout,
        "private": head.private or {"open": True} not in seats,
        "min_reliability": head.min_reliability,
        "programs": head.programs,
    }


def _next_title(title: str, player_id: UUID) -> str:
    """Return the title with the next number that no game of the player has: `Stars (2)` after `Stars`. A year stays.
    Without brackets, the number could be taken for that of the game in a player's list."""
    numbered = _NUMBERED.fullmatch(title)
    name, first = (numbered[1], int(numbered[3]) + 1) if numbered else (title, 2)
    titles = (f"{name[: _LONGEST_TITLE - 5]} ({number})" for number in range(first, first + _MOST_TITLES))
    return next((it for it in titles if not has_game_titled(player_id, it)), f"{name[: _LONGEST_TITLE - 5]} ({first})")
