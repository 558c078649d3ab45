"""A player's profile over the API."""

from uuid import uuid4

import pytest

from server.games import Json
from tests.support.contract import Someone, is_problem


def test_a_profile_is_changed_field_by_field(ada: Someone) -> None:
    before = ada.get("/v1/me").json
    calendar = {"night": "22:00-08:00", "days_off": [7], "vacations": [{"from": "2027-07-01", "to": "2027-07-14"}]}
    changes: list[Json] = [
        {"name": "Ada L."},
        {"locale": "fr"},
        {"zone": "Europe/Paris"},
        {"calendar": calendar},
        {"notifications": {"reminders": ["PT1H"], "mails": {"your-turn": "bundled"}, "bundle_at": ["07:30"]}},
        {"notifications": {"reminders": []}},  # as a whole: what is left out goes back to its default
    ]
    for change in changes:
        assert ada.patch("/v1/me", change).json.items() >= change.items()
    after = ada.get("/v1/me").json
    assert after == before | {name: value for change in changes for name, value in change.items()}
    assert ada.patch("/v1/me", {}).json == after


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"name": ""}, "invalid-fields"),
        ({"name": "\u200b"}, "invalid-field"),
        ({"name": None}, "invalid-fields"),
        ({"locale": "es"}, "invalid-fields"),
        ({"zone": "Mars/Olympus"}, "invalid-field"),
        ({"zone": "../../etc/passwd"}, "invalid-field"),
        ({"calendar": {"night": "20:00-19:00"}}, "invalid-field"),
        ({"calendar": {"days_off": [1, 2, 3, 4]}}, "invalid-field"),
        ({"calendar": {"days_off": [True]}}, "invalid-field"),
        ({"calendar": {"moon": "full"}}, "invalid-field"),
        ({"calendar": []}, "invalid-fields"),
        ({"notifications": {"reminders": ["soon"]}}, "invalid-field"),
        ({"notifications": {"pigeons": []}}, "invalid-field"),
        ({"notifications": {"mails": {"your-turn": "sometimes"}}}, "invalid-field"),
        ({"notifications": {"mails": {"sign-in-code": "off"}}}, "invalid-field"),
        ({"notifications": {"mails": {"invitation": "bundled"}}}, "invalid-field"),
        ({"notifications": {"mails": {"your-turn": ["off"]}}}, "invalid-field"),
        ({"notifications": {"mails": []}}, "invalid-field"),
        ({"notifications": {"bundle_at": []}}, "invalid-field"),
        ({"notifications": {"bundle_at": ["24:00"]}}, "invalid-field"),
        ({"notifications": {"bundle_at": ["8:00"]}}, "invalid-field"),
        ({"notifications": {"bundle_at": [f"0{hour}:00" for hour in range(7)]}}, "invalid-field"),
        ({"email": "other"}, "invalid-fields"),
        ({"id": str(uuid4())}, "invalid-fields"),
    ],
)
def test_read_only_fields_of_a_profile_cannot_be_changed(ada: Someone, change: Json, code: str) -> None:
    before = ada.get("/v1/me").json
    is_problem(ada.patch("/v1/me", change), 422, code)
    assert ada.get("/v1/me").json == before
