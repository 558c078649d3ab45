"""Parsers of mail providers' webhooks, which deliver emails, bounces and complaints. Each provider has documented its
own format.

They first authenticate the provider, by a shared secret or a signature (for Amazon, see `sns.py`).
"""

import hashlib
import hmac
import json
import re
from base64 import b64decode
from binascii import Error as NotBase64
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from werkzeug.exceptions import RequestEntityTooLarge
from werkzeug.http import parse_options_header
from werkzeug.sansio.multipart import Data, Epilogue, Field, File, MultipartDecoder, NeedData

from server.post.incoming.bounces import Bounce
from server.post.incoming.diagnoses import is_unknown
from server.sanitize import clean

_LONGEST_DELAY = timedelta(hours=9)  # Mailgun retries for eight hours
_LONGEST_REASON = 300
_LONGEST_ADDRESS = 254  # RFC 5321, 4.5.3.1.3
_MOST_FIELDS = 100  # fields of a form, which is parsed before its sender is authenticated

Json = dict[str, Any]


class Forged(Exception):
    """The error for a request that doesn't come from the provider that it names."""


class Unreadable(Exception):
    """The error for a request in an unexpected format. Its text is a sentence for the operator who has set up the
    provider."""


class Post(NamedTuple):
    authorization: str
    args: Mapping[str, Sequence[str]]  # parameters in the query string
    content_type: str
    body: bytes


class Mail(NamedTuple):
    """An email that was sent to these addresses."""

    recipients: Sequence[str]
    sender: str | None  # the envelope sender; None if the provider omits it
    content: bytes


class Report(NamedTuple):
    """A bounce of an email to this address, or a complaint about such an email."""

    address: str
    bounce: Bounce | None  # None: a complaint
    said: str  # the provider's whole event, which may contain our tokens


class Proof(NamedTuple):
    """A signature that doesn't cover the content of the request. Until it expires, it is accepted for this content
    only."""

    token_hash: bytes
    content_hash: bytes
    expires_at: datetime


Brought = Mail | Report | Proof


def read(provider: str, post: Post, secret: str, now: datetime) -> list[Brought]:
    """Return what a provider's request contains, or an empty list for irrelevant events. Each proof precedes the
    content that it proves.

    Raise KeyError for an unknown provider, Forged, Unreadable, Unreachable.
    """
    return _PROVIDERS[provider](post, secret, now)


# Proofs


def expect_secret(post: Post, secret: str) -> None:
    """Raise Forged unless the request contains the secret, as a password (RFC 7617) or a bearer token (RFC 6750)."""
    scheme, _, sent = post.authorization.partition(" ")
    if scheme.lower() == "basic":
        try:
            sent = b64decode(sent).decode().partition(":")[2]
        except (NotBase64, ValueError):
            raise Forged from None
    if scheme.lower() not in ("basic", "bearer") or not _is_same(sent, secret):
        raise Forged


def _is_same(sent: str, known: str) -> bool:
    return hmac.compare_digest(sent.encode("utf-8", "replace"), known.encode())


def _mailgun_proof(signed: Mapping[str, object], secret: str, now: datetime, content: Sequence[bytes]) -> Proof:
    """Verify Mailgun's signature, which covers a timestamp and a token but not the content. Raise Forged if the
    signature is invalid."""
    timestamp, token, signature = (_text(signed.get(name)) for name in ("timestamp", "token", "signature"))
    known = hmac.new(secret.encode(), f"{timestamp}{token}".encode(), "sha256").hexdigest()
    if not _is_same(signature, known):
        raise Forged
    if (
        not re.fullmatch("[0-9]{1,11}", timestamp)
        or abs(now.timestamp() - int(timestamp)) > _LONGEST_DELAY.total_seconds()
    ):
        raise Forged
    expires_at = datetime.fromtimestamp(int(timestamp), UTC) + _LONGEST_DELAY
    return Proof(_hash([timestamp.encode(), token.encode()]), _hash(content), expires_at)


def _hash(values: Sequence[bytes]) -> bytes:
    return hashlib.sha256(b"".join(b"%d:%s" % (len(value), value) for value in values)).digest()


# Providers


def _raw(post: Post, secret: str, now: datetime) -> list[Brought]:
    """Parse an email (RFC 5322) whose envelope is in the query string. Our Cloudflare worker sends emails in this
    form."""
    expect_secret(post, secret)
    recipients = post.args.get("to", ())
    if not recipients or not post.body:
        raise Unreadable("The body is the mail, and `to` in the address its recipient.")
    return [Mail(recipients, next(iter(post.args.get("from", ())), None), post.body)]


def _postmark(post: Post, secret: str, now: datetime) -> list[Brought]:
    expect_secret(post, secret)
    told = _json(post.body)
    match told.get("RecordType", "Inbound"):
        case "Bounce" if (kind := _text(told.get("Type"))) in _POSTMARK_FAILURES:
            why = _text(told.get("Details")) or _text(told.get("Description"))
            return [_bounce(told.get("Email"), kind in ("HardBounce", "BadEmailAddress"), why, "", told)]
        case "SpamComplaint":
            return [_complaint(told.get("Email"), told)]
        case "Inbound":
            if "RawEmail" not in told:
                raise Unreadable("The raw mail is needed: tick `Include raw email content in JSON payload`.")
            return [Mail([_text(told.get("OriginalRecipient"))], None, _octets(told["RawEmail"]))]
    return []


# The other types, such as delays and automatic replies, aren't permanent.
_POSTMARK_FAILURES = {"HardBounce", "SoftBounce", "Blocked", "DnsError", "BadEmailAddress", "SpamNotification"}


def _mailgun(post: Post, secret: str, now: datetime) -> list[Brought]:
    if parse_options_header(post.content_type)[0] == "application/json":
        told = _json(post.body)
        event = _object(told.get("event-data"))
        proof = _mailgun_proof(
            _object(told.get("signature")), secret, now, [json.dumps(event, sort_keys=True).encode()]
        )
        match event.get("event"), event.get("severity"):
            case "failed", "permanent":
                status = _object(event.get("delivery-status"))
                why = _text(status.get("message")) or _text(status.get("description")) or _text(event.get("reason"))
                code = _text(status.get("enhanced-code"))
                return [proof, _bounce(event.get("recipient"), True, why, code, event)]
            case "complained", _:
                return [proof, _complaint(event.get("recipient"), event)]
        return [proof]
    form = _form(post)
    recipient, sender, content = (form.get(name, b"") for name in ("recipient", "sender", "body-mime"))
    signed = {name: _decoded(value) for name, value in form.items()}
    proof = _mailgun_proof(signed, secret, now, [recipient, sender, content])
    if "body-mime" not in form:
        raise Unreadable("The raw mail is needed: let the address of the route end with /mail-in/mailgun/mime.")
    return [proof, Mail([_decoded(recipient)], _decoded(sender), content)]


def _sendgrid(post: Post, secret: str, now: datetime) -> list[Brought]:
    expect_secret(post, secret)
    if parse_options_header(post.content_type)[0] == "application/json":
        return [report for event in _list(post.body) for report in _sendgrid_event(event)]
    form = _form(post)
    if "email" not in form:
        raise Unreadable("The raw mail is needed: tick `POST the raw, full MIME message`.")
    envelope = _json(form.get("envelope", b""))
    recipients = envelope.get("to")
    return [
        Mail(
            [_text(it) for it in recipients] if isinstance(recipients, list) else [],
            _text(envelope.get("from")),
            form["email"],
        )
    ]


def _sendgrid_event(event: Json) -> list[Brought]:
    match event.get("event"):
        case "bounce":
            is_hard = event.get("type") != "blocked"
            return [_bounce(event.get("email"), is_hard, _text(event.get("reason")), _text(event.get("status")), event)]
        case "spamreport":
            return [_complaint(event.get("email"), event)]
    return []


def _ses(post: Post, secret: str, now: datetime) -> list[Brought]:
    """Parse a notification of Amazon SES. Amazon signs the topics of all its customers, so the secret is also
    required."""
    from server.post.incoming.sns import expect_signed  # slow to import, and needed only here

    expect_secret(post, secret)
    notification = _json(post.body)
    if not expect_signed(notification):
        raise Forged
    if notification["Type"] != "Notification":
        return []
    told = _json(_octets(notification["Message"]))
    mail = _object(told.get("mail"))
    match told.get("notificationType") or told.get("eventType"):
        case "Received":
            receipt = _object(told.get("receipt"))
            if "content" not in told:
                raise Unreadable("The mail is needed itself: let the receipt rule have an SNS action.")
            content = _octets(told["content"])
            if _object(receipt.get("action")).get("encoding") == "BASE64":
                content = b64decode(content)
            return [Mail([_text(it) for it in receipt.get("recipients", [])], _text(mail.get("source")), content)]
        case "Bounce":
            bounce = _object(told.get("bounce"))
            is_hard = bounce.get("bounceType") == "Permanent"
            return [
                _bounce(it.get("emailAddress"), is_hard, _text(it.get("diagnosticCode")), _text(it.get("status")), told)
                for it in map(_object, bounce.get("bouncedRecipients", []))
            ]
        case "Complaint":
            complained = _object(told.get("complaint")).get("complainedRecipients", [])
            return [_complaint(_object(it).get("emailAddress"), told) for it in complained]
    return []


_PROVIDERS: dict[str, Callable[[Post, str, datetime], list[Brought]]] = {
    "postmark": _postmark,
    "mailgun": _mailgun,
    "sendgrid": _sendgrid,
    "ses": _ses,
    "cloudflare": _raw,
    "raw": _raw,
}


def _bounce(address: object, is_hard: bool, why: str, status: str, told: Json) -> Report:
    """Return the bounce. Providers also report policy rejections as permanent. So the receiving server's own message
    takes precedence, if there is one."""
    is_hard = is_hard and (is_unknown(why, status) or not why)
    return Report(_address(address), Bounce(is_hard, clean(why or status, _LONGEST_REASON)), json.dumps(told))


def _complaint(address: object, told: Json) -> Report:
    return Report(_address(address), None, json.dumps(told))


def _address(value: object) -> str:
    return clean(_text(value), _LONGEST_ADDRESS)


# Forms


def _parsed(body: bytes) -> object:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Unreadable("The body is no JSON.") from None


def _json(body: bytes) -> Json:
    return _object(_parsed(body))


def _list(body: bytes) -> list[Json]:
    found = _parsed(body)
    return [_object(it) for it in found] if isinstance(found, list) else []


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    """Return text without lone surrogates, since they can't be encoded. They come from JSON, and from other
    charsets."""
    return str(value).encode("utf-8", "replace").decode() if isinstance(value, str | int) else ""


def _octets(value: object) -> bytes:
    return _text(value).encode()


def _decoded(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


def _form(post: Post) -> dict[str, bytes]:
    """Return the fields of a form as bytes, since they may be in any charset. Raise Unreadable if there is no form, or
    if it is malformed."""
    kind, options = parse_options_header(post.content_type)
    if kind == "application/x-www-form-urlencoded":
        text = post.body.decode("latin-1")
        try:
            pairs = parse_qsl(text, keep_blank_values=True, encoding="latin-1", max_num_fields=_MOST_FIELDS)
        except ValueError:
            raise Unreadable("The form has too many fields.") from None
        return {name: value.encode("latin-1") for name, value in pairs}
    if kind != "multipart/form-data":
        raise Unreadable("The body is no form.")
    found: dict[str, bytes] = {}
    try:
        decoder = MultipartDecoder(options["boundary"].encode("latin-1"), max_parts=_MOST_FIELDS)
        decoder.receive_data(post.body)
        decoder.receive_data(None)
        name = ""
        while not isinstance(event := decoder.next_event(), Epilogue | NeedData):
            if isinstance(event, Field | File):
                name = event.name
                found[name] = b""
            elif isinstance(event, Data):
                found[name] += event.data
    except RequestEntityTooLarge:
        raise Unreadable("The form has too many fields.") from None
    except (KeyError, ValueError):
        raise Unreadable("The body is no form.") from None
    return found
