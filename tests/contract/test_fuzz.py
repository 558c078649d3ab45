"""Fuzzing: valid requests with random changes. Every response must match the document (tests/support/contract.py).

Games continue meanwhile. A longer run, with another seed:

    FUZZ_REQUESTS=1000000 FUZZ_SEED=7 python -m pytest tests/contract/test_fuzz.py --timeout=0
"""

import json
import os
from collections import Counter
from copy import deepcopy
from random import Random
from typing import Any
from urllib.parse import quote
from uuid import UUID

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from server.games import GAMES, Json
from server.play.timing.sweep import wake_due
from tests.support.contract import JSON, Someone
from tests.support.games import BOT, ME, OPEN
from tests.support.one_of_each import Call, calls

REQUESTS = int(os.environ.get("FUZZ_REQUESTS", "2500"))
SEED = int(os.environ.get("FUZZ_SEED", "1"))
MUTATIONS = (0, 1, 1, 1, 2, 3)
TABLES = 8  # targets of requests; a new one replaces each that is over

ODD_VALUES: list[Any] = [
    *(None, True, False, 0, -1, 1, 7, 1.5, 1e300, 2**31, 2**63, 2**64, -(2**63)),
    *("", " ", "x", "me", "7", "null", "P1D", "-P1D", "P99999999Y", "22:00-08:00", "Europe/Berlin", "2026-11-21"),
    *(
        "\0",
        "\ud83c",
        "\u2028",
        "\u202e",
        "a\r\nBcc: v@z.org",
        "=?utf-8?q?x=0D=0AB:c?=",
        "Z" + "\u0353" * 300,
        "x" * 9000,
    ),
    *([], [[]], {}, {"x": 1}, [None], [0] * 300, {"seat": 0}, ["7 leo c"]),
]
ODD_HEADERS = (
    "",
    "*",
    '"x"',
    'W/"x"',
    "Bearer",
    "text/html",
    "a" * 9000,
    "\xff",
    "Basic YTpi",
    "-1",
    "0",
    "gzip;q=x",
    "\t",
)
HEADERS = ("Accept", "Authorization", "If-None-Match", "If-Match", "Idempotency-Key", "Content-Type", "Range", "Host")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "X")


class Fuzzer:
    """A fuzzer that plays as Ada and sends valid and changed requests."""

    def __init__(self, app: Flask, seed: int) -> None:
        self.app, self.chance = app, Random(seed)
        self.contract = app.test_client_class.contract
        self.calls = list(calls(self.contract.document))
        self.people = people(app)
        self.games = [self.new_game() for _ in range(TABLES)]
        self.asked: Counter[int] = Counter()

    def new_game(self) -> str:
        kind = self.chance.choice(sorted(GAMES))
        editions = GAMES[kind].describe()["editions"]
        options = self.chance.choice(list(editions.values()))
        seats = self.chance.choice(([ME, BOT, BOT], [ME, OPEN, BOT], [ME, BOT, OPEN]))
        wanted = {"rules": kind, "options": options, "seats": seats, "private": self.chance.random() < 0.2}
        answer = self.people[0].post("/v1/games", wanted)
        assert answer.status_code == 201, answer.text
        game_id: str = answer.json["id"]
        return game_id

    def go(self) -> None:
        """Send a request, and at times a move, so that games end and others begin."""
        if self.chance.random() < 0.1:
            self.play()
        call = self.chance.choice(self.calls)
        game = self.chance.choice(self.games)
        request = self.right(call, game)
        for _ in range(self.chance.choice(MUTATIONS)):
            self.chance.choice(
                (self.in_body, self.in_body, self.in_bytes, self.in_path, self.in_query, self.in_header)
            )(request)
        answer = self.sent(request)
        self.asked[answer.status_code] += 1
        if "/tokens" in request["path"] and answer.status_code == 204:
            self.people = people(self.app)
        assert answer.status_code < 500, (request, answer.text)

    def play(self) -> None:
        """Run the sweep, let a player move if possible, and replace the game when it is over."""
        at = self.chance.randrange(TABLES)
        game_id = UUID(self.games[at])
        with self.app.app_context():
            wake_due()
        who = self.chance.choice(self.people[:2])
        legal = who.get(f"/v1/games/{game_id}/legal-moves")
        if legal.status_code == 200 and legal.json["moves"]:
            move = self.chance.choice(legal.json["moves"])
            who.post(f"/v1/games/{game_id}/moves", {"turn": legal.json["turn"], "move": move})
        state = self.people[0].get(f"/v1/games/{game_id}").json
        if state.get("status") not in ("open", "running") or self.chance.random() < 0.02:
            self.games[at] = self.new_game()

    def right(self, call: Call, game: str) -> Json:
        """Return a request as documented."""
        path = call.path.replace("{game_id}", game).replace("{seat}", str(self.chance.randrange(3)))
        path = path.replace("{name}", self.chance.choice(sorted(GAMES)))
        body = deepcopy(self.chance.choice(list(call.examples.values()))) if call.examples else None
        if isinstance(body, dict) and "turn" in body and self.chance.random() < 0.7:
            body["turn"] = self.chance.randrange(1, 12)
        return {
            "call": call,
            "method": call.method,
            "path": path,
            "query": {},
            "body": body,
            "raw": None,
            "headers": {},
        }

    # Changes

    def in_body(self, request: Json) -> None:
        body = request["body"]
        if body is None:
            request["body"] = self.chance.choice(ODD_VALUES)
            return
        holder, key = self.place(body)
        if holder is None or self.chance.random() < 0.03:
            request["body"] = self.chance.choice(ODD_VALUES)
        elif self.chance.random() < 0.2:
            del holder[key]
        elif self.chance.random() < 0.15 and isinstance(holder, dict):
            holder[self.chance.choice(("more", "", "x" * 300, "id", "seat", "salt"))] = self.chance.choice(ODD_VALUES)
        else:
            holder[key] = deepcopy(self.chance.choice(ODD_VALUES))

    def place(self, value: Any) -> tuple[Any, Any]:
        """Return a random place in a JSON value: its container and key."""
        found: list[tuple[Any, Any]] = []
        walk: list[Any] = [value]
        while walk:
            holder = walk.pop()
            if isinstance(holder, dict | list):
                keys = list(holder) if isinstance(holder, dict) else range(len(holder))
                found += [(holder, key) for key in keys]
                walk += [holder[key] for key in keys]
        return self.chance.choice(found) if found else (None, None)

    def in_bytes(self, request: Json) -> None:
        raw = bytearray(request["raw"] or as_bytes(request["body"]))
        for _ in range(self.chance.choice((1, 1, 2, 8))):
            at = self.chance.randrange(len(raw) + 1)
            match self.chance.randrange(4):
                case 0:
                    del raw[at : at + self.chance.choice((1, 3, 10_000))]
                case 1:
                    raw[at:at] = self.chance.randbytes(self.chance.choice((1, 2, 9)))
                case 2:
                    raw[at:at] = self.chance.choice((b"{", b"]", b'"', b",", b"NaN", b"1e999", b"\\u0000", b"9" * 5000))
                case 3:
                    raw[at:at] = bytes(raw[: self.chance.randrange(len(raw) + 1)])
        request["raw"] = bytes(raw)

    def in_path(self, request: Json) -> None:
        parts = request["path"].split("/")
        at = self.chance.randrange(min(2, len(parts) - 1), len(parts))
        parts[at] = self.chance.choice(
            ("", "..", "%00", "%ff", "me", "0", "x" * 3000, quote("é\u2028"), str(UUID(int=1)), "{}")
        )
        if self.chance.random() < 0.2:
            request["method"] = self.chance.choice(METHODS)
        else:
            request["path"] = "/".join(parts)

    def in_query(self, request: Json) -> None:
        names = [it["name"] for it in request["call"].operation["parameters"] if it["in"] == "query"]
        values = ("", "0", "1", "5", "-1", "true", "false", "x", "\0", "\ud83c", "9" * 400, "open", "sternenglanz", "é")
        request["query"][self.chance.choice([*names, "more"])] = self.chance.choice(values)

    def in_header(self, request: Json) -> None:
        request["headers"][self.chance.choice(HEADERS)] = self.chance.choice(ODD_HEADERS)

    def sent(self, request: Json) -> TestResponse:
        who: Someone = self.chance.choices(self.people, (8, 2, 1))[0]
        more: Json = {"headers": request["headers"]}
        if request["raw"] is not None or request["body"] is not None:
            more["data"] = request["raw"] if request["raw"] is not None else as_bytes(request["body"])
            request["headers"].setdefault("Content-Type", JSON)
        if request["query"]:
            pairs = (f"{name}={quote(value, errors='surrogatepass')}" for name, value in request["query"].items())
            more["query_string"] = "&".join(pairs)
        return who.ask(request["method"], request["path"], **more)


def people(app: Flask) -> list[Someone]:
    return [Someone(app, "ada"), Someone(app, "bea"), Someone(app)]


def as_bytes(body: Any) -> bytes:
    return json.dumps(body).encode()


def test_any_mutated_request_gets_a_documented_response(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.config, "LIMITS", False)
    fuzzer = Fuzzer(app, SEED)
    for _ in range(REQUESTS):
        fuzzer.go()
    print(dict(sorted(fuzzer.asked.items())))
    assert {200, 201, 304, 400, 404, 409, 422} - set(fuzzer.asked) <= {304}
