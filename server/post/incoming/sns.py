"""Notifications of Amazon SNS: checks their signatures, and confirms subscriptions to topics."""

import re
from base64 import b64decode
from binascii import Error as NotBase64
from functools import lru_cache
from http.client import HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey
from cryptography.x509 import load_pem_x509_certificate

from server.post.smtp import Unreachable

_HOST = re.compile(r"sns\.[a-z0-9-]{3,30}\.amazonaws\.com(\.cn)?")
_CERTIFICATE = re.compile(r"/SimpleNotificationService-[0-9A-Za-z]{1,100}\.pem")
_SIGNED = {
    "Notification": ("Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type"),
    "SubscriptionConfirmation": ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
    "UnsubscribeConfirmation": ("Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type"),
}
_HASHES: dict[str, type[hashes.HashAlgorithm]] = {"1": hashes.SHA1, "2": hashes.SHA256}
_PATIENCE = 10.0  # seconds
_LARGEST = 64 * 1024  # bytes per response


def expect_signed(message: dict[str, Any]) -> bool:
    """Return whether SNS signed this message. If the message asks to confirm a subscription, confirm it. Raise
    Unreachable if Amazon's host doesn't respond."""
    names, algorithm = _SIGNED.get(str(message.get("Type"))), _HASHES.get(str(message.get("SignatureVersion")))
    host = _host_of(message.get("SigningCertURL"))
    if names is None or algorithm is None or host is None:
        return False
    path = urlsplit(message["SigningCertURL"]).path
    if not _CERTIFICATE.fullmatch(path):
        return False
    lines = [f"{name}\n{message[name]}\n" for name in names if message.get(name) is not None]
    try:
        signature = b64decode(str(message.get("Signature")))
        _key(host, path).verify(signature, "".join(lines).encode("utf-8", "replace"), PKCS1v15(), algorithm())
    except (InvalidSignature, NotBase64, ValueError):
        return False
    if message["Type"] == "SubscriptionConfirmation":
        return _confirm(message)
    return True


def _confirm(message: dict[str, Any]) -> bool:
    """Confirm a subscription. The URL is built from Amazon's host, since the URL in the message isn't trusted."""
    host = _host_of(message.get("SubscribeURL"))
    if host is None:
        return False
    asked = {"Action": "ConfirmSubscription", "TopicArn": message.get("TopicArn"), "Token": message.get("Token")}
    fetch(host, f"/?{urlencode(asked)}")
    return True


def _host_of(url: object) -> str | None:
    """Return the host of an HTTPS URL of SNS with the default port, otherwise None."""
    try:
        parts = urlsplit(str(url))
    except ValueError:
        return None
    return parts.netloc if parts.scheme == "https" and _HOST.fullmatch(parts.netloc) else None


@lru_cache(maxsize=32)
def _key(host: str, path: str) -> RSAPublicKey:
    """Download the signing key. Raise Unreachable, ValueError, InvalidSignature."""
    key = load_pem_x509_certificate(fetch(host, path)).public_key()
    if not isinstance(key, RSAPublicKey):
        raise InvalidSignature
    return key


def fetch(host: str, path: str) -> bytes:
    """Return the response body for this path. Redirects aren't followed. Raise Unreachable if there is no response."""
    connection = HTTPSConnection(host, timeout=_PATIENCE)
    try:
        connection.request("GET", path)
        answer = connection.getresponse()
        body = answer.read(_LARGEST)
    except (HTTPException, OSError) as error:
        raise Unreachable(f"{host}: {error}") from error
    finally:
        connection.close()
    if answer.status != 200:
        raise Unreachable(f"{host}: {answer.status}")
    return body
