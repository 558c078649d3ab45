"""Bundles the page's modules that always load together, so that a browser needs only one request for them.

If modules are served one by one with `modulepreload`, the first view takes 109 KiB, 61 requests and 18 sequential round
trips over HTTP/1.1. Bundled, it takes 79 KiB, 17 requests and 7 round trips (`python -m tests.bench.page`).

Each module keeps its own scope, in a function that runs once, so exported names must be unique within a bundle. The
parser accepts three forms: `import { a, b as c } from "./other.js";` and `export` before a declaration, each at the
beginning of a line, and `export { a, b as c };`. Any other form raises ValueError at start.
"""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial

INNER = "vendor/"  # modules whose exports stay inside; `ui/html.js` re-exports some of them
_IMPORT = re.compile(r'^import\s*\{([^{}]*)\}\s*from\s*"(\.[^"]*)";', re.MULTILINE)
_DECLARED = re.compile(r"^export (?=(?:async )?(?:function\*?|const|class) (\w+))", re.MULTILINE)
_LISTED = re.compile(r"(?:^|(?<=[;}]))export\s*\{([^{}]*)\};?(?! *from)", re.MULTILINE)
_OTHER_FORM = re.compile(r"^(?:import|export)\b(?! *\().*", re.MULTILINE)


def needed(name: str, modules: Mapping[str, str]) -> list[str]:
    """Return this module and all its imports, direct or indirect. Each module follows its own imports."""
    found: dict[str, None] = {}

    def visit(module: str) -> None:
        if module not in found:
            for imported in _IMPORT.finditer(modules[module]):
                visit(_place(module, imported[2]))
            found[module] = None

    visit(name)
    return list(found)


def packed(names: Sequence[str], modules: Mapping[str, str]) -> str:
    """Return one module that runs these modules in order and exports all their exports. Raise ValueError if two modules
    export the same name, or if an import or export has an unsupported form."""
    inside = {name: f"m{i}" for i, name in enumerate(names)}
    outside: dict[str, str] = {}
    exporters: dict[str, str] = {}
    parts: list[str] = []

    def bind(name: str, found: re.Match[str]) -> str:
        place = _place(name, found[2])
        module = inside.get(place) or outside.setdefault(place, f"x{len(outside)}")
        return f"const {{ {_object(_pairs(found[1]))} }} = {module};"

    for name, module in inside.items():
        code = modules[name]
        exported = [(it, it) for it in _DECLARED.findall(code)]
        exported += [(outer, inner) for listed in _LISTED.findall(code) for inner, outer in _pairs(listed)]
        body = _IMPORT.sub(partial(bind, name), _DECLARED.sub("", _LISTED.sub("", code)))
        if other := _OTHER_FORM.search(body):
            raise ValueError(f"{name} cannot be packed: {other[0]}")
        parts.append(f"const {module} = (() => {{{body}\nreturn {{ {_object(exported)} }};\n}})();")
        passed_on = [] if name.startswith(INNER) else [outer for outer, _ in exported]
        for each in passed_on:
            if exporters.setdefault(each, name) != name:
                raise ValueError(f"{name} and {exporters[each]} come together, and both export {each}.")
        if passed_on:
            parts.append(f"export const {{ {', '.join(passed_on)} }} = {module};")
    heads = [f'import * as {module} from "/page/{place}";' for place, module in outside.items()]
    return "\n".join([*heads, *parts]) + "\n"


def _object(pairs: Iterable[tuple[str, str]]) -> str:
    """Return the content of an object literal, or of a destructuring pattern."""
    return ", ".join(key if key == value else f"{key}: {value}" for key, value in pairs)


def _pairs(listed: str) -> Iterator[tuple[str, str]]:
    """Yield each name in `a, b as c` with its alias, which is the name itself if there is no `as`."""
    for each in filter(None, map(str.strip, listed.split(","))):
        inner, _, outer = each.partition(" as ")
        yield inner, outer or inner


def _place(name: str, address: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), address))
