"""Requests to the server under test. Each response is recorded for later checks."""

import gzip
import json
import time
from collections.abc import Callable, Mapping
from http.client import HTTPException
from typing import Any, NamedTuple
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from server.games import Json

_TRIES = 5
_SILENCE = 30  # seconds of silence after which a connection counts as lost
_NOT_NOW = (429, 503)


class Answer(NamedTuple):
    """A response. The names in `headers` are lower-case."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        """Return the parsed body. Raise ValueError if it isn't JSON."""
        packed = self.headers.get("content-encoding") == "gzip"
        return json.loads(gzip.decompress(self.body) if packed else self.body)


class Exchange(NamedTuple):
    method: str
    path: str
    answer: Answer


Send = Callable[[str, str, Mapping[str, str], bytes | None], Answer]


def by_http(url: str) -> Send:
    """Return a function that sends requests to a server. The function retries lost requests, and requests that the
    server asks to repeat later."""

    def send(method: str, path: str, headers: Mapping[str, str], body: bytes | None) -> Answer:
        for number in range(_TRIES):
            try:
                answer = _sent(Request(url.rstrip("/") + path, body, dict(headers), method=method))
            except (OSError, HTTPException):
                if number == _TRIES - 1:
                    raise
            else:
                if answer.status not in _NOT_NOW or number == _TRIES - 1:
                    return answer
                time.sleep(min(float(answer.headers.get("retry-after", "1")), 60.0))
        raise AssertionError

    return send


def _sent(request: Request) -> Answer:
    try:
        with urlopen(request, timeout=_SILENCE) as found:
            return Answer(found.status, _lower(found.headers), found.read())
    except HTTPError as error:
        return Answer(error.code, _lower(error.headers), error.read())


def _lower(headers: Any) -> Json:
    return {name.lower(): value for name, value in headers.items()}


class Person:
    """A player with a token, or a visitor without one. All responses are added to `kept`."""

    def __init__(self, send: Send, token: str | None, kept: list[Exchange]) -> None:
        self._send, self.token, self._kept = send, token, kept

    def ask(self, method: str, path: str, body: Any = None, **headers: str) -> Answer:
        """Send a request, and return the response. `body` is JSON, or raw bytes. Write `_` for `-` in header names."""
        sent = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token and "Authorization" not in sent:
            sent["Authorization"] = f"Bearer {self.token}"
        raw = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        if raw is not None:
            sent.setdefault("Content-Type", "application/json")
        answer = self._send(method, path, sent, raw)
        self._kept.append(Exchange(method, path, answer))
        return answer

    def get(self, path: str, **headers: str) -> Answer:
        return self.ask("GET", path, **headers)

    def post(self, path: str, body: Any, **headers: str) -> Answer:
        return self.ask("POST", path, body, **headers)
