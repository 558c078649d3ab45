"""The language of the product's texts: `.github/CONTRIBUTING.md` has the rules, this finds what breaks them."""

import re
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from server.cli import main
from server.config import BOUNDS, VARIABLES

ROOT = Path(__file__).parents[1]
BANNED = re.compile(
    r"\b(whoever|whatever|whichever|he|him|his|himself|any more|no more|nobody|somebody|but for|nothing but"
    r"|anew|by hand|mended|is good for|as long as it is|likes? to)\b",
    re.IGNORECASE,
)
LONGEST = 25  # words in a sentence
CODE = re.compile(
    r"```.*?```|\{%.*?%\}|\{\{.*?\}\}|`[^`]*`|<pre>.*?</pre>|^(?: {4}|\t)[^\n]*$|(?<=\])\([^)]*\)|<!--.*?-->",
    re.DOTALL | re.MULTILINE,
)
BREAK = re.compile(r"(?<=[.!?:])[\s)]|\n\s*\n|\n\s*(?:[-*#|]|\d+\.)|\|")
VERB = re.compile(r"[A-Z][a-z]+(?<![^s]s) ")  # an imperative: "List ...", not "Lists ..."
WORD = re.compile(r"[A-Za-z'-]{2,}")
Texts = Iterator[tuple[str, str]]


def openapi() -> Texts:
    return _described(_document(), "")


@cache
def _document() -> Any:
    return yaml.load((ROOT / "api_spec/openapi.yaml").read_bytes(), yaml.CSafeLoader)


def _described(node: Any, place: str) -> Texts:
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        if key in ("summary", "description", "title") and isinstance(value, str):
            yield f"{place}/{key}", value
        elif key not in ("example", "examples"):
            yield from _described(value, f"{place}/{key}")


def documents() -> Texts:
    for pattern in ("*.md", ".github/*.md", "server/**/*.md", "tests/*.md"):
        yield from ((path.name, path.read_text("utf-8")) for path in sorted(ROOT.glob(pattern)))


def settings() -> Texts:
    return ((name, variable.meaning) for name, variable in {**VARIABLES, **BOUNDS}.items())


def commands() -> Texts:
    with click.Context(main) as context:
        for name in main.list_commands(context):
            command = main.get_command(context, name)
            assert command is not None
            yield name, command.help or ""
            yield from ((f"{name} {it.name}", getattr(it, "help", None) or "") for it in command.params)


def findings(texts: Iterable[tuple[str, str]]) -> list[str]:
    found = []
    for place, text in texts:
        plain = CODE.sub("`", text)
        found += [f"{place}: banned: {it[0]}" for it in BANNED.finditer(plain)]
        found += [f"{place}: long: {it.strip()}" for it in BREAK.split(plain) if it and len(WORD.findall(it)) > LONGEST]
    return found


@pytest.mark.parametrize("texts", [openapi, documents, settings, commands])
def test_texts_follow_the_rules(texts: Any) -> None:
    found = list(texts())
    assert len(found) > 10
    assert not findings(found)


def test_summaries_are_imperative_and_short() -> None:
    summaries = [it["summary"] for path in _document()["paths"].values() for it in path.values() if "summary" in it]
    assert len(summaries) > 70
    assert [it for it in summaries if len(it.split()) > 8 or not VERB.match(f"{it} ")] == []
