"""The signed link of a turn, also as a token: it sees and plays that turn of that seat, and is no login."""

from collections.abc import Collection
from contextlib import suppress
from typing import Any
from uuid import UUID

from server.accounts import tokens
from server.accounts.bans import is_in_force
from server.accounts.signed_links import TURN, Capability, sign, verify
from server.accounts.tokens import OF_A_TURN, TOKEN, Caller, hash_of
from server.errors import BadToken, Banned, NotFound, PlayError, StaleTurn
from server.games import Seat
from server.play.commits import load
from server.play.game import Game
from server.play.moves import RACES, answer_turn, expect_answer, play_move
from server.play.turns.first_answers import Played, answer_again, is_taken_back, present_turn
from server.play.views import turn_of
from server.store.connections import autocommit, rows_of
from server.store.database_retry import Unavailable, tried_again
from server.translations import noted

_READER = "SELECT locale, banned_at, banned_until, ban_reason FROM players WHERE player_id = %s"
_STILL_ASKED = """\
SELECT s.game_id, s.seat, s.turn, p.banned_at, p.banned_until
  FROM seats s
  JOIN games g ON g.game_id = s.game_id AND g.status = 'running'
  JOIN players p ON p.player_id = s.player_id
 WHERE s.game_id = ANY(%(games)s) AND s.stand_in IS NULL"""


def check_line(word: str, line: str) -> str:
    """The move of this line as the notation writes it, if it may be played now; changes nothing.

    Raises NotFound, StaleTurn, MalformedMove, IllegalMove.
    """
    game, seat, is_open = open_turn(word)
    rules = game.table.rules
    move = rules.read_move(line)
    if not is_open:
        raise StaleTurn(game.table.turns[seat])
    rules.decide(game.table.state, seat, move, game.dice())
    return rules.write_move(move)


def turn_word(game_id: UUID, seat: Seat, turn: int) -> str:
    """The signed link that plays this turn of this seat and nothing else."""
    return sign(TURN, game_id, seat, turn)


def open_turn(word: str) -> tuple[Game, Seat, bool]:
    """The game and seat of a signed link, and whether its turn still waits for an answer. Raises NotFound."""
    game_id, seat, turn = verify(TURN, word)
    game = load(game_id)
    return game, seat, turn_of(game.table, seat) == turn


def is_undone(word: str) -> bool:
    """Whether the turn of a signed link is over because a move was taken back. Raises NotFound."""
    game_id, _, turn = verify(TURN, word)
    return is_taken_back(game_id, turn)


def rest_of_turn(word: str) -> str | None:
    """The signed link that plays what is left of a turn, if a part of it was played. Raises NotFound."""
    game_id, seat, turn = verify(TURN, word)
    game = load(game_id)
    now = present_turn(game, seat, turn)
    return turn_word(game_id, seat, now) if now not in (None, turn) and now == turn_of(game.table, seat) else None


@tried_again
def play_line(word: str, line: str) -> Played:
    """Play the turn that a signed link allows, the move written in the game's notation.

    Raises NotFound, NotRunning, StaleTurn, HandedOver, MalformedMove, IllegalMove.
    """
    game_id, seat, turn = verify(TURN, word)
    for _ in range(RACES):
        game = load(game_id)
        if played := answer_turn(game, seat, turn, game.table.rules.read_move(line)):
            return played
    raise Unavailable


@tried_again
def caller(token: str) -> Caller:
    """Whose token this is, or whose turn if it is that of a mailed link. Raises BadToken, Banned."""
    if not TOKEN.fullmatch(token):
        with suppress(NotFound):
            return _asked_by_mail(token)
    return tokens.caller(token)


def still_valid(callers: Collection[Caller]) -> set[bytes]:
    """The hashes of those tokens, and signed links of turns, that are good even now."""
    of_turns = [(it, it.turn) for it in callers if it.turn is not None]
    valid = tokens.still_valid(it for it in callers if it.turn is None)
    return valid | _still_asked(of_turns) if of_turns else valid


def _asked_by_mail(word: str) -> Caller:
    """Whoever sits where this word leads to. Raises NotFound, Banned."""
    game_id, seat, number = verify(TURN, word)
    game = load(game_id)
    player_id = game.seats[seat].player_id
    with autocommit() as connection:
        row = connection.execute(_READER, (player_id,)).fetchone()
    if row is None or player_id is None:
        raise NotFound("Nothing was found at this address.")
    locale, *ban, why = row
    if is_in_force(*ban):
        raise Banned(ban[1], why)
    who = Caller(player_id, frozenset(OF_A_TURN), None, hash_of(word), locale, game_id)
    try:
        expect_answer(game, seat)
        now = present_turn(game, seat, number)
        if now is None:
            if is_taken_back(game_id, number):
                raise BadToken(
                    noted("A move was taken back, and this turn with it. We'll email you when it's your turn again.")
                )
            raise BadToken(noted("This turn is over. We'll email you when it's your turn again."))
    except PlayError as error:
        return who._replace(turn=Capability(game_id, seat, number), closed=error.words)
    return who._replace(turn=Capability(game_id, seat, now))


def play_by_link(player_id: UUID, link: Capability, closed: str | None, turn: int, move: Any) -> Played:
    """Play the turn of a mailed link; when that is over (`closed` says why), whoever may have lost the answer to his
    own move gets it again.

    Raises BadToken, and what `play_move` raises.
    """
    if closed is not None:
        if again := answer_again(link, turn, move):
            return again
        raise BadToken(closed)
    if turn > link.number:  # it may begin before this is played
        raise StaleTurn(link.number)
    return play_move(link.game_id, player_id, turn, move)


def _still_asked(callers: Collection[tuple[Caller, Capability]]) -> set[bytes]:
    """The hashes of those words whose turns wait for an answer even now."""
    with autocommit() as connection:
        found = rows_of(connection, _STILL_ASKED, {turn.game_id for _, turn in callers})
    asked = {(game_id, seat): now for game_id, seat, now, *ban in found if not is_in_force(*ban)}
    return {caller.token_hash for caller, turn in callers if _goes_on(turn, asked.get((turn.game_id, turn.seat)))}


def _goes_on(turn: Capability, now: int | None) -> bool:
    """Whether the turn by which a seat is asked now is this one, or the rest of it."""
    return now == turn.number or (now is not None and present_turn(load(turn.game_id), turn.seat, turn.number) == now)
