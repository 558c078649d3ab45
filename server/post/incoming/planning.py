"""Plans in the form that players write: `7 leo c; 3 virgo b if virgo b is free`."""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from server.games import Json, Rules
from server.play.planning.plans import AT_ONCE
from server.post.incoming.near_misses import Spoken, move_in

OFF: Final = "off"
_OFF: Mapping[str, Sequence[str]] = {  # our emails use the first word of each
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
    """A planned move, as a player wrote it."""

    move: Any
    place: str | None  # the place that must be free, as the player wrote it


def off_for(locale: str) -> str:
    """Return the word that emails in this language use for dropping a plan."""
    return _OFF[locale][0]


def drops(text: str, locale: str) -> bool:
    """Return whether this text asks to drop the plan."""
    return text in (*_OFF["en"], *_OFF[locale])


def read_plan(text: str, rules: Spoken) -> list[Planned] | None:
    """Parse a plan: moves separated by `;`, each with an optional condition. Return None if the text isn't a valid
    plan."""
    planned = [_read_one(part.strip(), rules) for part in text.split(";")]
    found = [it for it in planned if it is not None]
    return found if len(found) == len(planned) else None


def _read_one(text: str, rules: Spoken) -> Planned | None:
    for pattern in (_IF["en"], _IF[rules.locale]):
        if found := re.fullmatch(rf"(.+) {pattern}", text):
            move = move_in(found[1], rules)
            return None if move is None else Planned(move, found[2])
    move = move_in(text, rules)
    return None if move is None else Planned(move, None)


def to_api(planned: Planned, rules: Rules, view: Json) -> Json:
    """Return a planned move in the format of the API. `view` is the spectator's view. Raise MalformedMove if the place
    is unknown."""
    conditions: list[Json] = []
    if planned.place is not None:
        place = rules.place(view, planned.place)
        conditions = [*({"at": at, "is": value} for at, value in place.given.items()), {"at": place.at, "is": None}]
    return {"move": rules.move_to_json(planned.move), "if": conditions, "after": AT_ONCE}
