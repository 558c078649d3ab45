"""Mail providers, imitated by the requests that they document."""

import hmac
import json
import time
from base64 import b64encode
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from functools import cache
from itertools import count
from typing import Any, NamedTuple
from urllib.parse import urlencode

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15

from tests.support.live_server import MAIL_IN_SECRET

SECRET = MAIL_IN_SECRET
TOPIC = "arn:aws:sns:eu-central-1:123456789012:replies"
CERTIFICATE = "https://sns.eu-central-1.amazonaws.com/SimpleNotificationService-a86cb10b4e1f29c941702d737128f7b6.pem"
BASIC = {"Authorization": "Basic " + b64encode(f"mail:{SECRET}".encode()).decode()}
BEARER = {"Authorization": f"Bearer {SECRET}"}
_BOUNDARY = "xYzZY"
_numbers = count(1)


class Call(NamedTuple):
    path: str
    body: bytes
    headers: dict[str, str]


# Inbound mails


def postmark(to: str, sender: str, raw: bytes) -> Call:
    told = {"MessageStream": "inbound", "OriginalRecipient": to, "MessageID": f"pm-{next(_numbers)}"}
    return as_json("/mail-in/postmark", {**told, "RawEmail": raw.decode("utf-8", "replace")}, BASIC)


def mailgun(to: str, sender: str, raw: bytes) -> Call:
    fields = {"recipient": to, "sender": sender, **signed_by_mailgun()}
    return as_form("/mail-in/mailgun/mime", {name: it.encode() for name, it in fields.items()} | {"body-mime": raw})


def mailgun_urlencoded(to: str, sender: str, raw: bytes) -> Call:
    fields = {"recipient": to, "sender": sender, **signed_by_mailgun(), "body-mime": raw}
    return Call("/mail-in/mailgun/mime", urlencode(fields).encode(), _of_type("application/x-www-form-urlencoded"))


def sendgrid(to: str, sender: str, raw: bytes) -> Call:
    envelope = json.dumps({"to": [to], "from": sender}).encode()
    return as_form("/mail-in/sendgrid", {"envelope": envelope, "email": raw, "subject": b"x"}, BASIC)


def ses(to: str, sender: str, raw: bytes) -> Call:
    told = {
        "notificationType": "Received",
        "mail": {"source": sender, "messageId": f"ses-{next(_numbers)}", "destination": [to]},
        "receipt": {"recipients": [to], "action": {"type": "SNS", "encoding": "BASE64"}},
        "content": b64encode(raw).decode(),
    }
    return by_sns(told)


def cloudflare(to: str, sender: str, raw: bytes) -> Call:
    return _raw("cloudflare", to, sender, raw)


def by_program(to: str, sender: str, raw: bytes) -> Call:
    return _raw("raw", to, sender, raw)


def _raw(provider: str, to: str, sender: str, raw: bytes) -> Call:
    return Call(
        f"/mail-in/{provider}?{urlencode({'from': sender, 'to': to})}", raw, {**BEARER, **_of_type("message/rfc822")}
    )


PROVIDERS: dict[str, Callable[[str, str, bytes], Call]] = {
    "postmark": postmark,
    "mailgun": mailgun,
    "mailgun-urlencoded": mailgun_urlencoded,
    "sendgrid": sendgrid,
    "ses": ses,
    "cloudflare": cloudflare,
    "raw": by_program,
}


# Bounces and complaints


def bounces(to: str, return_path: str, message_id: str, why: str, status: str) -> dict[str, Call]:
    """Return each provider's request for a permanent bounce."""
    return {
        "postmark": as_json(
            "/mail-in/postmark",
            {"RecordType": "Bounce", "ID": 4323372036854775807, "Type": "HardBounce", "TypeCode": 1, "Email": to}
            | {"Details": f"smtp;{why}", "Description": "The server was unable to deliver your message."}
            | {"Content": f"Return-Path: <>\r\n\r\nMessage-ID: <{message_id}>"},
            BASIC,
        ),
        "mailgun": mailgun_event(
            {"event": "failed", "severity": "permanent", "recipient": to, "timestamp": 1521233195.375624}
            | {"delivery-status": {"code": 550, "message": why, "enhanced-code": status}}
            | {"message": {"headers": {"message-id": message_id}}, "envelope": {"sender": return_path}}
        ),
        "sendgrid": as_json(
            "/mail-in/sendgrid",
            [
                {"event": "processed", "email": to},
                {"event": "bounce", "type": "bounce", "email": to, "reason": why, "status": status}
                | {"smtp-id": f"<{message_id}>", "sg_event_id": "a"},
            ],
            BASIC,
        ),
        "ses": by_sns(
            {"notificationType": "Bounce", "mail": {"source": return_path, "destination": [to]}}
            | {
                "bounce": {
                    "bounceType": "Permanent",
                    "bounceSubType": "General",
                    "bouncedRecipients": [{"emailAddress": to, "status": status, "diagnosticCode": f"smtp; {why}"}],
                }
            }
        ),
    }


def complaints(to: str, return_path: str, message_id: str) -> dict[str, Call]:
    """Return each provider's request for a spam complaint."""
    return {
        "postmark": as_json(
            "/mail-in/postmark", {"RecordType": "SpamComplaint", "Type": "SpamComplaint", "Email": to}, BASIC
        ),
        "mailgun": mailgun_event(
            {"event": "complained", "recipient": to, "message": {"headers": {"message-id": message_id}}}
        ),
        "sendgrid": as_json(
            "/mail-in/sendgrid", [{"event": "spamreport", "email": to, "smtp-id": f"<{message_id}>"}], BASIC
        ),
        "ses": by_sns(
            {"eventType": "Complaint", "mail": {"source": return_path}}
            | {"complaint": {"complainedRecipients": [{"emailAddress": to}], "complaintFeedbackType": "abuse"}}
        ),
    }


# Forms and signatures


def as_json(path: str, told: Any, headers: dict[str, str] | None = None) -> Call:
    return Call(path, json.dumps(told).encode(), {**(headers or {}), **_of_type("application/json")})


def as_form(path: str, fields: dict[str, bytes], headers: dict[str, str] | None = None) -> Call:
    parts = [
        b'--%s\r\nContent-Disposition: form-data; name="%s"\r\n\r\n%s\r\n' % (_BOUNDARY.encode(), name.encode(), value)
        for name, value in fields.items()
    ]
    body = b"".join(parts) + f"--{_BOUNDARY}--\r\n".encode()
    return Call(path, body, {**(headers or {}), **_of_type(f"multipart/form-data; boundary={_BOUNDARY}")})


def _of_type(name: str) -> dict[str, str]:
    return {"Content-Type": name}


def signed_by_mailgun(age: timedelta = timedelta(0), key: str = SECRET) -> dict[str, str]:
    timestamp, token = str(int(time.time() - age.total_seconds())), f"{next(_numbers):050}"
    return {
        "timestamp": timestamp,
        "token": token,
        "signature": hmac.new(key.encode(), f"{timestamp}{token}".encode(), "sha256").hexdigest(),
    }


def mailgun_event(event: dict[str, Any]) -> Call:
    return as_json("/mail-in/mailgun", {"signature": signed_by_mailgun(), "event-data": event})


@cache
def sns_key() -> rsa.RSAPrivateKey:
    return rsa.generate_private_key(65537, 2048)


@cache
def sns_certificate() -> bytes:
    return certificate(sns_key(), "sns.amazonaws.com")


def certificate(key: rsa.RSAPrivateKey, name: str) -> bytes:
    subject, now = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]), datetime.now(UTC)
    built = (
        x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    )
    return built.sign(key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


def sns_message(told: dict[str, Any], version: str = "2", key: rsa.RSAPrivateKey | None = None) -> dict[str, Any]:
    """Return a message signed as SNS documents it: names and values line by line, sorted by name."""
    message: dict[str, Any] = {
        "Type": "Notification",
        "MessageId": f"22b80b92-fdea-4c2c-8f9d-{next(_numbers):012}",
        "TopicArn": TOPIC,
        "Message": "",
        "Timestamp": "2026-11-21T12:45:07.000Z",
        **told,
    }
    signed = "".join(f"{name}\n{message[name]}\n" for name in sorted(message))
    algorithm = hashes.SHA256() if version == "2" else hashes.SHA1()
    signature = (key or sns_key()).sign(signed.encode(), PKCS1v15(), algorithm)
    return {
        **message,
        "SignatureVersion": version,
        "Signature": b64encode(signature).decode(),
        "SigningCertURL": CERTIFICATE,
        "UnsubscribeURL": "https://sns.eu-central-1.amazonaws.com/?Action=Unsubscribe",
    }


def by_sns(told: dict[str, Any]) -> Call:
    return as_sns(sns_message({"Message": json.dumps(told)}))


def as_sns(message: dict[str, Any]) -> Call:
    """Return a request with the content type that Amazon sends, plain text."""
    return Call("/mail-in/ses", json.dumps(message).encode(), {**BASIC, **_of_type("text/plain; charset=UTF-8")})
