"""Which letters a commit triggers."""

from flask import Flask

from server.play.moves import legal_moves
from server.play.seating.seats import leave, take_seat
from tests.support.games import game_of, letters, moves_on, person


def test_a_player_who_returns_and_got_no_email_about_the_current_turn_gets_one(app: Flask) -> None:
    with app.app_context():
        ada, bea = person("ada"), person("bea")
        game_id = game_of(ada, bea, bots=1)
        leave(game_id, bea)
        moves_on(game_id, ada)
        take_seat(game_id, bea)
        (asked,) = letters(game_id, "your-turn")[1:]
        assert (asked.seat, asked.data["turn"]) == (1, legal_moves(game_id, bea, [])["turn"])
