"""Programs that play by the API, each for its seat, and choose as our greedy bot does."""

from random import Random

from server.bots import greedy
from server.games import GAMES
from tests.support.live_server import Client, Json

RNG = Random(0)  # it decides between moves of the same worth


def wish(client: Client, game_id: str) -> tuple[int, Json] | None:
    """The turn that this client is asked for and a good move, or a step of it; None if others are asked."""
    legal = client.get(f"/v1/games/{game_id}/legal-moves")
    if legal["turn"] is None:
        return None
    game = client.get(f"/v1/games/{game_id}")
    rules = GAMES[game["rules"]]
    moves = [rules.move_from_json(it) for it in legal["moves"]]
    return legal["turn"], rules.move_to_json(greedy(rules, game["view"], moves, RNG))


def whole_turn(client: Client, game_id: str) -> list[Json]:
    """The steps of a good turn of Sternenglanz, as far as it can be foreseen; none if others are asked."""
    game = client.get(f"/v1/games/{game_id}")
    rules, turn, view = GAMES[game["rules"]], game["you"]["turn"], game["view"]
    steps: list[Json] = []
    while turn is not None:
        begun = {"begun": [{"steps": steps}] if steps else []}
        moves = client.post(f"/v1/games/{game_id}/legal-moves", begun, status=200)["moves"]
        if not moves:
            break
        chosen = greedy(rules, view, [rules.move_from_json(it) for it in moves], RNG)
        steps += rules.move_to_json(chosen)["steps"]
        tried = {"turn": turn, "move": {"steps": steps}}
        foresight = client.post(f"/v1/games/{game_id}/moves?dry_run=true", tried, status=200)
        if foresight["would_reveal"] or foresight["view"]["next"] != view["next"]:
            break
        view = foresight["view"]
    return steps


def play(client: Client, game_id: str) -> int | None:
    """Plays a move, or a step of one, if this client is asked for it, and tells the game's version after it."""
    wanted = wish(client, game_id)
    if wanted is None:
        return None
    turn, move = wanted
    version: int = client.post(f"/v1/games/{game_id}/moves", {"turn": turn, "move": move})["version"]
    return version


def play_to_the_end(game_id: str, *clients: Client) -> None:
    """These are all who sit there."""
    is_over = False
    while not is_over:
        played = [play(client, game_id) for client in clients]
        is_over = not any(played)
