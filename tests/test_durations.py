"""Durations as ISO 8601 writes them."""

from datetime import timedelta

import pytest

from server.durations import duration, duration_text
from tests.support.games import DAY, HOUR, MINUTE


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("P2D", 2 * DAY),
        ("PT12H", 12 * HOUR),
        ("P1DT6H", 30 * HOUR),
        ("P1W", 7 * DAY),
        ("PT90M", 90 * MINUTE),
        ("PT1S", timedelta(seconds=1)),
        ("P365D", 365 * DAY),
    ],
)
def test_a_duration_is_parsed_as_iso_8601(text, length):
    assert duration(text) == length
    assert duration(duration_text(length)) == length


@pytest.mark.parametrize(
    "wrong",
    ["", "P", "PT", "2D", "P2H", "PT2D", "P1D2W", "-P1D", "+P1D", "P1.5D", "PT0,5H", "p1d", "P1D ", "P0D", "PT0S"]
    + ["P366D", "P1Y", "P1M", "P٢D", "P0003-06-04T12:30:05", "P" + 60 * "9" + "D", 2, None, True, ["P2D"], {}, 1.5],
)
def test_an_invalid_duration_is_rejected_with_an_explanation(wrong):
    with pytest.raises(ValueError, match=r"\.$"):
        duration(wrong)


def test_years_and_months_are_rejected_because_their_length_varies():
    with pytest.raises(ValueError, match="years or months"):
        duration("P1M")
