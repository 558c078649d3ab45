"""Steps of Sternenglanz in any order of words, such as `black hole into slot 3, star birth into slot 2` or `f18 to e2`.

`spoken.py` reads the forms that our emails use. Here each word may stand anywhere, but each must be known.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from server.games.sternenglanz.material import FIELDS, GEBURT, KIND_OF, LOCH, SLOTS, SUPERNOVA, WANDERUNG
from server.games.sternenglanz.moves import (
    Choose,
    Finish,
    LayCards,
    Move,
    SchwarzesLoch,
    Step,
    Sterngeburt,
    Sternwanderung,
    Supernova,
    effect,
    field_named,
)
from server.games.sternenglanz.notation import NO_CARD

_Phrases = Mapping[tuple[str, ...], str]

STAR = frozenset({"star", "stern", "etoile", "stella"})
AND = frozenset({"and", "und", "et", "e"})
FROM = frozenset({"from", "von", "depuis", "de", "du", "d", "da"})
_NEXT = frozenset({*AND, "+", "&", "then", "dann", "puis", "poi", "first", "erst", "zuerst"})
_INTO = frozenset(
    [
        "in",
        "into",
        "on",
        "onto",
        "at",
        "to",
        "auf",
        "aufs",
        "im",
        "ins",
        "an",
        "nach",
        "zu",
        "zum",
        "dans",
        "sur",
        "vers",
        "au",
        "nel",
        "su",
        "sul",
        "verso",
    ]
)
_BESIDE = frozenset(  # words that say nothing about a step
    [
        "the",
        "a",
        "an",
        "my",
        "der",
        "die",
        "das",
        "den",
        "dem",
        "ein",
        "eine",
        "einen",
        "mein",
        "meine",
        "meinen",
        "le",
        "la",
        "les",
        "un",
        "une",
        "ma",
        "mon",
        "il",
        "lo",
        "una",
        "mio",
        "mia",
        "with",
        "mit",
        "avec",
        "con",
        "via",
        "over",
        "through",
        "uber",
        "durch",
        "par",
        "per",
        "for",
        "fur",
        "use",
        "using",
        "nutze",
        "play",
        "spiele",
    ]
)
_HELD = frozenset(["card", "cards", "karte", "karten", "carte", "cartes", "carta"])
_CHOOSING = frozenset(
    ["choose", "take", "pick", "chose", "select", "wahle", "nehme", "nimm", "prends", "prendo", "prendi", "put"]
)
_NUMBERS = {  # of slots, and of cards in hand
    word: number
    for number, words in enumerate(
        (
            "1 one eins un uno first 1st erste ersten premiere premier prima primo",
            "2 two zwei deux due second 2nd zweite zweiten deuxieme seconde seconda secondo",
            "3 three drei trois tre third 3rd dritte dritten troisieme terza terzo",
            "4 four vier quatre quattro fourth 4th vierte vierten quatrieme quarta quarto",
            "5 five funf cinq cinque fifth 5th funfte funften cinquieme quinta quinto",
        ),
        start=1,
    )
    for word in words.split()
}
_CARDINALS = frozenset(
    [
        "1",
        "2",
        "3",
        "4",
        "5",
        "one",
        "two",
        "three",
        "four",
        "five",
        "eins",
        "zwei",
        "drei",
        "vier",
        "funf",
        "un",
        "uno",
        "deux",
        "due",
        "trois",
        "tre",
    ]
)
_BOTH = frozenset(["both", "beide", "beiden", "two", "zwei", "twice", "zweimal", "deux", "due", "entrambe"])
_NO = frozenset(
    ["no", "keine", "aucune", "nessuna"]
)  # before the word for a card, since "no star birth" means no choice
_NOTHING = frozenset(["nothing", "none", "nichts", "rien", "niente"]) | {NO_CARD}
_FINISHING = frozenset(["done", "end", "ende", "fertig", "fini", "finito"])
_AT_END = frozenset(["i", "m", "my", "turn", "bin", "zug", "j", "ai", "ho", "il", "mio", "mon", "tour"])
_ASIDE = frozenset((*_NEXT, *FROM, *_INTO, *_BESIDE, *STAR))
WORDS = frozenset((*_ASIDE, *_HELD, *_CHOOSING, *_NUMBERS, *_BOTH, *_NO, *_NOTHING, *_FINISHING))
_DOES = {GEBURT: "lay", WANDERUNG: "move", LOCH: "remove", SUPERNOVA: "nova"}
_SUFFIXES = {LOCH: ("a", "b", "c"), WANDERUNG: ("2", "3")}


class Dialect(NamedTuple):
    """What a reader may write: each phrase, as plain words, and what it means."""

    verbs: Mapping[str, str]
    classes: _Phrases
    types: _Phrases
    fillers: frozenset[str]
    slots: frozenset[str]
    beginnings: frozenset[str]


class Card(NamedTuple):
    """A card as a player names it: by its place in the hand, or by its kind."""

    type: str = ""
    suffix: str = ""  # that distinguishes the kinds of a type; "" for any
    number: str = ""  # of the copy; "" for any
    place: int = 0

    def is_named(self, copy: str | None, hand: Sequence[str]) -> bool:
        if copy is None or self.place:
            return copy is not None and list(hand[self.place - 1 : self.place]) == [copy]
        kind, number = KIND_OF[copy], copy.partition("#")[2]
        return (
            kind.type == self.type and self.suffix in ("", kind.id.rpartition("-")[2]) and self.number in ("", number)
        )


@dataclass
class _Told:
    """What the words of a step say."""

    of_cards: bool  # whether a hand is to be chosen from, or cards to be played
    do: str = ""
    star: str = ""
    has_star: bool = False  # whether it says "star"
    slots: list[int] = field(default_factory=list)
    fields: list[str] = field(default_factory=list)
    leaves: list[int] = field(default_factory=list)  # the numbers of the fields before which it says "from"
    cards: list[Card | None] = field(default_factory=list)
    is_twice: bool = False
    counts: bool = False  # whether numbers are places in the hand


def loose_moves(words: Sequence[str], known: Dialect, legal: Sequence[Move]) -> list[Move]:
    """Return the legal moves that these words name, or a single illegal one. Return [] if a word is unknown."""
    told = _told(_bare(words), known, isinstance(legal[0].steps[0], Choose | LayCards)) if legal else None
    if told is None:
        return []
    found = list(_with_cards(told, legal) if told.of_cards else _actions(told, legal))
    return list({effect(it): it for it in reversed(found)}.values())[::-1]


def finishing_moves(words: Sequence[str], legal: Sequence[Move]) -> list[Move]:
    """Return the legal moves that end the present part of a turn, if these words say that the player is done."""
    bare = _bare(words)
    if not _FINISHING.intersection(bare) or not _FINISHING.union(_AT_END).issuperset(bare):
        return []
    ends = (Finish(), LayCards(False, None, None))
    return next(([it] for end in ends for it in legal if it.steps[0] == end), [])


def missing_card(words: Sequence[str], known: Dialect, hand: Sequence[str]) -> Card | None:
    """Return the first card that these words name and that isn't in the hand, or None."""
    told = _told(_bare(words), known, True)
    cards = told.cards if told else []
    return next((it for it in cards if it and it.type and not any(it.is_named(copy, hand) for copy in hand)), None)


def _bare(words: Sequence[str]) -> list[str]:
    return [bare for word in words if (bare := word.strip(".,:;!=()"))]


def _told(words: Sequence[str], known: Dialect, of_cards: bool) -> _Told | None:
    told = _Told(of_cards)
    while words:
        length = _read(words, told, known)
        if not length:
            return None
        words = words[length:]
    return told


def _read(words: Sequence[str], told: _Told, known: Dialect) -> int:
    """Note what the first of these words say. Return how many words that are, or 0 if the first is unknown."""
    word, after = words[0], words[1] if len(words) > 1 else ""
    is_held = told.of_cards and word in _HELD
    if word in known.slots and not is_held and _NUMBERS.get(after, 9) <= len(SLOTS):
        told.slots.append(_NUMBERS[after])
        return 2
    if word in _NUMBERS and word not in _CARDINALS and not told.of_cards and after in known.slots:
        told.slots.append(_NUMBERS[word])
        return 2
    length = _read_cards(words, told, known) if told.of_cards else _read_action(words, told, known)
    if length:
        return length
    if (verb := known.verbs.get(word)) and (told.do in ("", verb) or (told.of_cards and verb in ("lay", "choose"))):
        told.do = told.do or verb
        return 1
    if word in FROM and after in FIELDS:
        told.leaves.append(len(told.fields))
        return 1
    told.has_star |= word in STAR
    is_choosing = told.of_cards and (word in _CHOOSING or word in _HELD)
    return int(is_choosing or word in _ASIDE)


def _read_action(words: Sequence[str], told: _Told, known: Dialect) -> int:
    word, after = words[0], words[1] if len(words) > 1 else ""
    type_, length = _longest(words, known.types)
    if type_ and told.do in ("", _DOES[type_]):
        told.do = _DOES[type_]
        return length + (words[length : length + 1] != [] and words[length] in _SUFFIXES.get(type_, ()))
    star, length = _longest(words, known.classes)
    if star and told.star in ("", star):
        told.star = star
        return length
    if word in FIELDS:
        told.fields.append(word)
        return 1
    if len(word) == 1 and f"{word}{after}" in FIELDS:
        told.fields.append(f"{word}{after}")
        return 2
    if word in ("1", "2", "3") and not (told.slots or told.fields or told.do or told.star):
        told.slots.append(int(word))
        return 1
    return 0


def _read_cards(words: Sequence[str], told: _Told, known: Dialect) -> int:
    word, after = words[0], words[1] if len(words) > 1 else ""
    type_, length = _longest(words, known.types)
    if type_:
        rest = list(words[length : length + 2])
        suffixes = _SUFFIXES.get(type_, ())
        if (
            rest
            and rest[0][:1] in suffixes
            and (len(rest[0]) == 1 or (rest[0][0].isalpha() and rest[0][1:].isdecimal()))
        ):
            suffix, copy = rest[0][0], rest[0][1:]
            length, rest = length + 1, rest[1:]
        else:
            suffix, copy = "", ""
        if not copy and rest and (number := rest[0].removeprefix("#")).isdecimal():
            length, copy = length + 1, number
        told.cards.append(Card(type_, suffix, copy))
        return length
    if (word in _INTO and after in ("1", "2", "3")) or (
        word in ("1", "2", "3") and _longest(words[1:], known.types)[0]
    ):
        told.slots.append(int(word if word.isdecimal() else after))
        return 2 - word.isdecimal()
    if word in _NUMBERS and (word not in _CARDINALS or told.counts):
        if word not in _CARDINALS and _longest(words[1:], known.types)[0]:
            return 1  # the card that is named first, such as `first star birth`
        told.cards.append(Card(place=_NUMBERS[word]))
        return 1
    if word in _HELD and after in _NUMBERS:
        told.counts = True
        return 1
    if word in _BOTH:
        told.is_twice = True
        return 1
    if word in _NOTHING or (word in _NO and after in _HELD):
        told.cards.append(None)
        return 1
    return 0


def _longest(words: Sequence[str], phrases: _Phrases) -> tuple[str, int]:
    """Return a pair: the meaning of the longest phrase with which these words begin, and its length, or ("", 0)."""
    lengths = range(min(len(words), 4), 0, -1)
    return next(((it, length) for length in lengths if (it := phrases.get(tuple(words[:length])))), ("", 0))


def _with_cards(told: _Told, legal: Sequence[Move]) -> Iterator[Move]:
    hand = list(dict.fromkeys(it for move in legal for it in _cards_of(move.steps[0]) if it))
    cards, slots = told.cards, told.slots
    if told.is_twice and len(cards) == 1 and (card := cards[0]):
        cards = [card, card._replace(place=card.place + 1) if card.place else card]
    kind = type(legal[0].steps[0])
    if slots and (len(slots) != len(cards) or len(set(slots)) != len(slots)):
        return
    ways: Sequence[tuple[str | None, ...]]
    for move in (it for it in legal if isinstance(it.steps[0], kind)):  # the others follow later in the turn
        match move.steps[0]:
            case Choose(slot2, slot3) if set(slots) in (set(), {2, 3}) and len(cards) == 2:
                ways = [(slot2, slot3) if slots[:1] != [3] else (slot3, slot2)]
            case LayCards(drop, slot2, slot1) if drop == (told.do == "drop"):
                by_slot = {1: slot1, 2: slot2}
                others = {it for slot, it in by_slot.items() if slot not in slots}
                if slots:
                    ways = [tuple(by_slot.get(slot) for slot in slots)] if others <= {None} else []
                elif len(cards) == 1:
                    ways = [(slot2,)] * (slot1 is None) + [(slot1,)] * (slot2 is None)
                else:
                    ways = [(slot2, slot1)]
            case _:
                continue
        if any(
            len(way) == len(cards) and all(_fits(it, card, hand) for it, card in zip(way, cards, strict=True))
            for way in ways
        ):
            yield move


def _cards_of(step: Step) -> tuple[str | None, ...]:
    match step:
        case Choose(slot2, _):
            return (slot2,)
        case LayCards(_, slot2, slot1):
            return slot2, slot1
    return ()


def _fits(copy: str | None, card: Card | None, hand: Sequence[str]) -> bool:
    return copy is None if card is None else card.is_named(copy, hand)


def _actions(told: _Told, legal: Sequence[Move]) -> list[Move]:
    fields, leaves = told.fields, told.leaves
    do = told.do or ("lay" if told.star else "move" if len(fields) > 1 else "star" if told.has_star else "")
    is_unclear = len(leaves) > 1 or (leaves and (do == "lay" or (leaves != [0] and len(fields) != 2)))
    if is_unclear or len(told.slots) > 1 or (do == "nova" and told.star):
        return []
    fields = fields[::-1] if leaves == [1] and len(fields) == 2 else fields
    dos = ("lay", "remove") if do == "star" else (do,) if do in _DOES.values() else ()
    steps = [
        step for it in legal for step in it.steps if not isinstance(step, Choose | Finish | LayCards) and step.do in dos
    ]
    fitting = [it for it in steps if _is_named(it, told, fields)]
    if fitting:
        return [Move((it,)) for it in fitting]
    slot = next(iter(told.slots or sorted({it.slot for it in steps})), None)
    step = slot and _step(do, slot, told.star, fields)
    return [Move((step,))] if step else []


def _is_named(step: Step, told: _Told, fields: Sequence[str]) -> bool:
    match step:
        case Sterngeburt(slot, star, place):
            is_there = [place] == fields and told.star in ("", star)
        case Sternwanderung(slot, path):
            rest = iter(path)  # `all` finds the fields in this order
            is_there = (
                len(fields) > 1 and (path[0], path[-1]) == (fields[0], fields[-1]) and all(it in rest for it in fields)
            )
        case SchwarzesLoch(slot, place) | Supernova(slot, place):
            is_there = [place] == fields
        case _:
            return False
    return is_there and told.slots in ([], [slot])


def _step(do: str, slot: int, star: str, fields: Sequence[str]) -> Step | None:
    """Return a step, legal or not, or None if a part is missing."""
    match do, fields:
        case "lay", [place] if star:
            return Sterngeburt(slot, star, field_named(place))
        case "move", [_, _, *_]:
            return Sternwanderung(slot, tuple(fields))
        case "remove", [place]:
            return SchwarzesLoch(slot, field_named(place))
        case "nova", [place]:
            return Supernova(slot, field_named(place))
    return None
