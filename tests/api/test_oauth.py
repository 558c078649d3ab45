"""OAuth 2.1: a third-party app is authorized, and known attacks fail (RFC 9700)."""

import base64
import hashlib
import json
import re
from collections.abc import Iterator
from datetime import timedelta
from email import message_from_bytes
from email.policy import default
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit
from uuid import UUID

import pytest
from flask import Flask
from playwright.sync_api import Browser, Page
from werkzeug.test import TestResponse

from server.accounts.apps import ACCESS_LIFE, CODE_LIFE, REFRESH_LIFE, forget_apps
from server.accounts.bans import ban
from server.accounts.closing import APPS, close
from server.api.oauth import ERRORS
from server.clock import clock
from server.games import GAMES, Json
from server.operations.delete_player import delete_player
from server.store.tables import App, OAuthClient, PlayerLetterRow, Token, db
from tests.post.reader import composed
from tests.support.api_calls import first_move, further
from tests.support.browser import PATIENCE_MS, chromium
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN
from tests.support.handbook import block
from tests.support.web_servers import serve

assert chromium  # a fixture

BACK = "https://watch.example/back"
VERIFIER = "v" * 64
CHALLENGE = base64.urlsafe_b64encode(hashlib.sha256(VERIFIER.encode()).digest()).decode().rstrip("=")
SCOPE = "games:read moves:write"


class Program:
    """A program of a stranger, and what it sends."""

    def __init__(self, app: Flask, **metadata: Any) -> None:
        self.client = app.test_client()
        made = self.register(**metadata)
        assert made.status_code == 201, made.text
        self.id = made.json["client_id"]

    def register(self, **metadata: Any) -> TestResponse:
        wanted = {"client_name": "Night Watch", "redirect_uris": [BACK], **metadata}
        return self.client.post("/oauth/register", json=wanted)

    def asks(self, **other: Any) -> str:
        """The address to which it sends people."""
        asked = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": BACK,
            "scope": SCOPE,
            "state": "s&t=1",
            "code_challenge": CHALLENGE,
            "code_challenge_method": "S256",
            **other,
        }
        return f"/oauth/authorize?{urlencode({name: it for name, it in asked.items() if it is not None})}"

    def code(self, who: Someone, **other: Any) -> str:
        return str(came_back(allow(who, self.asks(**other)))["code"])

    def trade(self, code: str, **other: Any) -> TestResponse:
        return self.post(
            grant_type="authorization_code", **{"code": code, "redirect_uri": BACK, "code_verifier": VERIFIER} | other
        )

    def refresh(self, refresh_token: str, **other: Any) -> TestResponse:
        return self.post(grant_type="refresh_token", refresh_token=refresh_token, **other)

    def post(self, path: str = "/oauth/token", **form: Any) -> TestResponse:
        return self.client.post(path, data={"client_id": self.id} | form)

    def revoke(self, token: str) -> TestResponse:
        return self.post("/oauth/revoke", token=token)

    def signed_in(self, who: Someone, **other: Any) -> Json:
        made = self.trade(self.code(who, **other))
        assert made.status_code == 200, made.text
        return dict(made.json)


def allow(who: Someone, address: str, is_allowed: bool = True, **headers: str) -> TestResponse:
    """Return what our page sends when the user has decided."""
    said = {"allow": is_allowed, "player": who.token and who.get("/v1/me").json["id"]}
    return who.ask("POST", address, said, headers={"Sec-Fetch-Site": "same-origin", **headers})


def way_back(program: Program, address: str) -> str:
    """Return the link to the app on the error page. The user is not redirected."""
    shown = program.client.get(address)
    assert (shown.status_code, "Location" in shown.headers) == (400, False)
    [link] = re.findall(r'<a href="(https://watch[.]example[^"]*)"', shown.text)
    return unescape(link)


def came_back(answer: TestResponse) -> dict[str, str]:
    assert answer.status_code == 200, answer.text
    return dict(parse_qsl(urlsplit(answer.json["redirect"]).query))


def is_refused(answer: TestResponse, error: str) -> bool:
    assert (answer.status_code, answer.json["error"]) == (400, error), answer.text
    return True


def as_app(app: Flask, made: Json) -> Someone:
    return Someone(app, token=made["access_token"])


@pytest.fixture
def program(app: Flask) -> Program:
    return Program(app)


# What it is for


def test_an_authorized_app_plays_for_its_user_until_revoked(app: Flask, ada: Someone, program: Program) -> None:
    game = opened(ada, ME, BOT, BOT)
    shown = app.test_client().get(program.asks())
    assert shown.status_code == 200
    assert all(it in shown.text for it in ("Night Watch", "https://watch.example", "play for you", "consent.js"))
    back = came_back(allow(ada, program.asks()))
    assert (back["state"], back["iss"]) == ("s&t=1", app.config["BASE_URL"])
    made = program.trade(back["code"])
    assert made.headers["Cache-Control"] == "no-store"
    assert (made.json["token_type"], made.json["expires_in"], made.json["scope"]) == ("Bearer", 3600, SCOPE)
    its = as_app(app, made.json)
    assert its.post(f"{game}/moves", first_move(its, game)).status_code == 201
    is_problem(its.post(f"{game}/messages", {"text": "hello"}), 403, "missing-scope")
    [listed] = ada.get("/v1/apps").json["items"]
    assert (listed["name"], listed["address"], listed["scopes"]) == (
        "Night Watch",
        "https://watch.example",
        SCOPE.split(),
    )
    assert ada.delete(f"/v1/apps/{listed['id']}").status_code == 204
    is_problem(its.get("/v1/games"), 401, "bad-token")
    is_refused(program.refresh(made.json["refresh_token"]), "invalid_grant")
    assert ada.get("/v1/apps").json["items"] == []
    is_problem(ada.delete(f"/v1/apps/{listed['id']}"), 404, "not-found")


def test_the_metadata_lists_all_endpoints(app: Flask, program: Program) -> None:
    found = program.client.get("/.well-known/oauth-authorization-server")
    assert found.headers["Access-Control-Allow-Origin"] == "*"
    assert found.json["issuer"] == app.config["BASE_URL"]
    assert found.json["code_challenge_methods_supported"] == ["S256"]
    assert found.json["grant_types_supported"] == ["authorization_code", "refresh_token"]
    for name in ("authorization", "token", "registration", "revocation"):
        assert found.json[f"{name}_endpoint"].startswith(f"{app.config['BASE_URL']}/oauth/")


def test_a_refresh_token_is_rotated_and_the_earlier_access_token_stops_working(
    app: Flask, ada: Someone, program: Program
) -> None:
    first = program.signed_in(ada)
    clock.offset += ACCESS_LIFE
    is_problem(as_app(app, first).get("/v1/games"), 401, "bad-token")
    second = program.refresh(first["refresh_token"]).json
    third = program.refresh(second["refresh_token"]).json
    is_problem(as_app(app, second).get("/v1/games"), 401, "bad-token")
    assert as_app(app, third).get("/v1/games").status_code == 200
    assert len(ada.get("/v1/apps").json["items"]) == 1
    clock.offset += REFRESH_LIFE
    is_refused(program.refresh(third["refresh_token"]), "invalid_grant")
    with app.app_context():
        forget_apps()
        assert db.session.query(App).count() == 0


def test_denying_consent_returns_to_the_app_with_an_error(ada: Someone, stranger: Someone, program: Program) -> None:
    for who in (ada, stranger):
        back = came_back(allow(who, program.asks(), is_allowed=False))
        assert (back["error"], back["state"], "iss" in back, "code" in back) == ("access_denied", "s&t=1", True, False)


def test_an_email_reports_the_consent_with_a_link_to_revoke_it(app: Flask, ada: Someone, program: Program) -> None:
    made = program.signed_in(ada)
    with app.app_context():
        [row] = db.session.query(PlayerLetterRow).filter_by(kind="new-app").all()
        written = composed(row)
    assert written is not None
    letter: Any = message_from_bytes(written.message, policy=default)
    text = letter.get_body(("plain",)).get_content()
    assert "Night Watch" in text and "https://watch.example" in text and "- play for you" in text
    link = urlsplit(next(it for it in text.split() if "/app/" in it)).path
    client = app.test_client()
    assert "Night Watch" in client.get(link).text
    assert as_app(app, made).get("/v1/games").status_code == 200  # looking has changed nothing
    assert client.post(link).status_code == client.post(link).status_code == client.get(link).status_code == 200
    is_problem(as_app(app, made).get("/v1/games"), 401, "bad-token")
    assert client.get(link[:-1]).status_code == 404


def test_consent_is_available_in_four_languages(app: Flask, program: Program) -> None:
    told = {
        locale: app.test_client().get(program.asks(), headers={"Accept-Language": locale}).text
        for locale in ("en", "de", "fr", "it")
    }
    assert len({it.partition("<h1>")[2].partition("</h1>")[0] for it in told.values()}) == 4


# Attacks on PKCE and codes


@pytest.mark.parametrize(
    "other",
    [
        {"code_challenge": None},
        {"code_challenge": None, "code_challenge_method": None},
        {"code_challenge_method": None},
        {"code_challenge_method": "plain", "code_challenge": VERIFIER},
        {"code_challenge": "short"},
    ],
)
def test_a_code_requires_pkce_with_s256(ada: Someone, program: Program, other: Json) -> None:
    address = program.asks(**other)
    sent = urlsplit(way_back(program, address))
    assert f"{sent.scheme}://{sent.netloc}{sent.path}" == BACK
    assert parse_qs(sent.query)["error"] == ["invalid_request"] and "iss" in parse_qs(sent.query)
    assert "code=" not in allow(ada, address).text


@pytest.mark.parametrize("verifier", ["w" * 64, CHALLENGE, "", "v" * 63, None])
def test_a_code_requires_its_verifier(ada: Someone, program: Program, verifier: str | None) -> None:
    form = {"code": program.code(ada), "redirect_uri": BACK, "grant_type": "authorization_code"}
    answer = program.post(**form, **({} if verifier is None else {"code_verifier": verifier}))
    assert answer.status_code == 400 and answer.json["error"] in ("invalid_grant", "invalid_request")


def test_a_reused_code_revokes_its_tokens(app: Flask, ada: Someone, program: Program) -> None:
    code = program.code(ada)
    made = program.trade(code).json
    is_refused(program.trade(code), "invalid_grant")
    is_problem(as_app(app, made).get("/v1/games"), 401, "bad-token")
    is_refused(program.refresh(made["refresh_token"]), "invalid_grant")


def test_a_code_is_bound_to_its_app(app: Flask, ada: Someone, program: Program) -> None:
    code = program.code(ada)
    is_refused(Program(app).trade(code), "invalid_grant")
    assert program.trade(code).status_code == 200


def test_a_code_expires_after_a_minute(app: Flask, ada: Someone, program: Program) -> None:
    code = program.code(ada)
    clock.offset += CODE_LIFE
    is_refused(program.trade(code), "invalid_grant")


def test_an_unknown_code_is_rejected(ada: Someone, program: Program) -> None:
    code = program.code(ada)
    for made_up in (code[:-1] + ("B" if code[-1] == "A" else "A"), code[:-1], "", "x", code.upper()):
        is_refused(program.trade(made_up), "invalid_grant")


def test_a_code_is_bound_to_its_redirect_uri(ada: Someone, app: Flask) -> None:
    other = "https://watch.example/other"
    program = Program(app, redirect_uris=[BACK, other])
    is_refused(program.trade(program.code(ada), redirect_uri=other), "invalid_grant")


def test_a_code_is_neither_sent_as_a_referrer_nor_cached(ada: Someone, program: Program) -> None:
    for answer in (program.client.get(program.asks()), program.client.get(program.asks(scope="x"))):
        assert (answer.headers["Referrer-Policy"], answer.headers["Cache-Control"]) == ("no-referrer", "no-store")
    assert allow(ada, program.asks()).headers["Cache-Control"] == "no-store"


# Attacks on addresses


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/back",
        "https://watch.example/back/",
        "https://watch.example/back?x=1",
        "https://watch.example/back/../evil",
        "https://watch.example:444/back",
        "https://watch.example.evil.example/back",
        "https://watch.example@evil.example/back",
        "http://watch.example/back",
        "HTTPS://watch.example/back",
        "https://watch.example/back#x",
        "//evil.example",
        'https://watch.example/back"',
        "",
        None,
    ],
)
def test_only_redirect_uris_that_match_a_registered_one_exactly_are_used(
    ada: Someone, program: Program, address: str | None
) -> None:
    """Nor with an error: that would be an open redirector."""
    asked = program.asks(redirect_uri=address)
    shown = program.client.get(asked)
    assert (shown.status_code, "Location" in shown.headers) == (400, False)
    is_refused(allow(ada, asked), "invalid_request")


@pytest.mark.parametrize(
    "address",
    [
        "http://watch.example/back",
        "javascript:alert(1)",
        "data:text/html,x",
        "https://watch.example/back#fragment",
        "https://watch.example/back#",
        "https://*.watch.example/back",
        "https://watch.example/*",
        "https://user@watch.example/back",
        "https:///back",
        "https://watch.example:0/back",
        "https://watch.example:99999/back",
        "https://watch.example\\@evil.example/",
        "https://watch.example/ back",
        "https://wätch.example/back",
        "http://127.0.0.1.evil.example/",
        "http://10.0.0.1/back",
        "watch://back",
        "/back",
        "",
    ],
)
def test_redirect_uris_must_use_https_or_loopback(program: Program, address: str) -> None:
    is_refused(program.register(redirect_uris=[BACK, address]), "invalid_redirect_uri")


def test_on_loopback_only_the_port_may_differ(app: Flask, ada: Someone) -> None:
    program = Program(app, redirect_uris=["http://127.0.0.1/back", "http://[::1]:99/back"])
    for address in ("http://127.0.0.1:8123/back", "http://[::1]:7/back"):
        code = program.code(ada, redirect_uri=address)
        assert program.trade(code, redirect_uri=address).status_code == 200
    for address in (
        "http://127.0.0.1:8123/",
        "http://127.0.0.2/back",
        "http://localhost/back",
        "http://127.0.0.1:x/back",
    ):
        assert program.client.get(program.asks(redirect_uri=address)).status_code == 400


def test_each_response_names_its_issuer(app: Flask, ada: Someone, program: Program) -> None:
    error = parse_qs(urlsplit(way_back(program, program.asks(scope="x"))).query)
    assert error["iss"] == [app.config["BASE_URL"]] and error["error"] == ["invalid_scope"]
    assert came_back(allow(ada, program.asks()))["iss"] == app.config["BASE_URL"]
    assert program.client.get("/.well-known/oauth-authorization-server").json[
        "authorization_response_iss_parameter_supported"
    ]


# Attacks on refresh tokens


def test_a_reused_refresh_token_revokes_its_family(app: Flask, ada: Someone, program: Program) -> None:
    first = program.signed_in(ada)
    second = program.refresh(first["refresh_token"]).json
    is_refused(program.refresh(first["refresh_token"]), "invalid_grant")
    is_problem(as_app(app, second).get("/v1/games"), 401, "bad-token")
    is_refused(program.refresh(second["refresh_token"]), "invalid_grant")


def test_an_unknown_refresh_token_revokes_nothing(app: Flask, ada: Someone, program: Program) -> None:
    made = program.signed_in(ada)
    word = made["refresh_token"]
    head, _, _ = word.rpartition("_")
    for made_up in (word[:-44].rpartition("_")[0] + "_" + "A" * 43 + "_" + word[-43:], head, word + "x", "", "sr_"):
        is_refused(program.refresh(made_up), "invalid_grant")
    assert as_app(app, made).get("/v1/games").status_code == 200
    assert program.refresh(word).status_code == 200


def test_a_refresh_token_is_bound_to_its_app(app: Flask, ada: Someone, program: Program) -> None:
    made = program.signed_in(ada)
    is_refused(Program(app).refresh(made["refresh_token"]), "invalid_grant")
    assert program.refresh(made["refresh_token"]).status_code == 200


def test_refreshing_cannot_add_scopes(app: Flask, ada: Someone, program: Program) -> None:
    made = program.signed_in(ada)
    for more in (f"{SCOPE} chat:write", "tokens:write", "x", f"{SCOPE} game:{UUID(int=1)}"):
        is_refused(program.refresh(made["refresh_token"], scope=more), "invalid_scope")
    less = program.refresh(made["refresh_token"], scope="games:read").json
    assert less["scope"] == "games:read"
    is_problem(as_app(app, less).post(f"/v1/games/{UUID(int=1)}/moves", {}), 422, "invalid-fields")
    game = opened(ada, ME, BOT, BOT)
    is_problem(as_app(app, less).post(f"{game}/moves", first_move(ada, game)), 403, "missing-scope")


# Attacks on scopes


@pytest.mark.parametrize("scope", [None, "", "x", "tokens:write", "games:read tokens:write", "game:x", "games:read  x"])
def test_an_app_can_request_only_scopes_meant_for_apps(ada: Someone, program: Program, scope: str | None) -> None:
    sent = parse_qs(urlsplit(way_back(program, program.asks(scope=scope))).query)
    assert sent["error"] == ["invalid_scope"]
    assert "code=" not in allow(ada, program.asks(scope=scope)).text


def test_a_consent_that_is_limited_to_a_game_works_only_for_that_game(
    app: Flask, ada: Someone, program: Program
) -> None:
    game, other = opened(ada, ME, BOT, BOT), opened(ada, ME, BOT, BOT)
    bound = f"game:{game.rpartition('/')[2]}"
    shown = program.client.get(program.asks(scope=f"{SCOPE} {bound}")).text
    assert "Only in one game" in shown and "see this game as you see it" in shown and "your games" not in shown
    made = program.signed_in(ada, scope=f"{SCOPE} {bound}")
    assert made["scope"] == f"{SCOPE} {bound}"
    less = program.refresh(made["refresh_token"], scope="games:read").json
    assert less["scope"] == f"games:read {bound}"
    its = as_app(app, program.refresh(less["refresh_token"]).json)
    assert its.get(game).status_code == 200
    for path in (other, "/v1/games?mine=true", "/v1/stream", "/v1/me"):
        is_problem(its.get(path), 403, "one-seat-only")
    assert its.post(f"{game}/moves", first_move(its, game)).status_code == 201


def test_a_consent_cannot_be_limited_to_a_game_without_a_seat_there_or_with_global_scopes(
    ada: Someone, bea: Someone, program: Program
) -> None:
    game = opened(bea, ME, OPEN, BOT)
    private = opened(bea, ME, OPEN, BOT, private=True)
    for path, status, code in (
        (game, 403, "not-seated"),
        (private, 404, "not-found"),
        (f"/{UUID(int=0)}", 404, "not-found"),
    ):
        is_problem(allow(ada, program.asks(scope=f"{SCOPE} game:{path.rpartition('/')[2]}")), status, code)
    wide = f"profile:read game:{game.rpartition('/')[2]}"
    assert "error=invalid_scope" in way_back(program, program.asks(scope=wide))


def test_giving_up_a_seat_ends_the_consents_that_are_limited_to_its_game(
    app: Flask, ada: Someone, program: Program
) -> None:
    game = opened(ada, ME, BOT, BOT)
    made = program.signed_in(ada, scope=f"{SCOPE} game:{game.rpartition('/')[2]}")
    assert ada.delete(f"{game}/seats/me").status_code < 300
    is_problem(as_app(app, made).get(game), 401, "bad-token")
    is_refused(program.refresh(made["refresh_token"]), "invalid_grant")


# Attacks on the user who is asked


def test_only_the_servers_own_page_can_give_consent(app: Flask, ada: Someone, program: Program) -> None:
    said = {"allow": True, "player": ada.get("/v1/me").json["id"]}
    for site in ("cross-site", "same-site", "none"):
        assert allow(ada, program.asks(), **{"Sec-Fetch-Site": site}).status_code == 404
    elsewhere = {"Origin": "https://evil.example"}
    assert ada.ask("POST", program.asks(), said, headers=elsewhere).status_code == 404
    assert ada.ask("POST", program.asks(), data=said).status_code == 404  # a form
    assert ada.ask("POST", program.asks(), data=json.dumps(said), content_type="text/plain").status_code == 404
    is_problem(Someone(app).ask("POST", program.asks(), said), 401, "token-needed")  # cookies mean nothing
    answer = app.test_client().options(
        "/oauth/authorize", headers={"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    )
    assert "Access-Control-Allow-Origin" not in answer.headers


def test_viewing_the_consent_page_does_not_give_consent(app: Flask, ada: Someone, program: Program) -> None:
    for _ in range(2):
        assert "Location" not in ada.get(program.asks()).headers
    with app.app_context():
        assert db.session.query(App).count() == 0


def test_consent_is_requested_again_after_another_sign_in(ada: Someone, bea: Someone, program: Program) -> None:
    said = {"allow": True, "player": bea.get("/v1/me").json["id"]}
    is_problem(ada.ask("POST", program.asks(), said), 401, "bad-token")


def test_the_consent_page_cannot_be_framed_and_runs_no_foreign_scripts(program: Program) -> None:
    odd = Program(program.client.application, client_name="<script>alert(1)</script>")
    shown = odd.client.get(odd.asks())
    policy = shown.headers["Content-Security-Policy"]
    assert "frame-ancestors 'none'" in policy and "script-src 'self';" in policy and "unsafe" not in policy
    assert shown.headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert "<script>alert" not in shown.text and "&lt;script&gt;" in shown.text


def test_consent_cannot_be_given_by_apps_by_guests_or_with_weaker_tokens(
    app: Flask, ada: Someone, program: Program
) -> None:
    its = as_app(app, program.signed_in(ada, scope="profile:read games:read moves:write"))
    is_problem(allow(its, program.asks()), 403, "missing-scope")
    small = further(app, ada, scopes=["tokens:write", "profile:read", "games:read"])
    is_problem(allow(small, program.asks()), 403, "missing-scope")
    guest = Someone(app, token=Someone(app).post("/v1/guests").json["token"])
    is_problem(allow(guest, program.asks()), 403, "sign-in-first")
    game = opened(ada, ME, BOT, BOT)
    seat = Someone(app, token=ada.post(f"{game}/seats/me/tokens").json["token"])
    said = {"allow": True, "player": ada.get("/v1/me").json["id"]}
    is_problem(seat.ask("POST", program.asks(), said), 403, "one-seat-only")


def test_a_consent_ends_with_the_token_that_gave_it(app: Flask, ada: Someone, program: Program) -> None:
    until = clock.now() + timedelta(minutes=30)
    made = program.signed_in(further(app, ada, expires_at=until.isoformat()))
    clock.offset += timedelta(minutes=30)
    is_problem(as_app(app, made).get("/v1/games"), 401, "bad-token")
    is_refused(program.refresh(made["refresh_token"]), "invalid_grant")


# Attacks on the token endpoint


@pytest.mark.parametrize("kind", ["password", "client_credentials", "implicit", "", "urn:x", 'x"'])
def test_unsupported_grant_types_are_rejected(program: Program, kind: str) -> None:
    answer = program.post(grant_type=kind, username="ada@example.org", password="x")
    assert answer.status_code == 400 and answer.json["error"] in ("unsupported_grant_type", "invalid_request")


@pytest.mark.parametrize("kind", ["token", "id_token", "code token", "", None])
def test_tokens_in_the_url_are_rejected(program: Program, kind: str | None) -> None:
    sent = parse_qs(urlsplit(way_back(program, program.asks(response_type=kind))).query)
    assert sent["error"] == ["unsupported_response_type"]


def test_secrets_in_the_url_are_ignored_because_urls_are_logged(ada: Someone, program: Program) -> None:
    form = {"grant_type": "authorization_code", "code": program.code(ada), "redirect_uri": BACK}
    form |= {"client_id": program.id, "code_verifier": VERIFIER}
    is_refused(program.client.post(f"/oauth/token?{urlencode(form)}"), "invalid_request")
    is_refused(program.client.post(f"/oauth/token?client_secret=x&{urlencode(form)}"), "invalid_request")
    assert program.client.get(f"/oauth/token?{urlencode(form)}").status_code == 405
    assert program.client.post("/oauth/token", data=form).status_code == 200


def test_apps_have_no_secret(program: Program, ada: Someone) -> None:
    is_refused(program.trade(program.code(ada), client_secret="x"), "invalid_client")
    is_refused(program.register(token_endpoint_auth_method="client_secret_basic"), "invalid_client_metadata")
    assert "client_secret" not in program.register().json


def test_an_oauth_parameter_must_be_unique_short_and_plain_text(app: Flask, ada: Someone, program: Program) -> None:
    for more in (
        "&scope=games:write",
        "&redirect_uri=https://evil.example/",
        "&x=%00",
        "&x=%c3%a4",
        f"&x={'y' * 2001}",
    ):
        shown = program.client.get(program.asks() + more)
        assert (shown.status_code, "Location" in shown.headers) == (400, False)
    for data in (f"grant_type=refresh_token&grant_type=x&client_id={program.id}", "client_id=%00"):
        answer = program.client.post("/oauth/token", data=data, content_type="application/x-www-form-urlencoded")
        is_refused(answer, "invalid_request")
    for client_id in ("", "x", str(UUID(int=0)), program.id.upper(), "\u00e4"):
        assert program.client.get(program.asks(client_id=client_id)).status_code == 400
        assert program.post(client_id=client_id, grant_type="refresh_token", refresh_token="x").status_code == 400


@pytest.mark.parametrize(
    "metadata",
    [
        {"client_name": "x" * 3000},
        {"client_name": "\u200b"},
        {"client_name": None},
        {"client_name": ["x"]},
        {"redirect_uris": []},
        {"redirect_uris": [BACK] * 11},
        {"redirect_uris": BACK},
        {"redirect_uris": [1]},
        {"redirect_uris": None},
        {"redirect_uris": ["https://watch.example/" + "x" * 3000]},
        {"client_uri": "javascript:alert(1)"},
        {"grant_types": ["password"]},
        {"grant_types": [["x"]]},
        {"response_types": ["token"]},
        {"scope": "tokens:write"},
        {"scope": 7},
    ],
)
def test_the_metadata_that_an_app_registers_is_validated(program: Program, metadata: Json) -> None:
    answer = program.register(**metadata)
    assert answer.status_code == 400
    assert answer.json["error"] in ("invalid_client_metadata", "invalid_redirect_uri")


def test_an_app_registration_is_plain_json(program: Program) -> None:
    for body in (b'{"client_name": "a\\u0000b", "redirect_uris": []}', b"{", b"[]", b"7", b"", b"[" * 5000, b"\xff"):
        answer = program.client.post("/oauth/register", data=body, content_type="application/json")
        assert answer.status_code == 400, body
    assert program.client.post("/oauth/register", data=b" " * 70_000).status_code in (400, 413)


def test_app_registrations_are_limited_and_unused_ones_are_deleted(app: Flask, ada: Someone, program: Program) -> None:
    program.signed_in(ada)
    answers = [program.register() for _ in range(31)]
    is_limit = answers[-1]
    assert (is_limit.status_code, is_limit.json["code"]) == (429, "too-many-requests")
    assert int(is_limit.headers["Retry-After"]) > 0
    clock.offset += timedelta(days=1)
    with app.app_context():
        forget_apps()
        assert [str(it.client_id) for it in db.session.query(OAuthClient)] == [program.id]


# What an app is told


@pytest.mark.parametrize(
    ("form", "error", "words"),
    [
        ({"client_id": str(UUID(int=7))}, "invalid_client", "Register the app again"),
        ({"client_secret": "x"}, "invalid_client", "send no secret"),
        ({"grant_type": "authorization_code", "code": "x"}, "invalid_grant", "Ask the player to sign in again"),
        ({"grant_type": "refresh_token", "refresh_token": "x"}, "invalid_grant", "Ask the player to sign in again"),
        ({"grant_type": "password"}, "unsupported_grant_type", "grant_type=refresh_token"),
    ],
)
def test_an_oauth_error_says_what_to_do(program: Program, form: Json, error: str, words: str) -> None:
    answer = program.post(**{"grant_type": "refresh_token", "refresh_token": "x"} | form)
    assert is_refused(answer, error) and words in answer.json["error_description"], answer.text


def test_the_token_endpoint_asks_for_a_form_instead_of_json(program: Program) -> None:
    answer = program.client.post("/oauth/token", json={"grant_type": "refresh_token", "client_id": program.id})
    assert is_refused(answer, "invalid_request") and "Send a form" in answer.json["error_description"]


def test_a_failed_registration_names_the_field(program: Program) -> None:
    for body, field in (
        ({}, "redirect_uris"),
        ({"redirect_uris": [BACK]}, "client_name"),
        ({"redirect_uris": [BACK], "client_name": 7}, "client_name"),
        ({"redirect_uris": [BACK, 7], "client_name": "x"}, "redirect_uris.1"),
        ({"redirect_uris": [BACK], "client_name": "x", "client_uri": "x"}, "client_uri"),
    ):
        answer = program.client.post("/oauth/register", json=body, headers={"Accept-Language": "de"})
        assert answer.json["error_description"].startswith(f"{field}: "), answer.text


def test_the_handbook_lists_each_oauth_error_once(program: Program) -> None:
    shown = program.client.get("/docs/app").text
    assert all(shown.count(f"<td><code>{code}</code></td>") == 1 for code in ERRORS)


# What ends it


def test_an_app_can_revoke_itself_with_either_token(app: Flask, ada: Someone, program: Program) -> None:
    for name in ("access_token", "refresh_token"):
        made = program.signed_in(ada)
        assert program.revoke(made[name]).status_code == 200
        is_problem(as_app(app, made).get("/v1/games"), 401, "bad-token")
        is_refused(program.refresh(made["refresh_token"]), "invalid_grant")
        assert program.revoke(made[name]).status_code == 200  # it is as it should be


def test_revoking_an_apps_token_ends_the_app(app: Flask, ada: Someone, program: Program) -> None:
    for path in ("one of them", "/v1/tokens/current"):
        made = program.signed_in(ada)
        [token] = [it for it in ada.get("/v1/tokens").json["items"] if it["name"] == "Night Watch"]
        who, path = (as_app(app, made), path) if "current" in path else (ada, f"/v1/tokens/{token['id']}")
        assert who.delete(path).status_code == 204
        is_refused(program.refresh(made["refresh_token"]), "invalid_grant")
        assert ada.get("/v1/apps").json["items"] == []


def test_an_app_cannot_revoke_another_app(app: Flask, ada: Someone, program: Program) -> None:
    made = program.signed_in(ada)
    for name in ("access_token", "refresh_token"):
        is_refused(Program(app).revoke(made[name]), "invalid_grant")
    assert program.revoke(str(ada.token)).status_code == 200
    assert ada.get("/v1/me").status_code == as_app(app, made).get("/v1/games").status_code == 200


def test_revoking_all_tokens_ends_all_apps(app: Flask, ada: Someone, program: Program) -> None:
    made, code = program.signed_in(ada), program.code(ada)
    assert ada.delete("/v1/tokens").status_code == 204
    is_problem(as_app(app, made).get("/v1/games"), 401, "bad-token")
    is_refused(program.refresh(made["refresh_token"]), "invalid_grant")
    is_refused(program.trade(code), "invalid_grant")


def test_deleting_an_account_deletes_its_apps(app: Flask, ada: Someone, program: Program) -> None:
    made, player_id = program.signed_in(ada), UUID(ada.get("/v1/me").json["id"])
    assert [it["name"] for it in ada.get("/v1/me/export").json["apps"]] == ["Night Watch"]
    with app.app_context():
        delete_player(player_id)
        assert db.session.query(App).count() == db.session.query(Token).count() == 0
    is_problem(as_app(app, made).get("/v1/games"), 401, "bad-token")
    is_refused(program.refresh(made["refresh_token"]), "invalid_grant")


def test_a_banned_players_app_can_do_nothing(app: Flask, ada: Someone, program: Program) -> None:
    made, player_id = program.signed_in(ada), UUID(ada.get("/v1/me").json["id"])
    with app.app_context():
        ban(player_id)
    refreshed = program.refresh(made["refresh_token"])
    assert refreshed.status_code == 200
    is_problem(as_app(app, refreshed.json).get("/v1/games"), 403, "banned")


def test_the_database_contains_no_usable_secret(app: Flask, ada: Someone, program: Program) -> None:
    code = program.code(ada)
    made = program.trade(code).json
    with app.app_context():
        rows = [str(vars(row)) for table in (App, Token, PlayerLetterRow) for row in db.session.query(table)]
    for word in (code, made["access_token"], made["refresh_token"], made["refresh_token"][:-44]):
        assert not any(word[-43:] in row for row in rows)


def test_players_can_neither_see_nor_revoke_the_apps_of_others(ada: Someone, bea: Someone, program: Program) -> None:
    program.signed_in(ada)
    [its] = ada.get("/v1/apps").json["items"]
    assert bea.get("/v1/apps").json["items"] == []
    is_problem(bea.delete(f"/v1/apps/{its['id']}"), 404, "not-found")


# In a browser


def test_buttons_cannot_be_clicked_before_their_script_has_loaded(program: Program) -> None:
    pages = program.client.get(program.asks()).text, block(program.client.get("/docs/app").text, "app")
    for buttons in (re.findall("<button[^>]*>", it) for it in pages):
        assert len(buttons) > 1 and all(re.search(" (disabled|hidden)>", it) for it in buttons), buttons


@pytest.fixture
def house(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    with serve(app) as url:
        monkeypatch.setitem(app.config, "BASE_URL", url)
        yield url


@pytest.fixture
def elsewhere(app: Flask, house: str, tmp_path: Path) -> Iterator[str]:
    """Serve the handbook's page from another origin."""
    text = block(app.test_client().get("/docs/app").text, "app")
    assert len(text.splitlines()) <= 220
    (tmp_path / "index.html").write_text(text)
    with serve(tmp_path) as url:
        yield f"{url}/"


@pytest.mark.parametrize("rules", GAMES)
def test_a_single_page_app_from_another_origin_can_sign_in_play_and_sign_out(
    app: Flask, ada: Someone, chromium: Browser, house: str, elsewhere: str, rules: str
) -> None:
    opened(ada, ME, BOT, BOT, title="The long night", rules=rules)
    with chromium.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto(f"{house}/docs/app")
        assert "code_challenge_method" in page.inner_text("#app")
        page.evaluate("(token) => localStorage.setItem('sternenpost.token', token)", ada.token)
        page.goto(elsewhere)
        page.click("text=Sign in with Sternenpost")
        page.click("text=Don't allow")
        page.wait_for_selector("text=Not allowed: access_denied")
        page.click("text=Sign in with Sternenpost")
        page.wait_for_selector("text=You're signed in as ada, ada@example.org.")
        page.click("#allow")
        page.wait_for_selector("text=Signed in, 1 games.")
        assert page.url == elsewhere
        page.click("text=Play my next move")
        page.wait_for_selector("text=Played in The long night.")
        page.goto("about:blank")  # or the page could be left while it refreshes, and lose its new token
        clock.offset += ACCESS_LIFE
        page.goto(elsewhere)
        page.wait_for_selector("text=Signed in, 1 games.")  # by its refresh token
        page.click("text=Sign out")
        page.wait_for_selector("text=Signed out.")
        assert ada.get("/v1/apps").json["items"] == []


@pytest.fixture
def app_page(chromium: Browser, house: str, elsewhere: str, ada: Someone) -> Iterator[Page]:
    """The handbook's page in the browser of a player who is signed in here."""
    with chromium.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto(f"{house}/docs")
        page.evaluate("(token) => localStorage.setItem('sternenpost.token', token)", ada.token)
        page.goto(elsewhere)
        yield page


def let_in(page: Page) -> None:
    page.click("text=Sign in with Sternenpost")
    page.click("#allow:enabled")
    page.wait_for_selector("text=Signed in, ")


def test_the_sample_page_registers_again_if_the_server_has_deleted_it(app_page: Page, elsewhere: str) -> None:
    app_page.evaluate(f"localStorage.client = '{UUID(int=7)}'")
    app_page.click("text=Sign in with Sternenpost")
    app_page.wait_for_selector("text=This server doesn't know the app that sent you here.")
    app_page.goto(elsewhere)
    let_in(app_page)
    assert app_page.evaluate("localStorage.client") != str(UUID(int=7))


def test_the_sample_page_shows_why_it_could_not_register(app: Flask, app_page: Page) -> None:
    with app.app_context():
        close(APPS)
    app_page.click("text=Sign in with Sternenpost")
    app_page.wait_for_selector("text=This server isn't accepting new apps right now.")
    assert app_page.evaluate("[localStorage.length, sessionStorage.length]") == [0, 0]


def test_the_sample_page_notices_that_its_access_was_revoked(ada: Someone, app_page: Page) -> None:
    let_in(app_page)
    wrong: list[Any] = []
    app_page.on("pageerror", lambda error: wrong.append(error))
    [listed] = ada.get("/v1/apps").json["items"]
    ada.delete(f"/v1/apps/{listed['id']}")
    # the stream may notice it first and hide the button, so no pointer is needed
    app_page.evaluate("document.getElementById('play').click()")
    app_page.wait_for_selector("#sign-in:visible")
    assert not app_page.is_visible("#play") and not app_page.is_visible("#sign-out")
    app_page.evaluate("document.getElementById('play').click()")
    app_page.wait_for_selector("#sign-in:visible")
    assert wrong == []
    let_in(app_page)


def test_the_sample_page_follows_the_players_games_with_a_new_token_each_hour(ada: Someone, app_page: Page) -> None:
    game = opened(ada, ME, OPEN, BOT, title="The long night")
    let_in(app_page)
    before = app_page.evaluate("localStorage.access")
    clock.offset += ACCESS_LIFE  # the stream ends
    app_page.wait_for_function("(before) => localStorage.access !== before", arg=before)
    ada.delete(game)
    app_page.wait_for_selector("text=The long night: abandoned")


def test_a_stream_by_tickets_stops_when_the_game_is_over_or_refused(
    app: Flask, ada: Someone, house: str, app_page: Page
) -> None:
    about = app.test_client().get("/openapi.json").json["paths"]["/v1/stream-tickets"]["post"]["description"]
    [code] = re.findall("(?s)```js\n(.*?)\n```", about)
    game = opened(ada, ME, OPEN, BOT, private=True)
    ada.delete(game)
    for path, token, ending in (
        (f"{game}/stream", ada.token, "over: game-abandoned"),
        (f"{game}/stream", "x", "This token is invalid."),
        (f"/v1/games/{UUID(int=7)}/stream", ada.token, "Game not found."),
    ):
        asked = f"""{code}
            const heard = [];
            const tell = (name, item) => heard.push(item.type ?? name);
            follow({json.dumps(house)}, {json.dumps(path)}, async () => {json.dumps(token)}, tell).then(
                () => `over: ${{heard.find((it) => it !== "open")}}`, (error) => error.message)"""
        assert app_page.evaluate(asked) == ending


@pytest.mark.parametrize("is_guest", [False, True])
def test_visitors_and_guests_are_asked_to_sign_in_before_consent(
    chromium: Browser, house: str, program: Program, ada: Someone, is_guest: bool
) -> None:
    with chromium.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        if is_guest:
            guest = program.client.post("/v1/guests").json["token"]
            page.add_init_script(f"localStorage.setItem('sternenpost.token', '{guest}')")
        page.goto(house + program.asks())
        page.wait_for_selector("text=Sign in first")
        assert page.is_disabled("#allow")
        other = context.new_page()
        other.goto(f"{house}/docs")
        other.evaluate("(token) => localStorage.setItem('sternenpost.token', token)", ada.token)
        page.wait_for_selector("text=You're signed in as ada")
        assert page.is_enabled("#allow")
