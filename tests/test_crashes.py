"""kill -9 at the worst moments: nothing is lost, and nothing happens twice."""

from collections.abc import Iterator

import psycopg
import pytest
from flask import Flask

from server.store.tables import db
from tests.house import House, new_house


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with new_house() as house:
        house.start_web()
        yield house


# The database


def test_a_request_ends_well_though_its_connection_has_broken_off(app: Flask, shared_url: str) -> None:
    with app.app_context():
        pid = db.session.execute(db.text("SELECT pg_backend_pid()")).scalar_one()
        with psycopg.connect(shared_url) as other:
            other.execute("SELECT pg_terminate_backend(%s, 1000)", [pid])
    with app.app_context():
        assert db.session.execute(db.text("SELECT 1")).scalar_one() == 1
