"""Moves in whole sentences: the words of four languages that say nothing about the move itself.

A game reads the words that are left (see `meant_moves`). Never add a word that denies, doubts, asks, compares or puts
off. Nor one that means "but", "or" or "if" in another language.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from server.games import Json, Rules
from server.games.presentation import fault, fitting_moves, known_words, meant_moves, strange_word, write_move
from server.post.incoming.commands import PLEASE, THANKS
from server.post.incoming.doubt import PASS, contradiction_in
from server.post.incoming.near_misses import Grammar, move_in
from server.translations import LOCALES

LONGEST = 200  # characters of a sentence
PASSING = "pass"  # the words of every pass, as the game sees them
_PHRASES: Mapping[str, str] = {  # courtesy and intentions
    "en": (
        "okay|ok then|okay then|well then|goes|goes to|hi all|hello all|hi everyone|hello everyone|please|pls|plz|kindly|thanks|thx|thank you|many thanks|hi|hello|hey|good morning|good evening|ok|okay|now"
        "|i would like to|i'd like to|i would like|i'd like|i would love to|i'd love to|i want to|i want|i wish to"
        "|i will|i'll|i will take|i'll take|i take|i am going to|i'm going to|let me|i play|i choose|play|go with"
        "|i think i'll|i think i'll take|i think i will|i think i will take|let's|let us|try"
        "|my move is|my move|here is my move|here's my move|here is|here's"
    ),
    "de": (
        "ok|okay|ok dann|okay dann|also dann|na dann|gut dann|geht auf|geht in|geht an|kommt auf|kommt in|kommt an|hallo zusammen|hallo alle|bitte|danke|danke schön|vielen dank|hallo|hi|guten morgen|guten tag|guten abend|moin|gern|gerne|jetzt"
        "|ich möchte|möchte ich|ich moechte|moechte ich|ich will|ich würde gern|ich würde gerne|ich spiele|spiele ich|ich nehme"
        "|ich|spiele|spiel|spielen|mein zug ist|mein zug|hier ist mein zug|ich denke ich|ich denke ich nehme|lass uns|lasst uns"
        "|versuche|versuche mal|versuchen|versuchen wir|versuchen wir mal|versuchen wir es|versuchen wir's"
        "|probiere|probiere mal|probieren|probieren wir|probieren wir mal|probieren wir es|probieren wir's"
    ),
    "fr": (
        "ok alors|d'accord alors|alors|donc|va sur|va dans|va en|s'il te plaît|s'il te plait|s'il vous plaît|s'il vous plait|stp|svp|merci|merci beaucoup|bonjour à tous|salut à tous|bonjour|bonsoir|salut"
        "|je voudrais|j'aimerais|je veux|je vais|je joue|je prends|je|joue|jouer|mon coup est|mon coup|voici mon coup|maintenant"
        "|essayons|essayer|j'essaie|j'essaye|tentons|jouons|je tente|je pense que je vais|je pense que je vais prendre"
    ),
    "it": (
        "ok allora|va bene allora|allora|va su|va sul|va sulla|va in|va nel|per favore|per piacere|per cortesia|grazie|grazie mille|ciao a tutti|ciao|salve|buongiorno|buonasera|vorrei|voglio|io gioco|io|prendo"
        "|gioco|gioca|giocare|la mia mossa è|la mia mossa|ecco la mia mossa|adesso|ora"
        "|proviamo|proviamo con|provo|provo con|provare|giochiamo|giocherò|penso che giocherò|penso di giocare"
    ),
}
_PARTICLES: Mapping[str, str] = {
    "en": "my|the|an|on|onto|in|into|to|at|of|for|with",
    "de": (
        "mein|meine|meinen|meinem|meiner|der|die|das|den|dem|ein|eine|einen|einem|einer"
        "|auf|auf's|aufs|in|im|ins|an|am|zu|zum|zur|mit"
    ),
    "fr": "mon|mes|le|la|les|un|une|sur|dans|à|au|aux|en|du|de",
    "it": (
        "mio|mia|il|lo|la|gli|le|un|uno|una|su|sul|sullo|sulla|sui|sulle|nel|nello|nella|nei|in|al|allo|alla|ai"
        "|del|dello|della|dei"
    ),
}
_MOST_SUGGESTED = 20  # words of a line in which we look for a move
_MOST_SIMILAR = 4
_SHORTEST_NAME = 3  # characters
_ALIKE = 0.75
_ALIKE_IF_SHORT = 0.65  # two of three letters
_ONE = ("one", "un", "uno")  # also articles and pronouns, so the game sees what stands before them
_BEFORE_ONE = ("my", "the", "mon", "le", "mio")
_STRAY = ".,:!()-–"
_CHEERFUL = re.compile(r"[👍🙂😀😃😄😁😊😉🙏✨⭐🌟🎉\N{VARIATION SELECTOR-16}]|(?<!\S)[:;]-?[)D](?!\S)")
_ANNOUNCES = re.compile(r"\b(?:move|turn|zug|coup|mossa)(?: is| ist| est| è)?\s?$", re.IGNORECASE)
_PARTS = re.compile(r"(?<=[.!])\s+|,\s+")
_FAREWELL = re.compile(  # with a capitalised name at its end
    r"(?i:many thanks|thanks|thank you|cheers|good luck|have fun|(?:all the )?best(?: wishes)?|(?:best |kind )?regards|bye"
    r"|danke(?: und gr(?:u|ü|ue)(?:ß|ss)e?)?|vielen dank|[lv]g|mfg|(?:viele |liebe |beste )?gr(?:u|ü|ue)(?:ß|ss)e?|viel (?:glück|spaß)"
    r"|merci|bonne chance|à bientôt|amitiés|bises|grazie|(?:tanti )?saluti|buona fortuna|a presto|ciao)"
    r"(?:[ ,]+(?:(?i:everyone|everybody|all|zusammen|allen|euch allen|à tous|a tutti|tutti)|([A-ZÄÖÜÉ][a-zäöüéèàß]{2,20})))?[.! ]*"
)
_HAIL = re.compile(  # perhaps with a capitalised name; `Hi Clara, ...` or `Hi! ...`
    r"(?:(?i:hi|hello|hey|dear|hallo|moin|servus|liebe[r]?|salut|bonjour|bonsoir|ch[eè]re?|ciao|salve|buongiorno|car[oa]) "
    r"([A-ZÄÖÜÉ][a-zäöüéèàß]{2,20})"
    r"|(?i:(?:hi|hello|hey|hallo|moin|servus|salut|bonjour|bonsoir|ciao|salve|buongiorno|good (?:morning|evening)|guten (?:morgen|tag|abend))"
    r"(?: (?:all|everyone|there|zusammen|alle|à tous|a tutti))?))\s?[,!.] "
)
_READABLE = re.compile(rf"[\w\s'’/.,:!()#–-]{{1,{LONGEST}}}")  # no question mark, quotation mark or emoji
_HESITATES = re.compile(r"\.\s?\.|…|!\s?!\s?!|_")
_BEHIND = re.compile(rf"[ ,]{{1,3}}(?:{PLEASE}|{THANKS})[ .!]{{0,3}}$", re.IGNORECASE)
_PASSES = re.compile(PASS, re.IGNORECASE)
_JOINED = re.compile(r"(?<=\d)(?=[^\W\d_])|(?<=[a-zß-öø-ÿ])(?=[A-ZÀ-ÖØ-Þ])")  # in `10toCapricorn`
_BETWEEN = re.compile(r"[/,]|(?<=\w)-(?=\w)")
_ELIDED = re.compile(r"\b(?:dell|nell|sull|all|un|l|d(?!'[a-z]\d))'(?=\w)")  # French and Italian articles
_FIELD = re.compile(r"[a-z]\d+")


def moves_in_sentence(line: str, grammar: Grammar) -> list[Any]:
    """Return the moves that a line fits, with or without polite words. Several mean that the line is unclear."""
    rules, locale, legal = _of(grammar)
    if len(line) > LONGEST:
        return []
    if passes(line, locale):
        return meant_moves(rules, PASSING, locale, legal)
    found = meant_moves(rules, _BEHIND.sub("", line), locale, legal)
    if found:
        return found
    begins, colon, rest = (sentence := _sentence(line)).partition(":")
    if colon and (":" in rest or not _announces(begins, locale)):
        return []  # such as `Ten: on Leo c`, which another player with this name may have said
    words = " ".join(_words(rest if colon else sentence, locale))
    return meant_moves(rules, words, locale, legal) if words != PASSING else []  # such as German "Pass auf!"


def fitting_moves_in(line: str, grammar: Grammar) -> list[Any]:
    """Return the legal moves of which a line names only a part, in words that all belong to them."""
    rules, locale, legal = _of(grammar)
    return fitting_moves(rules, " ".join(_words(_sentence(line), locale)), locale, legal)


def passes(line: str, locale: str) -> bool:
    """Return whether a line only says that the player passes, with or without polite words."""
    return _PASSES.fullmatch(" ".join(_words(_sentence(line), locale, _POLITE))) is not None


def strange_word_in(line: str, grammar: Grammar) -> str:
    """Return the word because of which a line that seems to name a move can't be read, or ""."""
    rules, locale, _ = _of(grammar)
    for step in line.split(";"):
        begins, colon, rest = (sentence := _sentence(step)).partition(":")
        said = rest if colon and _announces(begins, locale) else sentence
        if word := strange_word(rules, " ".join(_words(said, locale)), locale):
            return word
    return ""


def faulty_step_in(line: str, grammar: Grammar) -> str:
    """Return the first step that can't be read in a line with several, of which at least one can be read, or ""."""
    steps = [step for it in line.split(";") if (step := it.strip())]
    unread = [it for it in steps if move_in(it, grammar.rules) is None and len(moves_in_sentence(it, grammar)) != 1]
    return unread[0] if 0 < len(unread) < len(steps) else ""


def unknown_word_in(line: str, grammar: Grammar) -> str:
    """Return the first word that no language's moves contain, in a line with other words that they contain, or ""."""
    rules, locale, _ = _of(grammar)
    known = set().union(*(known_words(rules, it) for it in LOCALES))
    words = _words(_sentence(line), locale)
    unknown = [it for it in words if it not in known]
    return unknown[0] if 0 < len(unknown) < len(words) else ""


def fault_of(line: str, view: Json, grammar: Grammar) -> str:
    """Return what is wrong with a line that seems to name a move, a sentence, or ""."""
    rules, locale, _ = _of(grammar)
    return fault(rules, " ".join(_words(_sentence(line), locale)), view, locale)


def words_in_place_of(strange: str, line: str, grammar: Grammar) -> list[str]:
    """Return what the legal moves that are otherwise written as this line have in the place of an unknown word."""
    rules, locale, legal = _of(grammar)
    words = _words(_sentence(line), locale)
    if strange not in words:
        return []
    at = words.index(strange)
    before, behind = words[:at], words[at + 1 :]
    found = dict[str, None]()
    for move in legal:
        written = write_move(rules, move, locale).split()
        end = len(written) - len(behind)
        if at < end and [it.lower() for it in (*written[:at], *written[end:])] == [*before, *behind]:
            found[" ".join(written[at:end])] = None
    return list(found)


def nearest_move_in(line: str, grammar: Grammar) -> tuple[str, Any] | None:
    """Return a pair: an unknown word, and the only legal move that the line may mean. It means the move if a similar word
    replaces the unknown one, or if the unknown words are left out. Return None if the line may mean another move, or
    none.

    The move is only suggested to the player, never played.
    """
    rules, locale, legal = _of(grammar)
    words = _words(_sentence(line), locale)
    known = known_words(rules, locale)
    strange = [nr for nr, word in enumerate(words) if word not in known]
    if not strange or len(words) > _MOST_SUGGESTED or contradiction_in([line]):
        return None
    bare = (words[strange[0]], [word for word in words if word in known])
    similar = [
        (words[nr], [it if place == nr else word for place, word in enumerate(words) if place == nr or word in known])
        for nr in strange
        for it in _similar(words[nr], known)
    ]
    for readings in (similar, [bare]):
        meant = [(word, it) for word, said in readings for it in meant_moves(rules, " ".join(said), locale, legal)]
        if found := {write_move(rules, move, locale): (word, move) for word, move in meant if move in legal}:
            return next(iter(found.values())) if len(found) == 1 else None
    return None


def _of(grammar: Grammar) -> tuple[Rules, str, Sequence[Any]]:
    return grammar.rules.rules, grammar.locale, grammar.legal


def _similar(word: str, known: Collection[str]) -> list[str]:
    if len(word) < _SHORTEST_NAME or not word.isalpha():
        return []
    return get_close_matches(word, known, _MOST_SIMILAR, _ALIKE if len(word) > _SHORTEST_NAME else _ALIKE_IF_SHORT)


def _sentence(line: str) -> str:
    """Return a line without smileys, greeting by name, and courtesy at its end. Return "" for a question, and for any
    other line that can't be a plain sentence."""
    line = without_hail(_without_farewell(without_smileys(line[: LONGEST + 1])))
    return line if _READABLE.fullmatch(line) and not _HESITATES.search(line) else ""


def _announces(begins: str, locale: str) -> bool:
    """Return whether the words before a colon only announce a move, such as `Hi, my move is`."""
    found = _ANNOUNCES.search(begins)
    return found is not None and not (_words(begins, locale) and _words(begins[: found.start()], locale))


def without_announcement(line: str, locale: str) -> str:
    """Return a line without the words that only announce a move, such as `My move:`. Another colon may follow a name."""
    begins, colon, rest = line.partition(":")
    return rest.strip() if colon and ":" not in rest and _announces(begins, locale) else line


def _without_farewell(line: str) -> str:
    """Return a line without the courtesy at its end, such as `Danke und Gruß, Ada`."""
    for end in _PARTS.finditer(line):
        found = _FAREWELL.fullmatch(line, end.end())
        if found and not contradiction_in([found[0]]) and not (found[1] and contradiction_in([found[1]])):
            return line[: end.start()]
    return line


def without_hail(line: str) -> str:
    """Return a line without a greeting by name at its beginning, such as `Hi Clara,`."""
    found = _HAIL.match(line)
    return line[found.end() :] if found and not (found[1] and contradiction_in([found[1]])) else line


def without_smileys(line: str) -> str:
    return _CHEERFUL.sub(" ", line).strip()


def _words(text: str, locale: str, left_out: Collection[str] | None = None) -> list[str]:
    plain = _BETWEEN.sub(" ", _ELIDED.sub("", _JOINED.sub(" ", text).lower().replace("’", "'")))
    return list(_left([word for raw in plain.split() if (word := raw.strip(_STRAY))], locale, left_out or _FILLERS))


def _left(words: list[str], locale: str, left_out: Collection[str]) -> Iterator[str]:
    place = 0
    while place < len(words):
        if length := _filler_at(words, place, locale, left_out):
            place += length
        else:
            yield words[place]
            place += 1


def _filler_at(words: list[str], place: int, locale: str, left_out: Collection[str]) -> int:
    """Return how many words the longest filler has that begins here, or 0."""
    if words[place] in _BEFORE_ONE and words[place + 1 : place + 2] and words[place + 1] in _ONE:
        return 0
    for length in range(min(_MOST, len(words) - place), 0, -1):
        if words[place + length - 1] in ("de", "du") and _FIELD.fullmatch("".join(words[place + length :][:1])):
            continue  # it means "from", as in `déplace sur b2 de a1`
        phrase = " ".join(words[place : place + length])
        if phrase in left_out or (phrase == "ma" and locale == "fr" and left_out is _FILLERS):
            return length
    return 1 if words[place] == "i" and not place else 0  # the pronoun; elsewhere, it may be a space


_POLITE = frozenset(phrase for phrases in _PHRASES.values() for phrase in phrases.split("|"))
_FILLERS = _POLITE.union(*(words.split("|") for words in _PARTICLES.values()))
_MOST = max(len(phrase.split()) for phrase in _FILLERS)
