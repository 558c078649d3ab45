"""All texts exist in four languages, and none is missing."""

import ast
import random
import re
from collections import Counter
from collections.abc import Iterator
from functools import reduce
from gettext import GNUTranslations
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from babel.messages.catalog import Message
from flask import Flask
from flask_babel import force_locale, gettext, ngettext

from server import page
from server.api.problems import ALL
from server.games import GAMES, BadOption, IllegalMove, Json, MalformedMove, SeededDice, sternenhimmel
from server.games.presentation import in_words, notation, refusal, refusals, sentence
from server.post.letters.games import MoveTakenBack
from server.post.wording import write, write_page
from server.translations import FOLDER, LOCALES, filled, language
from server.translations.update import TRANSLATED, extracted, path_of, read, untranslated
from tests.support.games import ENGLISH

_PLACE = re.compile(r"%\(\w+\)s|%%|%")
_MEND = "run `python -m server.translations.update` and translate what it names"

NAMES = ["Ada", "Hevelius", "Tycho"]


def forms(message: Message) -> list[tuple[str, str]]:
    """Each form in English with each of its translations: languages differ in how many they have."""
    english = message.id if isinstance(message.id, tuple) else (message.id,)
    said = message.string if isinstance(message.string, tuple) else (message.string,)
    return [(english[0 if nr == 0 else -1], str(form)) for nr, form in enumerate(said)]


@pytest.mark.parametrize("locale", TRANSLATED)
def test_a_catalogue_contains_exactly_the_texts_in_the_code(locale: str) -> None:
    assert {it.id for it in read(locale)} == {"", *(it.id for it in extracted() if it.id)}, _MEND


def test_no_text_stands_in_an_f_string_where_the_extractor_does_not_find_it() -> None:
    known = {text for it in extracted() for text in (it.id if isinstance(it.id, tuple) else [it.id])}
    hidden = set()
    for path in Path("server").rglob("*.py"):
        for string in ast.walk(ast.parse(path.read_text("utf-8"))):
            calls = ast.walk(string) if isinstance(string, ast.JoinedStr) else ()
            for call in (it for it in calls if isinstance(it, ast.Call) and ast.unparse(it.func).endswith("gettext")):
                hidden |= {it.value for it in call.args if isinstance(it, ast.Constant) and isinstance(it.value, str)}
    assert hidden - known == set()


@pytest.mark.parametrize("locale", TRANSLATED)
def test_every_text_is_translated(locale: str) -> None:
    assert not list(untranslated(read(locale))), _MEND


@pytest.mark.parametrize("locale", TRANSLATED)
def test_a_translation_has_the_originals_placeholders(locale: str) -> None:
    for message in read(locale):
        for english, said in forms(message) if message.id else []:
            assert Counter(_PLACE.findall(said)) == Counter(_PLACE.findall(english)), said


def test_no_translation_contains_a_sentence_from_another_language() -> None:
    said: dict[str, set[str]] = {}
    for locale in TRANSLATED:
        for message in read(locale):
            for _, form in forms(message) if message.id else []:
                if form.count(" ") > 2:
                    said.setdefault(form, set()).add(locale)
    assert not [form for form, locales in said.items() if len(locales) > 1]


@pytest.mark.parametrize(
    ("locale", "strange"),
    [("fr", r"\b(?:vous|votre|vôtre|vos)\b|\w'[^\W\d]"), ("it", r"\b(?:voi siete|potete|avete)\b|\w'[^\W\d]")],
)
def test_readers_are_addressed_in_the_same_way_in_emails_and_on_the_page(locale: str, strange: str) -> None:
    said = [form for message in read(locale) for _, form in forms(message)]
    said += [it.plain.decode() for name, it in page.FILES.items() if name.startswith(f"words/{locale}/")]
    assert [found[0] for text in said for found in re.finditer(f".*(?:{strange}).*", text, re.IGNORECASE)] == []


def page_texts(locale: str) -> list[str]:
    return [it.plain.decode() for name, it in page.FILES.items() if re.search(rf"\bwords/{locale}/", name)]


def test_no_french_line_begins_or_ends_with_a_punctuation_mark() -> None:
    said = [form for message in read("fr") if message.id for _, form in forms(message)] + page_texts("fr")
    assert len(said) > 500
    loose = r".{0,20}(?:\S [:;?!»](?!\w)|« ).{0,20}"
    assert [found[0] for text in said for found in re.finditer(loose, text)] == []


@pytest.mark.parametrize("locale", ["de", "it"])
def test_no_line_of_the_page_ends_within_the_word_email(locale: str) -> None:
    said = "".join(page_texts(locale))
    assert re.search("e\u2011mail", said, re.IGNORECASE)
    assert not re.search(r"\be-mail", said, re.IGNORECASE)


@pytest.mark.parametrize("locale", TRANSLATED)
def test_compiled_catalogues_match_their_sources(locale: str) -> None:
    with path_of(locale).with_suffix(".mo").open("rb") as file:
        compiled = GNUTranslations(file)
    for message in read(locale):
        for nr, (_, said) in enumerate(forms(message)) if message.id else []:
            key = (message.id[0], nr) if isinstance(message.id, tuple) else message.id
            assert compiled._catalog[key] == said, _MEND  # type: ignore[attr-defined]  # typeshed leaves it out


def test_every_language_except_english_has_a_catalogue() -> None:
    assert {path.parts[-3] for path in FOLDER.glob("*/LC_MESSAGES/messages.mo")} == set(TRANSLATED)
    assert set(LOCALES) == {*TRANSLATED, "en"}


# The story


def told_in(game: Any) -> Iterator[Json]:
    """What a seat and an onlooker hear of a game played at random."""
    dice, chance = SeededDice(bytes(32), [""] * 3), random.Random(1)
    state, events = None, game.setup(3, game.resolve_options({}, 3), dice)
    while events:
        state = reduce(game.apply, events, state)
        yield from (told for event in events for viewer in (0, None) if (told := game.tell(event, viewer)))
        waited_for = min(game.to_act(state), default=None)
        if waited_for is None:
            return
        events = game.decide(state, waited_for, chance.choice(game.legal_moves(state, waited_for)), dice)


OF_THE_HOUSE: list[Json] = [
    {"type": "game-started"},
    {"type": "time-extended", "seat": 0},
    {"type": "time-ran-out", "seat": 0, "bot": "greedy"},
    {"type": "time-ran-out", "seat": 0, "bot": None},
    {"type": "seat-handed-over", "seat": 0, "bot": "greedy"},
    {"type": "seat-taken-back", "seat": 0},
    {"type": "move-taken-back", "seat": 0, "to": 3},
    {"type": "game-paused"},
    {"type": "game-resumed"},
    {"type": "game-ended", "places": [1, 1, 3], "scores": [9, 9, 4]},
    {"type": "game-abandoned"},
]


@pytest.mark.parametrize("locale", TRANSLATED)
def test_the_sentences_about_events_are_in_the_readers_language(locale: str) -> None:
    for item in [*chain.from_iterable(map(told_in, GAMES.values())), *OF_THE_HOUSE]:
        words = sentence(item, NAMES, locale)
        assert words != sentence(item, NAMES, "en")
        assert words and words.endswith(".") and not ENGLISH.search(words)


@pytest.mark.parametrize("locale", LOCALES)
def test_readers_are_not_told_their_own_name_in_what_they_did(locale: str) -> None:
    stood_in: list[Json] = [{"type": f"stand-in-{what}", "seat": 0} for what in ("began", "ended")]
    own = [
        item
        for item in [*chain.from_iterable(map(told_in, GAMES.values())), *OF_THE_HOUSE, *stood_in]
        if item.get("seat") == 0 and item["type"] != "supernova-laid"  # which lists the points of all players
    ]
    assert len({item["type"] for item in own}) > 15
    for item in own:
        words = sentence(item, NAMES, locale, reader=0)
        assert words and "Ada" not in words
        assert words != sentence(item, NAMES, locale, reader=1) == sentence(item, NAMES, locale)


@pytest.mark.parametrize("by", ["bot", "stand-in"])
def test_a_move_that_someone_else_made_for_the_reader_has_a_name(by: str) -> None:
    item = {"type": "star-placed", "seat": 0, "star": "7", "board": "leo", "space": "c", "by": by}
    assert sentence(item, NAMES, reader=0) == "Ada put a 7 on Leo c."
    assert sentence(item | {"by": "plan"}, NAMES, reader=0) == "You put a 7 on Leo c."


def test_the_sentence_about_the_end_says_what_the_score_counts_in_a_known_game() -> None:
    item = {"type": "game-ended", "seat": None, "places": [1, 2, 2], "scores": [30, 7, 7]}
    for rules, score in (("sternenhimmel", "30 coins"), ("sternenglanz", "30 points"), ("", "a score of 30")):
        assert sentence(item, NAMES, rules_name=rules) == f"The game is over: Ada won with {score}."
    assert (
        sentence(item, NAMES, "de", rules_name="sternenhimmel")
        == "Die Partie ist zu Ende. Ada hat gewonnen: 30 Münzen."
    )


def test_amounts_use_the_singular_and_plural_of_the_language() -> None:
    def scored(paid: int) -> Json:
        return {"type": "board-scored", "board": "leo", "totals": [5, None, None], "payouts": [paid, 0, 0]}

    said = [sentence(scored(paid), NAMES, "fr") for paid in (1, 7)]
    assert said == [
        f"La constellation Lion est pleine. Décompte\u202f: Ada\u202f: 5 ({coins})."
        for coins in ("+1 pièce", "+7 pièces")
    ]


def test_a_french_list_of_choices_has_a_space_before_each_mark() -> None:
    item = {"type": "choices-shown", "choices": [["geburt#1"], ["loch-a#1"], ["geburt#2"]]}
    words = sentence(item, NAMES, "fr") or ""
    assert re.findall(r".[:;]", words) == ["\u202f:", "\u202f:", "\u202f;", "\u202f:", "\u202f;", "\u202f:"]


@pytest.mark.parametrize(
    ("locale", "words"),
    [
        ("de", "Ada hat 2 × Sterngeburt und Schwarzes Loch B gezogen."),
        ("en", "Ada drew 2 × Star birth and Black hole B."),
        ("fr", "Ada a pioché 2 × Naissance d’étoile et Trou noir B."),
        ("it", "Ada ha pescato 2 × Nascita stellare e Buco nero B."),
    ],
)
def test_a_sentence_names_cards_without_their_numbers(locale: str, words: str) -> None:
    item = {"type": "cards-drawn", "seat": 0, "cards": ["geburt#1", "loch-b#3", "geburt#4"]}
    assert sentence(item, NAMES, locale) == words


def test_winners_are_listed_idiomatically() -> None:
    item = {"type": "game-ended", "places": [1, 1, 1], "scores": [9, 9, 9]}
    assert sentence(item, NAMES, "de") == (
        "Die Partie ist zu Ende: Ada, Hevelius und Tycho haben gemeinsam mit dem Ergebnis 9 gewonnen."
    )


# Moves that are refused, and problems


def rejections() -> Iterator[ast.Call]:
    """The errors in the code of the engines."""
    games = Path(str(sternenhimmel.__file__)).parents[1]
    calls = (node for path in games.rglob("*.py") for node in ast.walk(ast.parse(path.read_text("utf-8"))))
    names = ("IllegalMove", "MalformedMove", "BadOption")
    return (node for node in calls if isinstance(node, ast.Call) and getattr(node.func, "id", "") in names)


def test_every_reason_why_a_move_is_illegal_has_a_text() -> None:
    for kind in (IllegalMove, MalformedMove, BadOption):
        calls = (it for it in rejections() if ast.unparse(it.func) == kind.__name__)
        codes = {str(it.args[0].value) for it in calls if isinstance(it.args[0], ast.Constant)}
        assert set(refusals(kind)) == codes


def test_no_rejection_has_its_facts_only_in_english() -> None:
    assert [ast.unparse(it) for it in rejections() if isinstance(it.args[1], ast.JoinedStr)] == []


@pytest.mark.parametrize("locale", LOCALES)
def test_a_rejection_names_the_facts_in_the_readers_language(locale: str) -> None:
    def rejected(game: Any, options: Json, text: str) -> str:
        seats, dice = 3, SeededDice(bytes(32), [""] * 3)
        state = reduce(
            game.apply, game.setup(seats, game.resolve_options({"start_seat": 0, **options}, seats), dice), None
        )
        with pytest.raises(IllegalMove) as refused:
            game.decide(state, 0, game.read_move(text), dice)
        return refused.value.said(locale)

    names = {"de": "Löwe (leo)", "en": "Leo", "fr": "Lion (leo)", "it": "Leone (leo)"}
    told = rejected(GAMES["sternenhimmel"], {}, "7 leo z")
    assert names[locale] in told
    assert bool(ENGLISH.search(told)) == (locale == "en")
    cards = {"de": "Schwarzes Loch B #1", "en": "Black hole B #1", "fr": "Trou noir B #1", "it": "Buco nero B #1"}
    told = rejected(GAMES["sternenglanz"], {}, "choose loch-b#1 supernova#4")
    assert cards[locale] in told


LINES = [
    *("", "x", "7 leo", "9 leo a", "7 ursa a", "1 lay", "4 lay punkt b1"),
    *("1 lay sun b1", "1 lay punkt z9", "2 move a1"),
]
MORE_LINES = ["choose geburt#99 x", "lay geburt -", ";", "finish; " * 50 + "finish"]


@pytest.mark.parametrize("locale", LOCALES)
def test_our_reply_to_an_invalid_line_is_in_the_writers_language(locale: str) -> None:
    for game in GAMES.values():
        for line in LINES + MORE_LINES:
            try:
                game.read_move(line)
            except MalformedMove as error:
                told = refusal(game.NAME, error, locale)
                assert bool(ENGLISH.search(told.replace("move a1", ""))) == (locale == "en")


def test_the_english_text_of_a_rejection_matches_the_rules() -> None:
    error = IllegalMove("space-taken", "%(space)s is taken.", space="a")
    assert refusal("sternenhimmel", error, "en") == "a is taken."


def test_the_english_help_on_notation_matches_the_rules_with_moves_in_words() -> None:
    for game in GAMES.values():
        written = game.describe()["notation"]["text"]
        for example in sorted((it["text"] for it in game.describe()["notation"]["examples"]), key=len, reverse=True):
            written = written.replace(example, in_words(game, example, "en"))
        assert notation(game.NAME, "en") == written


@pytest.mark.parametrize("locale", TRANSLATED)
def test_every_problem_has_a_title_in_every_language(locale: str) -> None:
    for problem in ALL.values():
        assert language(locale).gettext(problem.title) not in ("", problem.title)


@pytest.mark.parametrize("locale", LOCALES)
def test_a_name_that_ends_with_a_full_stop_takes_the_place_of_the_one_after_it(app: Flask, locale: str) -> None:
    say = language(locale)
    asked = say.gettext("It isn't your turn. We're waiting for %(names)s.", names="Ada and Paula W.")
    assert asked.endswith("Paula W.") and not asked.endswith("..")
    assert filled("%(name)s... %(name)s. %(name)s", {"name": "W."}) == "W.... W. W."
    with app.app_context(), force_locale(locale):
        said = gettext("It isn't your turn. We're waiting for %(names)s.", names="Paula W.")
        assert said == say.gettext("It isn't your turn. We're waiting for %(names)s.", names="Paula W.")
        assert ngettext("%(num)s point", "%(num)s points", 2) == say.ngettext("%(num)s point", "%(num)s points", 2)
    letter = MoveTakenBack(name="Ada", title="Stars", rules="Sternenglanz", game_link="https://x", who="Paula W.")
    with app.app_context(), force_locale(locale):
        assert ".." not in "".join(write(letter)) and "W.." not in write_page(letter)
