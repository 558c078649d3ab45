"""Removes from a copy what would act for its owner: signed link tokens, bearer tokens and the secrets of webhooks."""

import re
from typing import Any, Final
from urllib.parse import urlsplit

REMOVED: Final = "[removed]"
_SHORTEST: Final = 60  # characters: the length of `signed_links.sign`; nothing shorter acts
_LINK_TOKEN: Final = re.compile(rf"[a-z2-7]{{{_SHORTEST},}}+", re.IGNORECASE)
_BROKEN: Final = re.compile(r"[a-z2-7]++(?:=?\r?\n[> \t]*+[a-z2-7]++)*+", re.IGNORECASE)  # over lines, perhaps
_CREDENTIAL: Final = re.compile(r"s[a-z]_[0-9a-f]{32}_[\w-]{40,}+|whsec_[\w+/=-]++", re.ASCII)


def redacted(found: Any) -> Any:
    """Return the same value with all strings in it as `without_tokens` returns them."""
    match found:
        case str():
            return without_tokens(found)
        case dict():
            return {key: redacted(value) for key, value in found.items()}
        case list() | tuple():
            return [redacted(value) for value in found]
    return found


def without_tokens(text: str) -> str:
    """Return a text without link tokens, even those that a mail program broke over several lines, and without credentials."""
    text = _LINK_TOKEN.sub(REMOVED, _CREDENTIAL.sub(REMOVED, text))
    return _BROKEN.sub(_unless_prose, text)


def _unless_prose(found: re.Match[str]) -> str:
    joined = re.sub(r"[^A-Za-z2-7]", "", found[0])
    return found[0] if len(joined) < _SHORTEST or joined.isalpha() else REMOVED


def origin_of(url: str) -> str:
    """Return scheme and host of an address. The path of a webhook or of a push service is often a secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
