"""Playing, trying out and listing moves, for all channels."""

from datetime import datetime
from functools import reduce
from typing import Any
from uuid import UUID

from psycopg import Connection

from server.clock import clock
from server.errors import HandedOver, NotRunning
from server.games import Json, Seat
from server.games.presentation import bot_name
from server.play.commits import Commit, commit_of, load, record, record_within
from server.play.game import Game
from server.play.turns.first_answers import Played, answer_in_turn, answer_of, first_answer, present_turn, stale_turn
from server.play.views import load_visible, own_seat, played_seat, turn_of
from server.store.database_retry import Unavailable, with_retries

RACES = 20  # how often another commit may come first before a move is rejected


@with_retries
def play_move(game_id: UUID, player_id: UUID, turn: int, move: Any) -> Played:
    """Play a move (in JSON) for this turn. Events, due times and emails are written in one commit.

    Raise NotFound, NotSeated, NotRunning, StaleTurn, HandedOver, MalformedMove, IllegalMove.
    """
    for _ in range(RACES):
        game = load_visible(game_id, player_id)
        wanted = game.table.rules.move_from_json(move)
        if played := answer_turn(game, played_seat(game, player_id), turn, wanted):
            return played
    raise Unavailable


@with_retries
def play_reply(game: Game, player_id: UUID, turn: int, move: Any, arrived_at: datetime) -> Played:
    """Play the move that was parsed from an email, like `play_move`. The game is loaded again only if it has changed.
    An email about a turn also plays the rest of the turn.

    `arrived_at`: when the email arrived, which is when the time of the turn stopped. Raise NotSeated, NotRunning,
    StaleTurn, HandedOver, IllegalMove.
    """
    for _ in range(RACES):
        seat = played_seat(game, player_id)
        if game.table.turns and game.table.turns[seat] != turn:
            if played := answer_in_turn(game, seat, turn, move):
                return played
            turn = present_turn(game, seat, turn) or turn
        if played := answer_turn(game, seat, turn, move, arrived_at):
            return played
        game = load(game.game_id)
    raise Unavailable


def play_planned(connection: Connection[Any], game: Game, seat: Seat, move: Json) -> Game:
    """Play a planned move for the current turn, in the transaction that locks the game's row.

    Raise HandedOver, IllegalMove.
    """
    after = record_within(connection, _commit_of_move(game, seat, game.table.rules.move_from_json(move)))
    assert after is not None  # the lock excludes other commits
    return after


def answer_turn(game: Game, seat: Seat, turn: int, move: Any, arrived_at: datetime | None = None) -> Played | None:
    """Play a parsed move, like `play_move`. Return None if another commit came first."""
    table = game.table
    if not table.turns:
        raise NotRunning("This game has not started.")
    if table.turns[seat] != turn:
        return first_answer(game, seat, turn, move)
    after = record(_commit_of_move(game, seat, move, arrived_at))
    return None if after is None else Played(answer_of(after, after.newest, seat), True, after)


def _commit_of_move(game: Game, seat: Seat, move: Any, arrived_at: datetime | None = None) -> Commit:
    """Return the commit that plays a move. Raise NotRunning, HandedOver, IllegalMove."""
    expect_answer(game, seat)
    table, dice = game.table, game.dice()
    events = table.rules.decide(table.state, seat, move, dice)
    return commit_of(game, events, clock.now(), dice.drawn, arrived_at)


def expect_answer(game: Game, seat: Seat) -> None:
    """Raise NotRunning or HandedOver if the player in this seat can't move now."""
    if game.table.status == "paused":
        raise NotRunning("This game is paused.")
    if bot := game.table.stand_ins[seat]:
        raise HandedOver("The bot %(bot)s is playing for you. Take your seat back first.", bot=bot_name(bot))


def try_move(game_id: UUID, player_id: UUID, turn: int, move: Any) -> Json:
    """Return the foreseeable result of a move. The move isn't played, and no secrets are revealed.

    Raise the same errors as `play_move`.
    """
    game = load_visible(game_id, player_id)
    rules, table, seat = game.table.rules, game.table, played_seat(game, player_id)
    wanted = rules.move_from_json(move)
    if not table.turns:
        raise NotRunning("This game has not started.")
    if table.turns[seat] != turn:
        raise stale_turn(game, seat, turn)
    expect_answer(game, seat)
    events, would_reveal = rules.preview(table.state, seat, rules.decide(table.state, seat, wanted, game.dice()))
    return {
        "would": [told for event in events if (told := rules.tell(event, seat)) is not None],
        "view": rules.view(reduce(rules.apply, events, table.state), seat),
        "would_reveal": would_reveal,
    }


def legal_moves(game_id: UUID, player_id: UUID, begun: list[Any]) -> Json:
    """Return the player's current turn and legal moves. Both are empty while a stand-in plays. Raise NotFound,
    NotSeated, MalformedMove, IllegalMove."""
    return legal_moves_in(load_visible(game_id, player_id), player_id, begun)


def legal_moves_in(game: Game, player_id: UUID, begun: list[Any]) -> Json:
    """Return the same as `legal_moves`, for a game that is already loaded."""
    rules, state, seat = game.table.rules, game.table.state, own_seat(game, player_id)
    steps = [rules.move_from_json(step) for step in begun]
    turn = turn_of(game.table, seat) if game.seats[seat].player_id == player_id else None
    moves = rules.legal_moves(state, seat, steps) if turn is not None else []
    return {"turn": turn, "moves": [rules.move_to_json(move) for move in moves]}
