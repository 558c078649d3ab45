"""The receiving server's results of SPF, DKIM and DMARC (RFC 8601), if it adds them."""

import re
from collections.abc import Mapping

from server.post.incoming.mime import Head

_ASIDE = re.compile(r'\([^()]{0,1000}\)|"(?:[^"\\]|\\.){0,1000}"')  # comments and strings, which senders can influence
_RESULT = re.compile(r"\s*(spf|dkim|dmarc)\s*=\s*([a-z]+)")


def results(head: Head) -> Mapping[str, str]:
    """Return the results by method, in lower case.

    The server adds its headers at the top, and removes those that arrive under its name. So headers with another name
    than the topmost don't count.
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
    """Return whether the sender's domain disowns an email. Forwarding breaks SPF, so a valid signature outweighs it."""
    found = results(head)
    if "dmarc" in found:
        return found["dmarc"] == "fail"
    return found.get("spf") == "fail" and found.get("dkim") != "pass"
