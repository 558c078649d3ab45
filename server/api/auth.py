"""Authentication by bearer tokens (RFC 6750), and the rights of the caller."""

from uuid import UUID

from flask import Flask, g, request
from werkzeug.exceptions import Unauthorized

from server.accounts.guests import is_guest
from server.accounts.tokens import Caller
from server.api.languages import speak
from server.errors import MissingScope, PlayError
from server.play.turns import turn_links
from server.store.database_retry import Unavailable
from server.translations import Words


def register(app: Flask) -> None:
    app.before_request(_identify_caller)


AUTHORIZE = "/oauth/authorize"  # our own page sends a token here; other origins may not
_OF_OAUTH = ("/oauth/token", "/oauth/revoke", "/oauth/register", "/.well-known/oauth-authorization-server")


def is_for_api() -> bool:
    """Return whether this request is for the API, rather than for a page with links and forms or for operators."""
    path = request.path
    return path.startswith("/v1/") or path == "/v1" or path in _OF_OAUTH


def caller(scope: str, game_id: UUID | None = None, may_be_closed: bool = False) -> Caller:
    """Return the caller, whose token must allow `scope`.

    Seat tokens are accepted only for the game `game_id`. With `may_be_closed`, the link token of a turn that is over is
    accepted, too. Raise Unauthorized, BadToken, Banned, OneSeatOnly, MissingScope.
    """
    found = any_caller()
    try:
        found.need(scope, game_id, may_be_closed)
    except MissingScope:
        raise MissingScope(scope, is_guest(found.player_id)) from None
    return found


def any_caller() -> Caller:
    """Return the caller, with any token. Raise Unauthorized, BadToken, Banned."""
    found = _sender()
    if found is None:
        raise Unauthorized(
            Words("Send a token: `Authorization: Bearer ...`. Get one with POST /v1/sign-ins or POST /v1/guests.")
        )
    return found


def optional_caller(scope: str, game_id: UUID | None = None) -> Caller | None:
    """Return the caller of a public resource, or None without a token. If there is a token, it must allow `scope`."""
    found = _sender()
    if found is not None:
        found.need(scope, game_id)
    return found


def viewer(scope: str, game_id: UUID | None = None) -> UUID | None:
    """Return the player id of `optional_caller`, or None without a token."""
    found = optional_caller(scope, game_id)
    return found and found.player_id


def set_caller(found: Caller) -> None:
    """Make `found` the request's caller, and respond in that caller's language."""
    g.sender = found
    speak(found.locale)


def known_sender() -> Caller | None:
    """Return the caller if their token is valid, else None."""
    return found if isinstance(found := g.get("sender"), Caller) else None


def _sender() -> Caller | None:
    if isinstance(g.sender, Exception):
        raise g.sender
    found: Caller | None = g.sender
    return found


def _identify_caller() -> None:
    """Identify the caller before anything else, so that all errors are in the caller's language and count towards the
    caller's limits. An invalid token is reported later, by calls that need a token."""
    g.sender = None
    if (is_for_api() or request.path == AUTHORIZE) and "Authorization" in request.headers:
        try:
            set_caller(_by(request.headers["Authorization"]))
        except (Unauthorized, PlayError, Unavailable) as error:
            g.sender = error


def _by(header: str) -> Caller:
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthorized(Words("Send the token as `Authorization: Bearer ...`."))
    return turn_links.caller(token.strip())
