"""Rate limits per player: each takes effect once it is reached, and leaves room for normal use."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from types import SimpleNamespace

import pytest
from flask import Flask
from werkzeug.test import TestResponse

from server.accounts.mailed_codes import forget_old_codes
from server.api import rate_limits as buckets
from server.api.openapi import examples
from server.clock import clock
from server.config import Bound, Settings
from server.games import Json
from server.operations.delete_player import delete_player
from server.operations.queries import find_player
from server.store.tables import LetterRow, PlayerLetterRow, RateLimit, db
from tests.api.test_sign_in import mailed, wrong
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, DAY, HOUR, ME, MINUTE, OPEN, wanted

DEFAULTS = Settings.from_environment({}).bounds


@pytest.fixture
def bounded(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    def set_to(**bounds: str) -> None:
        for name, text in bounds.items():
            settings = Settings.from_environment({f"STERNENPOST_LIMIT_{name.upper()}": text})
            name = name.replace("_", "-")
            monkeypatch.setitem(app.config["BOUNDS"], name, settings.bounds[name])

    return set_to


@pytest.fixture(autouse=True)
def _at_the_beginning_of_a_window(app: Flask) -> None:
    """Move to the start of a window, so that no test runs into the next one."""
    clock.forward(timedelta(seconds=86_400 - clock.now().timestamp() % 86_400))


@pytest.fixture(autouse=True)
def _no_bucket_fills_up_by_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    now = clock.now()
    monkeypatch.setattr(buckets, "clock", SimpleNamespace(now=lambda: now))


def refused(answer: TestResponse, words: str, at_most: int) -> bool:
    """Return whether a bound is reached and reported with its end."""
    is_problem(answer, 429, "too-many-requests")
    assert words in answer.json["detail"]
    assert 0 < int(answer.headers["Retry-After"]) <= at_most
    return True


def limits(answer: TestResponse) -> dict[str, str]:
    return dict(it.split(";", 1) for it in answer.headers["RateLimit"].replace('"', "").split(", "))


def left_of(answer: TestResponse) -> int:
    return int(limits(answer)["player"].partition(";")[0].removeprefix("r="))


def seats(*emails: str) -> list[Json]:
    return [ME, *({"email": email} for email in emails)]


# Settings


def test_every_limit_is_a_listed_setting_with_its_default() -> None:
    listed = {name: (default, value) for name, default, value, _ in Settings.from_environment({}).listed()}
    for name, bound in DEFAULTS.items():
        assert listed[f"STERNENPOST_LIMIT_{name.upper().replace('-', '_')}"] == (str(bound), str(bound))


@pytest.mark.parametrize("text", ["30s", "5/2m", "7/36h", "1/1d", "90/90s"])
def test_parsing_a_formatted_limit_returns_the_same_limit(text: str) -> None:
    if "/" in text:
        written = str(Settings.from_environment({"STERNENPOST_LIMIT_GAMES": text}).bounds["games"])
        assert Settings.from_environment({"STERNENPOST_LIMIT_GAMES": written}).bounds["games"] == Bound(
            int(text.split("/")[0]), {"5/2m": 120, "7/36h": 129_600, "1/1d": 86_400, "90/90s": 90}[text]
        )
    else:
        with pytest.raises(ValueError, match="^STERNENPOST_LIMIT_GAMES must be like 50/1h, not 30s[.]$"):
            Settings.from_environment({"STERNENPOST_LIMIT_GAMES": text})


@pytest.mark.parametrize(
    ("name", "text"),
    [("GAMES", "10"), ("GAMES", "0/1d"), ("GAMES", "1/0d"), ("GAMES", "5/1w"), ("TOKENS", "5/1d"), ("TOKENS", "0")],
)
def test_an_invalid_limit_is_reported_in_one_sentence(name: str, text: str) -> None:
    with pytest.raises(ValueError, match=f"^STERNENPOST_LIMIT_{name} must be .*, not {text}[.]$"):
        Settings.from_environment({f"STERNENPOST_LIMIT_{name}": text})


# Sign-ins


@pytest.mark.parametrize(
    ("one", "another", "elsewhere"),
    [("2001:db8::7", "2001:db8::ffff:8", "2001:db8:0:1::7"), ("192.0.2.7", "::ffff:192.0.2.7", "::ffff:192.0.2.8")],
)
def test_sign_ins_are_counted_by_network(stranger: Someone, one: str, another: str, elsewhere: str) -> None:
    def asks(number: int, home: str) -> TestResponse:
        sent = {"email": f"reader{number}@example.org"}
        return stranger.post("/v1/sign-ins", sent, environ_overrides={"REMOTE_ADDR": home})

    answers = [asks(number, (one, another)[number % 2]) for number in range(31)]
    assert [answer.status_code for answer in answers[:30]] == [202] * 30
    assert limits(answers[0])["sign-ins"].startswith("r=29;")
    assert refused(answers[30], "your network (limit: 30)", 3600)
    assert asks(31, elsewhere).status_code == 202


def test_an_address_gets_at_most_twenty_codes_a_day(app: Flask, stranger: Someone) -> None:
    for hour in range(8):
        for _ in range(4):
            home = {"REMOTE_ADDR": f"192.0.2.{hour}"}
            stranger.post("/v1/sign-ins", {"email": "ada@example.org"}, environ_overrides=home)
        clock.forward(HOUR)
    with app.app_context():
        assert len(db.session.scalars(db.select(PlayerLetterRow)).all()) == 20


def test_wrong_codes_are_counted_per_address_and_per_day(app: Flask, stranger: Someone) -> None:
    def sign_in() -> str:
        return str(stranger.post("/v1/sign-ins", {"email": "ada@example.org"}).json["sign_in"])

    def tries(asked: str, code: str) -> TestResponse:
        return stranger.post("/v1/tokens", {"sign_in": asked, "code": code})

    for _ in range(5):
        asked = sign_in()
        code = mailed(app, asked)["code"]
        for _ in range(4):
            is_problem(tries(asked, wrong(code)), 401, "wrong-code")
        clock.forward(MINUTE)
    clock.forward(HOUR)
    asked = sign_in()
    assert refused(tries(asked, mailed(app, asked)["code"]), "wrong codes for this address (limit: 20)", 86_400)
    page = stranger.ask("POST", f"/sign-in/{asked}", data={"code": mailed(app, asked)["code"]})
    assert (page.status_code, "Too many wrong codes" in page.text) == (429, True)
    assert 0 < int(page.headers["Retry-After"]) <= 86_400
    clock.forward(DAY)
    asked = sign_in()
    assert tries(asked, mailed(app, asked)["code"]).status_code == 201


# Tokens


def test_all_tokens_of_a_player_share_one_bucket(app: Flask, ada: Someone, bea: Someone) -> None:
    tokens = [Someone(app, token=ada.post("/v1/tokens").json["token"]) for _ in range(3)]
    left = [left_of(who.get("/v1/me")) for who in tokens]
    assert left == [DEFAULTS["player"].most - number for number in (4, 5, 6)]
    assert left_of(bea.get("/v1/me")) == DEFAULTS["player"].most - 1


def test_a_player_with_a_hundred_tokens_can_still_sign_in(app: Flask, ada: Someone, stranger: Someone) -> None:
    for _ in range(99):
        last = ada.post("/v1/tokens")
        assert last.status_code == 201
    assert refused(ada.post("/v1/tokens"), "100 tokens", 3600)
    path = opened(ada, ME, OPEN, BOT)
    assert refused(ada.post(f"{path}/seats/me/tokens"), "100 tokens", 3600)
    asked = stranger.post("/v1/sign-ins", {"email": "ada@example.org"}).json["sign_in"]
    assert stranger.post("/v1/tokens", {"sign_in": asked, "code": mailed(app, asked)["code"]}).status_code == 201
    for token in ada.get("/v1/tokens").json["items"][-3:-1]:
        ada.delete(f"/v1/tokens/{token['id']}")
    assert ada.post("/v1/tokens").status_code == 201


@pytest.mark.parametrize(
    ("bound", "path", "body", "most"),
    [
        ("tokens", "/v1/tokens", {}, 3),
        ("webhooks", "/v1/webhooks", {"url": "https://hooks.example/", "kinds": ["your-turn"]}, 3),
        ("waiting_games", "/v1/games", wanted(ME, OPEN, BOT), 3),
    ],
)
def test_a_limit_holds_for_concurrent_requests(
    app: Flask, ada: Someone, bounded: Callable[..., None], bound: str, path: str, body: Json, most: int
) -> None:
    bounded(**{bound: str(most)})

    def come(_: int) -> int:
        return Someone(app, token=ada.token).post(path, body).status_code

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(come, range(24))).count(201) == most - (bound == "tokens")  # she came with one


def test_expired_tokens_do_not_count_towards_the_limit(ada: Someone, bounded: Callable[..., None]) -> None:
    bounded(tokens="2")
    soon = (clock.now() + MINUTE).isoformat()
    assert ada.post("/v1/tokens", {"expires_at": soon}).status_code == 201
    assert refused(ada.post("/v1/tokens"), "2 tokens", 3600)
    clock.forward(2 * MINUTE)
    assert ada.post("/v1/tokens").status_code == 201


# Games


def test_a_player_can_have_ten_open_games(ada: Someone, bea: Someone) -> None:
    paths = [opened(ada, ME, OPEN, BOT, private=number % 2 == 0) for number in range(10)]
    answer = ada.post("/v1/games", wanted(OPEN, OPEN, OPEN))
    assert refused(answer, "10 open games", 3600)
    opened(ada, ME, BOT, BOT)  # delays no player
    opened(bea, ME, OPEN, BOT)
    for path in paths[1], paths[3]:
        bea.post(f"{path}/seats")
    opened(ada, ME, *seats("cleo@example.org", "dan@example.org")[1:])
    opened(ada, ME, OPEN, BOT)
    assert refused(ada.post("/v1/games", wanted(ME, OPEN, BOT)), "10 open games", 3600)


def test_a_repeated_idempotency_key_returns_the_open_game(ada: Someone) -> None:
    key = {"Idempotency-Key": "the tenth"}
    for _ in range(9):
        opened(ada, ME, OPEN, BOT)
    first, again = (ada.post("/v1/games", wanted(ME, OPEN, BOT), headers=key) for _ in range(2))
    assert (first.status_code, again.status_code, again.json["id"]) == (201, 201, first.json["id"])


def test_a_player_can_open_a_limited_number_of_games_a_day(
    ada: Someone, bea: Someone, bounded: Callable[..., None]
) -> None:
    bounded(games="3/1d")
    for left in (2, 1, 0):
        assert limits(ada.post("/v1/games", wanted(ME, BOT, BOT)))["games"].startswith(f"r={left};")
    is_problem(ada.post("/v1/games", wanted(ME, ME, BOT)), 422, "invalid-field")
    answer = ada.post("/v1/games", wanted(ME, BOT, BOT))
    assert refused(answer, "3 games", 86_400)
    assert limits(answer)["games"].startswith("r=0;")
    opened(bea, ME, BOT, BOT)
    clock.forward(DAY)
    opened(ada, ME, BOT, BOT)


def test_rejected_requests_do_not_count(ada: Someone, bounded: Callable[..., None]) -> None:
    bounded(games="3/1d", waiting_games="1")
    opened(ada, ME, OPEN, BOT)
    for _ in range(3):
        refused(ada.post("/v1/games", wanted(ME, OPEN, BOT)), "1 open games", 3600)
    opened(ada, ME, BOT, BOT)


# Invitations


def letters_to(app: Flask, *emails: str) -> int:
    with app.app_context():
        to = LetterRow.data["to"].astext
        return int(
            db.session.scalar(db.select(db.func.count()).where(LetterRow.kind == "invitation", to.in_(emails))) or 0
        )


def test_invitations_of_every_kind_count_together_for_their_sender(app: Flask, ada: Someone) -> None:
    everybody = [f"reader{number}@example.org" for number in range(50)]
    for number in range(0, 36, 4):
        opened(ada, *seats(*everybody[number : number + 4]))
    path = opened(ada, ME, OPEN, BOT)
    for number in range(36, 50):
        answer = ada.post(f"{path}/invitations", {"email": everybody[number], "seat": 1})
        assert answer.status_code == 201
    assert limits(answer)["invitations"].startswith("r=0;")
    assert letters_to(app, *everybody) == 50
    assert refused(ada.post(f"{path}/invitations", {"email": "one@example.org", "seat": 1}), "50 invitations", 86_400)
    clock.forward(DAY)
    assert ada.post(f"{path}/invitations", {"email": "one@example.org", "seat": 1}).status_code == 201


def test_a_game_with_too_many_invitations_is_not_opened(app: Flask, ada: Someone, bounded: Callable[..., None]) -> None:
    bounded(invitations="3/1d")
    assert refused(
        ada.post("/v1/games", wanted(*seats(*(f"reader{number}@example.org" for number in range(4))))),
        "3 invitations",
        86_400,
    )
    assert ada.get("/v1/games?mine=true").json["items"] == []
    assert letters_to(app, "reader0@example.org") == 0
    opened(ada, *seats("reader0@example.org", "reader1@example.org", "reader2@example.org"))


def test_an_address_gets_at_most_five_invitations_a_day_from_all_senders(app: Flask) -> None:
    hosts = [Someone(app, name) for name in ("ada", "bea", "cleo")]
    for number in range(5):
        opened(hosts[number % 3], ME, {"email": "DAN@example.org"}, BOT)
    for host in hosts:
        assert refused(host.post("/v1/games", wanted(*seats("dan@example.org"), BOT)), "invited 5 times", 86_400)
    assert letters_to(app, "dan@example.org") == 5
    opened(hosts[0], ME, {"email": "emil@example.org"}, BOT)


def test_the_server_sends_a_limited_number_of_invitations(app: Flask, bounded: Callable[..., None]) -> None:
    bounded(invitations_in_all="4/1d")
    for number, name in enumerate(("ada", "bea")):
        opened(Someone(app, name), *seats(f"reader{number}@example.org", f"reader{number + 2}@example.org"))
    answer = Someone(app, "cleo").post("/v1/games", wanted(*seats("more@example.org"), BOT))
    assert refused(answer, "server has sent 4 invitations", 86_400)
    assert "invitations-in-all" not in limits(answer)  # other players' use stays private


# Messages


def test_a_player_can_send_thirty_messages_a_minute_and_two_hundred_an_hour(ada: Someone, bea: Someone) -> None:
    path, other = opened(ada, ME, OPEN, BOT), opened(ada, ME, OPEN, BOT)
    bea.post(f"{path}/seats")

    def says(who: Someone, where: str = path) -> TestResponse:
        return who.post(f"{where}/messages", {"text": "Hello!"})

    assert [says(ada, (path, other)[number % 2]).status_code for number in range(30)] == [201] * 30
    answer = says(ada)
    assert refused(answer, "30 messages", 60)
    assert limits(answer)["messages"].startswith("r=0;")
    assert (
        answer.headers["RateLimit-Policy"]
        == '"player";q=12000;w=60, "messages";q=30;w=60, "messages-hourly";q=200;w=3600'
    )
    assert says(bea).status_code == 201
    for _ in range(5):
        clock.forward(MINUTE)
        assert [says(ada).status_code for _ in range(30)] == [201] * 30
    clock.forward(MINUTE)
    assert [says(ada).status_code for _ in range(20)] == [201] * 20
    assert refused(says(ada), "200 messages", 3600)
    clock.forward(HOUR)
    assert says(ada).status_code == 201


# Webhooks


def test_a_player_can_send_sixty_pings_an_hour(ada: Someone) -> None:
    path = ada.post("/v1/webhooks", examples.WEBHOOK_WANTED).headers["Location"]
    assert [ada.post(f"{path}/pings").status_code for _ in range(60)] == [202] * 60
    assert refused(ada.post(f"{path}/pings"), "60 tests", 3600)
    clock.forward(HOUR)
    assert ada.post(f"{path}/pings").status_code == 202


# Counting


def test_recorded_uses_are_deleted_once_they_no_longer_count_toward_a_limit(
    app: Flask, ada: Someone, stranger: Someone
) -> None:
    opened(ada, ME, OPEN, BOT)
    stranger.post("/v1/sign-ins", {"email": "ada@example.org"})

    def counts() -> int:
        with app.app_context():
            forget_old_codes()
            return len(db.session.scalars(db.select(RateLimit)).all())

    assert counts() == 7
    clock.forward(DAY - HOUR)
    assert counts() == 7
    clock.forward(2 * HOUR)
    assert counts() == 0


def test_nothing_is_counted_while_limits_are_off(app: Flask, ada: Someone, no_limits: None) -> None:
    for _ in range(12):
        path = opened(ada, ME, OPEN, BOT)
    for _ in range(31):
        assert ada.post(f"{path}/messages", {"text": "Hello!"}).status_code == 201
    with app.app_context():
        assert db.session.scalars(db.select(RateLimit)).all() == []


def test_deleting_a_player_deletes_their_counts(app: Flask, ada: Someone, bea: Someone) -> None:
    opened(bea, ME, {"email": "ada@example.org"}, BOT)
    opened(ada, ME, OPEN, BOT)
    Someone(app, "ada+stars")
    opened(bea, ME, {"email": "ada+stars@example.org"}, BOT)
    with app.app_context():
        delete_player(find_player("ada+stars@example.org"))
        delete_player(find_player("ada@example.org"))
        keys = db.session.scalars(db.select(RateLimit.key)).all()
        assert not any("ada@example.org" in key for key in keys)
        assert len(keys) == 4  # Bea's use, and the server's total
