"""Checks of the DNS records of a domain that sends and receives mail: SPF (RFC 7208), DKIM (RFC 6376), DMARC (RFC 7489)
and MX."""

import binascii
from base64 import b64decode
from collections.abc import Callable
from typing import Any

import dns.exception
import dns.resolver
from dkim.crypto import UnparsableKeyError, parse_public_key
from dkim.util import InvalidTagValueList, parse_tag_value

from server.post.dkim_signing import public_key

OK = "ok"
UNKNOWN = "not looked up: "  # prefix of a result when no name server answers
_PATIENCE = 5.0  # seconds for all name servers together


def check_records(
    domain: str, reply_domain: str | None = None, selector: str = "", key: bytes | None = None
) -> dict[str, str]:
    """Return, for each record, `ok` or what is wrong with it. `key` is the key that signs emails. `reply_domain` is the
    domain that receives replies and bounces."""
    found = {"SPF": _result_of(_spf, reply_domain or domain), "DMARC": _result_of(_dmarc, domain)}
    if key is not None:
        found["DKIM"] = _result_of(_dkim, f"{selector}._domainkey.{domain}", key)
    if reply_domain is not None:
        found["MX"] = _result_of(_mx, reply_domain)
    return found


def _result_of(check: Callable[..., str], *where: Any) -> str:
    try:
        return check(*where)
    except dns.exception.DNSException as error:
        return f"{UNKNOWN}{error}"


def _spf(domain: str) -> str:
    """Check the SPF record of the return path's domain, which receivers look up."""
    found = [text for text in _texts(domain) if text.lower().split(" ")[0] == "v=spf1"]
    if len(found) == 1:
        return OK
    return f"{domain} needs exactly one TXT record v=spf1, and has {len(found) or 'none'}"


def _dmarc(domain: str) -> str:
    """Check the DMARC record of the domain, or of its parent domain, whose policy also applies."""
    for name in (domain, domain.partition(".")[2]):
        if "." in name and any(text.startswith("v=DMARC1") for text in _texts(f"_dmarc.{name}")):
            return OK
    return f"_dmarc.{domain} has no TXT record v=DMARC1"


def _dkim(name: str, key: bytes) -> str:
    texts = _texts(name)
    if not texts:
        return f"{name} has no TXT record with the public key"
    if any(_is_public_half(text, key) for text in texts):
        return OK
    return f"{name} has a different key from the one that signs"


def _is_public_half(text: str, key: bytes) -> bool:
    try:
        published = parse_public_key(b64decode(parse_tag_value(text.encode()).get(b"p", b"")))
    except (InvalidTagValueList, UnparsableKeyError, binascii.Error, IndexError, TypeError):
        return False
    return (published["modulus"], published["publicExponent"]) == public_key(key)


def _mx(domain: str) -> str:
    """Check the MX records. A domain without MX records receives mail at its own address (RFC 5321, 5.1)."""
    exchanges = [answer.exchange.to_text(omit_final_dot=True) for answer in _answers(domain, "MX")]
    lost = [name for name in exchanges or [domain] if not any(_answers(name, kind) for kind in ("A", "AAAA"))]
    if not lost:
        return OK
    return f"{domain} has no MX record" if not exchanges else f"{', '.join(lost)}, the MX of {domain}, has no address"


def _texts(name: str) -> list[str]:
    return [b"".join(answer.strings).decode("utf-8", "replace") for answer in _answers(name, "TXT")]


def _answers(name: str, kind: str) -> list[Any]:
    """Return the records of a name. Raise DNSException if no name server answers."""
    try:
        return list(dns.resolver.get_default_resolver().resolve(f"{name}.", kind, lifetime=_PATIENCE))
    except (dns.resolver.NXDOMAIN, dns.resolver.NoAnswer):
        return []
