"""`sternenpost conform`: this server keeps every guarantee, and each deliberate fault is reported."""

import gzip
import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from flask import Flask

from server.conform import checks
from server.conform.checks import CHECKS, Site, run
from server.conform.exchange import Answer, Send
from tests.support.contract import Someone
from tests.support.games import service_is_up

Breach = Callable[["Call"], Answer]


@dataclass
class Call:
    """A request on its way to the server, with hooks for breaches."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes | None
    send: Send
    kept: dict[str, Any]  # the breach's memory

    def answer(self, **changes: Any) -> Answer:
        return self.send(
            changes.get("method", self.method),
            changes.get("path", self.path),
            changes.get("headers", self.headers),
            changes.get("body", self.body),
        )

    def changed(self, change: Callable[[Any], Any]) -> Answer:
        answer = self.answer()
        packed = answer.headers.get("content-encoding") == "gzip"
        if not answer.body or answer.status >= 400 or "json" not in answer.headers.get("content-type", ""):
            return answer
        value = answer.json
        found = change(value)
        raw = json.dumps(value if found is None else found).encode()
        return answer._replace(body=gzip.compress(raw) if packed else raw)


def to(app: Flask, breach: Breach | None = None) -> Send:
    """Return a sender of requests within this process that the breach intercepts."""
    kept: dict[str, Any] = {}

    def send(method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        answer = app.test_client().open(path, method=method, headers=dict(headers), data=body)
        return Answer(answer.status_code, {name.lower(): value for name, value in answer.headers}, answer.data)

    if breach is None:
        return send
    return lambda method, path, headers, body: breach(Call(method, path, headers, body, send, kept))


@pytest.fixture
def site(app: Flask, no_limits: None) -> Iterator[Callable[[Breach | None], Site]]:
    with app.app_context():
        service_is_up()
    people = [Someone(app, name).token or "" for name in ("ada", "bea", "cyd")]
    document = json.loads(json.dumps(app.extensions["document"].to_dict()))
    yield lambda breach: Site(to(app, breach), people, document, "a seed")


def test_this_server_keeps_every_guarantee(site: Callable[[Breach | None], Site]) -> None:
    assert {sentence: flaw for sentence, flaw in run(site(None)) if flaw} == {}


BREACHES: dict[str, tuple[Breach, str]] = {}


def breach(name: str, promise: str) -> Callable[[Breach], Breach]:
    def plant(it: Breach) -> Breach:
        BREACHES[name] = it, promise
        return it

    return plant


GAME = re.compile(r"/v1/games/[0-9a-f-]{36}(\?.*)?")


def is_game(call: Call) -> bool:
    return call.method == "GET" and bool(GAME.fullmatch(call.path))


def is_move(call: Call) -> bool:
    return call.method == "POST" and call.path.endswith("/moves")


@breach("a player's hand is public", "a spectator gets exactly the public view, at every version")
def _(call: Call) -> Answer:
    def show(game: Any) -> None:
        if game.get("view") and "Authorization" not in call.headers:
            game["view"]["hand"] = ["1", "B", "D"]

    return call.changed(show) if is_game(call) else call.answer()


@breach("a seat sees more than its own", "each seat gets exactly its own view, at every version")
def _(call: Call) -> Answer:
    def show(game: Any) -> None:
        if game.get("view") and "Authorization" in call.headers:
            game["view"]["others"] = [["1"], ["B"]]

    return call.changed(show) if is_game(call) else call.answer()


@breach(
    "a response has an undocumented field", "every response matches the OpenAPI document, without additional fields"
)
def _(call: Call) -> Answer:
    return (
        call.changed(lambda game: game["seats"][0].update(email="ada@example.org")) if is_game(call) else call.answer()
    )


@breach("a response lacks a field", "every response matches the OpenAPI document, without additional fields")
def _(call: Call) -> Answer:
    return call.changed(lambda game: game.pop("clock")) if is_game(call) else call.answer()


@breach("the table is out of date", "each seat gets exactly its own view, at every version")
def _(call: Call) -> Answer:
    def keep(game: Any) -> None:
        if game["view"] and "Authorization" in call.headers:
            old = call.kept.setdefault(call.path + call.headers["Authorization"], game["view"])
            game["view"] = old

    return call.changed(keep) if is_game(call) and "?" not in call.path else call.answer()


@breach("earlier versions show the current table", "earlier versions are returned as they were")
def _(call: Call) -> Answer:
    return call.answer(path=call.path.partition("?at=")[0])


@breach("a move is not offered", "the legal moves are exactly those that the rules allow")
def _(call: Call) -> Answer:
    is_long = call.path.endswith("/legal-moves")
    return call.changed(lambda it: it["moves"].pop() if len(it["moves"]) > 3 else None) if is_long else call.answer()


def without(call: Call, end: str, leave_out: Callable[[list[Any]], object]) -> Answer:
    is_it = call.method == "GET" and call.path.partition("?")[0].endswith(end)
    return call.changed(lambda it: leave_out(it["items"]) and None) if is_it else call.answer()


@breach("an event is left out", "the list of events has each event that the viewer can see, once and in order")
def _(call: Call) -> Answer:
    return without(call, "/events", lambda items: items.pop(5) if len(items) > 9 else None)


@breach("two events are out of order", "the list of events has each event that the viewer can see, once and in order")
def _(call: Call) -> Answer:
    return without(call, "/events", lambda items: items.reverse())


@breach(
    "an event reveals a hidden star", "the list of events has each event that the viewer can see, once and in order"
)
def _(call: Call) -> Answer:
    def tell(items: list[Any]) -> None:
        for item in items:
            if item["type"] == "star-placed" and item.get("star") is None:
                item["star"] = "B"

    return without(call, "/events", tell)


@breach("the event list starts over", "the list of events continues after a given event")
def _(call: Call) -> Answer:
    return call.answer(path=re.sub(r"\?after=\d+", "", call.path))


@breach("all moves are a bot's", "the events of each move name who made it")
def _(call: Call) -> Answer:
    return without(call, "/events", lambda items: [it.update(by="bot") for it in items if "by" in it])


@breach(
    "repeating a move after a lost response plays again",
    "a repeated move gets the first response again and is played once",
)
def _(call: Call) -> Answer:
    answer = call.answer()
    return answer._replace(status=201) if is_move(call) and answer.status == 200 else answer


@breach("a repeated move is rejected", "a repeated move gets the first response again and is played once")
def _(call: Call) -> Answer:
    answer = call.answer()
    return answer._replace(status=409) if is_move(call) and answer.status == 200 else answer


@breach("stale moves are accepted", "a different move for a turn that is over is rejected as stale")
def _(call: Call) -> Answer:
    answer = call.answer()
    return answer._replace(status=200) if is_move(call) and answer.status == 409 else answer


@breach("illegal moves get the wrong problem code", "an illegal or malformed move changes nothing")
def _(call: Call) -> Answer:
    answer = call.answer()
    is_it = is_move(call) and answer.status == 422
    return answer._replace(body=answer.body.replace(b"illegal-move", b"bad-move")) if is_it else answer


@breach("any player may move", "only the player whose turn it is can move")
def _(call: Call) -> Answer:
    answer = call.answer()
    return answer._replace(status=201) if is_move(call) and answer.status == 401 else answer


@breach("a dry run plays", "a dry run returns what a move would cause and changes nothing")
def _(call: Call) -> Answer:
    told = call.answer()
    if "dry_run" in call.path:
        call.answer(path=call.path.partition("?")[0])
    return told


@breach("the response to a move has no events", "the response to a move has its version, its events and the table")
def _(call: Call) -> Answer:
    return call.changed(lambda it: it.get("events", []).clear()) if is_move(call) else call.answer()


@breach("turns have the wrong numbers", "turns have the numbers that moves must contain")
def _(call: Call) -> Answer:
    def count(game: Any) -> None:
        for seat in game["seats"]:
            if seat["turn"] and game["version"] > 3:
                seat["turn"] += 100

    return call.changed(count) if is_game(call) else call.answer()


@breach("the due time is wrong", "a turn is due when the game's clock says")
def _(call: Call) -> Answer:
    def later(game: Any) -> None:
        for seat in game["seats"]:
            seat["due_at"] = seat["due_at"] and "2099-01-01T00:00:00Z"

    return call.changed(later) if is_game(call) else call.answer()


@breach("the wrong player wins", "a finished game has the right scores and places")
def _(call: Call) -> Answer:
    def favour(game: Any) -> None:
        if game["outcome"]:
            game["outcome"]["scores"][0] += 1

    return call.changed(favour) if is_game(call) else call.answer()


@breach(
    "the seed is chosen after the game",
    "archives have correct hashes, draws and moves, and the commitment published earlier",
)
def _(call: Call) -> Answer:
    def choose(game: Any) -> None:
        if game["status"] != "finished":
            game["commitment"] = "0" * 64

    return call.changed(choose) if is_game(call) else call.answer()


@breach("an archive is forged", "archives have correct hashes, draws and moves, and the commitment published earlier")
def _(call: Call) -> Answer:
    is_it = call.path.endswith("/archive")
    return call.changed(lambda it: it.update(seed="00" * 32)) if is_it else call.answer()


@breach("streams start over", "a stream has all events and continues after the last id received")
def _(call: Call) -> Answer:
    return call.answer(headers={name: it for name, it in call.headers.items() if name != "Last-Event-ID"})


@breach("streams lose an event", "a stream has all events and continues after the last id received")
def _(call: Call) -> Answer:
    answer = call.answer()
    if not call.path.endswith("/stream"):
        return answer
    blocks = answer.body.split(b"\n\n")
    return answer._replace(body=b"\n\n".join([*blocks[:4], *blocks[5:]]))


@breach("a cache serves stale responses", "a GET of an unchanged game returns an empty 304")
def _(call: Call) -> Answer:
    answer = call.answer()
    if "If-None-Match" in call.headers and answer.status == 200:
        return answer._replace(status=304, body=b"", headers={**answer.headers, "etag": call.headers["If-None-Match"]})
    return answer


@breach(
    "responses are not compressed",
    "HEAD returns the headers of GET without a body, and responses are compressed on request",
)
def _(call: Call) -> Answer:
    return call.answer(headers={name: it for name, it in call.headers.items() if name != "Accept-Encoding"})


@breach("errors are HTML", "every error response is an RFC 9457 problem with a code")
def _(call: Call) -> Answer:
    answer = call.answer()
    if answer.status != 404:
        return answer
    return answer._replace(body=b"<h1>Not found</h1>", headers={**answer.headers, "content-type": "text/html"})


@breach("a header is dropped", "every response has a request id, caching rules and `nosniff`")
def _(call: Call) -> Answer:
    answer = call.answer()
    return answer._replace(headers={name: it for name, it in answer.headers.items() if name != "x-request-id"})


@breach("private games are public", "other players get 404 for a private game")
def _(call: Call) -> Answer:
    if call.method == "POST" and call.path == "/v1/games" and call.body:
        return call.answer(body=json.dumps({**json.loads(call.body), "private": False}).encode())
    return call.answer()


@breach("idempotency keys are ignored", "repeating a request with the same key creates only one game")
def _(call: Call) -> Answer:
    return call.answer(headers={name: it for name, it in call.headers.items() if name != "Idempotency-Key"})


@breach("unknown fields are accepted", "an error names each unknown field")
def _(call: Call) -> Answer:
    if call.method == "POST" and call.body and call.body.startswith(b"{") and b'"x"' in call.body:
        return call.answer(body=json.dumps({k: v for k, v in json.loads(call.body).items() if k != "x"}).encode())
    return call.answer()


@breach("calls from other origins are rejected", "pages from other origins can call the API, without cookies")
def _(call: Call) -> Answer:
    answer = call.answer()
    return answer._replace(headers={k: v for k, v in answer.headers.items() if not k.startswith("access-control")})


@breach("a lobby page is returned twice", "a new game is at its Location and in the list of open games")
def _(call: Call) -> Answer:
    if "free=true" in call.path:
        call.kept["pages"] = call.kept.get("pages", 0) + 1
        if call.kept["pages"] == 2:
            return call.answer(path=re.sub(r"&cursor=.*", "", call.path))
    return call.answer()


@breach("the rules are different", "the games have the rules of this project")
def _(call: Call) -> Answer:
    return call.changed(lambda it: it.pop("options")) if call.path == "/v1/rules/sternenhimmel" else call.answer()


@breach("pictures are broken", "the table can be drawn as SVG and PNG")
def _(call: Call) -> Answer:
    answer = call.answer()
    return answer._replace(body=answer.body[:-20]) if call.path.endswith(".svg") else answer


@breach("a take-back changes nothing", "a take-back restores the table as it was before the move")
def _(call: Call) -> Answer:
    answer = call.answer()
    return answer._replace(status=409) if call.path.endswith("/take-backs") else answer


def test_there_are_enough_deliberate_faults_and_each_breaks_a_guarantee() -> None:
    assert len(BREACHES) >= 30
    for _, promise in BREACHES.values():
        assert any(sentence.startswith(promise) for sentence in CHECKS), promise


@pytest.mark.parametrize("name", BREACHES)
def test_a_deliberate_fault_is_found_by_the_check_of_the_guarantee_that_it_breaks(
    name: str, site: Callable[[Breach | None], Site], monkeypatch: pytest.MonkeyPatch
) -> None:
    planted, promise = BREACHES[name]
    needed = (promise, "an unknown game", "a dry run") if promise.startswith("every") else (promise,)
    monkeypatch.setattr(checks, "CHECKS", {it: check for it, check in CHECKS.items() if it.startswith(needed)})
    found = {sentence: flaw for sentence, flaw in run(site(planted)) if flaw}
    assert any(sentence.startswith(promise) for sentence in found), found
