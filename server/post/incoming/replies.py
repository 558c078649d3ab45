"""Parser of replies to our emails: pure functions that turn bytes into wishes.

A move counts only if a line is exactly that move, and nothing in the email casts doubt on it. The line is in the game's
notation or a sentence (see `lines`). It is better to ask once too often than to play a move that wasn't intended.
Greetings and sentences next to a move are harmless, but near misses are not.
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from itertools import chain, pairwise, takewhile
from types import MappingProxyType
from typing import Any, NamedTuple

from server.games import GAMES
from server.post.incoming.authentication import is_authentic, is_forged
from server.post.incoming.automatic_mail import is_automatic
from server.post.incoming.doubt import (
    begins_with_question,
    contradiction_in,
    ends_with_question,
    is_question,
    questions_in,
    remarks_in,
)
from server.post.incoming.lines import (
    PICTURE,
    Grammar,
    Line,
    Spoken,
    Wishes,
    known_lines,
    prose_line,
    read_lines,
    settings_by_line,
    together,
)
from server.post.incoming.mime import Doubt, Head, decoded, head_and_body, readings_of
from server.post.incoming.notices import without_notices
from server.post.incoming.quotes import own_lines
from server.sanitize import email_address

MOST_LINES = 300
MOST_WORDS = 2_500


@dataclass(frozen=True)
class Mail:
    """An inbound email.

    `doubt` is the reason why the email can't be read with certainty: `encrypted`, `undecodable`, `unknown-charset`,
    `no-text` (attachments only), `too-large`, `too-nested` or `broken`.
    """

    sender: str | None  # the only address in From, which may be forged; None if ambiguous
    automatic: bool
    lines: tuple[str, ...]  # the person's own
    message_id: str | None
    subject: str
    doubt: str | None
    beside: tuple[str, ...] | None = None  # the person's own lines in the HTML part, if there is one
    answers: str = ""  # the id of the email that it answers
    written_at: datetime | None = None  # as the sender says
    named: str = ""  # From, decoded
    is_forged: bool = False  # whether the sender's domain disowns it
    is_authentic: bool = False  # whether the sender's domain has signed or authorized it

    def is_from(self, email: str) -> bool:
        """Return whether this address is the only sender. Case is ignored."""
        return self.sender is not None and self.sender.lower() == email.lower()

    def written_before(self, at: datetime) -> bool:
        return self.written_at is not None and self.written_at < at


class Reply(NamedTuple):
    """An email whose lines have been parsed for a table (see `Mail`)."""

    mail: Mail
    grammar: Grammar
    lines: Sequence[Line]
    beside: Sequence[Line] | None


# Reading


def read(raw: bytes, known: str = "") -> Mail:
    """Parse an email. `known` is the address of the expected player, which may be that of a postmaster."""
    head, body = head_and_body(raw)
    words, doubt = _own_words(head, body)
    sender = _sender(head)
    return Mail(
        sender=sender,
        automatic=is_automatic(head, known if sender and sender.lower() == known.lower() else ""),
        lines=words[0],
        message_id=head.message_id,
        subject=head.subject,
        doubt=doubt,
        beside=words[1] if len(words) > 1 else None,
        answers=head.first("in-reply-to")[:_LONGEST_ID].strip(),
        written_at=_date_of(head),
        named=decoded(head.first("from")[:_LONGEST_FROM]),
        is_forged=is_forged(head),
        is_authentic=is_authentic(head, (sender or "").rpartition("@")[2].lower()),
    )


def _date_of(head: Head) -> datetime | None:
    try:
        found = parsedate_to_datetime(head.first("date")[:_LONGEST_ID])
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return None


def _own_words(head: Head, body: bytes) -> tuple[list[tuple[str, ...]], str | None]:
    try:
        readings = readings_of(head, body)
    except Doubt as doubt:
        return [()], doubt.code
    if any(line.text.strip() == "-----BEGIN PGP MESSAGE-----" and not line.quoted for line in chain(*readings)):
        return [()], "encrypted"
    words = [own_lines(seen, lambda words: contradiction_in([words]) != "") for seen in readings]
    if any(len(lines) > MOST_LINES or sum(len(line.split()) for line in lines) > MOST_WORDS for lines in words):
        return [()], "too-large"
    return words, None


_LONGEST_FROM = 1000
_LONGEST_ID = 300
_QUOTED, _COMMENT = re.compile(r'(?<!\\)"(?:[^"\\]|\\.){0,1000}+"'), re.compile(r"(?<!\\)\([^()\\]{0,1000}+\)")
_COMMENTS_WITHIN = 3  # levels of nesting
_FROM = re.compile('(?:[^<>,;:"()\\\\]*+<\\s*+([^<>\\s]++)\\s*+>|[\\s\2]*+([^<>\\s,;:"()\\\\\1\2]++))[\\s\2]*+')
_BESIDE_ADDRESS = re.compile(r"""[\s<>,;:"'()\[\]\1\2]+""")


def _sender(head: Head) -> str | None:
    """Return the only address in From. Return None if From contains another address, even in a name, quotes or a
    comment.

    Mail programs disagree on which of two addresses counts (CVE-2023-27043).
    """
    values = head.all("from")
    if head.flawed or len(values) != 1 or len(values[0]) > _LONGEST_FROM or re.search("[\1\2]", values[0]):
        return None
    bare = _QUOTED.sub("\1", values[0])
    for _ in range(_COMMENTS_WITHIN):
        bare = _COMMENT.sub("\2", bare)
    found = _FROM.fullmatch(bare)
    if found is None:
        return None
    try:
        address = email_address(found[1] or found[2])
    except ValueError:
        return None
    named = {it.lower() for it in _BESIDE_ADDRESS.split(f"{bare} {values[0]} {decoded(values[0])}") if "@" in it}
    return address if named <= {address.lower(), "@"} and not re.search(r"@(?:\s|\Z)|(?:\s|\A)@", bare) else None


# Understanding

_ADDED = re.compile(  # what programs add to plain text: pictures, link targets, smileys
    rf"{PICTURE.pattern}|[<(\[](?:https?|mailto|tel|callto|sip|x-apple-data-detectors):[^<>()\[\]\s]{{0,2000}}[>)\]]"
    r"|\[https?:[^\[\]\s]{0,2000}\]|<[^<>\s]{1,100}\.(?:png|gif|jpe?g|webp)>|(?<!\w)(?:[:;=8][-o^]?[)(\[\]DPpOo|/\\*3]|[xX]D|<3|:'\()(?!\w)",
    re.IGNORECASE,
)
_PROSE = 4  # words; a longer line of our email can't have been retyped by chance
_TITLE = 4  # words of a title above a quote
_KEY = 40  # characters that identify a line; no program wraps lines earlier


class Table(NamedTuple):
    """What is known at a table about an email to one of its seats."""

    rules_name: str
    locale: str
    scope: str  # identifies the seat
    before: Collection[str]  # the hashes of the lines that took effect in earlier emails for the seat
    legal: Sequence[Any]
    settings: Mapping[str, str]  # see `settings_beside_table`
    ours: Sequence[str] = ()  # see `understand`
    repeated: Collection[str] = ()


def read_wishes(mail: Mail, table: Table) -> tuple[Wishes, set[str]]:
    """Return a pair: what an email asks for at a table, and the hashes of the lines that take effect."""
    scope = table.scope
    reply = parse(mail, GAMES[table.rules_name], table.locale, table.legal, table.settings)
    wishes = understand(reply, table.ours, table.repeated, lambda key: _hash(scope, key) in table.before)
    return wishes, {_hash(scope, key) for key in acting_keys(reply)}


def _hash(scope: str, key: str) -> str:
    return sha256(f"{scope}/{key}".encode()).hexdigest()[:16]


def parse(
    mail: Mail,
    rules: Any,
    locale: str = "en",
    legal: Sequence[Any] = (),
    settings: Mapping[str, str] = MappingProxyType({}),
) -> Reply:
    """Parse every line of an email as a move in this game's notation or a command in this language. A line that fits
    only one of the `legal` moves is that move."""
    signed = {word for word in re.split(r"[\W\d_]+", (mail.sender or "").partition("@")[0].lower()) if len(word) > 1}
    grammar = Grammar(Spoken(rules, locale), legal, settings_by_line(settings, locale), signed)
    lines = read_lines(mail.lines, grammar)
    if mail.beside is None:
        return Reply(mail, grammar, lines, None)
    beside = read_lines(mail.beside, grammar)
    return Reply(mail, grammar, _as_on_page(lines, beside), beside)


def _as_on_page(lines: Sequence[Line], beside: Sequence[Line]) -> list[Line]:
    """Where a line of the plain text corresponds to an effective line of the HTML part, replace it with that line.

    Programs add bullets, link targets and emphasis marks to plain text.
    """
    acting = {letters: line for line in beside if line.command and (letters := _letters(line.text))}
    return [acting.get(_letters(line.text), line) for line in lines]


def _letters(text: str) -> str:
    """Return those characters of a line that are the same in plain text and HTML. Links, images and emoji are
    ignored."""
    return re.sub(r"[\W_]", "", _ADDED.sub(" ", text)).lower()


def understand(
    reply: Reply,
    ours: Sequence[str] = (),
    repeated: Collection[str] = (),
    stood: Callable[[str], bool] = lambda key: False,
) -> Wishes:
    """Return what the person asks for.

    `ours` are the lines of our emails that the email may quote, in order. A person may retype an example move. But some
    of our prose begins an unmarked copy of our email. So do three of our lines in a row, or two of which at least one
    wouldn't take effect. Other lines in such a copy that would take effect are a problem. `repeated` are lines in our
    emails that the person had written first, and may repeat.

    `stood` returns whether a line with this key (see `keys_of`) was in an earlier email of the person. Such a line
    takes effect again only if it is clearly new: above it there are only greetings, lines that take effect, marked
    quotes, and whole sentences without a digit, colon or address. What programs write above a quote is none of these in
    any language. If the line isn't clearly new, the reply ends there, provided that a line above takes effect and
    nothing below is new. Otherwise the line is `perhaps-quoted`.

    A new line is `perhaps-quoted` if it is below anything that may begin a quote. A line that our email offered is also
    `perhaps-quoted` if it is below a title, which is a few words without the end of a sentence.
    """
    mail, grammar = reply.mail, reply.grammar
    if mail.automatic:
        return Wishes(problem="automatic")
    if mail.doubt:
        return Wishes(problem="too-long" if mail.doubt == "too-large" else "unreadable")
    known = _Known(grammar, *known_lines(ours, repeated, grammar), stood)
    wishes = known.understood(reply.lines)
    if not wishes.problem and reply.beside is not None:
        beside = known.understood(reply.beside)
        if beside.problem in ("in-a-sentence", "spoken-against", "perhaps-quoted"):
            return beside
        if _by_letters(wishes) != _by_letters(beside):
            return Wishes(problem="parts-differ", line=wishes.move or beside.line)
    return wishes


@dataclass(frozen=True)
class _Known:
    """What is known about an email whose lines are read, see `understand`."""

    grammar: Grammar
    ours: Sequence[str]
    repeated: Collection[str]
    stood: Callable[[str], bool]

    def understood(self, lines: Sequence[Line]) -> Wishes:
        own, copied = self._split_at_copy(lines)
        is_reply = any(line.command for line in own)
        for line in copied:
            counts = line.command is not None and not (is_reply and line.command.is_harmless)
            if (counts or line.is_near) and not self._is_old(line):
                return Wishes(problem="amid-our-letter", line=line.text)
        if any(line.text for line in lines) and not any(line.text for line in own):
            asked = [line for line in copied if is_question(line.prose)]
            return self._wishes(asked) if asked else Wishes(problem="only-our-letter")
        # a notice may stand above a quote, and a hint may be a name
        unclear = (
            nr
            for nr, line in enumerate(own)
            if line.is_unclear or (line.command and line.command.hints and not line.manner.is_harmless_above)
        )
        below = range(next(unclear, len(own)), len(own))
        old = next((nr for nr in below if self._is_old(own[nr])), None)
        written = without_notices([line.prose for line in own])  # by companies and gateways
        own = [
            line if line.command or line.text == text else prose_line(text, self.grammar, above)
            for above, line, text in zip((Line(""), *own), own, written, strict=False)
        ]
        if old is None:
            quoted = self._below_a_title(own)
            return Wishes(problem="perhaps-quoted", line=quoted.text) if quoted else self._wishes(own)
        wishes = self._wishes(own[:old])
        if wishes.problem == "not-understood" and not wishes.is_prose:
            return replace(wishes, fine=tuple(line.text for line in own if line.command))
        is_mixed = any(line.acts and not self._is_old(line) for line in own[old:])
        if is_mixed or wishes.problem in ("nothing-said", "not-understood"):
            return Wishes(problem="perhaps-quoted", line=own[old].text)
        return wishes

    def _is_old(self, line: Line) -> bool:
        if line.command and line.command.move:
            return self.stood(line.text.lower()) or all(map(self.stood, line.command.move.split("; ")))
        return any(map(self.stood, keys_of(line)))

    def _split_at_copy(self, lines: Sequence[Line]) -> tuple[Sequence[Line], Sequence[Line]]:
        """Return a pair: the lines above an unmarked copy of our emails, and those lines in and below the copy that
        aren't ours. A part of one of our lines, which a program may have wrapped, counts unless it comes near a move or
        command.
        """
        letter = [line for line in self.ours if line]
        whole = " ".join(letter)
        written = [place for place, line in enumerate(lines) if line.text]
        runs = {*pairwise(letter), *zip(letter, letter[1:], letter[2:], strict=False)}

        def is_prose(line: Line) -> bool:
            return (
                not line.command
                and len(line.text.split()) >= _PROSE
                and line.text not in self.repeated
                and (line.text in letter or (line.text in whole and not line.is_near))
            )

        def is_run(places: Sequence[int]) -> bool:
            """Return whether these lines begin a copy. A person may retype lines if all of them take effect, unless
            they are three moves."""
            commands = [command for place in places if (command := lines[place].command)]
            is_example = len(commands) == 3 and all(command.move for command in commands)
            return (len(commands) < len(places) or is_example) and tuple(lines[it].text for it in places) in runs

        def begins(nr: int) -> bool:
            return is_prose(lines[written[nr]]) or is_run(written[nr : nr + 2]) or is_run(written[nr : nr + 3])

        begin = next((nr for nr in range(len(written)) if begins(nr)), None)
        if begin is None:
            return lines, []
        while begin and f"{lines[written[begin - 1]].text} {lines[written[begin]].text}" in whole:
            begin -= 1  # examples directly above our prose, even if a program has wrapped or joined lines
        first = written[begin]
        return lines[:first], [line for line in lines[first:] if line.text not in whole]

    def _below_a_title(self, lines: Sequence[Line]) -> Line | None:
        """Return the first line that would take effect, if our email offered it and it stands in a quote without marks.
        Otherwise return None.

        Mail programs write a title above a quote, such as `On Monday, X wrote:`. In languages that we don't know, a few
        words that don't end a sentence count as a title.
        """
        place = next((nr for nr, line in enumerate(lines) if line.acts), None)
        offered = {line.lower() for line in self.ours} - {line.lower() for line in self.repeated}
        if place is None or lines[place].text.lower() not in offered:
            return None
        for line, below in pairwise(lines[: place + 1]):
            stands_alone = not below.text or below.command is not None
            words = line.text.lower().split()
            is_title = len(words) <= _TITLE and "," not in line.text and not set(words) & set(self.grammar.signed)
            if line.is_unclear and (line.manner.may_begin_quote or (stands_alone and is_title)):
                return lines[place]
        return None

    def _wishes(self, lines: Sequence[Line]) -> Wishes:
        grammar, fine = self.grammar, tuple(line.text for line in lines if line.command)
        lines = self._without_hints_in_prose(lines)
        if several := next((line.text for line in lines if not line.command and line.is_several), ""):
            return Wishes(problem="two-moves", line=several, fine=fine, unread=_unread(lines, several))
        commands, near = [line.command for line in lines if line.command], self._near_miss(lines)
        written = [line.prose for line in lines]
        against, questions = contradiction_in(written, grammar.is_light), questions_in(written)
        if near:
            others = tuple(it for it in questions if it != near)
            unread = _unread(lines, near)
            return Wishes(problem="not-understood", line=near, fine=fine, questions=others, unread=unread)
        if all(command.settings for command in commands):  # without any, or beside prose
            own = [line for line in lines if line.text]
            prose = [line.text for line in own if not (line.command or line.manner.is_courtesy)]
            first = prose[0] if prose else own[0].text if own else ""
            first = next((it.text for it in lines if it.is_strange), first)
            if not first:
                return Wishes(problem="nothing-said")
            others = tuple(it for it in prose if it != first) if not commands else ()
            return Wishes(problem="not-understood", line=first, fine=fine, others=others, is_prose=not commands)
        wishes = together(lines, grammar.rules)
        doubted = None if wishes.problem == "two-moves" else self._doubt(lines, against)
        begin = next(nr for nr, it in enumerate(lines) if it.command)
        wishes = doubted or wishes
        if wishes.problem and wishes.line:
            wishes = replace(wishes, fine=tuple(it for it in fine if it != wishes.line))
        return replace(wishes, questions=questions, remarks=remarks_in(written[begin:], grammar.signed))

    def _near_miss(self, lines: Sequence[Line]) -> str:
        """Return the first line that may be meant as a move or command, or as part of one, or ""."""
        for above, line in pairwise((Line(""), *lines)):
            if above.may_be_wrapped if line.command else line.is_near:
                return line.text
        places = [place for place, line in enumerate(lines) if line.command and line.command.move]
        for place in range(places[0], min(places[-1] + 2, len(lines))) if places else ():
            if (line := lines[place]).prose and (place < places[-1] or line.goes_on):
                return line.text
        return ""

    def _without_hints_in_prose(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Return these lines with each hint as prose that may belong to a sentence or signature, if there are other
        commands.

        The words for a hint are common ones, and a hint isn't worth holding up a move.
        """
        others = [place for place, line in enumerate(lines) if line.command and not line.command.hints]

        def is_prose(place: int) -> bool:
            is_signed = _prose_at(lines, place - 1).text != "" and others[0] < place
            return is_signed or _rest_of_sentence(lines, place) != ""

        return [
            line._replace(command=None) if others and line.command and line.command.hints and is_prose(place) else line
            for place, line in enumerate(lines)
        ]

    def _doubt(self, lines: Sequence[Line], against: str) -> Wishes | None:
        """Return the problem caused by prose next to the lines that take effect, or None if there is no problem."""
        for place in (place for place, line in enumerate(lines) if line.command):
            if line := _rest_of_sentence(lines, place):
                return Wishes(problem="in-a-sentence", line=line)
        if not any(line.acts for line in lines):
            return None
        intro = next((nr for nr, it in enumerate(lines) if it.is_unclear and it.manner.may_begin_quote), len(lines))
        if below := next((line for line in lines[intro:] if line.acts), None):
            return Wishes(problem="perhaps-quoted", line=below.text)
        line = next((it.text for it in lines if it.prose and it.passes), against)
        return Wishes(problem="spoken-against", line=line) if line else None


def _rest_of_sentence(lines: Sequence[Line], place: int) -> str:
    """Return the line directly above or below a line that takes effect, if both lines may belong to the same sentence.
    Otherwise return "". A greeting or a lead-in such as "I'd play" may begin a paragraph, and a wrapped question may stand
    beside the line."""
    before, above, below = (_prose_at(lines, place + it) for it in (-2, -1, 1))
    is_whole = above.manner.is_whole or (above.manner.begins and not before.text)
    if above.text and not is_whole and not ends_with_question(_paragraph(reversed(lines[:place]))[::-1]):
        return above.text
    return "" if below.manner.ends or begins_with_question(_paragraph(lines[place + 1 :])) else below.text


def _paragraph(lines: Iterable[Line]) -> list[str]:
    """Return the first lines up to an empty one or a command."""
    return [line.text for line in takewhile(lambda line: line.prose != "", lines)]


def _prose_at(lines: Sequence[Line], place: int) -> Line:
    return lines[place] if 0 <= place < len(lines) and not lines[place].command else Line("")


def keys_of(line: Line) -> set[str]:
    """Return the keys that identify a line that takes effect, even if it is rewritten or wrapped. A move has one key
    per step, and one for the line as written, since words such as "I pass" may mean another move later.

    A line that asks for the moves or a hint has no key, since repeating it is harmless.
    """
    command, text = line.command, line.text.lower()
    if command is None or command.is_harmless:
        return set()
    return {*command.move.split("; "), text} if command.move else {text[:_KEY]}


def acting_keys(reply: Reply) -> set[str]:
    """Return the keys of all lines in this email that would take effect."""
    return {key for line in chain(reply.lines, reply.beside or ()) for key in keys_of(line)}


def _by_letters(wishes: Wishes) -> Wishes:
    """Normalize wishes for comparison, since plain text and HTML differ in emphasis, links and line breaks. A hint
    counts only if it is the only wish, since empty lines can make it prose."""
    hints = wishes.hints and wishes == Wishes(hints=True)
    return replace(wishes, says=tuple(map(_letters, wishes.says)), hints=hints, line="")


def _unread(lines: Sequence[Line], faulty: str) -> tuple[str, ...]:
    """Return the lines beside the faulty one that may be meant as moves or commands, too."""
    near = (line.text for line in lines if not line.command and (line.is_near or line.is_several or line.is_strange))
    return tuple(it for it in dict.fromkeys(near) if it != faulty and not is_question(it))
