"""Idempotent moves: a repeated move gets its first response."""

from collections.abc import Iterable, Iterator, Sequence
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
from server.play.story.authors import Viewer, visible_events
from server.play.table import TAKEN_BACK, Table, fold_commits, last_change_of_hands, new_table, parse_event
from server.play.views import load_visible, own_seat, you
from server.store.database_retry import with_retries
from server.store.log import Recorded

_LOST = timedelta(hours=1)  # how long a move can be repeated if its response was lost


class Played(NamedTuple):
    """The response to a move, with the current game. `first` is False if the move was repeated."""

    answer: Json
    first: bool
    game: Game


def answer_of(game: Game, commit: Sequence[Recorded], seat: Seat) -> Json:
    """Return the response to the move in this commit. `game` is the game after the commit."""
    rules, table = game.table.rules, game.table
    return {
        "version": table.version,
        "events": [item for _, item in visible_events(rules, commit, game.seats, Viewer(seat))],
        "view": rules.view(table.state, seat),
        "to_act": table.to_act,
        "you": you(table, seat),
    }


def first_answer(game: Game, seat: Seat, turn: int, move: Any) -> Played:
    """Return the response that this move got when it was first played for this turn. Raise StaleTurn if it was not
    played."""
    if found := _first_of(islice(_answers(game, seat, turn), 1), game, seat, move):
        return found
    raise stale_turn(game, seat, turn)


def stale_turn(game: Game, seat: Seat, turn: int) -> StaleTurn:
    """Return why the seat can't move for this turn, which isn't its current one."""
    is_others = turn in game.table.turns and next(_answers(game, seat, turn), None) is None
    return StaleTurn(
        game.table.turns[seat],
        is_taken_back(game.game_id, turn),
        future=turn if turn > game.table.version else None,
        others=turn if is_others else None,
    )


def answer_in_turn(game: Game, seat: Seat, turn: int, move: Any) -> Played | None:
    """Return the response that this move got as a part of this turn, or None if it was not played in it."""
    return _first_of(_answers(game, seat, turn), game, seat, move)


def is_taken_back(game_id: UUID, turn: int) -> bool:
    """Return whether the turn that began at this version was answered, and that answer was taken back."""
    return any(row.type == TAKEN_BACK and row.body["to"] <= turn < row.version for row in whole_log(game_id))


@with_retries
def answer_from_log(game_id: UUID, player_id: UUID, turn: int, move: Any) -> Json:
    """Return the first response to this move for this turn, however long ago it was played.

    Raise NotFound, NotSeated, MalformedMove. Raise StaleTurn if it was not played.
    """
    game = load_visible(game_id, player_id)
    return first_answer(game, own_seat(game, player_id), turn, game.table.rules.move_from_json(move)).answer


def answer_again(turn: Capability, part: int, move: Any) -> Played | None:
    """Return the response that this move got in the last hour, if it was played for the part `part` of this turn.
    Return None if there is no such response. Raise NotFound, MalformedMove."""
    game, since = load(turn.game_id), clock.now() - _LOST
    answers = (
        it
        for it in _answers(game, turn.seat, turn.number)
        if it.before.turns[turn.seat] == part and it.commit[-1].recorded_at > since
    )
    return _first_of(answers, game, turn.seat, game.table.rules.move_from_json(move))


class _Answer(NamedTuple):
    """A commit that answered a turn, with the tables before and after."""

    before: Table
    commit: list[Recorded]
    after: Table


def _first_of(answers: Iterable[_Answer], game: Game, seat: Seat, move: Any) -> Played | None:
    """Return the response to the first of these commits in which the player in this seat made this move."""
    for it in answers:
        if _is_played_so(game, it.before, it.commit, seat, move):
            return Played(answer_of(Game(game.head, game.seats, it.after), it.commit, seat), False, game)
    return None


def _answers(game: Game, seat: Seat, turn: int) -> Iterator[_Answer]:
    """Yield the commits that answered this turn and its later parts. Yield nothing if the seat has a new player, who
    must not see earlier secrets."""
    rules, rows = game.table.rules, whole_log(game.game_id)
    if turn < last_change_of_hands(rows, seat):
        return
    before, found = new_table(rules.NAME), False
    for commit, after in fold_commits(before, rows):
        if before.version == turn > 0 and before.turns[seat] == turn:
            found = True
        if found and after.turns[seat] != before.turns[seat]:
            if any(row.type == TAKEN_BACK and row.body["to"] < after.version < row.version for row in rows):
                return
            yield _Answer(before, commit, after)
            if after.turns[seat] is None or not rules.is_mid_turn(after.state, seat):
                return
        before = after


def present_turn(game: Game, seat: Seat, turn: int) -> int | None:
    """Return the current number of a turn: its own number, or the number of the rest of the turn. Return None once the
    turn is over."""
    now = game.table.turns[seat]
    if now in (turn, None) or not game.table.rules.is_mid_turn(game.table.state, seat):
        return now if now == turn else None
    return now if any(it.after.turns[seat] == now for it in _answers(game, seat, turn)) else None


def _is_played_so(game: Game, before: Table, commit: list[Recorded], seat: Seat, move: Any) -> bool:
    """Return whether the player in this seat made this move in this commit."""
    rules = before.rules
    if commit[0].type not in rules.EVENTS or before.stand_ins[seat] is not None or game.seats[seat].bot:
        return False
    return bool(rules.move_of([parse_event(rules, row) for row in commit if row.type in rules.EVENTS]) == move)
