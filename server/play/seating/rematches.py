"""Rematches: another game with the players and options of one that is over."""

from itertools import count
from uuid import UUID, uuid5

from sqlalchemy import select
from sqlalchemy.exc import IntegrityError

from server.accounts.bans import is_welcome
from server.accounts.rate_limits import has_left
from server.accounts.signed_links import ANY_SEAT, INVITATION, sign
from server.errors import NotFound, NotRunning
from server.games import Json, Seat
from server.play.commits import load
from server.play.game import Game
from server.play.seating.games import invitations, open_game
from server.play.seating.seats import SeatClaim, take_seat
from server.play.table import OVER
from server.play.views import load_visible, own_seat
from server.store.tables import Player, PlayerGame, db
from server.translations import noted

_MOST_REMATCHES = 9  # of one game, as a rule


def rematch(game_id: UUID, player_id: UUID) -> Game:
    """Give the player a seat in the rematch of a game that is over. The first player opens it, with the same bots, and
    invites the other players to their seats.

    The rematch's id depends only on the game, so all its players find the same one. If a rematch was closed, is over or
    began without the player, there is a further one. Raise NotFound, NotSeated, NotRunning, and the errors of
    `open_game` and `take_seat`.
    """
    game = load_visible(game_id, player_id)
    own_seat(game, player_id)
    if game.head.status not in OVER:
        raise NotRunning(noted("This game isn't over yet."))
    numbers = count(1)
    while True:
        rematch_id = uuid5(game_id, f"rematch {next(numbers)}")
        try:
            found = load(rematch_id)
        except NotFound:
            found = _opened(rematch_id, game, player_id)
        has_seat = found.seat_of(player_id) is not None
        if has_seat and found.head.status not in OVER:
            return found
        if found.head.status == "open":
            return take_seat(rematch_id, player_id, SeatClaim(invitation=sign(INVITATION, rematch_id, ANY_SEAT)))


def is_rematch(game: Game) -> bool:
    """Return whether a game is the rematch of one of its host's earlier games."""
    own = (PlayerGame.player_id == game.head.host) & (PlayerGame.made_at < game.head.made_at)
    earlier = db.session.scalars(select(PlayerGame.game_id).where(own)).all()
    return any(uuid5(it, f"rematch {nr}") == game.game_id for it in earlier for nr in range(1, _MOST_REMATCHES + 1))


def _opened(rematch_id: UUID, game: Game, player_id: UUID) -> Game:
    try:
        return open_game(player_id, _like(game, player_id), rematch_id, _others(game, player_id))
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
        "title": head.title,
        "clock": head.clock,
        "on_timeout": head.on_timeout,
        "private": head.private or {"open": True} not in seats,
        "min_reliability": head.min_reliability,
        "programs": head.programs,
    }
