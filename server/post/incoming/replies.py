"""Parser of replies to our emails: pure functions that turn bytes into wishes.

A move counts only if a line is exactly that move, and nothing in the email casts doubt on it. The line is in the game's
notation or a sentence (see `sentences`). It is better to ask once too often than to play a move that wasn't intended.
Greetings and sentences next to a move are harmless, but near misses are not.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from email.utils import parsedate_to_datetime
from hashlib import sha256
from itertools import chain, pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

from server.games import GAMES
from server.post.incoming import commands
from server.post.incoming.authentication import is_authentic, is_forged
from server.post.incoming.automatic_mail import is_automatic
from server.post.incoming.commands import meaning, resigns
from server.post.incoming.doubt import (
    contradiction_in,
    is_courtesy,
    is_harmless_above,
    is_harmless_question,
    is_lead_in,
    is_question,
    questions_in,
    rest_of_sentence,
)
from server.post.incoming.help_lines import help_lines
from server.post.incoming.mime import Doubt, Head, decoded, readings_of, split
from server.post.incoming.near_misses import Grammar, Spoken, goes_on, has_move_in, has_words_of, move_in, resembles
from server.post.incoming.notices import without_notices
from server.post.incoming.planning import OFF, drops, read_plan
from server.post.incoming.quotes import is_drawn, may_begin_quote, own_lines
from server.post.incoming.sentences import (
    moves_in_sentence,
    passes,
    strange_word_in,
    without_announcement,
    without_hail,
)
from server.sanitize import email_address, without_unseen

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


@dataclass(frozen=True)
class Wishes:
    """What a reply asks for. If there is a `problem`, all other fields are empty, except `line`, which is the faulty
    line, `fine`, `others`, `questions` and `is_prose`.

    The problems are:
    - `automatic`: a machine wrote the email. We don't reply to it.
    - `unreadable`: see `Mail.doubt`. `too-long`: the doubt `too-large`.
    - `nothing-said`, `not-understood`, `two-moves`
    - `contradiction`: commands that exclude each other, such as pause and resume.
    - `asks-to-stop`: the email asks for no further emails.
    - `perhaps-quoted`: see `understand`.
    - `in-a-sentence`, `spoken-against`: `line` is the prose next to a line that would take effect.
    - `amid-our-letter`: the line is in an unmarked copy of our email. `only-our-letter`: the email is only such a copy.
    - `parts-differ`: plain text and HTML differ, for example because a line is struck out.
    """

    move: str | None = None  # in the game's notation, with steps joined by "; "
    parsed_move: Any = field(default=None, compare=False)  # the same move, parsed by the rules
    asks: bool = False  # whether it asks for the legal moves
    hints: bool = False  # whether it asks for the best moves
    says: tuple[str, ...] = ()
    pause: bool = False
    resume: bool = False
    undo: bool = False
    agree: bool = False  # whether it agrees to what another player asks for
    refuse: bool = False  # whether it says no to what another player asks for
    ready: bool = False
    plan: str | None = None  # see `planning`; "" to show the plan
    resign: bool = False  # needs confirmation, as do a vacation and a stand-in
    vacation: tuple[date, date] | None = None  # first and last day
    stand_in: tuple[str, ...] | None = None  # address, first and last day as written; empty to end the stand-in
    confirms: str | None = None  # the token after `confirm`
    settings: tuple[str, ...] = ()  # commands of the post desk that change settings
    problem: str | None = None
    line: str = ""
    fine: tuple[str, ...] = field(default=(), compare=False)  # the lines that were understood beside the faulty line
    others: tuple[str, ...] = field(default=(), compare=False)  # the lines of prose below the faulty line
    questions: tuple[str, ...] = field(default=(), compare=False)  # beside lines that were understood
    written: str = field(default="", compare=False)  # the move as the player wrote it, in a single line
    resigning: str = field(default="", compare=False)  # the line that resigns, as written
    is_prose: bool = field(default=False, compare=False)  # whether no line is a move or command, or comes near one

    @property
    def is_harmless(self) -> bool:
        """Return whether this is a line that changes nothing, even if it is a quote."""
        return self.asks or self.hints


FLAGS: Mapping[str, Wishes] = {  # commands without arguments; the fields have their names
    commands.PAUSE: Wishes(pause=True),
    commands.RESUME: Wishes(resume=True),
    commands.UNDO: Wishes(undo=True),
    commands.AGREE: Wishes(agree=True),
    commands.READY: Wishes(ready=True),
    commands.RESIGN: Wishes(resign=True),
}


class Line(NamedTuple):
    """A line that a person wrote."""

    text: str
    command: Wishes | None  # what it asks for; None unless it is exactly a move or a command

    @property
    def acts(self) -> bool:
        """Return whether this line changes something."""
        return self.command is not None and not self.command.is_harmless

    @property
    def is_unclear(self) -> bool:
        """Return whether it is unclear if a person has written this line."""
        return self.command is None and self.text != "" and not is_harmless_above(self.text)


class Reply(NamedTuple):
    """An email whose lines have been parsed for a table (see `Mail`)."""

    mail: Mail
    grammar: Grammar
    lines: Sequence[Line]
    beside: Sequence[Line] | None


# Reading


def read(raw: bytes, known: str = "") -> Mail:
    """Parse an email. `known` is the address of the expected player, which may be that of a postmaster."""
    head, body = split(raw)
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

_SPACES = re.compile(r"[\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_SAME = {ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"} | {
    code: chr(code - 0xFEE0)
    for code in range(0xFF01, 0xFF5F)  # full-width forms of ASCII characters
}
_DAYS = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}) ?[.][.] ?([0-9]{4}-[0-9]{2}-[0-9]{2})")
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[.] ?[0-9]{1,2}[.](?: ?[0-9]{4})?"
_STAND_IN = re.compile(rf"<?([^\s@<>]+@[^\s@<>]+)(?:>|<mailto:\1>)? +({_DAY}) ?(?:[.][.]|-|–) ?({_DAY})")
_DAY_BY_SLASHES = re.compile(r"(?<![^ .–-])([0-9]{1,2})/([0-9]{1,2})(?:/([0-9]{4}))?(?![^ .–-])")
_CONFIRMING = re.compile(r"[a-z0-9-]{1,40}")
_POLITE = re.compile(  # around a command
    rf"^(?:{commands.PLEASE})[ ,]{{1,3}}|(?<![ ,])[ ,]{{1,3}}(?:{commands.PLEASE}|{commands.THANKS})[ .!]{{0,3}}$",
    re.IGNORECASE,
)
_POLITELY = re.compile(  # a command, "please", and a few friendly words
    rf"([^\s,]+)[ ,]{{1,3}}(?:{commands.PLEASE}|{commands.THANKS})[ ,.!–-]{{1,3}}"
    r"(?!.*\b(?:when|once|as soon|after|before|wenn|sobald|nachdem|bevor|erst|quand|dès|après|avant|quando|appena|dopo|prima)\b)"
    r"[^\d?:;@]{1,60}",
    re.IGNORECASE,
)
_PICTURE = re.compile(r"\[(?:image|cid|inline image|bild|immagine)[ :][^\[\]\r\n]{0,200}\]", re.IGNORECASE)
_ADDED = re.compile(  # what programs add to plain text: pictures, link targets, smileys
    rf"{_PICTURE.pattern}|[<(\[](?:https?|mailto|tel|callto|sip|x-apple-data-detectors):[^<>()\[\]\s]{{0,2000}}[>)\]]"
    r"|\[https?:[^\[\]\s]{0,2000}\]|<[^<>\s]{1,100}\.(?:png|gif|jpe?g|webp)>|(?<!\w)(?:[:;=8][-o^]?[)(\[\]DPpOo|/\\*3]|[xX]D|<3|:'\()(?!\w)",
    re.IGNORECASE,
)
_BEGINNING = re.compile(r"^([^:|]{1,100}): (?=[^:|]{1,100}$)")  # the form in which our reply to ? groups moves
_ARROW = re.compile(r"(?<=\w) ?(?:-{1,2}>|=>|[→⇒➔➜]) ?(?=\w)")  # as in `5 -> leo c`
_BOLD = re.compile(r"[*_]{1,2}([^*_]{1,200})[*_]{1,2}")  # how mail programs write a line in bold as plain text
_BEFORE_QUESTION = re.compile(r"(?:[.!,]|(?<=\S) [-–])[ ]+(?:(?:and|und|et|e) )?(?=\S)", re.IGNORECASE)
_MOST_OFFERED = 100  # moves per line
_PROSE = 4  # words; a longer line of our email can't have been retyped by chance
_TITLE = 4  # words of a title above a quote
_KEY = 40  # characters that identify a line; no program wraps lines earlier
_FULL_LINE = 60  # characters; a longer line may have been wrapped by the mail program


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
    settings = {_normalise(line, locale): command for line, command in settings.items()}
    grammar = Grammar(Spoken(rules, locale), legal, settings)
    lines = _joined(_without_explanation(mail.lines, grammar), grammar)
    if mail.beside is None:
        return Reply(mail, grammar, lines, None)
    beside = _joined(_without_explanation(mail.beside, grammar), grammar)
    return Reply(mail, grammar, _as_on_page(lines, beside), beside)


def _without_explanation(lines: Sequence[str], grammar: Grammar) -> Sequence[str]:
    """Remove the explanation from a line that was copied from our help, if it is the only such line.

    If there are several, the email contains a copy of our email, so nothing is removed.
    """
    found = list(_explained(lines, grammar))
    if len(found) != 1:
        return lines
    [(nr, end, written)] = found
    return [*lines[:nr], written, *lines[end:]]


def _explained(lines: Sequence[str], grammar: Grammar) -> Iterator[tuple[int, int, str]]:
    """Yield each line of help that has an explanation, as (start, end, the command without its explanation)."""
    name = grammar.rules.NAME
    if name not in GAMES or not any("(" in line for line in lines):
        return
    told = {_plain(f"({what})") for _, what in help_lines(name, grammar.locale)}
    for nr, line in enumerate(lines):
        for at in (it.start() for it in re.finditer(r"\(", line)):
            if (end := _end_of(told, lines, nr, at)) and _command(_normalise(line[:at], grammar.locale), grammar):
                yield nr, end, line[:at]


def _with_bare_help(ours: Sequence[str], grammar: Grammar) -> list[str]:
    """Return our lines, followed by the same lines without the explanations in our help. So a copy that starts within
    the help is also recognized."""
    bare = list(ours)
    for nr, end, written in _explained(ours, grammar):
        bare[nr:end] = [written, *[""] * (end - nr - 1)]
    return [*ours, *bare] if bare != ours else bare


def _end_of(told: Collection[str], lines: Sequence[str], nr: int, at: int) -> int:
    """Return the index of the line after the explanation that begins here and may be wrapped. Return 0 if no
    explanation begins here."""
    whole = _plain(lines[nr][at:])
    for end in range(nr + 1, len(lines) + 1):
        if whole in told:
            return end
        if not any(it.startswith(whole) for it in told) or end == len(lines):
            return 0
        whole = _plain(f"{whole} {lines[end]}")
    return 0


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
    signed = {word for word in re.split(r"[\W\d_]+", (mail.sender or "").partition("@")[0].lower()) if len(word) > 1}
    known = _Known(
        grammar,
        [_normalise(line, grammar.locale) for line in _with_bare_help(ours, grammar)],
        {_normalise(line, grammar.locale) for line in repeated},
        signed,
        stood,
    )
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
    signed: Collection[str]  # the names with which the writer signs, in lower case
    stood: Callable[[str], bool]

    def understood(self, lines: Sequence[Line]) -> Wishes:
        own, copied = self._split_at_copy(lines)
        is_reply = any(line.command for line in own)
        for line in copied:
            counts = line.command is not None and not (is_reply and line.command.is_harmless)
            if (counts or _comes_near(line.text, self.grammar)) and not self._is_old(line):
                return Wishes(problem="amid-our-letter", line=line.text)
        if any(line.text for line in lines) and not any(line.text for line in own):
            return Wishes(problem="only-our-letter")
        # a notice may stand above a quote, and a hint may be a name
        unclear = (
            nr
            for nr, line in enumerate(own)
            if line.is_unclear or (line.command and line.command.hints and not is_harmless_above(line.text))
        )
        below = range(next(unclear, len(own)), len(own))
        old = next((nr for nr in below if self._is_old(own[nr])), None)
        written = without_notices([_prose_at(own, place) for place in range(len(own))])  # by companies and gateways
        own = [line if line.command else Line(text, None) for line, text in zip(own, written, strict=True)]
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
                and (line.text in letter or (line.text in whole and not _comes_near(line.text, self.grammar)))
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
            is_title = len(words) <= _TITLE and "," not in line.text and not set(words) & set(self.signed)
            if line.is_unclear and (may_begin_quote(line.text) or (stands_alone and is_title)):
                return lines[place]
        return None

    def _wishes(self, lines: Sequence[Line]) -> Wishes:
        grammar, fine = self.grammar, tuple(line.text for line in lines if line.command)
        lines = self._without_hints_in_prose(lines)
        if several := next((text for text, command in lines if not command and _is_several(text, grammar)), ""):
            return Wishes(problem="two-moves", line=several)
        commands = [line.command for line in lines if line.command]
        if near := self._near_miss(lines):
            return Wishes(problem="not-understood", line=near, fine=fine)
        if all(command.settings for command in commands):  # without any, or beside prose
            own = [line for line in lines if line.text]
            prose = [line.text for line in own if not (line.command or is_courtesy(line.text))]
            first = prose[0] if prose else own[0].text if own else ""
            if first and grammar.legal:
                first = next((it.text for it in lines if strange_word_in(it.text, grammar)), first)
            if not first:
                return Wishes(problem="nothing-said")
            others = tuple(it for it in prose if it != first) if not commands else ()
            return Wishes(problem="not-understood", line=first, fine=fine, others=others, is_prose=not commands)
        moves = {line.command.move: line for line in lines if line.command and line.command.move}
        move = _one_move([it.command for it in moves.values() if it.command], grammar.rules) if moves else Wishes()
        passed = next((line.text for line in lines if line.command and passes(line.text, grammar.locale)), "")
        if move is None or (passed and len(moves) > 1):
            return Wishes(problem="two-moves", line=passed or list(moves.values())[1].text)
        wishes = self._doubt(lines) or _together(move, lines)
        return replace(wishes, questions=questions_in([_prose_at(lines, place) for place in range(len(lines))]))

    def _near_miss(self, lines: Sequence[Line]) -> str:
        """Return the first line that may be meant as a move or command, or as part of one, or ""."""
        grammar = self.grammar
        for above, line in pairwise((Line("", None), *lines)):
            if _may_go_on(above.text, above.text, grammar.locale) if line.command else _comes_near(line.text, grammar):
                return line.text
        places = [place for place, line in enumerate(lines) if line.command and line.command.move]
        for place in range(places[0], min(places[-1] + 2, len(lines))) if places else ():
            text = _prose_at(lines, place)
            if text and (place < places[-1] or _goes_on(lines[place - 1].text, text, grammar)):
                return text
        return ""

    def _without_hints_in_prose(self, lines: Sequence[Line]) -> Sequence[Line]:
        """Return these lines with each hint as prose that may belong to a sentence or signature, if there are other
        commands.

        The words for a hint are common ones, and a hint isn't worth holding up a move.
        """
        others = [place for place, line in enumerate(lines) if line.command and not line.command.hints]

        def is_prose(place: int) -> bool:
            is_signed = _prose_at(lines, place - 1) != "" and others[0] < place
            return is_signed or self._rest_of_sentence(lines, place) != ""

        return [
            Line(line.text, None) if others and line.command and line.command.hints and is_prose(place) else line
            for place, line in enumerate(lines)
        ]

    def _doubt(self, lines: Sequence[Line]) -> Wishes | None:
        """Return the problem caused by prose next to the lines that take effect, or None if there is no problem."""
        for place in (place for place, line in enumerate(lines) if line.command):
            if line := self._rest_of_sentence(lines, place):
                return Wishes(problem="in-a-sentence", line=line)
        if not any(line.acts for line in lines):
            return None
        intro = next((nr for nr, it in enumerate(lines) if it.is_unclear and may_begin_quote(it.text)), len(lines))
        if below := next((line for line in lines[intro:] if line.acts), None):
            return Wishes(problem="perhaps-quoted", line=below.text)
        prose, locale = [_prose_at(lines, place) for place in range(len(lines))], self.grammar.locale
        line = next((it for it in prose if passes(it, locale)), "") or contradiction_in(prose, self.grammar.is_light)
        return Wishes(problem="spoken-against", line=line) if line else None

    def _rest_of_sentence(self, lines: Sequence[Line], place: int) -> str:
        above, below = _prose_at(lines, place - 1), _prose_at(lines, place + 1)
        return rest_of_sentence(above, below, not _prose_at(lines, place - 2), self.signed)


def _prose_at(lines: Sequence[Line], place: int) -> str:
    return lines[place].text if 0 <= place < len(lines) and not lines[place].command else ""


def keys_of(line: Line) -> set[str]:
    """Return the keys that identify a line that takes effect, even if it is rewritten or wrapped. A move has one key
    per step, and one for the line as written, since words such as "I pass" may mean another move later.

    A line that asks for the moves or a hint has no key, since repeating it is harmless.
    """
    text, command = line
    if command is None or command.is_harmless:
        return set()
    return {*command.move.split("; "), text.lower()} if command.move else {text.lower()[:_KEY]}


def acting_keys(reply: Reply) -> set[str]:
    """Return the keys of all lines in this email that would take effect."""
    return {key for line in chain(reply.lines, reply.beside or ()) for key in keys_of(line)}


def _by_letters(wishes: Wishes) -> Wishes:
    """Normalize wishes for comparison, since plain text and HTML differ in emphasis, links and line breaks. A hint
    counts only if it is the only wish, since empty lines can make it prose."""
    hints = wishes.hints and wishes == Wishes(hints=True)
    return replace(wishes, says=tuple(map(_letters, wishes.says)), hints=hints, line="")


def _normalise(line: str, locale: str) -> str:
    """Normalize the blanks and dashes of a line, and remove invisible characters. Chat lines stay unchanged."""
    if _chat(line.strip(), locale):
        return line.strip()
    plain = _ARROW.sub(" ", _plain(line))
    bold = _BOLD.fullmatch(plain)
    return bold[1] if bold else plain


def _plain(line: str) -> str:
    return _SPACES.sub(" ", _PICTURE.sub(" ", without_unseen(line)).translate(_SAME)).strip()


def _joined(words: Sequence[str], grammar: Grammar) -> list[Line]:
    """Parse lines. A line that ends with `;` is joined with the next line, and so is a wrapped chat line."""
    joined = [""]
    last = ""
    for line in (_normalise(it, grammar.locale) for it in words):
        is_broken = _may_go_on(joined[-1], last, grammar.locale) and not means_something(line, grammar)
        if line and (last.endswith(";") or is_broken):
            joined[-1] += f" {line}"
        else:
            joined.append(line)
        last = line
    return [Line(part, _command(part, grammar)) for line in joined[1:] for part in _parts(line, grammar)]


def _parts(line: str, grammar: Grammar) -> Sequence[str]:
    """Return a pair if a line is a move or command with a question behind it. Otherwise return the line alone."""
    if is_question(line) and not grammar.is_light and _command(line, grammar) is None:
        for found in _BEFORE_QUESTION.finditer(line):
            if (command := _command(line[: found.start()], grammar)) and not command.is_harmless:
                return line[: found.start()], line[found.end() :]
    return (line,)


def _may_go_on(line: str, end: str, locale: str) -> bool:
    """Return whether this is a chat line that a mail program may have wrapped after `end`."""
    return _chat(line, locale) != "" and len(end) >= _FULL_LINE


def means_something(written: str, grammar: Grammar) -> bool:
    """Return whether a line is a move or a command, or resembles one."""
    line = _normalise(written, grammar.locale)
    return _command(line, grammar) is not None or _comes_near(line, grammar)


def _comes_near(line: str, grammar: Grammar) -> bool:
    if is_lead_in(line) and len(line.split()) > 1:
        return False
    if is_harmless_question(line) and not has_move_in(line, grammar):
        return False
    return resembles(line, grammar) and (has_words_of(line, grammar) or not is_courtesy(line))


def _goes_on(move: str, below: str, grammar: Grammar) -> bool:
    """Return whether the line below a move may continue the move. A drawn line, such as one above a signature, rarely
    does."""
    return goes_on(below, grammar.rules) and (
        not is_drawn(below) or _move(f"{move} {below}", grammar.rules) is not None
    )


def _is_several(line: str, grammar: Grammar) -> bool:
    """Return whether this is a line of our reply to `?`, with several moves in a group."""
    beginning, _, endings = line.partition(": ")
    moves = [f"{beginning} {ending.strip()}" for ending in endings.split("|")[:_MOST_OFFERED]]
    return len(moves) > 1 and all(_move(move, grammar.rules) for move in moves)


def _together(move: Wishes, lines: Sequence[Line]) -> Wishes:
    """Merge an email's move with its commands."""
    commands = [line.command for line in lines if line.command]
    flags: dict[str, Any] = {name: any(getattr(it, name) for it in commands) for name in (*FLAGS, "asks", "hints")}
    pause, resume, undo, agree, ready, resign = (flags[name] for name in FLAGS)
    resigning = next((line.text for line in lines if line.command and line.command.resign), "")
    given: dict[str, Collection[Any]] = {
        name: {value for it in commands if (value := getattr(it, name)) is not None}
        for name in ("vacation", "stand_in", "confirms", "plan")
    }
    if (
        any(len(values) > 1 for values in given.values())
        or (pause and resume)
        or (undo and (move.move or agree))
        or (agree and move.move)
        or (given["plan"] and (undo or resign))
        or (resign and (move.move or pause or resume or undo or ready))
    ):
        return Wishes(problem="contradiction", line=resigning)
    return replace(
        move,
        resigning=resigning,
        says=tuple(text for command in commands for text in command.says),
        settings=tuple(line for command in commands for line in command.settings),
        **flags,
        **dict[str, Any]({name: next(iter(values), None) for name, values in given.items()}),
    )


def _one_move(moves: Sequence[Wishes], rules: Spoken) -> Wishes | None:
    """Join moves of one step each into a single move. Return None if they are several moves."""
    if len(moves) == 1:
        return moves[0]
    lines = [str(it.move) for it in moves]
    return None if any(";" in line for line in lines) else _move("; ".join(lines), rules)


_BETWEEN_STEPS = re.compile(  # what players write instead of a semicolon
    r",(?: (?:and|then|und|dann|et|puis|e|poi)(?= ))?| (?:and|then|und|dann|et|puis|e|poi)(?: (?:then|dann|puis|poi))? ",
    re.IGNORECASE,
)


def _move(line: str, rules: Spoken) -> Wishes | None:
    move = move_in(line, rules)
    if move is None and (steps := _BETWEEN_STEPS.sub("; ", line)) != line:
        move = move_in(steps, rules)
    return None if move is None else Wishes(rules.write_move(move), move)


def _command(line: str, grammar: Grammar) -> Wishes | None:
    """Parse a line that is exactly one move or one command. Return None for any other line."""
    if chat := _chat(line, grammar.locale):
        return Wishes(says=(chat,))
    told = without_hail(line)
    if grammar.legal:
        told = without_announcement(told, grammar.locale)
    if move := _move(told, grammar.rules) or _move(_BEGINNING.sub(r"\1 ", line), grammar.rules):
        return replace(move, written=told)
    if meaning(line.rstrip(" .!"), grammar.locale) == commands.READY:  # French puts a space before "!"
        return Wishes(ready=True)
    if meaning(line.rstrip(" .!?"), grammar.locale) == commands.HINT:
        return Wishes(hints=True)
    bare = _POLITE.sub("", line)
    if resigns(bare):
        return Wishes(resign=True)
    word, _, rest = line.lower().partition(" ")
    match meaning(word, grammar.locale), rest:
        case None, "" if word == "?":
            return Wishes(asks=True)
        case str(name), "" if name in FLAGS:
            return FLAGS[name]
        case commands.PLAN, _ if (plan := _plan(rest, grammar)) is not None:
            return Wishes(plan=plan)
        case commands.CONFIRM, _ if _CONFIRMING.fullmatch(rest):
            return Wishes(confirms=rest)
        case commands.STAND_IN, _ if drops(rest, grammar.locale):
            return Wishes(stand_in=())
        case commands.STAND_IN, _ if asked := _STAND_IN.fullmatch(_by_points(rest, grammar.locale)):
            return Wishes(stand_in=asked.groups())
        case commands.VACATION, _ if days := _DAYS.fullmatch(rest):
            return _vacation(days[1], days[2])
    if (said := _POLITELY.fullmatch(line)) and not contradiction_in([line]):
        named = meaning(said[1], grammar.locale) or ""
        return FLAGS.get(named) if named != commands.RESIGN else None
    word = bare.rstrip(" .!,;:")
    if word != line and meaning(word.partition(" ")[0], grammar.locale) not in (None, commands.SAY):
        return _command(word, grammar)
    setting = grammar.settings.get(line)
    return Wishes(settings=(setting,)) if setting else _meant(line, grammar)


def _meant(line: str, grammar: Grammar) -> Wishes | None:
    if not grammar.legal:
        return None
    meant = moves_in_sentence(line, grammar)
    return Wishes(grammar.rules.write_move(meant[0]), meant[0], written=line) if len(meant) == 1 else None


def _by_points(text: str, locale: str) -> str:
    """Replace `1/7` with `1.7.`, except in English, where the month may come first."""
    return text if locale == "en" else _DAY_BY_SLASHES.sub(lambda it: f"{it[1]}.{it[2]}.{it[3] or ''}", text)


def _plan(text: str, grammar: Grammar) -> str | None:
    """Return the plan's text, "" to show the plan, OFF to drop it, or None if the text isn't a valid plan."""
    if not text or drops(text, grammar.locale):
        return OFF if text else ""
    return text if read_plan(text, grammar.rules) else None


def _chat(line: str, locale: str) -> str:
    word, _, words = line.partition(" ")
    return words.strip().removeprefix(": ") if meaning(word, locale) == commands.SAY else ""


def _vacation(first: str, last: str) -> Wishes | None:
    try:
        days = date.fromisoformat(first), date.fromisoformat(last)
    except ValueError:
        return None
    return Wishes(vacation=days) if days[0] <= days[1] else None
