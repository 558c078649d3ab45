"""Reads what people answer to our letters: pure functions from octets to wishes.

A move acts only if a line is exactly that move in the game's notation, and nothing in the mail casts doubt on it:
better to ask once too often than to play once what nobody meant. Greetings and sentences beside it do no harm, but
whatever comes near to a move or a command without being one does.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from itertools import chain, pairwise
from typing import Any, NamedTuple

from server.post.incoming import commands
from server.post.incoming.automatic_mail import is_automatic
from server.post.incoming.commands import meaning
from server.post.incoming.doubt import cut_in_two, is_courtesy, is_harmless_above, spoken_against
from server.post.incoming.mime import Doubt, Head, readings_of, split
from server.post.incoming.near_misses import Grammar, Notation, goes_on, has_words_of, move_in, resembles
from server.post.incoming.planning import OFF, drops, read_plan
from server.post.incoming.quotes import may_begin_quote, own_lines
from server.sanitize import email_address

MOST_LINES = 300
MOST_WORDS = 2_500


@dataclass(frozen=True)
class Mail:
    """A mail from outside.

    `sender` is None unless there is no doubt whom the head names: one From with one address. It may still be forged.
    `lines` are what the person wrote now, `beside` the same by the page that a program sent with the plain text, None
    without one. `doubt` says why the mail cannot be read with certainty: `encrypted`,
    `undecodable`, `unknown-charset`, `no-text` (files only), `too-large`, `too-nested` or `broken`.
    """

    sender: str | None
    automatic: bool
    lines: tuple[str, ...]
    message_id: str | None
    subject: str
    doubt: str | None
    beside: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Wishes:
    """What a reply asks for. With a `problem`, it asks for nothing else, and `line` is where it was met.

    The problems: `automatic` (no person wrote; no answer either), `unreadable` (see `Mail.doubt`), `too-long` (the doubt
    `too-large`), `nothing-said`, `not-understood`, `two-moves`, `contradiction` (such as pause and resume),
    `several-games` (the letter that it answers is about more than one), `perhaps-quoted` (see `understand`), `in-a-sentence` and `spoken-against` (what stands beside it, which is then the `line`), `amid-our-letter` (written into a copy of our letter that is not marked as a quote), `only-our-letter` (nothing but
    such a copy), `parts-differ` (the page beside the plain text says something else, as where a line is struck out).
    """

    move: str | None = None  # in notation, steps joined by "; "
    parsed_move: Any = field(default=None, compare=False)  # the same as the rules have read it
    asks: bool = False  # for the moves open
    says: tuple[str, ...] = ()
    pause: bool = False
    resume: bool = False
    undo: bool = False  # the last move of one's own
    agree: bool = False  # to the take-back that is asked for
    ready: bool = False  # that the game begins
    plan: str | None = None  # for turns to come, see `planning`; "" to see it
    resign: bool = False  # to be confirmed first, as are a vacation and a stand-in
    vacation: tuple[date, date] | None = None  # first and last day
    stand_in: tuple[str, ...] | None = None  # address, first and last day as they are written; without them it ends
    confirms: str | None = None  # the word after `confirm`
    problem: str | None = None
    line: str = ""


class Line(NamedTuple):
    """A line that a person wrote, and what it asks for by itself if it is exactly a move or a command."""

    text: str
    command: Wishes | None


class Reply(NamedTuple):
    """A mail, and its lines and those beside them (see `Mail`) as they are read at a table."""

    mail: Mail
    grammar: Grammar
    lines: Sequence[Line]
    beside: Sequence[Line] | None


# Reading


def read(raw: bytes, return_path: str | None = None, known: str = "") -> Mail:
    """The mail that these octets are, whatever they are. `return_path` is that of the envelope, "" for none; `known` is
    the address of the player whom it should come from, who may well be called postmaster."""
    head, body = split(raw)
    words, doubt = _own_words(head, body)
    sender = _sender(head)
    return Mail(
        sender=sender,
        automatic=is_automatic(head, return_path, known if sender and sender.lower() == known.lower() else ""),
        lines=words[0],
        message_id=head.message_id,
        subject=head.subject,
        doubt=doubt,
        beside=words[1] if len(words) > 1 else None,
    )


def _own_words(head: Head, body: bytes) -> tuple[list[tuple[str, ...]], str | None]:
    try:
        readings = readings_of(head, body)
    except Doubt as doubt:
        return [()], doubt.code
    if any(line.text.strip() == "-----BEGIN PGP MESSAGE-----" and not line.quoted for line in chain(*readings)):
        return [()], "encrypted"
    words = [own_lines(seen) for seen in readings]
    if any(len(lines) > MOST_LINES or sum(len(line.split()) for line in lines) > MOST_WORDS for lines in words):
        return [()], "too-large"
    return words, None


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


# Understanding

_SPACES = re.compile(r"[\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_UNSEEN = dict.fromkeys(map(ord, "\u00ad\u200b\u200c\u200d\u200e\u2060\ufe0e\ufe0f\ufeff"))
_SAME = {ord(dash): "-" for dash in "\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe58\ufe63"} | {
    code: chr(code - 0xFEE0)
    for code in range(0xFF01, 0xFF5F)  # full-width forms
}
_DAYS = re.compile(r"([0-9]{4}-[0-9]{2}-[0-9]{2}) ?[.][.] ?([0-9]{4}-[0-9]{2}-[0-9]{2})")
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}[.] ?[0-9]{1,2}[.](?: ?[0-9]{4})?"
_STAND_IN = re.compile(rf"<?([^\s@<>]+@[^\s@<>]+)(?:>|<mailto:\1>)? +({_DAY}) ?(?:[.][.]|-|–) ?({_DAY})")
_DAY_BY_SLASHES = re.compile(r"(?<![^ .–-])([0-9]{1,2})/([0-9]{1,2})(?:/([0-9]{4}))?(?![^ .–-])")
_CONFIRMING = re.compile(r"[a-z0-9-]{1,40}")
_PROSE = 4  # words from which on a line of our letter cannot have been typed anew by chance
_KEY = 40  # characters of a line that one knows it by: no program breaks it sooner
_FULL_LINE = 60  # characters from which on a line may have been broken by the mail program


def parse(mail: Mail, rules: Notation, locale: str = "en") -> Reply:
    """The mail with every line of it read in the notation of this game, and as a command in this language, once."""
    grammar = Grammar(rules, locale)
    beside = None if mail.beside is None else _joined(mail.beside, grammar)
    return Reply(mail, grammar, _joined(mail.lines, grammar), beside)


def understand(
    reply: Reply,
    ours: Sequence[str] = (),
    repeated: Collection[str] = (),
    stood: Callable[[str], bool] = lambda key: False,
) -> Wishes:
    """What the person wishes.

    `ours` are the lines of the letters that may be answered, in order. A person may type a move that one gave as an
    example. But where some of our prose turns up, or two of our lines in a row that do not both act, or three, there
    begins a copy that nobody marked as a quote: from there on its lines are ours, and what else would act is a problem.
    `repeated` are those of our lines that he had written himself, and may write again.

    `stood` tells of a key (see `keys_of`) whether a line of it stood in an earlier mail of his. Such a line acts again
    only where it is plainly fresh: above it stands nothing but greetings, whole sentences without a figure, a colon or
    an address, and lines that act, apart from quotes that are marked. For what programs write above a quote, in whatever
    language, is none of these. Elsewhere it ends what he wrote now, if he wrote above it what acts and below it nothing
    new; or it is asked about. A line that never stood anywhere is asked about below anything that may begin a quote.
    """
    mail, grammar = reply.mail, reply.grammar
    if mail.automatic:
        return Wishes(problem="automatic")
    if mail.doubt:
        return Wishes(problem="too-long" if mail.doubt == "too-large" else "unreadable")
    locale = grammar.locale
    typed = [_typed(line, locale) for line in ours], {_typed(line, locale) for line in repeated}
    signed = {word for word in re.split(r"[\W\d_]+", (mail.sender or "").partition("@")[0].lower()) if len(word) > 1}
    wishes = _understood(reply.lines, *typed, signed, stood, grammar)
    if not wishes.problem and reply.beside is not None:
        beside = _understood(reply.beside, *typed, signed, stood, grammar)
        if beside.problem in ("in-a-sentence", "spoken-against", "perhaps-quoted"):
            return beside
        if _by_letters(wishes) != _by_letters(beside):
            return Wishes(problem="parts-differ", line=wishes.move or beside.line)
    return wishes


def _understood(
    lines: Sequence[Line],
    ours: Sequence[str],
    repeated: Collection[str],
    signed: Collection[str],
    stood: Callable[[str], bool],
    grammar: Grammar,
) -> Wishes:
    own, copied = _parted(lines, ours, repeated)
    for line in copied:
        if (line.command or _comes_near(line.text, grammar)) and not _stood(line, stood):
            return Wishes(problem="amid-our-letter", line=line.text)
    if any(line.text for line in lines) and not any(line.text for line in own):
        return Wishes(problem="only-our-letter")
    fresh, old = _fresh(own, stood)
    if old is None:
        return _wishes(own, grammar, signed)
    wishes = _wishes(fresh, grammar, signed)
    is_mixed = any(line.command and not _stood(line, stood) for line in own[len(fresh) :])
    if is_mixed or wishes.problem in ("nothing-said", "not-understood"):
        return Wishes(problem="perhaps-quoted", line=old.text)
    return wishes


def _fresh(lines: Sequence[Line], stood: Callable[[str], bool]) -> tuple[Sequence[Line], Line | None]:
    """The lines above the first one that stood in an earlier mail and is not plainly fresh, and that one."""
    unclear = (nr for nr, (text, command) in enumerate(lines) if text and not command and not is_harmless_above(text))
    below = range(next(unclear, len(lines)), len(lines))
    old = next((nr for nr in below if _stood(lines[nr], stood)), len(lines))
    return lines[:old], next(iter(lines[old:]), None)


def keys_of(line: Line) -> set[str]:
    """By what a line that acts is known again, however it is written or broken: one key a step; to ask does no harm."""
    text, command = line
    if command is None or command.asks:
        return set()
    return set(command.move.split("; ")) if command.move else {text.lower()[:_KEY]}


def acting_keys(reply: Reply) -> set[str]:
    """The keys of all lines in this mail that act by themselves."""
    return {key for line in chain(reply.lines, reply.beside or ()) for key in keys_of(line)}


def _stood(line: Line, stood: Callable[[str], bool]) -> bool:
    keys = keys_of(line)
    return bool(keys) and all(map(stood, keys))


def _by_letters(wishes: Wishes) -> Wishes:
    """Plain text shows pages' bold words, links and broken lines in its own way."""
    return replace(wishes, says=tuple(re.sub(r"[\W_]", "", text) for text in wishes.says), line="")


def _typed(line: str, locale: str) -> str:
    """The line as far as notation goes: blanks are blanks, dashes are dashes, and what nobody sees is gone."""
    if _chat(line.strip(), locale):
        return line.strip()
    return _SPACES.sub(" ", line.translate(_UNSEEN).translate(_SAME)).strip()


def _joined(words: Sequence[str], grammar: Grammar) -> list[Line]:
    """A line that ends with ; goes on in the next, and so does a long chat line, which was broken on the way."""
    joined = [""]
    last = ""
    for line in (_typed(it, grammar.locale) for it in words):
        is_broken = _may_go_on(joined[-1], last, grammar.locale) and not _means_something(line, grammar)
        if line and (last.endswith(";") or is_broken):
            joined[-1] += f" {line}"
        else:
            joined.append(line)
        last = line
    return [Line(line, _command(line, grammar)) for line in joined[1:]]


def _may_go_on(line: str, end: str, locale: str) -> bool:
    """Whether a mail program may have broken this line, a chat line, after this end of it."""
    return _chat(line, locale) != "" and len(end) >= _FULL_LINE


def _means_something(line: str, grammar: Grammar) -> bool:
    return _command(line, grammar) is not None or _comes_near(line, grammar)


def _comes_near(line: str, grammar: Grammar) -> bool:
    return resembles(line, grammar) and (has_words_of(line, grammar) or not is_courtesy(line))


def _parted(
    lines: Sequence[Line], ours: Sequence[str], repeated: Collection[str]
) -> tuple[Sequence[Line], Sequence[Line]]:
    """The lines above an unmarked copy of our letters, and those amid and below it that are not ours."""
    letter = [line for line in ours if line]
    whole = " ".join(letter)
    written = [place for place, line in enumerate(lines) if line.text]
    runs = {*pairwise(letter), *zip(letter, letter[1:], letter[2:], strict=False)}

    def is_prose(line: Line) -> bool:
        return (
            not line.command and len(line.text.split()) >= _PROSE and line.text not in repeated and line.text in whole
        )

    def is_run(places: Sequence[int]) -> bool:
        """Two lines that act may have been typed anew, and so may more than are moves: what we ask him to confirm."""
        commands = [command for place in places if (command := lines[place].command)]
        is_example = len(commands) == 3 and all(command.move for command in commands)
        return (len(commands) < len(places) or is_example) and tuple(lines[it].text for it in places) in runs

    def begins(nr: int) -> bool:
        return is_prose(lines[written[nr]]) or is_run(written[nr : nr + 2]) or is_run(written[nr : nr + 3])

    first = next((written[nr] for nr in range(len(written)) if begins(nr)), len(lines))
    return lines[:first], [line for line in lines[first:] if line.text not in whole]


def _wishes(lines: Sequence[Line], grammar: Grammar, signed: Collection[str]) -> Wishes:
    for above, line in pairwise((Line("", None), *lines)):
        if _may_go_on(above.text, above.text, grammar.locale) if line.command else _comes_near(line.text, grammar):
            return Wishes(problem="not-understood", line=line.text)
    places = [place for place, line in enumerate(lines) if line.command and line.command.move]
    if places:
        for place in range(places[0], min(places[-1] + 2, len(lines))):
            text, command = lines[place]
            if text and not command and (place < places[-1] or goes_on(text, grammar.rules)):
                return Wishes(problem="not-understood", line=text)
    commands = [line.command for line in lines if line.command]
    if not commands:
        said = next((line.text for line in lines if line.text), "")
        return Wishes(problem="not-understood", line=said) if said else Wishes(problem="nothing-said")
    moves = {command.move: command for command in commands if command.move}
    move = _one_move(list(moves.values()), grammar.rules) if moves else Wishes()
    if move is None:
        return Wishes(problem="two-moves", line=list(moves)[1])
    return _doubt(lines, signed) or _together(move, commands)


def _doubt(lines: Sequence[Line], signed: Collection[str]) -> Wishes | None:
    """What the prose beside the lines that act has against them."""
    around = ["", "", *("" if line.command else line.text for line in lines), ""]
    for place in (place for place, line in enumerate(lines, 2) if line.command):
        if line := cut_in_two(around[place - 1], around[place + 1], not around[place - 2], signed):
            return Wishes(problem="in-a-sentence", line=line)
    if all(line.command in (None, Wishes(asks=True)) for line in lines):
        return None
    if line := _below_an_intro(lines):
        return Wishes(problem="perhaps-quoted", line=line)
    line = spoken_against(around)
    return Wishes(problem="spoken-against", line=line) if line else None


def _below_an_intro(lines: Sequence[Line]) -> str:
    """The first line that acts below something that may begin a quote; "" if none does."""
    begins = (
        nr
        for nr, (text, command) in enumerate(lines)
        if not command and may_begin_quote(text) and not is_harmless_above(text)
    )
    return next((line.text for line in lines[next(begins, len(lines)) :] if line.command), "")


def _together(move: Wishes, commands: Sequence[Wishes]) -> Wishes:
    """All that these commands ask for, which make this one move."""
    vacations = {command.vacation for command in commands if command.vacation}
    stand_ins = {command.stand_in for command in commands if command.stand_in is not None}
    confirms = {command.confirms for command in commands if command.confirms}
    plans = {command.plan for command in commands if command.plan is not None}
    wishes = ("pause", "resume", "undo", "agree", "ready", "resign")
    pause, resume, undo, agree, ready, resign = (any(getattr(it, what) for it in commands) for what in wishes)
    is_two = (pause and resume) or (undo and (move.move or agree)) or (agree and move.move)
    is_two = is_two or len(plans) > 1 or (bool(plans) and (undo or resign))
    if (
        len(vacations) > 1
        or len(stand_ins) > 1
        or len(confirms) > 1
        or is_two
        or (resign and (move.move or pause or resume or undo or ready))
    ):
        return Wishes(problem="contradiction", line="resign" if resign else "")
    return replace(
        move,
        asks=any(command.asks for command in commands),
        says=tuple(text for command in commands for text in command.says),
        pause=pause,
        resume=resume,
        undo=undo,
        agree=agree,
        ready=ready,
        plan=next(iter(plans), None),
        resign=resign,
        vacation=next(iter(vacations), None),
        stand_in=next(iter(stand_ins), None),
        confirms=next(iter(confirms), None),
    )


def _one_move(moves: Sequence[Wishes], rules: Notation) -> Wishes | None:
    """The one move that these are: a step each, or a single one. A line of several steps stands alone."""
    if len(moves) == 1:
        return moves[0]
    lines = [str(it.move) for it in moves]
    return None if any(";" in line for line in lines) else _move("; ".join(lines), rules)


def _move(line: str, rules: Notation) -> Wishes | None:
    move = move_in(line, rules)
    return None if move is None else Wishes(rules.write_move(move), move)


def _command(line: str, grammar: Grammar) -> Wishes | None:
    """What this line alone asks for, if it is exactly in notation."""
    if chat := _chat(line, grammar.locale):
        return Wishes(says=(chat,))
    if move := _move(line, grammar.rules):
        return move
    if meaning(line.rstrip(" .!"), grammar.locale) == commands.READY:  # French sets a blank before the !
        return Wishes(ready=True)
    word, _, rest = line.lower().partition(" ")
    match meaning(word, grammar.locale), rest:
        case None, "" if word == "?":
            return Wishes(asks=True)
        case commands.PAUSE, "":
            return Wishes(pause=True)
        case commands.RESUME, "":
            return Wishes(resume=True)
        case commands.UNDO, "":
            return Wishes(undo=True)
        case commands.AGREE, "":
            return Wishes(agree=True)
        case commands.PLAN, _ if (plan := _plan(rest, grammar)) is not None:
            return Wishes(plan=plan)
        case commands.RESIGN, "":
            return Wishes(resign=True)
        case commands.CONFIRM, _ if _CONFIRMING.fullmatch(rest):
            return Wishes(confirms=rest)
        case commands.STAND_IN, _ if drops(rest, grammar.locale):
            return Wishes(stand_in=())
        case commands.STAND_IN, _ if asked := _STAND_IN.fullmatch(_by_points(rest, grammar.locale)):
            return Wishes(stand_in=asked.groups())
        case commands.VACATION, _ if days := _DAYS.fullmatch(rest):
            return _vacation(days[1], days[2])
    return None


def _by_points(text: str, locale: str) -> str:
    """With `1/7` as `1.7.`; not in English, where some begin with the month."""
    return text if locale == "en" else _DAY_BY_SLASHES.sub(lambda it: f"{it[1]}.{it[2]}.{it[3] or ''}", text)


def _plan(text: str, grammar: Grammar) -> str | None:
    """What `_command` keeps of a plan: that it is to be seen, or dropped, or what is left; None if it is not in notation."""
    if not text or drops(text, grammar.locale):
        return OFF if text else ""
    return text if read_plan(text, grammar.rules, grammar.locale) else None


def _chat(line: str, locale: str) -> str:
    word, _, words = line.partition(" ")
    return words.strip().removeprefix(": ") if meaning(word, locale) == commands.SAY else ""


def _vacation(first: str, last: str) -> Wishes | None:
    try:
        days = date.fromisoformat(first), date.fromisoformat(last)
    except ValueError:
        return None
    return Wishes(vacation=days) if days[0] <= days[1] else None
