"""Hints: the moves that a search prefers, for a player whose opponents are all bots.

A web process computes a hint within the request. The worker, which also runs the sweep, has a hint computed by another
process. A hint is short, one at a time per process, and limited per player, so it needs no queue.
"""

from collections.abc import Callable, Sequence
from threading import Lock
from typing import Final
from uuid import UUID

from server.accounts.rate_limits import Use, expect_within
from server.bots import advice
from server.bots.advice import suggested
from server.bots.search import Compared, Effort, Seen, can_compare
from server.errors import NoHints, TooMany
from server.games import Json, Seat
from server.games.presentation import write_move
from server.play.game import Game
from server.play.turns.thinking import shown_to
from server.play.views import load_visible, played_seat, turn_of
from server.store.tables import db
from server.translations import noted

MOVES: Final = 3
PATIENCE: Final = 1.0  # seconds to wait for another hint; waiting requests occupy the threads that serve moves
RETRY: Final = 5  # seconds until a refused player may try again

_one_at_a_time = Lock()

Suggest = Callable[[Seen, Effort, float], Sequence[Compared]]


def count_hint(player_id: UUID) -> None:
    """Count a hint against the player's limit, in the current transaction. Raise TooMany."""
    expect_within(Use("hints", player_id))


def suggested_here(seen: Seen, effort: Effort, seconds: float) -> Sequence[Compared]:
    """Compare moves in this process, one hint at a time. Raise TooMany."""
    if not _one_at_a_time.acquire(timeout=PATIENCE):
        raise TooMany(noted("Other players are getting hints at the moment. Try again in a few seconds."), RETRY)
    try:
        return suggested(seen, effort, seconds)
    finally:
        _one_at_a_time.release()


def hint(
    game_id: UUID,
    player_id: UUID,
    locale: str,
    counts: Callable[[UUID], object] = count_hint,
    suggests: Suggest = suggested_here,
) -> Json:
    """Return the best moves for the player's present turn, or none if it isn't their turn.

    It depends only on the seat's view and story. Raise NotFound, NotSeated, HandedOver, NoHints, TooMany.
    """
    game = load_visible(game_id, player_id)
    seat = played_seat(game, player_id)
    _expect_bots_only(game, seat)
    turn = turn_of(game.table, seat)
    if turn is None:
        return {"turn": None, "moves": []}
    counts(player_id)
    db.session.commit()
    rules = game.table.rules
    state = game.table.state
    seen = Seen(rules, seat, rules.view(state, seat), shown_to(game, seat), rules.legal_moves(state, seat))
    compared = suggests(seen, advice.EFFORT, advice.SECONDS)
    return {
        "turn": turn,
        "moves": [
            {
                "move": rules.move_to_json(move),
                "words": write_move(rules, move, locale),
                "behind": round(compared[0].gain - gain, 2),
            }
            for move, gain, _ in compared[:MOVES]
        ],
    }


def has_hints(game: Game, seat: Seat) -> bool:
    """Return whether the player of a seat can get hints on their turns."""
    try:
        _expect_bots_only(game, seat)
    except NoHints:
        return False
    return True


def _expect_bots_only(game: Game, seat: Seat) -> None:
    """Raise NoHints if a person has or had another seat, or if the seat's player is a stand-in."""
    others = [row for row in game.seats if row.seat != seat]
    if game.seats[seat].owner_id is not None or any(row.kind != "bot" for row in others):
        raise NoHints(noted("You can get hints only in games in which all other players are bots."))
    if not can_compare(game.table.rules):
        raise NoHints(noted("This game has no hints."))
