"""The schemas of the OpenAPI document. Each has a name, so that generated clients have a type for it. A nested schema
gets its name from its `title`, or from `WORDS` if it is one of the enumerations there. A reference replaces the nested
schema. Anything that differs between games is a union. Where the field `rules` names the game, each game has its own
schema."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from server.accounts.closing import CLOSABLE
from server.accounts.deliveries import RESULTS
from server.accounts.notice_kinds import WEBHOOK_KINDS
from server.accounts.preferences import CHOICES, PUSH_CHOICES
from server.accounts.tokens import OF_A_SEAT, SCOPES
from server.api.openapi import schemas
from server.api.problems import ALL
from server.bots import BOTS
from server.games import GAMES, Json
from server.play import json_schemas
from server.play.events import HOUSE_EVENT_SCHEMAS
from server.play.planning.plans import REASONS
from server.play.story.authors import AUTHORS, STAND_IN
from server.play.votes import WISHES
from server.translations import LOCALES
from server.webhooks import chats, subscriptions

WORDS: Final[Mapping[str, Iterable[Any]]] = {
    "AtOnceOrOff": PUSH_CHOICES,
    "Author": AUTHORS,
    "Bot": BOTS,
    "Closable": CLOSABLE,
    "DeliveryResult": subscriptions.RESULTS,
    "GameStatus": schemas.STATUSES,
    "LetterResult": RESULTS,
    "Locale": LOCALES,
    "MailChoice": CHOICES,
    "PlayedBy": ("human", "bot"),
    "Rules": GAMES,
    "Scope": SCOPES,
    "ScopeOfSeat": OF_A_SEAT,
    "SeatKind": ("human", "bot", "open", "invited"),
    "WebhookEvent": WEBHOOK_KINDS,
    "WebhookForm": chats.FORMS,
    "WebhookKind": subscriptions.PAYLOADS,
    "WhyDisabled": subscriptions.DISABLED,
    "WhyPlanEnded": REASONS,
    "Wish": WISHES,
}
# Enumerations that share a value with another. In Go, the constants of all types share one scope.
_WITH_OWN_NAMES: Final = {
    "AtOnceOrOff",
    "Author",
    "LetterResult",
    "ScopeOfSeat",
    "SeatKind",
    "WebhookKind",
    *(f"{name.capitalize()}{own}" for name, game in GAMES.items() for own in getattr(game, "OWN_NAMES", ())),
}
_EVENTS = [(name, type_) for name, rules in GAMES.items() for type_ in rules.EVENT_SCHEMAS]
_NAMES = {frozenset(words): name for name, words in WORDS.items()}
_NULL: Json = {"type": "null"}
_TYPES: Final = {str: "string", int: "integer", bool: "boolean"}


def ref(name: str) -> Json:
    return {"$ref": f"#/components/schemas/{name}"}


def pascal(type_: str) -> str:
    """Return `game-started` as GameStarted."""
    return type_.title().replace("-", "")


def _constant(words: str) -> str:
    """Return `SeatKind-open` as SEAT_KIND_OPEN."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[^A-Za-z0-9]+", "_", words).upper()


class Components:
    """A collection of the document's schemas, by name."""

    def __init__(self, made: Json) -> None:
        """Add all schemas. `made` has those that smorest generated from our marshmallow schemas."""
        self._schemas: Json = {}
        self._problems: dict[int, Json] = {}  # by status and code
        self._problem = made.pop("Problem")
        del made["PaginationMetadata"]  # unused: our pages have another form
        for name, schema in _of_the_house():
            self.put(name, schema)
        for name, rules in GAMES.items():
            game = name.capitalize()
            for part, schema in _of_a_game(game, rules):
                self.put(f"{game}{part}", schema, game)
        games = " or ".join(map(str.capitalize, GAMES))
        for what in ("Move", "View"):
            of_each = [f"{name.capitalize()}{what}" for name in GAMES]
            self.put(what, _union(f"{what} in {games}", of_each))
        foreseen = [f"{name.capitalize()}Foreseen{pascal(type_)}" for name, type_ in _EVENTS]
        self.put("Foreseen", _union("Event that a move would cause", foreseen))
        events = [
            *map(pascal, HOUSE_EVENT_SCHEMAS),
            *(f"{name.capitalize()}{pascal(type_)}" for name, type_ in _EVENTS),
        ]
        self.put("Event", _union("Event of a game", events))  # flat, since many generators support no nested unions
        for name, schema in made.items():
            for own, written in _in_full(name, schema):
                self.put(own, written)

    def all(self) -> Json:
        for status, members in self._problems.items():
            self.put(f"Problem{status}", {"oneOf": [members[code] for code in sorted(members)]})
        return {name: self._with_discriminator(schema) for name, schema in sorted(self._schemas.items())}

    def put(self, name: str, schema: Json, prefix: str = "") -> Json:
        """Add a schema and return a reference to it. Raise ValueError if another schema has this name."""
        inner = self._inner({key: value for key, value in schema.items() if key != "title"}, prefix)
        if self._schemas.setdefault(name, inner) != inner:
            raise ValueError(f"Two schemas are called {name}.")
        return ref(name)

    def problem(self, code: str) -> Json:
        """Add the problem with this code. Return a reference to the union of all problems with its status."""
        problem, fields = ALL[code], self._problem["properties"]
        told = {"type": f"/problems/{code}", "status": problem.status, "code": code}
        others = {name for it in ALL.values() for name in it.further} - problem.further.keys()
        own = {name: schema for name, schema in fields.items() if name not in others}
        own |= {name: {"const": value} for name, value in told.items()}
        about = f"{problem.title}. {problem.meaning}"
        self._problems.setdefault(problem.status, {})[code] = self.put(
            f"{pascal(code)}Problem", {"description": about, "type": "object", "required": list(own), "properties": own}
        )
        return ref(f"Problem{problem.status}")

    def lift(self, schema: Json, prefix: str = "") -> Json:
        """Add the nested schemas of this schema. Return the schema with references in their place."""
        title = schema.get("title")
        name = f"{prefix}{title}" if isinstance(title, str) else _NAMES.get(frozenset(schema.get("enum", ())) - {None})
        if name is None:
            return self._inner(schema, prefix)
        if "enum" not in schema:
            return self.put(name, schema, prefix)
        here = {key: schema[key] for key in ("description", "default") if key in schema}
        words = [word for word in schema["enum"] if word is not None]
        own = {"x-enum-varnames": [_constant(f"{name}-{word}") for word in words]} if name in _WITH_OWN_NAMES else {}
        found = self.put(name, {"type": _TYPES[type(words[0])], "enum": words, **own})
        may_be_null = None in schema["enum"] or "null" in schema.get("type", ())
        return ({"anyOf": [found, _NULL]} if may_be_null else found) | here

    def _inner(self, schema: Json, prefix: str) -> Json:
        inner: Json = {}
        for key, value in schema.items():
            match key, value:
                case "properties", dict():
                    inner[key] = {field: self.lift(_of_one_word(it), prefix) for field, it in value.items()}
                case (("items" | "additionalProperties"), dict()):
                    inner[key] = self.lift(value, prefix)
                case (("oneOf" | "anyOf" | "allOf"), list()):
                    inner[key] = [self.lift(it, prefix) for it in value]
                case _:
                    inner[key] = value
        values = inner.get("enum", [inner["const"]] if "const" in inner else [])
        if values and "type" not in inner:
            inner["type"] = _TYPES[type(values[0])]
        match inner.get("anyOf"):
            case [{"type": str(type_)} as one, {"type": "null"}]:  # some generators would create a class for this union
                inner = one | inner | {"type": [type_, "null"]}
                del inner["anyOf"]
        for key in ("anyOf", "allOf"):  # marshmallow wraps references like this
            if len(inner.get(key, ())) == 1:
                about = {"description": inner["description"]} if "description" in inner else {}
                found: Json = inner[key][0]
                return found | about
        return inner

    def _of(self, reference: Json) -> Json:
        found: Json = self._schemas.get(reference.get("$ref", "").rpartition("/")[2], {})
        return found

    def _with_discriminator(self, schema: Json) -> Json:
        """Return a union with its discriminator: a field that has a different constant in each member."""
        members = schema.get("oneOf", [])
        for field in self._constants(members[0]) if members else ():
            owners = {self._constants(it).get(field): it["$ref"] for it in members}
            if None not in owners and len(owners) == len(members):
                return schema | {"discriminator": {"propertyName": field, "mapping": owners}}
        return schema

    def _constants(self, member: Json) -> Json:
        """Return the fields of a member that are constant, with their values."""
        fields = self._of(member).get("properties", {})
        return {field: schema["const"] for field, schema in fields.items() if "const" in schema}


def _of_one_word(schema: Json) -> Json:
    """Return a single-value enumeration as a constant. `true` becomes "not false": generators need a name for each
    constant."""
    match schema:
        case {"enum": [True], **rest}:
            return {**rest, "not": {"const": False}}
        case {"enum": [word], **rest} if "title" not in rest:
            return {**rest, "const": word}
    return schema


def _union(description: str | None, names: Iterable[str]) -> Json:
    about = {"description": description} if description else {}
    return {**about, "oneOf": [ref(name) for name in names]}


def _of_the_house() -> Iterator[tuple[str, Json]]:
    yield "Clock", json_schemas.CLOCK
    yield "OnTimeout", json_schemas.ON_TIMEOUT
    yield "Calendar", json_schemas.CALENDAR
    yield "Notifications", json_schemas.NOTIFICATIONS
    yield "Condition", json_schemas.CONDITION
    for kind, component in schemas.PAYLOADS.items():
        yield component, subscriptions.PAYLOADS[kind]
    yield "Payload", _union("Body of a webhook delivery", schemas.PAYLOADS.values())
    for type_, schema in HOUSE_EVENT_SCHEMAS.items():
        yield pascal(type_), _in_a_story(schema, _BY_STAND_IN if type_ == "stand-in-began" else None)


def _of_a_game(game: str, rules: Any) -> Iterator[tuple[str, Json]]:
    """Yield the schemas of a game. Their names lack the game's prefix."""
    yield "Move", rules.MOVE_SCHEMA
    yield "View", rules.VIEW_SCHEMA
    yield "Options", {key: value for key, value in rules.OPTION_SCHEMA.items() if key != "$schema"}
    for type_, schema in rules.EVENT_SCHEMAS.items():
        yield pascal(type_), _in_a_story(schema, _BY)
        yield f"Foreseen{pascal(type_)}", schema | {"properties": schema["properties"] | _WORDS}


_BY_STAND_IN: Final[Json] = {
    "by": {"description": "Only if you are this stand-in", "enum": [STAND_IN]},
}
_BY: Final[Json] = {
    "by": {
        "description": "Who made the move. Only the seat's owner sees that a plan played the move. To others, it "
        "looks like the player's own move.",
        "enum": list(AUTHORS),
    }
}


def _in_a_story(told: Json, more: Json | None = None) -> Json:
    where: Json = {
        "seq": {"description": "Number of the event in this game, starting from 1", "type": "integer", "minimum": 1},
        "version": {
            "description": "Game version after the commit that contains this event",
            "type": "integer",
            "minimum": 1,
        },
        "at": {"type": "string", "format": "date-time"},
    }
    optional = {**_WORDS, **(more or {})}
    return told | {"required": [*where, *told["required"]], "properties": where | told["properties"] | optional}


_WORDS: Final[Json] = {
    "words": {
        "description": "Sentence in the language given by `words`. Null for events that have no sentence.",
        "type": ["string", "null"],
    }
}


# Marshmallow schemas


def _in_full(name: str, schema: Json) -> Iterator[tuple[str, Json]]:
    """Yield a schema with its description. For a union (of variants, or of games), yield its members as well."""
    source = getattr(schemas, name, None)
    if source and source.__doc__:
        schema = {"description": source.__doc__, **schema}
    if variants := getattr(source, "VARIANTS", None):
        yield name, _union(source.__doc__, variants)
        yield from _variants(schema, variants)
    elif "rules" in schema.get("properties", {}):
        yield name, _union(schema.get("description"), [f"{game.capitalize()}{name}" for game in GAMES])
        for game in GAMES:
            yield f"{game.capitalize()}{name}", _of_game(game, schema)
    else:
        yield name, schema


def _variants(schema: Json, variants: Mapping[str, tuple[str, ...]]) -> Iterator[tuple[str, Json]]:
    for variant, fields in variants.items():
        required = [field for field in fields if not field.endswith("?")]
        own = {name: schema["properties"][name] for name in (field.removesuffix("?") for field in fields)}
        more = {"required": required} if required else {}
        yield variant, {"type": "object", "additionalProperties": False, **more, "properties": own}


def _of_game(game: str, schema: Json) -> Json:
    """Return the schema for one game. Its constant `rules` distinguishes it from the other games' schemas."""
    own: Json = _renamed(schema, {ref(what)["$ref"]: ref(f"{game.capitalize()}{what}")["$ref"] for what in _PARTS})
    return own | {"properties": own["properties"] | {"rules": {"description": "Game rules by name", "const": game}}}


_PARTS: Final = ("Move", "View", "Options")


def _renamed(value: Any, names: Mapping[str, str]) -> Any:
    match value:
        case {"$ref": str(name), **rest}:
            return {"$ref": names.get(name, name), **rest}
        case dict():
            return {key: _renamed(it, names) for key, it in value.items()}
        case list():
            return [_renamed(it, names) for it in value]
    return value
