"""DKIM (RFC 6376): letters signed by the domain that they come from, so that others know that they are ours."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import dkim
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.asymmetric.utils import Prehashed
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from server.post.smtp import Carrier

_FIELD = re.compile(rb"^([!-9;-~]+):", re.MULTILINE)


class Signing:
    """Carries as another carrier does, after it has signed the letter: every header, and the whole body."""

    def __init__(self, carrier: Carrier, domain: str, selector: str, key: bytes) -> None:
        """`key` is an RSA key in PEM. Raises ValueError."""
        self._carrier, self._domain, self._selector, self._key = carrier, domain.encode(), selector.encode(), key
        self._signs = _Signs(_private_key(key))

    def check(self) -> None:
        self._carrier.check()

    def send(self, message: bytes, sender: str, recipient: str, confirm: Callable[[], None] = lambda: None) -> None:
        head, between, body = message.partition(b"\r\n\r\n")
        signer = _Signer(head + between)
        signer.signs = self._signs
        signer.body = body  # which it would take apart line by line and put together again
        signature = signer.sign(
            self._selector,
            self._domain,
            self._key,
            canonicalize=(b"relaxed", b"simple"),  # our bodies have no white space that a relay might change
            include_headers=[*(name.lower() for name in _FIELD.findall(head)), b"from"],  # so that nobody adds a second
        )
        self._carrier.send(signature + message, sender, recipient, confirm)


class _Signs(NamedTuple):
    """The key as dkimpy asks one of Ed25519, with the digest."""

    key: RSAPrivateKey

    def sign(self, digest: bytes) -> "_Signature":
        return _Signature(self.key.sign(digest, PKCS1v15(), Prehashed(SHA256())))


class _Signature(NamedTuple):
    signature: bytes


class _Signer(dkim.DKIM):  # type: ignore[misc]  # it comes without types
    """Signs by OpenSSL, ten times as fast as Python's own numbers, and in a time that tells nothing of the key."""

    signs: _Signs

    def gen_header(
        self,
        fields: Any,
        include_headers: Any,
        canon_policy: Any,
        header_name: bytes,
        pk: Any,
        standardize: bool = False,
    ) -> Any:
        """The fields say rsa-sha256 already; for the other algorithm the key itself is asked."""
        self.signature_algorithm = b"ed25519-sha256"
        return super().gen_header(fields, include_headers, canon_policy, header_name, self.signs, standardize)


def public_key(key: bytes) -> tuple[int, int]:
    """Modulus and exponent of the public half. Raises ValueError, without a word of the key."""
    numbers = _private_key(key).public_key().public_numbers()
    return numbers.n, numbers.e


def _private_key(key: bytes) -> RSAPrivateKey:
    try:
        found = load_pem_private_key(key, None)
    except (ValueError, TypeError, UnsupportedAlgorithm):
        found = None
    if isinstance(found, RSAPrivateKey):
        return found
    raise ValueError("The DKIM key is not an RSA key in PEM.")


def read_key(path: Path) -> bytes:
    """The key in this file. Raises ValueError."""
    try:
        key = path.read_bytes()
    except OSError as error:
        raise ValueError(f"The DKIM key cannot be read: {error.strerror}.") from None
    public_key(key)
    return key
