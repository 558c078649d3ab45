"""Guesses the language in which a person without an account writes, for our first email and for the new account."""

import re
from collections.abc import Sequence

from server.post.desk.commands import COMMANDS
from server.translations import LOCALES

_COMMON = {  # frequent words that don't exist in the other three languages
    "de": "ich und der das ist nicht ein eine mit auf für wie kann möchte hallo guten liebe danke bitte spielen gerne ja",
    "en": "i the and is not with for how can would like hello hi dear thanks please want play yes my you",
    "fr": "je et le les est pas avec pour comment voudrais bonjour salut merci jouer des une oui nous vous",
    "it": "io gli è non con per come vorrei ciao buongiorno grazie giocare sono che una di sì mi",
}
_WORDS = {locale: set(words.split()) for locale, words in _COMMON.items()}
for _it in COMMANDS:
    _WORDS["en"] |= set(_it.name.split())
    for _locale, _said in _it.words.items():
        _WORDS[_locale] |= {word for said in _said for word in said.split()}


def language_of(lines: Sequence[str], subject: str, header: str = "", otherwise: str = "en") -> str:
    """Return the language of an email, from its words. If they are unclear, use its `Content-Language`, otherwise
    `otherwise`."""
    words = re.findall(r"[^\W\d_]+", " ".join([*lines, subject]).lower())
    found = {locale: sum(word in known for word in words) for locale, known in _WORDS.items()}
    best = max(found.values())
    named = header.strip().lower()[:2]
    if best == 0:
        return named if named in LOCALES else otherwise
    likely = [locale for locale, number in found.items() if number == best]
    return next(it for it in (named, otherwise, "en", *likely) if it in likely)
