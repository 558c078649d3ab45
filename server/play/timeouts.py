"""Time-outs: what happens to a seat whose time has run out."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from server.durations import duration_text
from server.play.bot_moves import bots_turn
from server.play.commits import load, record_within
from server.play.events import GameAbandoned, SeatHandedOver, TimeExtended, TimeRanOut
from server.play.game import Game
from server.play.timeout_policy import Abandon, BotMove, BotTakesOver, Extend, rung_for
from server.play.votes import count_votes
from server.rules import Seat
from server.store import inbox
from server.store.connections import autocommit
from server.store.log import record_unless_held
from server.store.seats import is_seat, put_off
from server.store.tables import SeatRow

SOON = timedelta(seconds=5)  # when to look again at a seat whose mail is being read


def time_out(game: Game, seat: Seat, due_at: datetime, now: datetime) -> bool:
    """What the ladder says; only for a rung above its extensions must the story be known."""
    rung, drawn = rung_for(game.ladder, game.table.extended[seat], 0), game.head["drawn"]
    if not isinstance(rung, Extend):
        seen, game = game.table.version, load(game.game_id)
        if game.table.version != seen:
            return False
        rung = rung_for(game.ladder, game.table.extended[seat], game.table.missed[seat])
    match rung:
        case Extend(by):
            events: list[Any] = [TimeExtended(seat, duration_text(by))]
        case BotMove(bot):
            moved, drawn = bots_turn(game, seat, bot)
            events = [TimeRanOut(seat, bot), *moved]
        case BotTakesOver(bot):
            events = [TimeRanOut(seat, None), SeatHandedOver(seat, bot, "time")]
        case Abandon():
            events = [TimeRanOut(seat, None), GameAbandoned(seat)]
    with autocommit() as connection:
        if_free = partial(record_unless_held, late=seat, due_at=due_at)
        is_recorded = record_within(connection, game, events, now, drawn, write=if_free) is not None
    if is_recorded and isinstance(events[-1], SeatHandedOver):
        count_votes(game.game_id)
    if not is_recorded and inbox.has_mail(game.game_id, seat, due_at):  # what is in that mail comes first
        put_off(is_seat(game.game_id, seat) & (SeatRow.wake_at == game.seats[seat]["wake_at"]), now + SOON)
    return is_recorded
