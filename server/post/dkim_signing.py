"""DKIM (RFC 6376): letters signed by the domain that they come from, so that others know that they are ours."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dkim
from dkim.crypto import UnparsableKeyError, parse_pem_private_key
from gmpy2 import mpz

from server.post.smtp import Carrier

_FIELD = re.compile(rb"^([!-9;-~]+):", re.MULTILINE)


class Signing:
    """Carries as another carrier does, after it has signed the letter: every header, and the whole body."""

    def __init__(self, carrier: Carrier, domain: str, selector: str, key: bytes) -> None:
        """`key` is an RSA key in PEM. Raises ValueError."""
        self._carrier, self._domain, self._selector, self._key = carrier, domain.encode(), selector.encode(), key
        public_key(key)

    def check(self) -> None:
        self._carrier.check()

    def send(self, message: bytes, sender: str, recipient: str, confirm: Callable[[], None] = lambda: None) -> None:
        head = message.partition(b"\r\n\r\n")[0]
        signature = _Signer(message).sign(
            self._selector,
            self._domain,
            self._key,
            canonicalize=(b"relaxed", b"simple"),  # our bodies have no white space that a relay might change
            include_headers=[*(name.lower() for name in _FIELD.findall(head)), b"from"],  # so that nobody adds a second
        )
        self._carrier.send(signature + message, sender, recipient, confirm)


class _Signer(dkim.DKIM):  # type: ignore[misc]  # it comes without types
    """Reckons with GMP, which signs ten times as fast as Python's own numbers."""

    def gen_header(
        self,
        fields: Any,
        include_headers: Any,
        canon_policy: Any,
        header_name: bytes,
        pk: Any,
        standardize: bool = False,
    ) -> Any:
        numbers = {name: mpz(number) for name, number in pk.items()}
        return super().gen_header(fields, include_headers, canon_policy, header_name, numbers, standardize)


def public_key(key: bytes) -> tuple[int, int]:
    """Modulus and exponent of the public half. Raises ValueError, without a word of the key."""
    try:
        found = parse_pem_private_key(key)
        return found["modulus"], found["publicExponent"]
    except (UnparsableKeyError, IndexError, KeyError, TypeError):
        raise ValueError("The DKIM key is not an RSA key in PEM.") from None


def read_key(path: Path) -> bytes:
    """The key in this file. Raises ValueError."""
    try:
        key = path.read_bytes()
    except OSError as error:
        raise ValueError(f"The DKIM key cannot be read: {error.strerror}.") from None
    public_key(key)
    return key
