"""Playing a move, whoever asks for it, and what a player needs to know before he does."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial, reduce
from itertools import islice
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Connection

from server.accounts.signed_links import TURN, Capability, sign, verify
from server.clock import clock
from server.errors import HandedOver, NotRunning, StaleTurn
from server.play.authors import told
from server.play.commits import load, record, record_within, whole_log
from server.play.game import Game
from server.play.table import TAKEN_BACK, Table, changed_hands, folded, new_table, typed
from server.play.views import own_seat, played_seat, seen_by, turn_of, you
from server.rules import Json, Seat
from server.store.database_retry import Unavailable, tried_again
from server.store.log import Recorded

_LOST = timedelta(hours=1)  # in which an answer that did not arrive is asked for again
_RACES = 20  # commits that may come first, one after the other, before a move is turned away


Commit = Callable[..., Game | None]  # commits.record, or another with the same first arguments


class Played(NamedTuple):
    """The answer to a move, and the game as it stands; `first` is False when the very same move was played before."""

    answer: Json
    first: bool
    game: Game


@tried_again
def play_move(game_id: UUID, player_id: UUID, turn: int, move: Any) -> Played:
    """Play one move (the game's JSON form) for the turn it answers; events, due times and letters are one commit.

    Raises NotFound, NotSeated, NotRunning, StaleTurn, HandedOver, MalformedMove, IllegalMove.
    """
    for _ in range(_RACES):
        game = seen_by(game_id, player_id)
        wanted = game.table.rules.move_from_json(move)
        if played := _play(game, played_seat(game, player_id), turn, wanted):
            return played
    raise Unavailable


@tried_again
def play_reply(game: Game, player_id: UUID, turn: int, move: Any, arrived_at: datetime) -> Played:
    """Play the move of a mail, which the rules have read already, as `play_move` does; the game is loaded again only if
    it has gone on meanwhile.

    `arrived_at`: when the mail came; the turn has taken no longer.
    Raises NotSeated, NotRunning, StaleTurn, HandedOver, IllegalMove.
    """
    for _ in range(_RACES):
        if played := _play(game, played_seat(game, player_id), turn, move, arrived_at):
            return played
        game = load(game.game_id)
    raise Unavailable


@tried_again
def play_line(word: str, line: str) -> Played:
    """Play the turn that a signed link allows, the move written in the game's notation.

    Raises NotFound, NotRunning, StaleTurn, HandedOver, MalformedMove, IllegalMove.
    """
    game_id, seat, turn = verify(TURN, word)
    for _ in range(_RACES):
        game = load(game_id)
        if played := _play(game, seat, turn, game.table.rules.read_move(line)):
            return played
    raise Unavailable


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


def play_planned(connection: Connection[Any], game: Game, seat: Seat, turn: int, move: Json) -> Game:
    """Play a move that was left for this turn, within the transaction that holds the game's head.

    Raises NotRunning, HandedOver, IllegalMove.
    """
    wanted = game.table.rules.move_from_json(move)
    played = _play(game, seat, turn, wanted, commit=partial(record_within, connection))
    assert played is not None  # nobody else could be faster
    return played.game


def _play(
    game: Game, seat: Seat, turn: int, move: Any, arrived_at: datetime | None = None, commit: Commit = record
) -> Played | None:
    """None: somebody else was faster, look again."""
    table = game.table
    if not table.turns:
        raise NotRunning("This game has not started.")
    if table.turns[seat] != turn:
        return _first_answer(game, seat, turn, move)
    expect_answer(game, seat)
    dice = game.dice()
    events = table.rules.decide(table.state, seat, move, dice)
    after = commit(game, events, clock.now(), dice.drawn, arrived_at)
    return None if after is None else Played(_answer(after, after.newest, seat), True, after)


def expect_answer(game: Game, seat: Seat) -> None:
    """Raises NotRunning, HandedOver if this seat's person cannot move now."""
    if game.table.status == "paused":
        raise NotRunning("This game is paused.")
    if bot := game.table.stand_ins[seat]:
        raise HandedOver("The bot %(bot)s plays your seat; take your seat back first.", bot=bot)


def try_move(game_id: UUID, player_id: UUID, turn: int, move: Any) -> Json:
    """What this move would lead to, as far as its player can foresee it; changes nothing and reveals nothing.

    Raises what `play_move` raises.
    """
    game = seen_by(game_id, player_id)
    rules, table, seat = game.table.rules, game.table, played_seat(game, player_id)
    wanted = rules.move_from_json(move)
    if not table.turns:
        raise NotRunning("This game has not started.")
    if table.turns[seat] != turn:
        raise StaleTurn(table.turns[seat])
    expect_answer(game, seat)
    events, would_reveal = rules.preview(table.state, seat, rules.decide(table.state, seat, wanted, game.dice()))
    return {
        "would": [told for event in events if (told := rules.tell(event, seat)) is not None],
        "view": rules.view(reduce(rules.apply, events, table.state), seat),
        "would_reveal": would_reveal,
    }


def _answer(game: Game, commit: Any, seat: Seat) -> Json:
    rules, table = game.table.rules, game.table
    return {
        "version": table.version,
        "events": [item for _, item in told(rules, commit, seat, game.seats, ())],
        "view": rules.view(table.state, seat),
        "you": you(table, seat),
    }


def _first_answer(game: Game, seat: Seat, turn: int, move: Any) -> Played:
    """What this very move was answered when it was played for this turn. Raises StaleTurn if it was not."""
    for before, commit, after in islice(_answers(game, seat, turn), 1):
        if _is_played_so(game, before, commit, seat, move):
            return Played(_answer(Game(game.head, game.seats, after), commit, seat), False, game)
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
    return _first_answer(game, own_seat(game, player_id), turn, game.table.rules.move_from_json(move)).answer


def answer_again(turn: Capability, part: int, move: Any) -> Played | None:
    """What this very move was answered within the last hour, by which it answered this turn or (`part`: by its number)
    the rest of it; None if it did not. Raises NotFound, MalformedMove.
    """
    game = load(turn.game_id)
    wanted, since = game.table.rules.move_from_json(move), clock.now() - _LOST
    for before, commit, after in _answers(game, turn.seat, turn.number):
        is_meant = before.turns[turn.seat] == part and commit[-1].recorded_at > since
        if is_meant and _is_played_so(game, before, commit, turn.seat, wanted):
            return Played(_answer(Game(game.head, game.seats, after), commit, turn.seat), False, game)
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
    if commit[0].type not in rules.EVENTS or before.stand_ins[seat] is not None or game.seats[seat]["bot"]:
        return False
    return bool(rules.move_of([typed(rules, row) for row in commit if row.type in rules.EVENTS]) == move)


def legal_moves(game_id: UUID, player_id: UUID, begun: list[Any]) -> Json:
    """The player's present turn and the moves open to him; none while somebody stands in for him. Raises NotFound, NotSeated, MalformedMove, IllegalMove."""
    game = seen_by(game_id, player_id)
    rules, state, seat = game.table.rules, game.table.state, own_seat(game, player_id)
    steps = [rules.move_from_json(step) for step in begun]
    turn = turn_of(game.table, seat) if game.seats[seat]["player_id"] == player_id else None
    moves = rules.legal_moves(state, seat, steps) if turn is not None else []
    return {"turn": turn, "moves": [rules.move_to_json(move) for move in moves]}
