"""The names of pieces, cards and Sternbilder in each language, from the data."""

from collections.abc import Mapping

from server.games.sternenglanz.material import (
    CARDS,
    CARDS_DATA,
    GEBURT,
    KIND_OF,
    LEUCHT,
    LOCH,
    NOVA,
    PRACHT,
    PUNKT,
    WANDERUNG,
)

_PIECES: Mapping[str, Mapping[str, str]] = CARDS_DATA["classes"]
_ACTIONS: Mapping[str, Mapping[str, str]] = {it["id"]: it["names"] for it in CARDS_DATA["actions"]}
_BILDER: Mapping[str, Mapping[str, str]] = {it["id"]: it["names"] for it in CARDS_DATA["sternbilder"]}
_SCENARIOS: Mapping[int, Mapping[str, str]] = {it["id"]: it["names"] for it in CARDS_DATA["scenarios"]}

SHORT: Mapping[str, Mapping[str, str]] = {  # short forms of names, by class of stars and type of action
    "de": {PUNKT: "Punkt", LEUCHT: "Leucht", PRACHT: "Pracht", GEBURT: "Geburt", WANDERUNG: "Wanderung", LOCH: "Loch"},
    "en": {PUNKT: "dot", LEUCHT: "bright", PRACHT: "splendid", GEBURT: "birth", WANDERUNG: "migration", LOCH: "hole"},
    "fr": {
        PUNKT: "petite",
        LEUCHT: "brillante",
        PRACHT: "splendide",
        GEBURT: "naissance",
        WANDERUNG: "migration",
        LOCH: "trou",
    },
    "it": {
        PUNKT: "piccola",
        LEUCHT: "brillante",
        PRACHT: "splendente",
        GEBURT: "nascita",
        WANDERUNG: "migrazione",
        LOCH: "buco",
    },
}


def piece_name(piece: str, locale: str) -> str:
    return _PIECES[piece][locale]


def in_sentence(name: str, locale: str) -> str:
    """Return a name as it is written within a sentence: only German nouns are capitalised."""
    return name if locale == "de" else name[0].lower() + name[1:]


def piece_in_sentence(piece: str, locale: str) -> str:
    return in_sentence(piece_name(piece, locale), locale) if piece != NOVA else piece_name(piece, locale)


def bild_name(bild: str, locale: str) -> str:
    return _BILDER[bild][locale]


def scenario_name(scenario: int, locale: str) -> str:
    return _SCENARIOS[scenario][locale]


def type_name(type_: str, locale: str) -> str:
    """Return the name that all cards of a type share."""
    return next(_ACTIONS[kind.id][locale] for kind in CARDS.kinds.values() if kind.type == type_)


def card_name(copy: str, locale: str) -> str:
    """Return the name of a card, unique among cards of its type: `Sternwanderung 2`, `Schwarzes Loch B`."""
    kind = KIND_OF[copy]
    name = type_name(kind.type, locale)
    is_only = sum(other.type == kind.type for other in CARDS.kinds.values()) == 1
    return name if is_only else f"{name} {kind.id.rsplit('-', 1)[-1].upper()}"


def copy_name(copy: str, locale: str) -> str:
    """Return the name of a card with its number: `Sterngeburt #3`."""
    return f"{card_name(copy, locale)} #{copy.partition('#')[2]}"


def short_name(copy: str, locale: str) -> tuple[str, str]:
    """Return a pair: a form of a card's name that fits under its picture, and its number: `Geburt`, `#3`."""
    type_, (name, number) = KIND_OF[copy].type, copy_name(copy, locale).split(" #")
    if type_ in SHORT[locale]:
        name = f"{SHORT[locale][type_]}{name.removeprefix(type_name(type_, locale))}"
    return name[0].upper() + name[1:], f"#{number}"
