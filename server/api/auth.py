"""Who calls: the bearer token of a request (RFC 6750)."""

from contextlib import suppress
from uuid import UUID

from flask import g, request
from werkzeug.exceptions import Unauthorized

from server import play
from server.api.languages import speak
from server.play import Caller
from server.play.errors import PlayError
from server.translations import Words


def caller(scope: str) -> Caller:
    """Who sent this request with a token that allows `scope`. Raises Unauthorized, BadToken, MissingScope."""
    found = any_caller()
    found.need(scope)
    return found


def any_caller() -> Caller:
    """The same with whatever scopes. Raises Unauthorized, BadToken."""
    found = _caller()
    if found is None:
        raise Unauthorized(Words("Send a token: `Authorization: Bearer ...`. POST /v1/sign-ins is the way to get one."))
    return found


def looker(scope: str) -> Caller | None:
    """The same for what anybody may look at: None without a token."""
    found = _caller()
    if found is not None:
        found.need(scope)
    return found


def viewer(scope: str) -> UUID | None:
    """Only who that is."""
    found = looker(scope)
    return found and found.player_id


def recognise() -> None:
    """Speak the language of whoever sent this request, if that is known."""
    if "locale" not in g:
        with suppress(Unauthorized, PlayError):
            _caller()


def _caller() -> Caller | None:
    header = request.headers.get("Authorization")
    if header is None:
        return None
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthorized(Words("The token is sent as `Authorization: Bearer ...`."))
    found = play.caller(token.strip())
    speak(found.locale)
    return found
