"""The circuit breaker before Postgres: which caller probes, which are rejected, and what closes it."""

import psycopg
import pytest

from server.store import circuit_breaker
from server.store.circuit_breaker import NOBODY_ANSWERED, CircuitBreaker


class Clock:
    """A monotonic clock that a test moves forward."""

    seconds = 1000.0

    def monotonic(self) -> float:
        return self.seconds


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(circuit_breaker, "time", clock)
    return clock


def reaches(breaker: CircuitBreaker, failure: str = "") -> bool:
    """Return whether a call with this failure reaches Postgres."""
    reached = False
    try:
        with breaker.guard():
            reached = True
            if failure:
                raise psycopg.OperationalError(failure)
    except psycopg.OperationalError as error:
        assert str(error) == failure or not reached
    return reached


def test_one_caller_per_second_probes_a_postgres_that_does_not_respond(clock: Clock) -> None:
    breaker = CircuitBreaker()
    assert reaches(breaker, NOBODY_ANSWERED)
    for _ in range(5):
        assert [reaches(breaker, NOBODY_ANSWERED) for _ in range(100)] == [True] + [False] * 99
        clock.seconds += 0.9
        assert not reaches(breaker)
        clock.seconds += 0.1


def test_callers_are_rejected_while_one_is_still_waiting_for_a_response(clock: Clock) -> None:
    breaker = CircuitBreaker()
    reaches(breaker, NOBODY_ANSWERED)
    with breaker.guard():
        assert not reaches(breaker)
        clock.seconds += 1.0
        assert reaches(breaker, NOBODY_ANSWERED)
        assert not reaches(breaker)


def test_the_first_response_closes_the_circuit_breaker(clock: Clock) -> None:
    breaker = CircuitBreaker()
    reaches(breaker, NOBODY_ANSWERED)
    assert reaches(breaker)
    assert all(reaches(breaker) for _ in range(100))


def test_refused_connections_do_not_open_the_circuit_breaker(clock: Clock) -> None:
    breaker = CircuitBreaker()
    assert all(reaches(breaker, "connection refused") for _ in range(100))
