"""Leases: when they expire."""

from contextlib import suppress
from datetime import datetime

import pytest
from flask import Flask

from server import leases
from server.leases import Leases


class Moment:
    """The monotonic clock, which a test puts forward."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.seconds = 1000.0
        monkeypatch.setattr(leases.time, "monotonic", lambda: self.seconds)


@pytest.fixture
def moment(monkeypatch: pytest.MonkeyPatch) -> Moment:
    monkeypatch.setattr(leases.Thread, "start", lambda thread: None)  # nothing is held that should be renewed
    return Moment(monkeypatch)


def look(office: Leases, breaks: bool = False) -> datetime | None:
    with office.look() as lapsed_at:
        if breaks:
            raise ConnectionError
    return lapsed_at


def test_leases_that_expire_during_a_database_outage_stay_with_their_holders(moment: Moment) -> None:
    office = Leases(Flask("test"))
    look(office)
    moment.seconds += 60
    assert look(office) is not None
    with suppress(ConnectionError):
        look(office, breaks=True)
    moment.seconds += 3600  # however long ago the last look was
    assert look(office) is None
    moment.seconds += 9
    assert look(office) is None
    moment.seconds += 2
    assert look(office) is not None


def test_a_starting_worker_does_not_take_over_leases_immediately(moment: Moment) -> None:
    office = Leases(Flask("test"))
    assert look(office) is None
    moment.seconds += 11
    assert look(office) is not None
