"""Following games: the tokens that are looked at while a stream is open, and before anything is told."""

import psycopg
from flask import Flask

from server.accounts import tokens
from server.accounts.bans import ban
from server.accounts.players import player_token
from server.accounts.tokens import _STILL_THERE, revoke
from server.play.event_feed import follow_game, follow_own, news
from server.play.turn_links import still_valid
from tests.support.games import game_of, moves_on, person, turn_of


def test_of_the_tokens_of_open_streams_those_are_told_that_are_still_good(app: Flask) -> None:
    with app.app_context():
        ada, same, bea, cleo = (
            tokens.caller(player_token(f"{name}@example.org", name)) for name in ("ada", "ada", "bea", "cleo")
        )
        assert still_valid([]) == set()
        revoke(same)
        ban(bea.player_id)
        assert still_valid([ada, same, bea, cleo]) == {ada.token_hash, cleo.token_hash}


def test_nothing_that_happens_after_a_token_was_revoked_is_told_by_it(app: Flask) -> None:
    with app.app_context():
        people = [person(name) for name in ("ada", "ben", "cleo")]
        game_id, caller = game_of(*people), tokens.caller(player_token("ada@example.org"))
        one, all_own, stranger = (
            follow_game(game_id, caller, None, 0),
            follow_own(caller, None),
            follow_game(game_id, None, None, 0),
        )
        assert one and stranger
        revoke(caller)
        moves_on(game_id, next(who for who in people if turn_of(game_id, who) is not None))
        [(who, items, _)] = news(game_id, [one, all_own, stranger])
        assert who is stranger and items
        assert one.is_over


def test_however_many_tokens_there_are_those_of_open_streams_are_found_by_their_keys(database_url: str) -> None:
    with psycopg.connect(database_url, cursor_factory=psycopg.ClientCursor) as connection:
        connection.execute("SET enable_seqscan = off")  # of an empty table it would read all the same
        plan = [line for (line,) in connection.execute(f"EXPLAIN {_STILL_THERE}", ([], []))]
    assert [line for line in plan if "Index Cond" in line and "player_id" in line and "token_hash" in line], plan
