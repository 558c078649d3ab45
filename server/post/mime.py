"""MIME messages, built in such a way that a player's text can't become a header."""

import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
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


def build(
    *,
    sender: str,
    to: str,
    subject: str,
    text: str,
    message_id: str,
    date: datetime,
    sender_name: str = "Sternenpost",
    html: str | None = None,
    thread: str | None = None,
    answers: str | None = None,
    headers: Mapping[str, str] | None = None,
    inline_images: Sequence[tuple[str, bytes]] = (),
    files: Sequence[tuple[str, str]] = (),
) -> bytes:
    """Return an email as ASCII bytes (RFC 5322). Raise ValueError if an address, an id or the name of a header is
    invalid.

    Ids have the form `letter@host`, without brackets: `message_id`, `thread` (the first email of the thread), and
    `answers` (the email to which this one replies). `answers` is "" if that email has no valid id, and None if this
    email isn't a reply. `inline_images` are PNGs by name, which the HTML shows as `cid:name`. `files` are attached JSON
    texts by name. Names, texts and the values of headers may come from players.
    """
    head = {
        "From": _mailbox(sender_name, sender),
        "To": email_address(to),
        "Subject": _words("Subject", clean(subject, SUBJECT_LENGTH)),
        "Date": format_datetime(date),
        "Message-ID": _id(message_id),
        "Auto-Submitted": "auto-generated" if answers is None else "auto-replied",
    }
    if answers:
        head["In-Reply-To"] = _id(answers)
        head["References"] = " ".join(_id(it) for it in (thread, answers) if it)
    elif thread not in (None, message_id):
        head["In-Reply-To"] = head["References"] = _id(thread)
    for name, value in (headers or {}).items():
        if name in head or not re.fullmatch("[A-Z][A-Za-z-]*", name):
            raise ValueError(f"{name!r} is no further header.")
        head[name] = _words(name, clean(value, VALUE_LENGTH))
    lines = "".join(f"{name}: {value}\r\n" for name, value in head.items())
    return lines.encode("ascii") + _body(text, html, inline_images, files, message_id)


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


def _body(
    text: str,
    html: str | None,
    inline_images: Sequence[tuple[str, bytes]],
    files: Sequence[tuple[str, str]],
    message_id: str,
) -> bytes:
    """Return the headers that describe the body, and the body. Both are reproducible, so a second copy of an email is
    identical."""
    body, boundary = _text(text, "plain"), sha256(message_id.encode()).hexdigest()[:32]
    if html is not None:
        page = _text(html, "html")
        if inline_images:
            page = _multipart("related", f"{boundary}-inner", [page, *(_image(*it) for it in inline_images)])
        body = _multipart("alternative", f"{boundary}-outer", [body, page])
    if files:
        body = _multipart("mixed", f"{boundary}-files", [body, *(_file(*it) for it in files)])
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
