"""OAuth 2.1 for third-party apps (RFC 9700). Authlib implements the protocol, and `accounts.apps` stores
authorizations."""

import re
from contextlib import suppress
from typing import Any, Final
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.integrations.flask_oauth2.requests import FlaskOAuth2Payload, FlaskOAuth2Request
from authlib.oauth2.rfc6749 import (
    AuthorizationCodeMixin,
    ClientMixin,
    InvalidClientError,
    InvalidRequestError,
    InvalidScopeError,
    OAuth2Error,
    OAuth2Request,
    TokenMixin,
    grants,
)
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7591 import ClientRegistrationEndpoint, InvalidClientMetadataError
from authlib.oauth2.rfc7591.errors import InvalidRedirectURIError
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8414 import AuthorizationServerMetadata
from authlib.oauth2.rfc9207 import IssuerParameter
from flask import Blueprint, Response, current_app, jsonify, request
from flask_babel import gettext
from marshmallow import EXCLUDE, Schema, ValidationError, fields

from server.accounts import apps
from server.accounts.apps import APP_SCOPES, OF_A_GAME, rights
from server.accounts.tokens import Caller
from server.api import pages
from server.api.auth import AUTHORIZE, any_caller
from server.api.origins import is_from_elsewhere
from server.api.pages import page
from server.api.problems import answer_to, first_message
from server.api.reading import Several, long, read_json
from server.errors import BadToken, NotFound, OneSeatOnly, PlayError
from server.play.seating.seat_tokens import hold_seat
from server.play.turns import turn_links
from server.sanitize import clean
from server.store.tables import App, OAuthClient, db
from server.translations import LOCALES, noted

blp = Blueprint("oauth", __name__)
_LONGEST = 2000  # characters in a parameter
_LONGEST_NAME = 60
_MOST_ADDRESSES = 10
_PLAIN = re.compile(r"[\x20-\x7e]*")  # RFC 6749, appendix A
_OF_ERRORS = re.compile(r'["\\]')  # characters that no error may quote
_GAME = re.compile(r"game:([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})", re.ASCII)
_FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
# OAuth's errors, each with its reason and remedy. Those in _DETAILED often have a more precise description.
ERRORS: Final = {
    "invalid_request": "A parameter is missing, repeated or invalid.",
    "invalid_client": "This server does not know the client_id. Register the app again, and send no secret.",
    "invalid_grant": "The code or token is unknown, used, expired or revoked, or was issued for another client_id, "
    "redirect_uri or code_verifier. Ask the player to sign in again.",
    "invalid_scope": "The scope is missing or unknown, or is more than the player allowed.",
    "unsupported_response_type": "Send response_type=code.",
    "unsupported_grant_type": "Send grant_type=authorization_code or grant_type=refresh_token in a form.",
    "unsupported_token_type": "Send token_type_hint=access_token or token_type_hint=refresh_token, or omit it.",
    "access_denied": "The player did not allow the app.",
    "invalid_redirect_uri": "Each redirect URI must use https, or http to the loopback, without a fragment.",
    "invalid_client_metadata": "A field of the registration is missing or invalid.",
}
_DETAILED: Final = ("invalid_request", "invalid_scope", "invalid_redirect_uri", "invalid_client_metadata")
_LOOPBACK = ("127.0.0.1", "::1", "localhost")
_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; "
    "base-uri 'none'; frame-ancestors 'none'"
)


# Authlib's interfaces to clients and grants


class _Client(ClientMixin):
    """A public client in Authlib's interface. It has no secret, and may use codes and refresh tokens only."""

    def __init__(self, row: OAuthClient) -> None:
        self.row = row

    def get_client_id(self) -> str:
        return str(self.row.client_id)

    def get_default_redirect_uri(self) -> None:
        return None  # each request must name one

    def get_allowed_scope(self, scope: str | None) -> str | None:
        return scope or None

    def check_redirect_uri(self, redirect_uri: str) -> bool:
        """Return whether this URI is registered. Loopback URIs may use any port (RFC 8252, 7.3)."""
        known = self.row.redirect_uris
        return redirect_uri in known or _without_port(redirect_uri) in {_without_port(it) for it in known} - {None}

    def check_client_secret(self, client_secret: str) -> bool:
        return False

    def check_endpoint_auth_method(self, method: str, endpoint: str) -> bool:
        return method == "none"

    def check_response_type(self, response_type: str) -> bool:
        return response_type == "code"

    def check_grant_type(self, grant_type: str) -> bool:
        return grant_type in ("authorization_code", "refresh_token")


class _Grant(AuthorizationCodeMixin, TokenMixin):
    """An authorized app in Authlib's interface. `refresh` is the refresh token in use, if any."""

    code_challenge_method = "S256"

    def __init__(self, app: App, refresh: str | None = None) -> None:
        self.app, self.refresh = app, refresh
        self.code_challenge = app.code_challenge

    def get_redirect_uri(self) -> str:
        return self.app.redirect_uri

    def get_scope(self) -> str:
        return self.written(self.app.scopes)

    def written(self, scopes: list[str]) -> str:
        """Return these scopes as text, with the game to which they are bound."""
        return " ".join([*scopes, *([f"game:{self.app.game_id}"] if self.app.game_id else [])])

    def check_client(self, client: _Client) -> bool:
        return self.app.client_id == client.row.client_id


class _S256(CodeChallenge):
    """PKCE, which is required, with S256 only."""

    SUPPORTED_CODE_CHALLENGE_METHOD = ("S256",)

    def validate_code_challenge(self, grant: Any, redirect_uri: str) -> None:
        super().validate_code_challenge(grant, redirect_uri)
        if grant.request.payload.data.get("code_challenge_method") != "S256":
            raise InvalidRequestError("Send a 'code_challenge' with 'code_challenge_method=S256'.")


class _CodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ("none",)

    def generate_authorization_code(self) -> str:
        payload, (scopes, game_id) = self.request.payload, _read_scope(self.request.scope)
        caller: Caller = self.request.user
        if game_id is not None:
            hold_seat(caller.player_id, game_id)
        challenge = payload.data["code_challenge"]
        asked = apps.AuthorizationRequest(payload.redirect_uri, scopes, game_id, challenge)
        return apps.allow(caller, self.request.client.row, asked)

    def save_authorization_code(self, code: str, request: Any) -> None:
        db.session.commit()

    def query_authorization_code(self, code: str, client: _Client) -> _Grant | None:
        app = apps.app_by_code(code)
        return _Grant(app) if app and app.client_id == client.row.client_id else None

    def authenticate_user(self, authorization_code: _Grant) -> _Grant:
        return authorization_code

    def delete_authorization_code(self, authorization_code: _Grant) -> None:
        db.session.commit()  # issuing tokens has invalidated the code


class _RefreshGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ("none",)
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, refresh_token: str) -> _Grant | None:
        app = apps.app_by_refresh(refresh_token)
        return _Grant(app, refresh_token) if app else None

    def authenticate_user(self, refresh_token: _Grant) -> _Grant:
        return refresh_token

    def revoke_old_credential(self, refresh_token: _Grant) -> None:
        db.session.commit()  # issuing tokens has replaced the old one


class _Revocation(RevocationEndpoint):
    """Token revocation. Revoking any token of an app ends the app's access, as if its player had revoked it."""

    CLIENT_AUTH_METHODS = ("none",)

    def query_token(self, token_string: str, token_type_hint: str | None) -> _Grant | None:
        caller = None
        if not token_string.startswith("sr_"):
            try:
                caller = turn_links.caller(token_string)
            except PlayError:
                return None
        app = apps.app_by_token(token_string, caller)
        return _Grant(app) if app else None

    def revoke_token(self, token: _Grant, request: Any) -> None:
        with suppress(NotFound):  # a concurrent request has already ended the app's access
            apps.end_app(token.app.player_id, token.app.app_id)


class _Wanted(Schema):
    """The supported fields of a client's metadata (RFC 7591, 2). Other fields are ignored."""

    class Meta:
        unknown = EXCLUDE

    redirect_uris = Several(fields.String(validate=long(_LONGEST)), required=True, validate=long(_MOST_ADDRESSES, 1))
    client_name = fields.String(required=True, validate=long(_LONGEST))
    client_uri = fields.String(validate=long(_LONGEST))
    token_endpoint_auth_method = fields.String(load_default="none")
    grant_types = Several(
        fields.String(), load_default=["authorization_code", "refresh_token"], validate=long(_MOST_ADDRESSES)
    )
    response_types = Several(fields.String(), load_default=["code"], validate=long(_MOST_ADDRESSES))
    scope = fields.String(validate=long(_LONGEST))


class _Registration(ClientRegistrationEndpoint):
    """Client registration, which needs no authorization. A client has no rights until a player authorizes it."""

    def authenticate_token(self, request: Any) -> bool:
        return True

    def get_server_metadata(self) -> Any:
        return _metadata()

    def extract_client_metadata(self, request: Any) -> Any:
        try:
            request.payload = _Payload(_Wanted().load(request.payload.data))
        except ValidationError as error:
            found = first_message({"json": error.messages})
            wrong: Any = InvalidRedirectURIError if found.startswith("redirect_uris") else InvalidClientMetadataError
            raise wrong(found) from None
        wanted = request.payload.data
        wanted["client_name"] = clean(wanted["client_name"], _LONGEST_NAME)
        if not wanted["client_name"]:
            raise InvalidClientMetadataError("client_name: Send at least one visible character.")
        if "client_uri" in wanted and not _is_address(wanted["client_uri"]):
            raise InvalidClientMetadataError("client_uri: Use https, or http to the loopback, without a fragment.")
        if not all(map(_is_address, wanted["redirect_uris"])):
            raise InvalidRedirectURIError
        return super().extract_client_metadata(request)

    def generate_client_info(self, request: Any) -> Any:
        return {"client_id": str(uuid4())}

    def save_client(self, client_info: Any, client_metadata: Any, request: Any) -> None:
        apps.register_client(
            UUID(client_info["client_id"]),
            client_metadata["client_name"],
            client_metadata.get("client_uri"),
            client_metadata["redirect_uris"],
            request.sender,
        )


class _Payload:
    def __init__(self, data: Any) -> None:
        self.data = data


class _JsonRequest:
    """A registration request in Authlib's interface, parsed by our strict JSON parser."""

    def __init__(self) -> None:
        body = read_json(request.get_data())
        if not isinstance(body, dict):
            raise InvalidClientMetadataError("The body must be a JSON object.")
        self.payload, self.sender = _Payload(body), request.remote_addr or ""


class _Request(FlaskOAuth2Request):
    """A request with its public URL, since a proxy may have terminated TLS."""

    def __init__(self, req: Any) -> None:
        OAuth2Request.__init__(self, req.method, f"{_base()}{req.full_path}", headers=req.headers)
        self._request, self.payload = req, FlaskOAuth2Payload(req)


class _Issuer(IssuerParameter):
    def get_issuer(self) -> str:
        return _base()


class _Server(AuthorizationServer):
    def create_oauth2_request(self, _: Any) -> _Request:
        return _Request(request)

    def create_json_request(self, _: Any) -> _JsonRequest:
        return _JsonRequest()

    def validate_requested_scope(self, scope: str | None) -> None:
        _read_scope(scope)

    def handle_error_response(self, request: Any, error: Any) -> Any:
        error.description = _why(error)
        return super().handle_error_response(request, error)


def _base() -> str:
    return str(current_app.config["BASE_URL"])


def _query_client(client_id: str) -> _Client | None:
    row = apps.client_by(client_id)
    return _Client(row) if row else None


def _tokens(grant_type: str, client: _Client, user: _Grant, scope: str, **_: Any) -> dict[str, Any]:
    """Return the token response for a code or refresh token. `scope` may narrow the authorization, but not change its
    game."""
    scopes, _game = _read_scope(scope)
    made = apps.issue(user.app, scopes, user.refresh)
    return {
        "token_type": "Bearer",
        "access_token": made.access,
        "expires_in": int(apps.ACCESS_LIFE.total_seconds()),
        "refresh_token": made.refresh,
        "scope": user.written(scopes),
    }


def _read_scope(scope: str | None) -> tuple[list[str], UUID | None]:
    """Return a pair: the scopes, and the game to which they are bound. Raise InvalidScopeError for an invalid scope."""
    named = (scope or "").split(" ")
    games = [UUID(found[1]) for it in named if (found := _GAME.fullmatch(it))]
    scopes = [it for it in named if not _GAME.fullmatch(it)]
    possible = OF_A_GAME if games else APP_SCOPES
    if not scopes or len(games) > 1 or not set(scopes) <= set(possible):
        raise InvalidScopeError(f"The scopes are some of: {', '.join(possible)}.")
    return [it for it in APP_SCOPES if it in scopes], games[0] if games else None


def _without_port(uri: str) -> str | None:
    """Return a loopback URI without its port, or None for any other URI."""
    if not _is_address(uri) or (url := urlsplit(uri)).hostname not in _LOOPBACK:
        return None
    return url._replace(netloc=url.netloc.removesuffix(f":{url.port}")).geturl()


def _is_address(uri: str) -> bool:
    """Return whether an app may redirect players to this URI: it must use https or be on the player's own machine."""
    try:
        url = urlsplit(uri)
        is_ours = url.scheme == "https" or (url.scheme == "http" and url.hostname in _LOOPBACK)
        has_port = url.port is None or url.port > 0
    except ValueError:
        return False
    is_plain = _PLAIN.fullmatch(uri) and not re.search(r'[\s"<>\\^`{|}*#]', uri)
    return bool(is_ours and has_port and is_plain and url.hostname and "@" not in url.netloc)


def register(app: Any) -> None:
    """Register the authorization server with the app."""
    server = _Server(query_client=_query_client, save_token=lambda token, request: None)
    server.init_app(app)
    server.register_token_generator("default", _tokens)
    server.register_grant(_CodeGrant, [_S256(required=True)])
    server.register_grant(_RefreshGrant)
    server.register_endpoint(_Revocation)
    server.register_endpoint(_Registration)
    server.register_extension(_Issuer())
    app.extensions["oauth"] = server
    app.register_blueprint(blp)


def _server() -> _Server:
    found: _Server = current_app.extensions["oauth"]
    return found


# Pages, and endpoints for programs


@blp.errorhandler(Exception)
def _sorry(error: Exception) -> Response:
    """Return the error as an HTML page for people, or as a problem for programs."""
    return pages.sorry(error) if request.method == "GET" and request.path == AUTHORIZE else answer_to(error)


@blp.get("/.well-known/oauth-authorization-server")
def metadata() -> Response:
    """Return the server metadata (RFC 8414)."""
    found = AuthorizationServerMetadata(_metadata())
    try:
        found.validate()
    except ValueError:  # the public URL is neither https nor loopback
        raise NotFound("Nothing was found at this address.") from None
    return jsonify(found)


def _metadata() -> dict[str, Any]:
    base = _base()
    return {
        "issuer": base,
        "authorization_endpoint": f"{base}{AUTHORIZE}",
        "token_endpoint": f"{base}/oauth/token",
        "registration_endpoint": f"{base}/oauth/register",
        "revocation_endpoint": f"{base}/oauth/revoke",
        "scopes_supported": list(APP_SCOPES),
        "response_types_supported": ["code"],
        "response_modes_supported": ["query"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "revocation_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
        "authorization_response_iss_parameter_supported": True,
        "service_documentation": f"{base}/docs/app",
        "ui_locales_supported": list(LOCALES),
    }


@blp.get(AUTHORIZE)
def ask() -> Response:
    """Ask the player to authorize an app. A GET changes nothing."""
    try:
        _expect_plain()
        grant = _server().get_consent_grant()
    except OAuth2Error as error:
        text = gettext("The app that sent you here made a request that we can't answer: %(why)s", why=_why(error))
        if isinstance(error, InvalidClientError):
            text = gettext(
                "This server doesn't know the app that sent you here. Go back to the app, and sign in again."
            )
        return page("message.html", 400, title=gettext("The app's request failed"), text=text, **_way_back(error))
    scopes, game_id = _read_scope(grant.request.scope)
    client: OAuthClient = grant.request.client.row
    address = apps.address_of(grant.redirect_uri)
    wanted = [gettext(it) for it in rights(scopes, game_id is not None)]
    response = page("consent.html", name=client.name, address=address, rights=wanted, game_id=game_id)
    response.headers["Content-Security-Policy"] = _POLICY
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    return response


@blp.post(AUTHORIZE)
def decide() -> Response:
    """Return the URL to which the browser goes after the player's decision. Our own page sends the decision, with the
    player's token in a header. Forms and links can't send this header, but requests from other origins are rejected as
    well. The field `player` is the account that the page showed, since the player may have switched accounts in another
    tab."""
    if is_from_elsewhere():
        raise NotFound("Nothing was found at this address.")
    said = read_json(request.get_data()) if request.mimetype == "application/json" else None
    if not isinstance(said, dict):
        raise NotFound("Nothing was found at this address.")
    try:
        _expect_plain()
        grant = _server().get_consent_grant()
    except OAuth2Error as error:
        error.redirect_uri = None  # the page shows the error, without a redirect
        return _refused(error)
    caller = None
    if said.get("allow") is True:
        caller = any_caller()
        if caller.turn is not None or caller.game_id is not None:
            raise OneSeatOnly
        if str(caller.player_id) != said.get("player"):
            raise BadToken(noted("Another account is signed in here now. Check the page again."))
    answer = _server().create_authorization_response(grant_user=caller, grant=grant)
    response = jsonify(redirect=answer.location)
    response.headers["Cache-Control"] = "no-store"
    return response


@blp.post("/oauth/token")
def token() -> Response:
    """Return tokens for a code or a refresh token."""
    return _by_form(_server().create_token_response)


@blp.post("/oauth/revoke")
def revoke() -> Response:
    """End an app's access by revoking one of its tokens (RFC 7009)."""
    return _by_form(lambda: _server().create_endpoint_response(_Revocation.ENDPOINT_NAME))


@blp.post("/oauth/register")
def register_client() -> Response:
    """Register a client (RFC 7591), without authentication."""
    try:
        response: Response = _server().create_endpoint_response(_Registration.ENDPOINT_NAME)
    except OAuth2Error as error:
        response = _refused(error)
    return response


def _by_form(answer: Any) -> Response:
    """Return the response to a form. Reject query parameters, since URLs end up in logs."""
    try:
        if request.args:
            raise InvalidRequestError("Send the parameters in the body.")
        if request.mimetype not in ("", *_FORMS):
            raise InvalidRequestError(f"Send a form ({_FORMS[0]}).")
        _expect_plain()
        found: Response = answer()
    except OAuth2Error as error:
        found = _refused(error)
    return found


def _expect_plain() -> None:
    """Raise InvalidRequestError for parameters that are repeated, too long, or contain invalid characters."""
    for name, values in [*request.args.lists(), *request.form.lists()]:
        is_plain = all(len(it) <= _LONGEST and _PLAIN.fullmatch(it) for it in (name, *values))
        if len(values) > 1 or not is_plain or (name != "state" and _OF_ERRORS.search(values[0])):
            raise InvalidRequestError("A parameter appears twice, is too long, or contains invalid characters.")


def _refused(error: OAuth2Error) -> Response:
    response: Response = _server().handle_error_response(None, error)
    return response


def _way_back(error: OAuth2Error) -> dict[str, str]:
    """Return a link that takes the error to the app, with the issuer (RFC 9207).

    It is not a redirect, so only a click follows it. Otherwise our URL would be an open redirector to any address that
    an app has registered (RFC 9700, 4.11.2).
    """
    if not error.redirect_uri:
        return {}
    response = _refused(error)
    _Issuer().add_issuer_parameter(_server(), response)
    return {"onward": response.location, "onward_to": apps.address_of(error.redirect_uri)}


def _why(error: OAuth2Error) -> str:
    """Return our description of an error instead of Authlib's."""
    is_detailed = error.error in _DETAILED and error.description
    return str(error.description if is_detailed else ERRORS.get(error.error, error.error))
