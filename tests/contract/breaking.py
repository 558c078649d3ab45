"""What a new OpenAPI document takes away from those who build on an older one.

Whoever asks may go on asking as before, and finds in the answers and webhooks what was in them. New calls, fields that
need not be sent, fields in answers, problems, and new words and members of unions in answers are no harm: programs
must let pass what they do not know. Of schemas it knows the words that our document has.
"""

from collections.abc import Iterator, Mapping
from typing import Any

Json = dict[str, Any]
_METHODS = ("get", "put", "post", "delete", "patch", "head", "options")
_LEAST, _MOST = ("minimum", "minLength", "minItems", "minProperties"), ("maximum", "maxLength", "maxItems")
_TYPES = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
_FORMS = ("pattern", "format", "uniqueItems", "not")


def broken(old: Json, new: Json) -> list[str]:
    """A sentence for each promise of the old document that the new one does not keep."""
    return list(dict.fromkeys(_Comparison(old, new).findings()))


class _Comparison:
    def __init__(self, old: Json, new: Json) -> None:
        self.old, self.new = old, new
        self._compared: set[tuple[str, str, bool]] = set()

    def findings(self) -> Iterator[str]:
        for path, item in self.old["paths"].items():
            for method, operation in ((method, item[method]) for method in _METHODS if method in item):
                where, now = f"{method.upper()} {path}", self.new["paths"].get(path, {}).get(method)
                if now is None:
                    yield f"{where} is gone"
                else:
                    yield from self._call(where, operation, now)
        for name, item in self.old.get("webhooks", {}).items():
            now = self.new.get("webhooks", {}).get(name)
            if now is None:
                yield f"The webhook {name} is gone"
            else:
                yield from self._contents(f"The webhook {name}", _body(item["post"]), _body(now["post"]), is_sent=False)
        for name in self.old["components"].get("securitySchemes", {}):
            if name not in self.new["components"].get("securitySchemes", {}):
                yield f"The security scheme {name} is gone"

    def _call(self, where: str, old: Json, new: Json) -> Iterator[str]:
        if old["operationId"] != new["operationId"]:
            yield f"{where} is called {new['operationId']} now, no longer {old['operationId']}"
        yield from self._security(where, old, new)
        yield from self._parameters(where, old, new)
        if new.get("requestBody", {}).get("required") and not old.get("requestBody", {}).get("required"):
            yield f"{where} needs a body"
        yield from self._contents(where, _body(old), _body(new), is_sent=True)
        for status, response in old["responses"].items():
            answer, now = self._resolved(self.old, response), new["responses"].get(status)
            if now is not None:
                yield from self._answer(f"{where}, {status}", answer, self._resolved(self.new, now))
            elif status[0] in "23":
                yield f"{where} answers no longer with {status}"

    def _answer(self, where: str, old: Json, new: Json) -> Iterator[str]:
        yield from self._contents(where, old.get("content", {}), new.get("content", {}), is_sent=False)
        for name in old.get("headers", {}).keys() - new.get("headers", {}).keys():
            yield f"{where}: the header {name} is gone"

    def _security(self, where: str, old: Json, new: Json) -> Iterator[str]:
        ways = new.get("security", self.new.get("security", []))
        for before in old.get("security", self.old.get("security", [])) or [{}]:
            enough = (
                all(set(needed) <= set(before.get(name, ())) and name in before for name, needed in way.items())
                for way in ways
            )
            if ways and not any(enough):
                yield f"{where} needs more than before: {ways}"

    def _parameters(self, where: str, old: Json, new: Json) -> Iterator[str]:
        before, now = ({(it["in"], it["name"]): it for it in call.get("parameters", ())} for call in (old, new))
        for key, parameter in before.items():
            if key not in now:
                yield f"{where}: the parameter {key[1]} is gone"
            else:
                yield from self._schema(
                    f"{where}: the parameter {key[1]}", parameter["schema"], now[key]["schema"], True
                )
        for key, parameter in now.items():
            if parameter.get("required") and not before.get(key, {}).get("required"):
                yield f"{where}: the parameter {key[1]} is needed now"

    def _contents(self, where: str, old: Json, new: Json, is_sent: bool) -> Iterator[str]:
        for type_, content in old.items():
            if type_ not in new:
                yield f"{where}: no longer as {type_}"
            elif "schema" in content:
                yield from self._schema(where, content["schema"], new[type_].get("schema", {}), is_sent)

    # Schemas. `is_sent`: by those who ask, else to them.

    def _schema(self, where: str, old: Json, new: Json, is_sent: bool) -> Iterator[str]:
        key = (old.get("$ref", ""), new.get("$ref", ""), is_sent)
        if all(key[:2]):
            if key in self._compared:
                return
            self._compared.add(key)
        old, new = self._resolved(self.old, old), self._resolved(self.new, new)
        before, now = _members(old), _members(new)
        if len(before) > 1 or len(now) > 1:
            yield from self._union(where, before, now, is_sent)
        else:
            yield from self._types(where, old, new, is_sent)
            yield from self._object(where, old, new, is_sent)
            for part in ("items", "additionalProperties"):
                if isinstance(old.get(part), dict) and isinstance(new.get(part), dict):
                    yield from self._schema(f"{where}[]", old[part], new[part], is_sent)

    def _union(self, where: str, old: list[Json], new: list[Json], is_sent: bool) -> Iterator[str]:
        """By what is asked with: each old member finds its like. In answers: each new one, but whole new components."""
        searched, among = (old, new) if is_sent else (new, old)
        for member in searched:
            namesakes = [it for it in among if _name(it) == _name(member) is not None]
            found = [list(self._pair(where, member, other, is_sent)) for other in namesakes or among]
            if len(namesakes) == 1:
                yield from found[0]
            elif all(found) and (is_sent or "$ref" not in member):
                yield f"{where}: {_told(member)} {'is refused' if is_sent else 'may come'} now"

    def _pair(self, where: str, member: Json, other: Json, is_sent: bool) -> Iterator[str]:
        old, new = (member, other) if is_sent else (other, member)
        yield from _Comparison(self.old, self.new)._schema(where, old, new, is_sent)

    def _types(self, where: str, old: Json, new: Json, is_sent: bool) -> Iterator[str]:
        before, now = set(_types(old)), set(_types(new))
        if is_sent and now and not (before and before <= _with_integers(now)):
            yield f"{where} must be {_told(new)}, no longer {_told(old)}"
        if not is_sent and before and not (now and now <= _with_integers(before)):
            yield f"{where} may be {_told(new)}, no longer only {_told(old)}"
        words, words_now = _words(old), _words(new)
        if is_sent and words_now is not None:
            for word in [it for it in words or ["any word"] if it not in words_now]:
                yield f"{where} takes {word} no longer"
        if not is_sent and words is not None and (words_now is None or "const" in old and words_now != words):
            yield f"{where} is no longer {' or '.join(map(str, words))}"
        if is_sent:
            yield from self._bounds(where, old, new)

    def _bounds(self, where: str, old: Json, new: Json) -> Iterator[str]:
        for name in _LEAST:
            if new.get(name, float("-inf")) > old.get(name, float("-inf")):
                yield f"{where}: {name} is {new[name]} now"
        for name in _MOST:
            if new.get(name, float("inf")) < old.get(name, float("inf")):
                yield f"{where}: {name} is {new[name]} now"
        for name in _FORMS:
            if new.get(name) and new[name] != old.get(name):
                yield f"{where}: {name} is {new[name]} now"

    def _object(self, where: str, old: Json, new: Json, is_sent: bool) -> Iterator[str]:
        fields, fields_now = old.get("properties", {}), new.get("properties", {})
        needed, needed_now = set(old.get("required", ())), set(new.get("required", ()))
        if is_sent:
            yield from (f"{where}: {name} must be sent now" for name in sorted(needed_now - needed))
        else:
            yield from (
                f"{where}: {name} may be missing now" for name in sorted((needed - needed_now) & fields_now.keys())
            )
        for name, schema in fields.items():
            if name in fields_now:
                yield from self._schema(f"{where}: {name}", schema, fields_now[name], is_sent)
            elif not is_sent or new.get("additionalProperties") is False:
                yield f"{where}: {name} is gone"

    @staticmethod
    def _resolved(document: Json, part: Json) -> Json:
        found: Any = part
        while "$ref" in found:
            place, found = found["$ref"], document
            for name in place.removeprefix("#/").split("/"):
                found = found[name]
        return found


def _body(operation: Mapping[str, Any]) -> Json:
    content: Json = operation.get("requestBody", {}).get("content", {})
    return content


def _members(schema: Json) -> list[Json]:
    """What the value may be: one schema for each type, or those of a union."""
    several = schema.get("oneOf") or schema.get("anyOf")
    if several:
        return list(several)
    types = _types(schema)
    return [_of_type(schema, type_) for type_ in types] if len(types) > 1 else [schema]


def _of_type(schema: Json, type_: str) -> Json:
    own = schema | {"type": type_} if type_ != "null" else {"type": "null"}
    if "enum" in own:
        own["enum"] = [word for word in schema["enum"] if _TYPES[type(word)] == type_]
    return own


def _types(schema: Json) -> list[str]:
    """Those that it names, or those of its words."""
    types = schema.get("type") or list(dict.fromkeys(_TYPES[type(word)] for word in _words(schema) or ()))
    return [types] if isinstance(types, str) else types


def _with_integers(types: set[str]) -> set[str]:
    return types | {"integer"} if "number" in types else types


def _words(schema: Json) -> list[Any] | None:
    return [schema["const"]] if "const" in schema else schema.get("enum")


def _name(schema: Json) -> Any:
    """What tells it apart from the other members of a union, if anything does."""
    return schema.get("$ref") or schema.get("type")


def _told(schema: Json) -> str:
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    return str(_words(schema) or schema.get("type", "anything"))
