"""The content of the API reference pages, generated from the OpenAPI document."""

import json
import re
import shlex
from collections.abc import Iterator
from functools import cached_property
from http import HTTPStatus
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from server import docs
from server.api.problems import ALL
from server.games import Json

SCHEMAS = "/docs/api/schemas"
_MOST_TABLES = 5  # unions with more variants are shown as links
_UNLIMITED = 2**31 - 1  # the database's maximum
_WIDTH = 88  # characters in a line of code
_NO_NUL = r"^[^\u0000]*$"


def words_in(html: str) -> str:
    """Return each word of a text once, in lower case."""
    words = re.findall(r"[\w-]{2,}", re.sub(r"(?s)<pre(?:(?!<pre).)*?</pre>|<[^<>]+>", " ", html).lower())
    return " ".join(dict.fromkeys(words))


class Field(NamedTuple):
    """A parameter, a header, or a property of a schema."""

    name: str
    type: Markup
    is_required: bool
    about: Markup


class Component(NamedTuple):
    """A named schema."""

    name: str
    type: Markup
    about: Markup
    fields: list[Field]
    variants: list[tuple[str, str]]  # the value that selects a variant, or "", and the variant's name


class Body(NamedTuple):
    """The content of a request or a response."""

    media_type: str
    type: Markup
    tables: list[Component]
    examples: list[tuple[str, str]]


class Answer(NamedTuple):
    """A response other than a problem."""

    status: str
    about: Markup
    headers: list[Field]
    body: Body | None


class Call(NamedTuple):
    """An operation or a webhook. For a webhook, `snippets` is empty, and `path` is the kind."""

    id: str
    method: str
    path: str
    summary: str
    about: Markup
    authorization: str
    parameters: list[Field]
    body: Body | None
    answers: list[Answer]
    problems: list[tuple[str, list[tuple[str, str]]]]  # codes and titles by status
    snippets: list[tuple[str, str]]  # code by language

    @property
    def old_anchor(self) -> str:
        return f"{self.method.lower()}-{re.sub('[{}]', '-', self.path)}"


class Group(NamedTuple):
    """The calls that share a tag."""

    name: str
    title: str
    about: str
    shared: Markup  # the description, if all calls have the same
    calls: list[Call]


class Reference:
    """The content of the API reference, as the templates need it."""

    def __init__(self, document: Json, base: str) -> None:
        self._document, self._base = document, base
        self._schemas: Json = document["components"]["schemas"]

    @property
    def about(self) -> Markup:
        return self._html(self._document["info"]["description"])

    @property
    def schemes(self) -> dict[str, Markup]:
        """Return the description of each way to authenticate."""
        schemes = self._document["components"]["securitySchemes"]
        return {name: self._html(it["description"]) for name, it in schemes.items()}

    @property
    def headers(self) -> list[Field]:
        """Return the headers that all responses share."""
        return self._headers(self._document["components"]["headers"])

    @cached_property
    def groups(self) -> dict[str, Group]:
        calls = [*self._calls(self._document["paths"]), *self._calls(self._document["webhooks"])]
        found = {}
        for tag in self._document["tags"]:
            name = tag["name"]
            own = [call for of, call in calls if of == name]
            texts = {call.about for call in own}
            shared = texts.pop() if len(own) > len(texts) == 1 else Markup()
            about = tag.get("description", "").removeprefix(f"{name.capitalize()}: ")
            found[name] = Group(name, name.capitalize(), about[:1].upper() + about[1:], shared, own)
        return found

    def places(self) -> Iterator[tuple[str, str, str]]:
        """Yield the address, title and words of each call, each schema and the start page, for the search."""
        items = [*self._document["paths"].values(), *self._document["webhooks"].values()]
        described = {
            operation["operationId"]: " ".join(self._texts([item.get("parameters", []), operation], set()))
            for item in items
            for method, operation in item.items()
            if method != "parameters"
        }
        for group in self.groups.values():
            for it in group.calls:
                title = f"{it.method} {it.path} {it.summary}"
                yield f"/docs/api/{group.name}#{it.id}", title, words_in(f"{it.id} {described[it.id]}")
        for name in self._schemas:
            yield f"{SCHEMAS}#{name}", f"Schema {name}", ""
        yield "/docs#authorization", "API: Authorization", words_in(" ".join(self.schemes.values()))
        yield "/docs#about", "API: All requests", words_in(self.about)

    def _texts(self, node: Any, seen: set[str]) -> Iterator[str]:
        """Yield the descriptions in a part of the document, and the names of its parameters and fields."""
        for it in node if isinstance(node, list) else ():
            yield from self._texts(it, seen)
        if not isinstance(node, dict):
            return
        yield from (node[key] for key in ("name", "description") if isinstance(node.get(key), str))
        if "/schemas/" in node.get("$ref", "") and _name(node) not in seen:
            seen.add(_name(node))
            yield from self._texts(self._schemas[_name(node)], seen)
        yield from node.get("properties", {})
        for key, it in node.items():
            if key not in ("examples", "links", "headers"):
                yield from self._texts(it, seen)

    @cached_property
    def components(self) -> list[Component]:
        return [self._component(name) for name in self._schemas]

    def _html(self, markdown: str) -> Markup:
        return self._linked(docs.html(markdown))

    def _inline(self, markdown: str) -> Markup:
        return self._linked(docs.html_in_line(markdown))

    def _linked(self, html: str) -> Markup:
        """Link the names of calls and schemas. A schema's name follows the word "schema". The names of calls that are
        one word could be ordinary words."""
        linked = re.sub(r"\b[a-z]+[A-Z]\w+", lambda it: self._links.get(it[0], it[0]), html)
        return Markup(re.sub(r"(?<=\bschema )[A-Z]\w+", rf'<a href="{SCHEMAS}#\g<0>">\g<0></a>', linked))

    @cached_property
    def _links(self) -> dict[str, str]:
        operations = [it for item in self._document["paths"].values() for it in item.values() if "tags" in it]
        link = '<a href="/docs/api/{}#{}">{}</a>'
        return {it["operationId"]: link.format(it["tags"][0], *[it["operationId"]] * 2) for it in operations}

    def _calls(self, items: Json) -> Iterator[tuple[str, Call]]:
        for path, item in items.items():
            for method, operation in item.items():
                if method != "parameters":
                    parameters = item.get("parameters", []) + operation.get("parameters", [])
                    yield operation["tags"][0], self._call(path, method.upper(), operation, parameters)

    def _call(self, path: str, method: str, operation: Json, parameters: list[Json]) -> Call:
        answers, problems = [], []
        for status, response in sorted(operation["responses"].items()):
            if "$ref" in response:
                shared = self._document["components"]["responses"][_name(response)]
                problems.append((status, [(code, ALL[code].title) for code in shared["x-codes"]]))
            else:
                own = {name: it for name, it in response.get("headers", {}).items() if "$ref" not in it}
                phrase = HTTPStatus(int(status)).phrase if status.isdigit() else ""
                about = "" if response["description"].lower() == phrase.lower() else response["description"]
                answers.append(
                    Answer(f"{status} {phrase}", self._inline(about), self._headers(own), self._body(response))
                )
        security: list[Json] = (operation if "security" in operation else self._document)["security"]
        return Call(
            operation["operationId"],
            method,
            path,
            operation["summary"],
            self._html(operation.get("description", "")),
            _authorization(security),
            [self._field(it["name"], it, it.get("required", False), f"{it['in']}, ") for it in parameters],
            self._body(operation.get("requestBody", {})),
            answers,
            problems,
            self._snippets(method, path, operation, any(security) and ({} not in security or "{" in path)),
        )

    def _body(self, described: Json) -> Body | None:
        for media_type, content in described.get("content", {}).items():
            schema = content["schema"]
            tables = list(self._tables(schema))
            examples = [(name, _pretty(it["value"])) for name, it in content.get("examples", {}).items()]
            return Body(media_type, self._type(schema), tables if len(tables) <= _MOST_TABLES else [], examples)
        return None

    def _tables(self, schema: Json) -> Iterator[Component]:
        """Yield a table for each object schema that a body may have."""
        match schema:
            case {"$ref": _}:
                found = self._schemas[_name(schema)]
                if "properties" in found:
                    yield self._component(_name(schema))
                else:
                    yield from self._tables(found)
            case {"oneOf": members}:
                for member in members:
                    yield from self._tables(member)
            case {"contentSchema": inner} | {"items": inner}:
                yield from self._tables(inner)

    def _component(self, name: str) -> Component:
        schema = self._schemas[name]
        required = schema.get("required", ())
        fields = [self._field(it, {"schema": own}, it in required) for it, own in schema.get("properties", {}).items()]
        labels = {_name({"$ref": ref}): it for it, ref in schema.get("discriminator", {}).get("mapping", {}).items()}
        members = schema.get("oneOf", [])
        variants = [(labels.get(_name(it), ""), _name(it)) for it in members]
        return Component(name, self._type(schema), self._html(schema.get("description", "")), fields, variants)

    def _headers(self, headers: Json) -> list[Field]:
        return [self._field(name, it, False) for name, it in headers.items()]

    def _field(self, name: str, described: Json, is_required: bool, where: str = "") -> Field:
        schema = described["schema"]
        target = self._schemas[_name(schema)] if "$ref" in schema else {}
        about = described.get("description") or schema.get("description") or target.get("description", "")
        words = [about if not about or about.endswith((".", "?")) else f"{about}."]
        if len(values := target.get("enum", ())) > 1:
            words.append(f"One of {', '.join(f'`{json.dumps(it)}`' for it in values)}.")
        words += [it for it in _limits(target | schema) if not it.startswith("Default") or "Default" not in about]
        return Field(name, Markup(where) + self._type(schema), is_required, self._inline(" ".join(filter(None, words))))

    def _type(self, schema: Json) -> Markup:
        match schema:
            case {"$ref": _}:
                return Markup('<a href="{}#{}">{}</a>').format(SCHEMAS, _name(schema), _name(schema))
            case {"oneOf": members} | {"anyOf": members}:
                return Markup(" or ").join(map(self._type, members))
            case {"const": value}:
                return Markup("<code>{}</code>").format(json.dumps(value))
            case {"enum": values}:
                return Markup(", ").join(Markup("<code>{}</code>").format(json.dumps(it)) for it in values)
            case {"type": [*kinds]}:
                return Markup(" or ").join(self._type({**schema, "type": kind}) for kind in kinds)
            case {"type": "array", "items": items}:
                return Markup("array of ") + self._type(items)
            case {"type": "object", "additionalProperties": {"type": _} | {"$ref": _} | {"anyOf": _} as values}:
                return Markup("object of ") + self._type(values)
            case {"contentMediaType": "application/json", "contentSchema": {"properties": names}}:
                fields = (Markup("<code>{}</code> {}").format(name, self._type(it)) for name, it in names.items())
                return Markup("JSON text of an object with ") + Markup(", ").join(fields)
            case {"contentMediaType": "application/json", "contentSchema": inner}:
                return Markup("JSON text of ") + self._type(inner)
            case {"contentSchema": inner}:
                return Markup("lines of ") + self._type(inner)
            case {"type": "string", "format": name}:
                return Markup("string ({})").format(name)
            case {"type": kind}:
                return escape(kind)
        return Markup("any value")

    def _snippets(self, method: str, path: str, operation: Json, is_signed: bool) -> list[tuple[str, str]]:
        if not path.startswith("/"):
            return []
        request = _Request(
            method,
            f"{self._base}{path}",
            re.findall(r"\{(\w+)\}", path),
            is_signed,
            _example(operation.get("requestBody", {})),
            next((it for of, it in _media_types(operation) if of.startswith("2")), ""),
        )
        return [("curl", request.curl()), ("Python", request.python()), ("JavaScript", request.javascript())]


class _Request(NamedTuple):
    """A request as code, which reads the token and ids from the environment."""

    method: str
    url: str
    names: list[str]  # names of the parameters in the path
    is_signed: bool  # whether the token is sent; without it, a private game or a player's own facts aren't found
    body: Json | None
    answered_in: str  # media type, "" if the response is empty

    def curl(self) -> str:
        option = {"text/event-stream": "-N ", "image/png": "-o picture.png "}.get(self.answered_in, "")
        if self.method != ("GET" if self.body is None else "POST"):
            option += f"-X {self.method} "
        url = re.sub(r"\{(\w+)\}", lambda it: f"${it[1].upper()}", self.url)
        lines = [f'curl {option}"{url}"']
        lines += ['-H "Authorization: Bearer $TOKEN"'] if self.is_signed else []
        if self.body is not None:
            lines += ['-H "Content-Type: application/json"', f"-d {shlex.quote(_pretty(self.body))}"]
        return " \\\n  ".join(lines)

    def python(self) -> str:
        imports = ["import json"] if self.body is not None or self.answered_in == "application/json" else []
        imports += ["import os"] if self.is_signed or self.names else []
        lines = [f'{name} = os.environ["{name.upper()}"]' for name in self.names]
        headers = ['"Authorization": f"Bearer {os.environ[\'TOKEN\']}"'] if self.is_signed else []
        headers += ['"Content-Type": "application/json"'] if self.body is not None else []
        url = f'{"f" if self.names else ""}"{self.url}"'
        arguments = [f'method="{self.method}"'] if self.method != "GET" else []
        arguments += [f"headers={{{', '.join(headers)}}}"] if headers else []
        if self.body is not None:
            literal = _JSON_WORD.sub(lambda it: _IN_PYTHON.get(it[0], it[0]), _pretty(self.body))
            arguments += [f"data=json.dumps({literal}).encode()".replace("\n", "\n    ")]
        if arguments:
            lines += ["request = Request(", *(f"    {it}," for it in (url, *arguments)), ")"]
        lines += ["try:", f"    with urlopen({'request' if arguments else url}) as response:"]
        lines += [f"        {it}" for it in _READ_IN_PYTHON.get(self.answered_in, _READ_IN_PYTHON["text"])]
        lines += ["except HTTPError as problem:", "    print(problem.read().decode())"]
        names = "Request, urlopen" if arguments else "urlopen"
        return "\n".join(
            [*imports, "from urllib.error import HTTPError", f"from urllib.request import {names}", "", *lines]
        )

    def javascript(self) -> str:
        names = [name.upper() for name in self.names] + (["TOKEN"] if self.is_signed else [])
        lines = [f"const {{ {', '.join(names)} }} = process.env;"] if names else []
        headers = ["Authorization: `Bearer ${TOKEN}`"] if self.is_signed else []
        headers += ['"Content-Type": "application/json"'] if self.body is not None else []
        options = [f'method: "{self.method}"'] if self.method != "GET" else []
        options += [f"headers: {{ {', '.join(headers)} }}"] if headers else []
        if self.body is not None:
            options += [f"body: JSON.stringify({_pretty(self.body)})".replace("\n", "\n  ")]
        url = re.sub(r"\{(\w+)\}", lambda it: f"${{{it[1].upper()}}}", self.url)
        quote = "`" if self.names else '"'
        lines += [f"const response = await fetch({quote}{url}{quote}" + (", {" if options else ");")]
        lines += [*(f"  {it}," for it in options), "});"] if options else []
        return "\n".join([*lines, _READ_IN_JAVASCRIPT.get(self.answered_in, _READ_IN_JAVASCRIPT["text"])])


_JSON_WORD = re.compile(r'"(?:[^"\\]|\\.?)*"?|\w+')
_IN_PYTHON = {"true": "True", "false": "False", "null": "None"}
_READ_IN_PYTHON = {
    "": ["print(response.status)"],
    "application/json": ["print(json.load(response))"],
    "image/png": ['with open("picture.png", "wb") as file:', "    file.write(response.read())"],
    "text": ["for line in response:", '    print(line.decode(), end="")'],
}
_READ_IN_JAVASCRIPT = {
    "": "console.log(response.status);",
    "application/json": "console.log(await response.json());",
    "image/png": "console.log(await response.blob());",
    "text/event-stream": "for await (const chunk of response.body) process.stdout.write(chunk);",
    "text": "console.log(await response.text());",
}


def _example(body: Json) -> Json | None:
    examples: list[Json] = [
        it["value"] for content in body.get("content", {}).values() for it in content["examples"].values()
    ]
    return examples[0] if examples else None


def _media_types(operation: Json) -> Iterator[tuple[str, str]]:
    for status, response in operation["responses"].items():
        for media_type in response.get("content", {}):
            yield status, media_type


def _authorization(security: list[Json]) -> str:
    names = {"token": "a token", "oauth2": "OAuth 2.1"}
    ways = " or ".join(names.get(name, name) for it in security for name in it)
    return "" if not ways else f"optional ({ways})" if {} in security else ways


def _limits(schema: Json) -> Iterator[str]:
    """Yield sentences about the size and the pattern of a value. A value with a `format` needs no sentence about its
    length or pattern."""
    is_free = "format" not in schema
    for what, unit in (("imum", ""), ("Items", " items"), ("Length", " characters"))[: 3 if is_free else 2]:
        least, most = schema.get(f"min{what}"), schema.get(f"max{what}")
        match least or (None if unit else least), None if most == _UNLIMITED else most:
            case None, int():
                yield f"At most {most}{unit}."
            case int(), None:
                yield f"At least {least}{unit if least != 1 else unit.removesuffix('s')}."
            case int(), int():
                yield f"{least} to {most}{unit}." if least != most else f"{most}{unit}."
    if is_free and (pattern := schema.get("pattern", _NO_NUL)) != _NO_NUL:
        yield f"Pattern: `{pattern}`."
    if schema.get("default") is not None:
        yield f"Default: `{json.dumps(schema['default'])}`."


def _name(reference: Json) -> str:
    return str(reference["$ref"]).rpartition("/")[2]


def _pretty(value: object) -> str:
    """Return a value as JSON, on one line if the line is short."""
    short = json.dumps(value, ensure_ascii=False)
    return short if len(short) <= _WIDTH - 20 else json.dumps(value, indent=2, ensure_ascii=False)
