"""Program accounts: who marks them, who sees the mark, and which tables exclude them."""

from collections.abc import Callable

import pytest
from flask import Flask

from server.config import Settings
from server.games import Json
from server.play.seating.track_record import read_records
from tests.api.test_people import played, told_of
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, HOUR, ME, OPEN, later, wanted


@pytest.fixture
def robot(app: Flask) -> Someone:
    """Whose account is marked."""
    return marked(Someone(app, "robot"))


def marked(who: Someone) -> Someone:
    assert who.patch("/v1/me", {"program": True}).json["program"] is True
    return who


def seats(who: Someone, path: str) -> list[Json]:
    found: list[Json] = who.get(path).json["seats"]
    return found


# The mark


def test_a_program_account_is_marked_at_every_table_and_in_its_profile(
    app: Flask, ada: Someone, robot: Someone
) -> None:
    assert ada.get("/v1/me").json["program"] is False
    path = opened(ada, ME, OPEN, BOT)
    assert robot.post(f"{path}/seats").status_code == 201
    assert [it["program"] for it in seats(ada, path)] == [False, True, False]
    (listed,) = ada.get("/v1/games").json["items"]
    assert [it["program"] for it in listed["seats"]] == [False, True, False]
    assert (told_of(app, ada)["program"], told_of(app, robot)["program"]) == (False, True)
    assert "robot (program)" in ada.get(f"{path}/picture.svg").get_data(as_text=True)


def test_the_program_mark_can_change_only_without_a_seat_and_not_after_playing(
    app: Flask, ada: Someone, bea: Someone
) -> None:
    path = opened(ada, ME, OPEN, BOT)
    is_problem(ada.patch("/v1/me", {"program": True, "name": "Ada II"}), 422, "invalid-field")
    assert ada.get("/v1/me").json["name"] == "ada"
    ada.delete(path)
    with app.app_context():
        later(HOUR)
    for wish in (True, True, False, True):
        assert ada.patch("/v1/me", {"program": wish}).json["program"] is wish
    path = opened(ada, ME, OPEN, BOT)
    bea.post(f"{path}/seats")
    is_problem(ada.patch("/v1/me", {"program": False}), 422, "invalid-field")
    assert ada.patch("/v1/me", {"program": True}).status_code == 200
    with app.app_context():
        played(path, ada, bea)
        read_records()
    is_problem(ada.patch("/v1/me", {"program": False}), 422, "invalid-field")
    assert told_of(app, ada)["finished"] == told_of(app, bea)["finished"] == 1


def test_a_guest_cannot_be_marked_because_their_seats_may_move_to_an_account(app: Flask, stranger: Someone) -> None:
    guest = Someone(app, token=stranger.post("/v1/guests").json["token"])
    is_problem(guest.patch("/v1/me", {"program": True}), 403, "sign-in-first")


# Games for people only


def test_a_host_can_exclude_programs_even_if_they_were_invited(ada: Someone, robot: Someone) -> None:
    path = opened(ada, ME, OPEN, OPEN, programs=False)
    assert ada.get(path).json["programs"] is False
    is_problem(robot.post(f"{path}/seats"), 403, "no-programs")
    ada.post(f"{path}/invitations", {"email": "robot@example.org"})
    is_problem(robot.post(f"{path}/seats"), 403, "no-programs")
    refused = robot.post("/v1/games", wanted(ME, OPEN, OPEN) | {"programs": False})
    assert is_problem(refused, 422, "invalid-field")
    assert refused.json["field"] == "programs"


def test_an_anonymous_game_admits_programs_only_if_allowed_and_reveals_them_at_the_end(
    app: Flask, ada: Someone, bea: Someone, robot: Someone
) -> None:
    options = {"start_seat": 0, "nameless": True}
    shut = opened(ada, ME, OPEN, OPEN, options=options)
    assert ada.get(shut).json["programs"] is False
    is_problem(robot.post(f"{shut}/seats"), 403, "no-programs")
    path = opened(ada, ME, OPEN, OPEN, options=options, programs=True)
    robot.post(f"{path}/seats")
    bea.post(f"{path}/seats")
    assert [it["program"] for it in seats(bea, path)] == [False, False, False]
    with app.app_context():
        played(path, ada, robot, bea)
    assert [it["program"] for it in seats(bea, path)] == [False, True, False]


# Bounds


@pytest.fixture
def bounded(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], None]:
    def set_to(text: str) -> None:
        found = Settings.from_environment({"STERNENPOST_LIMIT_PROGRAM_GAMES": text}).bounds["program-games"]
        monkeypatch.setitem(app.config["BOUNDS"], "program-games", found)

    return set_to


def test_programs_can_join_fewer_games_a_day_than_people(
    ada: Someone, bea: Someone, robot: Someone, bounded: Callable[[str], None]
) -> None:
    bounded("2/1d")
    tables = [opened(ada, ME, OPEN, OPEN) for _ in range(3)]
    assert [bea.post(f"{it}/seats").status_code for it in tables] == [201] * 3
    opened(robot, ME, BOT, BOT)
    assert robot.post(f"{tables[0]}/seats").status_code == 201
    for answer in (robot.post(f"{tables[1]}/seats"), robot.post("/v1/games", wanted(ME, BOT, BOT))):
        is_problem(answer, 429, "too-many-requests")
        assert "2 games" in answer.json["detail"]
        assert 0 < int(answer.headers["Retry-After"]) <= 86_400
    assert len(robot.get("/v1/games?mine=true").json["items"]) == 2
