"""Positions of Sternenglanz in the notation of its specification's worked cases."""

import json
from collections.abc import Iterable
from functools import reduce
from pathlib import Path
from typing import Any

from server.games import Json, SeededDice
from server.games import sternenglanz as game
from server.games.sternenglanz.material import CARDS, FIELDS, PIECES
from server.games.sternenglanz.state import ACT, Bilder, State, Trail, TurnLog

VECTORS: list[Json] = json.loads(
    (Path(__file__).parents[1] / "data" / "vectors" / "sternenglanz.json").read_text("utf-8")
)["vectors"]
SOME_SLOTS: Json = {"1": None, "2": "geburt#1", "3": "geburt#2"}


class Scripted:
    """Dice with predefined shuffles."""

    def __init__(self, shuffles: Iterable[list[str]] = ()) -> None:
        self._shuffles = iter(shuffles)

    def below(self, k: int) -> int:
        raise AssertionError("No number is drawn.")

    def shuffled(self, things: Iterable[Any]) -> list[Any]:
        order = next(self._shuffles)
        assert sorted(order) == sorted(things)
        return order


def position(given: Json) -> State:
    scores = given.get("scores", [0] * given.get("players", 2))
    seats = len(scores)
    scenario = given.get("scenario", 1)
    options = {"scenario": scenario, "start_seat": 0, **given.get("options", {})}
    sky = reduce(game.apply, game.setup(seats, options, SeededDice(b"", ())), None)
    assert sky is not None
    stars = {
        piece: sum(FIELDS[field].bit for field, lies in given.get("board", {}).items() if lies == piece)
        for piece in PIECES
    }
    left = {**given.get("supply", {}), **({"pracht": given["prachtLeft"]} if "prachtLeft" in given else {})}
    tableaus = given.get("tableaus", [given.get("tableau", SOME_SLOTS)] * seats)
    discards = given.get("discards", [["geburt#1"] * many for many in given.get("discardCounts", [0] * seats)])
    done = given.get("completed", [0] * seats)
    return sky._replace(
        phase=given.get("phase", ACT),
        turn=1,
        on_turn=given.get("current", 0),
        stars=stars,
        gone={piece: CARDS.limits[piece] - stars[piece].bit_count() - many for piece, many in left.items()},
        points=tuple(scores),
        deck=tuple(given.get("deck", ())),
        hands=tuple(map(tuple, given.get("hands", [[]] * seats))),
        slots=tuple((it["1"], it["2"], it["3"]) for it in tableaus),
        discards=tuple(map(tuple, discards)),
        reserve=tuple(given.get("novaReserve", ())),
        granted=tuple(given.get("novaGranted", [False] * seats)),
        bilder=Bilder(
            deck=tuple(given.get("bildDeck", ())),
            open=given.get("bildOpen", None if given.get("sternbilderLeft") == 0 or scenario != 3 else "anker"),
            own=tuple(given.get("bildOwn", [None] * seats)),
            done=tuple(("kelch",) * many for many in done),
        ),
        log=_log(given.get("turnLog", {})),
    )


def _log(given: Json) -> TurnLog:
    return TurnLog(
        performed=(),
        laid=tuple((field, star) for field, star in given.get("laid", ())),
        removed=tuple((field, star) for field, star in given.get("removed", ())),
        trails={field: Trail(tuple(it["rests"]), tuple(it["lines"])) for field, it in given.get("moved", {}).items()},
        lines=tuple(given.get("lines", ())),
    )


def with_card(given: Json, slot: int, card: str) -> State:
    return position({**given, "tableau": {**SOME_SLOTS, str(slot): card}})
