"""Cleans text from players (names, titles, addresses), so that it is safe in an email, a header or a list."""

import re
import unicodedata
from itertools import groupby

from server.errors import Unfit

INVISIBLE = {"Cc", "Cf", "Cs", "Co"}  # control, bidi and other format characters, lone surrogates, private use
BLANK_LETTERS = frozenset("\u115f\u1160\u2800\u3164\uffa0")  # letters by their category, but invisible
UNBROKEN = frozenset("\u00a0\u202f")  # no-break spaces, which French uses before a colon
OVERRIDES = frozenset("\u202d\u202e")  # characters that override the writing direction
SELECTORS = frozenset(
    map(chr, (0x34F, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10), *range(0xE0100, 0xE01F0)))
)
MARKS_IN_A_ROW = 3  # enough for any script; more marks would cover neighbouring lines

_SPACES = re.compile(r"\s+")
_ATOM = r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_LABEL = r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_ADDRESS = re.compile(rf"({_ATOM}(?:\.{_ATOM})*)@({_LABEL}(?:\.{_LABEL})*)")

_GMAIL = ("gmail.com", "googlemail.com")

_LINK = re.compile(
    r"\w[.\u3002][^\W\d_]{2}"  # a domain with any dot (NFKC has unified most of them)
    r"|\d[.]\d+[.]\d"  # a numeric address
    r"|\w:(?:[^\W\d]|[+])|//|@|\bwww\b"  # a scheme, a mailbox
    r"|\d(?:[ ()/.-]{0,2}\d){6}",  # a phone number
    re.IGNORECASE,
)

_LINKING = re.compile(
    r"(?<=\w)[.\u3002](?=[^\W\d_])|(?<=\d)[.](?=\d+[.]\d)|(?<=\w):(?=[^\W\d]|[+])|/(?=/)|@|\bwww(?=\b)", re.IGNORECASE
)


def clean(text: str, limit: int) -> str:
    """Return `text` as one line of at most `limit` visible code points, in NFC. Return "" if nothing of it is
    visible."""
    if text.isascii() and text.isprintable():  # the common case: only spaces change
        return " ".join(text.split())[:limit].rstrip()
    text = text[: 16 * limit]  # normalizing many marks takes quadratic time
    text = _SPACES.sub(lambda spaces: spaces[0] if spaces[0] in UNBROKEN else " ", _visible(text))
    text = unicodedata.normalize("NFC", text.strip())
    text = "".join(_few_marks(text)).lstrip()
    while text and _is_mark(text[0]):  # the mark would combine with the character before the text
        text = text[1:].lstrip()
    return text[:limit].rstrip()


def clean_lines(text: str, limit: int, most: int) -> str:
    """Return `text` with each line cleaned as by `clean`, without empty lines. The result has at most `limit` code
    points. Lines beyond `most` are joined to the last one."""
    lines = [line for it in text.splitlines() if (line := clean(it, limit))]
    return "\n".join([*lines[: most - 1], *filter(None, [" ".join(lines[most - 1 :])])])[:limit].rstrip()


def plain(text: str) -> str:
    """Return `text` without control, format and bidi characters. All line breaks become newlines."""
    return "\n".join(map(_visible, text.splitlines()))


def paragraphs(text: str) -> str:
    """Return several lines, each cleaned as by `plain`, with a limited number of combining marks, and without
    consecutive empty lines. Return "" if nothing is visible."""
    lines = ["".join(_few_marks(line)).rstrip() for line in plain(text).split("\n")]
    seen = ["" if all(map(_is_mark, line.strip())) else line for line in lines]
    return re.sub("\n{3,}", "\n\n", "\n".join(seen)).strip()


def email_address(text: str) -> str:
    """Return an address that all mail servers accept, with its domain in lower case.

    Such an address is an ASCII dot-atom of at most 254 characters (RFC 5321). Raise Unfit for any other address, since
    our emails couldn't reach it.
    """
    if not text.isascii():
        raise Unfit("We can only write to addresses in plain ASCII. This one has other characters.")
    parts = _ADDRESS.fullmatch(text)
    # Some mail programs decode =?...?= even within an address.
    if parts is None or "=?" in text or len(text) > 254 or len(parts[1]) > 64:
        raise Unfit("Enter an email address such as name@example.org.")
    return f"{parts[1]}@{parts[2].lower()}"


def public_address(text: str) -> str:
    """Return a player's address in lower case. Raise Unfit as `email_address` does, and for a domain without a dot, which
    no mail server on the internet has."""
    address = email_address(text).lower()
    if "." not in address.rpartition("@")[2]:
        raise Unfit("This email address looks incomplete. It needs a full domain after the @, such as example.org.")
    return address


def mailbox_of(address: str) -> str:
    """Return the mailbox of an address: the address without its +suffix (RFC 5233), and for Gmail also without dots.

    Rate limits and the record of invitations use the mailbox. Emails are sent to the address as the player wrote it.
    """
    local, _, domain = address.partition("@")
    local = local.partition("+")[0] or local
    if domain in _GMAIL:
        local, domain = local.replace(".", "") or local, _GMAIL[0]
    return f"{local}@{domain}"


def without_unseen(text: str) -> str:
    """Return `text` without invisible characters. Direction overrides stay, since they affect what is visible."""
    return text if text.isascii() else text.translate(_UNSEEN)


def has_link(text: str) -> bool:
    """Return whether a mail program might turn a part of `text` into a link: a web address, an email address, or a
    phone number."""
    return _LINK.search(unicodedata.normalize("NFKC", text)) is not None


def without_links(text: str) -> str:
    """Return `text` with blanks in web and email addresses, so that no mail program turns them into links."""
    if not has_link(text):
        return text
    return _LINKING.sub(r"\g<0> ", unicodedata.normalize("NFKC", text))


def _visible(text: str) -> str:
    return text if text.isascii() and text.isprintable() else text.translate(_SEEN)


class _Unseen(dict[int, int | str | None]):
    """A cache for `without_unseen`: the replacement for each code point."""

    def __missing__(self, point: int) -> int | str | None:
        char = chr(point)
        shows_nothing = char not in OVERRIDES and (char in SELECTORS or unicodedata.category(char) == "Cf")
        made = None if shows_nothing else " " if char in BLANK_LETTERS else point
        if point < 0x3000:
            self[point] = made
        return made


class _Seen(dict[int, str]):
    """A cache for the most common scripts: the visible form of each code point."""

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


def unless_link(words: str, instead: str) -> str:
    """Return this name, or `instead` if the name contains a link. Our emails to strangers must not contain links from
    players."""
    return instead if not words or has_link(words) else words
