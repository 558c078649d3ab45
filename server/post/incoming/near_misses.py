"""Moves in a game's notation, and near misses. Near misses are misspelt moves and commands, which must not be
ignored."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

from server.games import MalformedMove
from server.games.presentation import read_move, spoken_words
from server.post.incoming.commands import COMMANDS, HINT, PLAN, READY, SAY, STAND_IN, VACATION, meaning, words_of

_TELLING = tuple(it for it in COMMANDS if it not in (SAY, PLAN, READY, STAND_IN, HINT))  # anywhere in a short line
_AROUND = ".,:;!()[]{}<>\"'`*_~/\\|"  # characters that are stripped from words
_NOTATION = re.compile("[A-Za-zÀ-ÖØ-öø-ÿŒœ0-9#;’' -]{1,200}")
_NO_WORDS = re.compile(
    r"(?<!\S):\+1:(?!\S)|\bC/ ?(?=[A-Z])|\b[0-9]{1,3}\.?[ºª°](?: [A-Z]\b)?|(?<!\S)(?:[A-Z]\.){2,4}(?!\S)|\bi\. ?[AV]\.|\b[0-9A-Fa-f]{4}(?: {1,2}[0-9A-Fa-f]{4}){9}\b"
)  # a thumbs-up, a street and floor in Spain, initials, the fingerprint of a key
_SHORT = 4  # words; a line this short looks like a wish if it contains a command
_ALIKE = 0.75
_ANYHOW_ALIKE = 0.6
_VERY_ALIKE = 0.85  # "Paula" is a name, "pausa" a command
_LONGEST_NOTATION = 20  # words
_LONGEST_WORD = 14  # characters: "sagittarius", a space and a star


@dataclass(frozen=True)
class Spoken:
    """The notation of a game, plus the words with which a reader of this language may write a move."""

    rules: Any
    locale: str

    @property
    def NAME(self) -> str | None:
        return getattr(self.rules, "NAME", None)

    def read_move(self, text: str) -> Any:
        return read_move(self.rules, text, self.locale)

    def write_move(self, move: Any) -> str:
        """Return the move in the game's notation, which is used to store and compare wishes."""
        written: str = self.rules.write_move(move)
        return written


class Grammar(NamedTuple):
    """The language of a reply: moves are in a game's notation, and commands in the player's language."""

    rules: Spoken
    legal: Sequence[Any] = ()  # moves, which complete a line that fits only one of them
    settings: Mapping[str, str] = MappingProxyType({})  # see `settings_beside_table`

    @property
    def locale(self) -> str:
        return self.rules.locale

    @property
    def is_light(self) -> bool:
        """Return whether a line that takes effect can be undone later, so that questions beside it don't matter."""
        return getattr(self.rules.rules, "CAN_BE_UNDONE", False)


def move_in(line: str, rules: Spoken) -> Any:
    """Return the move on this line, or None if the line is anything other than a single move."""
    if not _NOTATION.fullmatch(line):
        return None
    try:
        return rules.read_move(line)
    except MalformedMove:
        return None


def resembles(line: str, grammar: Grammar) -> bool:
    """Return whether this line, which is neither a move nor a command, may be meant as a move or command."""
    rules, locale = grammar.rules, grammar.locale
    words = _words(line)
    if not words:
        return False
    if len(words) <= _SHORT and any(word in _TELLING for word in words):
        return True
    if _begins_as_command(words[0], line, locale) or (len(words) == 1 and _is_nearly_command(words[0], locale)):
        return True
    if _has_move_in(words, rules):
        return True
    if len(words) > _LONGEST_NOTATION:
        return False
    known = _vocabulary(rules)
    split = [piece for word in words for piece in _pieces(word, known)]
    in_one = ["".join(words)] if len(words) <= _SHORT else []
    return any(_is_nearly_one(reading, rules) for reading in (words, split, in_one))


def has_move_in(line: str, grammar: Grammar) -> bool:
    """Return whether successive words of a line are a move."""
    return _has_move_in(_words(line.replace("?", "")), grammar.rules)


def _words(line: str) -> list[str]:
    return [word for raw in _NO_WORDS.sub("", line).lower().split() if (word := raw.strip(_AROUND))]


def _begins_as_command(word: str, line: str, locale: str) -> bool:
    """Return whether a line starts with a command that takes arguments, or with any command in the reader's language.

    An apostrophe may belong to the command, as in Italian "di'".
    """
    command = meaning(word, locale) or (meaning(f"{word}'", locale) if f"{word}'" in line.lower() else None)
    return command in (SAY, VACATION) or (command not in (None, READY, HINT) and word not in _TELLING)


def _is_nearly_command(word: str, locale: str) -> bool:
    own = [it for it, command in words_of(locale).items() if command not in (SAY, HINT)]
    return bool(get_close_matches(word, _TELLING, 1, _ALIKE) or get_close_matches(word, own, 1, _VERY_ALIKE))


def _is_nearly_one(words: Sequence[str], rules: Spoken) -> bool:
    """Return whether most of these words belong to a move, or if there are only a few, whether its key words are among
    them."""
    known = _vocabulary(rules)
    met = [right for word in words if (right := _corrected(word, rules)) is not None]
    if len(met) >= 2 and 2 * len(met) >= len(words):
        return not _is_address(words, met, rules)
    if len(words) > _SHORT:
        return False
    has_small = any(len(word) == 1 or (len(word) == 2 and word.isdigit()) for word in words)
    if any(len(word) > 2 for word in met) and (has_small or move_in(" ".join(met), rules)):
        return True
    if len(words) < 2:
        return met != [] and met[0] in _verbs(rules)
    return words[0].isdigit() and words[0] in known and all(len(word) <= 3 for word in words)


def _is_address(words: Sequence[str], met: Sequence[str], rules: Spoken) -> bool:
    """Return whether this is a street or a room: a word that resembles no word of the notation, followed by numbers and
    letters."""
    first = words[0]
    if max(map(len, met)) > 2 or len(first) < 2 or not first.isalpha() or first in _vocabulary(rules):
        return False
    return not get_close_matches(first, [it for it in _vocabulary(rules) if len(it) > 2], 1, _ANYHOW_ALIKE)


def _has_move_in(words: Sequence[str], rules: Spoken) -> bool:
    return any(
        move_in(" ".join(words[first:last]), rules)
        for first in range(len(words))
        for last in range(first + (1 if len(words) <= _SHORT else 2), min(first + _LONGEST_NOTATION, len(words)) + 1)
    )


def has_words_of(line: str, grammar: Grammar) -> bool:
    """Return whether this line contains a word of the notation, or a command."""
    words = re.findall(r"[\w#]+", line.lower())
    telling = {it for it, command in words_of(grammar.locale).items() if command not in (SAY, HINT)}
    return any(word in telling or word in _vocabulary(grammar.rules) for word in words)


def has_long_word_of(line: str, grammar: Grammar) -> bool:
    """Return whether this line contains a word of the notation, perhaps misspelt, that is too long to occur by chance."""
    words = [word for raw in line.lower().split() if len(word := raw.strip(_AROUND)) > 2]
    return any(word.isalpha() and _corrected(word, grammar.rules) for word in words)


def goes_on(line: str, rules: Spoken) -> bool:
    """Return whether this line may be the rest of a wrapped move. A single word without a digit counts as a name."""
    words = line.lower().replace(";", " ").split()
    return not line.isalpha() and all(word in _vocabulary(rules) for word in words)


def _pieces(word: str, known: Mapping[str, None]) -> list[str]:
    """Split a word that may consist of several joined words, such as `7leo`."""
    return [word] if word in known or len(word) > _LONGEST_WORD else re.findall(r"[^\W\d_]+|[0-9]+", word) or [word]


@lru_cache(2000)
def _corrected(word: str, rules: Spoken) -> str | None:
    """Return the word of the notation to which this word is equal or similar, or None."""
    known = _vocabulary(rules)
    if word in known:
        return word
    alike = get_close_matches(word, known, 1, _ALIKE) if len(word) > 2 else []
    alike += [begun for begun in known if len(begun) > 3 and word.startswith(begun)]  # two joined words
    return next((other for other in alike if len(other) > 2), None)


@lru_cache
def _vocabulary(rules: Spoken) -> Mapping[str, None]:
    """Return the words of a game's notation. They come from the schema of its moves, its examples, and the names of its
    pieces."""
    described = rules.rules.describe()
    examples = " ".join(example["text"] for example in described["notation"]["examples"]).replace(";", " ")
    names = [*_names(described, {"id", "abbr"}), *examples.split()]
    spoken = spoken_words(rules.rules, rules.locale)
    return dict.fromkeys([*_verbs(rules), *(name.lower() for name in names), *spoken])


@lru_cache
def _verbs(rules: Spoken) -> frozenset[str]:
    """Return the words of moves that aren't names of pieces."""
    return frozenset(name.lower() for name in _names(rules.rules.MOVE_SCHEMA, {"enum", "const"}))


def _names(value: Any, keys: set[str]) -> Iterator[str]:
    """Yield the texts and numbers under these keys, at any depth of the JSON."""
    match value:
        case dict():
            for key, inner in value.items():
                if key in keys:
                    yield from map(str, inner if isinstance(inner, list) else [inner])
                else:
                    yield from _names(inner, keys)
        case list():
            for inner in value:
                yield from _names(inner, keys)
