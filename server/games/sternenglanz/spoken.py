"""Moves of Sternenglanz in a reader's own words, such as `1 lay dot star b1` or `1 lege Punktstern b1`.

`notation.py` has the notation that never changes, which the API uses and every reader may write. This module uses the
names that the reader sees everywhere else, and short forms of them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from typing import NamedTuple
from unicodedata import combining, normalize

from server.games.contract import Json
from server.games.errors import MalformedMove
from server.games.sternenglanz.loose import (
    AND,
    FROM,
    STAR,
    WORDS,
    Card,
    Dialect,
    finishing_moves,
    loose_moves,
    missing_card,
)
from server.games.sternenglanz.material import CARDS, FIELDS, GEBURT, KIND_OF, LOCH, SLOTS, STARS, SUPERNOVA, WANDERUNG
from server.games.sternenglanz.moves import (
    MOST_STEPS,
    Choose,
    Finish,
    Lapse,
    LayCards,
    Move,
    SchwarzesLoch,
    Step,
    Sterngeburt,
    Sternwanderung,
    Supernova,
    card_named,
    effect,
    field_named,
    path_along,
)
from server.games.sternenglanz.names import SHORT, card_name, copy_name, in_sentence, piece_name, type_name
from server.games.sternenglanz.notation import NO_CARD
from server.translations import LOCALES, language

_Words = tuple[str, ...]
_SLOTS = frozenset(map(str, SLOTS))

# Emails use the first word of each list.
_VERBS: Mapping[str, Mapping[str, Sequence[str]]] = {
    "de": {
        "lay": ["lege", "leg", "legen", "setze", "setz"],
        "move": ["bewege", "beweg", "bewegen", "ziehe", "zieh"],
        "remove": ["entferne", "entfern", "entfernen"],
        "nova": ["Supernova"],
        "lapse": ["verzichte", "verzichten"],
        "finish": ["beende", "beenden"],
        "choose": ["wähle", "wähl", "waehle", "wählen"],
        "drop": ["verwirf", "abwerfen"],
    },
    "en": {
        "lay": ["lay", "place"],
        "move": ["move"],
        "remove": ["remove"],
        "nova": ["nova", "Supernova"],
        "lapse": ["lapse", "skip"],
        "finish": ["finish"],
        "choose": ["choose"],
        "drop": ["drop"],
    },
    "fr": {
        "lay": ["pose", "poser", "place"],
        "move": ["déplace", "déplacer"],
        "remove": ["retire", "retirer"],
        "nova": ["Supernova"],
        "lapse": ["renonce", "renoncer"],
        "finish": ["termine", "terminer"],
        "choose": ["choisis", "choisir"],
        "drop": ["défausse", "défausser"],
    },
    "it": {
        "lay": ["posa", "posare"],
        "move": ["sposta", "spostare"],
        "remove": ["togli", "togliere"],
        "nova": ["Supernova"],
        "lapse": ["rinuncia", "rinunciare"],
        "finish": ["termina", "terminare"],
        "choose": ["scegli", "scegliere"],
        "drop": ["scarta", "scartare"],
    },
}
_SLOT = {"de": ("Platz", "Karte"), "en": ("slot", "card"), "fr": ("emplacement", "carte"), "it": ("spazio", "carta")}
_WITH = frozenset({"with", "using", "from", "mit", "von", "avec", "con"})  # before a slot
_ON = {"de": "auf", "en": "on", "fr": "sur", "it": "su"}
_TELLING = 3  # letters; shorter words occur in any sentence
_NO_APOSTROPHES = str.maketrans("’'‘`´", "     ")
_WORD = re.compile(r"\w+")
_LIKE_FIELD = re.compile(r"[a-z]\d{1,3}")
_IN_SENTENCES = frozenset({"put", "set", "mets", "metti", "a"})
_ONE = frozenset({"one", "einen", "einer", "une", "una"})
_PASSES = (*(Move((Lapse(slot),)) for slot in SLOTS), Move((Finish(),)), Move((LayCards(False, None, None),)))
_INFLECTED: Mapping[str, Mapping[str, Sequence[str]]] = {
    "de": {
        LOCH: ("schwarze Loch", "schwarzen Loch", "schwarze Löcher"),
        WANDERUNG: ("Sternwanderungen", "Wanderungen"),
        GEBURT: ("Sterngeburten", "Geburten"),
    },
    "en": {LOCH: ("black holes", "holes"), WANDERUNG: ("migrations",), GEBURT: ("births",)},
    "fr": {},
    "it": {},
}
_COMMON = frozenset({"star", "stern", "etoile", "stella", "black", "noir", "nero", "place", "pose", "skip"})


class _Wanted(NamedTuple):
    """A card as a player names it."""

    kind: str
    number: str  # of the copy, "" for any


# Writing


def write_spoken(move: Move, locale: str) -> str:
    """Return the move in the reader's own words. The spaces within a name are non-breaking."""
    return "; ".join(_write_step(step, locale) for step in move.steps)


def _write_step(step: Step, locale: str) -> str:
    def say(verb: str) -> str:
        return _VERBS[locale][verb][0]

    match step:
        case Choose(slot2, slot3):
            return f"{say('choose')} {_card(slot2, locale)} {_card(slot3, locale)}"
        case Sterngeburt(slot, star, field):
            return f"{slot} {say('lay')} {_in_sentence(piece_name(star, locale), locale)} {field}"
        case Sternwanderung(slot, path):
            return f"{slot} {say('move')} {' '.join(path)}"
        case SchwarzesLoch(slot, field, do) | Supernova(slot, field, do):
            return f"{slot} {say(do)} {field}"
        case Lapse(slot):
            return f"{slot} {say('lapse')}"
        case Finish():
            return say("finish")
        case LayCards(drop_nova, slot2, slot1):
            drop = f"{say('drop')} " if drop_nova else ""
            return f"{drop}{say('lay')} {_card(slot2, locale)} {_card(slot1, locale)}"


def _card(copy: str | None, locale: str) -> str:
    return NO_CARD if copy is None else _in_sentence(copy_name(copy, locale), locale)


def _in_sentence(name: str, locale: str) -> str:
    return in_sentence(name, locale).replace(" ", "\u00a0")


# Reading


def read_spoken(text: str, locale: str) -> Move:
    """Parse a move in this language's words or in English ones. Raise MalformedMove for any other string."""
    known = _dialect(locale)
    if not text.strip() or _bare(text.split(maxsplit=1)[0]) not in known.beginnings:
        raise _not_a_step()  # the common case, since every part of an email's lines is tried
    lines = [_plain(step) for step in text.split(";")]
    if len(lines) > MOST_STEPS:
        raise MalformedMove("bad-steps", "A move has 1 to %(most)s steps.", most=MOST_STEPS)
    return Move(tuple(_read_step(words, known) for words in lines))


def meant_moves(text: str, locale: str, legal: Sequence[Move]) -> list[Move]:
    """Return the legal moves that a text of one step fits, such as `dot b1` without a slot, `put a dot star on b1` or
    `star birth 2 and black hole A` when cards are chosen. It must name a field or cards, unless it is only "pass". The
    words may be those of another language, since players also answer in their own."""
    if text == "pass":
        return [it for it in legal if it in _PASSES]
    for tongue in {locale, *LOCALES}:
        if (step := _two_steps(text, tongue, legal) or _several_steps(text, tongue, legal)) is not None:
            return [step]
    found = dict.fromkeys(move for tongue in {locale, *LOCALES} for move in _meant_in(text, tongue, legal))
    return [it for it in found if it in legal] or [it for it in named_moves(text, locale, legal) if it in legal]


def named_moves(text: str, locale: str, legal: Sequence[Move]) -> list[Move]:
    """Return the legal moves that a text of one step names, or a single illegal one."""
    for tongue in dict.fromkeys((locale, *LOCALES)):
        if found := loose_moves(_plain(text), _dialect(tongue), legal):
            return found
    return []


def _two_steps(text: str, locale: str, legal: Sequence[Move]) -> Move | None:
    """Return the two steps of a text such as `place a star on b6 with card 1 and one on a1 with card 3`, or None. Each of
    them must mean one legal move."""
    words = _plain(text)
    ands = [nr for nr, word in enumerate(words) if word in AND]
    if len(ands) != 1 or ";" in text:
        return None
    first, second = words[: ands[0]], words[ands[0] + 1 :]
    known = _dialect(locale)
    aside = _SLOTS.union(FIELDS, known.slots, known.fillers, _WITH)
    if aside.union(_ONE).issuperset(second):  # another one of the same kind
        second = (*(it for it in first if it not in aside), *(it for it in second if it not in _ONE))
    meant = [[it for it in _meant_in(" ".join(part), locale, legal) if it in legal] for part in (first, second)]
    if any(len(set(moves)) != 1 for moves in meant):
        return None
    return Move(tuple(moves[0].steps[0] for moves in meant))


def _several_steps(text: str, locale: str, legal: Sequence[Move]) -> Move | None:
    """Return the steps of a text with semicolons, of which some may name a card without its number, or None."""
    found: list[Step] = []
    for part in text.split(";") if ";" in text else ():
        try:
            found += read_spoken(part, locale).steps
        except MalformedMove:
            meant = set(_cards_in(_plain(part), _dialect(locale), legal))
            if len(meant) != 1:
                return None
            found += meant.pop().steps
    return Move(tuple(found)) if 0 < len(found) <= MOST_STEPS else None


def fitting_moves(text: str, locale: str, legal: Sequence[Move]) -> list[Move]:
    """Return the legal moves in whose words every word of a text occurs."""
    for tongue in dict.fromkeys((locale, *LOCALES)):
        known = _dialect(tongue)
        said = {_first_verb(word, known, tongue) for word in _plain(text) if word not in known.fillers | _IN_SENTENCES}
        if found := [it for it in legal if said and said <= set(_plain(write_spoken(it, tongue)))]:
            return list({effect(it): it for it in reversed(found)}.values())[::-1]  # any copy of a card
    is_of_cards = bool(legal) and isinstance(legal[0].steps[0], Choose | LayCards)
    counted = named_moves(f"card {text}", locale, legal) if is_of_cards else []  # such as `1 and 2`
    return finishing_moves(_plain(text), legal) or counted


def _first_verb(word: str, known: Dialect, tongue: str) -> str:
    """Return the verb that our emails use instead of this one. Leave any other word as it is."""
    return _bare(_VERBS[tongue][known.verbs[word]][0]) if word in known.verbs else word


def _meant_in(text: str, locale: str, legal: Sequence[Move]) -> Iterator[Move]:
    known = _dialect(locale)
    if ";" in text:
        return
    yield from _cards_in(_plain(text), known, legal)
    words = _in_order(_plain(text), known)
    if not words or words[-1] not in FIELDS:
        return
    has_slot = words[0] in _SLOTS or words[0] in known.slots
    for slot in [""] if has_slot else map(str, SLOTS):
        for told in _with_class(words, known):
            with suppress(MalformedMove):
                yield read_spoken(" ".join((slot, *told)), locale)


def _with_class(words: _Words, known: Dialect) -> Iterator[_Words]:
    """Yield the words with each class of stars if they only say "star"."""
    if len(words) > 2 and words[-2] in STAR and known.verbs.get(words[-3]) == "lay":
        yield from ((*words[:-2], kind, words[-1]) for kind in STARS)
    else:
        yield words


def _cards_in(words: _Words, known: Dialect, legal: Sequence[Move]) -> Iterator[Move]:
    """Yield the first legal move with these cards in this order. A card without a number is any copy. A verb may be
    missing if there is an "and" between the cards."""
    told = _verb_first(tuple(word for word in words if word not in AND), known)
    drops = bool(told) and known.verbs.get(told[0]) == "drop"
    verb = known.verbs.get(told[drops]) if len(told) > drops else None
    if verb not in ("choose", "lay") and (drops or not AND.intersection(words)):
        return
    try:
        first, rest = _wanted_card(told[drops + 1 :] if verb in ("choose", "lay") else told, known)
        second, end = _wanted_card(rest, known)
    except MalformedMove:
        return
    for move in legal:
        match move.steps:
            case (Choose(slot2, other),) if not drops and verb != "lay":
                pass
            case (LayCards(drop_nova, slot2, other),) if drop_nova == drops and verb != "choose":
                pass
            case _:
                continue
        if not end and _is_wanted(slot2, first) and _is_wanted(other, second):
            yield move
            return


def _name_of(wanted: _Wanted, locale: str) -> str:
    name = card_name(f"{wanted.kind}#1", locale)  # a player may write a number that no card has
    return f"{name} #{wanted.number}" if wanted.number else name


def _name_of_missing(card: Card, locale: str) -> str:
    kinds = [it.id for it in CARDS.kinds.values() if it.type == card.type]
    kind = next((it for it in kinds if it.rpartition("-")[2] == card.suffix), kinds[0])
    return (
        _name_of(_Wanted(kind, card.number), locale) if card.suffix or len(kinds) == 1 else type_name(card.type, locale)
    )


def _is_wanted(copy: str | None, wanted: _Wanted | None) -> bool:
    if copy is None or wanted is None:
        return copy is None and wanted is None
    return KIND_OF[copy].id == wanted.kind and wanted.number in ("", copy.rpartition("#")[2])


def _verb_first(words: _Words, known: Dialect) -> _Words:
    """Return the words with a verb at their end before all others, as in German: `Punktstern auf b1 legen`."""
    return (words[-1], *words[:-1]) if words and words[-1] in known.verbs else words


def _in_order(words: _Words, known: Dialect) -> _Words:
    """Return the words of a sentence in the order of the notation, without those that the notation lacks."""
    words = _slot_first(words, known)
    told = _with_verb(_verb_first(tuple(word for word in words if word not in _IN_SENTENCES), known), known)
    if told and known.verbs.get(told[0]) in ("move", "remove"):
        told = tuple(word for word in told if word not in STAR)
    return _from_first(told) if any(known.verbs.get(word) in ("move", "remove") for word in told) else told


def _slot_first(words: _Words, known: Dialect) -> _Words:
    """Return the words with a slot that is named further on, such as `with card 1`, before all others."""
    pairs = enumerate(pairwise(words))
    found = [nr for nr, (word, slot) in pairs if nr and word in known.slots and slot in _SLOTS]
    if len(found) != 1:
        return words
    at = found[0]
    return (words[at + 1], *words[: at - (words[at - 1] in _WITH)], *words[at + 2 :])


def _with_verb(words: _Words, known: Dialect) -> _Words:
    """Return the words with a verb if they only name a black hole and a field: `3 black hole c1` removes a star."""
    slot, rest = (words[:1], words[1:]) if words and words[0] in _SLOTS else ((), words)
    return (*slot, "remove", rest[-1]) if known.types.get(rest[:-1]) == LOCH else words


def _from_first(words: _Words) -> _Words:
    """Return the words of a migration or a removal with the field that the star leaves before any other field. Leave
    them as they are if this isn't clear."""
    fields = [nr for nr, word in enumerate(words) if word in FIELDS]
    leaves = [nr for nr in fields if nr and words[nr - 1] in FROM]
    if len(leaves) != 1 or (leaves != fields[:1] and len(fields) != 2):
        return words
    [at], first = leaves, fields[0]
    if at == first:
        return (*words[: at - 1], *words[at:])
    return (*words[:first], words[at], *words[first : at - 1], *words[at + 1 :])


def strange_word(text: str, locale: str) -> str:
    """Return the first unknown word of a text that otherwise names a field and what to do there, or ""."""
    known = _dialect(locale)
    words = _in_order(_plain(text), known)
    names = {word for name in (*known.classes, *known.types) for word in name} - STAR
    is_place = any(word in FIELDS or _LIKE_FIELD.fullmatch(word) for word in words)
    if not is_place or not any(word in names or word in known.verbs for word in words):
        return ""
    told = known_words(locale)
    return next((word for word in words if word not in told | AND | _ONE), "")


def fault(text: str, view: Json, locale: str) -> str:
    """Return what is wrong with a text that names cards to choose or lay, or an action at another time, or "". `view` is
    that of the seat."""
    known, say, words = _dialect(locale), language(locale), _plain(text)
    if view["phase"] in ("choose", "lay") and (card := missing_card(words, known, view["hand"])):
        return say.gettext(
            "%(card)s is not in your hand. Your cards are %(hand)s.",
            card=_name_of_missing(card, locale),
            hand=", ".join(copy_name(copy, locale) for copy in view["hand"]),
        )
    verb = known.verbs.get(words[0]) if words else None
    if view["phase"] == "choose" and verb in ("move", "remove"):
        return say.gettext("First, choose two of your cards: one for slot 2, one for slot 3. Then you can use them.")
    if verb not in ("choose", "lay"):
        return ""
    try:
        first, rest = _wanted_card(words[1:], known)
    except MalformedMove:
        return ""
    if first is None or rest:
        return ""
    if view["phase"] == "choose":
        return say.gettext("The second card is missing. Name two: one for slot 2, then one for slot 3.")
    if view["phase"] == "lay":
        return say.gettext(
            "The second card is missing. Name two: one for slot 2, then one for slot 1. Write - for no card."
        )
    return say.gettext("You play cards after the actions.")


@cache
def known_words(locale: str) -> frozenset[str]:
    """Return the words that may occur in a step."""
    known = _dialect(locale)
    names = {word for name in (*known.classes, *known.types) for word in name}
    verbs = (word.lower() for tongue in ("en", locale) for words in _VERBS[tongue].values() for word in words)
    return frozenset((*FIELDS, *names, *verbs, *known.verbs, *known.fillers, *known.slots, *_SLOTS, *STAR, *WORDS))


def spoken_words(locale: str) -> frozenset[str]:
    """Return the words by which a misspelt move may be recognised."""
    found = {word for it in _names_of(locale) for word in it.lower().replace("’", " ").split()}
    return frozenset(it for it in found if len(it) >= _TELLING and _bare(it) not in _COMMON)


def _names_of(locale: str) -> Iterator[str]:
    for known in {"en", locale}:
        for verbs in _VERBS[known].values():
            yield from verbs
        for kind, short in SHORT[known].items():
            yield short
            yield piece_name(kind, known) if kind in STARS else type_name(kind, known)


def _read_step(words: _Words, known: Dialect) -> Step:
    if len(words) > 1 and words[0] in known.slots and words[1] in _SLOTS:
        words = words[1:]
    if _slot_first(words, known) != words:
        words = _in_order(words, known)
    match words:
        case [slot, *rest] if slot in _SLOTS:
            return _read_action(int(slot), tuple(rest), known)
        case [verb] if known.verbs.get(verb) == "finish":
            return Finish()
        case [verb, *rest] if known.verbs.get(verb) == "choose":
            slot2, slot3 = _read_cards(tuple(rest), known)
            if slot2 is not None and slot3 is not None:
                return Choose(slot2, slot3)
        case [verb, *rest] if known.verbs.get(verb) == "lay":
            return LayCards(False, *_read_cards(tuple(rest), known))
        case [drop, verb, *rest] if known.verbs.get(drop) == "drop" and known.verbs.get(verb) == "lay":
            return LayCards(True, *_read_cards(tuple(rest), known))
    raise _not_a_step()


def _read_action(slot: int, words: _Words, known: Dialect) -> Step:
    verb = known.verbs.get(words[0]) if words else None
    rest = words[1:] if verb else words
    match verb, rest:
        case "lay" | None, [*star, field] if kind := known.classes.get(_without_filler(tuple(star), known)):
            return Sterngeburt(slot, kind, field_named(field))
        case "move", [_, _, *_]:
            return Sternwanderung(slot, path_along(rest))
        case "remove", [field]:
            return SchwarzesLoch(slot, field_named(field))
        case "nova", [*on, field] if not _without_filler(tuple(on), known):
            return Supernova(slot, field_named(field))
        case "lapse", []:
            return Lapse(slot)
    raise _not_a_step()


def _without_filler(words: _Words, known: Dialect) -> _Words:
    return words[:-1] if words and words[-1] in known.fillers else words


def _read_cards(words: _Words, known: Dialect) -> tuple[str | None, str | None]:
    first, rest = _read_card(words, known)
    second, end = _read_card(rest, known)
    if end:
        raise _not_a_step()
    return first, second


def _read_card(words: _Words, known: Dialect) -> tuple[str | None, _Words]:
    """Return a pair: the card that these words begin with (None for no card), and the words after it."""
    wanted, rest = _wanted_card(words, known)
    if wanted and not wanted.number:
        raise _not_a_step()
    return wanted and card_named(f"{wanted.kind}#{wanted.number}"), rest


def _wanted_card(words: _Words, known: Dialect) -> tuple[_Wanted | None, _Words]:
    """Return a pair: the card that these words begin with (None for no card), which may lack its number, and the words
    after it."""
    if words[:1] == (NO_CARD,):
        return None, words[1:]
    for length in range(len(words), 0, -1):
        if type_ := known.types.get(words[:length]):
            kind, rest = _kind_of(type_, words[length:])
            number = rest[0].removeprefix("#") if rest else ""
            return (_Wanted(kind, number), rest[1:]) if number.isdecimal() else (_Wanted(kind, ""), rest)
    raise _not_a_step()


def _kind_of(type_: str, words: _Words) -> tuple[str, _Words]:
    kinds = {kind.id: kind for kind in CARDS.kinds.values() if kind.type == type_}
    if len(kinds) == 1:
        return next(iter(kinds)), words
    kind = {kind.rsplit("-", 1)[-1]: kind for kind in kinds}.get(words[0] if words else "")
    if kind is None:
        raise _not_a_step()
    return kind, words[1:]


def _not_a_step() -> MalformedMove:
    return MalformedMove("not-a-step", "This is not a step of a turn.")


@cache
def _dialect(locale: str) -> Dialect:
    tongues = ("en", locale)
    classes = {
        _plain(name): kind
        for tongue in tongues
        for kind in STARS
        for name in (kind, piece_name(kind, tongue), SHORT[tongue][kind])
    }
    types = {
        _plain(name): type_
        for tongue in tongues
        for type_ in (GEBURT, WANDERUNG, LOCH, SUPERNOVA)
        for name in (
            _id_of(type_),
            type_name(type_, tongue),
            SHORT[tongue].get(type_, type_),
            *_INFLECTED[tongue].get(type_, ()),
        )
    }
    verbs = {_bare(word): verb for tongue in tongues for verb, words in _VERBS[tongue].items() for word in words}
    slots = frozenset(word.lower() for tongue in tongues for word in _SLOT[tongue])
    fillers = frozenset(_ON[tongue] for tongue in tongues)
    return Dialect(verbs, classes, types, fillers, slots, frozenset((*verbs, *slots, *_SLOTS)))


def _id_of(type_: str) -> str:
    """Return the word for a type of action in the notation of `notation.py`."""
    return next(kind.id for kind in CARDS.kinds.values() if kind.type == type_).partition("-")[0]


def _plain(text: str) -> _Words:
    """Return the words of a text without capitals and accents. Parts of a card's id are words of their own."""
    apart = re.sub(r"(?<=[a-z0-9])-(?=[a-z0-9])", " ", _bare(text)).replace("#", " #")
    return tuple(apart.replace("# ", "#").split())


def _bare(text: str) -> str:
    """Return a text without capitals, accents and apostrophes. A word that is a verb only without its accents keeps
    them, since `terminé` is no command, but `deplace` is `déplace`."""
    words = normalize("NFC", text.lower()).translate(_NO_APOSTROPHES)
    return _WORD.sub(lambda it: it[0] if _is_misspelt_verb(it[0]) else _unaccented(it[0]), words)


def _is_misspelt_verb(word: str) -> bool:
    spellings = _spellings().get(_unaccented(word), ())
    return bool(spellings) and word not in spellings


@cache
def _spellings() -> Mapping[str, set[str]]:
    """Return the spellings of each verb by its form without accents."""
    found: dict[str, set[str]] = {}
    for verbs in _VERBS.values():
        for word in (it.lower() for words in verbs.values() for it in words):
            found.setdefault(_unaccented(word), set()).add(word)
    return found


def _unaccented(text: str) -> str:
    return "".join(it for it in normalize("NFKD", text) if not combining(it))
