"""Imports run one way: what each room of the server may import."""

import ast
import subprocess
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[1] / "server"
SMALL = {"clock", "durations", "errors", "sanitize", "stored_data"}  # files that most rooms need
MAY_IMPORT: dict[str, set[str]] = {
    "translations": set(),
    "clock": set(),
    "config": set(),
    "json_logs": set(),
    "metric_files": set(),
    "compression": set(),
    "errors": {"translations"},
    "durations": {"clock", "errors"},
    "sanitize": {"errors"},
    "stored_data": set(),
    "strict_json": {"errors"},
    "games": {"render", "translations"},
    "bots": {"games"},
    "render": set(),
    "store": set(),
    "jobs": {"store"},
    "leases": {"clock", "store"},
    "accounts": {"config", "store", "translations"} | SMALL,
    "play": {"accounts", "bots", "config", "games", "store", "strict_json", "translations"} | SMALL,
    "webhooks": {"accounts", "leases", "play", "games", "store", "translations"} | SMALL,
    "push": {"accounts", "play", "games", "store", "translations", "webhooks"} | SMALL,
    "operations": {"accounts", "bots", "metric_files", "play", "post", "push", "games", "store", "translations"}
    | {"webhooks"}
    | SMALL,
    "post": {"accounts", "bots", "leases", "play", "push", "render", "games", "store", "translations", "webhooks"}
    | SMALL,
    "page": {"accounts", "compression", "games"},
    "docs": set(),
    "api": {
        *("accounts", "bots", "compression", "config", "docs", "metric_files"),
        *("operations", "page", "play", "post", "render"),
    }
    | {"games", "push"}
    | {"sandbox", "store", "strict_json", "translations", "webhooks"}
    | SMALL,
    "app": {"api", "config", "page", "store"},
    "web": {"accounts", "api", "config", "jobs", "json_logs", "metric_files", "play", "store"} | SMALL,
    "sandbox": {"accounts", "play", "games"} | SMALL,
    "worker": {"accounts", "config", "jobs", "operations", "play", "post", "store", "webhooks"} | SMALL,
    "up": {"config", "store"},
    "conform": {"play", "games"},
    "cli": {
        *("accounts", "app", "bots", "config", "conform", "json_logs"),
        *("operations", "play", "post", "render", "games", "sandbox"),
    }
    | {"store", "web", "worker"}
    | SMALL,
}
MODULES = [path for path in sorted(SERVER.rglob("*.py")) if path.parent != SERVER or path.stem in MAY_IMPORT]


def room(path: Path) -> str:
    return path.relative_to(SERVER).parts[0].removesuffix(".py")


def imported(path: Path) -> set[str]:
    """The rooms that a module names in its imports, wherever in it they stand."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level <= 1, f"{path} imports from above its own folder"
            if node.level == 0:
                found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name.split(".")[1] for name in found if name.startswith("server.")}


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(SERVER)))
def test_a_module_imports_only_what_its_package_may_import(path: Path) -> None:
    assert imported(path) <= MAY_IMPORT[room(path)] | {room(path)}


PLAY = SERVER / "play"
UPPER = {"planning", "seating"}
ABOVE = {
    "planning": {"seating"},
    "seating": set[str](),
}  # what these do not import; other folders import neither of them
OF_ALL = {PLAY / "timing" / "sweep.py", PLAY / "notices.py"}  # what is due and what still matters, of each of them


@pytest.mark.parametrize("path", sorted(set(PLAY.rglob("*.py")) - OF_ALL), ids=lambda path: path.stem)
def test_turns_do_not_import_plans_and_plans_do_not_import_seating(path: Path) -> None:
    text = path.read_text("utf-8")
    above = ABOVE.get(path.parent.name, UPPER)
    assert {folder for folder in above if f"server.play.{folder}" in text} == set()


def test_no_folder_in_play_has_more_than_a_dozen_files() -> None:
    folders = {path.parent for path in PLAY.rglob("*.py")}
    assert {folder.name: found for folder in folders if (found := len(list(folder.glob("*.py")))) > 12} == {}


@pytest.mark.parametrize("path", sorted((SERVER / "post" / "letters").glob("*.py")), ids=lambda path: path.stem)
def test_a_module_for_emails_imports_few_other_modules(path: Path) -> None:
    found = [node for node in ast.walk(ast.parse(path.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
    assert sum((node.module or "").startswith("server.") for node in found) <= 15


def test_every_package_declares_its_imports_and_only_start_modules_are_outside_of_packages() -> None:
    rooms = {room(path) for path in SERVER.rglob("*.py")}
    assert rooms == set(MAY_IMPORT) | {"__init__", "__main__"}


def test_the_top_level_package_is_empty_and_its_start_script_needs_no_installed_packages() -> None:
    assert (SERVER / "__init__.py").read_text() == ""
    assert imported(SERVER / "__main__.py") == set()


def test_the_repository_holds_nothing_else_at_its_top() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=SERVER.parent, capture_output=True, text=True, check=True).stdout
    folders = {"api_spec", "migrations", "server", "tests"}
    files = {"CHANGELOG.md", "LICENSE", "README.md", "pyproject.toml", "requirements.lock", "wsgi.py"}
    assert {top for path in listed.split() if not (top := path.partition("/")[0]).startswith(".")} == folders | files
