"""MIME messages, built in such a way that a player's text can't become a header."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from email.header import Header
from email.quoprimime import body_encode
from email.utils import format_datetime
from hashlib import sha256

from server.sanitize import clean, email_address, plain

SUBJECT_LENGTH = 200
NAME_LENGTH = 60
_LINE = 76  # length of encoded lines (RFC 2045, 6.7 and 6.8)
VALUE_LENGTH = 900  # so that the line, with the header's name, has at most 998 bytes (RFC 5322, 2.1.1)


# The standard library's EmailMessage decodes =?...?= in its input and writes the result, including line breaks, into
# the headers (CVE-2024-6923, as in Python 3.11.7). It also encodes long ids and links, which many programs
# can't read, and takes three times as long.


@dataclass(frozen=True, kw_only=True)
class Message:
    """An email. Names, texts and the values of headers may come from players. Ids have the form `letter@host`, without
    brackets."""

    sender: str
    sender_name: str = "Sternenpost"
    to: str
    subject: str
    text: str
    html: str | None = None
    date: datetime
    message_id: str
    thread: str | None = None  # the first email of the thread
    answers: str | None = None  # the email to which this one replies; "" if that email has no valid id
    headers: Mapping[str, str] = field(default_factory=dict)
    inline_images: Sequence[tuple[str, bytes]] = ()  # PNGs by name, which the HTML shows as `cid:name`
    files: Sequence[tuple[str, str]] = ()  # attached JSON texts by name


def encode(it: Message) -> bytes:
    """Return an email as ASCII bytes (RFC 5322). Raise ValueError if an address, an id or the name of a header is
    invalid."""
    head = {
        "From": _mailbox(it.sender_name, it.sender),
        "To": email_address(it.to),
        "Subject": _words("Subject", clean(it.subject, SUBJECT_LENGTH)),
        "Date": format_datetime(it.date),
        "Message-ID": _id(it.message_id),
        "Auto-Submitted": "auto-generated" if it.answers is None else "auto-replied",
    }
    if it.answers:
        head["In-Reply-To"] = _id(it.answers)
        head["References"] = " ".join(_id(each) for each in (it.thread, it.answers) if each)
    elif it.thread not in (None, it.message_id):
        head["In-Reply-To"] = head["References"] = _id(it.thread)
    for name, value in it.headers.items():
        if name in head or not re.fullmatch("[A-Z][A-Za-z-]*", name):
            raise ValueError(f"{name!r} is no further header.")
        head[name] = _words(name, clean(value, VALUE_LENGTH))
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return lines.encode("ascii") + _body(it)


def _words(header: str, text: str) -> str:
    """Return a line as the value of a header, in encoded words (RFC 2047) unless it is plain ASCII."""
    if text.isascii() and "=?" not in text:
        return text
    return Header(text, "utf-8", maxlinelen=75, header_name=header).encode(linesep="\r\n")


def _mailbox(name: str, address: str) -> str:
    name = clean(name, NAME_LENGTH)
    words = _words("From", name)
    if words == name:
        words = '"' + re.sub(r'(["\\])', r"\\\1", name) + '"'
    return f"{words} <{email_address(address)}>"


def is_id(text: str) -> bool:
    """Return whether this is a message id, without brackets, that every mail program can read."""
    return re.fullmatch(r"[A-Za-z0-9._+$=/!#&*~-]{1,200}@[A-Za-z0-9._-]{1,200}", text) is not None and "=?" not in text


def fit_id(text: str | None) -> str:
    """Return the id in a header of an email, without brackets, or "" if the id is invalid."""
    inner = (text or "").strip("<>")
    return inner if is_id(inner) else ""


def _id(text: str | None) -> str:
    if not is_id(text or ""):
        raise ValueError(f"{text!r} cannot be the id of a message.")
    return f"<{text}>"


def _body(it: Message) -> bytes:
    """Return the headers that describe the body, and the body. Both are reproducible, so a second copy of an email is
    identical."""
    body, boundary = _text(it.text, "plain"), sha256(it.message_id.encode()).hexdigest()[:32]
    if it.html is not None:
        page = _text(it.html, "html")
        if it.inline_images:
            page = _multipart("related", f"{boundary}-inner", [page, *(_image(*each) for each in it.inline_images)])
        body = _multipart("alternative", f"{boundary}-outer", [body, page])
    if it.files:
        body = _multipart("mixed", f"{boundary}-files", [body, *(_file(*each) for each in it.files)])
    return b"MIME-Version: 1.0\r\n" + body


def _text(text: str, subtype: str) -> bytes:
    head = f'Content-Type: text/{subtype}; charset="utf-8"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n'
    return (head + body_encode(f"{plain(text)}\n".encode().decode("latin-1"), _LINE, "\r\n")).encode("ascii")


def _image(name: str, png: bytes) -> bytes:
    """Encode a picture. EmailMessage would split it line by line, which takes longer than drawing it."""
    head = "Content-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-Disposition: inline\r\n"
    return f"{head}Content-ID: <{name}>\r\n\r\n".encode("ascii") + _base64(png)


def _file(name: str, text: str) -> bytes:
    """Encode an attachment. Its name doesn't come from players."""
    head = f'Content-Type: application/json; name="{name}"\r\nContent-Transfer-Encoding: base64\r\n'
    return f'{head}Content-Disposition: attachment; filename="{name}"\r\n\r\n'.encode("ascii") + _base64(text.encode())


def _base64(content: bytes) -> bytes:
    text = b64encode(content)
    return b"".join(text[at : at + _LINE] + b"\r\n" for at in range(0, len(text), _LINE))


def _multipart(subtype: str, boundary: str, parts: Sequence[bytes]) -> bytes:
    """Join the parts of a multipart body (RFC 2046, 5.1)."""
    between = f"\r\n--{boundary}".encode("ascii")
    head = f'Content-Type: multipart/{subtype}; boundary="{boundary}"\r\n'.encode("ascii")
    return head + b"".join(between + b"\r\n" + part for part in parts) + between + b"--\r\n"
