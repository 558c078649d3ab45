"""The language of the product's texts: `.github/CONTRIBUTING.md` has the rules, this finds what breaks them."""

import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from server.cli import main
from server.config import BOUNDS, VARIABLES

ROOT = Path(__file__).parents[1]
BANNED = re.compile(
    r"(?i)\b(whoever|whatever|whichever|he|him|his|himself|any more|no more|nobody|somebody|but for|nothing but"
    r"|anew|by hand|mended|is good for|as long as it is|likes? to)\b"
)
LONGEST = 25  # words in a sentence
CODE = re.compile(
    r"(?ms)```.*?```|\{%.*?%\}|\{\{.*?\}\}|`[^`]*`|<pre>.*?</pre>|^(?: {4}|\t)[^\n]*$|(?<=\])\([^)]*\)|<!--.*?-->"
)
BREAK = re.compile(r"(?<=[.!?:])[\s)]|\n\s*\n|\n\s*(?:[-*#|]|\d+\.)|\|")
WORD = re.compile(r"[A-Za-z'-]{2,}")
Texts = Iterator[tuple[str, str]]


def strings(node: Any, place: str) -> Texts:
    if isinstance(node, str):
        yield place, node
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from strings(value, f"{place}/{key}")


def openapi() -> Texts:
    document = yaml.load((ROOT / "api_spec/openapi.yaml").read_bytes(), yaml.CSafeLoader)
    return (it for it in strings(document, "") if re.fullmatch("(?!.*/example).*/(summary|description|title)", it[0]))


def page_words() -> Texts:
    for path in sorted(ROOT.glob("server/**/words/en/*.json")):
        yield from strings(json.loads(path.read_text("utf-8")), path.name)


def documents() -> Texts:
    for pattern in ("*.md", ".github/*.md", "server/**/*.md", "tests/*.md"):
        yield from ((path.name, path.read_text("utf-8")) for path in sorted(ROOT.glob(pattern)))


def settings() -> Texts:
    return ((name, variable.meaning) for name, variable in {**VARIABLES, **BOUNDS}.items())


def commands() -> Texts:
    for name, command in main.commands.items():
        yield name, command.help or ""
        yield from ((f"{name} {it.name}", getattr(it, "help", None) or "") for it in command.params)


def findings(texts: Iterable[tuple[str, str]]) -> list[str]:
    found = []
    for place, text in texts:
        plain = CODE.sub("`", text)
        found += [f"{place}: banned: {it[0]}" for it in BANNED.finditer(plain)]
        found += [f"{place}: long: {it.strip()}" for it in BREAK.split(plain) if it and len(WORD.findall(it)) > LONGEST]
    return found


@pytest.mark.parametrize("texts", [openapi, page_words, documents, settings, commands])
def test_texts_follow_the_rules(texts: Any) -> None:
    found = list(texts())
    assert len(found) > 10
    assert not findings(found)


def test_summaries_are_imperative_and_short() -> None:
    summaries = [text for place, text in openapi() if re.fullmatch("/paths/.*/summary", place)]
    assert len(summaries) > 70
    assert [it for it in summaries if not re.fullmatch(r"[A-Z][a-z]+(?<![^s]s)( \S+){0,7}", it)] == []  # not "Lists"
