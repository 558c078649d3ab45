"""The signed link of a turn as a token: it sees and plays that turn of that seat, and is no login."""

from collections.abc import Collection
from contextlib import suppress
from typing import Any
from uuid import UUID

from server.accounts import tokens
from server.accounts.bans import is_in_force
from server.accounts.signed_links import TURN, Capability, verify
from server.accounts.tokens import OF_A_TURN, TOKEN, Caller, hash_of
from server.errors import BadToken, Banned, NotFound, PlayError, StaleTurn
from server.play.commits import load
from server.play.moves import Played, answer_again, expect_answer, is_taken_back, play_move, present_turn
from server.store.connections import autocommit, rows_of
from server.store.database_retry import tried_again
from server.translations import noted

_READER = "SELECT locale, banned_at, banned_until, ban_reason FROM players WHERE player_id = %s"
_STILL_ASKED = """\
SELECT s.game_id, s.seat, s.turn, p.banned_at, p.banned_until
  FROM seats s
  JOIN games g ON g.game_id = s.game_id AND g.status = 'running'
  JOIN players p ON p.player_id = s.player_id
 WHERE s.game_id = ANY(%(games)s) AND s.stand_in IS NULL"""


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
    player_id = game.seats[seat]["player_id"]
    with autocommit() as connection:
        row = connection.execute(_READER, (player_id,)).fetchone()
    if row is None:
        raise NotFound("There is nothing here.")
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
                    noted("A move was taken back, and with it this turn. A mail tells you when it is your turn again.")
                )
            raise BadToken(noted("This turn is over. A mail tells you when it is your turn again."))
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
