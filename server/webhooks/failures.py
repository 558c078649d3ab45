"""The reasons why a delivery to a webhook failed. They are stored in English, and translated when they are shown."""

import re
from typing import Final

from server.translations import LookUp, noted

REFUSED: Final = noted("The connection was refused")
BROKE_OFF: Final = noted("The connection was lost")
NO_ADDRESS: Final = noted("The host name has no address")
NO_ANSWER: Final = noted("No response within %(seconds)s seconds")
NO_HTTP: Final = noted("The response was not HTTP")
NO_TLS: Final = noted("The TLS handshake failed")
BAD_CERTIFICATE: Final = noted("The certificate is invalid: %(why)s")
BAD_STATUS: Final = noted("The response was %(status)s")
NO_LONGER: Final = noted("No longer relevant")
_ALL = (REFUSED, BROKE_OFF, NO_ADDRESS, NO_ANSWER, NO_HTTP, NO_TLS, BAD_CERTIFICATE, BAD_STATUS, NO_LONGER)


class NoLonger(Exception):
    """A delivery is outdated."""


def failure(detail: str, gettext: LookUp) -> str:
    """Return a stored reason in this language. If the reason has no known form, translate it as a whole."""
    for words in _ALL:
        form = re.sub(r"%\\\((\w+)\\\)s", r"(?P<\1>.+)", re.escape(words))
        if found := re.fullmatch(form, detail):
            return gettext(words, **found.groupdict())
    return gettext(detail) if detail else ""
