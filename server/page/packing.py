"""Modules of the page that always come together, as one: so a browser waits for one answer, not for a chain of them.

Each keeps a scope of its own, in a function that runs once; what several of them export bears names that differ. An
import map leads from the address of each to the one that holds it, so that modules which come later find the same.
"""

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence

INNER = "vendor/"  # what of modules there is passed on by others
_NAMES = r"\{([^}]*)\}"
_FROM = r'\s*from\s*"(\.[^"]*)";?'
_IMPORT = re.compile(rf"^import\s*(?:{_NAMES}|(\w+)){_FROM}", re.MULTILINE)
_PASSED_ON = re.compile(rf"^export\s*{_NAMES}{_FROM}", re.MULTILINE)
_DECLARED = re.compile(r"^export (?=(?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
_LISTED = re.compile(rf"\bexport\s*{_NAMES};?")
_DEFAULT = re.compile(r"\bexport default (?=function\()")


def imports(name: str, code: str) -> Iterator[str]:
    """The modules that this one names."""
    for found in (*_IMPORT.finditer(code), *_PASSED_ON.finditer(code)):
        yield _place(name, found[found.lastindex or 0])


def needed(name: str, modules: Mapping[str, str]) -> list[str]:
    """All that this module imports as soon as it runs, each after what it needs itself; the module last."""
    found: dict[str, None] = {}

    def visit(module: str) -> None:
        if module not in found:
            for other in imports(module, modules[module]):
                visit(other)
            found[module] = None

    visit(name)
    return list(found)


def packed(names: Sequence[str], modules: Mapping[str, str]) -> str:
    """One module that runs these in their order and exports whatever they do. Raises ValueError for a name twice."""
    inside = {name: f"m{i}" for i, name in enumerate(names)}
    heads: list[str] = []
    parts: list[str] = []
    told: dict[str, str] = {}
    for name in names:
        body, exported = _scoped(name, modules[name], inside, heads)
        outside = [] if name.startswith(INNER) else [it for it in exported if it != "default"]
        for each in outside:
            if told.setdefault(each, name) != name:
                raise ValueError(f"{name} and {told[each]} come together, and both export {each}.")
        parts.append(f"const {inside[name]} = (() => {{{body}\nreturn {{ {_object(exported)} }};\n}})();")
        if outside:
            parts.append(f"export const {{ {', '.join(outside)} }} = {inside[name]};")
    return "\n".join([*heads, *parts]) + "\n"


def _scoped(name: str, code: str, inside: Mapping[str, str], heads: list[str]) -> tuple[str, dict[str, str]]:
    """A module as the body of a function, and what it exports: its names outside, by those within."""
    exported: dict[str, str] = {}

    def taken(listed: str, address: str) -> str:
        place = _place(name, address)
        if place in inside:
            return f"const {{ {_as(listed, ': ')} }} = {inside[place]};"
        heads.append(f'import * as x{len(heads)} from "/page/{place}";')
        return f"const {{ {_as(listed, ': ')} }} = x{len(heads) - 1};"

    def taken_in(found: re.Match[str]) -> str:
        return taken(found[1] if found[2] is None else f"default as {found[2]}", found[3])

    def passed_on(found: re.Match[str]) -> str:
        exported.update((it, it) for it in _pairs(found[1]))
        return taken(found[1], found[2])

    def declared(found: re.Match[str]) -> str:
        exported[found[1]] = found[1]
        return ""

    def listed(found: re.Match[str]) -> str:
        exported.update(_pairs(found[1]))
        return ""

    def default(found: re.Match[str]) -> str:
        exported["default"] = "theDefault"
        return "const theDefault = "

    for pattern, change in (
        (_IMPORT, taken_in),
        (_PASSED_ON, passed_on),
        (_DECLARED, declared),
        (_LISTED, listed),
        (_DEFAULT, default),
    ):
        code = pattern.sub(change, code)
    return code, exported


def _pairs(listed: str) -> dict[str, str]:
    """`{ a, b as c }`: by its name outside, that within."""
    parts = [it.split(" as ") for it in listed.split(",") if it.strip()]
    return {it[-1].strip(): it[0].strip() for it in parts}


def _as(listed: str, mark: str) -> str:
    return ", ".join(one if one == other else f"{one}{mark}{other}" for other, one in _pairs(listed).items())


def _object(exported: Mapping[str, str]) -> str:
    return ", ".join(f"{outside}: {within}" if outside != within else within for outside, within in exported.items())


def _place(name: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), address))
