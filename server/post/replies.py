"""Reads what people answer to our letters: pure functions from octets to wishes.

A move acts only if a line is exactly that move in the game's notation, and nothing in the mail casts doubt on it:
better to ask once too often than to play once what nobody meant. Greetings and sentences beside it do no harm, but
whatever comes near to a move or a command without being one does.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from email.errors import HeaderParseError
from email.header import decode_header
from functools import lru_cache
from itertools import pairwise
from typing import Any, Protocol

from server.play import Json, MalformedMove, email_address
from server.play.words import clean
from server.post.parts import Doubt, Head, lines_of, split
from server.post.quotes import own_lines

LOOP = ("X-Loop", "sternenpost")  # on our answers, beside Auto-Submitted (RFC 3834)
MOST_LINES = 300
MOST_WORDS = 2_500


@dataclass(frozen=True)
class Mail:
    """A mail from outside.

    `sender` is None unless there is no doubt whom the head names: one From with one address. It may still be forged.
    `lines` are what the person wrote now. `doubt` says why the mail cannot be read with certainty: `encrypted`,
    `undecodable`, `unknown-charset`, `no-text` (files only), `too-large`, `too-nested` or `broken`.
    """

    sender: str | None
    automatic: bool
    lines: tuple[str, ...]
    message_id: str | None
    subject: str
    doubt: str | None


@dataclass(frozen=True)
class Wishes:
    """What a reply asks for. With a `problem`, it asks for nothing else, and `line` is where it was met.

    The problems: `automatic` (no person wrote; no answer either), `unreadable` (see `Mail.doubt`), `nothing-said`,
    `not-understood`, `two-moves`, `contradiction` (such as pause and resume), `amid-our-letter` (written into a copy
    of our letter that is not marked as a quote).
    """

    move: str | None = None  # in notation, steps joined by "; "
    asks: bool = False  # for the moves open
    says: tuple[str, ...] = ()
    pause: bool = False
    resume: bool = False
    resign: bool = False  # to be confirmed first, as is a vacation
    vacation: tuple[date, date] | None = None  # first and last day
    confirms: str | None = None  # the word after `confirm`
    problem: str | None = None
    line: str = ""


class Notation(Protocol):
    """What reading replies takes of a game: see server.rules."""

    MOVE_SCHEMA: Json

    def __hash__(self) -> int: ...
    def describe(self) -> Json: ...
    def read_move(self, text: str) -> Any: ...
    def write_move(self, move: Any) -> str: ...


# Reading


def read(raw: bytes, return_path: str | None = None) -> Mail:
    """The mail that these octets are, whatever they are. `return_path` is that of the envelope, "" for none."""
    head, body = split(raw)
    lines, doubt = _own_words(head, body)
    return Mail(
        sender=_sender(head),
        automatic=_is_automatic(head, return_path),
        lines=lines,
        message_id=_message_id(head),
        subject=_subject(head),
        doubt=doubt,
    )


def _own_words(head: Head, body: bytes) -> tuple[tuple[str, ...], str | None]:
    try:
        seen = lines_of(head, body)
    except Doubt as doubt:
        return (), doubt.code
    if any(line.text.strip() == "-----BEGIN PGP MESSAGE-----" and not line.quoted for line in seen):
        return (), "encrypted"
    lines = own_lines(seen)
    if len(lines) > MOST_LINES or sum(len(line.split()) for line in lines) > MOST_WORDS:
        return (), "too-large"
    return lines, None


_ATOM = r"[\w!#$%&'*+/=?^`{|}~.-]++"
_FROM = re.compile(rf'(?:(?:{_ATOM}|"(?:[^"\\\r\n]|\\.)*+")[ \t]*+)*+<([^<>\s]+)>|([^<>\s"]+)')


def _sender(head: Head) -> str | None:
    """Other readers, and parseaddr, find some address in nearly anything; two of them may find two (CVE-2023-27043)."""
    values = head.all("from")
    if head.flawed or len(values) != 1 or len(values[0]) > 1000:
        return None
    found = _FROM.fullmatch(values[0])
    if found is None:
        return None
    try:
        return email_address(found[1] or found[2])
    except ValueError:
        return None


def _message_id(head: Head) -> str | None:
    values = head.all("message-id")
    return values[0] if len(values) == 1 and re.fullmatch("<[!-;=?-~]{1,250}>", values[0]) else None


def _subject(head: Head) -> str:
    subject = head.first("subject")[:2000]
    try:
        words = decode_header(subject)
        subject = "".join(
            word.decode(charset or "ascii", "replace") if isinstance(word, bytes) else word for word, charset in words
        )
    except (HeaderParseError, LookupError, ValueError):
        pass
    return clean(subject, 200)


# Automatic mail (RFC 3834, and what is sent without regard to it)

_MACHINES = re.compile(
    r"mailer-daemon|^\W*(?:.*<)?(?:postmaster|no-?reply|do-?not-?reply|bounces?)(?:[+=-][^@]*)?@", re.IGNORECASE
)
_MARKS_OF_MACHINES = {
    *("x-autoreply", "x-autorespond", "x-autoresponder", "x-autoresponse", "x-auto-reply", "x-mail-autoreply"),
    *("x-auto-response-suppress", "x-autogenerated", "x-failed-recipients", "x-ms-exchange-inbox-rules-loop"),
}
_REPORTS = ("multipart/report", "message/delivery-status", "message/disposition-notification")
_SUBJECTS_OF_MACHINES = re.compile(
    r"(?:automatic reply|auto-?reply|auto(?:matic)? response|out of (?:the )?office|automatische antwort|abwesenheit\w*"
    r"|abwesend|réponse automatique|absence du bureau|risposta automatica|fuori (?:sede|ufficio)|assente dall.ufficio"
    r"|undeliver(?:ed|able)\b.*|delivery status notification.*|returned mail|mail delivery (?:failed|failure).*"
    r"|unzustellbar|read|not read|gelesen|ungelesen gelöscht|lu|letto|accusé de réception.*|lesebestätigung.*) ?:.*",
    re.IGNORECASE,
)


def _is_automatic(head: Head, return_path: str | None) -> bool:
    """Whether this is to be left without an answer."""
    if return_path in ("", "<>") or "<>" in head.all("return-path") or head.content_type in _REPORTS:
        return True
    return any(_tells_a_machine(name, value) for name, value in head.fields) or (
        _SUBJECTS_OF_MACHINES.fullmatch(_subject(head)) is not None
    )


def _tells_a_machine(name: str, value: str) -> bool:
    word = re.split(r"[;(\s]", value.strip().lower(), maxsplit=1)[0]
    match name:
        case "auto-submitted":
            return word not in ("", "no")
        case "precedence":
            return word in ("bulk", "junk", "list", "auto_reply")
        case "from" | "sender":
            return _MACHINES.search(value[:1000]) is not None
        case "x-loop":
            return LOOP[1] in value.lower()
    return (name in _MARKS_OF_MACHINES and word != "no") or name.startswith("list-")


# Understanding

_SPACES = re.compile(r"[\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u2060\ufe0e\ufe0f\ufeff"))
_SAME = {ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"} | {
    code: chr(code - 0xFEE0)
    for code in range(0xFF01, 0xFF5F)  # full-width forms
}
_NOTATION = re.compile("[A-Za-z0-9#; -]{1,200}")
_VACATION = re.compile(r"vacation ([0-9]{4}-[0-9]{2}-[0-9]{2}) ?[.][.] ?([0-9]{4}-[0-9]{2}-[0-9]{2})")
_CONFIRM = re.compile(r"confirm ([a-z0-9-]{1,40})")
_COMMANDS = ("pause", "resume", "resign", "vacation", "confirm")
_SHORT = 4  # words, of which one that means something alone makes the line look like a wish
_ALIKE = 0.75
_LONGEST_NOTATION = 20  # words
_LONGEST_WORD = 14  # characters, such as sagittarius and a star and a space
_PROSE = 4  # words from which on a line of our letter cannot have been typed anew by chance
_FULL_LINE = 60  # characters from which on a line may have been broken by the mail program


def understand(mail: Mail, rules: Notation, ours: Sequence[str] = ()) -> Wishes:
    """What the person wishes, in the notation of this game.

    `ours` are the lines of the letter that is answered, in order. A person may type a move that it gave as an example.
    But where a line of its prose turns up, or two of its lines in a row that are not both moves, a copy of it begins that nobody marked as a
    quote: from there on its lines are ours, and whatever else would act there is a problem.
    """
    if mail.automatic:
        return Wishes(problem="automatic")
    if mail.doubt:
        return Wishes(problem="unreadable")
    lines = _joined([_typed(line) for line in mail.lines], rules)
    own, copied = _parted(lines, [_typed(line) for line in ours], rules)
    for line in copied:
        if _means_something(line, rules):
            return Wishes(problem="amid-our-letter", line=line)
    return _wishes(own, rules)


def _typed(line: str) -> str:
    """The line as far as notation goes: blanks are blanks, dashes are dashes, and what nobody sees is gone."""
    return _SPACES.sub(" ", line.translate(_UNSEEN).translate(_SAME)).strip()


def _joined(lines: Sequence[str], rules: Notation) -> list[str]:
    """A line that ends with ; goes on in the next, and so does a long chat line, which was broken on the way."""
    joined: list[str] = []
    last = ""
    for line in lines:
        if line and (last.endswith(";") or (_may_go_on(joined, last) and not _means_something(line, rules))):
            joined[-1] += f" {line}"
        else:
            joined.append(line)
        last = line
    return joined


def _may_go_on(lines: Sequence[str], last: str) -> bool:
    """Whether the last of these lines is a chat line that a mail program may have broken."""
    return bool(lines) and _chat(lines[-1]) != "" and len(last) >= _FULL_LINE


def _means_something(line: str, rules: Notation) -> bool:
    return _deed(line, rules) is not None or _resembles(line, rules)


def _parted(lines: Sequence[str], ours: Sequence[str], rules: Notation) -> tuple[list[str], list[str]]:
    """The lines above an unmarked copy of our letter, and those amid and below it that are not ours."""
    letter = [line for line in ours if line]
    prose = {line for line in letter if len(line.split()) >= _PROSE and not _deed(line, rules)}
    pairs = {(one, other) for one, other in pairwise(letter) if not (_deed(one, rules) and _deed(other, rules))}
    whole = " ".join(letter)
    written = [place for place, line in enumerate(lines) if line]
    in_pairs = {one for one, other in pairwise(written) if (lines[one], lines[other]) in pairs}
    first = next((place for place in written if lines[place] in prose or place in in_pairs), len(lines))
    return list(lines[:first]), [line for line in lines[first:] if line not in whole]


def _wishes(lines: Sequence[str], rules: Notation) -> Wishes:
    deeds = [_deed(line, rules) for line in lines]
    for place, (line, deed) in enumerate(zip(lines, deeds, strict=True)):
        if _resembles(line, rules) if deed is None else _may_go_on(lines[:place], lines[max(0, place - 1)]):
            return Wishes(problem="not-understood", line=line)
    places = [place for place, deed in enumerate(deeds) if deed and deed.move]
    if places:
        for place in range(places[0], min(places[-1] + 2, len(lines))):
            if not deeds[place] and lines[place] and (place < places[-1] or _goes_on(lines[place], rules)):
                return Wishes(problem="not-understood", line=lines[place])
    found = [deed for deed in deeds if deed]
    if not found:
        said = next((line for line in lines if line), "")
        return Wishes(problem="not-understood", line=said) if said else Wishes(problem="nothing-said")
    moves = list(dict.fromkeys(deed.move for deed in found if deed.move))
    move = _one_move(moves, rules)
    if moves and move is None:
        return Wishes(problem="two-moves", line=moves[1])
    return _together(move, found)


def _together(move: str | None, deeds: Sequence[Wishes]) -> Wishes:
    vacations = {deed.vacation for deed in deeds if deed.vacation}
    confirms = {deed.confirms for deed in deeds if deed.confirms}
    pause, resume, resign = (any(getattr(deed, what) for deed in deeds) for what in ("pause", "resume", "resign"))
    if len(vacations) > 1 or len(confirms) > 1 or (pause and resume) or (resign and (move or pause or resume)):
        return Wishes(problem="contradiction", line="resign" if resign else "")
    return Wishes(
        move=move,
        asks=any(deed.asks for deed in deeds),
        says=tuple(text for deed in deeds for text in deed.says),
        pause=pause,
        resume=resume,
        resign=resign,
        vacation=next(iter(vacations), None),
        confirms=next(iter(confirms), None),
    )


def _one_move(moves: Sequence[str], rules: Notation) -> str | None:
    """The one move that these lines are: a step each, or a single line. A line of several steps stands alone."""
    if len(moves) < 2:
        return next(iter(moves), None)
    return None if any(";" in line for line in moves) else _move("; ".join(moves), rules)


def _deed(line: str, rules: Notation) -> Wishes | None:
    """What this line alone asks for, if it is exactly in notation."""
    if chat := _chat(line):
        return Wishes(says=(chat,))
    if move := _move(line, rules):
        return Wishes(move=move)
    word = line.lower()
    match word:
        case "?":
            return Wishes(asks=True)
        case "pause":
            return Wishes(pause=True)
        case "resume":
            return Wishes(resume=True)
        case "resign":
            return Wishes(resign=True)
    if found := _CONFIRM.fullmatch(word):
        return Wishes(confirms=found[1])
    if found := _VACATION.fullmatch(word):
        return _vacation(found[1], found[2])
    return None


def _chat(line: str) -> str:
    return line[4:].strip() if line[:4].lower() == "say " else ""


def _vacation(first: str, last: str) -> Wishes | None:
    try:
        days = date.fromisoformat(first), date.fromisoformat(last)
    except ValueError:
        return None
    return Wishes(vacation=days) if days[0] <= days[1] else None


def _move(line: str, rules: Notation) -> str | None:
    if not _NOTATION.fullmatch(line):
        return None
    try:
        return rules.write_move(rules.read_move(line))
    except MalformedMove:
        return None


# Near misses


def _resembles(line: str, rules: Notation) -> bool:
    """Whether somebody may have meant this line, which is in no notation, as a move or a command."""
    words = [word for raw in line.lower().split() if (word := raw.strip(".,:;!()[]{}<>\"'`*_~/\\|"))]
    if not words:
        return False
    if len(words) <= _SHORT and any(word in _COMMANDS for word in words):
        return True
    if words[0] in ("vacation", "say") or (len(words) == 1 and get_close_matches(words[0], _COMMANDS, 1, _ALIKE)):
        return True
    if _has_move_in(words, rules):
        return True
    if len(words) > _LONGEST_NOTATION:
        return False
    known = _vocabulary(rules)
    pieces = [piece for word in words for piece in _pieces(word, known)]
    corrected = [_corrected(piece, known) for piece in pieces]
    met = [word for word in corrected if word is not None]
    if len(met) >= 2 and 2 * len(met) >= len(corrected):
        return True
    if len(pieces) > _SHORT:
        return False
    small = [len(piece) == 1 or (len(piece) == 2 and piece.isdigit()) for piece in pieces]
    if any(len(word) > 2 for word in met) and (any(small) or _move(" ".join(met), rules)):
        return True
    return (len(pieces) == len(met) == 1 and met[0] in _verbs(rules)) or (
        len(pieces) > 1 and pieces[0].isdigit() and pieces[0] in known and all(len(piece) <= 3 for piece in pieces)
    )


def _has_move_in(words: Sequence[str], rules: Notation) -> bool:
    """Whether a move stands somewhere in this line."""
    return any(
        _move(" ".join(words[first:last]), rules)
        for first in range(len(words))
        for last in range(first + (1 if len(words) <= _SHORT else 2), min(first + _LONGEST_NOTATION, len(words)) + 1)
    )


def _goes_on(line: str, rules: Notation) -> bool:
    """Whether this may be the rest of a move that was broken off; a single word without a digit is a name."""
    words = line.lower().replace(";", " ").split()
    return not line.isalpha() and all(word in _vocabulary(rules) for word in words)


def _pieces(word: str, known: Mapping[str, None]) -> list[str]:
    """Two words may have been written as one: 7leo."""
    return [word] if word in known or len(word) > _LONGEST_WORD else re.findall("[a-z]+|[0-9]+", word) or [word]


def _corrected(word: str, known: Mapping[str, None]) -> str | None:
    """The word of the notation that this is, or is nearly."""
    if word in known:
        return word
    return (
        next(iter(get_close_matches(word, [it for it in known if len(it) > 2], 1, _ALIKE)), None)
        if len(word) > 2
        else None
    )


@lru_cache
def _vocabulary(rules: Notation) -> Mapping[str, None]:
    """The words of the game's notation: what its move schema lists, its examples, and the names of its material."""
    described = rules.describe()
    examples = " ".join(example["text"] for example in described["notation"]["examples"]).replace(";", " ")
    names = [*_names(described, {"id", "abbr"}), *examples.split()]
    return dict.fromkeys([*_verbs(rules), *(name.lower() for name in names)])


@lru_cache
def _verbs(rules: Notation) -> frozenset[str]:
    """The words of moves that name nothing of the material."""
    return frozenset(name.lower() for name in _names(rules.MOVE_SCHEMA, {"enum", "const"}))


def _names(value: Any, keys: set[str]) -> Iterator[str]:
    """Whatever texts and numbers stand in this JSON under one of the keys."""
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
