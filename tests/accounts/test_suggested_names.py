"""The name suggested to a player who is invited by email."""

import pytest

from server.accounts.players import suggested_name


@pytest.mark.parametrize(
    ("address", "name"),
    [
        ("dora@example.org", "Dora"),
        ("anna.MEIER_1990+games@example.org", "Anna Meier"),
        ("42@example.org", ""),
        ("a" * 64 + "@example.org", "A" + "a" * 39),
    ],
)
def test_a_name_is_suggested_from_an_address(address: str, name: str) -> None:
    assert suggested_name(address) == name
