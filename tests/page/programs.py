"""Programs that play by the API, each for its seat, and choose like the greedy bot."""

from random import Random

from server.bots import greedy
from server.games import GAMES
from tests.support.live_server import Client, Json

RNG = Random(0)  # picks between equal moves


def wish(client: Client, game_id: str) -> tuple[int, Json] | None:
    """Return this client's turn and a good move or step, or None for other players' turns."""
    legal = client.get(f"/v1/games/{game_id}/legal-moves")
    if legal["turn"] is None:
        return None
    game = client.get(f"/v1/games/{game_id}")
    rules = GAMES[game["rules"]]
    moves = [rules.move_from_json(it) for it in legal["moves"]]
    return legal["turn"], rules.move_to_json(greedy(rules, game["view"], moves, RNG))


def whole_turn(client: Client, game_id: str) -> list[Json]:
    """Return the steps of a good turn of Sternenglanz as far as foreseeable, or none for other players' turns."""
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
    wanted = wish(client, game_id)
    if wanted is None:
        return None
    turn, move = wanted
    version: int = client.post(f"/v1/games/{game_id}/moves", {"turn": turn, "move": move})["version"]
    return version


def play_to_the_end(game_id: str, *clients: Client) -> None:
    """Play until the game ends. The clients are all its players."""
    is_over = False
    while not is_over:
        played = [play(client, game_id) for client in clients]
        is_over = not any(played)
