"""What can be done: one function a deed, one commit each. The shop window of this package."""

from server.bots import BOTS
from server.play.archive import LARGEST, Flaw
from server.play.archive import check as check_archive
from server.play.chat import messages, say
from server.play.deadlines import beat, follow_clock, follow_outages, move_clock, sweep
from server.play.games import open_game
from server.play.health import SKEW, clock_skew, parts, waiting
from server.play.lobby import list_games
from server.play.looking import describe, seen_by, story, view_of
from server.play.moves import (
    check_line,
    legal_moves,
    open_turn,
    play_line,
    play_move,
    present_turn,
    rest_of_turn,
    try_move,
    turn_word,
)
from server.play.players import (
    CODE_LIFE,
    LOCALES,
    SCOPES,
    Caller,
    begin_sign_in,
    caller,
    change_profile,
    forget_old_codes,
    further_token,
    player_token,
    profile,
    redeem,
    revoke,
)
from server.play.repeats import Kept, first_answer, forget_old_answers, game_of_key, keep
from server.play.seats import (
    accept_invitation,
    come_back,
    invitation,
    invite,
    is_kept,
    leave,
    return_word,
    returning,
    take_seat,
)
from server.play.upkeep import all_games, archive_of, check_game, rebuild_game, take_in
from server.play.votes import WISHES, vote, votes
from server.play.words import email_address
from server.rules import GAMES, BadOption, IllegalMove, Json, MalformedMove, RuleError, Seat
from server.store.connections import Unavailable, is_passing

__all__ = [
    "BOTS",
    "CODE_LIFE",
    "GAMES",
    "LARGEST",
    "LOCALES",
    "SCOPES",
    "SKEW",
    "WISHES",
    "BadOption",
    "Caller",
    "Flaw",
    "IllegalMove",
    "Json",
    "Kept",
    "MalformedMove",
    "RuleError",
    "Seat",
    "Unavailable",
    "accept_invitation",
    "all_games",
    "archive_of",
    "beat",
    "begin_sign_in",
    "caller",
    "change_profile",
    "check_archive",
    "check_game",
    "check_line",
    "clock_skew",
    "come_back",
    "describe",
    "email_address",
    "first_answer",
    "follow_clock",
    "follow_outages",
    "forget_old_answers",
    "forget_old_codes",
    "further_token",
    "game_of_key",
    "invitation",
    "invite",
    "is_kept",
    "is_passing",
    "keep",
    "leave",
    "legal_moves",
    "list_games",
    "messages",
    "move_clock",
    "open_game",
    "open_turn",
    "parts",
    "play_line",
    "play_move",
    "player_token",
    "present_turn",
    "profile",
    "rebuild_game",
    "redeem",
    "rest_of_turn",
    "return_word",
    "returning",
    "revoke",
    "say",
    "seen_by",
    "story",
    "sweep",
    "take_in",
    "take_seat",
    "try_move",
    "turn_word",
    "view_of",
    "vote",
    "votes",
    "waiting",
]
