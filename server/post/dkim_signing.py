"""DKIM signatures (RFC 6376), with which receivers verify that an email comes from our domain."""

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
    """A mail transport that signs every header and the body of an email, then passes it to another transport."""

    def __init__(self, carrier: Carrier, domain: str, selector: str, key: bytes) -> None:
        """Raise ValueError unless `key` is an RSA key in PEM."""
        self._carrier, self._domain, self._selector, self._key = carrier, domain.encode(), selector.encode(), key
        self._signs = _Signs(_private_key(key))

    def check(self) -> None:
        self._carrier.check()

    def send(self, message: bytes, sender: str, recipient: str, confirm: Callable[[], None] = lambda: None) -> None:
        head, between, body = message.partition(b"\r\n\r\n")
        signer = _Signer(head + between)
        signer.signs = self._signs
        signer.body = body  # dkimpy's own parser would split and rejoin it line by line
        signature = signer.sign(
            self._selector,
            self._domain,
            self._key,
            canonicalize=(b"relaxed", b"simple"),  # our emails have no white space that a relay might change
            include_headers=[
                *(name.lower() for name in _FIELD.findall(head)),
                b"from",
            ],  # "from" again, so that adding a second From breaks the signature
        )
        self._carrier.send(signature + message, sender, recipient, confirm)


class _Signs(NamedTuple):
    """A signing key, wrapped in the interface that dkimpy expects of Ed25519 keys."""

    key: RSAPrivateKey

    def sign(self, digest: bytes) -> "_Signature":
        return _Signature(self.key.sign(digest, PKCS1v15(), Prehashed(SHA256())))


class _Signature(NamedTuple):
    signature: bytes


class _Signer(dkim.DKIM):  # type: ignore[misc]  # dkimpy has no type annotations
    """A signer that uses OpenSSL, which is ten times faster than dkimpy's pure Python and takes constant time."""

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
        """Claim to use Ed25519, so that dkimpy calls the key. The header already names rsa-sha256."""
        self.signature_algorithm = b"ed25519-sha256"
        return super().gen_header(fields, include_headers, canon_policy, header_name, self.signs, standardize)


def public_key(key: bytes) -> tuple[int, int]:
    """Return the modulus and the exponent of the public key. Raise ValueError if the key is invalid. The text of the
    error reveals nothing about the key."""
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
    """Return the key in this file. Raise ValueError if the key can't be used."""
    try:
        key = path.read_bytes()
    except OSError as error:
        raise ValueError(f"The DKIM key cannot be read: {error.strerror}.") from None
    public_key(key)
    return key
