"""Web Push (RFC 8030): encrypts a message for one browser (RFC 8291), and authenticates the server (VAPID, RFC
8292)."""

import json
import os
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from struct import pack
from typing import NamedTuple

from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from server.webhooks.targets import Target

_RECORD = 4096  # bytes; a message consists of one record
_GOOD_FOR = 12 * 3600  # seconds for which the token is valid; at most 24 hours are allowed (RFC 8292, 2)
LONGEST_TTL = 28 * 86_400  # seconds; push services don't store messages longer than this


class Browser(NamedTuple):
    """The keys that a browser has created for its subscription."""

    p256dh: bytes
    auth: bytes


def encrypt(
    message: bytes, browser: Browser, own: ec.EllipticCurvePrivateKey | None = None, salt: bytes = b""
) -> bytes:
    """Return the message, encrypted as `aes128gcm` (RFC 8188). Every message needs a new `own` and `salt`.

    Raise ValueError if a key is invalid.
    """
    own, salt = own or ec.generate_private_key(ec.SECP256R1()), salt or os.urandom(16)
    theirs = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), browser.p256dh)
    public = point_of(own)
    shared = own.exchange(ec.ECDH(), theirs)
    secret = _derived(shared, browser.auth, b"WebPush: info\0" + browser.p256dh + public, 32)
    key = _derived(secret, salt, b"Content-Encoding: aes128gcm\0", 16)
    nonce = _derived(secret, salt, b"Content-Encoding: nonce\0", 12)
    head = salt + pack("!IB", _RECORD, len(public)) + public
    return head + AESGCM(key).encrypt(nonce, message + b"\2", None)


def _derived(secret: bytes, salt: bytes, info: bytes, length: int) -> bytes:
    return HKDF(SHA256(), length, salt, info).derive(secret)


def authorization(key: ec.EllipticCurvePrivateKey, target: Target, contact: str) -> str:
    """Return the Authorization header for a push service (RFC 8292). It contains a JWT signed with ES256, and the
    public key."""
    port = "" if target.port == 443 else f":{target.port}"
    claims = {"aud": f"{target.scheme}://{target.host}{port}", "exp": int(time.time()) + _GOOD_FOR, "sub": contact}
    signed = ".".join(to_text(json.dumps(it, separators=(",", ":")).encode()) for it in (_HEADER, claims))
    r, s = utils.decode_dss_signature(key.sign(signed.encode(), ec.ECDSA(SHA256())))
    return f"vapid t={signed}.{to_text(r.to_bytes(32) + s.to_bytes(32))}, k={to_text(point_of(key))}"


_HEADER: Mapping[str, str] = {"typ": "JWT", "alg": "ES256"}


def point_of(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)


def to_text(raw: bytes) -> str:
    return urlsafe_b64encode(raw).decode().rstrip("=")


def from_text(text: str) -> bytes:
    """Decode base64url without padding. Raise ValueError if the text isn't base64url."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
