"""Requests for every call of the API, and helpers that page through lists."""

from collections.abc import Callable
from typing import Any

from flask import Flask
from werkzeug.test import TestResponse

from server.api.openapi import examples
from server.games import Json
from tests.support.contract import Someone, is_problem
from tests.support.games import ME, OPEN, wanted
from tests.support.push_reader import PushReader

MOVE = {"star": "1", "board": "leo", "space": "a"}


def first_move(who: Someone, game: str, number: int = 0) -> Json:
    open_now = who.get(f"{game}/legal-moves").json
    return {"turn": open_now["turn"], "move": open_now["moves"][number]}


def further(app: Flask, who: Someone, **wanted: Any) -> Someone:
    response = who.post("/v1/tokens", wanted)
    assert response.status_code == 201, response.text
    return Someone(app, token=response.json["token"])


NOBODYS_ID = "00000000-0000-0000-0000-000000000000"
GAME, WEBHOOK = f"/v1/games/{NOBODYS_ID}", f"/v1/webhooks/{NOBODYS_ID}"
CALLS: list[tuple[str, str, Any, str]] = [
    ("GET", "/v1/me", None, "profile:read"),
    ("PATCH", "/v1/me", {}, "profile:write"),
    ("DELETE", "/v1/me", None, "profile:write"),
    ("GET", "/v1/me/export", None, "export:read"),
    ("GET", "/v1/me/deliveries", None, "profile:read"),
    ("GET", "/v1/me/feed", None, "profile:read"),
    ("POST", "/v1/me/feed", None, "profile:write"),
    ("DELETE", "/v1/me/feed", None, "profile:write"),
    ("GET", "/v1/push-subscriptions", None, "profile:read"),
    (
        "POST",
        "/v1/push-subscriptions",
        {"endpoint": "https://push.example/1", "keys": PushReader().keys},
        "profile:write",
    ),
    ("DELETE", f"/v1/push-subscriptions/{NOBODYS_ID}", None, "profile:write"),
    ("POST", "/v1/tokens", {}, "tokens:write"),
    ("GET", "/v1/tokens", None, "tokens:write"),
    ("DELETE", "/v1/tokens", None, "tokens:write"),
    ("DELETE", f"/v1/tokens/{NOBODYS_ID}", None, "tokens:write"),
    ("GET", "/v1/apps", None, "tokens:write"),
    ("DELETE", f"/v1/apps/{NOBODYS_ID}", None, "tokens:write"),
    ("POST", "/v1/games", wanted(ME, OPEN, OPEN), "games:write"),
    ("GET", "/v1/games?mine=true", None, "games:read"),
    ("GET", "/v1/games?my_turn=true", None, "games:read"),
    ("PATCH", GAME, {"open_for": "P14D"}, "games:write"),
    ("DELETE", GAME, None, "games:write"),
    ("DELETE", f"{GAME}/invitations/1", None, "games:write"),
    ("DELETE", f"{GAME}/seats/1", None, "games:write"),
    ("PUT", f"{GAME}/seats/1/bot", {"bot": "greedy"}, "games:write"),
    ("POST", f"{GAME}/seats", {}, "games:write"),
    ("POST", f"{GAME}/ready", {}, "games:write"),
    ("POST", f"{GAME}/rematch", None, "games:write"),
    ("GET", f"{GAME}/rematch", None, "games:read"),
    ("GET", f"{GAME}/seats/me", None, "games:read"),
    ("POST", f"{GAME}/seats/me/tokens", {}, "tokens:write"),
    ("PATCH", f"{GAME}/seats/me", {"mails": "off"}, "games:write"),
    ("DELETE", f"{GAME}/seats/me", None, "games:write"),
    ("GET", f"{GAME}/seats/me/plan", None, "games:read"),
    ("PUT", f"{GAME}/seats/me/plan", {"revision": 0, "moves": []}, "moves:write"),
    ("DELETE", f"{GAME}/seats/me/plan", None, "moves:write"),
    ("GET", f"{GAME}/seats/me/stand-in", None, "games:read"),
    ("POST", f"{GAME}/seats/me/stand-in", examples.STAND_IN_WANTED, "games:write"),
    ("DELETE", f"{GAME}/seats/me/stand-in", None, "games:write"),
    ("POST", "/v1/stand-ins/a", None, "games:write"),
    ("GET", f"{GAME}/invitations", None, "games:write"),
    ("POST", f"{GAME}/invitations", {"email": "a@b.org"}, "games:write"),
    ("POST", f"{GAME}/votes", {"on": "pause"}, "games:write"),
    ("POST", f"{GAME}/take-backs", {"to": 1}, "games:write"),
    ("GET", f"{GAME}/take-backs", None, "games:read"),
    ("POST", f"{GAME}/messages", {"text": "hello"}, "chat:write"),
    ("POST", f"{GAME}/moves", {"turn": 1, "move": MOVE}, "moves:write"),
    ("POST", f"{GAME}/moves?dry_run=true", {"turn": 1, "move": MOVE}, "moves:write"),
    ("GET", f"{GAME}/legal-moves", None, "games:read"),
    ("POST", f"{GAME}/legal-moves", {"begun": []}, "games:read"),
    ("GET", f"{GAME}/hint", None, "games:read"),
    ("POST", f"{GAME}/hint", {"begun": []}, "games:read"),
    ("GET", f"{GAME}/review", None, "games:read"),
    ("GET", "/v1/stream", None, "games:read"),
    ("POST", "/v1/stream-tickets", None, "games:read"),
    ("POST", "/v1/webhooks", {"url": "https://stars.example/", "kinds": ["your-turn"]}, "webhooks:manage"),
    ("GET", "/v1/webhooks", None, "webhooks:manage"),
    ("GET", WEBHOOK, None, "webhooks:manage"),
    ("PATCH", WEBHOOK, {"enabled": True}, "webhooks:manage"),
    ("DELETE", WEBHOOK, None, "webhooks:manage"),
    ("POST", f"{WEBHOOK}/secret", None, "webhooks:manage"),
    ("POST", f"{WEBHOOK}/pings", None, "webhooks:manage"),
    ("GET", f"{WEBHOOK}/deliveries", None, "webhooks:manage"),
    ("GET", f"{WEBHOOK}/deliveries/{NOBODYS_ID}", None, "webhooks:manage"),
    ("POST", f"{WEBHOOK}/deliveries/{NOBODYS_ID}/tries", None, "webhooks:manage"),
]
PLAYER = f"/v1/players/{NOBODYS_ID}"
CALLS += [
    ("GET", "/v1/me/blocks", None, "profile:read"),
    ("GET", "/v1/me/companions", None, "games:read"),
    ("GET", f"{PLAYER}/games?together=true", None, "games:read"),
    ("POST", f"{PLAYER}/block", None, "profile:write"),
    ("DELETE", f"{PLAYER}/block", None, "profile:write"),
    ("POST", f"{PLAYER}/report", {"text": "Insults"}, "profile:write"),
    ("GET", f"{GAME}/note", None, "games:read"),
    ("PUT", f"{GAME}/note", {"text": "low stars"}, "games:write"),
]
LOOKS = ("before", "events", "votes", "messages", "archive", "picture.svg", "picture.png", "stream")
OPEN_CALLS = ["/v1/games", GAME, PLAYER, f"{PLAYER}/games", *(f"{GAME}/{look}" for look in LOOKS)]


def calls_need_no_rules(who: Someone, game: str) -> None:
    """Expect that each call for this game is answered, or returns 503 because it needs the game's rules."""
    calls = [(it[0], it[1].replace(NOBODYS_ID, game[-36:]), it[2]) for it in CALLS if "/games/" in it[1]]
    for method, path, body in [*calls, *(("GET", f"{game}/{look}", None) for look in LOOKS)]:
        answer = who.ask(method, path, body)
        assert answer.status_code < 500 or is_problem(answer, 503, "unavailable"), (method, path)


def walk(who: Someone, url: str | None, between: Callable[[], Any] = lambda: None, key: str = "id") -> list[Any]:
    found: list[Any] = []
    while url:
        page = who.get(url)
        found += [item[key] for item in page.json["items"]]
        url = page.json["next"]
        assert len(found) < 100, "these pages never end"
        assert page.headers.get("Link") == (url and f'<{url}>; rel="next"')
        between()
    return found


def exhausting(who: Someone, **more: Any) -> list[TestResponse]:
    """Return all answers up to the first 429."""
    answers = [who.get(f"{GAME}/archive", **more)]
    while answers[-1].status_code != 429:
        answers.append(who.get(f"{GAME}/archive", **more))
    return answers
