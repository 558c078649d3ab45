"""Vendored files: each has its licence beside it, even once installed."""

import tomllib
from pathlib import Path

import pytest

SERVER = Path(__file__).parents[1] / "server"
README = (SERVER / "README.md").read_text("utf-8")
LICENCES = {  # the start of a file's name, and the licence of it
    "page/vendor/preact.": ("page/vendor/preact.LICENSE.txt", "Jason Miller"),
    "page/vendor/hooks.": ("page/vendor/preact.LICENSE.txt", "The MIT License"),
    "page/vendor/htm.": ("page/vendor/htm.LICENSE.txt", "Apache License"),
    "render/fonts/NotoSans-": ("render/fonts/OFL.txt", "SIL Open Font License"),
}
SHIPPED = [
    path.relative_to(SERVER).as_posix()
    for pattern in ("page/vendor/*", "render/fonts/*")
    for path in sorted(SERVER.glob(pattern))
    if path.suffix != ".txt"
]


@pytest.mark.parametrize("name", SHIPPED)
def test_every_vendored_file_has_its_licence_next_to_it(name: str) -> None:
    found = [licence for start, licence in LICENCES.items() if name.startswith(start)]
    assert found, f"{name} has no licence in the list"
    path, words = found[0]
    assert words in (SERVER / path).read_text("utf-8")
    assert is_packaged(name)
    assert is_packaged(path)
    assert f"`server/{Path(name).parent.as_posix()}/`" in README


def is_packaged(name: str) -> bool:
    """Return whether the package data in pyproject.toml contain this file."""
    project = tomllib.loads((SERVER.parent / "pyproject.toml").read_text("utf-8"))
    patterns = project["tool"]["setuptools"]["package-data"]["server"]
    return any(SERVER / name in SERVER.glob(pattern) for pattern in patterns)


def test_every_vendored_folder_is_checked() -> None:
    assert {start for start in LICENCES if any(name.startswith(start) for name in SHIPPED)} == set(LICENCES)
