"""Bot moves. A bot plays a whole turn at once."""

import random
from datetime import datetime
from functools import reduce
from typing import Any

from server.bots import BOTS
from server.games import Seat
from server.play.commits import commit_of, load, record
from server.play.game import Game, Outline
from server.play.timing.timeout_policy import DEFAULT_BOT
from server.store.log import GiveWay
from server.stored_data import read_or


def let_move(outline: Outline, seat: Seat, bot: str, now: datetime) -> bool:
    game = load(outline.game_id)
    if game.version != outline.version:
        return False
    events, drawn = bots_turn(game, seat, bot)
    return record(commit_of(game, events, now, drawn), GiveWay()) is not None


def bots_turn(game: Game, seat: Seat, bot: str) -> tuple[list[Any], int]:
    """Return a pair: the events with which the bot plays the rest of this turn, and the total number of random words
    drawn after them."""
    play = read_or(BOTS[DEFAULT_BOT], "bot", lambda: BOTS[bot])
    rules, state, dice, events = game.table.rules, game.table.state, game.dice(), list[Any]()
    while not events or rules.is_mid_turn(state, seat):
        move = play(rules, rules.view(state, seat), rules.legal_moves(state, seat), random.SystemRandom())
        moved = rules.decide(state, seat, move, dice)
        state = reduce(rules.apply, moved, state)
        events += moved
    return events, dice.drawn
