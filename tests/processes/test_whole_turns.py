"""A whole game of Sternenglanz with real processes: turns of several moves, and a time-out while all choose.

Ada plays whole turns by REST, Ben step by step by the links in the emails, and a bot plays along.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby
from random import Random
from typing import Any
from uuid import UUID

import httpx
import pytest

from server.games import GAMES
from server.play.archive import check
from tests.support.live_server import Client, House, Json, Turn, new_house, sign_in, until

RULES = GAMES["sternenglanz"]
ADA, BEN = "ada@example.org", "ben@example.org"
WANTED: Json = {
    "rules": RULES.NAME,
    "options": {"scenario": 4, "start_seat": 0, "max_rounds": 4},
    "title": "Rule over the firmament",
    "on_timeout": [{"do": "bot-move", "bot": "greedy", "times": 2}, {"do": "bot-takes-over", "bot": "greedy"}],
    "seats": [{"player": "me"}, {"open": True}, {"bot": "greedy"}],
}


@dataclass
class Evening:
    """The game, and what its people did."""

    house: House
    ada: Client
    game_id: UUID
    rng: Random = field(default_factory=lambda: Random(1))
    moves_of_ada: list[int] = field(default_factory=list)  # of each of her turns: in how many moves she played it
    links_of_ben: list[str] = field(default_factory=list)  # the link tokens of Ben's turns
    steps_of_ben: list[int] = field(default_factory=list)

    @property
    def path(self) -> str:
        return f"/v1/games/{self.game_id}"

    @property
    def game(self) -> Json:
        seen: Json = self.ada.get(self.path)
        return seen

    @property
    def log(self) -> list[Json]:
        return self.house.rows("SELECT * FROM events WHERE game_id = %s ORDER BY seq", self.game_id)

    def ada_plays(self) -> None:
        """All the steps that she can foresee at once, and what is left when she has seen what came of them."""
        self.moves_of_ada.append(0)
        while (turn := self.game["you"]["turn"]) is not None:
            begun: list[Json] = []
            while steps := self.ada.post(f"{self.path}/legal-moves", {"begun": begun}, status=200)["moves"]:
                begun.append(self.rng.choice(steps))
            move = {"steps": [step for each in begun for step in each["steps"]]}
            self.ada.post(f"{self.path}/moves", {"turn": turn, "move": move})
            self.moves_of_ada[-1] += 1

    def ben_plays(self, word: str) -> None:
        """Play from the mailed link to the last step. Each page leads to the next one."""
        browser, link, steps = Client(self.house), f"/t/{word}", 0
        page = browser.ask("GET", f"{link}/plain")
        while "email you when it" not in page.text:
            assert page.status_code == 200, page.text
            line = self.rng.choice(re.findall(r'<option value="(.+?)">', page.text))
            asked = browser.ask("POST", form_in(page), data={"move": line})
            assert f"Play {line}" in asked.text
            page = browser.ask("POST", form_in(asked), data={"move": line, "confirmed": "yes"})
            assert f"Played: <strong>{line}" in page.text
            steps += 1
        self.steps_of_ben.append(steps)

    def word_for_ben(self) -> str | None:
        """Return the link token of the mail that is still unanswered."""
        words = [word for mail in self.house.post.of(BEN) if (word := mail.word("t")) and "your turn" in mail.text]
        return next((word for word in words if word not in self.links_of_ben), None)


def form_in(page: httpx.Response) -> str:
    found = re.search(r'<form method="post" action="(.+?)"', page.text)
    assert found
    return found[1]


@pytest.fixture(scope="module")
def evening() -> Iterator[Evening]:
    with new_house() as house:
        house.start_worker()
        house.start_web()
        ada, ben = sign_in(house, ADA), sign_in(house, BEN)
        evening = Evening(house, ada, UUID(ada.post("/v1/games", WANTED)["id"]))
        ben.post(f"{evening.path}/seats", {"salt": "ben"})
        evening.links_of_ben.append(until(evening.word_for_ben))
        evening.ada_plays()  # her first cards
        house.await_letters()
        house.forward_to(datetime.fromisoformat(evening.game["seats"][1]["due_at"]))
        until(lambda: evening.game["you"]["turn"] is not None)
        while evening.game["status"] == "running":
            if evening.game["you"]["turn"] is not None:
                evening.ada_plays()
            elif word := evening.word_for_ben():
                evening.links_of_ben.append(word)
                evening.ben_plays(word)
            else:
                until(lambda: evening.game["you"]["turn"] or evening.word_for_ben() or evening.game["outcome"])
        house.await_letters()
        yield evening


def commits(evening: Evening) -> list[list[Json]]:
    return [list(commit) for _, commit in groupby(evening.log, key=lambda row: row["version"])]


def test_the_whole_game_can_be_verified_from_its_archive(evening: Evening) -> None:
    answer = evening.ada.ask("GET", f"{evening.path}/archive")
    checked = check(answer.content)
    assert checked.commitment == evening.game["commitment"]
    assert (checked.table.status, len(checked.rows)) == ("finished", len(evening.log))
    assert checked.start.salts == ["", "ben", ""]


def test_a_bot_chooses_for_a_late_player_who_is_notified(evening: Evening) -> None:
    late = [commit for commit in commits(evening) if commit[0]["type"] == "time-ran-out"]
    assert [[row["type"] for row in commit] for commit in late] == [
        ["time-ran-out", "cards-chosen", "choices-shown", "turn-began"]
    ]
    assert [(row["seat"], row["body"]) for row in late[0][:1]] == [(1, {"bot": "greedy"})]
    told = [mail for mail in evening.house.post.of(BEN) if "ran out" in mail.text]
    assert any("Greedy" in mail.text for mail in told)


def test_each_turn_gets_one_email_however_many_moves_it_takes(evening: Evening) -> None:
    began = [row["seat"] for row in evening.log if row["type"] == "turn-began"]
    asked: dict[str, set[int]] = {}
    for address, seat in ((ADA, 0), (BEN, 1)):
        words = [Turn.of(word) for mail in evening.house.post.of(address) if (word := mail.word("t"))]
        asked[address] = {it.number for it in words}
        assert (
            len(asked[address]) <= began.count(seat) + 1
        )  # the first cards, too; none that was played before it was told
        assert all((it.game_id, it.seat) == (evening.game_id, seat) for it in words)
    assert len(evening.links_of_ben) == len(asked[BEN])


def test_ben_completed_every_turn_using_its_link(evening: Evening) -> None:
    began = [row["seat"] for row in evening.log if row["type"] == "turn-began"]
    assert len(evening.steps_of_ben) == began.count(1)
    assert min(evening.steps_of_ben) >= 3 or evening.game["view"]["result"]["reason"] != "round-limit"
    assert sum(evening.steps_of_ben) == sum(
        commit[0]["seat"] == 1 and commit[0]["type"] in RULES.EVENTS for commit in commits(evening)
    )


def test_ada_and_the_bot_played_each_turn_in_a_single_move(evening: Evening) -> None:
    assert evening.moves_of_ada[1:].count(1) >= len(evening.moves_of_ada[1:]) - 2  # except those that show a Sternbild
    of_bot = [commit for commit in commits(evening) if commit[0]["seat"] == 2]
    assert all(commit[0]["type"] == "cards-chosen" or "cards-laid" in types(commit) for commit in of_bot[:-1])


def types(commit: list[Any]) -> set[str]:
    return {row["type"] for row in commit}
