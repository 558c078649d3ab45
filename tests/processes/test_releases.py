"""The last release and the present one beside each other, over a migration, while people play. A longer evening:
`python -m tests.bench.releases`."""

import pytest

from tests.bench.releases import NoRelease, beside, checked_out, last_release


def test_the_last_release_and_the_present_one_serve_beside_each_other_without_an_error_or_a_loss() -> None:
    try:
        with checked_out(last_release()) as old:
            outcome = beside(old, moves=20, people=2)
    except NoRelease as missing:
        pytest.xfail(f"The last release is in the history of git only: {missing}")
    assert outcome.is_well, outcome
    assert len(outcome.moves) >= 4, outcome
