"""Conditions of planned moves. They refer only to the spectator's view.

`{"at": JSON pointer, "is": value}` or `"is_not"` compares a value in the spectator's view at the version in which the
turn began. A missing value counts as null. `{"only": [event types]}` is true if no events of other types have happened
since the plan was made.
"""

import re
from collections.abc import Collection
from typing import Any, Final

from server.errors import Unfit
from server.games import Json, Rules
from server.play.events import HOUSE_EVENTS
from server.play.json_schemas import POINTER
from server.store.log import canonical

MOST: Final = 10  # conditions per move
_INDEX: Final = re.compile("0|[1-9][0-9]{0,4}")  # an array index in a JSON pointer
_SHAPES = ({"at", "is"}, {"at", "is_not"}, {"only"})


def check_condition(rules: Rules, seats: int, condition: Any) -> None:
    """Raise Unfit if a condition is malformed, or if its pointer matches nothing in any view of such a game."""
    if type(condition) is not dict or set(condition) not in _SHAPES:
        raise Unfit("A condition needs either `at` with `is` or `is_not`, or `only`.")
    if "at" in condition:
        if type(condition["at"]) is not str or not re.match(rf"{POINTER[:-1]}\Z", condition["at"]):
            raise Unfit('`at` must be a JSON pointer (RFC 6901), such as "/boards/0/spaces/a".')
        if not _may_lead(rules.VIEW_SCHEMA, _tokens(condition["at"]), rules.SEATS, seats):
            raise Unfit("%(at)s isn't a field in any view of this game.", at=condition["at"])
        return
    known = {*HOUSE_EVENTS, *rules.EVENT_SCHEMAS}
    types = condition["only"]
    if type(types) is not list or not all(type(it) is str and it in known for it in types):
        raise Unfit("`only` must be a list of event types, such as %(types)s.", types=", ".join(sorted(known)))


def holds(condition: Json, view: Json, happened: Collection[str]) -> bool:
    """Return whether a condition is true. `happened` contains the types of the public events since the plan was
    made."""
    if "only" in condition:
        return set(happened) <= set(condition["only"])
    found = canonical(_at(view, condition["at"]))  # as JSON: true is not 1
    return found == canonical(condition["is"]) if "is" in condition else found != canonical(condition["is_not"])


def _at(view: Any, pointer: str) -> Any:
    """Return the value to which this JSON pointer refers, or None if there is none."""
    found = view
    for token in _tokens(pointer):
        if type(found) is dict:
            found = found.get(token)
        elif type(found) is list and _INDEX.fullmatch(token) and int(token) < len(found):
            found = found[int(token)]
        else:
            return None
    return found


def _tokens(pointer: str) -> list[str]:
    return [token.replace("~1", "/").replace("~0", "~") for token in pointer.split("/")[1:]]


def _may_lead(schema: Any, tokens: list[str], sizes: range, seats: int) -> bool:
    """Return whether the JSON pointer can match in a value that is valid under this schema. The schema contains no
    secrets.

    An array whose length can be the number of seats counts as having one item per seat.
    """
    if not tokens or type(schema) is not dict:
        return schema is not False
    for choices in (schema.get("anyOf"), schema.get("oneOf")):
        if choices and not any(_may_lead(choice, tokens, sizes, seats) for choice in choices):
            return False
    token, rest = tokens[0], tokens[1:]
    types = schema.get("type", ["object", "array"])
    if "enum" in schema or "const" in schema:
        return False
    if "object" in types:
        inner = schema.get("properties", {}).get(token, schema.get("additionalProperties", True))
        if "patternProperties" in schema or _may_lead(inner, rest, sizes, seats):
            return True
    if "array" in types and _INDEX.fullmatch(token):
        most = schema.get("maxItems")
        if (schema.get("minItems"), most) == (sizes.start, sizes.stop - 1):
            most = seats
        inner = True if "prefixItems" in schema else schema.get("items", True)
        return (most is None or int(token) < most) and _may_lead(inner, rest, sizes, seats)
    return False
