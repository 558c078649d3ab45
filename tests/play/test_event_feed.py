"""Following games: tokens are checked while a stream is open and before anything is sent."""

from uuid import uuid4

import psycopg
from flask import Flask

from server.accounts import tokens
from server.accounts.bans import ban
from server.accounts.players import player_token
from server.accounts.tokens import _STILL_THERE, revoke
from server.games import Json
from server.play.seating.seats import leave, take_over
from server.play.seating.stand_ins import end_stand_in
from server.play.story.event_feed import follow_game, follow_own, new_games, news
from server.play.turns.turn_links import still_valid
from server.play.votes import OFFER, vote
from tests.support.games import game_of, moves_on, person, turn_of
from tests.support.stand_ins import stands_in


def test_tokens_of_open_streams_stay_valid_until_they_are_revoked_or_the_player_is_banned(app: Flask) -> None:
    with app.app_context():
        ada, same, bea, cleo = (
            tokens.caller(player_token(f"{name}@example.org", name)) for name in ("ada", "ada", "bea", "cleo")
        )
        assert still_valid([]) == set()
        revoke(same)
        ban(bea.player_id)
        assert still_valid([ada, same, bea, cleo]) == {ada.token_hash, cleo.token_hash}


def test_a_revoked_token_receives_no_later_events(app: Flask) -> None:
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


def test_a_returning_stand_in_receives_the_game_again_without_duplicates(within: None) -> None:
    people = [person(name) for name in ("ada", "ben", "cleo")]
    game_id, dan = game_of(*people), tokens.caller(player_token("dan@example.org", "dan"))
    follower = follow_own(dan, None)
    told: list[Json] = []

    def hears() -> list[str]:
        new_games([follower])
        items = [it.what for _, items, _ in news(game_id, [follower]) for it in items] if follower.told else []
        told.extend(items)
        return [it["type"] for it in items]

    for _ in range(3):
        stands_in(game_id, people[0], dan.player_id)
        assert hears()[-1] == "stand-in-began"
        end_stand_in(game_id, dan.player_id)
        assert hears() == []
        assert not follower.told
        moves_on(game_id, next(who for who in people if turn_of(game_id, who) is not None))
        assert hears() == []
    seqs = [it["seq"] for it in told]
    assert seqs == sorted(set(seqs))
    assert [it["type"] for it in told].count("star-placed") == 2


def test_a_player_whose_seat_was_taken_over_receives_no_further_events(within: None) -> None:
    ada, ben, caller = person("ada"), person("ben"), tokens.caller(player_token("ada@example.org", "ada"))
    game_id = game_of(ada, ben, bots=1)
    follower = follow_own(caller, None)
    leave(game_id, ada)
    vote(game_id, ben, OFFER, True)
    take_over(game_id, person("cleo"))
    assert news(game_id, [follower]) == []
    new_games([follower])
    assert (follower.told, follow_own(caller, None).told) == ({}, {})


def test_tokens_of_open_streams_are_found_using_an_index_on_players(database_url: str) -> None:
    with psycopg.connect(database_url, cursor_factory=psycopg.ClientCursor) as connection:
        connection.execute("SET enable_seqscan = off")  # Postgres scans an empty table either way
        plan = [line for (line,) in connection.execute(f"EXPLAIN {_STILL_THERE}", ([uuid4()],))]
    assert [line for line in plan if "Index Cond" in line and "player_id = ANY" in line], plan
