"""The sandbox: one signed-in player with a running game against bots, and where to look at it."""

import time
from collections.abc import Iterator

from server import play

EMAIL = "you@sandbox.example"
_PATIENCE = 10.0  # seconds for the bots to move


def open_up(base_url: str) -> Iterator[str]:
    """Lines for the terminal. The player and a game that still runs are found again."""
    token = play.player_token(EMAIL)
    player_id = play.caller(token).player_id
    running = play.list_games(player_id, mine=True, status="running", limit=1).items
    if running:
        game_id = running[0]["id"]
    else:
        seats = [{"player": "me"}, {"bot": "greedy"}, {"bot": "greedy"}]
        wanted = {"rules": "sternenhimmel", "title": "The first sky", "options": {"start_seat": 0}, "seats": seats}
        game_id = play.open_game(player_id, wanted).game_id
    game = play.seen_by(game_id, player_id)
    seat = game.seat_of(player_id) or 0
    deadline = time.monotonic() + _PATIENCE
    while game.table.turns[seat] is None and game.table.status == "running" and time.monotonic() < deadline:
        time.sleep(0.2)
        game = play.seen_by(game_id, player_id)
    turn = game.table.turns[seat]
    if turn is not None:
        yield f"  play your turn   {base_url}/t/{play.turn_word(game_id, seat, turn)}"
    yield f"  read your mail   {base_url}/sandbox/mail"
    yield f"  API handbook     {base_url}/docs"
    yield f"  your game        {base_url}/v1/games/{game_id}"
    yield f"  your token       {token}"
