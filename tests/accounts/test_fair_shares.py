"""Server-wide limits are shared fairly: a few networks or players cannot use them up."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from flask import Flask
from sqlalchemy import select
from werkzeug.test import TestResponse

from server.accounts.rate_limits import LEAST_SHARE, OF_ONE, network_of, network_shares, share_of
from server.app import create_app
from server.clock import clock
from server.config import Bound, Settings
from server.games import Json
from server.sanitize import mailbox_of
from server.store.tables import PlayerLetterRow, RateLimit, db
from tests.support.contract import Contract, Someone, is_problem, opened
from tests.support.games import BOT, DAY, HOUR, ME, OPEN, wanted

DEFAULTS = Settings.from_environment({}).bounds
APP = {"client_name": "Stars", "redirect_uris": ["https://stars.example/"]}


@pytest.fixture(autouse=True)
def _at_the_beginning_of_a_window(app: Flask) -> None:
    clock.forward(timedelta(seconds=86_400 - clock.now().timestamp() % 86_400))


@pytest.fixture
def bound(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, Bound], None]:
    return lambda name, most: monkeypatch.setitem(app.config["BOUNDS"], name, most)


def comes(stranger: Someone, home: str, path: str, body: Json) -> TestResponse:
    return stranger.post(path, body, environ_overrides={"REMOTE_ADDR": home})


def signs_in(stranger: Someone, home: str, email: str) -> TestResponse:
    return comes(stranger, home, "/v1/sign-ins", {"email": email})


def letters(app: Flask) -> list[str]:
    with app.app_context():
        return [it.data["to"] for it in db.session.scalars(select(PlayerLetterRow))]


# Sign-in letters


def test_networks_of_the_same_customer_share_one_sign_in_limit(app: Flask, stranger: Someone) -> None:
    numbers = range(240)
    answers = [signs_in(stranger, f"2001:db8:1:{it % 60:x}::1", f"reader{it}@example.org") for it in numbers]
    assert {it.status_code for it in answers} == {202, 429}
    assert len(letters(app)) == DEFAULTS["codes-in-all"].most // (OF_ONE + 1)
    is_problem(answers[-1], 429, "too-many-requests")
    assert 0 < int(answers[-1].headers["Retry-After"]) <= 3600
    assert signs_in(stranger, "2001:db8:2::1", "reader@example.org").status_code == 202
    clock.forward(HOUR)
    assert signs_in(stranger, "2001:db8:1::1", "reader@example.org").status_code == 202


def test_addresses_in_one_ipv4_network_share_one_sign_in_limit(app: Flask, stranger: Someone) -> None:
    for number in range(200):
        signs_in(stranger, f"192.0.2.{number}", f"reader{number}@example.org")
    assert len(letters(app)) == DEFAULTS["codes-in-all"].most // (OF_ONE + 1)


@pytest.mark.parametrize(
    "spellings",
    [
        [f"victim+{number}@example.org" for number in range(12)],
        ["victim@gmail.com", "v.ictim@gmail.com", "vic.tim@googlemail.com", "VICTIM+x@Gmail.com", "v.i.c.tim@gmail.com"]
        * 2,
    ],
)
def test_different_spellings_of_a_mailbox_share_one_code_limit(
    app: Flask, stranger: Someone, spellings: list[str]
) -> None:
    for number, email in enumerate(spellings):
        assert signs_in(stranger, f"198.51.{number}.1", email).status_code == 202
    assert len(letters(app)) == DEFAULTS["codes"].most


@pytest.mark.parametrize("address", ["v.ictim@example.org", "victim@example.com", "victims@example.org"])
def test_different_mailboxes_have_separate_limits(address: str) -> None:
    assert mailbox_of(address) == address != mailbox_of("victim@example.org")


def test_players_can_still_sign_in_when_the_server_wide_code_limit_is_reached(
    app: Flask, ada: Someone, stranger: Someone, bound: Callable[[str, Bound], None]
) -> None:
    bound("codes-in-all", Bound(4, 3600))
    for number in range(4):
        signs_in(stranger, f"10.{number}.0.1", f"reader{number}@example.org")
    answers = [signs_in(stranger, "10.9.0.1", email) for email in ("new@example.org", "ada@example.org")]
    assert [it.status_code for it in answers] == [202, 202]  # the answer does not reveal which players exist
    assert [*letters(app)][-1] == "ada@example.org"
    assert "new@example.org" not in letters(app)


# Calls that mail to an address that has not asked for it


def calls(ada: Someone, stranger: Someone) -> dict[str, Callable[[str], TestResponse]]:
    waiting, running = opened(ada, ME, OPEN, OPEN), opened(ada, ME, BOT, BOT)
    days = {"from": clock.now().date().isoformat(), "until": (clock.now() + DAY).date().isoformat()}
    return {
        "signIn": lambda email: stranger.post("/v1/sign-ins", {"email": email}),
        "openGame": lambda email: ada.post("/v1/games", wanted(ME, {"email": email}, BOT)),
        "invite": lambda email: ada.post(f"{waiting}/invitations", {"email": email}),
        "askStandIn": lambda email: ada.post(f"{running}/seats/me/stand-in", {**days, "email": email}),
        "changeProfile": lambda email: ada.patch("/v1/me", {"email": email}),
    }


COUNTED = {
    "signIn": ("codes-in-all", "sign-ins"),
    "openGame": ("invitations-in-all", "invitations"),
    "invite": ("invitations-in-all", "invitations"),
    "askStandIn": ("invitations-in-all", "invitations"),
    "changeProfile": ("codes-in-all", "codes"),
}


def _names_an_address(schema: Any, document: Json) -> bool:
    if isinstance(schema, list):
        return any(_names_an_address(it, document) for it in schema)
    if not isinstance(schema, dict):
        return False
    if ref := schema.get("$ref"):
        return _names_an_address(document["components"]["schemas"][ref.rpartition("/")[2]], document)
    return "email" in schema.get("properties", {}) or any(_names_an_address(it, document) for it in schema.values())


def test_every_call_with_an_email_address_in_its_body_is_tested_here(app: Flask) -> None:
    contract = Contract(app)
    found = {
        it["operationId"]
        for _, _, it in contract.operations
        for content in it.get("requestBody", {}).get("content", {}).values()
        if _names_an_address(content["schema"], contract.document)
    }
    assert found == set(COUNTED)


@pytest.mark.parametrize("operation", COUNTED)
def test_an_email_counts_toward_the_limits_of_its_sender_its_mailbox_and_the_server(
    app: Flask, ada: Someone, stranger: Someone, operation: str
) -> None:
    before = counts(app)
    answer = calls(ada, stranger)[operation]("victim+stars@example.org")
    assert answer.status_code < 300, answer.text
    new = {key for key, used in counts(app).items() if used > before.get(key, 0)}
    in_all, own = COUNTED[operation]
    assert f"{in_all} all" in new
    assert any(key.startswith(f"{own} ") for key in new)
    assert any(key.endswith(" victim@example.org") for key in new)
    assert sum(key.startswith(f"{in_all} ") for key in new) >= 2  # also a share


def counts(app: Flask) -> dict[str, int]:
    with app.app_context():
        return {it.key: it.used for it in db.session.scalars(select(RateLimit))}


def test_one_player_cannot_use_up_the_servers_invitations(
    app: Flask, ada: Someone, bea: Someone, bound: Callable[[str, Bound], None]
) -> None:
    bound("invitations-in-all", Bound(60, 86_400))
    path = opened(ada, ME, OPEN, BOT)
    answers = [ada.post(f"{path}/invitations", {"email": f"r{it}@example.org", "seat": 1}) for it in range(4)]
    assert [it.status_code for it in answers] == [201, 201, 429, 429]
    opened(bea, ME, {"email": "friend@example.org"}, BOT)


def test_a_player_can_request_twenty_codes_a_day_in_the_settings(app: Flask, ada: Someone) -> None:
    answers: list[int] = []
    for hour in range(8):
        for number in range(4):
            answers.append(ada.patch("/v1/me", {"email": f"r{hour}{number}@example.org"}).status_code)
        clock.forward(HOUR)
    assert answers == [200] * 20 + [429] * 12


# Guests and apps


@pytest.mark.parametrize(
    ("name", "path", "body"), [("guests", "/v1/guests", {}), ("app-registrations", "/oauth/register", APP)]
)
def test_networks_that_send_many_requests_do_not_crowd_out_others(
    stranger: Someone, bound: Callable[[str, Bound], None], name: str, path: str, body: Json
) -> None:
    bound(f"{name}-in-all", Bound(200, 86_400))
    homes = [f"{10 + number}.0.0.1" for number in range(25)]
    made = [0] * len(homes)
    for _ in range(20):  # as the limit of one address allows
        for number, home in enumerate(homes):
            made[number] += comes(stranger, home, path, body).status_code == 201
    assert sum(made) < 200
    newcomer = [comes(stranger, "198.51.100.1", path, body) for _ in range(LEAST_SHARE + 20)]
    assert [it.status_code for it in newcomer[:LEAST_SHARE]] == [201] * LEAST_SHARE
    assert newcomer[-1].status_code == 429
    assert "network" in newcomer[-1].text


@pytest.mark.parametrize(
    ("name", "networks", "left"), [("guests-in-all", 250, 18), ("app-registrations-in-all", 67, 22)]
)
def test_networks_that_send_many_requests_do_not_crowd_out_others_at_the_default_limits(
    name: str, networks: int, left: int
) -> None:
    """Prints how much they get."""
    bound, taken = DEFAULTS[name], [0] * networks
    for _ in range(bound.most // OF_ONE):
        for number in range(networks):
            _take(bound, taken, number)
    print(f"{name}: {networks} networks get {sum(taken)} of {bound.most}")
    assert share_of(bound, sum(taken) + 1, OF_ONE) == left


def _take(bound: Bound, taken: list[int], number: int) -> None:
    used = sum(taken) + 1
    if used <= bound.most and taken[number] < share_of(bound, used, OF_ONE):
        taken[number] += 1


def test_one_provider_gets_a_share_however_many_networks_it_has(
    stranger: Someone, bound: Callable[[str, Bound], None]
) -> None:
    bound("guests-in-all", Bound(100, 86_400))
    made = [comes(stranger, f"2001:db8:{number:x}::1", "/v1/guests", {}).status_code for number in range(60)]
    assert made.count(201) == 20
    assert comes(stranger, "2001:db9::1", "/v1/guests", {}).status_code == 201


# Spellings of network addresses


@pytest.mark.parametrize(
    ("one", "another"),
    [
        ("192.0.2.7", "192.0.2.7:5678"),
        ("192.0.2.7", "::ffff:192.0.2.7"),
        ("192.0.2.7", "[::FFFF:192.0.2.7]:443"),
        ("192.0.2.7", '"192.0.2.7"'),
        ("2001:db8::1", "[2001:DB8::1]:443"),
        ("2001:db8::1", "[2001:db8::1]"),
        ("2001:db8::1", "2001:0DB8:0:0::2"),
        ("fe80::1", "fe80::1%eth0"),
        ("unknown", "_hidden"),
        ("", "192.0.2.7:80:80"),
    ],
)
def test_different_spellings_of_an_ip_address_count_as_one_network(one: str, another: str) -> None:
    assert network_of(one) == network_of(another)
    assert network_shares("guests-in-all", one) == network_shares("guests-in-all", another)


def test_clients_on_different_ports_behind_a_proxy_share_one_limit(shared_url: str, app: Flask) -> None:
    proxied = create_app(Settings.from_environment({"DATABASE_URL": shared_url, "STERNENPOST_PROXIES": "1"}))
    stranger = Someone(proxied)
    answers = [
        stranger.post("/v1/guests", {}, headers={"X-Forwarded-For": f"203.0.113.9:{40_000 + port}"}).status_code
        for port in range(21)
    ]
    assert answers == [201] * 20 + [429]
