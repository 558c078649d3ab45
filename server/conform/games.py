"""Games played for the checks, with everything that the server showed of them."""

import json
import random
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from server.conform.exchange import Answer, Person
from server.games import GAMES, Json, Seat
from server.play.archive import Checked, check
from server.play.table import Table, fold_commits, new_table, parse_event, story_item

STRANGER = -1
_MOST_MOVES = 400


class BrokenOff(Exception):
    """The reason why a check cannot continue, in one sentence."""


class PlayedGame:
    """A public game of two or three players, who each look at the game before and after each of their moves.

    `views` and `legal` have responses by version and seat. The seat of a visitor without a token is STRANGER. `moves`
    has the seat, request and response of each move. `heads` has each response about the game itself.
    """

    def __init__(self, rules: str, people: Sequence[Person], stranger: Person, rng: random.Random) -> None:
        self.rules = GAMES[rules]
        self.people = list(people[: self.rules.SEATS.start])
        self.stranger, self.rng = stranger, rng
        self.views: dict[tuple[int, Seat], Any] = {}
        self.legal: dict[tuple[int, Seat], Any] = {}
        self.moves: list[tuple[Seat, Json, Answer]] = []
        self.heads: list[Json] = []
        self.wanted: Json = {
            "rules": rules,
            "title": "Conformance",
            "options": {"max_rounds": 2} if "max_rounds" in self.rules.OPTION_SCHEMA["properties"] else {},
            "clock": {"per_move": "P2D"},
            "seats": [{"player": "me"}, *[{"open": True}] * (len(self.people) - 1)],
        }
        self.opened = self.people[0].post("/v1/games", self.wanted, Idempotency_Key=f"conform-{rng.random()}")
        self.id: str = _answered(self.opened, 201)["id"]
        self.path = f"/v1/games/{self.id}"
        for guest in self.people[1:]:
            _answered(guest.post(f"{self.path}/seats", {}), 200, 201)

    def look(self, seat: Seat) -> Json:
        """Record and return the game as a seat sees it now."""
        head: Json = _answered((self.stranger if seat == STRANGER else self.people[seat]).get(self.path), 200)
        self.views[head["version"], seat] = head["view"]
        self.heads.append(head)
        return head

    def play(self, most: int = _MOST_MOVES) -> Json:
        """Play up to `most` moves, or to the end. Return the game."""
        head = self.look(STRANGER)
        for _ in range(most):
            if head["status"] != "running":
                break
            asked = [it["seat"] for it in head["seats"] if it["turn"] is not None]
            if not asked:
                raise BrokenOff(f"Game {self.id} is waiting for no player.")
            self.move(asked[0])
            head = self.look(STRANGER)
        return head

    def move(self, seat: Seat) -> None:
        head, who = self.look(seat), self.people[seat]
        legal = _answered(who.get(f"{self.path}/legal-moves"), 200)
        self.legal[head["version"], seat] = legal
        if not legal["moves"]:
            raise BrokenOff(f"Seat {seat} of the game {self.id} has the turn but no legal move.")
        wanted = {"turn": legal["turn"], "move": self.rng.choice(legal["moves"])}
        answer = who.post(f"{self.path}/moves", wanted)
        told = _answered(answer, 200, 201)
        self.moves.append((seat, wanted, answer))
        self.views[told["version"], seat] = told["view"]

    def story(self, seat: Seat, query: str = "") -> list[Json]:
        who = self.stranger if seat == STRANGER else self.people[seat]
        items: list[Json] = _answered(who.get(f"{self.path}/events{query}"), 200)["items"]
        return items

    # The archive

    @cached_property
    def archive(self) -> Answer:
        return self.people[0].get(f"{self.path}/archive")

    @cached_property
    def checked(self) -> Checked:
        """Check the archive and return it. Raise Flaw if a check fails."""
        return check(json.dumps(_answered(self.archive, 200)).encode())

    @cached_property
    def tables(self) -> dict[int, Table]:
        """Return the table of each version."""
        found = {0: new_table(self.rules.NAME)}
        return found | {after.version: after for _, after in fold_commits(found[0], self.checked.rows)}

    def view_at(self, version: int, seat: Seat) -> Any:
        return plain(self.rules.view(self.tables[version].state, None if seat == STRANGER else seat))

    def story_of(self, seat: Seat) -> Iterator[Json]:
        """Yield the events that the rules show to a seat, without the author of each move."""
        for row in self.checked.rows:
            item = story_item(self.rules, row, parse_event(self.rules, row), None if seat == STRANGER else seat)
            if item is not None:
                yield plain(item)


def _answered(answer: Answer, *statuses: int) -> Any:
    if answer.status not in statuses:
        said = re.sub(r"\s+", " ", answer.body[:300].decode(errors="replace"))
        raise BrokenOff(f"The response is {answer.status} instead of {statuses[0]}: {said}")
    try:
        return answer.json
    except ValueError:
        raise BrokenOff("The response is not JSON.") from None


def plain(value: Any) -> Any:
    """Return a value after a round trip through JSON."""
    return json.loads(json.dumps(value))
