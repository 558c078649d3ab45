"""A player with only Chromium's accessibility tree: what a screen reader knows of a table, and how to play with it.

It returns a seat's view as `GET /v1/games/{id}` does, without what sighted players cannot see either: the copy number
of equal cards, and the turn's log beyond used slots.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain
from random import Random
from typing import Any, NamedTuple

from playwright.sync_api import CDPSession, Page

from server.games import GAMES
from tests.support.live_server import Json

RNG = Random(0)  # seeded for each test, in conftest.py
PRESS = """function() { this.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true })); }"""
STARS = {"a black hole": "B", "a double star": "D", "a hidden star": None}
SPACE = re.compile(
    r"(?P<board>.+?), space (?P<id>\w), (?:large: face down|small: face up)"
    r"(?:: (?P<star>a .+?), (?P<name>.+?)|, empty)(?:, joined to (?P<joined>.+))?"
)
FIELD = re.compile(r"Firmament, space (?P<id>\w+): (?P<lying>[^,]+)(?P<more>.*)")
SLOT = re.compile(r"Slot (?P<slot>\d): (?P<card>.+?)(?P<used>, used this turn)?")
RULES = {name: rules.describe() for name, rules in GAMES.items()}
CARDS = RULES["sternenglanz"]["cards"]
KINDS = {names["en"]: kind for kind, names in CARDS["classes"].items()}


class Heard(NamedTuple):
    """A node of the accessibility tree."""

    role: str
    name: str
    is_open: bool  # neither closed nor chosen already
    within: tuple[str, ...]  # names of its ancestors, from the outside in
    node: int
    text: str


def hear(line: CDPSession) -> list[Heard]:
    nodes = {it["nodeId"]: it for it in line.send("Accessibility.getFullAXTree")["nodes"]}
    root = next(iter(nodes.values()))
    return list(_read(root, nodes, ()))


def _read(node: Json, nodes: dict[str, Json], within: tuple[str, ...]) -> Iterator[Heard]:
    name = str(node.get("name", {}).get("value", ""))
    children = [nodes[it] for it in node.get("childIds", []) if it in nodes]
    if not node["ignored"]:
        flags = {it["name"]: it["value"].get("value") for it in node.get("properties", [])}
        role = str(node["role"]["value"])
        text = "".join(_text(it, nodes) for it in children)
        is_open = not flags.get("disabled") and flags.get("pressed") != "true"
        yield Heard(role, name, is_open, within, node.get("backendDOMNodeId", 0), text)
        within = (*within, name) if name and role not in ("StaticText", "RootWebArea") else within
    for child in children:
        yield from _read(child, nodes, within)


def _text(node: Json, nodes: dict[str, Json]) -> str:
    if node.get("role", {}).get("value") == "StaticText" and not node["ignored"]:
        return f"{node['name']['value']} "
    return "".join(_text(nodes[it], nodes) for it in node.get("childIds", []) if it in nodes)


def press(line: CDPSession, heard: Heard) -> None:
    """Press a node as assistive technology does."""
    it = line.send("DOM.resolveNode", {"backendNodeId": heard.node})["object"]["objectId"]
    line.send("Runtime.callFunctionOn", {"functionDeclaration": PRESS, "objectId": it})


def buttons(heard: Sequence[Heard], within: str = "") -> list[Heard]:
    return [it for it in heard if it.role == "button" and (not within or within in it.within)]


def number(pattern: str, text: str) -> int:
    found = re.search(pattern, text)
    assert found, (pattern, text)
    return int(found[1])


def players(heard: Sequence[Heard]) -> list[str]:
    return [it.text for it in heard if it.role == "listitem" and it.within[-1:] == ("Players",)]


# Sternenhimmel


def star(words: str) -> str | None:
    return STARS[words] if words in STARS else words.removeprefix("a ")


def sky(heard: Sequence[Heard], names: Sequence[str]) -> Json:
    ids = {it["name"]["en"]: it["id"] for it in RULES["sternenhimmel"]["boards"]}
    lines = {it["id"]: {frozenset(ends) for ends in it["lines"]} for it in RULES["sternenhimmel"]["boards"]}
    boards: dict[str, Json] = {}
    for it in heard:
        if it.role not in ("button", "image", "img") or not (found := SPACE.fullmatch(it.name)):
            continue
        board, lying = ids[found["board"]], None
        if found["name"]:
            lying = {"seat": names.index(found["name"]), "star": star(found["star"])}
        boards.setdefault(board, {})[found["id"]] = lying
        joined = re.split(r",? and |, ", found["joined"])
        assert {frozenset((found["id"], other)) for other in joined} == {it for it in lines[board] if found["id"] in it}
    told = players(heard)
    more = [it.name for it in heard if it.role == "StaticText" and "to come" in it.name]
    return {
        "boards": [{"board": board, "spaces": spaces} for board, spaces in boards.items()],
        "coins": [number(r"(\d+) coin", it) for it in told],
        "hand_sizes": [number(r"(\d+) stars? in hand", it) for it in told],
        "hand": [star(it.name) for it in buttons(heard, "Your stars")],
        "next": next((seat for seat, it in enumerate(told) if "to move" in it), None),
        "stack": number(r"(\d+) constellation", more[0]),
    }


def sky_of(view: Json) -> Json:
    boards = [{"board": it["board"], "spaces": it["spaces"]} for it in view["boards"]]
    return {**{key: view[key] for key in ("coins", "hand_sizes", "hand", "next", "stack")}, "boards": boards}


def play_on_sky(line: CDPSession) -> None:
    """Place a star of the hand on an empty space and confirm."""
    heard = hear(line)
    press(line, RNG.choice([it for it in buttons(heard, "Your stars") if it.is_open]))
    heard = hear(line)
    spaces = [it for it in buttons(heard) if it.is_open and SPACE.fullmatch(it.name)]
    press(line, RNG.choice(spaces))
    press(line, await_button(line, "Play it"))


def await_button(line: CDPSession, name: str) -> Heard:
    for _ in range(200):
        if found := [it for it in buttons(hear(line)) if it.name == name and it.is_open]:
            return found[0]
        line.send("Runtime.evaluate", {"expression": "new Promise((it) => setTimeout(it, 50))", "awaitPromise": True})
    raise AssertionError(f"Nobody hears of {name}.")


# Sternenglanz


def kind_of(copy: str) -> str:
    """Return the card's name without its copy number."""
    card = next(it for it in CARDS["actions"] if it["id"] == copy.split("#")[0])
    alike = [it for it in CARDS["actions"] if it["type"] == card["type"]]
    return card["names"]["en"] + ("" if len(alike) == 1 else f" {card['id'].rsplit('-', 1)[1].upper()}")


def bild(name: str) -> str:
    return next(str(it["id"]) for it in CARDS["sternbilder"] if it["names"]["en"] == name)


def firmament(heard: Sequence[Heard], names: Sequence[str], seat: int) -> Json:
    board = {}
    for it in heard:
        if (found := FIELD.fullmatch(it.name)) and found["lying"] != "free":
            board[found["id"]] = KINDS[found["lying"]]
    told = players(heard)
    slots: list[list[str]] = [[] for _ in names]
    used: set[int] = set()
    tableaus = {f"Tableau {i + 1}, {name}": i for i, name in enumerate(names)}
    for it in heard:
        own = it.role == "button" and "Slots" in it.within
        at = seat if own else next((tableaus[name] for name in it.within if name in tableaus), None)
        words = it.name if own else it.text.strip()
        if at is None or not (own or it.role == "listitem") or not (found := SLOT.fullmatch(words)):
            continue
        slots[at].append(found["card"])
        used |= {int(found["slot"])} if found["used"] else set()
    words = " ".join(it.name for it in heard if it.role == "StaticText")
    goal = " ".join(it.name for it in heard if it.role == "StaticText" and "The goal" in it.within)
    supply = [it.text for it in heard if it.role == "listitem" and it.within[-1:] == ("Supply",)]
    turn = re.search(r"Turn (\d+)", goal)
    return {
        "board": board,
        "slots": slots,
        "used": used,
        "hand": [it.name for it in buttons(heard, "Your cards")],
        "hand_sizes": [number(r"(\d+) cards? in hand", it) for it in told],
        "points": [number(r"(\d+) point", it) for it in told],
        "next": next((i for i, it in enumerate(told) if "to move" in it), None) if turn else None,
        "turn": int(turn[1]) if turn else None,
        "supply": {KINDS[it.split(":")[0].strip()]: number(r": *(\d+)", it) for it in supply},
        "deck": number(r"(\d+) cards? in the deck", goal),
        "discards": [
            number(r"(\d+) of your cards? discarded", goal) if i == seat else _of_tableau(heard, i, r"(\d+) discarded")
            for i in range(len(names))
        ],
        "goal": next(it for it in re.findall(r"The first player .*? wins", words)),
        "bilder": sorted(bild(it) for it in _bilder(heard)),
    }


def _of_tableau(heard: Sequence[Heard], seat: int, pattern: str) -> int:
    around = [it for it in heard if any(name.startswith(f"Tableau {seat + 1},") for name in it.within)]
    return number(pattern, " ".join(it.name for it in around if it.role == "StaticText"))


def _bilder(heard: Sequence[Heard]) -> Iterator[str]:
    known = {it["names"]["en"] for it in CARDS["sternbilder"]}
    for it in heard:
        if it.role.lower() == "figure":
            yield from (name for name in known if re.search(rf"\b{re.escape(name)}\b", it.text))


def firmament_of(view: Json, seat: int) -> Json:
    def slot(i: int, n: int, copy: str | None) -> str:
        if copy:
            return kind_of(copy)
        return "Star birth, printed" if n == 0 else "a card face down" if view["chosen"][i] else "empty"

    bilder = view["sternbilder"]
    seen = [bilder["open"], *[it and it["sternbild"] for it in bilder["own"]], *chain(*bilder["done"])]
    scenario = next(it for it in CARDS["scenarios"] if it["id"] == view["scenario"])
    is_on = view["phase"] != "choose"
    return {
        "board": view["board"],
        "slots": [[slot(i, n, copy) for n, copy in enumerate(those)] for i, those in enumerate(view["slots"])],
        "used": {it["slot"] for it in view["log"]["performed"]} if view["phase"] == "act" else set(),
        "hand": [kind_of(it) for it in view["hand"]],
        **{key: view[key] for key in ("hand_sizes", "points", "deck", "discards")},
        "next": view["next"] if is_on else None,
        "turn": view["turn"] if is_on else None,
        "supply": {kind: view["supply"][kind] for kind in KINDS.values() if kind != "nova" or scenario["supernova"]},
        "goal": _goal(scenario),
        "bilder": sorted(it for it in seen if it),
    }


def _goal(scenario: Any) -> str:
    if scenario["goalPoints"] is None:
        return "The first player to complete their own constellation wins"
    if scenario["goalBilder"]:
        return f"The first player with {scenario['goalPoints']} points and a completed constellation wins"
    return f"The first player to reach {scenario['goalPoints']} points wins"


def play_on_firmament(line: CDPSession) -> None:
    """Press open buttons until the move can be played."""
    for _ in range(60):
        heard = hear(line)
        ready = [it for it in buttons(heard) if it.name == "Play it" and it.is_open]
        if ready:
            return press(line, ready[0])
        wanted = _wanted(heard)
        if wanted:
            press(line, RNG.choice(wanted))
        line.send("Runtime.evaluate", {"expression": "new Promise((it) => setTimeout(it, 60))", "awaitPromise": True})
    press(line, await_button(line, "Play these steps now"))


def _wanted(heard: Sequence[Heard]) -> list[Heard]:
    """Return what continues the step: an open field, then other open elements, then a card, then a slot."""
    fields = [it for it in buttons(heard) if FIELD.fullmatch(it.name) and ", open" in it.name]
    actions = [it for it in buttons(heard, "What to do") if it.is_open]
    cards = [it for it in buttons(heard, "Your cards") if it.is_open]
    slots = [it for it in buttons(heard, "Slots") if it.is_open]
    return fields or actions or cards or slots


def listen(page: Page) -> CDPSession:
    line = page.context.new_cdp_session(page)
    for domain in ("DOM", "Accessibility"):
        line.send(f"{domain}.enable")
    return line
