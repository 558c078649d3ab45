"""The promises of a version by name: document, commands and settings.

`python -m tests.support.promised > api_spec/promised.yaml`, for a release only.
"""

from collections.abc import Iterator, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import click
import yaml

from server import cli
from server.config import BOUNDS, VARIABLES
from server.games import Json

_SPEC = Path(__file__).parents[2] / "api_spec"
DOCUMENT, PROMISED = _SPEC / "openapi.yaml", _SPEC / "promised.yaml"
_COMPONENTS = "#/components/"


def promised(document: Json) -> Json:
    """Return `given`, which must stay, and `asked`: required request fields, and what an answer may lack."""
    given, asked = set[str](), set[str]()
    for number, line in _of_calls(document):
        (given, asked)[number].add(line)
    for name, schema in document["components"]["schemas"].items():
        given |= set(_of_schema(name, schema))
    for name, where in _seen(document).items():
        schema = document["components"]["schemas"][name]
        needed = set(schema.get("required", ()))
        for field, inner in schema.get("properties", {}).items():
            if "sent" in where and field in needed:
                asked.add(f"{name}.{field} has to be sent")
            if "answered" in where and field not in needed:
                asked.add(f"{name}.{field} may be missing")
            if "answered" in where and "null" in _types(inner):
                asked.add(f"{name}.{field} may be null")
    given |= set(_of_commands(cli.main, "sternenpost"))
    given |= {f"variable {it.name}" for it in (*VARIABLES.values(), *BOUNDS.values())}
    return {"version": version("sternenpost"), "given": sorted(given), "asked": sorted(asked)}


def _of_calls(document: Json) -> Iterator[tuple[int, str]]:
    for what in ("paths", "webhooks"):
        for path, item in document[what].items():
            for method, operation in item.items():
                if method == "parameters":
                    continue
                name = operation["operationId"]
                yield 0, f"{name} {method.upper()} {path}"
                for it in (*item.get("parameters", ()), *operation.get("parameters", ())):
                    if it["in"] != "path":
                        yield 0, f"{name} {it['in']} {it['name']}"
                    if it.get("required") and it["in"] != "path" and what == "paths":
                        yield 1, f"{name} needs {it['name']}"
                for status in operation["responses"]:
                    if status[0] == "2":
                        yield 0, f"{name} {status}"


def _of_schema(name: str, schema: Json) -> Iterator[str]:
    yield from (f"{name} {it}" for it in _types(schema) or ["anything"])
    for field, inner in schema.get("properties", {}).items():
        yield from (f"{name}.{field} {it}" for it in _types(inner) or ["anything"])


def _types(schema: Json) -> list[str]:
    match schema:
        case {"$ref": name}:
            return [name.rpartition("/")[2]]
        case {"const": value}:
            return [f"={value}"]
        case {"type": "boolean", "not": {"const": bool(value)}}:
            return [f"={not value}"]
        case {"enum": values}:
            return ["null" if value is None else f"={value}" for value in values]
        case {"items": {**items}}:
            return [f"[{it}]" for it in _types(items)] + ["null"] * ("null" in schema.get("type", ()))
        case {"type": list(types)}:
            return types
        case {"type": type_}:
            return [type_]
    return [it for key in ("oneOf", "anyOf", "allOf") for inner in schema.get(key, ()) for it in _types(inner)]


def _seen(document: Json) -> Mapping[str, set[str]]:
    """Return by schema name whether it is `sent` to us, `answered` by us, or both."""
    found: dict[str, set[str]] = {}

    def follow(part: Any, where: str) -> None:
        match part:
            case {"$ref": str(to)} if to.startswith(_COMPONENTS):
                kind, name = to.removeprefix(_COMPONENTS).split("/")
                if kind == "schemas" and where in found.setdefault(name, set()):
                    return
                found.setdefault(name, set()).add(where)
                follow(document["components"][kind][name], where)
            case dict():
                for key, inner in part.items():
                    if key not in ("example", "examples", "discriminator"):
                        follow(inner, where)
            case list():
                for inner in part:
                    follow(inner, where)

    for what, ours in (("paths", "answered"), ("webhooks", "sent")):
        for item in document[what].values():
            for method, operation in item.items():
                if method != "parameters":
                    follow(operation.get("requestBody"), "sent" if ours == "answered" else "answered")
                    follow(operation["responses"], ours)
    return {name: where for name, where in found.items() if name in document["components"]["schemas"]}


def _of_commands(command: click.Command, name: str) -> Iterator[str]:
    yield name
    for parameter in command.params:
        for word in parameter.opts if isinstance(parameter, click.Option) else [parameter.name]:
            yield f"{name} {word}"
    if isinstance(command, click.Group):
        for inner in command.commands:
            yield from _of_commands(command.commands[inner], f"{name} {inner}")


if __name__ == "__main__":
    print("# What is promised from this version on (CHANGELOG.md), as `python -m tests.support.promised` writes it.")
    print(
        yaml.safe_dump(promised(yaml.load(DOCUMENT.read_text("utf-8"), yaml.CSafeLoader)), sort_keys=False, width=200),
        end="",
    )
