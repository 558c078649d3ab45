"""Recorded answers for the OpenAPI document: `python -m tests.support.recorded_examples >
server/api/openapi/examples.json`.

Ada opens a game of three, Bea takes a seat, and a bot plays along. The requests are those of
`server/api/openapi/examples.py`. Each step has its own minute, seeds are fixed, and ids and secrets are numbered in
order of appearance. So the same code records the same file.
"""

import json
import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from hashlib import sha256, sha512
from itertools import count
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch
from uuid import UUID

from flask import Flask, current_app

from server.api.openapi import examples
from server.app import create_app
from server.clock import clock
from server.config import Settings
from server.games import Json
from tests.support import stage
from tests.support.contract import Contract, ContractClient
from tests.support.one_of_each import Scene

BEGIN = datetime(2026, 11, 21, 19, 0, tzinfo=UTC)
_MOMENT = re.compile(r"\b(20\d\d-\d\d-\d\dT\d\d:\d\d):\d\d(?:\.\d+)?(?:Z|\+00:00)")
_ADDRESS = re.compile(r"https?://[^/\"]+(?=/feed/)")  # of the server
_MADE_UP = re.compile(
    r"(?P<uuid>\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b)"
    r"|(?P<hash>\b[0-9a-f]{64}\b)|(?<=[pt]_)(?P<hex>[0-9a-f]{32})(?=_)|(?<=[0-9a-f]{32}_)(?P<secret>[\w-]{43})"
    r"|(?<=whsec_)(?P<base64>[\w+/=]+)|(?<=/feed/)(?P<word>\w+)|(?<=cursor=)(?P<cursor>[\w-]+)"
)


def record(app: Flask) -> Json:
    """Return the recorded answers by name. The app's tables must be empty."""
    with _fixed_seeds():
        return _replaced(_answers(_Recorder(app)))


class _Recorder:
    """A client that expects 2xx and moves the clock a minute at each call."""

    def __init__(self, app: Flask) -> None:
        self._minutes = count()
        self.tick()
        self.scene = Scene(app)

    def tick(self) -> None:
        clock.offset = BEGIN + timedelta(minutes=next(self._minutes)) - clock.real()

    def __call__(self, ask: Callable[..., Any], *arguments: Any) -> Any:
        self.tick()
        answer = ask(*arguments)
        assert 200 <= answer.status_code < 300, answer.text
        return answer.json


def _answers(ask: _Recorder) -> Json:
    scene, ada, bea = ask.scene, ask.scene.ada, ask.scene.bea
    found: dict[str, Any] = {}
    found["PROFILE"] = ask(ada.ask, "PATCH", "/v1/me", examples.PROFILE_CHANGES)
    ask(bea.ask, "PATCH", "/v1/me", {"name": "Bea"})
    found["EXPORT"] = ask(scene.dan.get, "/v1/me/export")
    found["GUEST_ANSWER"] = ask(scene.stranger.post, "/v1/guests", examples.GUEST)
    found["TOKEN_ANSWER"] = ask(ada.post, "/v1/tokens", examples.FURTHER_TOKEN)
    found["PUSH_SUBSCRIPTION"] = ask(ada.post, "/v1/push-subscriptions", examples.PUSH_SUBSCRIPTION_WANTED)
    found["PUSH_SUBSCRIPTIONS"] = ask(ada.get, "/v1/push-subscriptions")
    found["FEED"] = ask(ada.post, "/v1/me/feed")
    found["WEBHOOK_MADE"] = ask(ada.post, "/v1/webhooks", examples.WEBHOOK_WANTED)
    hook = f"/v1/webhooks/{found['WEBHOOK_MADE']['id']}"
    found["WEBHOOK"] = ask(ada.get, hook)
    found["WEBHOOKS"] = ask(ada.get, "/v1/webhooks")
    found["PING"] = ask(ada.post, f"{hook}/pings")
    found["NEW_SECRET"] = ask(ada.post, f"{hook}/secret")
    found["WEBHOOK_CHANGED"] = ask(ada.ask, "PATCH", hook, examples.WEBHOOK_CHANGES)
    ask.tick()
    assert scene.app_id
    found["APPS"] = ask(ada.get, "/v1/apps")

    found["EXHIBITION"] = ask(scene.stranger.get, "/v1/rules/sternenhimmel/exhibition")
    found["GAME_OPENED"] = ask(ada.post, "/v1/games", examples.GAME_WANTED)
    ask.tick()
    game = scene.running
    found["GAME"] = ask(ada.get, game)
    found["SEAT_TAKEN"] = ask(bea.get, game)
    found["GAMES_PAGE"] = ask(ada.get, "/v1/games?mine=true&limit=2")
    found["SEAT_TOKEN_ANSWER"] = ask(ada.post, f"{game}/seats/me/tokens", examples.SEAT_TOKEN)
    found["TOKENS"] = ask(ada.get, "/v1/tokens")
    found["OWN_SEAT"] = ask(ada.ask, "PATCH", f"{game}/seats/me", examples.SEAT_CHANGES)
    found["STAND_IN"] = ask(ada.post, f"{game}/seats/me/stand-in", examples.STAND_IN_WANTED)
    found["OWN_STAND_IN"] = ask(ada.get, f"{game}/seats/me/stand-in")
    found["MESSAGE_SAID"] = ask(ada.post, f"{game}/messages", examples.MESSAGE)
    found["MESSAGES"] = ask(ada.get, f"{game}/messages")
    found["STREAM_TICKET"] = ask(ada.post, "/v1/stream-tickets")
    legal = ask(ada.get, f"{game}/legal-moves")
    found["LEGAL_MOVES"] = legal | {"moves": [examples.MOVE["move"], legal["moves"][0]]}
    assert examples.MOVE["move"] in legal["moves"]
    found["FORESEEN"] = ask(ada.post, f"{game}/moves?dry_run=true", examples.MOVE)
    found["MOVED"] = ask(ada.post, f"{game}/moves", examples.MOVE)
    found["STORY"] = ask(ada.get, f"{game}/events")
    found["PLAN"] = ask(ada.ask, "PUT", f"{scene.another()}/seats/me/plan", examples.PLAN_WANTED)
    found["WAY_BACK"] = ask(ada.get, f"{game}/take-backs")
    found["TAKEN_BACK"] = ask(ada.post, f"{game}/take-backs", examples.TAKE_BACK)
    found["VOTES"] = ask(ada.post, f"{game}/votes", examples.VOTE)
    found["INVITED"] = ask(ada.post, f"{scene.open}/invitations", examples.INVITATION)
    found["ARCHIVE"] = ask(ada.get, f"{scene.over}/archive")

    bea_id = ask(bea.get, "/v1/me")["id"]
    found["TRACK_RECORD"] = ask(ada.get, f"/v1/players/{bea_id}")
    found["PLAYER_GAMES_PAGE"] = ask(ada.get, f"/v1/players/{bea_id}/games?together=true&limit=2")
    ask.tick()
    assert scene.of_turns  # Bea takes her seat before Ada blocks her
    assert ada.post(f"/v1/players/{bea_id}/block").status_code == 204
    found["BLOCKS"] = ask(ada.get, "/v1/me/blocks")
    found["INVITATIONS"] = ask(ada.get, f"{scene.open}/invitations")
    return found | _answers_in_steps(ask)


def _answers_in_steps(ask: _Recorder) -> Json:
    """Return the answers about a game whose turns have several steps. Ada takes the first step of her first turn."""
    ask.tick()
    ada, game = ask.scene.ada, ask.scene.in_steps
    legal = ask(ada.get, f"{game}/legal-moves")
    assert examples.STEP["move"] in legal["moves"]
    found = {"LEGAL_STEPS": legal | {"moves": [examples.STEP["move"], legal["moves"][-1]]}}
    found["GAME_IN_STEPS"] = ask(ada.get, game)
    found["STEP_PLAYED"] = ask(ada.post, f"{game}/moves", examples.STEP)
    after = found["GAME_IN_STEPS"]["version"] - 1
    found["STORY_IN_STEPS"] = ask(ada.get, f"{game}/events?since_version={after}")
    return found


@contextmanager
def _fixed_seeds() -> Iterator[None]:
    numbers = count(1)
    chance = SimpleNamespace(token_bytes=lambda size: sha256(b"%d" % next(numbers)).digest()[:size])
    with patch("server.play.seating.games.secrets", chance):  # only there, since other modules use it for keys
        yield


def _replaced(answers: Json) -> Json:
    """Round times to minutes, and replace ids and secrets by values that depend only on their order."""
    instead: dict[str, str] = {}

    def replace(found: re.Match[str]) -> str:
        return instead.setdefault(found[0], _made_up(found.lastgroup or "", found[0], len(instead)))

    text = _MOMENT.sub(r"\1:00.000000Z", json.dumps(answers, indent=1, ensure_ascii=False))
    text = _ADDRESS.sub("https://stars.example", text)
    replaced: Json = json.loads(_MADE_UP.sub(replace, text))
    replaced["PUSH_SUBSCRIPTIONS"]["key"] = examples.PUSH_SUBSCRIPTION_WANTED["keys"]["p256dh"]
    return replaced


def _made_up(kind: str, was: str, number: int) -> str:
    digest = sha512(b"%d" % number)
    letters = b64encode(digest.digest()).decode().replace("+", "A").replace("/", "B").replace("=", "")
    match kind:
        case "uuid":
            return str(UUID(digest.hexdigest()[:32], version=4))
        case "hash" | "hex":
            return digest.hexdigest()[: len(was)]
        case "word":
            return letters.lower()
        case "cursor":
            return letters[:20]
        case _:
            return (letters * 2)[: len(was)]


def main() -> None:
    with stage.postgres() as postgres:
        app = create_app(Settings.from_environment({"DATABASE_URL": postgres.url}))
        app.test_client_class = type("Client", (ContractClient,), {"contract": Contract(app)})
        with app.app_context():
            current_app.config["LIMITS"] = False
        print(json.dumps(record(app), indent=1, ensure_ascii=False))


if __name__ == "__main__":
    main()
