"""The results of SPF, DKIM and DMARC that the receiving server may add to an email (RFC 8601)."""

import re
from collections.abc import Mapping

from server.post.incoming.mime import Head

_ASIDE = re.compile(r'\([^()]{0,1000}\)|"(?:[^"\\]|\\.){0,1000}"')  # comments, strings: senders can influence them
_RESULT = re.compile(r"\s*(spf|dkim|dmarc)\s*=\s*([a-z]+)")


def results(head: Head) -> Mapping[str, str]:
    """Return the result of each method, in lower case.

    The receiving server adds its own headers at the top, and removes headers that arrive under its name. So only
    headers with the same name as the topmost one count.
    """
    clauses = [_ASIDE.sub("", value.lower()).split(";") for value in head.all("authentication-results")]
    found: dict[str, str] = {}
    for server, *said in clauses:
        if server.split()[:1] != clauses[0][0].split()[:1]:
            continue
        for method, result in (it.groups() for it in map(_RESULT.match, said) if it):
            if found.get(method) != "pass":  # one valid signature is enough
                found[method] = result
    return found


def is_forged(head: Head) -> bool:
    """Return whether the sender's domain says that the email is not from there. Forwarding breaks SPF, so a valid
    signature outweighs a failed SPF check."""
    found = results(head)
    if "dmarc" in found:
        return found["dmarc"] == "fail"
    return found.get("spf") == "fail" and found.get("dkim") != "pass"
