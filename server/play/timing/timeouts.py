"""Time-outs of seats whose time has run out."""

from datetime import datetime, timedelta
from typing import Any

from server.durations import duration_text
from server.games import Seat
from server.play.commits import commit_of, load, record, record_extension
from server.play.events import GameAbandoned, SeatHandedOver, TimeRanOut
from server.play.game import Game, Outline
from server.play.timing.timeout_policy import Abandon, BotMove, BotTakesOver, Extend, Rung, rung_for
from server.play.turns.bot_moves import bots_turn
from server.play.votes import count_votes
from server.store import desk, inbox
from server.store.log import GiveWay
from server.store.seats import is_seat, postpone
from server.store.tables import SeatRow

SOON = timedelta(seconds=5)  # delay while an email from the seat's player is being read


def time_out(outline: Outline, seat: Seat, due_at: datetime, now: datetime) -> bool:
    """Apply the game's time-out policy to a seat. Return False if the game is locked, another commit came first, or an
    email from the seat's player arrived in time."""
    player_id = outline.seats[seat].player_id
    is_at_desk = player_id is not None and desk.has_mail(player_id, due_at)  # it may be a move
    is_done = not is_at_desk and _time_out(outline, seat, due_at, now)
    if is_at_desk or (not is_done and inbox.has_mail(outline.game_id, seat, due_at)):
        postpone(is_seat(outline.game_id, seat) & (SeatRow.wake_at == outline.seats[seat].wake_at), now + SOON)
    return is_done


def _time_out(outline: Outline, seat: Seat, due_at: datetime, now: datetime) -> bool:
    rung = rung_for(outline.ladder, outline.extended[seat], missed=0)
    if not isinstance(rung, Extend):  # only the steps that follow the extensions need the log
        game = load(outline.game_id)
        if game.version != outline.version:
            return False
        rung = rung_for(outline.ladder, outline.extended[seat], game.table.missed[seat])
        if not isinstance(rung, Extend):
            return _miss(game, seat, rung, due_at, now)
    return record_extension(outline, seat, duration_text(rung.by), due_at, now)


def _miss(game: Game, seat: Seat, rung: Rung, due_at: datetime, now: datetime) -> bool:
    """End the turn with this step, which counts as a time-out of the player."""
    events, drawn = _what_happens(game, seat, rung)
    is_done = record(commit_of(game, events, now, drawn), GiveWay(seat, due_at)) is not None
    if is_done and isinstance(rung, BotTakesOver):
        count_votes(game.game_id)
    return is_done


def _what_happens(game: Game, seat: Seat, rung: Rung) -> tuple[list[Any], int]:
    """Return a pair: the events of this step, and the total number of random words drawn after them."""
    drawn = game.head.drawn
    match rung:
        case BotMove(bot):
            moved, drawn = bots_turn(game, seat, bot)
            return [TimeRanOut(seat, bot), *moved], drawn
        case BotTakesOver(bot):
            return [TimeRanOut(seat, None), SeatHandedOver(seat, bot, "time")], drawn
        case Abandon():
            return [TimeRanOut(seat, None), GameAbandoned(seat)], drawn
    raise ValueError("An extension is no miss.")
