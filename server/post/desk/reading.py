"""The parser of emails to the post desk: pure functions that turn lines into commands.

It ignores capitals, punctuation, quotation marks, bullets, greetings and signatures. A line that resembles a command
without being one is reported, so that no request is silently ignored.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from unicodedata import normalize

from server.post.desk import commands
from server.post.desk.arguments import ANY, is_game
from server.post.desk.commands import BY_NAME, NAME, SET, setting_of, words_of
from server.post.incoming.doubt import contradiction_in, is_courtesy
from server.post.incoming.replies import Mail
from server.sanitize import clean, without_unseen

MOST = 10  # commands per email
LONGEST = 200  # characters per command
_PROSE = 5  # words; a longer line that doesn't begin with a command is prose
_ALIKE = 0.75  # similarity of a word and a misspelt command

_SAME = {ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212"}
_SAME |= {ord(mark): '"' for mark in "“”„‟«»"} | {ord(mark): "'" for mark in "‘’‚‛ʼ´`"} | {ord("…"): "...", 0xA0: " "}
_BULLET = re.compile(r"(?:[-*•·–>#]+|\(?\d{1,2}[.)])\s+")
_AROUND = " \t\"'.,;:!?*_`"
_PLEASE = "please|bitte|s'il (?:te|vous) pla[iî]t|stp|svp|per favore|per piacere"
_BEFORE = re.compile(rf"(?:(?:{_PLEASE}|hi|hello|hallo|bonjour|ciao)[ ,!:]+)+", re.IGNORECASE)
_BEHIND = re.compile(rf"(?:[ ,]+(?:{_PLEASE}|thanks|thank you|danke|merci|grazie))+$", re.IGNORECASE)
_SUBJECT = re.compile(r"(?:(?:re|aw|sv|antw|fwd?|wg|tr|rif|r|i)\s?:\s*)+", re.IGNORECASE)
_YES = re.compile(r"(?:yes|ja|oui|s[iì])(?:[ ,.!]+(?:please|thanks|bitte|danke|merci|grazie))?", re.IGNORECASE)
_DENIAL = re.compile(
    r"\b(?:not|never|nicht|nichts|nie|kein\w*|pas|jamais|rien|aucune?|non|mai|niente|nessun\w*)\b|n't\b", re.IGNORECASE
)
_NOTICE = 12  # words
_NO = re.compile(r"(?:no|nein|non)(?:[ ,.!]+(?:thanks|thank you|danke|merci|grazie))?", re.IGNORECASE)


@dataclass(frozen=True)
class Asked:
    """A line that asks for something. `command` is "" if the line is not a command. `near` is then the command that it
    resembles."""

    line: str
    command: str
    rest: str = ""
    near: str = ""

    @property
    def canonical(self) -> str:
        """Return the command in English words, as it is stored until it is confirmed."""
        return f"{self.command} {self.rest}".strip()


@dataclass(frozen=True)
class Request:
    """The requests in an email."""

    asked: tuple[Asked, ...]
    says_yes: bool = False
    says_no: bool = False
    is_cut: bool = False  # whether there were more commands than `MOST`
    prose: str = ""  # the first line of an email without commands


def read_request(mail: Mail, locale: str) -> Request:
    """Return what an email asks for, in English or in this language. If the email is empty, the request may be in its
    subject. A `yes` that other lines question or contradict doesn't count."""
    lines = [line for line in map(_bare, mail.lines) if line]
    if not lines:
        is_empty = mail.doubt in (None, "no-text")  # otherwise the email has a text that can't be read
        lines = [it] if is_empty and (it := _bare(_SUBJECT.sub("", mail.subject))) else []
        found = [it for it in _asked(lines, words_of(locale)) if it.command]
        return Request(tuple(found), says_yes=any(map(_YES.fullmatch, lines)))
    says_yes, says_no = _says(_YES, lines) and not _is_contradicted(mail.lines), _says(_NO, lines)
    found = list(_asked(lines, words_of(locale)))
    if not any(it.command for it in found):
        near = [it for it in found if it.near]
        said = "" if near else next((it for it in lines if not is_courtesy(it)), "")
        return Request(tuple(near[:MOST]), says_yes, says_no, prose=clean(said, LONGEST))
    last = max(nr for nr, it in enumerate(found) if it.command)
    asked = [it for nr, it in enumerate(found) if it.command or it.near or nr < last]  # what follows may be a signature
    return Request(tuple(asked[:MOST]), says_yes, says_no, len(asked) > MOST)


def read_line(line: str, locale: str = "en") -> Asked | None:
    """Return the command in a line, or None if there is none."""
    return _command(_bare(line), words_of(locale))


def commands_beside_table(lines: Sequence[str], locale: str) -> list[Asked]:
    """Return the commands of the post desk in a reply to an email about a game, if the reply contains nothing else.

    Words that are also commands at tables are left to the table.
    """
    words = commands.words_beside_tables(locale)
    bare = [line for line in map(_bare, lines) if line and not is_courtesy(line)]
    found = []
    for line in bare:
        if (it := _command(line, words)) is None or not _is_whole(it):
            break
        found.append(it)
    below = bare[len(found) :]
    return found[:MOST] if found and all(_is_like_signature(it) for it in below) else []


def _is_like_signature(line: str) -> bool:
    return len(line.split()) <= 2 and not re.search(r"\d", line)


def _is_whole(it: Asked) -> bool:
    """Return whether the arguments have the form that the command requires, so that prose isn't mistaken for a
    command."""
    words = it.rest.split()
    first = words[0] if words else ""
    match it.command:
        case commands.SHOW | commands.HISTORY | commands.ARCHIVE | commands.LEAVE | commands.JOIN:
            return re.fullmatch(r"#?\d{1,6}", first) is not None or it.rest.lower() in ANY
        case commands.NEW | commands.PLAY | commands.FIND:
            return is_game(first)
        case commands.RULES | commands.STANDINGS:
            return len(words) <= 1
        case commands.HELP:
            return not words or it.rest.lower() in BY_NAME
        case commands.INVITE:
            return "@" in it.rest
        case commands.SET:
            return setting_of(first.lower()) is not None and 2 <= len(words) <= _PROSE
    return not words


def nearest(line: str, locale: str) -> str:
    """Return the command that a line resembles most, or "help" if it resembles none."""
    words = words_of(locale)
    first = [line.lower(), *line.lower().split()]
    for word in first:
        if found := get_close_matches(word, words, 1, 0.6):
            return words[found[0]]
    return commands.HELP


def _says(pattern: re.Pattern[str], lines: Sequence[str]) -> bool:
    first = next((line for line in lines if not is_courtesy(line) or pattern.fullmatch(line)), "")
    return pattern.fullmatch(first) is not None


def _is_contradicted(lines: Sequence[str]) -> bool:
    """Return whether a line questions a `yes`, or contradicts it. Long lines are ignored, since they are notices of
    companies."""
    denials = (line for line in lines if len(line.split()) <= _NOTICE and _DENIAL.search(line.translate(_SAME)))
    return bool(contradiction_in(lines)) or any(denials)


def _bare(line: str) -> str:
    """Return a line without bullets, quotation marks, surrounding punctuation and polite words."""
    text = normalize("NFC", without_unseen(line)).translate(_SAME).strip()
    text = _BULLET.sub("", text[: 2 * LONGEST], count=1).strip(_AROUND)
    text = _BEHIND.sub("", _BEFORE.sub("", text, count=1)).strip(_AROUND)
    return re.sub(r"\s+", " ", text)


def _asked(lines: Sequence[str], words: Mapping[str, str]) -> Iterator[Asked]:
    for line in lines:
        if found := _command(line, words):
            yield found
        elif _YES.fullmatch(line) or _NO.fullmatch(line) or is_courtesy(line):
            continue
        elif near := _near(line, words):
            yield Asked(line[:LONGEST], "", near=near)
        elif len(line.split()) <= _PROSE and not line.endswith(","):
            yield Asked(line[:LONGEST], "")


def _command(line: str, words: Mapping[str, str]) -> Asked | None:
    """Parse a line that begins with the words of a command. Capitals don't matter, and `:` or `=` may follow the
    words."""
    lower = line.lower()
    for word, name in words.items():
        if lower == word or (lower.startswith(word) and lower[len(word)] in " :="):
            rest = line[len(word) :].lstrip(" :=").strip(_AROUND)
            return Asked(line[:LONGEST], name, rest[:LONGEST])
    first, _, rest = line.partition(" ")
    if setting_of(first.lower().strip(":=")) == NAME and rest.strip(_AROUND):  # our first email suggests this form
        return Asked(line[:LONGEST], SET, f"{NAME} {rest.strip(' :=')}"[:LONGEST])
    return None


def _near(line: str, words: Mapping[str, str]) -> str:
    """Return the command whose word is misspelt in this line, or ""."""
    if len(line.split()) > 2 * _PROSE:
        return ""
    for part in (" ".join(line.lower().split()[:2]), line.lower().split()[0]):
        if len(part) > 2 and (found := get_close_matches(part, words, 1, _ALIKE)):
            return words[found[0]]
    return ""


def example_of(name: str, locale: str) -> str:
    """Return an example line of a command in this language."""
    return BY_NAME[name].example_in(locale)
