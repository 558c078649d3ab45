"""Tokens: scopes, seat tokens, listing and revocation."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from flask import Flask

from server.accounts.players import player_token
from server.accounts.tokens import OF_A_SEAT, SCOPES, forget_ended_tokens, note_uses
from server.clock import clock
from server.games import Json
from server.store.log import moment_text
from server.store.tables import Token, db
from tests.support.api_calls import further
from tests.support.contract import Someone, is_problem, opened, refusal
from tests.support.games import BOT, DAY, HOUR, ME, OPEN, run_for, service_is_up
from tests.support.live_server import FOR_METRICS, Client, new_house
from tests.support.live_server import until as await_truth
from tests.support.one_of_each import NOT_OF_A_RUNNING_GAME_OF_PEOPLE, Scene, calls
from tests.support.stage import in_process

BY_SEAT = "A seat token works too."


@pytest.fixture
def scene(app: Flask) -> Scene:
    return Scene(app)


@pytest.fixture
def ada(scene: Scene) -> Someone:
    return scene.ada


def listed(who: Someone) -> dict[str, Json]:
    return {it["name"]: it for it in who.get("/v1/tokens").json["items"]}


# Scopes


def test_a_token_from_before_scopes_existed_keeps_all_its_rights(app: Flask, ada: Someone) -> None:
    with app.app_context():
        row = db.session.scalars(db.select(Token).where(Token.name == "operator", Token.player_id == player(ada))).one()
        assert (set(row.scopes), row.game_id, row.last_used_at) == (set(SCOPES), None, None)


def player(who: Someone) -> UUID:
    """Return the player's id, with which a token begins."""
    assert who.token is not None
    return UUID(who.token.split("_")[1])


# The token of a seat


@pytest.fixture
def seat(scene: Scene) -> Someone:
    """Return a program with a token for Ada's seat in the running game."""
    return seat_token(scene, scene.running)


def seat_token(scene: Scene, path: str, **wanted: Any) -> Someone:
    made = scene.ada.post(f"{path}/seats/me/tokens", {"scopes": list(OF_A_SEAT), **wanted})
    assert made.status_code == 201, made.text
    assert made.json["game"] == path.rpartition("/")[2]
    return Someone(scene.app, token=made.json["token"])


def test_a_seat_token_works_only_for_the_calls_documented_for_it(scene: Scene, seat: Someone) -> None:
    """And, as any other, for making itself worthless."""
    for call in sorted(calls(scene.contract.document), key=lambda it: it.name == "revokeToken"):
        address = call.path.replace("/v1/games/{game_id}", scene.running)
        answer = seat.ask(call.method, address if "{" not in address else scene.address(call), call.example)
        if BY_SEAT in call.operation.get("description", ""):
            works = answer.status_code in (200, 201)
            assert works or call.name in NOT_OF_A_RUNNING_GAME_OF_PEOPLE, (call.name, answer.text)
        elif call.operation.get("security") == [] or call.name == "revokeToken":
            assert answer.status_code < 300, call.name
        else:
            assert (answer.status_code, answer.json["code"]) == (403, "one-seat-only"), call.name
    assert seat.get(scene.running).json["code"] == "bad-token"


def test_a_seat_token_gives_access_to_exactly_what_its_seat_can_see_and_play(scene: Scene, seat: Someone) -> None:
    for look in ("", "/events", "/legal-moves", "/picture.svg", "?at=1"):
        assert seat.get(scene.running + look).data == scene.ada.get(scene.running + look).data
    turn = seat.get(f"{scene.running}/legal-moves").json
    assert seat.post(f"{scene.running}/moves", {"turn": turn["turn"], "move": turn["moves"][0]}).status_code == 201
    assert scene.ada.get(f"{scene.running}/legal-moves").json["moves"] == []


def test_a_seat_token_cannot_tell_whether_other_games_exist(scene: Scene, seat: Someone) -> None:
    games = (scene.open, opened(scene.ada, ME, OPEN, BOT, private=True), opened(scene.bea, ME, OPEN, BOT, private=True))
    for call in calls(scene.contract.document):
        if BY_SEAT in call.operation.get("description", "") and "{game_id}" in call.path:
            answers = [
                seat.ask(call.method, call.path.replace("/v1/games/{game_id}", path), call.example)
                for path in (f"/v1/games/{uuid4()}", *games)
            ]
            assert all(refusal(answer) == refusal(answers[0]) for answer in answers), call.name
            assert answers[0].status_code == 403


def test_a_seat_token_by_default_allows_reading_and_moving_but_not_chatting(scene: Scene) -> None:
    made = scene.ada.post(f"{scene.running}/seats/me/tokens").json
    assert made["scopes"] == ["games:read", "moves:write"]
    silent = Someone(scene.app, token=made["token"])
    is_problem(silent.post(f"{scene.running}/messages", {"text": "Hello"}), 403, "missing-scope")


def test_a_seat_token_never_exceeds_the_rights_or_lifetime_of_its_creators_token(scene: Scene) -> None:
    path, ends = f"{scene.running}/seats/me/tokens", (clock.now() + HOUR).isoformat()
    maker = further(scene.app, scene.ada, scopes=["tokens:write", "games:read"], expires_at=ends)
    refused = maker.post(path)
    is_problem(refused, 403, "missing-scope")
    assert refused.json["scope"] == "moves:write"
    made = maker.post(path, {"scopes": ["games:read"]}).json
    assert datetime.fromisoformat(made["expires_at"]) == datetime.fromisoformat(ends)
    too_late = (clock.now() + 2 * HOUR).isoformat()
    is_problem(maker.post(path, {"scopes": ["games:read"], "expires_at": too_late}), 422, "invalid-field")
    is_problem(scene.ada.post(path, {"scopes": ["games:write"]}), 422, "invalid-fields")


def test_only_the_player_in_the_seat_can_create_a_seat_token(scene: Scene) -> None:
    is_problem(scene.bea.post(f"{scene.open}/seats/me/tokens"), 403, "not-seated")


def test_a_seat_token_expires_when_the_seat_is_given_up(scene: Scene) -> None:
    path = opened(scene.ada, ME, OPEN, OPEN)
    program = seat_token(scene, path)
    elsewhere = seat_token(scene, scene.running)
    assert scene.bea.post(f"{path}/seats").status_code == 201
    assert scene.ada.delete(f"{path}/seats/me").status_code == 204
    is_problem(program.get(path), 401, "bad-token")
    assert scene.ada.delete(f"{scene.running}/seats/me").status_code == 204
    is_problem(elsewhere.get(scene.running), 401, "bad-token")
    scene.ada.post(f"{scene.running}/seats")
    is_problem(elsewhere.get(scene.running), 401, "bad-token")
    assert scene.ada.get("/v1/me").status_code == 200


def test_a_seat_token_stays_valid_during_time_outs_until_its_player_returns(scene: Scene) -> None:
    path = opened(scene.ada, ME, OPEN, BOT, on_timeout=[{"do": "bot-takes-over", "bot": "greedy"}])
    scene.bea.post(f"{path}/seats")
    program = seat_token(scene, path)
    move = {"turn": 1, "move": program.get(f"{path}/legal-moves").json["moves"][0]}
    with scene.app.app_context():
        service_is_up()
        run_for(3 * DAY)
    assert program.get(path).json["seats"][0]["stand_in"] == "greedy"
    assert program.post(f"{path}/moves", move).status_code == 409
    assert scene.ada.post(f"{path}/seats").status_code == 201
    assert program.get(path).json["seats"][0]["stand_in"] is None


# Listing


def test_tokens_are_listed_with_their_names_and_rights_but_without_secrets(scene: Scene) -> None:
    ends = (clock.now() + HOUR).replace(microsecond=0)
    program = further(scene.app, scene.ada, name="My bot", scopes=["moves:write"], expires_at=ends.isoformat())
    of_seat = seat_token(scene, scene.running, name="A bot by Cleo", scopes=["games:read"])
    found = listed(scene.ada)
    assert list(found) == ["A bot by Cleo", "My bot", "operator"]
    assert (
        found["My bot"].items()
        >= {
            "scopes": ["moves:write"],
            "game": None,
            "expires_at": moment_text(ends),
            "last_used_at": None,
            "current": False,
        }.items()
    )
    assert found["A bot by Cleo"]["game"] == scene.running.rpartition("/")[2]
    assert found["operator"]["current"]
    shown = scene.ada.get("/v1/tokens").text
    for who in (program, of_seat, scene.ada):
        assert who.token is not None
        assert who.token[-43:] not in shown  # `secrets.token_urlsafe` may generate a _
    assert "My bot" not in scene.bea.get("/v1/tokens").text


def test_a_token_name_is_sanitized_in_the_list(scene: Scene) -> None:
    further(scene.app, scene.ada, name=" My\u202e\tbot ")
    assert "My bot" in listed(scene.ada)
    for path in ("/v1/tokens", f"{scene.running}/seats/me/tokens"):
        is_problem(scene.ada.post(path, {"name": "\u202e \u3164"}), 422, "invalid-field")


def test_tokens_are_listed_page_by_page_until_they_expire(scene: Scene) -> None:
    for number in range(5):
        further(scene.app, scene.ada, name=f"{number}", expires_at=(clock.now() + HOUR).isoformat())
    names, address = [], "/v1/tokens?limit=2"
    while address:
        page = scene.ada.get(address).json
        names.append([it["name"] for it in page["items"]])
        address = page["next"]
    assert names == [["4", "3"], ["2", "1"], ["0", "operator"]]
    clock.forward(HOUR)
    assert list(listed(scene.ada)) == ["operator"]
    with scene.app.app_context():
        forget_ended_tokens()
        assert {row.name for row in db.session.scalars(db.select(Token))} == {"operator"}


def test_the_last_use_of_a_token_is_recorded_at_most_once_an_hour(app: Flask, scene: Scene) -> None:
    def noted() -> datetime | None:
        with app.app_context():
            note_uses()
        found = listed(scene.ada)["bot"]["last_used_at"]
        return found and datetime.fromisoformat(found)

    bot = further(app, scene.ada, name="bot")
    assert noted() is None
    used_at = clock.now()
    bot.get("/v1/me")
    assert listed(scene.ada)["bot"]["last_used_at"] is None
    first = noted()
    assert first is not None
    assert timedelta(0) <= first - used_at < HOUR / 2
    clock.forward(0.9 * HOUR)
    bot.get("/v1/me")
    assert noted() == first
    clock.forward(0.2 * HOUR)
    bot.get("/v1/me")
    assert noted() == pytest.approx(clock.now(), abs=HOUR / 2)


# Revoking


def test_a_token_can_be_revoked_by_its_id_or_by_itself(scene: Scene) -> None:
    one, other, third = (further(scene.app, scene.ada, name=name) for name in ("one", "other", "third"))
    path = f"/v1/tokens/{listed(scene.ada)['one']['id']}"
    is_problem(scene.bea.delete(path), 404, "not-found")
    assert one.get("/v1/me").status_code == 200
    assert scene.ada.delete(path).status_code == 204
    is_problem(one.get("/v1/me"), 401, "bad-token")
    is_problem(scene.ada.delete(path), 404, "not-found")
    assert further(scene.app, other, scopes=[]).delete("/v1/tokens/current").status_code == 204
    assert other.delete("/v1/tokens/current").status_code == 204
    is_problem(other.get("/v1/me"), 401, "bad-token")
    assert third.get("/v1/me").status_code == 200


def test_all_tokens_of_a_player_can_be_revoked_at_once(scene: Scene) -> None:
    programs = [further(scene.app, scene.ada), seat_token(scene, scene.running), scene.ada]
    assert scene.ada.delete("/v1/tokens").status_code == 204
    for who in programs:
        is_problem(who.get(scene.running), 401, "bad-token")
    assert scene.bea.get("/v1/me").status_code == 200


def test_revoking_all_tokens_includes_one_being_created(scene: Scene) -> None:
    program = further(scene.app, scene.ada)

    def makes_tokens_while_it_can() -> int:
        made, who = 0, Someone(scene.app, token=program.token)
        while who.post("/v1/tokens").status_code == 201:
            made += 1
        return made

    with ThreadPoolExecutor(4) as pool:
        makers = [pool.submit(makes_tokens_while_it_can) for _ in range(3)]
        while len(scene.ada.get("/v1/tokens?limit=100").json["items"]) < 6:
            pass
        assert scene.ada.delete("/v1/tokens").status_code == 204
        assert sum(maker.result() for maker in makers) >= 3
    with scene.app.app_context():
        left = db.session.scalars(db.select(Token).where(Token.player_id == player(scene.ada))).all()
        assert left == []


# Real processes


def test_a_revoked_token_stops_working_in_every_process_and_appears_in_no_log_or_metric() -> None:
    with new_house() as house:
        house.start_web()
        urls = [house.url, house.start_another_web()]
        with in_process(house.database_url):
            ada = Client(house, player_token("ada@example.org"))
        made = [ada.post("/v1/tokens", {"name": f"bot {number}"}) for number in range(8)]
        for number, it in enumerate(made):
            bots = [httpx.Client(headers={"Authorization": f"Bearer {it['token']}"}, base_url=url) for url in urls]
            assert [bot.get("/v1/me").status_code for bot in bots * 3] == [200] * 6
            revoking = Client(house, ada.token) if number % 2 else Client(house, it["token"])
            revoking.ask("DELETE", f"/v1/tokens/{it['id'] if number % 2 else 'current'}")
            assert [bot.get("/v1/me").status_code for bot in bots * 3] == [401] * 6
        told = house.output() + "".join(httpx.get(f"{url}/metrics", headers=FOR_METRICS).text for url in urls)
        assert not [it for it in [str(ada.token), *(it["token"] for it in made)] if it[-43:] in told]
        await_truth(lambda: ada.get("/v1/tokens")["items"][0]["last_used_at"])
