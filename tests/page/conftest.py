"""Fixtures for page tests: a live server, emptied for each file, and windows."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from playwright.sync_api import Browser

from tests.page import by_ear, keys, programs
from tests.page.windows import Windows
from tests.support.browser import chromium
from tests.support.live_server import House, new_house

assert chromium  # a fixture


@pytest.fixture(scope="session")
def only_house() -> Iterator[House]:
    """Start the processes once, since that takes longer than most tests."""
    with new_house(STERNENPOST_LIMITS="off") as house:
        house.start_web()
        for _ in range(2):  # a worker serves bots once a second, and these take turns
            house.start_worker()
        yield house


@pytest.fixture(scope="module")
def house(only_house: House) -> House:
    only_house.empty()
    return only_house


@pytest.fixture(autouse=True)
def dice() -> None:
    """Seed the choices of each test, independently of earlier tests."""
    for number, rng in enumerate((by_ear.RNG, keys.RNG, programs.RNG)):
        print(f"seed {number}")
        rng.seed(number)


@pytest.fixture
def windows(chromium: Browser, house: House) -> Iterator[Windows]:
    with ExitStack() as stack:
        windows = Windows(chromium, house, stack)
        yield windows
        windows.check()
