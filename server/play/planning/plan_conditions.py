"""Conditions of planned moves: what every spectator sees, and nothing else.

`{"at": JSON pointer, "is": value}` or `"is_not"` ask the spectator's view at the version that made it the seat's turn;
what is not there counts as null. `{"only": [event types]}`: nothing else has happened since the plan was left.
"""

import re
from collections.abc import Collection
from typing import Any, Final

from server.errors import Unfit
from server.play.events import HOUSE_EVENTS
from server.play.json_schemas import POINTER
from server.rules import Json, Rules
from server.store.log import canonical

MOST: Final = 10  # conditions of a move
_SHAPES = ({"at", "is"}, {"at", "is_not"}, {"only"})


def check_condition(rules: Rules, condition: Any) -> None:
    """Raises Unfit."""
    if type(condition) is not dict or set(condition) not in _SHAPES:
        raise Unfit("A condition has `at` with `is` or `is_not`, or it has `only`.")
    if "at" in condition:
        if type(condition["at"]) is not str or not re.match(rf"{POINTER[:-1]}\Z", condition["at"]):
            raise Unfit("`at` is a JSON pointer (RFC 6901), such as /boards/0/spaces/a.")
        return
    known = {*HOUSE_EVENTS, *rules.EVENT_SCHEMAS}
    types = condition["only"]
    if type(types) is not list or not all(type(it) is str and it in known for it in types):
        raise Unfit(
            "`only` lists types of events as the story has them, such as %(types)s.", types=", ".join(sorted(known))
        )


def holds(condition: Json, view: Json, happened: Collection[str]) -> bool:
    """`happened`: the types of what spectators saw happen since the plan was left."""
    if "only" in condition:
        return set(happened) <= set(condition["only"])
    found = canonical(_at(view, condition["at"]))  # as JSON: true is not 1
    return found == canonical(condition["is"]) if "is" in condition else found != canonical(condition["is_not"])


def _at(view: Any, pointer: str) -> Any:
    """What this pointer leads to, None if that is nowhere."""
    found = view
    for token in pointer.split("/")[1:]:
        token = token.replace("~1", "/").replace("~0", "~")
        if type(found) is dict:
            found = found.get(token)
        elif type(found) is list and re.fullmatch("0|[1-9][0-9]{0,4}", token) and int(token) < len(found):
            found = found[int(token)]
        else:
            return None
    return found
