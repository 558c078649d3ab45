"""Plans as players write them: `7 leo c; 3 virgo b if virgo b is free`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from server.games import Json, Rules
from server.play.planning.plans import AT_ONCE
from server.post.incoming.near_misses import Notation, move_in

OFF: Final = "off"
_OFF: Mapping[str, Sequence[str]] = {  # emails use the first of each
    "de": ["aus", "löschen", "loeschen"],
    "en": [OFF],
    "fr": ["annuler"],
    "it": ["annulla"],
}
_IF: Mapping[str, str] = {
    "de": r"wenn (.+?) frei(?: ist)?",
    "en": r"if (.+) is free",
    "fr": r"si (.+) est libre",
    "it": r"se (.+) (?:è|e'|e) liber[ao]",
}


class Planned(NamedTuple):
    """A planned move."""

    move: Any
    place: str | None  # that must be free, as written


def off_for(locale: str) -> str:
    """Return the word that drops a plan in this language's emails."""
    return _OFF[locale][0]


def drops(text: str, locale: str) -> bool:
    """Return whether this text drops a plan."""
    return text in (*_OFF["en"], *_OFF[locale])


def read_plan(text: str, rules: Notation, locale: str) -> list[Planned] | None:
    """Parse a plan: moves separated by `;`, each with an optional condition. Return None if the plan isn't valid."""
    planned = [_read_one(part.strip(), rules, locale) for part in text.split(";")]
    found = [it for it in planned if it is not None]
    return found if len(found) == len(planned) else None


def _read_one(text: str, rules: Notation, locale: str) -> Planned | None:
    for pattern in (_IF["en"], _IF[locale]):
        if found := re.fullmatch(rf"(.+) {pattern}", text):
            move = move_in(found[1], rules)
            return None if move is None else Planned(move, found[2])
    move = move_in(text, rules)
    return None if move is None else Planned(move, None)


def to_api(planned: Planned, rules: Rules, view: Json) -> Json:
    """Return a planned move in the API's format. `view` is a spectator's. Raise MalformedMove for an unknown place."""
    conditions: list[Json] = []
    if planned.place is not None:
        place = rules.place(view, planned.place)
        conditions = [*({"at": at, "is": value} for at, value in place.given.items()), {"at": place.at, "is": None}]
    return {"move": rules.move_to_json(planned.move), "if": conditions, "after": AT_ONCE}
