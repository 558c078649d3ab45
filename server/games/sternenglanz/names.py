"""The names of pieces, cards and Sternbilder in each language, from the data."""

from collections.abc import Mapping

from server.games.sternenglanz.material import CARDS, CARDS_DATA, KIND_OF

_PIECES: Mapping[str, Mapping[str, str]] = CARDS_DATA["classes"]
_ACTIONS: Mapping[str, Mapping[str, str]] = {it["id"]: it["names"] for it in CARDS_DATA["actions"]}
_BILDER: Mapping[str, Mapping[str, str]] = {it["id"]: it["names"] for it in CARDS_DATA["sternbilder"]}
_SCENARIOS: Mapping[int, Mapping[str, str]] = {it["id"]: it["names"] for it in CARDS_DATA["scenarios"]}


def piece_name(piece: str, locale: str) -> str:
    return _PIECES[piece][locale]


def bild_name(bild: str, locale: str) -> str:
    return _BILDER[bild][locale]


def scenario_name(scenario: int, locale: str) -> str:
    return _SCENARIOS[scenario][locale]


def card_name(copy: str, locale: str) -> str:
    """Return the name of a card, unique among cards of its type: `Sternwanderung 2`, `Schwarzes Loch B`."""
    kind = KIND_OF[copy]
    name = _ACTIONS[kind.id][locale]
    is_only = sum(other.type == kind.type for other in CARDS.kinds.values()) == 1
    return name if is_only else f"{name} {kind.id.rsplit('-', 1)[-1].upper()}"
