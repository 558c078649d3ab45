"""Imports of the page's modules run one way. Dynamic imports of rooms do not count."""

import posixpath
import re
from graphlib import TopologicalSorter

import pytest

from server import games, page

MODULES = {
    name: it.plain.decode()
    for name, it in page.FILES.items()
    if name.endswith(".js") and not name.startswith("vendor/")
}
GAMES = list(games.GAMES)
ONLY_UI = {"ui"}
SHARED = {"table", "ui"}
MAY_IMPORT: dict[str, set[str]] = {
    "ui": {"vendor"},
    "table": {"ui"},
    **dict.fromkeys(["advice", "details", "games", "link", "rules", "recap", "pregame", "standings", *GAMES], SHARED),
    **dict.fromkeys(
        ["lobby", "display-name", "fallback", "player", "settings", "tooltips", "welcome"],
        ONLY_UI,
    ),
    "new-game": {"ui", "pregame"},  # opening a game takes a salt, as joining one does
    "result": SHARED | {"new-game"},  # the same again
    "main": SHARED,
    "ahead": set(),
    "service-worker": set(),
}
IMPORT = re.compile(r'^(?:import|export) (?:[^"]*? from )?"([^"]+)";|\bimport\("([^"]+)"\)', re.MULTILINE)
LATER = re.compile(r'\blater\("([\w/-]+)"')


def room(module: str) -> str:
    return module.split("/")[0].removesuffix(".js")


def imported(module: str) -> list[str]:
    """The modules that this one names in its imports."""
    code = re.sub(r"/\*.*?\*/|^//.*?$", "", MODULES[module], flags=re.DOTALL | re.MULTILINE)  # a type is none of them
    named = [one or other for one, other in IMPORT.findall(code)]
    return [posixpath.normpath(posixpath.join(posixpath.dirname(module), it)) for it in named]


def test_every_import_leads_to_a_file() -> None:
    assert {"ui/api.js", "table/game.js", "vendor/preact.js"} <= {it for name in MODULES for it in imported(name)}
    assert [it for name in MODULES for it in imported(name) if it not in page.FILES] == []


@pytest.mark.parametrize("module", MODULES)
def test_a_module_imports_only_what_its_folder_may(module: str) -> None:
    assert {room(it) for it in imported(module)} <= MAY_IMPORT[room(module)] | {room(module)}


def test_every_folder_declares_what_it_may_import() -> None:
    assert {room(name) for name in MODULES} == set(MAY_IMPORT)


def test_imports_have_no_cycles() -> None:
    TopologicalSorter({name: imported(name) for name in MODULES}).prepare()  # CycleError tells the way


@pytest.mark.parametrize(("game", "other"), [GAMES, GAMES[::-1]])
def test_a_game_does_not_import_another_game(game: str, other: str) -> None:
    for name, code in MODULES.items():
        if room(name) == game:
            assert other not in code.lower(), name
            assert {room(it) for it in LATER.findall(code)} <= {game}, name


def test_shared_modules_name_no_room() -> None:
    named = {room(it) for code in MODULES.values() for it in LATER.findall(code)}
    assert len(named) > 10
    for name, code in MODULES.items():
        assert room(name) != "ui" or not LATER.findall(code), name
