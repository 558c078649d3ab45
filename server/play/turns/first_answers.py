"""First answers: a move that comes again gets the answer that it got when it was played."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

from server.accounts.signed_links import Capability
from server.clock import clock
from server.errors import StaleTurn
from server.games import Json, Seat
from server.play.commits import load, whole_log
from server.play.game import Game
from server.play.story.authors import told
from server.play.table import TAKEN_BACK, Table, changed_hands, folded, new_table, typed
from server.play.views import own_seat, seen_by, you
from server.store.database_retry import tried_again
from server.store.log import Recorded

_LOST = timedelta(hours=1)  # in which an answer that did not arrive is asked for again


class Played(NamedTuple):
    """The answer to a move, and the game as it stands; `first` is False when the very same move was played before."""

    answer: Json
    first: bool
    game: Game


def answer_of(game: Game, commit: Sequence[Recorded], seat: Seat) -> Json:
    """What a move is answered with that was recorded as this commit, after which the game is as it is here."""
    rules, table = game.table.rules, game.table
    return {
        "version": table.version,
        "events": [item for _, item in told(rules, commit, seat, game.seats, ())],
        "view": rules.view(table.state, seat),
        "you": you(table, seat),
    }


def first_answer(game: Game, seat: Seat, turn: int, move: Any) -> Played:
    """What this very move was answered when it was played for this turn. Raises StaleTurn if it was not."""
    for before, commit, after in islice(_answers(game, seat, turn), 1):
        if _is_played_so(game, before, commit, seat, move):
            return Played(answer_of(Game(game.head, game.seats, after), commit, seat), False, game)
    raise StaleTurn(game.table.turns[seat], is_taken_back(game.game_id, turn))


def is_taken_back(game_id: UUID, turn: int) -> bool:
    """Whether the game has gone back to before the end of the turn that began with this version."""
    return any(row.type == TAKEN_BACK and row.body["to"] <= turn < row.version for row in whole_log(game_id))


@tried_again
def answer_from_log(game_id: UUID, player_id: UUID, turn: int, move: Any) -> Json:
    """What this very move was answered when it was played for this turn, however long ago.

    Raises NotFound, NotSeated, MalformedMove, StaleTurn if it was not played.
    """
    game = seen_by(game_id, player_id)
    return first_answer(game, own_seat(game, player_id), turn, game.table.rules.move_from_json(move)).answer


def answer_again(turn: Capability, part: int, move: Any) -> Played | None:
    """What this very move was answered within the last hour, by which it answered this turn or (`part`: by its number)
    the rest of it; None if it did not. Raises NotFound, MalformedMove.
    """
    game = load(turn.game_id)
    wanted, since = game.table.rules.move_from_json(move), clock.now() - _LOST
    for before, commit, after in _answers(game, turn.seat, turn.number):
        is_meant = before.turns[turn.seat] == part and commit[-1].recorded_at > since
        if is_meant and _is_played_so(game, before, commit, turn.seat, wanted):
            return Played(answer_of(Game(game.head, game.seats, after), commit, turn.seat), False, game)
    return None


def _answers(game: Game, seat: Seat, turn: int) -> Iterator[tuple[Table, list[Recorded], Table]]:
    """The commits that have answered this turn, and the rest of it if it went on; with the tables before and after. None,
    if the seat has another player since then: what it saw is not for him, nor any more for whoever has left it."""
    rules, rows = game.table.rules, whole_log(game.game_id)
    if turn < changed_hands(rows, seat):
        return
    before, found = new_table(rules.NAME), False
    for commit, after in folded(before, rows):
        if before.version == turn > 0 and before.turns[seat] == turn:
            found = True
        if found and after.turns[seat] != before.turns[seat]:
            if _is_taken_back(rows, after.version):
                return
            yield before, commit, after
            if after.turns[seat] is None or not rules.is_mid_turn(after.state, seat):
                return
        before = after


def _is_taken_back(rows: list[Recorded], version: int) -> bool:
    """Whether what came with this version was taken back later."""
    return any(row.type == TAKEN_BACK and row.body["to"] < version < row.version for row in rows)


def present_turn(game: Game, seat: Seat, turn: int) -> int | None:
    """The number by which a turn is asked for now: its own or, when a part of it was played, that of its rest; None
    once it is over.
    """
    now = game.table.turns[seat]
    if now in (turn, None) or not game.table.rules.is_mid_turn(game.table.state, seat):
        return now if now == turn else None
    return now if any(after.turns[seat] == now for _, _, after in _answers(game, seat, turn)) else None


def _is_played_so(game: Game, before: Table, commit: list[Recorded], seat: Seat, move: Any) -> bool:
    """Whether this commit was this very move of the person in this seat."""
    rules = before.rules
    if commit[0].type not in rules.EVENTS or before.stand_ins[seat] is not None or game.seats[seat].bot:
        return False
    return bool(rules.move_of([typed(rules, row) for row in commit if row.type in rules.EVENTS]) == move)
