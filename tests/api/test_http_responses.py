"""HTTP features: preconditions, idempotency, paging, methods, formats and problems."""

import gzip
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import cycle
from threading import Event
from typing import Any
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from werkzeug.test import TestResponse

from server.api import games, moves, problems, unmodified
from server.api.openapi.examples import MOVE
from server.app import create_app
from server.clock import clock
from server.config import Settings
from server.errors import PlayError
from server.games import Json, RuleError
from server.play.seating import hosting, lobby
from server.play.turns import idempotency
from server.play.turns.idempotency import forget_old_answers
from tests.api.test_idempotency import keyed
from tests.support.api_calls import walk
from tests.support.contract import Contract, Someone, opened
from tests.support.games import DAY, ME, OPEN, stop_the_clock, wanted
from tests.support.live_server import PATIENCE, until
from tests.support.one_of_each import Call, Scene, calls


@pytest.fixture
def ada(scene: Scene) -> Someone:
    return scene.ada


@pytest.fixture
def bea(scene: Scene) -> Someone:
    return scene.bea


def code_of(response: TestResponse) -> Any:
    return (response.status_code, (response.json or {}).get("code"))


# ETags


def looks(scene: Scene) -> list[Call]:
    """Everything that can be looked at; streams are listened to."""
    gets = (call for call in calls(scene.contract.document) if call.method == "GET")
    return [call for call in gets if not call.path.endswith("/stream")]


def test_every_readable_resource_has_an_etag_and_is_not_sent_again_while_unchanged(
    scene: Scene, ada: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch, clock.real())  # the exhibition moves on
    for path in map(scene.address, looks(scene)):
        seen = ada.get(path)
        etag = seen.headers["ETag"]
        for known in (etag, f'"another", {etag}', f"W/{etag}", "*"):
            again = ada.get(path, headers={"If-None-Match": known})
            assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", etag), path
            assert "Content-Type" not in again.headers
        assert ada.get(path, headers={"If-None-Match": '"another"'}).data == seen.data


def test_head_returns_the_headers_of_get_without_a_body(
    scene: Scene, ada: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch, clock.real())  # the exhibition moves on
    for path in map(scene.address, looks(scene)):
        got, head = ada.get(path), ada.ask("HEAD", path)
        assert (head.status_code, head.data) == (200, b"")
        for name in ("ETag", "Content-Type", "Content-Length", "Vary", "Cache-Control"):
            assert head.headers[name] == got.headers[name], (path, name)
        assert ada.ask("HEAD", path, headers={"If-None-Match": got.headers["ETag"]}).status_code == 304


def test_a_304_is_sent_if_and_only_if_a_new_response_would_have_the_same_etag(
    scene: Scene, ada: Someone, bea: Someone, app: Flask
) -> None:
    game, asking, hosted = scene.running, scene.asking, scene.hosted
    paths = [*(f"{game}{end}" for end in ("", "?at=1", "/legal-moves", "/events", "/messages")), asking, hosted]
    paths += ["/v1/games?mine=true", "/v1/games?my_turn=true", "/v1/games?status=open&free=true", "/v1/me"]
    cleo = Someone(app, "cleo")
    changes: list[Callable[[], TestResponse]] = [
        lambda: bea.post(f"{game}/messages", {"text": "Hello"}),
        lambda: ada.post(f"{game}/moves", MOVE),
        lambda: bea.patch("/v1/me", {"name": "Beatrice"}),
        lambda: ada.patch("/v1/me", {"locale": "de"}),
        lambda: bea.post(f"{game}/votes", {"on": "pause"}),
        lambda: ada.post(f"{game}/votes", {"on": "pause"}),
        lambda: bea.post(f"{asking}/ready"),
        lambda: cleo.patch("/v1/me", {"name": "Cleopatra"}),
        lambda: ada.patch(hosted, {"open_for": "P3D"}),
        lambda: bea.delete(f"{hosted}/seats/me"),
        lambda: cleo.delete(f"{hosted}/invitations/2"),
    ]
    viewers = [ada, bea, cleo, scene.stranger]
    encodings = cycle(("identity", "gzip"))  # in turns: an odd number of paths gives each path both
    ways = [(viewer, path, next(encodings)) for viewer in viewers for path in paths]

    def etag(viewer: Someone, path: str, encoding: str) -> str | None:
        return viewer.get(path, headers={"Accept-Encoding": encoding}).headers.get("ETag")

    stored = app.extensions["etags"]
    known = {way: etag(*way) for way in ways}
    for number, change in enumerate(changes):
        assert change().status_code < 300, number
        kept = 0
        for way in ways:
            viewer, path, encoding = way
            headers = {"Accept-Encoding": encoding, "If-None-Match": known[way] or '"none"'}
            asked = viewer.get(path, headers=headers)
            app.extensions["etags"] = unmodified.Etags()  # so that the response is built
            fresh, current = viewer.get(path, headers=headers), etag(*way)
            app.extensions["etags"] = stored
            assert (asked.status_code == 304) == (known[way] is not None and current == known[way]), (number, way)
            told = ("Vary", "Cache-Control", "ETag", "Content-Type", "X-Content-Type-Options")
            assert [asked.headers.get(it) for it in told] == [fresh.headers.get(it) for it in told], (number, way)
            kept += asked.status_code == 304
            known[way] = current
        assert 0 < kept < len(ways), number


def test_a_304_is_sent_without_computing_a_view_legal_moves_or_json(
    scene: Scene, ada: Someone, monkeypatch: Any
) -> None:
    paths = scene.running, f"{scene.running}/legal-moves", "/v1/games?my_turn=true"
    etags = [ada.get(path).headers["ETag"] for path in paths]

    def fail(*_: Any, **__: Any) -> None:
        raise AssertionError("The response was built.")

    for where, name in ((games, "describe"), (moves, "legal_moves_in"), (lobby, "summary")):
        monkeypatch.setattr(where, name, fail)
    for path, etag in zip(paths, etags, strict=True):
        assert ada.get(path, headers={"If-None-Match": etag}).status_code == 304
        assert scene.bea.get(path, headers={"If-None-Match": etag}).status_code != 304


@pytest.mark.parametrize("path", ["/v1/rules", "/v1/rules/sternenhimmel", "/v1/rules/sternenglanz"])
def test_the_rules_are_compressed_for_clients_that_support_it(scene: Scene, path: str) -> None:
    plain, packed = (scene.stranger.get(path, headers={"Accept-Encoding": it}) for it in ("br, gzip;q=0", "br, gzip"))
    assert "Content-Encoding" not in plain.headers
    assert packed.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(packed.data) == plain.data
    assert len(packed.data) * 3 < len(plain.data)
    for answer, other in ((plain, packed), (packed, plain)):
        assert answer.headers["Vary"] == "Accept-Encoding"
        sent = {"Accept-Encoding": answer.headers.get("Content-Encoding", "identity")}
        same = scene.ada.get(path, headers={**sent, "If-None-Match": answer.headers["ETag"]})
        assert (same.status_code, same.data, same.headers["Vary"]) == (304, b"", "Accept-Encoding")
        changed = scene.ada.get(path, headers={**sent, "If-None-Match": other.headers["ETag"]})
        assert changed.data == answer.data


def test_long_responses_are_compressed_for_clients_that_support_it(scene: Scene, ada: Someone) -> None:
    long, short = f"{scene.running}/legal-moves", f"{scene.running}/votes"
    plain, packed = (ada.get(long, headers={"Accept-Encoding": it}) for it in ("identity", "gzip"))
    assert len(plain.data) > 4 * len(packed.data)
    assert gzip.decompress(packed.data) == plain.data
    assert plain.headers["Vary"] == packed.headers["Vary"] == "Authorization, Accept-Language, Accept-Encoding"
    again = {"Accept-Encoding": "gzip", "If-None-Match": packed.headers["ETag"]}
    assert ada.get(long, headers=again).status_code == 304
    assert "Content-Encoding" not in ada.get(short, headers={"Accept-Encoding": "gzip"}).headers


def test_a_request_with_a_failed_precondition_is_rejected(scene: Scene, ada: Someone) -> None:
    for path in map(scene.address, looks(scene)):
        assert code_of(ada.get(path, headers={"If-Match": '"another"'})) == (412, "precondition-failed")
        assert ada.get(path, headers={"If-Match": ada.get(path).headers["ETag"]}).status_code == 200


def changes(scene: Scene) -> list[Call]:
    """Return all calls that change or delete a resource, with revoking all tokens last."""
    those = [call for call in calls(scene.contract.document) if call.method in ("PATCH", "DELETE")]
    return sorted(those, key=lambda call: (call.path.startswith("/v1/tokens"), call.path == "/v1/tokens/current"))


def test_every_change_is_rejected_if_the_caller_saw_an_older_state(scene: Scene, ada: Someone) -> None:
    for call in changes(scene):
        path = scene.address(call)
        before = ada.get(path)
        stale = ada.ask(call.method, path, call.example, headers={"If-Match": '"another", W/"weak"'})
        assert code_of(stale) == (412, "precondition-failed"), call.name
        assert ada.get(path).data == before.data or before.status_code >= 400
    assert ada.get("/v1/me").status_code == 200


def test_every_change_is_accepted_if_the_caller_saw_the_current_state(scene: Scene, ada: Someone) -> None:
    for call in changes(scene):
        if call.path.startswith("/v1/tokens"):
            continue
        path = scene.address(call)
        for coding in ("gzip", "identity") if call.method == "PATCH" else ("gzip",):
            seen = ada.get(path, headers={"Accept-Encoding": coding})
            if seen.status_code == 200:
                made = ada.ask(call.method, path, call.example, headers={"If-Match": seen.headers["ETag"]})
                assert made.status_code != 412, call.name  # one of them may have ended what another is for
    etag = ada.get("/v1/me").headers["ETag"]
    assert ada.patch("/v1/me", {"name": "Ada I"}, headers={"If-Match": etag}).status_code == 200
    assert code_of(ada.patch("/v1/me", {"name": "Ada II"}, headers={"If-Match": etag})) == (412, "precondition-failed")
    assert ada.get("/v1/me").json["name"] == "Ada I"
    assert ada.delete("/v1/tokens/current", headers={"If-Match": "*"}).status_code == 204


def test_a_change_with_a_weak_etag_is_rejected_and_the_error_explains_weak_etags(ada: Someone) -> None:
    etag = ada.get("/v1/me").headers["ETag"]
    for condition in (f"W/{etag}", f'"another", W/{etag}'):
        refused = ada.patch("/v1/me", {"name": "Ada I"}, headers={"If-Match": condition})
        assert code_of(refused) == (412, "precondition-failed")
        assert "proxy" in refused.json["detail"]
    other = ada.patch("/v1/me", {"name": "Ada I"}, headers={"If-Match": '"another"'})
    assert "proxy" not in other.json["detail"]
    assert ada.patch("/v1/me", {"name": "Ada I"}, headers={"If-Match": f"W/{etag}, {etag}"}).status_code == 200


def test_one_of_two_simultaneous_changes_with_the_same_etag_is_rejected(app: Flask, scene: Scene, ada: Someone) -> None:
    etag = ada.get("/v1/me").headers["ETag"]

    def changed(number: int) -> int:
        return (
            Someone(app, token=ada.token)
            .patch("/v1/me", {"name": f"Ada {number}"}, headers={"If-Match": etag})
            .status_code
        )

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(changed, range(4))) == [200, 412, 412, 412]


def waits_for_a_lock(database_url: str) -> bool:
    waiters = "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
    with psycopg.connect(database_url) as connection:
        return connection.execute(waiters).fetchone() is not None


def test_an_open_game_cannot_change_between_the_precondition_check_and_the_write(
    app: Flask, shared_url: str, ada: Someone, bea: Someone, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = opened(ada, ME, OPEN, OPEN)
    etag, looked, comes = ada.get(path).headers["ETag"], Event(), Event()
    hosted = hosting.lock_hosted_game

    def slow(game_id: UUID, player_id: UUID) -> Any:
        looked.set()
        until(lambda: comes.is_set() or waits_for_a_lock(shared_url))
        return hosted(game_id, player_id)

    monkeypatch.setattr(hosting, "lock_hosted_game", slow)

    def sits() -> int:
        assert looked.wait(PATIENCE)
        answer = bea.post(f"{path}/seats")
        comes.set()
        return answer.status_code

    with ThreadPoolExecutor(1) as pool:
        guest = pool.submit(sits)
        assert ada.delete(path, headers={"If-Match": etag}).status_code == 204
        assert guest.result() == 409


def test_an_etag_changes_exactly_when_this_viewers_response_changes(scene: Scene) -> None:
    viewers = (scene.ada, scene.bea, scene.stranger)
    paths = [scene.address(call) for call in looks(scene) if not call.needs_token]
    changes: list[Callable[[], TestResponse]] = [
        lambda: scene.ada.post(f"{scene.running}/moves?dry_run=true", MOVE),
        lambda: scene.ada.post(f"{scene.running}/moves", MOVE),
        lambda: scene.bea.post(f"{scene.running}/messages", {"text": "Well placed!"}),
        lambda: scene.bea.post(f"{scene.running}/votes", {"on": "pause"}),
        lambda: scene.bea.post(f"{scene.running}/votes", {"on": "pause", "vote": False}),
        lambda: scene.bea.patch("/v1/me", {"locale": "de"}),
        lambda: scene.bea.patch("/v1/me", {"name": "Beatrix"}),
    ]
    changed: Counter[str] = Counter()
    for change in changes:
        before = {(who, path): who.get(path) for who in viewers for path in paths}
        assert change().status_code in (200, 201)
        for (who, path), seen in before.items():
            now = who.get(path)
            assert (now.headers["ETag"] == seen.headers["ETag"]) == (now.data == seen.data)
            changed[path] += now.data != seen.data
    assert changed[f"{scene.running}/messages"] == 3 * 2  # a message, and the new name of who said it
    assert changed[f"{scene.running}/events"] == 3 * 1
    assert changed["/v1/rules"] == 0


def test_etags_differ_for_viewers_who_see_different_responses(scene: Scene) -> None:
    scene.ada.post(f"{scene.running}/moves", MOVE)
    etags = {who.get(scene.running).headers["ETag"] for who in (scene.ada, scene.bea, scene.stranger)}
    assert len(etags) == 3
    assert "Authorization" in scene.ada.get(scene.running).headers["Vary"]


# Requests that come again


def idempotent(contract: Contract) -> list[Call]:
    """The calls that take a key; the seat that one of them takes is the last, so that is done at the end."""
    found = [
        call
        for call in calls(contract.document)
        if any(parameter["name"] == "Idempotency-Key" for parameter in call.operation["parameters"])
    ]
    return sorted(found, key=lambda call: call.name == "takeSeat")


def test_calls_that_create_something_accept_an_idempotency_key_unless_it_is_a_secret(scene: Scene) -> None:
    makes = {call.name for call in calls(scene.contract.document) if call.method == "POST"}
    names = {call.name for call in idempotent(scene.contract)}
    assert names == {"openGame", "takeSeat", "invite", "vote", "takeBack", "say", "sayReady", "playMove"}
    secrets = {"signIn", "comeAsGuest", "makeToken", "makeSeatToken", "makeStreamTicket", "makeFeed", "makeWebhook"}
    assert makes - names == secrets | {
        "renewWebhookSecret",
        "askStandIn",  # the same again asks once
        "acceptStandIn",
        "openRematch",
        "findLegalMoves",
        "findHint",
        "pingWebhook",
        "tryWebhookDelivery",
        "subscribeToPush",
        "blockPlayer",
        "reportPlayer",
    }


def test_a_repeated_request_gets_its_first_response(scene: Scene) -> None:
    for call in idempotent(scene.contract):
        body = call.examples["Example"]
        first, again = (scene.ask(call, body, headers=keyed(call.name)) for _ in range(2))
        assert first.status_code in (200, 201), call.name
        assert (again.status, again.data) == (first.status, first.data), call.name
        assert again.headers.get("Location") == first.headers.get("Location")
    assert len(scene.ada.get(f"{scene.running}/messages").json["items"]) == 1


OTHER_BODIES: dict[str, Json] = {
    "openGame": wanted(ME, OPEN, OPEN),
    "takeSeat": {"salt": "another"},
    "invite": {"email": "cyd@example.org"},
    "vote": {"on": "abandon"},
    "takeBack": {"to": 2},
    "say": {"text": "Something else."},
    "playMove": {"turn": 1, "move": {"star": "1", "board": "leo", "space": "a"}},
    "sayReady": {"salt": "another"},
}


def test_an_idempotency_key_cannot_be_reused_with_another_body(scene: Scene) -> None:
    for call in idempotent(scene.contract):
        first = scene.ask(call, call.examples["Example"], headers=keyed(call.name))
        other = scene.ask(call, OTHER_BODIES[call.name], headers=keyed(call.name))
        assert code_of(other) == (422, "idempotency-key-reused"), call.name
        assert scene.ask(call, call.examples["Example"], headers=keyed(call.name)).data == first.data


def test_an_idempotency_key_cannot_be_reused_for_another_path(scene: Scene, ada: Someone) -> None:
    ada.post(f"{scene.running}/messages", {"text": "Hello"}, headers=keyed("a"))
    for path, body in ((f"{scene.running}/votes", {"on": "pause"}), (f"{scene.running}/moves", MOVE)):
        assert code_of(ada.post(path, body, headers=keyed("a"))) == (422, "idempotency-key-reused")
    assert ada.post(f"{scene.open}/messages", {"text": "Hello"}, headers=keyed("a")).json["nr"] == 1
    opened = ada.post("/v1/games", wanted(ME, OPEN, OPEN), headers=keyed("b")).json["id"]
    said = ada.post(f"/v1/games/{opened}/messages", {"text": "Hello"}, headers=keyed("b"))
    assert code_of(said) == (422, "idempotency-key-reused")


def test_the_same_key_used_by_another_player_identifies_another_request(
    scene: Scene, ada: Someone, bea: Someone
) -> None:
    path = f"{scene.running}/messages"
    numbers = [who.post(path, {"text": "Hello"}, headers=keyed("a")).json["nr"] for who in (ada, bea, ada, bea)]
    assert numbers == [1, 2, 1, 2]
    games = [who.post("/v1/games", wanted(ME, OPEN, OPEN), headers=keyed("g")).json["id"] for who in (ada, bea)]
    assert len(set(games)) == 2


def test_simultaneous_requests_are_executed_once_and_share_the_response(
    app: Flask, scene: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(idempotency, "_PATIENCE", PATIENCE)  # by default, those that wait for long get 409
    for call in idempotent(scene.contract):
        address, token = scene.address(call), scene.caller(call).token
        programs = [Someone(app, token=token) for _ in range(6)]

        def ask(program: Someone, call: Call = call, address: str = address) -> TestResponse:
            return program.ask(call.method, address, call.examples["Example"], headers=keyed(call.name))

        with ThreadPoolExecutor(len(programs)) as pool:
            answers = list(pool.map(ask, programs))
        assert len({(answer.status, answer.data) for answer in answers}) == 1, call.name
        assert answers[0].status_code in (200, 201), answers[0].text
    assert [it["nr"] for it in scene.ada.get(f"{scene.running}/messages").json["items"]] == [1]


def test_an_idempotency_key_expires_after_seven_days_and_can_then_be_reused(scene: Scene, ada: Someone) -> None:
    opened = [ada.post("/v1/games", wanted(ME, OPEN, OPEN), headers=keyed("a")).json["id"]]
    for days in (6.9, 0.2, 7.1):
        clock.forward(days * DAY)
        with scene.app.app_context():
            forget_old_answers(timedelta(days=7))
        again = ada.post("/v1/games", wanted(ME, OPEN, OPEN), headers=keyed("a"))
        assert ada.post("/v1/games", wanted(ME, OPEN, OPEN), headers=keyed("a")).data == again.data
        opened.append(again.json["id"])
    assert opened[0] == opened[1]
    assert len(set(opened[1:])) == 3


# Pages


def test_chat_messages_can_be_read_page_by_page_even_with_a_link_token(
    scene: Scene, ada: Someone, bea: Someone
) -> None:
    path = f"/v1/games/{ada.post('/v1/games', wanted(ME, OPEN, OPEN, private=True)).json['id']}"
    for number in range(5):
        ada.post(f"{path}/messages", {"text": f"Word {number}"})
    word = ada.get(path).json["invitation"]
    assert walk(bea, f"{path}/messages?invitation={word}&limit=2", key="nr") == [1, 2, 3, 4, 5]
    assert walk(bea, f"{path}/messages?invitation={word}&after=1&limit=4", key="nr") == [2, 3, 4, 5]
    assert code_of(bea.get(f"{path}/messages")) == (404, "not-found")


# Methods and formats


@pytest.mark.parametrize("method", ["OPTIONS", "TRACE", "CONNECT", "PROPFIND", "POST", "PUT", "PATCH", "DELETE"])
def test_a_wrong_method_is_rejected_and_the_allowed_ones_are_listed(scene: Scene, ada: Someone, method: str) -> None:
    there: dict[str, set[str]] = {}
    for call in calls(scene.contract.document):
        there.setdefault(call.path, set()).add(call.method)
    for call in calls(scene.contract.document):
        methods = there[call.path]
        if method in methods:
            continue
        answer = ada.ask(method, scene.address(call))
        assert code_of(answer) == (405, "method-not-allowed")
        assert set(answer.headers["Allow"].split(", ")) == methods | ({"HEAD"} if "GET" in methods else set())


def test_a_client_that_does_not_accept_problem_json_gets_problems_anyway(ada: Someone) -> None:
    assert code_of(ada.get("/v1/games?limit=x", headers={"Accept": "application/json"})) == (422, "invalid-fields")
    assert code_of(ada.get("/v1/games", headers={"Accept": "application/json;q=0"})) == (406, "not-acceptable")


# Problems


def test_a_query_that_is_not_utf_8_does_not_cause_a_server_error(scene: Scene) -> None:
    client = scene.app.test_client()
    headers = {"Authorization": f"Bearer {scene.ada.token}", "If-None-Match": '"x"'}
    for path in ("/legal-moves", ""):
        answer = client.get(scene.running + path, environ_overrides={"QUERY_STRING": "x=\xff"}, headers=headers)
        assert answer.status_code < 500, path


def test_every_error_that_a_commit_or_a_rule_raises_is_in_the_table_of_problems() -> None:
    def kinds(error: type[Exception]) -> set[type[Exception]]:
        return {error, *(kind for below in error.__subclasses__() for kind in kinds(below))}

    found = kinds(PlayError) | kinds(RuleError)
    ours = {it for it in found if it.__module__.startswith("server.") and not it.__module__.startswith("server.post.")}
    assert ours - {PlayError, RuleError} <= set(problems.PROBLEMS)


def test_every_problem_is_documented_on_a_page_and_in_the_contract(scene: Scene) -> None:
    client = scene.app.test_client()
    schemas = scene.contract.document["components"]["schemas"]
    described = {it["properties"]["code"]["const"] for name, it in schemas.items() if name.endswith("Problem")}
    assert described == set(problems.ALL) - {"method-not-allowed"}  # which no call that is described answers with
    for code, problem in problems.ALL.items():
        page = client.get(f"/problems/{code}")
        assert page.status_code == 200
        assert all(word in page.text for word in (code, str(problem.status)))
        assert 400 <= problem.status <= 503
    assert client.get("/problems/none").status_code == 404


# Languages


def test_a_problem_is_in_the_callers_language_and_its_code_never_changes(ada: Someone, scene: Scene) -> None:
    ada.patch("/v1/me", {"locale": "fr"})
    told = ada.get("/v1/games/00000000-0000-4000-8000-000000000000", headers={"Accept-Language": "it"})
    assert (told.json["code"], told.json["title"]) == ("not-found", "Introuvable")
    assert (told.headers["Content-Language"], told.json["detail"]) == ("fr", "Cette partie n’existe pas.")


@pytest.mark.parametrize(
    ("wanted_language", "title"),
    [
        (None, "A token is required"),
        ("de-CH, en;q=0.5", "Ein Token ist erforderlich"),
        ("es, it;q=0.2", "È richiesto un token"),
        ("es", "A token is required"),
        ("\xff;;q=x", "A token is required"),
    ],
)
def test_the_accept_language_header_decides_the_language_if_there_is_no_token(
    scene: Scene, wanted_language: str | None, title: str
) -> None:
    headers = {"Accept-Language": wanted_language} if wanted_language else {}
    refused = scene.stranger.get("/v1/me", headers=headers)
    assert refused.json["title"] == title
    assert "Accept-Language" in refused.headers["Vary"]


def test_a_picture_is_in_the_viewers_language(ada: Someone, scene: Scene) -> None:
    english = ada.get(f"{scene.running}/picture.svg").text
    ada.patch("/v1/me", {"locale": "de"})
    german = ada.get(f"{scene.running}/picture.svg").text
    assert ("coins:" in english, "coins:" in german, "Münzen:" in german) == (True, False, True)


# What clients send along


@pytest.mark.parametrize(
    "accept",
    ["application/json; charset=utf-8", "application/json;charset=UTF-8;q=0.5, text/html", "application/*; q=0.1"],
)
def test_a_charset_parameter_does_not_change_the_format(ada: Someone, accept: str) -> None:
    assert ada.get("/v1/me", headers={"Accept": accept}).status_code == 200
    refused = ada.get("/v1/me", headers={"Accept": "application/json; charset=utf-8; q=0, text/html"})
    assert code_of(refused) == (406, "not-acceptable")


def test_a_compressed_body_is_rejected_with_an_explanation(ada: Someone) -> None:
    packed, headers = (
        gzip.compress(b'{"name": "Ada"}'),
        {"Content-Encoding": "gzip", "Content-Type": "application/json"},
    )
    refused = ada.ask("PATCH", "/v1/me", data=packed, headers=headers)
    assert code_of(refused) == (415, "unsupported-media-type")
    assert "Content-Encoding" in refused.json["detail"]
    assert refused.headers["Accept-Encoding"] == "identity"
    plain = {**headers, "Content-Encoding": "identity"}
    assert ada.ask("PATCH", "/v1/me", data=b'{"name": "Ada"}', headers=plain).status_code == 200


def test_an_empty_cursor_returns_the_first_page(scene: Scene, ada: Someone) -> None:
    for call in looks(scene):
        if any(parameter.get("name") == "cursor" for parameter in call.operation["parameters"]):
            path = scene.address(call)
            assert ada.get(f"{path}?cursor=").data == ada.get(path).data


def test_every_post_call_accepts_an_idempotency_key_or_rejects_it_with_an_explanation(
    scene: Scene, ada: Someone
) -> None:
    posts = [call for call in calls(scene.contract.document) if call.method == "POST"]
    for call in posts:
        path, keyed = (
            scene.address(call),
            any(it.get("name") == "Idempotency-Key" for it in call.operation["parameters"]),
        )
        answer = ada.post(path, call.example, headers={"Idempotency-Key": "once"})
        is_refused = code_of(answer) == (400, "malformed-request") and "Idempotency-Key" in answer.json["detail"]
        assert is_refused != keyed, call.name
    assert ada.post("/v1/me/feed", {}).status_code == 201


def test_every_response_and_every_problem_has_a_request_id(scene: Scene, ada: Someone) -> None:
    answers = [ada.get("/v1/me"), ada.get("/v1/nowhere"), ada.post("/v1/games", {}), ada.get("/healthz"), ada.get("/")]
    names = [answer.headers["X-Request-Id"] for answer in answers]
    assert len(set(names)) == len(names)
    assert [answer.json["request_id"] for answer in answers[1:3]] == names[1:3]


@pytest.mark.parametrize(
    "name", ["8a7c-11f0_x.9", "short", "x" * 65, "with space in it", "two-names-1,two-names-2", ""]
)
def test_only_a_proxy_can_set_a_request_id(app: Flask, shared_url: str, name: str) -> None:
    behind = create_app(Settings.from_environment({"DATABASE_URL": shared_url, "STERNENPOST_PROXIES": "1"}))
    for server, may in ((app, False), (behind, True)):
        answer = server.test_client().get("/v1/rules", headers={"X-Request-Id": name})
        assert (answer.headers["X-Request-Id"] == name) == (may and name == "8a7c-11f0_x.9")


@pytest.mark.parametrize("condition", ['"x"', "*"])
def test_a_precondition_on_an_unknown_path_does_not_change_the_response(ada: Someone, condition: str) -> None:
    assert ada.ask("PATCH", "/v1/nowhere", {}, headers={"If-Match": condition}).status_code == 404


def test_an_empty_precondition_is_ignored(ada: Someone) -> None:
    assert ada.ask("PATCH", "/v1/me", {"name": "Ada"}, headers={"If-Match": ""}).status_code == 200


@pytest.mark.parametrize(("method", "path"), [("PATCH", "/v1/me"), ("DELETE", "/v1/tokens/current")])
def test_unauthorized_callers_cannot_probe_preconditions(app: Flask, method: str, path: str) -> None:
    answer = app.test_client().open(path, method=method, headers={"If-Match": '"x"'})
    assert code_of(answer) == (401, "token-needed")
