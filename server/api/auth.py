"""Bearer tokens of requests (RFC 6750): who calls, and what he may."""

from uuid import UUID

from flask import Flask, g, request
from werkzeug.exceptions import Unauthorized

from server.accounts.tokens import Caller
from server.api.languages import speak
from server.errors import PlayError
from server.play.turns import turn_links
from server.store.database_retry import Unavailable
from server.translations import Words


def register(app: Flask) -> None:
    app.before_request(_look_at_token)


AUTHORIZE = "/oauth/authorize"  # a page of ours, which sends a token, and none of others may
_OF_OAUTH = ("/oauth/token", "/oauth/revoke", "/oauth/register", "/.well-known/oauth-authorization-server")


def is_for_api() -> bool:
    """Whether this request is for the API; what else there is acts by links and forms, or is for operators."""
    return request.path.startswith("/v1/") or request.path == "/v1" or request.path in _OF_OAUTH


def caller(scope: str, game_id: UUID | None = None, may_be_closed: bool = False) -> Caller:
    """Who sent this request with a token that allows `scope`.

    `game_id`: the game whose seat's tokens will do; without it none of a seat will. `may_be_closed`: so will the word
    of a turn that is over. Raises Unauthorized, BadToken, Banned, OneSeatOnly, MissingScope.
    """
    found = any_caller()
    found.need(scope, game_id, may_be_closed)
    return found


def any_caller() -> Caller:
    """Who sent this request, with whatever token. Raises Unauthorized, BadToken, Banned."""
    found = _sender()
    if found is None:
        raise Unauthorized(Words("Send a token: `Authorization: Bearer ...`. Get one with POST /v1/sign-ins."))
    return found


def looker(scope: str, game_id: UUID | None = None) -> Caller | None:
    """Who looks at what anybody may look at: None without a token; else as `caller`."""
    found = _sender()
    if found is not None:
        found.need(scope, game_id)
    return found


def viewer(scope: str, game_id: UUID | None = None) -> UUID | None:
    """Only who that is."""
    found = looker(scope, game_id)
    return found and found.player_id


def sent_by(found: Caller) -> None:
    """Note who sent this request, and speak his language from here on."""
    g.sender = found
    speak(found.locale)


def known_sender() -> Caller | None:
    """Who sent this request, if a good token says so."""
    return found if isinstance(found := g.get("sender"), Caller) else None


def _sender() -> Caller | None:
    if isinstance(g.sender, Exception):
        raise g.sender
    found: Caller | None = g.sender
    return found


def _look_at_token() -> None:
    """Once for each request and before anything else: whatever is wrong is told in the language of its sender, and
    counted as his. What is wrong with the token itself is told by the calls that take one."""
    g.sender = None
    if (is_for_api() or request.path == AUTHORIZE) and "Authorization" in request.headers:
        try:
            sent_by(_by(request.headers["Authorization"]))
        except (Unauthorized, PlayError, Unavailable) as error:
            g.sender = error


def _by(header: str) -> Caller:
    scheme, _, token = header.partition(" ")
    if scheme.lower() != "bearer":
        raise Unauthorized(Words("Send the token as `Authorization: Bearer ...`."))
    return turn_links.caller(token.strip())
