"""What can be done: one function a deed, one commit each. The shop window of this package."""

from server.play.deadlines import beat, follow_clock, move_clock, sweep
from server.play.games import (
    accept_invitation,
    describe,
    invitation,
    leave,
    list_games,
    open_game,
    seen_by,
    story,
    take_seat,
)
from server.play.moves import check_line, legal_moves, open_turn, play_line, play_move, turn_word
from server.play.players import (
    LOCALES,
    SCOPES,
    Caller,
    begin_sign_in,
    caller,
    change_profile,
    further_token,
    player_token,
    profile,
    redeem,
)
from server.play.words import email_address
from server.rules import GAMES, BadOption, IllegalMove, MalformedMove, RuleError
from server.store.connections import Unavailable, is_passing

__all__ = [
    "GAMES",
    "LOCALES",
    "SCOPES",
    "BadOption",
    "Caller",
    "IllegalMove",
    "MalformedMove",
    "RuleError",
    "Unavailable",
    "accept_invitation",
    "beat",
    "begin_sign_in",
    "caller",
    "change_profile",
    "check_line",
    "describe",
    "email_address",
    "follow_clock",
    "further_token",
    "invitation",
    "is_passing",
    "leave",
    "legal_moves",
    "list_games",
    "move_clock",
    "open_game",
    "open_turn",
    "play_line",
    "play_move",
    "player_token",
    "profile",
    "redeem",
    "seen_by",
    "story",
    "sweep",
    "take_seat",
    "turn_word",
]
