"""Classifies the responses of mail servers that reject an email: either the address is unknown, or there is another
reason.

Servers use 5.0.0, 5.1.0 and even 5.1.1 for full mailboxes, rate limits, SPF or virus scanners. So words take precedence
over codes. If they contradict each other, the address counts as valid.
"""

import re

_STATUS = re.compile(r"(?<![\d.])([245])\.(\d{1,3})\.(\d{1,3})(?![\d.])")
# RFC 3463 and RFC 7505: no such mailbox, no such domain, bad syntax, moved, a domain without mail
_OF_UNKNOWN = {"5.1.1", "5.1.2", "5.1.3", "5.1.6", "5.1.10", "5.4.4"}
# these are about the sender, an existing mailbox, the server, the email or a policy
_OF_SOMETHING_ELSE = ("5.1.7", "5.1.8", "5.2.0", "5.2.2", "5.2.3", "5.2.4", "5.3.", "5.6.", "5.7.")
# RFC 5321, 4.2.3: 553 is about the mailbox despite its enhanced status, as are these words of Microsoft's
_OF_THE_MAILBOX = re.compile(r"(?<![\d.])553[ -]|recipient address rejected: access denied", re.IGNORECASE)


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_WHO = r"(?:user|recipient|mail ?box|account|addressee?|alias|user ?id|person|customer|login|rcpt|subscriber|destinataire)s?"
_WHERE = r"(?:host|domain|mail ?server|destination)"
_IS_NOT = (
    r"(?:unknown|invalid|not? (?:be )?(?:found|known|exist\w{0,9}|valid|here)|does(?:n't| not) exist|do not exist)"
)
_UNKNOWN = _any(
    rf"\b(?:unknown|no such|invalid|unrecogni[sz]ed|bad|non-?exist\w{{1,9}}|no valid|not our|no|not an? (?:valid|known|local"
    rf"|active)|does(?:n't| not) have an?)(?: or \w{{1,30}})?[ -](?:[\w'.]{{1,30}}[ -]){{0,3}}?{_WHO}\b",
    rf"\b{_WHO}(?: name| id)?(?:[ :<\[(\"']{{1,5}}[^\s@]{{1,99}}@[^\s@]{{1,99}})? ?(?:is |was |could |were )?(?:{_IS_NOT}|not (?:recogni[sz]ed"
    r"|listed|present|in|an? (?:known|valid|local)))",
    rf"\b{_WHO}(?:[^.]|[.](?! )){{0,60}} (?:{_IS_NOT}|not listed|no longer (?:exists|valid|accepts|on server|here))",
    r"no (?:one|person|mailbox|account) (?:here )?by that name",
    r"recip(?:ient)?notfound|nosuchuser|userunknown",
    r"(?<!taken: )mailbox unavailable(?! or)|mailbox unavailable \(-|recipient address rejected: access denied",
    r"address rejected\.|#5\.1\.0 address rejected|address not found",
    r"ディレクトリ.{0,20}(?:ありません|見つかりません)|empf.nger unbekannt|unbekannt\w{0,9} empf|destinataire invalide",
)
_UNKNOWN_PLACE = _any(
    rf"\b{_WHERE}(?: name)?(?: or domain name)?(?: \S{{1,99}})? (?:is |was )?{_IS_NOT}",
    rf"\b(?:unknown|no such|invalid|illegal)(?: host/| e?-?mail)? {_WHERE}|non-?existent domain|nxdomain",
    r"name or service not known|find (?:a|any) mail exchanger|does not accept (?:e-?)?mail(?! from)|null mx",
    rf"{_WHERE} is not reachable|553 \S{{1,99}} does not exist|no MX found for domain|indicated no SMTP service",
    r"unrouteable address|other recipients in the same domain|no mx record found|domain \S{1,99} doesn't receive email",
)
_SOMETHING_ELSE = _any(
    r"quota|\bfull\b|exceed|too (?:large|many|big|much|long)|out of storage|disk space|size limit",  # storage
    r"frequency|\brate\b|volume|this hour|greylist|graylist|temporar|timed? ?-?out",  # temporary
    r"(?<!the domain and )(?<!spaces and )try again",
    r"disabled|discontinued|suspend|inactive(?! e-?mail address)|frozen|\block(?:ed)?\b|deactivated",  # an existing mailbox
    r"\bspam|\bube\b|unsolicited|virus|malware|scored|banned|message filtered|content rejected",  # the email
    r"polic(?:y|ies)|reputation|block(?:ed|ing|list)|black ?list|dnsbl|\brbl\b",  # the sender
    r"\bspf\b|dkim|dmarc|authenticat|reverse dns|\bptr\b|relaying|relay access|to relay|not verified",
    r"sender (?:address |domain |\S{1,99} )?(?:rejected|denied|verif|not|invalid|unknown)|senders not|domain of sender",
    r"purported|(?<!rejected: )access denied|not allowed|not permitted",
    r"lost connection|connection (?:rate|refused|limit|not|dropped|closed|lost)|hop count|too many hops|\bloop",
    r"service (?:currently )?unavailable|could not be resolved|malformed|protocol|transaction failed",  # the transport
    r"command parameter|procmail|couldn't create",
    r"recipient preferences|recipient's preferences",
    r"550:? : user unknown",  # without an address, so the email was rejected after it was read
)


def is_unknown(words: str, status: str = "") -> bool:
    """Return whether a response means that the mailbox or domain is unknown. `status` is the enhanced status code in
    the report."""
    if _SOMETHING_ELSE.search(words):
        return False
    said = status_in(words) or status
    if _UNKNOWN.search(words):
        return not said.startswith(_OF_SOMETHING_ELSE) or _OF_THE_MAILBOX.search(words) is not None
    if _UNKNOWN_PLACE.search(words):
        return not said.startswith((*_OF_SOMETHING_ELSE, "4."))  # a DNS failure may be temporary
    return said in _OF_UNKNOWN


def status_in(words: str) -> str | None:
    """Return the first enhanced status code (RFC 3463) in a response, such as `5.1.1`."""
    found = _STATUS.search(words)
    return found and found[0]
