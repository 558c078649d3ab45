"""Play all games of these tokens to their end with the client of openapi-python-client.

Ada, whose token is the first, opens a game of each kind; the second player takes a seat in the one for three. Prints
each game's scores as JSON: by outcome, by story and by the last view.
"""

import json
import sys
import time
from random import Random
from uuid import UUID

from sternenpost_client import AuthenticatedClient
from sternenpost_client.api.games import get_events, get_game, open_game, take_seat
from sternenpost_client.api.moves import get_legal_moves, play_move
from sternenpost_client.models.game_ended import GameEnded
from sternenpost_client.models.game_status import GameStatus
from sternenpost_client.models.legal_moves import LegalMoves
from sternenpost_client.models.move_answer import MoveAnswer
from sternenpost_client.models.move_request import MoveRequest
from sternenpost_client.models.open_seat_wanted import OpenSeatWanted
from sternenpost_client.models.own_seat_wanted import OwnSeatWanted
from sternenpost_client.models.seat_request import SeatRequest
from sternenpost_client.models.sternenglanz_game import SternenglanzGame
from sternenpost_client.models.sternenglanz_game_wanted import SternenglanzGameWanted
from sternenpost_client.models.sternenglanz_options import SternenglanzOptions
from sternenpost_client.models.sternenglanz_view import SternenglanzView
from sternenpost_client.models.sternenhimmel_game import SternenhimmelGame
from sternenpost_client.models.sternenhimmel_game_wanted import SternenhimmelGameWanted
from sternenpost_client.models.sternenhimmel_view import SternenhimmelView
from sternenpost_client.models.story import Story

PAUSE = 0.05  # seconds

Game = SternenglanzGame | SternenhimmelGame


def opened(ada: AuthenticatedClient, wanted: SternenglanzGameWanted | SternenhimmelGameWanted) -> UUID:
    game = open_game.sync(client=ada, body=wanted)
    assert isinstance(game, Game), game
    return game.id


def play(client: AuthenticatedClient, game_id: UUID, rng: Random) -> bool:
    """Make a move if the game waits for one and return whether it did."""
    legal = get_legal_moves.sync(game_id, client=client)
    assert isinstance(legal, LegalMoves), legal
    if legal.turn is None:
        return False
    answer = play_move.sync(game_id, client=client, body=MoveRequest(legal.turn, rng.choice(legal.moves)))
    assert isinstance(answer, MoveAnswer), answer
    return True


def seen(client: AuthenticatedClient, game_id: UUID) -> Game:
    game = get_game.sync(game_id, client=client)
    assert isinstance(game, Game), game
    return game


def report(client: AuthenticatedClient, game: Game) -> dict[str, list[int]]:
    assert game.outcome is not None
    story = get_events.sync(game.id, client=client)
    assert isinstance(story, Story), story
    (end,) = (event for event in story.items if isinstance(event, GameEnded))
    match game.view:
        case SternenhimmelView(coins=scores) | SternenglanzView(points=scores):
            return {"outcome": game.outcome.scores, "story": end.scores, "view": scores}
    raise AssertionError(game.view)


def main(base_url: str, *tokens: str) -> None:
    ada, cyd = (AuthenticatedClient(base_url, token) for token in tokens)
    me, anybody = OwnSeatWanted("me"), OpenSeatWanted(True)
    night = SternenhimmelGameWanted("sternenhimmel", [me, anybody, anybody])
    duel = SternenglanzGameWanted("sternenglanz", [me, anybody], options=SternenglanzOptions(max_rounds=6))
    of_three, of_two = opened(ada, night), opened(ada, duel)
    assert isinstance(take_seat.sync(of_three, client=cyd, body=SeatRequest(2)), SternenhimmelGame)
    rng, seats = Random(1), [(ada, of_three), (cyd, of_three), (ada, of_two)]
    while any(seen(ada, game_id).status != GameStatus.FINISHED for game_id in (of_three, of_two)):
        if not any(play(client, game_id, rng) for client, game_id in seats):
            time.sleep(PAUSE)
    print(json.dumps({game.rules: report(ada, game) for game in (seen(ada, of_three), seen(ada, of_two))}))


main(*sys.argv[1:])
