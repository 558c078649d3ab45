"""What the two commands install: `up` only what serving needs, `test` the test tools as well."""

import ast
import re
import sys
from importlib.metadata import distribution, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement

from server import __main__ as bootstrap

SERVER = Path(__file__).parents[2] / "server"
MOST = 190  # MiB of packages; with pip and its like a venv has 200


def needed_by(name: str, extras: frozenset[str] = frozenset(), found: set[str] | None = None) -> set[str]:
    """The names of all distributions that pip installs for this one."""
    found = set() if found is None else found
    for text in distribution(name).requires or []:
        wanted = Requirement(text)
        if wanted.marker is None or any(wanted.marker.evaluate({"extra": extra}) for extra in (*extras, "")):
            key = wanted.name.lower().replace("_", "-")
            if key not in found:
                found.add(key)
                needed_by(wanted.name, frozenset(wanted.extras), found)
            elif wanted.extras:
                needed_by(wanted.name, frozenset(wanted.extras), found)
    return found


@pytest.fixture(scope="module")
def serving() -> set[str]:
    return needed_by("sternenpost")


def imported() -> set[str]:
    """The packages that our modules name in their imports, wherever in them they stand."""
    found = set()
    for path in SERVER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                found.add((node.module or "").partition(".")[0])
    return found - set(sys.stdlib_module_names) - {"server"}


def test_up_installs_everything_the_server_imports(serving: set[str]) -> None:
    homes = packages_distributions()
    with_conform = serving | {"jsonschema-rs"}  # `conform` asks its user to install it if it is missing
    needed = imported()
    assert {"flask", "jsonschema_rs"} <= needed
    missing = {name for name in needed if not {it.lower().replace("_", "-") for it in homes[name]} & with_conform}
    assert not missing


def test_up_installs_nothing_that_only_tests_need(serving: set[str]) -> None:
    tools = {"pytest", "hypothesis", "playwright", "schemathesis", "mypy", "ruff", "httpx"}
    assert not serving & tools
    assert tools <= needed_by("sternenpost", frozenset({"dev"}))


def test_the_packages_that_up_installs_stay_below_the_size_limit(serving: set[str]) -> None:
    files = (file for name in serving for file in distribution(name).files or [])
    assert sum(path.stat().st_size for file in files if (path := Path(str(file.locate()))).exists()) < MOST * 2**20


def pinned(needed: str) -> dict[str, str]:
    """Return the lock file's entries that are installed here for `.` or `.[extra]`, by name."""
    entries = {}
    for entry in re.split(r"^(?=\w)", bootstrap.requirements(needed), flags=re.MULTILINE)[1:]:
        requirement = Requirement(entry.partition("\\")[0])
        if requirement.marker is None or requirement.marker.evaluate():
            entries[requirement.name] = entry
    return entries


@pytest.mark.parametrize(("needed", "extras"), [(bootstrap.SERVING, frozenset()), (bootstrap.TESTING, {"dev"})])
def test_each_package_is_pinned_with_hashes(needed: str, extras: frozenset[str]) -> None:
    entries = pinned(needed)
    assert entries.keys() == needed_by("sternenpost", frozenset(extras)) | {"setuptools"}
    for name, entry in entries.items():
        assert f"{name}=={distribution(name).version}" in entry
        assert re.search("--hash=sha256:[0-9a-f]{64}", entry)


def test_up_installs_nothing_after_test_but_test_installs_more_after_up() -> None:
    after_up, after_test = bootstrap.wish(bootstrap.SERVING), bootstrap.wish(bootstrap.TESTING)
    assert bootstrap.fulfilments(bootstrap.SERVING) == {after_up, after_test}
    assert bootstrap.fulfilments(bootstrap.TESTING) == {after_test}
