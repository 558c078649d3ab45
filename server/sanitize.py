"""Words that people give us (names, titles, addresses), made fit to stand in a mail, a header or a list."""

import re
import unicodedata
from itertools import groupby

from server.errors import Unfit

INVISIBLE = {"Cc", "Cf", "Cs", "Co"}  # controls, bidi and other format characters, lone surrogates, private use
BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters by category, and yet nothing is seen
UNBROKEN = frozenset("\u00a0\u202f")  # spaces at which no line ends, as French has them before a colon
OVERRIDES = frozenset("\u202d\u202e")  # of the direction of writing
SELECTORS = frozenset(
    map(chr, (0x34F, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
MARKS_IN_A_ROW = 3  # enough for any writing; more are piled up to paint over the neighbouring lines

_SPACES = re.compile(r"\s+")
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS = re.compile(rf"({_ATOM}(?:\.{_ATOM})*)@({_LABEL}(?:\.{_LABEL})*)")

_GMAIL = ("gmail.com", "googlemail.com")

_LINK = re.compile(
    r"\w[.\u3002][^\W\d_]{2}"  # a domain, with whatever dot (NFKC has made most of them one)
    r"|\d[.]\d+[.]\d"  # an address in numbers
    r"|\w:(?:[^\W\d]|[+])|//|@|\bwww\b"  # a scheme, a mailbox
    r"|\d(?:[ ()/.-]{0,2}\d){6}",  # a telephone's number
    re.IGNORECASE,
)


def clean(text: str, limit: int) -> str:
    """`text` as one visible line of at most `limit` characters (code points), in NFC; "" if nothing of it can be seen."""
    if text.isascii() and text.isprintable():  # most of what is said: only spaces are looked at
        return " ".join(text.split())[:limit].rstrip()
    text = text[: 16 * limit]  # normalising a long run of marks takes quadratic time
    text = unicodedata.normalize("NFC", _SPACES.sub(_one_space, _visible(text)).strip())
    text = "".join(_few_marks(text)).lstrip()
    while text and _is_mark(text[0]):  # it would sit on whatever stands before the text
        text = text[1:].lstrip()
    return text[:limit].rstrip()


def _one_space(spaces: re.Match[str]) -> str:
    return spaces[0] if spaces[0] in UNBROKEN else " "


def plain(text: str) -> str:
    """`text` of several lines without control, format and bidi characters; every line break becomes a newline."""
    return "\n".join(map(_visible, text.splitlines()))


def paragraphs(text: str) -> str:
    """What somebody wrote in several lines, each as `plain` makes it, with few marks and no more than one empty line
    between two; "" if nothing of it can be seen."""
    lines = ["".join(_few_marks(line)).rstrip() for line in plain(text).split("\n")]
    seen = ["" if all(map(_is_mark, line.strip())) else line for line in lines]
    return re.sub("\n{3,}", "\n\n", "\n".join(seen)).strip()


def email_address(text: str) -> str:
    """An address that any mail server takes, its domain in lower case (RFC 5321: dot-atom, ASCII, at most 254).

    Raises Unfit for all others; those with non-ASCII letters or quotes may exist, but we cannot reach them.
    """
    if not text.isascii():
        raise Unfit("We can only write to addresses in plain ASCII. This one has other characters.")
    parts = _ADDRESS.fullmatch(text)
    # some readers decode =?...?= even within an address
    if parts is None or "=?" in text or len(text) > 254 or len(parts[1]) > 64:
        raise Unfit("Enter an email address such as name@example.org.")
    return f"{parts[1]}@{parts[2].lower()}"


def mailbox_of(address: str) -> str:
    """Return where mails to this address arrive. Its owner chooses what stands after a plus (RFC 5233); Gmail also ignores
    dots, and has two domains. Only limits and the note of who was invited use it: letters go to the address as written."""
    local, _, domain = address.partition("@")
    local = local.partition("+")[0] or local
    if domain in _GMAIL:
        local, domain = local.replace(".", "") or local, _GMAIL[0]
    return f"{local}@{domain}"


def without_unseen(text: str) -> str:
    """Return `text` without the characters that show nothing, for reading what a person meant.

    Direction overrides stay: they change what is seen.
    """
    return text if text.isascii() else text.translate(_UNSEEN)


def has_link(text: str) -> bool:
    """Whether a mail program might make a link of something in it: an address of the web or of mail, or a number to call."""
    return _LINK.search(unicodedata.normalize("NFKC", text)) is not None


def _visible(text: str) -> str:
    return text if text.isascii() and text.isprintable() else text.translate(_SEEN)


class _Unseen(dict[int, int | str | None]):
    """What `without_unseen` makes of a character, by its code point."""

    def __missing__(self, point: int) -> int | str | None:
        char = chr(point)
        shows_nothing = char not in OVERRIDES and (char in SELECTORS or unicodedata.category(char) == "Cf")
        made = None if shows_nothing else " " if char in BLANK_LETTERS else point
        if point < 0x3000:
            self[point] = made
        return made


class _Seen(dict[int, str]):
    """What is seen of a character, by its code point; remembered for those of most of our readers' writings."""

    def __missing__(self, point: int) -> str:
        char = chr(point)
        if (char.isspace() and char not in UNBROKEN) or char in BLANK_LETTERS:
            seen = " "
        else:
            seen = "" if unicodedata.category(char) in INVISIBLE else char
        if point < 0x3000:
            self[point] = seen
        return seen


_SEEN = _Seen()
_UNSEEN = _Unseen()


def _is_mark(char: str) -> bool:
    return unicodedata.category(char) in ("Mn", "Me")


def _few_marks(text: str) -> list[str]:
    runs = [(are_marks, "".join(run)) for are_marks, run in groupby(text, _is_mark)]
    return [run[:MARKS_IN_A_ROW] if are_marks else run for are_marks, run in runs]
