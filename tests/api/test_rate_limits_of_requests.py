"""Rate limits of requests: headers, sharing and cost."""

import re
import tracemalloc
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from server.api import pictures, rate_limits
from server.api.rate_limits import LONG, Buckets, Level
from server.app import create_app
from server.config import Settings
from server.games import Json
from server.store.tables import RateLimit, db
from tests.support.api_calls import NOBODYS_ID, exhausting, first_move, further
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, ME, OPEN
from tests.support.one_of_each import Scene
from tests.support.rate_limits import StandingClock, Told

NOON = 1_795_262_400_000  # milliseconds
OF_PLAYER, OF_ADDRESS = (Settings.from_environment({}).bounds[name] for name in ("player", "address"))


def left(answer: TestResponse) -> int:
    return Told.by(answer).left


@pytest.fixture
def standing(monkeypatch: pytest.MonkeyPatch) -> StandingClock:
    """No bucket fills up by itself."""
    standing = StandingClock()
    monkeypatch.setattr(rate_limits, "clock", standing)
    return standing


@pytest.mark.usefixtures("standing")
def test_every_response_shows_the_remaining_quota(scene: Scene) -> None:
    token = further(scene.app, scene.ada)
    before = left(scene.ada.get("/v1/me"))
    assert Told.by(token.get("/v1/me")) == ("player", *OF_PLAYER, before - 1, 1)
    stranger = scene.stranger.get("/v1/rules", environ_overrides={"REMOTE_ADDR": "192.0.2.7"})
    assert Told.by(stranger) == ("address", *OF_ADDRESS, OF_ADDRESS.most - 1, 1)
    for path in ("/v1/games/x", "/v1/games?limit=0", f"/v1/games/{NOBODYS_ID}"):
        assert Told.by(token.get(path)).name == "player"
    assert Told.by(Someone(scene.app, token="sp_none").get("/v1/me")).name == "address"
    assert "RateLimit" not in scene.app.test_client().get("/docs").headers


@pytest.mark.usefixtures("standing")
def test_unchanged_responses_use_no_quota_and_slow_responses_use_more(scene: Scene) -> None:
    token = further(scene.app, scene.ada)
    seen = token.get(scene.over)
    again = token.get(scene.over, headers={"If-None-Match": seen.headers["ETag"]})
    assert (again.status_code, left(again)) == (304, left(seen))
    for costly in ("picture.png", "archive"):
        before, now = left(token.get("/v1/me")), left(token.get(f"{scene.over}/{costly}"))
        assert now == before - 1 - LONG


def test_a_throttled_caller_learns_how_long_to_wait_and_others_are_unaffected(
    scene: Scene, standing: StandingClock
) -> None:
    token, other = Someone(scene.app, "cyd"), scene.bea
    answers = exhausting(token)
    refused = answers[-1]
    is_problem(refused, 429, "too-many-requests")
    assert len(answers) == OF_PLAYER.most / (1 + LONG) + 1
    assert left(refused) == 0
    assert other.get("/v1/me").status_code == 200
    assert token.get("/v1/me").status_code == 429
    standing.forward(timedelta(seconds=int(refused.headers["Retry-After"])))
    assert token.get("/v1/me").status_code == 200
    standing.forward(timedelta(seconds=OF_PLAYER.seconds))
    assert left(token.get("/v1/me")) == OF_PLAYER.most - 1


@pytest.mark.usefixtures("standing")
def test_callers_without_a_token_share_the_limits_of_their_address_and_network(scene: Scene) -> None:
    homes = [{"REMOTE_ADDR": address} for address in ("192.0.2.7", "192.0.2.8", "2001:db8::7", "2001:db8::8")]
    for home in homes[0], homes[2]:
        exhausting(scene.stranger, environ_overrides=home)
    statuses = [scene.stranger.get(f"/v1/games/{NOBODYS_ID}/archive", environ_overrides=it).status_code for it in homes]
    assert statuses == [429, 404, 429, 429]
    assert scene.ada.get("/v1/me", environ_overrides=homes[0]).status_code == 200
    forged = Someone(scene.app, token=f"sp_{32 * '0'}_{43 * 'A'}")
    is_problem(forged.get(f"/v1/games/{NOBODYS_ID}/archive", environ_overrides=homes[1]), 401, "bad-token")
    exhausting(scene.stranger, environ_overrides=homes[1])
    more = [forged.get("/v1/me", environ_overrides=homes[1]) for _ in range(1 + LONG)]
    is_problem(more[-1], 429, "too-many-requests")


@pytest.mark.usefixtures("standing")
@pytest.mark.parametrize(
    ("path", "cost"),
    [
        ("/", 1),
        ("/page/main.js", 1),
        ("/static/star.svg", 1),
        ("/docs", 10),
        ("/docs/bot", 10),
        ("/problems/not-found", 10),
        ("/t/x", 10),
        ("/i/x", 10),
        ("/s/x", 10),
        ("/back/x", 10),
        ("/stop/x", 10),
        ("/app/x", 10),
        ("/feed/x.ics", 10),
        ("/nowhere", 1),
    ],
)
def test_pages_are_limited_per_network(app: Flask, path: str, cost: int) -> None:
    client, bound = app.test_client(), Settings.from_environment({}).bounds["pages"]
    app.extensions["limits"]["pages"] = Buckets(bound._replace(most=2 * cost))
    home, elsewhere = {"REMOTE_ADDR": "192.0.2.7:4711"}, {"REMOTE_ADDR": "192.0.2.8"}
    statuses = [client.get(path, environ_overrides=home).status_code for _ in range(2)]
    assert 429 not in statuses
    refused = client.get(path, environ_overrides={"REMOTE_ADDR": "192.0.2.7:4712"})
    assert refused.status_code == 429
    assert 0 < int(refused.headers["Retry-After"]) <= bound.seconds
    assert client.get(path, environ_overrides=elsewhere).status_code == statuses[0]
    assert client.get("/v1/rules", environ_overrides=home).status_code == 200


@pytest.mark.usefixtures("standing")
def test_requests_to_every_route_count_except_those_for_operators(app: Flask) -> None:
    free = {"/healthz", "/readyz", "/metrics"}
    paths = {rule.rule for rule in app.url_map.iter_rules() if not rule.rule.startswith(("/v1", "/sandbox"))}
    assert free < paths
    taken = []
    for name, buckets in app.extensions["limits"].items():
        take = buckets.take
        buckets.take = lambda *of, name=name, take=take: taken.append(name) or take(*of)
    for path in sorted(paths):
        taken.clear()
        app.test_client().open(re.sub("<[^>]*>", "x", path), method="OPTIONS" if "oauth" in path else "GET")
        assert bool(taken) == (path not in free), path


@pytest.mark.usefixtures("standing")
def test_providers_are_asked_to_deliver_mail_later(app: Flask) -> None:
    app.extensions["limits"]["mail-in"] = Buckets(Settings.from_environment({}).bounds["mail-in"]._replace(most=1))
    answers = [app.test_client().post("/mail-in/postmark", json={}) for _ in range(2)]
    assert [it.status_code for it in answers] == [401, 503]
    assert int(answers[1].headers["Retry-After"]) > 0


def test_limits_can_be_switched_off(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(scene.app.config, "LIMITS", False)
    answers = [scene.stranger.get(f"/v1/games/{NOBODYS_ID}/archive") for _ in range(OF_ADDRESS.most // LONG)]
    assert {answer.status_code for answer in answers} == {404}
    assert not {"RateLimit", "RateLimit-Policy"} & {name for name, _ in answers[0].headers}


def test_a_bot_in_twenty_games_never_reaches_a_limit() -> None:
    """Looking at each of them every second, and moving in half of them."""
    buckets = Buckets(OF_PLAYER)
    waits = [buckets.take("bot", 1, NOON + request * 20).wait for request in range(50 * 3600)]
    assert not any(waits)


def test_setting_a_clock_back_does_not_lock_out_callers() -> None:
    buckets = Buckets(OF_ADDRESS)
    buckets.take("somebody", OF_ADDRESS.most, NOON)
    assert buckets.take("somebody", 1, NOON).wait > 0
    assert buckets.take("somebody", 1, NOON - 86_400_000).wait == 0


def test_limits_use_little_memory_even_with_many_callers() -> None:
    buckets = Buckets(OF_ADDRESS)
    tracemalloc.start()
    try:
        for number in range(50_000):
            buckets.take(number.to_bytes(32, "big"), 1, NOON)
        taken, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert taken < 8 * 2**20


# Several webs


class Webs:
    """Two, at the beginning of a window, and how they serve one player."""

    def __init__(self, *apps: Flask) -> None:
        self._apps = apps
        self.began = datetime.fromtimestamp(NOON / 1000, UTC)
        self.seconds = 0

    @property
    def now(self) -> int:
        return NOON + self.seconds * 1000

    def take(self, web: int, units: int) -> Level:
        buckets: Buckets = self._apps[web].extensions["limits"]["player"]
        return buckets.take("ada", units, self.now)

    def share(self) -> None:
        """Each does so once."""
        for app in self._apps:
            with app.app_context():
                rate_limits.share()


@pytest.fixture
def webs(app: Flask, shared_url: str, standing: StandingClock) -> Webs:
    webs = Webs(app, create_app(Settings.from_environment({"DATABASE_URL": shared_url})))
    standing.forward(webs.began - standing.now())
    return webs


def test_a_limit_holds_across_all_web_processes(webs: Webs) -> None:
    webs.take(0, 9000)
    webs.take(1, 1000)
    webs.share()
    assert webs.take(1, 0).left == OF_PLAYER.most - 10_000  # it told later, and so was told all
    webs.take(0, 100)
    webs.share()
    assert webs.take(0, 1900).left == 0
    webs.share()
    assert webs.take(1, 11).wait == 0  # it has taken nothing since, and was told nothing
    webs.share()
    assert webs.take(1, 1).wait > 0


def test_requests_for_which_quota_has_refilled_are_not_counted_again(webs: Webs, standing: StandingClock) -> None:
    webs.take(0, 6000)
    webs.share()
    webs.seconds = 30  # in which 6,000 come back
    standing.forward(timedelta(seconds=30))
    webs.take(1, 100)
    webs.share()
    assert webs.take(1, 0).left == OF_PLAYER.most - 100


def test_requests_are_not_reported_to_other_processes_while_there_are_only_a_few(webs: Webs, app: Flask) -> None:
    webs.take(0, 10)
    webs.share()
    with app.app_context():
        assert not db.session.scalars(db.select(RateLimit)).all()


# What is expensive


def cost(who: Someone, method: str, path: str, **more: Any) -> int:
    """Units that a request takes."""
    before = left(who.get("/v1/me"))
    return before - left(who.ask(method, path, **more))


def test_only_twenty_of_thousands_of_unknown_fields_are_reported(ada: Someone) -> None:
    body = {f"field{number}": number for number in range(3000)}
    answer = ada.post("/v1/games", body)
    is_problem(answer, 422, "invalid-fields")
    assert len(answer.json["errors"]["json"]) == 20
    assert len(answer.data) < 4096


def test_up_to_twenty_unknown_fields_are_all_reported_along_with_other_errors(ada: Someone) -> None:
    errors = ada.post("/v1/games", {"seats": 7, **{f"field{number}": 1 for number in range(9)}}).json["errors"]["json"]
    assert len(errors) == 11
    assert {"rules", "seats", "field8"} <= errors.keys()


def test_only_twenty_of_thousands_of_wrong_list_values_are_reported(ada: Someone) -> None:
    answer = ada.post("/v1/tokens", {"scopes": ["x"] * 9000})
    is_problem(answer, 422, "invalid-fields")
    assert len(answer.json["errors"]["json"]["scopes"]) == 20


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/games", {"seats": [{}] * 15_000}),
        ("/v1/games", {"seats": [{"open": True}] * 4000}),
        ("/v1/games", {"on_timeout": [0] * 20_000}),
        ("/v1/tokens", {"scopes": ["x"] * 12_000}),
        ("/v1/webhooks", {"kinds": ["x"] * 12_000}),
    ],
)
def test_a_list_of_thousands_gets_a_short_error(ada: Someone, path: str, body: Json) -> None:
    answer = ada.post(path, body)
    is_problem(answer, 422, "invalid-fields")
    assert len(answer.data) < 4096


def test_a_long_field_name_is_truncated_in_errors(ada: Someone) -> None:
    assert len(ada.post("/v1/games", {"x" * 50_000: 1}).data) < 1024


@pytest.mark.usefixtures("standing")
def test_long_lists_and_large_bodies_use_more_quota(ada: Someone) -> None:
    assert cost(ada, "GET", "/v1/games?limit=20") == 1
    assert cost(ada, "GET", "/v1/games?limit=100") == 5
    assert cost(ada, "POST", "/v1/games", body={"title": "x" * 3000}) == 1
    assert cost(ada, "POST", "/v1/games", body={"title": "x" * 60_000}) == 15


@pytest.mark.usefixtures("standing")
@pytest.mark.parametrize("form", ["svg", "png"])
def test_a_picture_is_drawn_once_per_state_and_uses_little_quota_afterwards(
    ada: Someone, bea: Someone, form: str
) -> None:
    path = opened(ada, ME, OPEN, BOT)
    bea.post(f"{path}/seats")
    picture = f"{path}/picture.{form}"
    assert [cost(ada, "GET", picture) for _ in range(2)] == [10, 1]
    assert cost(bea, "GET", picture) == 10  # who sees another hand
    assert cost(ada, "GET", f"{picture}?theme=light") == 10
    first = ada.get(picture).data
    pictures.kept["another", form] = bytes(pictures.kept.maxsize)  # which leaves room for none
    assert (cost(ada, "GET", picture), ada.get(picture).data) == (10, first)
    bea.patch("/v1/me", {"name": "Beatrix"})
    assert cost(ada, "GET", picture) == 10
    who = ada if ada.get(f"{path}/legal-moves").json["turn"] else bea
    who.post(f"{path}/moves", first_move(who, path))
    assert cost(ada, "GET", picture) == 10
    assert ada.get(picture).data != first
