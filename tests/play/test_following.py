"""Following games: the tokens that are looked at while a stream is open."""

import psycopg
from flask import Flask

from server import play
from server.play.tokens import _STILL_THERE


def test_of_the_tokens_of_open_streams_those_are_told_that_are_still_good(app: Flask) -> None:
    with app.app_context():
        ada, same, bea, cleo = (
            play.caller(play.player_token(f"{name}@example.org")) for name in ("ada", "ada", "bea", "cleo")
        )
        assert play.still_valid([]) == set()
        play.revoke(same)
        play.ban(bea.player_id)
        assert play.still_valid([ada, same, bea, cleo]) == {ada.token_hash, cleo.token_hash}


def test_however_many_tokens_there_are_those_of_open_streams_are_found_by_their_keys(database_url: str) -> None:
    with psycopg.connect(database_url, cursor_factory=psycopg.ClientCursor) as connection:
        connection.execute("SET enable_seqscan = off")  # of an empty table it would read all the same
        plan = [line for (line,) in connection.execute(f"EXPLAIN {_STILL_THERE}", ([], []))]
    assert [line for line in plan if "Index Cond" in line and "player_id" in line and "token_hash" in line], plan
