"""The results of SPF, DKIM and DMARC that the receiving server may add to an email (RFC 8601)."""

import re
from collections.abc import Iterator, Mapping

from server.post.incoming.mime import Head

_COMMENT = r"\([^()]*\)"
_ASIDE = re.compile(rf'{_COMMENT}|"(?:[^"\\]|\\.?)*+("|\Z)', re.DOTALL)  # and strings; senders can influence both
_SIGNED_BY = re.compile(r"\bheader\.(?:d=|i=[^@\s]{0,250}@)([a-z0-9.-]{1,253})")
_DMARC_FAILED = re.compile(r"\bdmarc\s*=\s*fail\s*$")
_MOST_BEFORE = 40  # characters
_POLICY = re.compile(r"[( ](s?p=(?:none|quarantine|reject))\b")  # as Google writes it
_NO_POLICY = re.compile(r"\s(?:p|policy\.published-domain-policy|action)=none\b")
_POLICY_BELOW = re.compile(r"\s(?:sp|policy\.published-subdomain-policy)=(?:quarantine|reject)\b")
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
    headers = [_ASIDE.sub(_policy_in, value.lower()).split(";") for value in head.all("authentication-results")]
    for server, *said in headers:
        if server.split()[:1] == headers[0][0].split()[:1]:
            yield from said


def _policy_in(aside: re.Match[str]) -> str:
    """Return the policy in the comment directly behind `dmarc=fail`, which the server itself writes. Otherwise return
    "". A string without an end is no string, so return what it contains beside comments.
    """
    if aside[1] == "":
        return re.sub(_COMMENT, "", aside[0])
    before = aside.string[max(0, aside.start() - _MOST_BEFORE) : aside.start()]
    return "".join(f" {it}" for it in _POLICY.findall(aside[0])) if _DMARC_FAILED.search(before) else ""


def _is_policy_none(head: Head) -> bool:
    """Return whether each failed DMARC check names the policy `none`, which asks receivers to do nothing."""
    failed = [it for it in _clauses(head) if (said := _RESULT.match(it)) and said.groups() == ("dmarc", "fail")]
    return all(_NO_POLICY.search(it) and not _POLICY_BELOW.search(it) for it in failed)


def is_forged(head: Head) -> bool:
    """Return whether the sender's domain says that the email is not from there. Forwarding breaks SPF, so a valid
    signature outweighs a failed SPF check. A failed DMARC check doesn't count if the domain's policy is `none`, since
    emails from such domains often fail.
    """
    found = results(head)
    if "dmarc" in found:
        return found["dmarc"] == "fail" and not _is_policy_none(head)
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
