"""Every regular expression of the server takes linear time on any input.

Each pattern is fed inputs made from its own parts: bodies of its loops, its alternatives and single characters, repeated
and cut off. The time of a match is compared at growing lengths. CPU time is measured, so a busy machine does no harm.
"""

import ast
import importlib
import re
import string
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from re import _constants as sre  # type: ignore[attr-defined]  # the standard library's own names
from re import _parser as parser  # type: ignore[attr-defined]
from typing import Any

import pytest

import server

SERVER = Path(server.__file__).parent
USES = {"sub": "finditer", "subn": "finditer", "split": "finditer", "findall": "finditer"}
TRIED = ("match", "fullmatch", "search", "finditer")
CHARACTERS = "a0A -_@.:;,<>\"'\\\n\t=/#(é\u00a0"
FEW = 24  # repetitions, by which exponential growth shows
SHORT, LONG = 1_500, 6_000  # characters
MOST = 400  # attacks on one use
QUICK = 0.003  # seconds: below this, growth is noise
WORSE_THAN_LINEAR = 9.0  # times as long at four times the length: linear is 4, quadratic 16


# Inputs


def sample(node: Any, pick: str) -> str:
    """Return a string that matches this part of a pattern, with `pick` wherever a class allows it."""
    return "".join(_sampled(op, value, pick) for op, value in node)


def _sampled(op: Any, value: Any, pick: str) -> str:
    match op:
        case sre.LITERAL:
            return chr(value)
        case sre.NOT_LITERAL:
            return pick if ord(pick) != value else "b"
        case sre.ANY:
            return pick if pick != "\n" else "a"
        case sre.IN:
            return _of_class(value, pick)
        case sre.BRANCH:
            return sample(value[1][0], pick)
        case sre.SUBPATTERN:
            return sample(value[3], pick)
        case sre.ATOMIC_GROUP:
            return sample(value, pick)
        case sre.MAX_REPEAT | sre.MIN_REPEAT | sre.POSSESSIVE_REPEAT:
            return sample(value[2], pick) * max(value[0], 1)
    return ""


def _of_class(items: Any, pick: str) -> str:
    text = "".join(_text_of(op, value) for op, value in items if op is not sre.NEGATE)
    wanted = re.compile(f"[{'^' if items[0][0] is sre.NEGATE else ''}{text}]")
    return next((it for it in (pick, *CHARACTERS, *string.printable) if wanted.fullmatch(it)), "\u2603")


def _text_of(op: Any, value: Any) -> str:
    if op is sre.LITERAL:
        return re.escape(chr(value))
    if op is sre.RANGE:
        return f"{re.escape(chr(value[0]))}-{re.escape(chr(value[1]))}"
    names = {"DIGIT": r"\d", "NOT_DIGIT": r"\D", "SPACE": r"\s", "NOT_SPACE": r"\S", "WORD": r"\w", "NOT_WORD": r"\W"}
    return names[str(value).removeprefix("CATEGORY_").removeprefix("UNI_")]


def pumps(tree: Any, pick: str, before: str = "") -> Iterator[tuple[str, str]]:
    """Return what leads to each loop and alternative of a pattern, and what can be repeated there."""
    for op, value in tree:
        match op:
            case sre.MAX_REPEAT | sre.MIN_REPEAT | sre.POSSESSIVE_REPEAT:
                yield before, sample(value[2], pick)
                yield from pumps(value[2], pick, before)
            case sre.BRANCH:
                for branch in value[1]:
                    yield before, sample(branch, pick)
                    yield before, sample(branch, pick) + " "
                    yield before, sample(branch, pick)[:-1]
                    yield from pumps(branch, pick, before)
            case sre.SUBPATTERN:
                yield from pumps(value[3], pick, before)
            case sre.ATOMIC_GROUP:
                yield from pumps(value, pick, before)
            case sre.ASSERT | sre.ASSERT_NOT:
                yield from pumps(value[1], pick, before)
        before += _sampled(op, value, pick)


def attacks(pattern: re.Pattern[Any]) -> set[tuple[str, str]]:
    """Return pairs of a prefix and of what is repeated after it."""
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    found = {("", it) for it in CHARACTERS}
    for pick in "a0 -@.":
        whole = sample(tree, pick)
        found |= {("", whole), ("", whole[:-1]), ("", whole[: len(whole) // 2]), ("", whole[:3])}
        for before, pump in pumps(tree, pick):
            found |= {(before, pump), ("", before + pump), ("", pump)}
    return {(before, pump) for before, pump in found if pump and len(before) + len(pump) < 400}


# Time


def seconds(use: Callable[[Any], Any], text: Any) -> float:
    """Return the CPU time of one use, the least of some tries if it is worth a look."""
    times = []
    for _ in range(3):
        begun = time.thread_time()
        found = use(text)
        for _ in found if hasattr(found, "__next__") else ():
            pass
        times.append(time.thread_time() - begun)
        if times[0] < QUICK:
            break
    return min(times)


def slow_input(pattern: re.Pattern[Any], method: str) -> str | None:
    """Return a description of the first input on which this use takes more than linear time."""
    use = getattr(pattern, method)
    encode = (lambda text: text.encode("utf-8")) if isinstance(pattern.pattern, bytes) else (lambda text: text)
    tried = sorted(attacks(pattern))
    for before, pump in Random(0).sample(tried, min(len(tried), MOST)):
        for end in ("", "\0"):
            few, short, long = (
                encode(before + pump * times + end) for times in (FEW, *(it // len(pump) for it in (SHORT, LONG)))
            )
            if seconds(use, few) > 30 * QUICK:
                return f"{before!r} + {pump!r} * {FEW} + {end!r}"
            if (longer := seconds(use, long)) > QUICK and longer > WORSE_THAN_LINEAR * (shorter := seconds(use, short)):
                return f"{before!r} + {pump!r} ... + {end!r}: {shorter:.4f} s, then {longer:.4f} s"
    return None


# Patterns


def patterns() -> dict[str, re.Pattern[Any]]:
    """Return every compiled pattern of the server's modules, by where it stands."""
    found: dict[str, re.Pattern[Any]] = {}
    for path in sorted(SERVER.rglob("*.py")):
        name = ".".join(("server", *path.relative_to(SERVER).with_suffix("").parts)).removesuffix(".__init__")
        if path.stem != "__main__":
            for variable, value in vars(importlib.import_module(name)).items():
                for place, pattern in _within(f"{path.relative_to(SERVER)}:{variable}", value):
                    if pattern not in found.values():
                        found[place] = pattern
    known = {pattern.pattern for pattern in found.values()}
    for path in sorted(SERVER.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                text = node.args[0]
                is_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
                if is_re and isinstance(text, ast.Constant) and text.value not in known and node.func.attr != "escape":
                    flags = re.IGNORECASE if "IGNORECASE" in ast.dump(node) else 0
                    place = f"{path.relative_to(SERVER)}:{node.lineno} {node.func.attr}"
                    found[place] = re.compile(text.value, flags)
    return found


def _within(place: str, value: Any) -> Iterator[tuple[str, re.Pattern[Any]]]:
    if isinstance(value, re.Pattern):
        yield place, value
    elif isinstance(value, dict):
        for key, it in value.items():
            yield from _within(f"{place}[{key!r}]", it)
    elif isinstance(value, list | tuple) and len(value) < 200:
        for nr, it in enumerate(value):
            yield from _within(f"{place}[{nr}]", it)


PATTERNS = patterns()


def methods(place: str) -> set[str]:
    """Return how a pattern is used: as its module says, or in every way."""
    file, name = re.split(r"[:\[]", place)[:2]
    if " " in name:
        used = {name.split(" ")[1]} - {"compile"}
    else:
        source = (SERVER / file).read_text("utf-8")
        used = set(re.findall(rf"\b{name}\.(match|fullmatch|search|finditer|findall|split|subn?)\b", source))
    return {USES.get(it, it) for it in used} or set(TRIED)


@pytest.mark.parametrize("place", PATTERNS)
def test_every_regular_expression_takes_linear_time(place: str) -> None:
    for method in sorted(methods(place)):
        slow = slow_input(PATTERNS[place], method)
        assert slow is None, f"{method} of {PATTERNS[place].pattern!r}: {slow}"
