"""Turns of bots that search. Low-priority processes compute them, one turn at a time. If a turn has waited for
`PATIENCE`, the sweep plays it with the bot `greedy`. So a slow or killed process can't delay a game for longer."""

import logging
import random
from collections.abc import Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple
from uuid import UUID

from server.bots import LEVELS, choose, searches
from server.bots.search import Seen
from server.clock import clock
from server.games import GAMES, Json, Seat, standing
from server.play.commits import commit_of, load, record, whole_log
from server.play.game import Game
from server.play.table import parse_event, story_item
from server.play.timing import host_clock
from server.store.connections import autocommit
from server.store.log import GiveWay

SEARCHERS: Final = [it for it in LEVELS if any(searches(it, rules) for rules in GAMES.values())]
PATIENCE: Final = timedelta(minutes=1)
_AT_ONCE = 20  # a process picks one of this many turns at random, so that two processes rarely pick the same one

_WAITING = """
SELECT game_id, seat FROM seats
 WHERE wake_at <= %(now)s AND wake_at > %(late)s AND COALESCE(bot, stand_in) = ANY(%(levels)s)
 ORDER BY wake_at LIMIT %(most)s"""

log = logging.getLogger(__name__)


class _Waiting(NamedTuple):
    game_id: UUID
    seat: Seat


def think_due(seconds: float) -> bool:
    """Play a waiting turn, using at most this many seconds of CPU time. Return False if no turn is waiting.

    Errors are logged. After an error, the sweep plays the turn.
    """
    if host_clock.is_wrong():
        return False
    waiting = _waiting()
    if waiting:
        it = random.choice(waiting)
        try:
            _think(it, seconds)
        except Exception:
            log.exception("Seat %s of game %s could not be thought about; the sweep moves for it", it.seat, it.game_id)
            return False
    return bool(waiting)


def _waiting() -> Sequence[_Waiting]:
    now = clock.now()
    bounds = {"now": now, "late": now - PATIENCE, "levels": SEARCHERS, "most": _AT_ONCE}
    with autocommit() as connection:
        return [_Waiting(*row) for row in connection.execute(_WAITING, bounds)]


def _think(it: _Waiting, seconds: float) -> None:
    game = load(it.game_id)
    bot = game.bot_at(it.seat)
    if bot is not None and bot in SEARCHERS and game.seats[it.seat].turn is not None:
        events, drawn = thought_out_turn(game, it.seat, bot, seconds)
        record(commit_of(game, events, clock.now(), drawn), GiveWay())


def thought_out_turn(game: Game, seat: Seat, bot: str, seconds: float) -> tuple[list[Any], int]:
    """Return a pair: the events with which a bot that searches plays the rest of this turn, and the total number of
    random words drawn after them."""
    rules, state, dice, events = game.table.rules, game.table.state, game.dice(), list[Any]()
    story, rng = shown_to(game, seat), random.SystemRandom()
    while not events or rules.is_mid_turn(state, seat):
        seen = Seen(rules, seat, rules.view(state, seat), story, rules.legal_moves(state, seat))
        moved = rules.decide(state, seat, choose(bot, seen, seconds, rng), dice)
        for event in moved:
            state = rules.apply(state, event)
            told = rules.tell(event, seat)
            story = [*story, told] if told is not None else story
        events += moved
    return events, dice.drawn


def shown_to(game: Game, seat: Seat) -> list[Json]:
    """Return the events of the game that this seat's player has seen, without those that were taken back."""
    rules = game.table.rules
    rows = [row for row in whole_log(game.game_id) if row.version <= game.version]
    items = [story_item(rules, row, parse_event(rules, row), seat) for row in rows]
    return standing([item for item in items if item is not None])
