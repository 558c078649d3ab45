"""Real workers time out hundreds of due seats exactly once, and none after an outage."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from datetime import timedelta
from subprocess import Popen
from uuid import UUID

import psycopg
import pytest

from server import worker
from server.play.timing.heartbeats import beat
from server.play.timing.timeout_policy import DEFAULT_LADDER
from tests.support import many_due, stage
from tests.support.live_server import House, new_house, until

GAMES, KINDS = 300, 3
WORKERS = 3
DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with new_house() as house:
        yield house


@pytest.fixture(scope="module")
def begun(house: House) -> list[stage.Rehearsed]:
    with stage.in_process(house.database_url):
        return stage.rehearse("sternenhimmel", KINDS, DEFAULT_LADDER)


@pytest.fixture
def games(house: House, begun: list[stage.Rehearsed]) -> list[UUID]:
    """Of people who are asked now, and have two days to answer; everybody can be reached."""
    with stage.in_process(house.database_url):
        for part in ("web", "worker"):
            beat(part)
    return [game.game_id for game in stage.copies(house.database_url, begun, GAMES // KINDS)]


@pytest.fixture
def postgres(house: House) -> Iterator[psycopg.Connection]:
    with psycopg.connect(house.database_url, autocommit=True) as connection:
        yield connection


@contextmanager
def staff(house: House) -> Iterator[list[Popen[bytes]]]:
    """A web, and the workers."""
    workers = [house.start_worker() for _ in range(WORKERS)]
    house.start_web()
    yield workers
    for process in (house.web, *workers):
        if process.poll() is None:
            house.kill(process)


def test_three_workers_time_out_hundreds_of_seats_exactly_once_even_if_one_is_replaced(
    house: House, games: list[UUID], postgres: psycopg.Connection
) -> None:
    late = many_due.time_runs_out(postgres, games)
    assert len(late) == GAMES
    with ExitStack() as stack:
        with house.locked("SELECT * FROM seats WHERE game_id = ANY(%s)", games[::10]):
            workers = stack.enter_context(staff(house))
            house.await_waiters(WORKERS * (1 + worker._MORE_SWEEPS))  # each sweep is in the middle of a time-out
            assert 0 < len(many_due.time_outs(postgres, games)) < GAMES
            house.kill(workers[0])
            workers.append(house.start_worker())
        until(lambda: not many_due.still_due(postgres))
    assert many_due.time_outs(postgres, games) == Counter(late)
    assert many_due.time_out_letters(postgres, games) == Counter(late)
    assert many_due.broken(postgres, games) == []


def test_a_two_day_outage_does_not_count_and_does_not_trigger_time_outs(
    house: House, games: list[UUID], postgres: psycopg.Connection
) -> None:
    late = many_due.time_runs_out(postgres, games)  # they were asked three days ago
    postgres.execute("UPDATE heartbeats SET at = at - interval '2 days'")
    with staff(house):
        until(lambda: house.count("outages WHERE followed") >= 2)
        assert not many_due.still_due(postgres)
        left = house.rows("SELECT due_at - now() AS time FROM seats WHERE game_id = ANY(%s) AND to_act", games)
    assert len(left) == len(late) == GAMES
    # One day of the three has counted, of two that they had. The hour is for a busy machine.
    assert all(abs(row["time"] - DAY) < HOUR for row in left)
    assert not many_due.time_outs(postgres, games)
    assert not many_due.time_out_letters(postgres, games)
