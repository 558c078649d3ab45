"""The names of Sternenglanz: one set in each language, and the printed names once, in brackets, in the rules."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from babel.messages.pofile import read_po

import server
from server.games import SeededDice, sternenglanz
from server.games.presentation import draw, first_turn, introduction, notation, refusals, sentence, table
from server.games.sternenglanz.material import CARDS_DATA
from server.translations import FOLDER, LOCALES, language

PAGE = Path(server.__file__).parent / "page" / "words"
GAME = Path(sternenglanz.__file__).parent / "page" / "words"
PRINTED = re.compile(
    r"\b(?:Stern(?!en)\w*|\w+stern(?:e|en)?|Schwarze\w* L[oö]ch\w*|Sonderfeld\w*|punkt|leucht|pracht"
    r"|(?:geburt|wanderung-\d|loch-[abc])(?:#\d+)?)\b"
)
BRACKETS = {"en": "printed", "fr": "sur le matériel\u202f", "it": "sul materiale di gioco"}
ONCE = {"Sterngeburt", "Sternwanderung", "Schwarzes Loch", "Punktstern", "Leuchtstern", "Prachtstern"} | {
    "Sonderfelder",
    "Sternbild",
}  # where the rules introduce the thing
TRANSLATED = [it for it in LOCALES if it != "de"]


def texts(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield re.sub(r"\{\w+\}", "", value)  # blanks are filled in later
        case dict():
            for key, inner in value.items():
                yield from () if key in ("id", "rule", "option", "when", "figure") else texts(inner)
        case list():
            for inner in value:
                yield from texts(inner)


def page_texts(locale: str) -> Iterator[str]:
    for folder in (PAGE, GAME):
        for file in sorted((folder / locale).glob("*.json")):
            if file.name != "rules-sternenglanz.json":
                yield from texts(json.loads(file.read_text("utf-8")))


@pytest.mark.parametrize("locale", TRANSLATED)
def test_no_text_on_the_page_contains_a_name_from_the_printed_game(locale: str) -> None:
    assert [it for it in page_texts(locale) if PRINTED.search(it)] == []


@pytest.mark.parametrize("locale", TRANSLATED)
def test_the_rules_give_each_name_from_the_printed_game_once_in_brackets(locale: str) -> None:
    rules = " ".join(texts(json.loads((GAME / locale / "rules-sternenglanz.json").read_text("utf-8"))))
    bracket = re.compile(rf"\({BRACKETS[locale]}: ([^)]*)\)")
    given = [name.strip("«\u202f»") for found in bracket.findall(rules) for name in found.split(", ")]
    assert sorted(given) == sorted(ONCE)
    assert PRINTED.findall(bracket.sub("", rules)) == []


@pytest.mark.parametrize("locale", TRANSLATED)
def test_no_sentence_picture_or_table_contains_a_name_from_the_printed_game(locale: str) -> None:
    said = [*introduction("sternenglanz", locale), notation("sternenglanz", locale)]
    hand = ["geburt#1", "wanderung-2#1", "loch-a#1"]
    said += [first_turn("sternenglanz", {"scenario": it, "phase": "choose", "hand": hand}, locale) for it in (1, 2, 4)]
    said += [language(locale).gettext(it) for it in refusals().values()]
    for scenario in sorted(it["id"] for it in CARDS_DATA["scenarios"]):
        said += told_in_a_game(scenario, locale)
    assert len(said) > 200
    assert [it for it in said if PRINTED.search(it)] == []


def told_in_a_game(scenario: int, locale: str) -> Iterator[str]:
    dice, names = SeededDice(bytes(32), ["", ""]), ["Ada", "Ben"]
    state = None
    events = sternenglanz.setup(2, sternenglanz.resolve_options({"scenario": scenario}, 2), dice)
    for nr in range(40):
        for event in events:
            state = sternenglanz.apply(state, event)
            told = sternenglanz.tell(event, 0)
            yield (told and sentence(told, names, locale)) or ""
        seat = min(sternenglanz.to_act(state), default=None)
        if seat is None:
            return
        moves = sternenglanz.legal_moves(state, seat)
        events = sternenglanz.decide(state, seat, moves[7 * nr % len(moves)], dice)
    view = sternenglanz.view(state, 0)
    yield table("sternenglanz", view, names, locale)
    svg = draw("sternenglanz", view, names, locale=locale).svg()
    yield from re.findall(r"<(?:title|text)[^>]*>([^<]*)<", svg)


@pytest.mark.parametrize("locale", LOCALES)
def test_every_sternbild_action_and_class_has_its_own_name(locale: str) -> None:
    names = [it["names"][locale] for it in CARDS_DATA["sternbilder"]]
    names += {it["type"]: it["names"][locale] for it in CARDS_DATA["actions"] if it["type"] != "supernova"}.values()
    names += [it[locale] for it in CARDS_DATA["classes"].values()]
    assert len(set(names)) == len(names)


ONE_NAME = {  # by language: other names for taking back a move, a pause and a rematch
    "en": r"(?i)\bundo(?:ne|ing)?\b[^.]* moves?\b|\bmoves?\b[^.]* undone|\btak(?:e|ing) a break\b|return match",
    "de": r"(?i)(?<!selben )Zug[^.]* rückgängig|rückgängig[^.]* Zug|rückgängigmachen|Spielpause|Unterbrechung|Rückspiel|Rematch",
    "fr": r"(?i)reprendre (?:le|son|ton|un|mon) coup|interruption|match retour|rematch",
    "it": r"(?i)ritira\w* (?:la|una) (?:tua |sua )?mossa|interruzione|partita di ritorno|rematch",
}


@pytest.mark.parametrize("locale", LOCALES)
def test_taking_back_a_pause_and_a_rematch_have_one_name_each(locale: str) -> None:
    catalogue = (FOLDER / "de" if locale == "en" else FOLDER / locale) / "LC_MESSAGES" / "messages.po"
    with catalogue.open("rb") as file:
        messages = [*read_po(file)]
    said = [str(it.id if locale == "en" else it.string) for it in messages]
    pages = Path(server.__file__).parent.rglob(f"words/{locale}/*.json")
    said += [text for file in pages for text in texts(json.loads(file.read_text("utf-8")))]
    assert len(said) > 1000
    assert [it for it in said if re.search(ONE_NAME[locale], re.sub(r"%\(\w+\)s", "", it))] == []
