"""Everything an app created ends with the app, however it ends."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from itertools import count
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID, uuid4

import pytest
from flask import Flask

from server.accounts.apps import APP_SCOPES, end_app_token, forget_apps
from server.clock import clock
from server.errors import BadToken
from server.games import Json
from server.play.seating.calendar_feed import new_feed
from server.play.seating.stand_ins import Wish, ask_stand_in
from server.push.subscriptions import subscribe
from server.store.tables import App, Player, StreamTicket, db
from server.webhooks.sender import HookOffice
from server.webhooks.subscriptions import Subscription, change_webhook, make_webhook
from tests.api.test_oauth import Program, as_app, is_refused
from tests.support.api_calls import first_move, further
from tests.support.contract import Someone, is_problem, opened
from tests.support.games import BOT, ME, service_is_up
from tests.support.push_reader import PushReader
from tests.support.stand_ins import day, word_at
from tests.support.webhook_receiver import Receiver, carry

Check = Callable[[], bool]
_numbers = count()
FAR = 100  # days, more than an unused app lasts


@pytest.fixture(autouse=True)
def sandbox(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(app.config, "SANDBOX", True)


@pytest.fixture
def program(app: Flask) -> Program:
    return Program(app)


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.stop()


def ada_again(app: Flask) -> Someone:
    """Return Ada with a new token, even if the previous one was revoked."""
    return Someone(app, "ada")


def everything(program: Program, who: Someone) -> Json:
    return program.signed_in(who, scope=" ".join(APP_SCOPES))


# What an app can make


def a_feed(app: Flask, its: Someone) -> Check:
    path = urlsplit(its.post("/v1/me/feed").json["url"]).path
    return lambda: app.test_client().get(path).status_code == 200


def a_push_subscription(app: Flask, its: Someone) -> Check:
    wanted = {"endpoint": f"http://127.0.0.1:9/{next(_numbers)}", "keys": PushReader().keys}
    made = its.post("/v1/push-subscriptions", wanted)
    assert made.status_code == 201, made.text
    return lambda: made.json in ada_again(app).get("/v1/push-subscriptions").json["items"]


def a_webhook(app: Flask, its: Someone) -> Check:
    made = its.post("/v1/webhooks", {"url": f"http://127.0.0.1:9/{next(_numbers)}", "kinds": ["your-turn"]})
    assert made.status_code == 201, made.text
    return lambda: ada_again(app).get(f"/v1/webhooks/{made.json['id']}").status_code == 200


def a_webhook_with_another_address(app: Flask, its: Someone) -> Check:
    own = ada_again(app).post("/v1/webhooks", {"url": "http://127.0.0.1:9/own", "kinds": ["your-turn"]}).json["id"]
    changed = its.ask("PATCH", f"/v1/webhooks/{own}", {"url": f"http://127.0.0.1:9/{next(_numbers)}"})
    assert changed.status_code == 200, changed.text
    return lambda: ada_again(app).get(f"/v1/webhooks/{own}").status_code == 200


def a_stand_in_request(app: Flask, its: Someone) -> Check:
    game = opened(its, ME, BOT, BOT)
    wanted = {"email": "bea@example.org", "from": day(FAR), "until": day(FAR + 5)}
    asked = its.post(f"{game}/seats/me/stand-in", wanted)
    assert asked.status_code == 201, asked.text
    link = f"/s/{word_at(app, game)}"

    def answers() -> bool:
        is_shown = ada_again(app).get(f"{game}/seats/me/stand-in").json["stand_in"] is not None
        assert is_shown == ("<form" in app.test_client().get(link).text)
        return is_shown

    return answers


def a_stream_ticket(app: Flask, its: Someone) -> Check:
    ticket = its.post("/v1/stream-tickets").json["ticket"]
    return lambda: app.test_client().get(f"/v1/stream?ticket={ticket}").status_code == 200


MAKERS: dict[str, Callable[[Flask, Someone], Check]] = {  # by the operation
    "makeFeed": a_feed,
    "subscribeToPush": a_push_subscription,
    "makeWebhook": a_webhook,
    "changeWebhook": a_webhook_with_another_address,
    "askStandIn": a_stand_in_request,
    "makeStreamTicket": a_stream_ticket,
}
STAYS = {  # settings changed through the app, which give no access and send nothing
    *("changeProfile", "blockPlayer", "reportPlayer", "keepNote", "changeOwnSeat"),
    *("openGame", "changeGame", "takeSeat", "sayReady", "openRematch", "seatBot", "invite", "acceptStandIn"),
    *("vote", "takeBack", "say", "playMove", "putPlan", "findLegalMoves", "findHint"),
    *("renewWebhookSecret", "pingWebhook", "tryWebhookDelivery"),
}


def test_every_call_that_lets_an_app_change_data_is_classified_by_what_it_leaves_behind(app: Flask) -> None:
    operations = [
        operation
        for item in app.extensions["document"].to_dict()["paths"].values()
        for method, operation in item.items()
        if method not in ("parameters", "get", "delete")
    ]
    for_apps = {it["operationId"] for it in operations if any("oauth2" in way for way in it.get("security", []))}
    assert for_apps == MAKERS.keys() | STAYS


# How an app ends


def by_its_player(app: Flask, program: Program, made: Json) -> None:
    ada = ada_again(app)
    [its] = [it for it in ada.get("/v1/apps").json["items"] if it["name"] == "Night Watch"]
    assert ada.delete(f"/v1/apps/{its['id']}").status_code == 204


def by_the_mailed_link(app: Flask, program: Program, made: Json) -> None:
    with app.app_context():
        row = db.session.query(App).filter_by(name="Night Watch").one()
        link = f"/app/{end_app_token(row.player_id, row.app_id)}"
    assert app.test_client().post(link).status_code == 200


def by_a_refresh_token_that_comes_again(app: Flask, program: Program, made: Json) -> None:
    assert program.refresh(made["refresh_token"]).status_code == 200
    is_refused(program.refresh(made["refresh_token"]), "invalid_grant")


def by_a_code_that_comes_again(app: Flask, program: Program, made: Json) -> None:
    is_refused(program.trade(made["code"]), "invalid_grant")


def by_itself_with_its_access_token(app: Flask, program: Program, made: Json) -> None:
    assert program.revoke(made["access_token"]).status_code == 200


def by_itself_with_its_refresh_token(app: Flask, program: Program, made: Json) -> None:
    assert program.revoke(made["refresh_token"]).status_code == 200


def by_signing_out(app: Flask, program: Program, made: Json) -> None:
    assert as_app(app, made).delete("/v1/tokens/current").status_code == 204


def by_revoking_its_token(app: Flask, program: Program, made: Json) -> None:
    ada = ada_again(app)
    [token] = [it for it in ada.get("/v1/tokens?limit=100").json["items"] if it["name"] == "Night Watch"]
    assert ada.delete(f"/v1/tokens/{token['id']}").status_code == 204


def by_expiring(app: Flask, program: Program, made: Json) -> None:
    with app.app_context():
        clock.offset += db.session.query(App).filter_by(name="Night Watch").one().expires_at - clock.now()
        forget_apps()


def by_revoking_all_tokens(app: Flask, program: Program, made: Json) -> None:
    assert ada_again(app).delete("/v1/tokens").status_code == 204


ONE = [
    *(by_its_player, by_the_mailed_link, by_a_refresh_token_that_comes_again),
    *(by_a_code_that_comes_again, by_itself_with_its_access_token, by_itself_with_its_refresh_token),
    *(by_signing_out, by_revoking_its_token, by_expiring),
]
WAYS = [*ONE, by_revoking_all_tokens]


@pytest.mark.parametrize("end", WAYS)
def test_everything_an_app_created_ends_with_the_app(app: Flask, ada: Someone, program: Program, end: Any) -> None:
    code = program.code(ada, scope=" ".join(APP_SCOPES))
    made = {**program.trade(code).json, "code": code}
    its = as_app(app, made)
    for name, make in MAKERS.items():
        assert make(app, its)(), name
    left = {name: make(app, its) for name, make in MAKERS.items()}
    end(app, program, made)
    assert not [name for name, answers in left.items() if answers()]
    is_problem(its.get("/v1/games"), 401, "bad-token")
    with app.app_context():
        player = db.session.query(Player).filter_by(email="ada@example.org").one()
        assert (player.feed, player.feed_app_id, player.has_push) == (None, None, False)
        assert not player.has_webhooks
        assert db.session.query(StreamTicket).count() == 0


@pytest.mark.parametrize("end", ONE)
def test_what_the_player_or_others_have_created_remains_after_the_apps_access_ends(
    app: Flask, ada: Someone, bea: Someone, program: Program, end: Any
) -> None:
    soon = (clock.now() + timedelta(minutes=30)).isoformat()  # when this app expires, and no other
    code = program.code(
        further(app, ada, expires_at=soon, scopes=[*APP_SCOPES, "tokens:write"]), scope=" ".join(APP_SCOPES)
    )
    made = {**program.trade(code).json, "code": code}
    for make in MAKERS.values():
        make(app, as_app(app, made))
    other = as_app(app, everything(Program(app, client_name="Day Watch"), ada))
    lasting = ("subscribeToPush", "makeWebhook", "askStandIn")
    makers = {"own": ada, "a personal token": further(app, ada), "the other app": other}
    kept = {f"{name} by {who}": MAKERS[name](app, it) for who, it in makers.items() for name in lasting}
    kept["makeFeed by own"] = a_feed(app, ada)
    of_bea = bea.post("/v1/webhooks", {"url": "http://127.0.0.1:9/", "kinds": ["your-turn"]}).json
    end(app, program, made)
    assert not [name for name, answers in kept.items() if not answers()]
    assert bea.get(f"/v1/webhooks/{of_bea['id']}").status_code == 200
    with app.app_context():
        player = db.session.query(Player).filter_by(email="ada@example.org").one()
        assert player.has_push and player.has_webhooks


def test_revoking_all_tokens_keeps_the_players_own_webhooks_feed_and_stand_in_requests(
    app: Flask, ada: Someone
) -> None:
    kept = [make(app, ada) for make in (a_feed, a_webhook, a_stand_in_request)]
    subscribed = a_push_subscription(app, ada)
    assert ada.delete("/v1/tokens").status_code == 204
    assert all(answers() for answers in kept) and not subscribed()


def test_what_a_personal_token_created_remains_after_its_revocation(app: Flask, ada: Someone) -> None:
    its = further(app, ada)
    kept = [MAKERS[name](app, its) for name in MAKERS.keys() - {"makeStreamTicket"}]
    assert its.delete("/v1/tokens/current").status_code == 204
    assert all(answers() for answers in kept)


# Whose it is


def test_a_webhook_belongs_to_the_app_that_last_set_its_url(app: Flask, ada: Someone, program: Program) -> None:
    made = everything(program, ada)
    its = as_app(app, made)
    paths = []
    for maker in (its, ada):
        made_by = maker.post("/v1/webhooks", {"url": "http://127.0.0.1:9/", "kinds": ["your-turn"]})
        paths.append(f"/v1/webhooks/{made_by.json['id']}")
    by_app, own = paths
    assert ada.ask("PATCH", by_app, {"url": "http://127.0.0.1:9/mine"}).status_code == 200
    assert its.ask("PATCH", own, {"kinds": ["game-ended"], "url": "http://127.0.0.1:9/"}).status_code == 200
    by_its_player(app, program, made)
    assert ada.get(by_app).status_code == ada.get(own).status_code == 200


def test_a_push_subscription_belongs_to_the_app_that_last_sent_its_keys(
    app: Flask, ada: Someone, program: Program
) -> None:
    made = everything(program, ada)
    wanted = {"endpoint": "http://127.0.0.1:9/", "keys": PushReader().keys}
    for maker in (as_app(app, made), ada):
        assert maker.post("/v1/push-subscriptions", wanted).status_code == 201
    by_its_player(app, program, made)
    assert len(ada.get("/v1/push-subscriptions").json["items"]) == 1


def test_a_request_repeated_by_the_player_belongs_to_the_player(app: Flask, ada: Someone, program: Program) -> None:
    made, game = everything(program, ada), opened(ada, ME, BOT, BOT)
    wanted = {"email": "bea@example.org", "from": day(1), "until": day(5)}
    for maker in (as_app(app, made), ada, as_app(app, made)):
        assert maker.post(f"{game}/seats/me/stand-in", wanted).status_code == 201
    by_its_player(app, program, made)
    assert ada.get(f"{game}/seats/me/stand-in").json["stand_in"] is not None


@pytest.mark.parametrize("first", [0, 2])
def test_an_accepted_stand_in_remains_after_the_apps_access_ends(
    app: Flask, ada: Someone, bea: Someone, program: Program, first: int
) -> None:
    made, game = everything(program, ada), opened(ada, ME, BOT, BOT)
    wanted = {"email": "bea@example.org", "from": day(first), "until": day(first + 5)}
    assert as_app(app, made).post(f"{game}/seats/me/stand-in", wanted).status_code == 201
    assert bea.post(f"/v1/stand-ins/{word_at(app, game)}").status_code == 201
    by_its_player(app, program, made)
    stand_in = ada.get(f"{game}/seats/me/stand-in").json["stand_in"]
    assert (stand_in["accepted"], stand_in["sits"]) == (True, first == 0)


def test_a_request_that_ended_with_its_app_cannot_be_accepted(
    app: Flask, ada: Someone, bea: Someone, program: Program
) -> None:
    made, game = everything(program, ada), opened(ada, ME, BOT, BOT)
    wanted = {"email": "bea@example.org", "from": day(0), "until": day(5)}
    assert as_app(app, made).post(f"{game}/seats/me/stand-in", wanted).status_code == 201
    word = word_at(app, game)
    by_its_player(app, program, made)
    is_problem(bea.post(f"/v1/stand-ins/{word}"), 404, "not-found")


# What was under way


def test_a_queued_webhook_call_is_not_made_once_the_apps_access_has_ended(
    app: Flask, ada: Someone, program: Program, receiver: Receiver
) -> None:
    made = everything(program, ada)
    ids = {}
    for name, maker in {"its": as_app(app, made), "own": ada}.items():
        wanted = {"url": f"{receiver.url}&{name}", "kinds": ["your-turn"]}
        ids[name] = maker.post("/v1/webhooks", wanted).json["id"]
        assert maker.post(f"/v1/webhooks/{ids[name]}/pings").status_code == 202
    opened(ada, ME, BOT, BOT, options={"start_seat": 0})
    by_its_player(app, program, made)
    with app.app_context():
        service_is_up()
        office = HookOffice(app)
        carry(office)
        office.close(10)
    assert {call.path.rpartition("&")[2] for call in receiver.calls} == {"own"}
    assert sorted(receiver.kinds) == ["ping", "your-turn"]


def test_an_app_whose_access_has_ended_cannot_create_anything(app: Flask, ada: Someone) -> None:
    """A request whose token was good when it began may come to its end after that of the app."""
    webhook = UUID(ada.post("/v1/webhooks", {"url": "http://127.0.0.1:9/", "kinds": ["your-turn"]}).json["id"])
    game = opened(ada, ME, BOT, BOT)
    who, ended, url = UUID(ada.get("/v1/me").json["id"]), uuid4(), "http://127.0.0.1:9/x"
    late: list[Callable[[], Any]] = [
        lambda: new_feed(who, ended),
        lambda: subscribe(who, url, PushReader().keys, True, ended),
        lambda: make_webhook(who, Subscription(url, ["your-turn"]), True, ended),
        lambda: change_webhook(who, webhook, {"url": url}, True, ended),
        lambda: ask_stand_in(UUID(game[-36:]), who, Wish(day(1), day(2), email="bea@example.org"), ended),
    ]
    for make in late:
        with app.app_context(), pytest.raises(BadToken):
            make()
    assert ada.get("/v1/me/feed").json["url"] is None
    assert ada.get("/v1/push-subscriptions").json["items"] == []
    assert [it["url"] for it in ada.get("/v1/webhooks").json["items"]] == ["http://127.0.0.1:9/"]
    assert ada.get(f"{game}/seats/me/stand-in").json["stand_in"] is None


# Apps of one seat


def test_an_app_limited_to_a_game_loses_access_when_its_players_stand_in_ends(
    app: Flask, ada: Someone, bea: Someone, program: Program
) -> None:
    game = opened(ada, ME, BOT, BOT, options={"start_seat": 0})
    wanted = {"email": "bea@example.org", "from": day(0), "until": day(5)}
    assert ada.post(f"{game}/seats/me/stand-in", wanted).status_code == 201
    assert bea.post(f"/v1/stand-ins/{word_at(app, game)}").status_code == 201
    made = program.signed_in(bea, scope=f"games:read moves:write game:{game[-36:]}")
    its = as_app(app, made)
    assert its.post(f"{game}/moves", first_move(its, game)).status_code == 201
    assert ada.delete(f"{game}/seats/me/stand-in").status_code == 204
    is_problem(its.get(f"{game}/legal-moves"), 401, "bad-token")
    is_refused(program.refresh(made["refresh_token"]), "invalid_grant")
    assert bea.get("/v1/apps").json["items"] == []
