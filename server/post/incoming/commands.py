"""The words for commands. Players may use English words, or words of their own language."""

from collections.abc import Mapping, Sequence
from functools import cache
from unicodedata import normalize

SAY, PAUSE, RESUME, RESIGN, VACATION, CONFIRM, UNDO, AGREE, PLAN, READY, STAND_IN, HINT = COMMANDS = (
    "say",
    "pause",
    "resume",
    "resign",
    "vacation",
    "confirm",
    "undo",
    "agree",
    "plan",
    "ready",
    "stand-in",
    "hint",
)

_WORDS: Mapping[str, Mapping[str, Sequence[str]]] = {  # our emails use the first word of each
    "de": {
        SAY: ["sag"],
        PAUSE: ["pause"],
        RESUME: ["fortsetzen"],
        RESIGN: ["aufgeben"],
        VACATION: ["urlaub"],
        CONFIRM: ["bestätige", "bestaetige"],
        UNDO: ["zurücknehmen", "zuruecknehmen"],
        AGREE: ["zustimmen"],
        PLAN: ["plan"],
        READY: ["bereit"],
        STAND_IN: ["vertretung"],
        HINT: ["tipp"],
    },
    "en": {command: [command] for command in COMMANDS},
    "fr": {
        SAY: ["dis"],
        PAUSE: ["pause"],
        RESUME: ["reprendre"],
        RESIGN: ["abandonner"],
        VACATION: ["vacances"],
        CONFIRM: ["confirme"],
        UNDO: ["annuler"],
        AGREE: ["accepter"],
        PLAN: ["plan"],
        READY: ["prêt", "prête", "pret", "prete"],
        STAND_IN: ["remplaçant", "remplaçante", "remplacant", "remplacante"],
        HINT: ["conseil"],
    },
    "it": {
        SAY: ["di'", "dì"],
        PAUSE: ["pausa"],
        RESUME: ["riprendere"],
        RESIGN: ["abbandonare"],
        VACATION: ["vacanza", "vacanze"],
        CONFIRM: ["conferma"],
        UNDO: ["ritirare", "annullare"],
        AGREE: ["accettare", "accetto"],
        PLAN: ["piano"],
        READY: ["pronto", "pronta"],
        STAND_IN: ["sostituto", "sostituta"],
        HINT: ["suggerimento"],
    },
}
_RESIGNATIONS = frozenset(
    ("i resign", "i give up", "ich gebe auf", "ich gebe die partie auf", "j'abandonne", "j'abandonne la partie")
    + ("mi arrendo", "io mi arrendo", "abbandono", "abbandono la partita")
)
_STOPS = frozenset(
    ("stop", "unsubscribe", "abmelden", "abbestellen", "désabonner", "désinscrire", "disiscrivi", "disiscrivimi")
)
_APOSTROPHES = str.maketrans("‘’ʼ´`", "'''''")


def word_for(command: str, locale: str) -> str:
    """Return the word that emails in this language use for a command."""
    return _WORDS[locale][command][0]


def meaning(word: str, locale: str) -> str | None:
    """Return the command that this word means to a reader of this language, or None. Case is ignored."""
    return words_of(locale).get(_plain(word))


def resigns(line: str) -> bool:
    """Return whether a line is a whole sentence that means `resign`, in any language."""
    return _plain(line.strip(" .!")) in _RESIGNATIONS


def stops(line: str) -> bool:
    """Return whether a line asks, in any language, that we write no further emails."""
    return _plain(line.strip(" .!\"'")) in _STOPS


def _plain(words: str) -> str:
    return normalize("NFC", words.lower()).translate(_APOSTROPHES)


@cache
def words_of(locale: str) -> Mapping[str, str]:
    """Return all commands by word. English words are always included."""
    return {word: command for known in ("en", locale) for command, words in _WORDS[known].items() for word in words}
