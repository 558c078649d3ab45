"""The results of SPF, DKIM and DMARC that the receiving server may add to an email (RFC 8601)."""

import re
from collections.abc import Iterator, Mapping

from server.post.incoming.mime import Head

_ASIDE = re.compile(r'\([^()]{0,1000}\)|"(?:[^"\\]|\\.){0,1000}"')  # comments and strings, which senders can influence
_SIGNED_BY = re.compile(r"\bheader\.(?:d=|i=[^@\s]{0,250}@)([a-z0-9.-]{1,253})")
_RESULT = re.compile(r"\s*(spf|dkim|dmarc)\s*=\s*([a-z]+)")


def results(head: Head) -> Mapping[str, str]:
    """Return the result of each method, in lower case.

    The receiving server adds its own headers at the top, and removes headers that arrive under its name. So only
    headers with the same name as the topmost one count.
    """
    found: dict[str, str] = {}
    for it in _clauses(head):
        if (said := _RESULT.match(it)) and found.get(said[1]) != "pass":  # one valid signature is enough
            found[said[1]] = said[2]
    return found


def _clauses(head: Head) -> Iterator[str]:
    headers = [_ASIDE.sub("", value.lower()).split(";") for value in head.all("authentication-results")]
    for server, *said in headers:
        if server.split()[:1] == headers[0][0].split()[:1]:
            yield from said


def is_forged(head: Head) -> bool:
    """Return whether the sender's domain says that the email is not from there. Forwarding breaks SPF, so a valid
    signature outweighs a failed SPF check."""
    found = results(head)
    if "dmarc" in found:
        return found["dmarc"] == "fail"
    return found.get("spf") == "fail" and found.get("dkim") != "pass"


def is_authentic(head: Head, domain: str) -> bool:
    """Return whether the sender's domain vouches for an email: DMARC passes, or a valid signature is of this domain or
    of one above it.
    """
    if "dmarc" in (found := results(head)):
        return found["dmarc"] == "pass"
    passed = (it for it in _clauses(head) if (said := _RESULT.match(it)) and said.groups() == ("dkim", "pass"))
    signers = [by[1] for it in passed if (by := _SIGNED_BY.search(it))]
    return any("." in it and f".{domain}".endswith(f".{it}") for it in signers)
