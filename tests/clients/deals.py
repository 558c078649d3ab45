"""Deals: games on a live sandbox in which every position can be reached again, using only documented calls.

The seed of a game is drawn when it opens and survives a take-back. So a position is its sequence of moves: later moves
are taken back first, with the consent of all seats. A finished game allows no take-back, so unseen positions are out of
reach then. Callers who need more open another game.
"""

import json
import os
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import httpx

PEOPLE = ("you", "ada", "ben")  # the players of every sandbox
MOST_MOVES = 1024  # legal moves of a seat; real games never have half as many
Json = dict[str, Any]
Way = tuple[int, ...]  # moves from the start of a game, as indices into the legal moves


class OutOfReach(Exception):
    """The deal has ended with other moves."""


class Position(NamedTuple):
    """A position in which `seat` chooses one of `moves`. A finished game has an outcome and no seat."""

    version: int
    seat: int | None
    turn: int | None
    moves: Sequence[Json]
    outcome: Json | None

    def returns(self) -> list[float]:
        """Return a score by seat from -1 to 1: the seats behind it minus those ahead. They add up to 0."""
        places = self.outcome["places"] if self.outcome else []
        return [sum((one < it) - (one > it) for it in places) / (len(places) - 1) for one in places]


class Deal:
    """A deal on the server at `STERNENPOST_URL`."""

    def __init__(self, rules: str, options: Json, seats: int) -> None:
        self.people = [_client(os.environ["STERNENPOST_URL"], name) for name in PEOPLE[:seats]]
        wanted = {"rules": rules, "options": options, "seats": [{"player": "me"}, *[{"open": True}] * (seats - 1)]}
        self._path = f"/v1/games/{_json(self.people[0].post('/v1/games', json=wanted))['id']}"
        for client in self.people[1:]:
            _json(client.post(f"{self._path}/seats"))
        self._way: Way = ()  # the server's position
        self._followed: list[Position] = []  # its positions so far
        self._now = self._look()
        self.forget()

    def forget(self) -> None:
        """Read the position from the server again."""
        self._known: dict[Way, Position] = {self._way: self._now}
        self._views: dict[tuple[int, int], Json] = {}

    def at(self, way: Way) -> Position:
        if way not in self._known:
            shared = next((i for i, (one, other) in enumerate(zip(self._way, way)) if one != other), len(self._way))
            if shared < len(self._way):
                self._go_back(shared)
            for number in way[shared:]:
                self._play(number)
        return self._known[way]

    def view(self, way: Way, seat: int) -> Json:
        version = self.at(way).version
        if (version, seat) not in self._views:
            seen = _json(self.people[seat].get(self._path, params={"at": version}))
            self._views[version, seat] = seen["view"]
        return self._views[version, seat]

    def _play(self, number: int) -> None:
        seat, asked = self._now.seat, {"turn": self._now.turn, "move": self._now.moves[number]}
        assert seat is not None
        _json(self.people[seat].post(f"{self._path}/moves", json=asked))
        self._followed.append(self._now)
        self._way, self._now = (*self._way, number), self._look()
        self._known.setdefault(self._way, self._now)

    def _go_back(self, length: int) -> None:
        """Take moves back to this length. The mover asks and all others consent."""
        if self._now.outcome:
            raise OutOfReach("This deal is over: open another.")
        before = self._followed[length]
        assert before.seat is not None
        asked = self.people[before.seat].post(f"{self._path}/take-backs", json={"to": before.version})
        if "vote" in _json(asked):
            for client in self.people:
                if client is not self.people[before.seat]:
                    _json(client.post(f"{self._path}/votes", json={"on": "take-back"}))
        del self._followed[length:]
        self._way, self._now = self._way[:length], self._look()
        assert self._now.moves == before.moves

    def _look(self) -> Position:
        game = _json(self.people[0].get(self._path))
        asked = next((it["seat"] for it in game["seats"] if it["turn"] is not None), None)
        if asked is None:
            return Position(game["version"], None, None, (), game["outcome"])
        legal = _json(self.people[asked].get(f"{self._path}/legal-moves"))
        assert 0 < len(legal["moves"]) <= MOST_MOVES
        return Position(game["version"], asked, legal["turn"], legal["moves"], None)


@cache
def deal(rules: str, options: str, seats: int, number: int) -> Deal:
    return Deal(rules, json.loads(options), seats)


@cache
def _client(url: str, name: str) -> httpx.Client:
    token = _json(httpx.post(f"{url}/sandbox/token", json={"name": name}))["token"]
    return httpx.Client(base_url=url, headers={"Authorization": f"Bearer {token}"}, timeout=60)


def _json(answer: httpx.Response) -> Json:
    assert answer.is_success, answer.text
    told: Json = answer.json()
    return told
