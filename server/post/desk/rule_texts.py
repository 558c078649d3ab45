"""The rules of a game as text, from the sections that its page shows. Pictures and their captions are left out,
unless the game has words for them."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from difflib import get_close_matches
from functools import lru_cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

from server.games import GAMES, Json, RuleError
from server.games.presentation import (
    edition_options,
    figure_in_words,
    introduction,
    notation,
    rule_values,
    terms,
    usual_minutes,
)
from server.post.topics import A_TERM, is_about
from server.render.text_layout import punctuated
from server.translations import LOCALES, language, times

_MARKUP = re.compile(r"\*([^*]+)\*|\[([^\[\]]+)\]\([^()\[\]]*\)")
_BLANK = re.compile(r"\{(\w+)\}")
_ITEM = "- "
_BESIDE_VALUES = ("option", "when")
_ALIKE = 0.8  # of a term in the singular and in the plural
_PARTICLE = 2  # letters, such as in "de"
_KEPT = 100  # rules of games with different options


Blocks = list[tuple[bool, list[str]]]  # whether the block is a list, and its items or its only paragraph


class Section(NamedTuple):
    """A section of the rules. Lines that begin with `- ` are items of a list."""

    title: str
    lines: tuple[str, ...]
    id: str = ""

    @property
    def blocks(self) -> Blocks:
        """Return the section as a sequence of paragraphs and lists."""
        found: Blocks = []
        for line in self.lines:
            is_item = line.startswith(_ITEM)
            if is_item and found and found[-1][0]:
                found[-1][1].append(line.removeprefix(_ITEM))
            else:
                found.append((is_item, [line.removeprefix(_ITEM) if is_item else line]))
        return found


class _Edition(NamedTuple):
    name: str
    options: Mapping[str, str]


def game_in_short(name: str, locale: str) -> str:
    """Return what a game is, for how many players, and how long it takes each of them."""
    say, seats = language(locale), GAMES[name].SEATS
    first, stop, _ = introduction(name, locale)[0].partition(". ")
    line = say.gettext(
        "%(what)s For %(least)s to %(most)s players; a game takes about %(time)s of your time.",
        what=first + stop.strip(),
        least=min(seats),
        most=max(seats),
        time=times.span(timedelta(minutes=5 * round((usual_minutes(name, min(seats)) or 0) / 5)), say),
    )
    return punctuated(line, locale)


def rule_sections(name: str, locale: str, options: Json | None = None) -> tuple[Section, ...]:
    """Return the rules of a game that has these options, and how its moves are written. Without options, the rules
    include all editions."""
    values = None if options is None else tuple(sorted((key, _written(value)) for key, value in options.items()))
    return _sections(name, locale if locale in LOCALES else "en", values)


@lru_cache(_KEPT)
def _sections(name: str, locale: str, options: tuple[tuple[str, str], ...] | None) -> tuple[Section, ...]:
    say = language(locale)
    return (
        *_Text(name, locale, options).sections(),
        Section(say.gettext("How to write a move"), (notation(name, locale),)),
    )


def rules_in_short(name: str, locale: str, seats: int, options: Json) -> tuple[str, ...]:
    """Return the first section of the rules of a game with these options, which explains it in three minutes."""
    return _sections_of(name, locale, seats, options)[0].lines


def section_about(question: str, name: str, locale: str, seats: int = 0, options: Json | None = None) -> Section | None:
    """Return the section of a game's rules that a question is about, or None.

    Its title is a term in the question, such as "Star migration". Otherwise, it explains the piece, card or place with
    the longest name in a question of what something is or does.
    """
    asked, sections = _words_in(question), _sections_of(name, locale, seats, options)
    for it in sections:
        term = _words_in(it.title.partition(":")[0])
        if term and all(get_close_matches(word, asked, 1, _ALIKE) for word in term):
            return it
    named, text = dict[int, Section](), question.replace("'", "’") if is_about(question, A_TERM) else ""
    for it in sections:
        names = terms(name).get(it.id)
        found = re.search(rf"(?<![#\w])(?:{names})(?:s|n|en)?\b", text, re.IGNORECASE) if names else None
        if found:
            named.setdefault(len(found[0]), it)
    return named[max(named)] if named else None


def section_called(id_: str, name: str, locale: str, seats: int, options: Json) -> Section | None:
    """Return the section of a game's rules with this id, or None."""
    return next((it for it in _sections_of(name, locale, seats, options) if it.id == id_), None)


def _sections_of(name: str, locale: str, seats: int, options: Json | None) -> tuple[Section, ...]:
    try:
        resolved: Json | None = options_of(name, "", seats, options)
    except RuleError:  # options of an earlier version
        resolved = None
    return rule_sections(name, locale, resolved)


def _words_in(text: str) -> list[str]:
    return [word for word in re.findall(r"\w+", text.lower()) if len(word) > _PARTICLE]


def editions(name: str, locale: str) -> dict[str, str]:
    """Return the names of a game's editions by id."""
    values = rule_values(name, locale)
    return {it: values.get(f"edition.{it}", it) for it in GAMES[name].describe()["editions"]}


def options_of(name: str, edition: str = "", seats: int = 0, options: Json | None = None) -> Json:
    """Return all options of a game: those of an edition, or these ones."""
    if edition:
        options = edition_options(name)[edition]
    resolved: Json = GAMES[name].resolve_options(options or {}, seats or min(GAMES[name].SEATS))
    return resolved


def options_in_words(name: str, locale: str) -> Iterator[tuple[str, str]]:
    """Yield each edition and each value of an option that differs from the usual game, as in `doubling=linear`, with
    what it does, without a full stop."""
    words, usual = _words_of_options(name, locale), options_of(name)
    names = editions(name, locale)
    for id_, options in edition_options(name).items():
        if not options.items() <= usual.items():
            [(key, value)] = options.items()
            yield f"{key}={value}", ": ".join(filter(None, (names[id_], words.get(f"edition.{id_}.about")))).rstrip(".")
    for key, schema in GAMES[name].OPTION_SCHEMA["properties"].items():
        for value in schema.get("enum", [True, False] if schema.get("type") == "boolean" else []):
            if value != usual.get(key) and (does := words.get(f"option.{key}.{_written(value)}")):
                shown = ("yes" if value else "no") if isinstance(value, bool) else value
                is_sentence = does.endswith(".")
                yield f"{key}={shown}", does.rstrip(".") if is_sentence else f"{words[f'option.{key}']}: {does}"


def _words_of_options(name: str, locale: str) -> Mapping[str, str]:
    file = _words_file(name, locale, "options")
    return json.loads(file.read_text("utf-8")) if file.is_file() else {}


def _words_file(name: str, locale: str, of: str) -> Traversable:
    package = GAMES[name].__name__  # type: ignore[attr-defined]  # games are modules
    return files(package) / "page" / "words" / locale / f"{of}.json"


class _Text:
    """Converts a game's rules to text in one language. `page/rules/text.js` describes the blocks of which the rules
    consist."""

    def __init__(self, name: str, locale: str, options: tuple[tuple[str, str], ...] | None) -> None:
        self._name, self._say, self._is_of_one = name, language(locale), options is not None
        self._values = rule_values(name, locale)
        described = GAMES[name].describe()
        defaults = {key: it.get("default") for key, it in described["options"]["properties"].items()}
        self._editions = (
            [_Edition("", dict(options))]
            if options is not None
            else [
                _Edition(
                    self._values.get(f"edition.{it}", it),
                    {key: _written(value) for key, value in (defaults | values).items()},
                )
                for it, values in described["editions"].items()
            ]
        )
        self._file = _words_file(name, locale, f"rules-{name}")

    def sections(self) -> Iterator[Section]:
        if not self._file.is_file():  # the page has no rules for this game either
            yield Section(self._name.capitalize(), tuple(filter(None, introduction(self._name, self._say.locale))))
            return
        for it in json.loads(self._file.read_text("utf-8"))[f"rules-{self._name}"]:
            block = {"when": it.get("when", {}), "text": it["text"]}
            if lines := tuple(self._lines(block, self._editions)):  # some sections have only pictures
                yield Section(it["title"], lines, it["id"])

    def _lines(self, block: Any, editions: Sequence[_Edition]) -> Iterator[str]:
        match block:
            case str():
                yield self._plain(block)
            case list():
                yield from (f"{_ITEM}{self._plain(it)}" for it in block)
            case {"figure": figure}:
                yield from (f"{_ITEM}{it}" for it in figure_in_words(self._name, figure, self._say.locale))
            case {"text": blocks}:
                found = [it for it in editions if _holds(block.get("when", {}), it)]
                lines = [line for it in blocks for line in self._lines(it, found)]
                yield from self._of_editions(lines, found, editions)
            case _:
                yield from self._variants(block, [it for it in editions if _holds(block.get("when", {}), it)])

    def _variants(self, block: Json, editions: Sequence[_Edition]) -> Iterator[str]:
        for key in (it for it in block if it not in _BESIDE_VALUES):
            found = [it for it in editions if _key_of(block, it) == key]
            yield from self._of_editions(list(self._lines(block[key], found)), found, editions)

    def _of_editions(self, lines: Sequence[str], found: Sequence[_Edition], among: Sequence[_Edition]) -> Iterator[str]:
        """Yield these lines. Lines that don't apply to all editions are marked with the editions to which they
        apply."""
        if self._is_of_one and not found:
            return
        if found == among or not lines:
            yield from lines
            return
        named = self._say.listed([it.name for it in found]) if found else self._say.gettext("Only as an option")
        whom = punctuated(f"{named}:", self._say.locale)
        if len(lines) == 1 and not lines[0].startswith(_ITEM):
            yield f"{whom} {lines[0]}"
        else:
            yield whom
            yield from lines

    def _plain(self, text: str) -> str:
        filled = _BLANK.sub(lambda it: self._values.get(it[1], it[0]), text)
        return _MARKUP.sub(lambda it: it[1] or it[2], filled)


def _written(value: Any) -> str:
    """Return an option's value in the form that the rule text's conditions use."""
    return "null" if value is None else str(value).lower() if isinstance(value, bool) else str(value)


def _holds(when: Json, edition: _Edition) -> bool:
    return all(edition.options.get(name) in values.split() for name, values in when.items())


def _key_of(block: Json, edition: _Edition) -> str | None:
    value = edition.options.get(block["option"])
    keys = [it for it in block if it not in _BESIDE_VALUES]
    return next((it for it in keys if value in it.split()), "else" if "else" in keys else None)
