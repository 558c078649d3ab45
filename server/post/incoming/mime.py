"""Parser of inbound emails. It returns their headers, and their visible lines as plain text.

Emails are untrusted, so recursion is limited to DEPTH, and parsing takes linear time. Ambiguous emails raise Doubt,
whereas the standard library would guess. Only `_text_of` decodes bytes, into text that Postgres can store.
"""

import binascii
import codecs
import re
from collections.abc import Iterator
from email.errors import HeaderParseError
from email.header import decode_header
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from server.post.incoming.html_text import Line, TooNested, lines_of_page
from server.sanitize import clean, without_unseen

LARGEST_MAIL = 40_000_000  # bytes; even skipping the pictures takes time
LARGEST_HEAD = 100_000
LARGEST_TEXT = 400_000
MOST_LINES = 10_000
DEPTH = 10
PARTS = 100

WRAPPED = 58  # characters; a longer quoted line may be wrapped, since the narrowest programs wrap at 65

_FIELD = re.compile(rb"([!-9;-~]{1,100}):[ \t]*(.*)", re.DOTALL)
_BLANK_LINE = re.compile(rb"\A\r?\n|\r?\n\r?\n")
_LONGEST_PARAMETERS = 2000
_PIECE = re.compile(r"([a-z-]+)(?:\*([0-9]{1,3}))?(\*)?")
_PARAMETER = re.compile(r';\s*([A-Za-z0-9*-]+)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;"]*))')
_ENCODING_NOISE = re.compile(r"""\([^()]{0,100}\)|[\s"';]""")
_NOTE = re.compile(r"\([^()]{0,100}\)")
_NO_ENCODING = re.compile(  # found in place of an encoding: a charset, or words for "none"
    r"(?:us-)?ascii|(?:utf|iso|windows|cp)[-_]?[0-9][0-9a-z_-]{0,20}|bin|none|identity|plain|text(?:/plain)?"
    r"|default|(?:x-)?unknown(?:-8bit)?|null|raw"
)
_LONGEST_INSTEAD = 300
_SEE_PAGE = re.compile(  # what programs write in place of the plain text of an HTML email
    r"\bhtml\b.{0,80}\b(?:e-?mails?|messages?|format|viewer|capable|client|version|content|nachricht|compatible|ansicht|anzeigen)\b"
    r"|\b(?:not|nicht|pas|non|enable|view|support\w{0,2})\b.{0,80}\bhtml\b",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"\s{0,3}[A-Za-z]{0,4}>")  # some people mark quotes with initials
_CHARSETS = re.compile(
    "ascii|utf-8|iso8859-.*|cp125[0-8]|cp437|cp850|cp874|tis-620|koi8-[ru]|mac-roman|gb.*|big5.*|shift_jis.*|cp932"
    "|euc_.*|cp949|iso2022_jp.*|iso2022_kr"
)
_ALIASES = {  # charset names that Python doesn't know
    "windows-874": "cp874",
    "windows-31j": "cp932",
    "windows-949": "cp949",
    "x-sjis": "cp932",
    "iso-8859-8-i": "iso8859-8",  # text in logical order, as in Unicode
    "utf8mb4": "utf-8",
    "x-gbk": "gbk",
    "x-euc-jp": "euc_jp",
    "x-mac-roman": "mac-roman",
    **{f"{begins}125{nr}": f"cp125{nr}" for nr in range(9) for begins in ("win-", "win", "windows", "x-cp")},
    "utf-8mb4": "utf-8",
    "cp-850": "cp850",
    **dict.fromkeys(
        ["unknown", "unknown-8bit", "x-unknown", "x-user-defined", "default", "8bit", "_autodetect_all"], "ascii"
    ),
}
_ENCODINGS = {  # encodings by their misspelt names
    "8bits": "8bit",
    "8-bit": "8bit",
    "7bits": "7bit",
    "7-bit": "7bit",
    "quotedprintable": "quoted-printable",
    "base-64": "base64",
}
_ENCRYPTED = {
    "multipart/encrypted",
    "application/pgp-encrypted",
    "application/pkcs7-mime",
    "application/x-pkcs7-mime",
}


class Doubt(Exception):
    """The error for an email that can't be read with certainty. `code` is a stable code for the reason."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Head(NamedTuple):
    """The headers of an email or part, in order."""

    fields: list[tuple[str, str]]  # names in lower case
    flawed: bool  # whether another program might see different headers
    size: int  # bytes

    def all(self, name: str) -> list[str]:
        return [value for key, value in self.fields if key == name]

    def first(self, name: str) -> str:
        return next(iter(self.all(name)), "")

    @property
    def subject(self) -> str:
        """Return the decoded subject as one line."""
        return clean(decoded(self.first("subject")[:2000]), 200)

    @property
    def message_id(self) -> str | None:
        values = self.all("message-id")
        return values[0] if len(values) == 1 and re.fullmatch("<[!-;=?-~]{1,250}>", values[0]) else None

    @property
    def contradicts_itself(self) -> bool:
        """Return whether a header about the body occurs twice with different values. Mail programs may use either
        value."""
        return any(len(set(self.all(name))) > 1 for name in ("content-type", "content-transfer-encoding"))

    @property
    def content_type(self) -> str:
        kind = _NOTE.sub("", self.first("content-type").partition(";")[0]).strip().lower()
        return "text/plain" if kind in ("", "text") else kind

    def parameter(self, name: str, header: str = "content-type") -> str:
        """Return a parameter of that header, such as the charset, or "". Continuations (RFC 2231) are joined.

        Raise Doubt if the parameter occurs twice with different values.
        """
        whole: list[str] = []
        pieces: dict[int, tuple[str, bool]] = {}
        for key, quoted, bare in _PARAMETER.findall(self.first(header)[:_LONGEST_PARAMETERS]):
            found = _PIECE.fullmatch(key.lower())
            if found is None or found[1] != name:
                continue
            value = re.sub(r"\\(.)", r"\1", quoted) or str(bare)
            if found[2] is not None:
                pieces.setdefault(int(found[2]), (value, bool(found[3])))
            else:
                whole.append(_unpercented([(value, True)]) if found[3] else value)
        if 0 in pieces:
            whole.append(_unpercented([pieces[nr] for nr in range(len(pieces)) if nr in pieces]))
        if len({value.lower() for value in whole} if name == "charset" else set(whole)) > 1:
            raise Doubt("broken")
        return whole[0] if whole else ""


def _unpercented(pieces: list[tuple[str, bool]]) -> str:
    """Join the pieces of a parameter, and decode its percent-encoding. The charset in the first piece applies to all
    pieces (RFC 2231)."""
    first, is_extended = pieces[0]
    charset, _, rest = first.partition("'") if is_extended and first.count("'") >= 2 else ("", "", first)
    if charset or rest != first:
        pieces = [(rest.partition("'")[2], True), *pieces[1:]]
    octets = b"".join(unquote_to_bytes(text) if is_written else text.encode("utf-8") for text, is_written in pieces)
    try:
        return octets.decode(charset or "ascii").replace("\0", "\ufffd")
    except (LookupError, ValueError) as error:
        raise Doubt("broken") from error


def decoded(value: str) -> str:
    """Decode the encoded words (RFC 2047) in a header's value, or return it unchanged if they are invalid."""
    try:
        words = decode_header(value)
        return "".join(
            word.decode(charset or "ascii", "replace") if isinstance(word, bytes) else word for word, charset in words
        )
    except (HeaderParseError, LookupError, ValueError):
        return value


def head_and_body(raw: bytes) -> tuple[Head, bytes]:
    """Return the headers and body of an email or of one of its parts (RFC 5322, 2.2)."""
    blank = _BLANK_LINE.search(raw)
    head, body = (raw[: blank.start()], raw[blank.end() :]) if blank else (raw, b"")
    flawed = len(head) > LARGEST_HEAD or b"\0" in head or re.search(rb"\r(?!\n)", head) is not None
    folded = re.split(rb"\r?\n(?![ \t])", head[:LARGEST_HEAD])
    fields = []
    for line in folded:
        found = _FIELD.fullmatch(line)
        if found:
            value = _text_of(re.sub(rb"\r?\n", b"", found[2]), "utf-8").strip()
            fields.append((found[1].decode("ascii").lower(), value))
        else:
            flawed = flawed or line != b""
    return Head(fields, flawed, len(head)), body


def readings_of(head: Head, body: bytes) -> list[list[Line]]:
    """Return the visible lines of an email without its attachments: first those of its plain text, then those of its
    HTML if they differ.

    Plain text comes first, because it marks quotes more reliably (RFC 2046, 5.1.4). Raise Doubt if the email is
    ambiguous.
    """
    if len(body) > LARGEST_MAIL or head.size > LARGEST_HEAD:
        raise Doubt("too-large")
    plain, page = (_lines(head, body, DEPTH, prefers) for prefers in ("text/plain", "text/html"))
    if plain is None or page is None:
        raise Doubt("no-text")
    if max(len(plain), len(page)) > MOST_LINES:
        raise Doubt("too-large")
    return [plain] if plain == page else [plain, page]


def _lines(head: Head, body: bytes, depth: int, prefers: str) -> list[Line] | None:
    """Return the visible lines of a part, or None if it has no visible text."""
    if head.contradicts_itself:
        raise Doubt("broken")
    kind = head.content_type
    if kind in _ENCRYPTED:
        raise Doubt("encrypted")
    if kind.startswith("multipart/"):
        if depth == 0:
            raise Doubt("too-nested")
        parts = parts_of(head, body)
        if kind == "multipart/alternative":
            return _alternative(parts, depth, prefers)
        if kind == "multipart/related":
            parts = [_root(parts, head.parameter("start"))]
        if kind == "multipart/signed":
            parts = parts[:1]
        texts = [found for part in parts if (found := _lines(*part, depth - 1, prefers)) is not None]
        return [line for text in texts for line in text] if texts else None
    if kind not in ("text/plain", "text/html") or _is_file(head):
        return None
    text = _text(head, body)
    if kind == "text/html":
        try:
            return lines_of_page(text)
        except TooNested as error:
            raise Doubt("too-nested") from error
    if head.parameter("format").lower() == "flowed":
        return list(_flowed(text, head.parameter("delsp").lower() == "yes"))
    return list(_fixed(text))


def _is_file(head: Head) -> bool:
    return (
        head.first("content-disposition").lower().startswith("attachment")
        or head.parameter("name") != ""
        or head.parameter("filename", "content-disposition") != ""
    )


def _alternative(parts: list[tuple[Head, bytes]], depth: int, prefers: str) -> list[Line] | None:
    """Return the lines of the preferred alternative. Plain text that is blank is skipped. Blank HTML is not, since a
    mail program that shows it doesn't show the plain text."""
    is_plain = [part[0].content_type == "text/plain" for part in parts]
    ordered = sorted(range(len(parts)), key=lambda nr: is_plain[nr] != (prefers == "text/plain"))
    found = None
    for nr in ordered:
        lines = _lines(*parts[nr], depth - 1, prefers)
        found = lines if found is None else found
        if lines is not None and (prefers == "text/html" or not _is_blank(lines)):
            return lines
    return found


def _root(parts: list[tuple[Head, bytes]], start: str) -> tuple[Head, bytes]:
    """Return the root part: the part that `start` names, otherwise the first part (RFC 2387, 3.2)."""
    if not parts:
        raise Doubt("broken")
    named = [part for part in parts if start and part[0].first("content-id") == start]
    return named[0] if len(named) == 1 else parts[0]


def _is_blank(lines: list[Line]) -> bool:
    """Return whether this plain text has no words, or only refers to the HTML part."""
    words = " ".join(line.text for line in lines).strip()
    is_short = len(words) <= _LONGEST_INSTEAD and re.search(r"\d", words) is None
    return not words or (is_short and _SEE_PAGE.search(words) is not None)


def parts_of(head: Head, body: bytes) -> list[tuple[Head, bytes]]:
    """Return the parts of a multipart body (RFC 2046, 5.1.1). Raise Doubt if the body is ambiguous."""
    boundary = head.parameter("boundary").encode("utf-8")
    if not 0 < len(boundary) <= 200:
        raise Doubt("broken")
    delimiter = re.compile(rb"^--%s(--)?[ \t]*(?:\r?\n|\Z)" % re.escape(boundary), re.MULTILINE)
    found = list(islice(delimiter.finditer(body), PARTS + 1))
    if not found:
        raise Doubt("broken")
    if len(found) > PARTS:
        raise Doubt("too-nested")
    ends = [match.start() for match in found[1:]] + [len(body)]
    return [head_and_body(body[match.end() : end]) for match, end in zip(found, ends, strict=True) if not match[1]]


def _text(head: Head, body: bytes) -> str:
    if len(body) > LARGEST_TEXT:
        raise Doubt("too-large")
    return _decoded(_without_transfer(head, body), head.parameter("charset"))


def _without_transfer(head: Head, body: bytes) -> bytes:
    encoding = _ENCODING_NOISE.sub("", head.first("content-transfer-encoding")[:200]).lower()
    match _ENCODINGS.get(encoding, encoding):
        case "" | "7bit" | "8bit" | "binary":
            return body
        case "quoted-printable":
            return binascii.a2b_qp(body)
        case "base64":
            try:
                return binascii.a2b_base64(b"".join(body.split()), strict_mode=True)
            except binascii.Error as error:
                raise Doubt("undecodable") from error
    if _NO_ENCODING.fullmatch(encoding):
        return body
    raise Doubt("undecodable")


def _decoded(octets: bytes, charset: str) -> str:
    """Decode text. Invalid bytes are replaced, which is safe since all accepted charsets contain ASCII unchanged.

    Raise Doubt if the charset is unknown, or for invalid bytes in ISO 2022, whose escape sequences can change ASCII.
    """
    charset = charset.strip(" \"'").lower()
    try:
        charset.encode("ascii")  # otherwise Python would ignore non-ASCII letters
        name = codecs.lookup(_ALIASES.get(charset, charset) or "us-ascii").name
    except (LookupError, UnicodeError, ValueError) as error:
        raise Doubt("unknown-charset") from error
    if not _CHARSETS.fullmatch(name):  # such as utf-7, where ASCII characters can have another meaning
        raise Doubt("unknown-charset")
    for attempt in (name, "utf-8"):
        try:
            return _text_of(octets, attempt, "strict").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            if name.startswith("iso2022"):
                raise Doubt("undecodable") from error
    return _text_of(octets, name)


def _text_of(octets: bytes, charset: str, errors: str = "replace") -> str:
    """Decode bytes. NUL, which Postgres rejects, is replaced with U+FFFD. This can't turn a line into a move."""
    return octets.decode(charset, errors).replace("\0", "\ufffd")


# Plain text


def _broken(text: str) -> list[str]:
    lines = re.split("\r\n|\r|\n", text)
    if len(lines) > MOST_LINES:
        raise Doubt("too-large")
    return lines


def _fixed(text: str) -> Iterator[Line]:
    long_quote = False
    for line in _broken(text):
        quoted = _QUOTED.match(without_unseen(line)) is not None
        # an unmarked line below a long quoted line may be the wrapped end of that line
        yield Line(quoted or (long_quote and line.strip() != ""), line)
        long_quote = quoted and len(line) >= WRAPPED


def _flowed(text: str, delete_space: bool) -> Iterator[Line]:
    """Join the lines of format=flowed (RFC 3676, 4)."""
    begun, begun_depth = "", 0
    for line in _broken(text):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        if begun and depth != begun_depth:
            yield Line(begun_depth > 0, begun)
            begun = ""
        if content.endswith(" ") and content != "-- ":
            begun, begun_depth = begun + (content[:-1] if delete_space else content), depth
            continue
        yield Line(depth > 0, begun + content)
        begun = ""
    if begun:
        yield Line(begun_depth > 0, begun)
