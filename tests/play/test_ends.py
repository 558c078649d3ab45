"""The end of a game is recorded for its players in the commit that ends it."""

from datetime import datetime
from typing import Any
from uuid import UUID

import psycopg
import pytest

from server.accounts.players import player_token
from server.accounts.tokens import caller
from server.app import create_app
from server.config import Settings
from server.play import commits
from server.play.commits import load, whole_log
from server.play.seating.games import open_game
from server.play.seating.hosting import close_game
from server.play.seating.lobby import list_games
from server.play.seating.seats import take_seat
from server.play.story.event_feed import follow_own, new_games, news
from server.play.votes import vote
from server.store import migrate
from server.store.tables import PlayerGame, db
from tests.support import citus
from tests.support.games import (
    ME,
    MINUTE,
    OPEN,
    all_agree,
    everything_due_happens,
    game_of,
    later,
    moves_on,
    person,
    service_is_up,
    turn_of,
    wanted,
)


def ends(game_id: UUID) -> list[datetime | None]:
    """Return the recorded end of each player's game."""
    db.session.rollback()
    return list(db.session.scalars(db.select(PlayerGame.over_at).where(PlayerGame.game_id == game_id)))


def is_played_to_its_end(game_id: UUID, *people: UUID) -> None:
    while load(game_id).table.status == "running":
        for who in people:
            if load(game_id).table.status == "running" and turn_of(game_id, who) is not None:
                moves_on(game_id, who)
        everything_due_happens()


def test_the_end_is_recorded_when_a_game_is_played_to_the_end(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    assert ends(game_id) == [None, None]
    is_played_to_its_end(game_id, ada, bea)
    assert ends(game_id) == [whole_log(game_id)[-1].recorded_at] * 2
    assert [it["id"] for it in list_games(ada, mine=True, status="finished").items] == [game_id]
    assert not list_games(ada, mine=True, status="running").items


def test_the_end_is_recorded_when_a_game_is_abandoned_but_not_when_it_is_paused(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    for wish, are_over in (("pause", False), ("abandon", True)):
        assert [it["id"] for it in list_games(ada, mine=True, status=load(game_id).table.status).items] == [game_id]
        all_agree(game_id, wish, ada, bea)
        assert [it is not None for it in ends(game_id)] == [are_over] * 2


def test_the_end_is_recorded_when_a_game_is_closed_before_its_start(ada: UUID, bea: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN)).game_id
    take_seat(game_id, bea)
    assert len(list_games(ada, mine=True, free=True).items) == 1
    close_game(game_id, ada)
    assert ends(game_id) == [whole_log(game_id)[-1].recorded_at] * 2


def test_a_commit_that_cannot_record_the_end_does_not_end_the_game(ada: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    game_id = game_of(ada, bots=2)

    def breaks_off(*_: Any) -> None:
        raise psycopg.errors.DataError("It cannot be noted")

    with monkeypatch.context() as patch:
        patch.setattr(commits, "note_end", breaks_off)
        with pytest.raises(psycopg.errors.DataError):
            vote(game_id, ada, "abandon", True)
    db.session.rollback()
    assert (load(game_id).table.status, ends(game_id)) == ("running", [None])


def test_a_follower_who_was_disconnected_is_notified_that_a_game_ended(ada: UUID) -> None:
    program = caller(player_token("ada@example.org", "ada"))
    earlier, game_id = game_of(ada, bots=2), game_of(ada, bots=2)
    vote(earlier, ada, "abandon", True)
    later(10 * MINUTE)
    place = follow_own(program, None).place()
    later(10 * MINUTE)
    moves_on(game_id, ada)
    vote(game_id, ada, "abandon", True)
    later(10 * MINUTE)
    follower = follow_own(program, place)
    assert set(follower.told) == {game_id}
    [(_, items, _)] = news(game_id, [follower])
    assert [item.what["type"] for item in items] == ["star-placed", "game-abandoned"]
    new_games([follower])
    assert not follower.told


def test_a_follower_is_notified_of_a_game_that_began_and_ended_between_two_polls(ada: UUID) -> None:
    program = caller(player_token("ada@example.org", "ada"))
    old = game_of(ada, bots=2)
    vote(old, ada, "abandon", True)
    later(10 * MINUTE)
    slow = follow_own(program, None)
    later(10 * MINUTE)
    follower = follow_own(program, None)
    game_id = game_of(ada, bots=2)
    vote(game_id, ada, "abandon", True)
    new_games([slow, follower])
    assert (slow.told, follower.told) == ({game_id: 0}, {game_id: 0})


@citus.leave_out("no step is taken back")
def test_ends_of_older_games_are_recorded_from_their_logs(database_url: str) -> None:
    with create_app(Settings.from_environment({"DATABASE_URL": database_url})).app_context():
        service_is_up()
        ada, bea = person("ada"), person("bea")
        played, given_up, running = (game_of(ada, bea, bots=1) for _ in range(3))
        closed = open_game(ada, wanted(ME, OPEN, OPEN)).game_id
        is_played_to_its_end(played, ada, bea)
        later(MINUTE)
        all_agree(given_up, "abandon", ada, bea)
        close_game(closed, ada)
        games = (played, given_up, closed, running)
        before = [ends(game_id) for game_id in games]
        assert [it[0] is not None for it in before] == [True, True, True, False]
        db.session.remove()
        db.engine.dispose()
        migrate.downgrade(database_url, "0026")
        migrate.upgrade(database_url)
        assert [ends(game_id) for game_id in games] == before
