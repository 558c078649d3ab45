"""What mail servers say of a letter that they did not take: whether there is no such address, or it is something else.

Servers give the same code for many reasons: 5.0.0, 5.1.0 and even 5.1.1 also for a full mailbox, a rate limit, SPF or a
virus scanner. So their words go before their codes, and where the two contradict each other the address stands.
"""

import re

_STATUS = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
# RFC 3463 and RFC 7505: no such mailbox, no such domain, no such syntax, moved away, a domain that takes no mail
_OF_UNKNOWN = {"5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10"}
# about the sender, a mailbox that exists, the server, the letter, somebody's policy
_OF_SOMETHING_ELSE = ("5.1.7", "5.1.8", "5.2.", "5.3.", "5.6.", "5.7.")


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_WHO = r"(?:user|recipient|mail ?box|account|addressee?|alias|user ?id|person|customer|login|rcpt|subscriber|destinataire)s?"
_WHERE = r"(?:host|domain|mail ?server|destination)"
_IS_NOT = r"(?:unknown|invalid|not? (?:be )?(?:found|known|exist\w*|valid|here)|does(?:n't| not) exist|do not exist)"
_UNKNOWN = _any(
    rf"\b(?:unknown|no such|invalid|unrecogni[sz]ed|bad|non-?exist\w+|no valid|not our|no|not an? (?:valid|known|local"
    rf"|active)|does(?:n't| not) have an?)(?: or \w+)?[ -](?:[\w'.-]+[ -]){{0,2}}?{_WHO}\b",
    rf"\b{_WHO}(?: name| id)?(?:[ :<\[(\"']{{1,5}}[^\s@]{{1,99}}@[^\s@]{{1,99}})? ?(?:is |was |could |were )?(?:{_IS_NOT}|not (?:recogni[sz]ed"
    r"|listed|present|in|an? (?:known|valid|local)))",
    rf"\b{_WHO}(?:[^.]|[.](?! )){{0,60}} (?:{_IS_NOT}|not listed|no longer (?:exists|valid|accepts|on server|here))",
    r"no (?:one|person|mailbox|account) (?:here )?by that name",
    r"recip(?:ient)?notfound|nosuchuser|userunknown",
    r"mailbox unavailable(?! or)|address rejected\.|recipient address rejected: access denied",
    r"empf.nger unbekannt|unbekannt\w* empf|destinataire invalide",
    rf"\b{_WHERE}(?: name)?(?: or domain name)?(?: \S{{1,99}})? (?:is |was )?{_IS_NOT}",
    rf"\b(?:unknown|no such|invalid|illegal)(?: host/| e?-?mail)? {_WHERE}|non-?existent domain|nxdomain",
    r"name or service not known|find (?:a|any) mail exchanger|does not accept (?:e-?)?mail(?! from)|null mx",
)
_SOMETHING_ELSE = _any(
    r"quota|\bfull\b|exceed|too (?:large|many|big|much|long)|out of storage|disk space|size limit",  # room
    r"frequency|\brate\b|volume|this hour|greylist|graylist|temporar|try again|timed? ?-?out",  # later
    r"disabled|discontinued|suspend|inactive|frozen|\block(?:ed)?\b|deactivated",  # a mailbox that exists
    r"\bspam|\bube\b|unsolicited|virus|malware|scored|banned|message filtered|content rejected",  # the letter
    r"polic(?:y|ies)|reputation|block(?:ed|ing|list)|black ?list|dnsbl|\brbl\b",  # whoever sends
    r"\bspf\b|dkim|dmarc|authenticat|reverse dns|\bptr\b|relaying|relay access|to relay|not verified",
    r"sender (?:address |domain |\S{1,99} )?(?:rejected|denied|verif|not|invalid|unknown)|senders not|domain of sender",
    r"purported|(?<!rejected: )access denied|not allowed|not permitted",
    r"lost connection|connection (?:rate|refused|limit|not|dropped|closed|lost)|hop count|too many hops|\bloop",
    r"service (?:currently )?unavailable|could not be resolved|malformed|protocol|transaction failed",  # the way
    r"command parameter|procmail|couldn't create",
)


def is_unknown(words: str, status: str = "") -> bool:
    """Whether the server that said this knows no such mailbox or domain; `status` is what a report says beside it."""
    if _SOMETHING_ELSE.search(words):
        return False
    said = status_in(words) or status
    if _UNKNOWN.search(words):
        return not said.startswith(_OF_SOMETHING_ELSE)
    return said in _OF_UNKNOWN


def status_in(words: str) -> str | None:
    """The first enhanced status (RFC 3463), such as `5.1.1`, in what a mail server said."""
    found = _STATUS.search(words)
    return found and found[0]
