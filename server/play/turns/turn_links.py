"""The signed link of a turn, whose token the API also accepts. It gives access to this turn only, and doesn't sign the
player in."""

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
from server.games.presentation import read_move, write_move
from server.play.commits import load
from server.play.game import Game
from server.play.moves import RACES, answer_turn, expect_answer, play_move
from server.play.turns.first_answers import Played, answer_again, is_taken_back, present_turn
from server.play.views import turn_of
from server.store.connections import autocommit, rows_of
from server.store.database_retry import Unavailable, with_retries
from server.translations import noted

_READER = "SELECT locale, banned_at, banned_until, ban_reason FROM players WHERE player_id = %s"
_STILL_ASKED = """\
SELECT s.game_id, s.seat, s.turn, p.banned_at, p.banned_until
  FROM seats s
  JOIN games g ON g.game_id = s.game_id AND g.status = 'running'
  JOIN players p ON p.player_id = s.player_id
 WHERE s.game_id = ANY(%(games)s) AND s.stand_in IS NULL"""


def check_line(word: str, line: str, locale: str = "en") -> str:
    """Return the move that this line describes in the reader's language, if the move is legal now.

    Raise NotFound, StaleTurn, MalformedMove, IllegalMove.
    """
    game, seat, is_open = open_turn(word)
    rules = game.table.rules
    move = read_move(rules, line, locale)
    if not is_open:
        raise StaleTurn(game.table.turns[seat])
    rules.decide(game.table.state, seat, move, game.dice())
    return write_move(rules, move, locale)


def turn_word(game_id: UUID, seat: Seat, turn: int) -> str:
    """Return the link token with which only this turn can be played."""
    return sign(TURN, game_id, seat, turn)


def open_turn(word: str) -> tuple[Game, Seat, bool]:
    """Return the game and seat of a link token, and whether its turn is still open. Raise NotFound if the token is
    invalid."""
    game_id, seat, turn = verify(TURN, word)
    game = load(game_id)
    return game, seat, turn_of(game.table, seat) == turn


def future_turn(word: str) -> int | None:
    """Return the turn number of a link if the game hasn't reached that turn, which can happen after a backup was
    restored. Otherwise return None. Raise NotFound if the link is invalid."""
    game_id, _, turn = verify(TURN, word)
    return turn if turn > load(game_id).table.version else None


def is_undone(word: str) -> bool:
    """Return whether a take-back ended this link's turn. Raise NotFound if the link is invalid."""
    game_id, _, turn = verify(TURN, word)
    return is_taken_back(game_id, turn)


def rest_of_turn(word: str) -> str | None:
    """Return the link token for the rest of a partly played turn, or None if nothing is left to play. Raise NotFound if
    the token is invalid."""
    game_id, seat, turn = verify(TURN, word)
    game = load(game_id)
    now = present_turn(game, seat, turn)
    return turn_word(game_id, seat, now) if now not in (None, turn) and now == turn_of(game.table, seat) else None


@with_retries
def play_line(word: str, line: str, locale: str = "en") -> Played:
    """Play the turn of a link with a move in the game's notation, or in words of the reader's language.

    Raise NotFound, NotRunning, StaleTurn, HandedOver, MalformedMove, IllegalMove.
    """
    game_id, seat, turn = verify(TURN, word)
    for _ in range(RACES):
        game = load(game_id)
        if played := answer_turn(game, seat, turn, read_move(game.table.rules, line, locale)):
            return played
    raise Unavailable


@with_retries
def caller(token: str) -> Caller:
    """Return the owner of a token, or the player of a turn link from an email. Raise BadToken, Banned."""
    if not TOKEN.fullmatch(token):
        with suppress(NotFound):
            return _player_of_link(token)
    return tokens.caller(token)


def still_valid(callers: Collection[Caller]) -> set[bytes]:
    """Return the hashes of those tokens and turn links of the callers that are still active."""
    of_turns = [(it, it.turn) for it in callers if it.turn is not None]
    valid = tokens.still_valid(it for it in callers if it.turn is None)
    return valid | _open_turns(of_turns) if of_turns else valid


def _player_of_link(word: str) -> Caller:
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
    """Play the turn of a link from an email. `closed`: why the turn is over, or None. If it is over, a repeated move
    gets its first response.

    Raise BadToken, and the errors that `play_move` raises.
    """
    if closed is not None:
        if again := answer_again(link, turn, move):
            return again
        raise BadToken(closed)
    if turn > link.number:  # the later turn might begin before the move is played
        raise StaleTurn(link.number)
    return play_move(link.game_id, player_id, turn, move)


def _open_turns(callers: Collection[tuple[Caller, Capability]]) -> set[bytes]:
    """Return the hashes of the callers' turn links whose turns are still open."""
    with autocommit() as connection:
        found = rows_of(connection, _STILL_ASKED, {turn.game_id for _, turn in callers})
    asked = {(game_id, seat): now for game_id, seat, now, *ban in found if not is_in_force(*ban)}
    return {caller.token_hash for caller, turn in callers if _goes_on(turn, asked.get((turn.game_id, turn.seat)))}


def _goes_on(turn: Capability, now: int | None) -> bool:
    """Return whether the seat's current turn is the turn of this link, or the rest of it."""
    return now == turn.number or (now is not None and present_turn(load(turn.game_id), turn.seat, turn.number) == now)
