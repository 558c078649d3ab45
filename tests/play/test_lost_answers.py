"""Commits whose responses are lost succeed and take effect once."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import delete

from server.accounts.sign_in import begin_sign_in
from server.accounts.signed_links import INVITATION, verify
from server.clock import clock
from server.errors import AlreadySeated, NotFound, NotRunning, NotSeated
from server.play import commits
from server.play.commits import load
from server.play.seating.games import open_game
from server.play.seating.hosting import close_due, close_game, withdraw_invitation
from server.play.seating.seats import SeatClaim, accept_invitation, invite, leave, send_away, take_seat
from server.play.talk.chat import messages, say
from server.play.timing.outages import follow_outages
from server.play.views import describe
from server.play.votes import refusals_of, vote, votes_of
from server.store import webhook_queue
from server.store.database_retry import Unavailable, with_retries
from server.store.tables import LetterRow, Message, PlayerLetterRow, SignIn, db
from tests.support.games import (
    BOT,
    DAY,
    HOUR,
    ME,
    OPEN,
    game_of,
    happened,
    later,
    letters,
    person,
    seats_of,
    service_is_up,
    wanted,
)

pytestmark = pytest.mark.usefixtures("within")


@contextmanager
def answer_lost(times: int = 1, arrives: bool = True) -> Iterator[None]:
    """Break the connection at the next commit, before or after it reaches Postgres."""
    commit, left = psycopg.Connection.commit, [None] * times

    def breaks_off(connection: psycopg.Connection[Any]) -> None:
        if not left:
            return commit(connection)
        left.pop()
        if arrives:
            commit(connection)
        connection.close()
        raise psycopg.errors.ConnectionFailure("server closed the connection unexpectedly")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(psycopg.Connection, "commit", breaks_off)
        yield
    assert not left


@pytest.fixture(params=[True, False], ids=["arrived", "lost"])
def broken(request: pytest.FixtureRequest) -> Any:
    return lambda: answer_lost(arrives=request.param)


def test_a_repeated_message_is_stored_once(ada: UUID, bea: UUID, broken: Any) -> None:
    game_id = game_of(ada, bea, bots=1)
    with broken():
        said = say(game_id, ada, "Hello!")
    assert messages(game_id, 0, 10) == [said]
    say(game_id, ada, "Hello!")
    assert len(db.session.scalars(db.select(Message)).all()) == 2


def test_an_invitation_reserves_one_seat_and_is_emailed_once(ada: UUID, broken: Any) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN)).game_id
    with broken():
        assert invite(game_id, ada, "dora@example.org") == 1
    assert [row.kind for row in seats_of(game_id)] == ["human", "invited", "open"]
    assert len(letters(game_id, "invitation")) == 1
    assert invite(game_id, ada, "dora@example.org") == 2


def test_a_repeated_sign_in_request_emails_one_code(broken: Any) -> None:
    with broken():
        sign_in = begin_sign_in("ada@example.org", "en", "192.0.2.1")
    assert db.session.scalars(db.select(SignIn.sign_in)).all() == [sign_in]
    assert db.session.scalars(db.select(PlayerLetterRow.player_id)).all() == [sign_in]


def test_a_seat_is_taken_once(ada: UUID, bea: UUID, broken: Any) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, BOT)).game_id
    with broken():
        assert take_seat(game_id, bea, SeatClaim(salt="pepper")).seat_of(bea) == 1
    assert happened(game_id).count("game-started") == 1


def test_a_seat_at_a_waiting_table_is_taken_once(ada: UUID, bea: UUID, broken: Any) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN)).game_id
    with broken():
        assert take_seat(game_id, bea).seat_of(bea) == 1
    with pytest.raises(AlreadySeated):
        take_seat(game_id, bea)


def test_a_new_player_accepts_an_invitation_once(ada: UUID, broken: Any) -> None:
    game_id = open_game(ada, wanted(ME, {"email": "dora@example.org"}, OPEN)).game_id
    (mailed,) = letters(game_id, "invitation")
    assert verify(INVITATION, mailed.data["invitation"]).seat == 1
    with broken():
        accept_invitation(mailed.data["invitation"])
    assert load(game_id).seat_of(person("dora")) == 1


def test_a_game_is_closed_once(ada: UUID, bea: UUID, broken: Any) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN)).game_id
    take_seat(game_id, bea)
    with broken():
        close_game(game_id, ada)
    assert happened(game_id) == ["game-abandoned"]
    with pytest.raises(NotRunning):
        close_game(game_id, ada)


def test_the_last_player_to_leave_closes_the_game_only_once(ada: UUID, broken: Any) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN)).game_id
    with broken():
        leave(game_id, ada)
    assert happened(game_id) == ["game-abandoned"]


def test_a_guest_is_removed_once_and_the_next_player_in_the_seat_stays(ada: UUID, bea: UUID, broken: Any) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN)).game_id
    take_seat(game_id, bea)
    with broken():
        send_away(game_id, ada, 1)
    assert [row.kind for row in seats_of(game_id)] == ["human", "open", "open"]
    assert len(letters(game_id, "sent-away")) == 1
    with pytest.raises(NotFound):
        send_away(game_id, ada, 1)


def test_an_invitation_is_withdrawn_once(ada: UUID, broken: Any) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, {"email": "dora@example.org"})).game_id
    with broken():
        withdraw_invitation(game_id, ada, 2)
    assert [row.kind for row in seats_of(game_id)] == ["human", "open", "open"]
    with pytest.raises(NotFound):
        withdraw_invitation(game_id, ada, 2)


def test_a_host_is_warned_once_that_the_game_will_close(ada: UUID, broken: Any) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN)).game_id
    later(12 * DAY)
    with broken():
        close_due()
    close_due()
    assert len(letters(game_id, "game-closing")) == 1


def test_a_passing_vote_succeeds_once(ada: UUID, bea: UUID, broken: Any) -> None:
    game_id = game_of(ada, bea, bots=1)
    vote(game_id, ada, "pause", True)
    with broken():
        vote(game_id, bea, "pause", True)
    assert happened(game_id).count("game-paused") == 1
    with pytest.raises(NotRunning):
        vote(game_id, bea, "pause", True)


def test_a_vote_whose_withdrawal_is_repeated_does_not_become_a_refusal(ada: UUID, bea: UUID, broken: Any) -> None:
    game_id = game_of(ada, bea, person("cleo"))
    for who in (ada, bea):
        vote(game_id, who, "pause", True)
    with broken():
        vote(game_id, bea, "pause", False)
    assert votes_of(game_id)["pause"] == [0]
    assert refusals_of(load(game_id))["pause"] == []


@pytest.mark.parametrize("private", [False, True])
def test_a_seat_is_left_once_before_the_start(ada: UUID, bea: UUID, private: bool, broken: Any) -> None:
    asked = open_game(ada, wanted(ME, OPEN, OPEN, private=private))
    game_id = asked.game_id
    take_seat(game_id, bea, SeatClaim(invitation=describe(asked, 0)["invitation"]))
    with broken():
        leave(game_id, bea)
    assert load(game_id).seat_of(bea) is None


def test_a_player_without_a_seat_cannot_leave_even_with_retries(ada: UUID, bea: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, OPEN)).game_id
    with pytest.raises(NotSeated):
        leave(game_id, bea)


@pytest.fixture
def deed_answer_lost(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Record the next commit of a leaving or returning player, then break the connection."""
    lost = [None]

    def breaks_off(*commit: Any) -> Any:
        after = commits.record(*commit)
        if lost:
            lost.pop()
            raise psycopg.errors.ConnectionFailure("server closed the connection unexpectedly")
        return after

    monkeypatch.setattr("server.play.seating.seats.record", breaks_off)
    return lost


def test_a_seat_in_a_running_game_is_left_once_and_pending_votes_are_then_counted(
    ada: UUID, bea: UUID, deed_answer_lost: list[None]
) -> None:
    game_id = game_of(ada, bea, bots=1)
    vote(game_id, ada, "pause", True)
    leave(game_id, bea)
    assert happened(game_id)[-2:] == ["seat-handed-over", "game-paused"]
    assert not deed_answer_lost


def test_a_seat_is_taken_back_once_from_its_bot(ada: UUID, bea: UUID, deed_answer_lost: list[None]) -> None:
    game_id = game_of(ada, bea, bots=1)
    leave(game_id, ada)
    deed_answer_lost[:] = [None]
    assert take_seat(game_id, ada).table.stand_ins[0] is None
    assert happened(game_id).count("seat-taken-back") == 1
    assert not deed_answer_lost


def test_a_commit_fails_after_three_lost_attempts(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1)
    with answer_lost(3, arrives=False), pytest.raises(Unavailable):
        say(game_id, ada, "Hello?")


# Discarded connections


@pytest.mark.parametrize(
    ("error", "begins_anew"),
    [
        (psycopg.errors.ConnectionFailure, True),
        (psycopg.errors.AdminShutdown, True),
        (psycopg.OperationalError, True),
        (psycopg.errors.DeadlockDetected, False),
        (psycopg.errors.SerializationFailure, False),
        (psycopg.errors.QueryCanceled, False),
        (psycopg.errors.LockNotAvailable, False),
        (psycopg.errors.TooManyConnections, False),
    ],
)
def test_the_pool_is_reset_only_after_a_broken_connection(error: type[Exception], begins_anew: bool) -> None:
    errors, pool = [error("Try again")], db.engine.pool

    @with_retries
    def commit() -> str:
        if errors:
            raise errors.pop()
        return "done"

    assert commit() == "done"
    assert (db.engine.pool is not pool) == begins_anew


def test_a_deadline_set_by_a_fast_clock_is_corrected_despite_a_lost_commit(
    ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.forward(365 * DAY)
    service_is_up()
    game_id = game_of(ada, bea, bots=1)
    clock.forward(-365 * DAY)
    service_is_up()
    db.session.execute(delete(LetterRow))  # otherwise it would be their commit, or that of webhooks
    db.session.commit()
    monkeypatch.setattr(webhook_queue, "bring_forward", lambda *_: None)
    with answer_lost(arrives=False):
        follow_outages()
    assert seats_of(game_id)[0].asked_at <= clock.now()
    assert abs(seats_of(game_id)[0].due_at - clock.now() - 2 * DAY) < HOUR
