"""Third-party apps that act for a player (OAuth 2.1). The scopes of their tokens limit them."""

import re
import secrets
from collections.abc import Iterable
from datetime import timedelta
from typing import Final, NamedTuple
from urllib.parse import urlsplit
from uuid import UUID, uuid4

from sqlalchemy import delete, func, select

from server.accounts.closing import APPS, expect_open
from server.accounts.grants import end_apps
from server.accounts.guests import expect_no_guest
from server.accounts.notice_kinds import NEW_APP
from server.accounts.rate_limits import Use, expect_room, expect_within, network_of, network_shares
from server.accounts.signed_links import APP as ENDS_APP
from server.accounts.signed_links import sign_text, verify_text
from server.accounts.tokens import OF_A_SEAT, SCOPES, Bounds, Caller, expect_still_there, hash_of, new_token
from server.clock import clock
from server.errors import NotFound
from server.store.database_retry import committing, in_doubt, with_retries
from server.store.locks import hold
from server.store.rows import Json
from server.store.tables import App, OAuthClient, PlayerLetterRow, Token, db
from server.translations import noted

APP_SCOPES: Final = tuple(scope for scope in SCOPES if scope != "tokens:write")  # such tokens would outlive the app
OF_A_GAME: Final = OF_A_SEAT
_RIGHTS: Final = {  # shown to the player who authorizes an app
    "games:read": noted("see your games, including private ones, and your possible moves"),
    "games:write": noted("create games, take and leave seats, invite players and vote"),
    "moves:write": noted("play for you"),
    "chat:write": noted("write messages at your tables in your name"),
    "profile:read": noted("see your profile, your email address and the emails we send you"),
    "profile:write": noted("change your profile and your email settings"),
    "export:read": noted("download a copy of all data stored about you"),
    "webhooks:manage": noted("get notified when something happens in your games"),
}
_RIGHTS_IN_A_GAME: Final = {
    "games:read": noted("see this game as you see it, including your possible moves"),
    "moves:write": noted("play this game for you"),
    "chat:write": noted("write messages in this game in your name"),
}
CODE_LIFE: Final = timedelta(seconds=60)
ACCESS_LIFE: Final = timedelta(hours=1)
REFRESH_LIFE: Final = timedelta(days=90)  # since its last use
_UNUSED_CLIENT: Final = timedelta(days=1)  # until a client without authorizations is deleted
_CODE = re.compile(r"sc_([0-9a-f]{32})_([0-9a-f]{32})_([A-Za-z0-9_-]{43})", re.ASCII)
_REFRESH = re.compile(r"sr_([0-9a-f]{32})_([0-9a-f]{32})_([A-Za-z0-9_-]{43})_([A-Za-z0-9_-]{43})", re.ASCII)


class Issued(NamedTuple):
    """The new tokens of an app. Only their hashes are stored."""

    access: str
    refresh: str


def rights(scopes: Iterable[str], is_of_a_game: bool) -> list[str]:
    """Return what scopes permit, as English texts to be translated. Raise KeyError for a scope that apps can't get."""
    return [(_RIGHTS_IN_A_GAME if is_of_a_game else _RIGHTS)[scope] for scope in scopes]


# Clients


@with_retries
def register_client(client_id: UUID, name: str, uri: str | None, redirect_uris: list[str], sender: str) -> None:
    """Store a client that will ask players for authorization. `sender` is its network address. Raise Closed,
    TooMany."""
    if db.session.get(OAuthClient, client_id) is not None:  # a retry after the commit's response was lost
        return
    expect_open(APPS)
    expect_within(Use("app-registrations", network_of(sender)), *network_shares("app-registrations-in-all", sender))
    db.session.add(
        OAuthClient(
            client_id=client_id, name=name, uri=uri, redirect_uris=redirect_uris, made_at=clock.now(), is_allowed=False
        )
    )
    db.session.commit()


def client_by(client_id: str) -> OAuthClient | None:
    try:
        key = UUID(client_id)
    except ValueError:
        return None
    return db.session.get(OAuthClient, key) if str(key) == client_id else None


# Authorization, within the current transaction


class AuthorizationRequest(NamedTuple):
    """What an app asks for."""

    redirect_uri: str
    scopes: list[str]
    game_id: UUID | None
    code_challenge: str


def allow(caller: Caller, client: OAuthClient, asked: AuthorizationRequest) -> str:
    """Authorize an app, and return its authorization code. Raise SignInFirst, BadToken, MissingScope, TooMany."""
    expect_no_guest(caller.player_id)
    hold(caller.player_id)
    caller.need("tokens:write")
    for scope in asked.scopes:
        caller.need(scope)
    expect_still_there(caller)
    own = select(func.count()).where(App.player_id == caller.player_id)
    expect_room("apps", db.session.scalar(own) or 0)
    now, app_id, secret = clock.now(), uuid4(), secrets.token_urlsafe(32)
    db.session.add(
        App(
            player_id=caller.player_id,
            app_id=app_id,
            client_id=client.client_id,
            name=client.name,
            **asked._asdict(),
            code_hash=hash_of(secret),
            family_hash=None,
            refresh_hash=None,
            made_at=now,
            used_at=None,
            expires_at=now + CODE_LIFE,
            ends_at=caller.until,
        )
    )
    client.is_allowed = True
    return f"sc_{caller.player_id.hex}_{app_id.hex}_{secret}"


def app_by_code(code: str) -> App | None:
    """Return the app of an authorization code, or None. If the code was used before, revoke the app's access (RFC 9700,
    4.5)."""
    parts = _CODE.fullmatch(code)
    app = parts and _lock_app(parts[1], parts[2])
    if not parts or not app or not secrets.compare_digest(app.code_hash, hash_of(parts[3])):
        return None
    if app.family_hash is not None:
        _end(app)
        db.session.commit()
        return None
    return app if app.expires_at > clock.now() else None


def app_by_refresh(word: str) -> App | None:
    """Return the app of a refresh token, or None. If the token was used before, it was probably stolen: revoke the
    app's access (RFC 9700, 4.14.2)."""
    app = _of_family(word)
    if app is None:
        return None
    if not secrets.compare_digest(app.refresh_hash or b"", hash_of(word[-43:])):
        _end(app)
        db.session.commit()
        return None
    return app if app.expires_at > clock.now() else None


def app_by_token(word: str, of: Caller | None) -> App | None:
    """Return the app that holds this token, or None. `of` is the caller of an access token, or None for a refresh
    token."""
    if of is None:
        return _of_family(word)
    hold(of.player_id)
    query = select(Token.app_id).where(Token.player_id == of.player_id, Token.token_hash == of.token_hash)
    app_id = db.session.scalars(query).one_or_none()
    return db.session.get(App, (of.player_id, app_id)) if app_id else None


def _of_family(word: str) -> App | None:
    """Return the app of a refresh token, even of a used one. The token contains a secret that all of the app's refresh
    tokens share. The secret distinguishes a used token from a forged one."""
    parts = _REFRESH.fullmatch(word)
    app = parts and _lock_app(parts[1], parts[2])
    if not parts or not app or app.family_hash is None:
        return None
    return app if secrets.compare_digest(app.family_hash, hash_of(parts[3])) else None


def _lock_app(player_id: str, app_id: str) -> App | None:
    hold(UUID(player_id))
    return db.session.get(App, (UUID(player_id), UUID(app_id)))


def issue(app: App, scopes: Iterable[str], refresh: str | None) -> Issued:
    """Issue new tokens to an app, and revoke its old ones. `refresh` is the current refresh token. Without it, the app
    is new, and the player gets an email about the app."""
    now = clock.now()
    family, secret = refresh[-87:-44] if refresh else secrets.token_urlsafe(32), secrets.token_urlsafe(32)
    if refresh is None:
        _tell(app)
    db.session.execute(delete(Token).where(Token.player_id == app.player_id, Token.app_id == app.app_id))
    ends = (now + ACCESS_LIFE, now + REFRESH_LIFE)
    until, app.expires_at = (min(end, app.ends_at or end) for end in ends)
    app.family_hash, app.refresh_hash, app.used_at = hash_of(family), hash_of(secret), now
    made = new_token(app.player_id, app.name, scopes, Bounds(until, app.game_id, app.app_id))
    return Issued(made.text, f"sr_{app.player_id.hex}_{app.app_id.hex}_{family}_{secret}")


def _tell(app: App) -> None:
    data = {"app": str(app.app_id), "name": app.name, "address": address_of(app.redirect_uri)}
    db.session.add(
        PlayerLetterRow(
            player_id=app.player_id,
            letter_id=uuid4(),
            dedupe=f"new-app/{app.app_id}/mail",
            kind=NEW_APP.name,
            data=data | {"scopes": app.scopes, "game": app.game_id and str(app.game_id)},
            made_at=clock.now(),
            due_at=clock.now(),
            tries=0,
        )
    )


def address_of(redirect_uri: str) -> str:
    """Return the scheme and host of an app's redirect URI. Unlike the app's name, they can't be made up."""
    url = urlsplit(redirect_uri)
    return f"{url.scheme}://{url.netloc}"


# Listing apps, and revoking their access


def apps_of(player_id: UUID) -> list[Json]:
    """Return a player's active apps, newest first."""
    own = select(App).where(App.player_id == player_id, App.family_hash.is_not(None), App.expires_at > clock.now())
    return [_facts(app) for app in db.session.scalars(own.order_by(App.made_at.desc(), App.app_id))]


def _facts(app: App) -> Json:
    return {
        "id": app.app_id,
        "name": app.name,
        "address": address_of(app.redirect_uri),
        "scopes": app.scopes,
        "game": app.game_id,
        "made_at": app.made_at,
        "last_used_at": app.used_at,
    }


@with_retries
def end_app(player_id: UUID, app_id: UUID) -> None:
    """Revoke an app's access, and delete its tokens and everything that it created. Raise NotFound."""
    hold(player_id)
    app = db.session.get(App, (player_id, app_id))
    if app is None and in_doubt() != app_id:
        raise NotFound("App not found.")
    if app is not None:
        _end(app)
    with committing(app_id):
        db.session.commit()


def _end(app: App) -> None:
    end_apps(app.player_id, App.app_id == app.app_id)


def end_app_token(player_id: UUID, app_id: UUID) -> str:
    """Return the link token that revokes an app's access."""
    return sign_text(ENDS_APP, f"{player_id.hex} {app_id.hex}")


def app_of_link(word: str) -> tuple[UUID, UUID, str | None]:
    """Return the player's id, the app's id and the app's name. The name is None if the app's access has ended. Raise
    NotFound for an invalid token."""
    player_id, app_id = map(UUID, verify_text(ENDS_APP, word).split(" "))
    app = db.session.get(App, (player_id, app_id))
    return player_id, app_id, app.name if app else None


def forget_apps() -> None:
    """Delete apps whose access has expired, and clients that no player has authorized."""
    now = clock.now()
    has_expired = App.expires_at <= now
    for player_id in db.session.scalars(select(App.player_id).where(has_expired).distinct()).all():
        hold(player_id)
        end_apps(player_id, has_expired)
        db.session.commit()
    unused = (OAuthClient.made_at <= now - _UNUSED_CLIENT) & ~OAuthClient.is_allowed
    db.session.execute(delete(OAuthClient).where(unused))
    db.session.commit()
