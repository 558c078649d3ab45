"""Removes credentials from copies of data: link tokens, bearer tokens and webhook secrets."""

import re
from typing import Any, Final
from urllib.parse import urlsplit

REMOVED: Final = "[removed]"
_SHORTEST: Final = 60  # characters; the length of a token of `signed_links.sign`
_LINK_TOKEN: Final = re.compile(rf"[a-z2-7]{{{_SHORTEST},}}+", re.IGNORECASE)
_BROKEN: Final = re.compile(r"[a-z2-7]++(?:=?\r?\n[> \t]*+[a-z2-7]++)*+", re.IGNORECASE)  # perhaps split across lines
_CREDENTIAL: Final = re.compile(r"s[a-z]_[0-9a-f]{32}_[\w-]{40,}+|whsec_[\w+/=-]++", re.ASCII)


def redacted(found: Any) -> Any:
    """Return this value with `without_tokens` applied to each string in it."""
    match found:
        case str():
            return without_tokens(found)
        case dict():
            return {key: redacted(value) for key, value in found.items()}
        case list() | tuple():
            return [redacted(value) for value in found]
    return found


def without_tokens(text: str) -> str:
    """Return a text without credentials and link tokens, even if a mail program split them across several lines."""
    text = _LINK_TOKEN.sub(REMOVED, _CREDENTIAL.sub(REMOVED, text))
    return _BROKEN.sub(_unless_prose, text)


def _unless_prose(found: re.Match[str]) -> str:
    parts = re.findall(r"[A-Za-z2-7]+", found[0])
    joined = "".join(parts)
    is_prose = (
        joined.isalpha() and max(map(len, parts)) < _SHORTEST / 2
    )  # no word is that long, but some tokens lack digits
    return found[0] if len(joined) < _SHORTEST or is_prose else REMOVED


def origin_of(url: str) -> str:
    """Return the scheme and host of a URL. The path of a webhook or push service is often a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
