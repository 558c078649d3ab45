"""Webs, workers and Postgres on machines of their own: lines go dead without a word, and a primary is lost for good."""

import psycopg
import pytest

from server.store.connections import engine_options
from server.store.database_retry import is_passing
from server.store.tables import APP_ROLE
from tests.bench.machines import disturbed
from tests.support.live_server import PATIENCE, Client, until
from tests.support.machines import Machine, many_machines, why_not

REASON = why_not()
pytestmark = [
    pytest.mark.timeout(400),
    pytest.mark.skipif(REASON is not None, reason=f"no machines: {REASON}"),
]  # seconds

SECONDS = 20.0  # longer than anybody waits for a dead line
BEN = "ben@example.org"
TRIES = "SELECT tries FROM player_outbox"
LISTENERS = "pg_stat_activity WHERE query LIKE 'LISTEN %%'"


def test_a_failover_loses_and_doubles_nothing_and_needs_no_restart() -> None:
    outcome = disturbed("failover", seconds=0, people=2, calm=3)
    assert outcome.moves.acknowledged and outcome.is_well, outcome
    assert set(outcome.failures) <= {"503"}, outcome


def test_a_web_that_is_cut_off_answers_503_and_goes_on_by_itself() -> None:
    outcome = disturbed("partition of a web", SECONDS, people=2, calm=3)
    assert outcome.moves.acknowledged and outcome.is_well, outcome
    assert set(outcome.failures) == {"503"}, outcome


def test_who_is_cut_off_keeps_no_lock_and_no_connection_and_is_not_kept_waiting() -> None:
    with many_machines(webs=0, workers=0) as house:
        here, primary = Machine("here", house.network.here), house.primary.machine
        how = engine_options()["connect_args"]
        with psycopg.connect(f"postgresql://{APP_ROLE}@{primary.address}/sternenpost", **how) as connection:
            connection.execute("LOCK TABLE heartbeats IN EXCLUSIVE MODE")
            with house.cut_off(here):
                until(lambda: not house.count("pg_stat_activity WHERE usename = %s", APP_ROLE))
                with pytest.raises(psycopg.OperationalError) as broken:
                    connection.execute("SELECT 1")
                assert is_passing(broken.value)


def test_who_listens_at_a_primary_that_is_lost_listens_at_the_next() -> None:
    with many_machines(webs=0, workers=1) as house:
        until(lambda: house.count(LISTENERS))
        house.lose_primary()
        house.fail_over()
        until(lambda: house.count(LISTENERS))


def test_a_worker_that_is_cut_off_with_a_letter_in_its_hands_hands_nothing_over() -> None:
    with many_machines(webs=1, workers=1) as house:
        door = house.post.hold(BEN)
        Client(house).post("/v1/sign-ins", {"email": BEN}, status=202)
        assert door.knocked.wait(PATIENCE)
        tries = house.rows(TRIES)
        with house.cut_off(house.worker_machines[0]):
            house.add_worker()
            until(lambda: house.rows(TRIES) != tries)  # the other one has it
            house.post.release(BEN)
            until(lambda: house.post.of(BEN))
            until(lambda: "our lease on it ran out" in house.said())
        until(lambda: not house.count("player_outbox"))
        assert len(house.post.of(BEN)) == 1
