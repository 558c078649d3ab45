"""Reads what people answer to our letters: pure functions from octets to wishes.

A move acts only if a line is exactly that move in the game's notation, and nothing in the mail casts doubt on it:
better to ask once too often than to play once what nobody meant. Greetings and sentences beside it do no harm, but
whatever comes near to a move or a command without being one does.
"""

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import chain, pairwise

from server.post.incoming.automatic_mail import is_automatic
from server.post.incoming.doubt import cut_in_two, is_courtesy, is_harmless_above, spoken_against
from server.post.incoming.mime import Doubt, Head, readings_of, split
from server.post.incoming.near_misses import Notation, goes_on, has_words_of, move_in, resembles
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
    `perhaps-quoted` (see `understand`), `in-a-sentence` and `spoken-against` (what stands beside it, which is then the `line`), `amid-our-letter` (written into a copy of our letter that is not marked as a quote), `only-our-letter` (nothing but
    such a copy), `parts-differ` (the page beside the plain text says something else, as where a line is struck out).
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
_VACATION = re.compile(r"vacation ([0-9]{4}-[0-9]{2}-[0-9]{2}) ?[.][.] ?([0-9]{4}-[0-9]{2}-[0-9]{2})")
_CONFIRM = re.compile(r"confirm ([a-z0-9-]{1,40})")
_PROSE = 4  # words from which on a line of our letter cannot have been typed anew by chance
_KEY = 40  # characters of a line that one knows it by: no program breaks it sooner
_FULL_LINE = 60  # characters from which on a line may have been broken by the mail program


def understand(
    mail: Mail,
    rules: Notation,
    ours: Sequence[str] = (),
    repeated: Collection[str] = (),
    stood: Callable[[str], bool] = lambda key: False,
) -> Wishes:
    """What the person wishes, in the notation of this game.

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
    if mail.automatic:
        return Wishes(problem="automatic")
    if mail.doubt:
        return Wishes(problem="too-long" if mail.doubt == "too-large" else "unreadable")
    typed = [_typed(line) for line in ours], {_typed(line) for line in repeated}
    signed = {word for word in re.split(r"[\W\d_]+", (mail.sender or "").partition("@")[0].lower()) if len(word) > 1}
    wishes = _understood(mail.lines, *typed, signed, stood, rules)
    if not wishes.problem and mail.beside is not None:
        beside = _understood(mail.beside, *typed, signed, stood, rules)
        if beside.problem in ("in-a-sentence", "spoken-against", "perhaps-quoted"):
            return beside
        if _by_letters(wishes) != _by_letters(beside):
            return Wishes(problem="parts-differ", line=wishes.move or beside.line)
    return wishes


def _understood(
    words: Sequence[str],
    ours: Sequence[str],
    repeated: Collection[str],
    signed: Collection[str],
    stood: Callable[[str], bool],
    rules: Notation,
) -> Wishes:
    lines = _joined([_typed(line) for line in words], rules)
    own, copied = _parted(lines, ours, repeated, rules)
    for line in copied:
        if _means_something(line, rules) and not _stood(line, stood, rules):
            return Wishes(problem="amid-our-letter", line=line)
    if any(lines) and not any(own):
        return Wishes(problem="only-our-letter")
    fresh, old = _fresh(own, stood, rules)
    if not old:
        return _wishes(own, rules, signed)
    wishes = _wishes(fresh, rules, signed)
    is_mixed = any(_deed(line, rules) and not _stood(line, stood, rules) for line in own[len(fresh) :])
    if is_mixed or wishes.problem in ("nothing-said", "not-understood"):
        return Wishes(problem="perhaps-quoted", line=old)
    return wishes


def _fresh(lines: list[str], stood: Callable[[str], bool], rules: Notation) -> tuple[list[str], str]:
    """The lines above the first one that stood in an earlier mail and is not plainly fresh, and that one."""
    acts = [bool(line) and _deed(line, rules) is not None for line in lines]
    unclear = (nr for nr, line in enumerate(lines) if line and not acts[nr] and not is_harmless_above(line))
    below = range(next(unclear, len(lines)), len(lines))
    old = next((nr for nr in below if acts[nr] and _stood(lines[nr], stood, rules)), len(lines))
    return lines[:old], next(iter(lines[old:]), "")


def keys_of(line: str, rules: Notation) -> set[str]:
    """By what a line that acts is known again, however it is written or broken: one key a step; to ask does no harm."""
    deed = _deed(line, rules)
    if deed is None or deed.asks:
        return set()
    return set(deed.move.split("; ")) if deed.move else {line.lower()[:_KEY]}


def acting_keys(mail: Mail, rules: Notation) -> set[str]:
    """The keys of all lines in this mail that act by themselves."""
    lines = [_joined([_typed(line) for line in words], rules) for words in (mail.lines, mail.beside or ())]
    return {key for line in chain(*lines) for key in keys_of(line, rules)}


def _stood(line: str, stood: Callable[[str], bool], rules: Notation) -> bool:
    keys = keys_of(line, rules)
    return bool(keys) and all(map(stood, keys))


def _by_letters(wishes: Wishes) -> Wishes:
    """Plain text shows pages' bold words, links and broken lines in its own way."""
    return replace(wishes, says=tuple(re.sub(r"[\W_]", "", text) for text in wishes.says), line="")


def _typed(line: str) -> str:
    """The line as far as notation goes: blanks are blanks, dashes are dashes, and what nobody sees is gone."""
    if _chat(line.strip()):
        return line.strip()
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
    return _deed(line, rules) is not None or _comes_near(line, rules)


def _comes_near(line: str, rules: Notation) -> bool:
    return resembles(line, rules) and (has_words_of(line, rules) or not is_courtesy(line))


def _parted(
    lines: Sequence[str], ours: Sequence[str], repeated: Collection[str], rules: Notation
) -> tuple[list[str], list[str]]:
    """The lines above an unmarked copy of our letters, and those amid and below it that are not ours."""
    letter = [line for line in ours if line]
    whole = " ".join(letter)
    written = [place for place, line in enumerate(lines) if line]
    deeds = [_deed(line, rules) for line in lines]
    runs = {*pairwise(letter), *zip(letter, letter[1:], letter[2:], strict=False)}

    def is_prose(place: int) -> bool:
        line = lines[place]
        return not deeds[place] and len(line.split()) >= _PROSE and line not in repeated and line in whole

    def is_run(places: Sequence[int]) -> bool:
        """Two lines that act may have been typed anew, and so may more than are moves: what we ask him to confirm."""
        acts = [deed for place in places if (deed := deeds[place])]
        is_example = len(acts) == 3 and all(deed.move for deed in acts)
        return (len(acts) < len(places) or is_example) and tuple(lines[it] for it in places) in runs

    def begins(nr: int) -> bool:
        return is_prose(written[nr]) or is_run(written[nr : nr + 2]) or is_run(written[nr : nr + 3])

    first = next((written[nr] for nr in range(len(written)) if begins(nr)), len(lines))
    return list(lines[:first]), [line for line in lines[first:] if line not in whole]


def _wishes(lines: Sequence[str], rules: Notation, signed: Collection[str]) -> Wishes:
    deeds = [_deed(line, rules) for line in lines]
    for place, (line, deed) in enumerate(zip(lines, deeds, strict=True)):
        if _comes_near(line, rules) if deed is None else _may_go_on(lines[:place], lines[max(0, place - 1)]):
            return Wishes(problem="not-understood", line=line)
    places = [place for place, deed in enumerate(deeds) if deed and deed.move]
    if places:
        for place in range(places[0], min(places[-1] + 2, len(lines))):
            if not deeds[place] and lines[place] and (place < places[-1] or goes_on(lines[place], rules)):
                return Wishes(problem="not-understood", line=lines[place])
    found = [deed for deed in deeds if deed]
    if not found:
        said = next((line for line in lines if line), "")
        return Wishes(problem="not-understood", line=said) if said else Wishes(problem="nothing-said")
    moves = list(dict.fromkeys(deed.move for deed in found if deed.move))
    move = _one_move(moves, rules)
    if moves and move is None:
        return Wishes(problem="two-moves", line=moves[1])
    return _doubt(lines, deeds, signed) or _together(move, found)


def _doubt(lines: Sequence[str], deeds: Sequence[Wishes | None], signed: Collection[str]) -> Wishes | None:
    """What the prose beside the lines that act has against them."""
    around = ["", "", *("" if deed else line for line, deed in zip(lines, deeds, strict=True)), ""]
    for place in (place for place, deed in enumerate(deeds, 2) if deed):
        if line := cut_in_two(around[place - 1], around[place + 1], not around[place - 2], signed):
            return Wishes(problem="in-a-sentence", line=line)
    if all(deed is None or deed == Wishes(asks=True) for deed in deeds):
        return None
    if line := _below_an_intro(lines, deeds):
        return Wishes(problem="perhaps-quoted", line=line)
    line = spoken_against(around)
    return Wishes(problem="spoken-against", line=line) if line else None


def _below_an_intro(lines: Sequence[str], deeds: Sequence[Wishes | None]) -> str:
    """The first line that acts below something that may begin a quote; "" if none does."""
    begins = [
        not deed and may_begin_quote(line) and not is_harmless_above(line)
        for line, deed in zip(lines, deeds, strict=True)
    ]
    first = begins.index(True) if any(begins) else len(lines)
    return next((line for line, deed in zip(lines[first:], deeds[first:], strict=True) if deed), "")


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
    return None if any(";" in line for line in moves) else move_in("; ".join(moves), rules)


def _deed(line: str, rules: Notation) -> Wishes | None:
    """What this line alone asks for, if it is exactly in notation."""
    if chat := _chat(line):
        return Wishes(says=(chat,))
    if move := move_in(line, rules):
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
