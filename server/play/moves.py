"""Playing a move, whoever asks for it, and what a player needs to know before he does."""

from datetime import datetime
from functools import reduce
from typing import Any
from uuid import UUID

from psycopg import Connection

from server.clock import clock
from server.errors import HandedOver, NotRunning, StaleTurn
from server.games import Json, Seat
from server.play.commits import Commit, commit_of, load, record, record_within
from server.play.game import Game
from server.play.turns.first_answers import Played, answer_of, first_answer
from server.play.views import own_seat, played_seat, seen_by, turn_of
from server.store.database_retry import Unavailable, tried_again

RACES = 20  # commits that may come first, one after the other, before a move is turned away


@tried_again
def play_move(game_id: UUID, player_id: UUID, turn: int, move: Any) -> Played:
    """Play one move (the game's JSON form) for the turn it answers; events, due times and letters are one commit.

    Raises NotFound, NotSeated, NotRunning, StaleTurn, HandedOver, MalformedMove, IllegalMove.
    """
    for _ in range(RACES):
        game = seen_by(game_id, player_id)
        wanted = game.table.rules.move_from_json(move)
        if played := answer_turn(game, played_seat(game, player_id), turn, wanted):
            return played
    raise Unavailable


@tried_again
def play_reply(game: Game, player_id: UUID, turn: int, move: Any, arrived_at: datetime) -> Played:
    """Play the move of a mail, which the rules have read already, as `play_move` does; the game is loaded again only if
    it has gone on meanwhile.

    `arrived_at`: when the mail came; the turn has taken no longer.
    Raises NotSeated, NotRunning, StaleTurn, HandedOver, IllegalMove.
    """
    for _ in range(RACES):
        if played := answer_turn(game, played_seat(game, player_id), turn, move, arrived_at):
            return played
        game = load(game.game_id)
    raise Unavailable


def play_planned(connection: Connection[Any], game: Game, seat: Seat, move: Json) -> Game:
    """Play a move that was left for the present turn, within the transaction that holds the game's head.

    Raises HandedOver, IllegalMove.
    """
    after = record_within(connection, _commit_of_move(game, seat, game.table.rules.move_from_json(move)))
    assert after is not None  # nobody else could be faster
    return after


def answer_turn(game: Game, seat: Seat, turn: int, move: Any, arrived_at: datetime | None = None) -> Played | None:
    """Play one move, which the rules have read, as `play_move` does.

    Return None if another commit was faster: then look again."""
    table = game.table
    if not table.turns:
        raise NotRunning("This game has not started.")
    if table.turns[seat] != turn:
        return first_answer(game, seat, turn, move)
    after = record(_commit_of_move(game, seat, move, arrived_at))
    return None if after is None else Played(answer_of(after, after.newest, seat), True, after)


def _commit_of_move(game: Game, seat: Seat, move: Any, arrived_at: datetime | None = None) -> Commit:
    """Raises NotRunning, HandedOver, IllegalMove."""
    expect_answer(game, seat)
    table, dice = game.table, game.dice()
    events = table.rules.decide(table.state, seat, move, dice)
    return commit_of(game, events, clock.now(), dice.drawn, arrived_at)


def expect_answer(game: Game, seat: Seat) -> None:
    """Raises NotRunning, HandedOver if this seat's person cannot move now."""
    if game.table.status == "paused":
        raise NotRunning("This game is paused.")
    if bot := game.table.stand_ins[seat]:
        raise HandedOver("The bot %(bot)s is playing for you. Take your seat back first.", bot=bot)


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


def legal_moves(game_id: UUID, player_id: UUID, begun: list[Any]) -> Json:
    """The player's present turn and the moves open to him; none while somebody stands in for him. Raises NotFound, NotSeated, MalformedMove, IllegalMove."""
    game = seen_by(game_id, player_id)
    rules, state, seat = game.table.rules, game.table.state, own_seat(game, player_id)
    steps = [rules.move_from_json(step) for step in begun]
    turn = turn_of(game.table, seat) if game.seats[seat].player_id == player_id else None
    moves = rules.legal_moves(state, seat, steps) if turn is not None else []
    return {"turn": turn, "moves": [rules.move_to_json(move) for move in moves]}
