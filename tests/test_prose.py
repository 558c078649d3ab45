"""The language of the product's texts: `.github/CONTRIBUTING.md` has the rules. This finds violations."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from server.cli import main
from server.config import BOUNDS, VARIABLES
from server.translations.update import extracted

ROOT = Path(__file__).parents[1]
BANNED = re.compile(
    r"(?i)\b((who|what|which)ever|he|hi[ms]|himself|(any|no) more|(no|some)body|but for|nothing but|anew|by hand|mended"
    r"|is good for|as long as it is|likes? to)\b"
)
CODE = re.compile(
    r"(?ms)```.*?```|\{%.*?%\}|\{\{.*?\}\}|`[^`]*`|<pre>.*?</pre>|^(?: {4}|\t)[^\n]*$|(?<=\])\([^)]*\)|<!--.*?-->"
)
BREAK = re.compile(r"(?<=[.!?:])[\s)]|\n\s*\n|\n\s*(?:[-*#|]|\d+\.)|\|")
COMMENT = re.compile(r"(?ms)(?:^|[\s;,({])(?://|#(?= )) ([^\n]*)|/\*+(.*?)\*/|^def (test_\w+)")
WORD = re.compile(r"[A-Za-z'-]{2,}")
VERB = re.compile(r"(?!(The|An?|What|How|Whether|If|When|Who|All|It|This|No|Only|For|By|As)\b)[A-Z][a-z]+(?<![^s]s)\b")
Texts = Iterator[tuple[str, str]]


def strings(node: Any, place: str) -> Texts:
    if isinstance(node, str):
        yield place, node
    for key, value in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from strings(value, f"{place}/{key}")


def openapi() -> Texts:
    document = yaml.load((ROOT / "api_spec/openapi.yaml").read_bytes(), yaml.CSafeLoader)
    return (it for it in strings(document, "") if re.fullmatch("(?!.*/example).*/(summary|description|title)", it[0]))


def messages() -> Texts:
    yield from strings([list(it.id) if isinstance(it.id, tuple) else it.id for it in extracted() if it.id], "message")
    for path in sorted(ROOT.glob("server/**/words/en/*.json")):
        yield from strings(json.loads(path.read_text("utf-8")), path.name)


def documents() -> Texts:
    for pattern in ("*.md", ".github/*.md", "server/**/*.md", "tests/*.md"):
        yield from ((path.name, path.read_text("utf-8")) for path in sorted(ROOT.glob(pattern)))


def settings_and_commands() -> Texts:
    yield from ((name, it.meaning) for name, it in {**VARIABLES, **BOUNDS}.items())
    for name, it in main.commands.items():
        yield from ((name, text or "") for text in (it.help, *(getattr(option, "help", "") for option in it.params)))


def code() -> Texts:
    for path in ROOT.glob("server/**/*.py"):
        for node in ast.walk(ast.parse(path.read_bytes())):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and (text := ast.get_docstring(node)):
                yield f"{path.name} {type(node).__name__}", text
    for path in (*ROOT.glob("server/**/*.[jp][sy]"), *ROOT.glob("server/**/*.css"), *ROOT.glob("tests/**/*.[jp][sy]")):
        yield from ((path.name, "".join(it).replace("_", " ")) for it in COMMENT.findall(path.read_text("utf-8")))


@pytest.mark.parametrize("kind", [openapi, messages, documents, settings_and_commands, code])
def test_texts_follow_the_rules(kind: Any) -> None:
    texts = [(place, CODE.sub("`", text)) for place, text in kind()]
    assert len(texts) > 10 and [(place, it[0]) for place, text in texts for it in BANNED.finditer(text)] == []
    assert [(place, it) for place, text in texts for it in BREAK.split(text) if it and len(WORD.findall(it)) > 25] == []


def test_summaries_and_docstrings_begin_with_a_verb() -> None:
    summaries = [text for place, text in openapi() if re.fullmatch("/paths/.*/summary", place)]
    assert [it for it in summaries if not VERB.match(it) or len(it.split()) > 8] == []
    assert [it for it in code() if it[0].endswith("FunctionDef") and not VERB.match(it[1])] == []
