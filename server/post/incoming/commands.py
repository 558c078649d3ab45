"""The words for commands. Players may use English words, or words of their own language."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final
from unicodedata import normalize

SAY, PAUSE, RESUME, RESIGN, VACATION, CONFIRM, UNDO, AGREE, PLAN, READY, STAND_IN, HINT = COMMANDS = (
    *("say", "pause", "resume", "resign", "vacation", "confirm", "undo", "agree", "plan", "ready", "stand-in", "hint"),
)


def _words(de: str, fr: str, it: str) -> Mapping[str, Sequence[str]]:
    return {"de": de.split(), "fr": fr.split(), "it": it.split()}


_WORDS = {  # our emails use the first word of each language
    SAY: _words("sag", "dis", "di' dì"),
    PAUSE: _words("pause", "pause", "pausa"),
    RESUME: _words("fortsetzen", "reprendre", "riprendere"),
    RESIGN: _words("aufgeben", "abandonner", "abbandonare"),
    VACATION: _words("urlaub", "vacances", "vacanza vacanze"),
    CONFIRM: _words("bestätige bestaetige", "confirme", "conferma"),
    UNDO: _words("zurücknehmen zuruecknehmen", "annuler", "ritirare annullare"),
    AGREE: _words("zustimmen", "accepter", "accettare accetto"),
    PLAN: _words("plan", "plan", "piano"),
    READY: _words("bereit", "prêt prête pret prete", "pronto pronta"),
    STAND_IN: _words("vertretung", "remplaçant remplaçante remplacant remplacante", "sostituto sostituta"),
    HINT: _words("tipp hinweis", "conseil", "suggerimento"),
}
OFF: Final = "off"
_OFF: Mapping[str, Sequence[str]] = {  # drops a plan or ends a stand-in; our emails use the first word of each
    "de": ["aus", "löschen", "loeschen"],
    "en": [OFF],
    "fr": ["annuler"],
    "it": ["annulla"],
}
_RESIGNATIONS = frozenset(
    ("i resign", "i give up", "ich gebe auf", "ich gebe die partie auf", "j'abandonne", "j'abandonne la partie")
    + ("mi arrendo", "io mi arrendo", "abbandono", "abbandono la partita")
)
PLEASE = "please|bitte|s'il (?:te|vous) pla[iî]t|stp|svp|per favore|per piacere"
THANKS = "thanks|thx|thank you|danke|merci|grazie"
_THANKED = re.compile(
    rf"(?<![ ,.!–-])[ ,.!–-]+(?:good game|gg|(?:{THANKS})(?: (?:all|for (?:the|a|this) (?:\w+ )?game|fürs spiel|für (?:das|die) (?:schöne )?(?:spiel|partie)"
    r"|pour (?:la|cette) (?:belle )?partie|per la (?:bella )?partita))?)$"
)
_STOP = (
    r"(?:stopp?|unsubscribe(?: me)?|opt[ -]out|(?:mich )?ab(?:melden|bestellen)|melde?t? mich (?:bitte )?ab"
    r"|(?:me |je (?:veux|voudrais) me )?dés(?:abonner|inscrire)|désabonne[zs]?(?:[ -]moi)?|désinscri(?:s|vez)(?:[ -]moi)?|désabonnement"
    r"|disiscri(?:vi(?:mi)?|vetemi|vermi|zione)|(?:cancella|annulla)(?:re|te)? (?:la (?:mia )?|l')iscrizione)"
    r"(?: (?:from|von|de|da) (?:this|these|the|your|all|diese[mnr]?|allen|ces?|cette|tous les|quest[aie])(?: mailing)? (?:lists?|e-?mails?|liste|courriels))?"
)
_STOPS = re.compile(
    rf"(?:(?:{PLEASE})[ ,.!]+)*{_STOP}(?:[ ,.!;–-]+(?:and |und |et |e )?(?:{_STOP}|{PLEASE}|{THANKS}))*"
)
_APOSTROPHES = str.maketrans("‘’ʼ´`", "'''''")


def word_for(command: str, locale: str) -> str:
    """Return the word that emails in this language use for a command."""
    return _WORDS[command].get(locale, [command])[0]


def meaning(word: str, locale: str) -> str | None:
    """Return the command that this word means to a reader of this language, or None. Case is ignored."""
    return words_of(locale).get(_plain(word))


def off_for(locale: str) -> str:
    """Return the word that emails in this language use for dropping a plan."""
    return _OFF[locale][0]


def drops(text: str, locale: str) -> bool:
    """Return whether this text asks to drop the plan."""
    return text in (*_OFF["en"], *_OFF[locale])


def resigns(line: str) -> bool:
    """Return whether a line is a whole sentence that means `resign`, in any language."""
    return _THANKED.sub("", _plain(line.strip(" .!"))).strip(" ,.!") in _RESIGNATIONS


def stops(line: str) -> bool:
    """Return whether a line asks, in any language, that we write no further emails."""
    return _STOPS.fullmatch(_plain(line.strip(" .!\"'"))) is not None


def _plain(words: str) -> str:
    return normalize("NFC", words.lower()).translate(_APOSTROPHES)


@cache
def words_of(locale: str) -> Mapping[str, str]:
    """Return all commands by word. English words are always included."""
    own = {word: command for command, words in _WORDS.items() for word in words.get(locale, ())}
    return {command: command for command in COMMANDS} | own
