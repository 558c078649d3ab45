"""Push: encryption, requests to the push service, and the life of a subscription."""

import json
from base64 import urlsafe_b64decode
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from threading import Event
from types import SimpleNamespace
from typing import Any
from uuid import UUID

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, utils
from cryptography.hazmat.primitives.hashes import SHA256
from flask import Flask
from sqlalchemy import select

from server.accounts.tokens import revoke_all
from server.clock import clock
from server.config import Bound
from server.errors import BadField, TooMany
from server.play.seating.games import open_game
from server.play.seating.seats import ready
from server.play.votes import take_back, vote
from server.post import delivery
from server.post.delivery import PostOffice
from server.post.smtp import carrier
from server.push import encryption, sending
from server.push.encryption import Browser, encrypt, from_text, to_text
from server.push.subscriptions import list_subscriptions, public_key, subscribe
from server.store.tables import Delivery, Player, db
from server.webhooks import http, targets
from server.webhooks.targets import Target, target_of
from tests.support.games import BOT, DAY, HOUR, ME, later, letters, moves_on, person, run_for
from tests.support.games import game_of as game_of_people
from tests.support.live_server import PATIENCE, until
from tests.support.push_reader import PushReader
from tests.support.webhook_receiver import Receiver


def test_a_message_is_encrypted_as_in_rfc_8291s_example() -> None:
    private = int.from_bytes(from_text("yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw"))
    own = ec.derive_private_key(private, ec.SECP256R1())
    browser = Browser(
        from_text("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"),
        from_text("BTBZMqHH6r4Tts7J_aSIgg"),
    )
    found = encrypt(b"When I grow up, I want to be a watermelon", browser, own, from_text("DGv6ra1nlYgDCS1FRnbzlw"))
    assert to_text(found) == (
        "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru"
        "3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN"
    )


def test_a_push_service_can_verify_the_senders_signature() -> None:
    key = ec.generate_private_key(ec.SECP256R1())
    header = encryption.authorization(key, target_of("https://push.example:8443/abc"), "mailto:post@stars.example")
    token, told = header.removeprefix("vapid t=").split(", k=")
    head, claims, signature = token.split(".")
    raw = from_text(signature)
    der = utils.encode_dss_signature(int.from_bytes(raw[:32]), int.from_bytes(raw[32:]))
    public = ec.EllipticCurvePublicKey.from_encoded_point(ec.SECP256R1(), from_text(told))
    public.verify(der, f"{head}.{claims}".encode(), ec.ECDSA(SHA256()))
    assert (
        json.loads(from_text(claims)).items()
        >= {"aud": "https://push.example:8443", "sub": "mailto:post@stars.example"}.items()
    )


@pytest.fixture
def ada(sandbox: Flask) -> UUID:
    return person("ada")


@pytest.fixture
def post(sandbox: Flask, tmp_path: Path) -> Iterator[PostOffice]:
    office = PostOffice(sandbox, carrier(str(tmp_path)))
    yield office
    office.close(5)


def carried(post: PostOffice) -> None:
    """All that is due now; push waits in the outbox once its letter was taken up."""
    for _ in range(3):
        post.deliver_due()
        post.wait()


def game_of(player_id: UUID, **more: object) -> UUID:
    wanted = {"rules": "sternenhimmel", "seats": [ME, BOT, BOT], "options": {"start_seat": 0}, "title": "A night"}
    return open_game(player_id, wanted | more).game_id


def results(player_id: UUID) -> list[tuple[str, str]]:
    query = select(Delivery.kind, Delivery.result).where(Delivery.player_id == player_id).order_by(Delivery.at)
    return [(it.kind, it.result) for it in db.session.execute(query)]


def test_a_push_notification_about_a_turn_is_sent_once_along_with_its_email(
    post: PostOffice, receiver: Receiver, ada: UUID
) -> None:
    window = PushReader()
    subscribe(ada, receiver.url, window.keys, sandbox=True)
    game_id = game_of(ada)
    carried(post)
    carried(post)
    [call] = receiver.calls
    told = window.read(call.body)
    assert told.items() >= {"title": "A night", "game": str(game_id), "kind": "your-turn", "waiting": 1}.items()
    assert "It's your turn" in told["body"]
    assert 47 * 3600 < int(call.headers["ttl"]) <= 48 * 3600
    assert urlsafe_b64decode(call.headers["topic"] + "==") == game_id.bytes
    assert call.headers["authorization"].endswith(f"k={public_key()}")
    assert sorted(results(ada)) == [("push", "sent"), ("your-turn", "sent")]


def test_a_push_notification_about_a_take_back_request_is_sent_until_the_vote_ends(
    post: PostOffice, receiver: Receiver, ada: UUID
) -> None:
    bea, window = person("bea"), PushReader()
    game_id = game_of_people(ada, bea, bots=1)
    for who in (ada, bea):
        moves_on(game_id, who)
    carried(post)
    subscribe(bea, receiver.url, window.keys, sandbox=True)
    take_back(game_id, ada, 1)
    carried(post)
    [call] = receiver.calls
    told = window.read(call.body)
    assert (told["kind"], told["body"]) == ("take-back-asked", "ada is asking to take back a move.")
    assert 47 * 3600 < int(call.headers["ttl"]) <= 48 * 3600


def test_a_push_notification_about_a_vote_is_sent_until_the_player_votes(
    post: PostOffice, receiver: Receiver, ada: UUID
) -> None:
    bea, window = person("bea"), PushReader()
    game_id = game_of_people(ada, bea, bots=1)
    moves_on(game_id, ada)
    moves_on(game_id, bea)  # no seat is due, but the request still lasts
    carried(post)
    subscribe(bea, receiver.url, window.keys, sandbox=True)
    vote(game_id, ada, "pause", True)
    carried(post)
    [call] = receiver.calls
    told = window.read(call.body)
    assert (told["kind"], told["body"]) == ("vote-asked", "ada asks for a pause.")
    assert ("vote-asked", "sent") in results(bea)


def test_a_refusal_is_pushed_to_the_player_who_asked(post: PostOffice, receiver: Receiver, ada: UUID) -> None:
    bea, window = person("bea"), PushReader()
    game_id = game_of_people(ada, bea, bots=1)
    carried(post)
    vote(game_id, bea, "pause", True)
    subscribe(bea, receiver.url, window.keys, sandbox=True)
    vote(game_id, ada, "pause", False)
    carried(post)
    [call] = receiver.calls
    told = window.read(call.body)
    assert (told["kind"], told["body"]) == ("vote-refused", "ada doesn't want to pause now.")


def test_push_notifications_about_a_ready_check_are_sent_until_the_player_is_ready(
    post: PostOffice, receiver: Receiver, ada: UUID
) -> None:
    window = PushReader()
    subscribe(ada, receiver.url, window.keys, sandbox=True)
    options = {"start_seat": 0, "ready_check": {"within": "P2D"}}
    asked, answered = (game_of(ada, options=options) for _ in range(2))
    carried(post)
    told = [window.read(call.body) for call in receiver.calls]
    assert [(it["kind"], it["body"][:27]) for it in told] == [("ready-asked", "All seats are taken. Confir")] * 2
    run_for(DAY)
    ready(answered, ada)
    receiver.calls.clear()
    carried(post)
    [reminder] = [call for call in receiver.calls if call.headers["urgency"] == "high"]
    told = [window.read(reminder.body)]
    assert [(it["game"], it["kind"], it["body"][:27]) for it in told] == [
        (str(asked), "reminder", "All seats are taken. Confir")
    ]
    assert 23 * 3600 < int(reminder.headers["ttl"]) <= 24 * 3600


def test_no_push_notification_is_sent_about_a_turn_that_was_played(
    post: PostOffice, receiver: Receiver, ada: UUID
) -> None:
    subscribe(ada, receiver.url, PushReader().keys, sandbox=True)
    receiver.answer = lambda call: 503
    game_id = game_of(ada)
    carried(post)
    assert len(receiver.calls) == 1
    moves_on(game_id, ada)
    receiver.answer = lambda call: 201
    clock.forward(timedelta(minutes=1))
    carried(post)
    assert len(receiver.calls) == 1
    assert ("push", "dropped") in results(ada)


def test_after_a_day_without_a_push_service_each_game_gets_one_message_and_past_turns_none(
    post: PostOffice, receiver: Receiver, ada: UUID
) -> None:
    window = PushReader()
    subscribe(ada, receiver.url, window.keys, sandbox=True)
    receiver.answer = lambda call: 503
    waits, answered = game_of(ada), game_of(ada)
    carried(post)
    moves_on(answered, ada)
    for _ in range(25):
        run_for(HOUR)
        carried(post)
    assert len(letters(waits, "push")) == 2  # of the turn, and of half its time
    receiver.answer = lambda call: 201
    receiver.calls.clear()
    for _ in range(8):
        later(HOUR)
        carried(post)
    told = [window.read(call.body) for call in receiver.calls]
    assert [it["kind"] for it in told if it["game"] == str(waits)] == ["reminder"]
    assert len([it for it in told if it["game"] == str(answered)]) <= 1


def test_no_push_notification_is_sent_at_night(post: PostOffice, receiver: Receiver, ada: UUID) -> None:
    subscribe(ada, receiver.url, PushReader().keys, sandbox=True)
    hour = clock.now().hour
    player = db.session.get_one(Player, ada)
    player.calendar = {"night": f"{hour:02}:00-{(hour + 8) % 24:02}:00"}
    db.session.commit()
    game_of(ada)
    carried(post)
    assert receiver.calls == []
    clock.forward(timedelta(hours=8))
    carried(post)
    assert len(receiver.calls) == 1


@pytest.mark.parametrize("status", [404, 410])
def test_an_expired_subscription_is_deleted(post: PostOffice, receiver: Receiver, ada: UUID, status: int) -> None:
    subscribe(ada, receiver.url, PushReader().keys, sandbox=True)
    receiver.answer = lambda call: status
    game_of(ada)
    carried(post)
    assert list_subscriptions(ada) == []
    assert not db.session.get_one(Player, ada, populate_existing=True).has_push


def test_no_push_notification_is_sent_of_a_kind_that_the_player_has_turned_off(
    post: PostOffice, receiver: Receiver, ada: UUID
) -> None:
    subscribe(ada, receiver.url, PushReader().keys, sandbox=True)
    player = db.session.get_one(Player, ada)
    player.notifications = {"push": {"your-turn": "off"}}
    db.session.commit()
    game_of(ada)
    carried(post)
    assert receiver.calls == []
    assert results(ada) == [("your-turn", "sent")]


def test_a_slow_name_server_does_not_block_other_requests(ada: UUID, monkeypatch: pytest.MonkeyPatch) -> None:
    answers, answered = Event(), list[str]()

    def resolve(host: str, port: int) -> list[str]:
        answers.wait(PATIENCE)
        answered.append(host)
        return ["93.184.215.14"]

    monkeypatch.setattr(targets, "PATIENCE", 0.05)
    monkeypatch.setattr(targets, "resolve", resolve)
    try:
        with pytest.raises(BadField, match="find this host.s address"):
            subscribe(ada, "https://push.example/abc", PushReader().keys, sandbox=True)
        assert not answered
    finally:
        answers.set()
    assert list_subscriptions(ada) == []


def test_a_subscription_over_the_limit_causes_no_dns_query(
    sandbox: Flask, ada: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sandbox.config, "LIMITS", True)
    monkeypatch.setitem(sandbox.config["BOUNDS"], "push-subscriptions", Bound(1))
    keys, asked = PushReader().keys, list[str]()

    def resolve(host: str, port: int) -> list[str]:
        asked.append(host)
        return ["93.184.215.14"]

    monkeypatch.setattr(targets, "resolve", resolve)
    subscribe(ada, "https://one.example/", keys, sandbox=True)
    with pytest.raises(TooMany):
        subscribe(ada, "https://two.example/", keys, sandbox=True)
    subscribe(ada, "https://one.example/", keys, sandbox=True)  # which has its place
    assert asked == ["one.example", "one.example"]


def test_a_push_service_that_does_not_respond_does_not_delay_emails(
    sandbox: Flask, tmp_path: Path, receiver: Receiver, ada: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    answers = Event()
    receiver.answer = lambda call: 201 if answers.wait(PATIENCE) else 503
    monkeypatch.setattr(delivery, "_CARRIERS", 1)
    office = PostOffice(sandbox, carrier(str(tmp_path)))
    subscribe(ada, receiver.url, PushReader().keys, sandbox=True)
    game_of(ada)
    office.deliver_due()
    office.wait()  # the letter; push waits beside it
    monkeypatch.setattr(delivery, "_BATCH", 1)
    office.deliver_due()
    bea = person("bea")
    game_of(bea)
    office.deliver_due()
    until(lambda: results(bea) == [("your-turn", "sent")])
    assert results(ada) == [("your-turn", "sent")]
    answers.set()
    office.wait()
    office.close(5)
    assert ("push", "sent") in results(ada)


def test_browsers_with_an_unresponsive_push_service_leave_enough_time_for_others(
    post: PostOffice, receiver: Receiver, ada: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock, given = SimpleNamespace(seconds=0.0, monotonic=lambda: clock.seconds), dict[str, float]()

    def post_or_time_out(target: Target, *args: Any) -> http.Answer:
        *others, given[target.path] = args
        if target.path != "/answers":
            clock.seconds += given[target.path]
            raise http.Unanswered("No answer")
        return http.fetch(target, *others, PATIENCE)

    monkeypatch.setattr(sending, "time", clock)
    monkeypatch.setattr(sending, "fetch", post_or_time_out)
    for path in ("/first", "/second", "/answers"):
        subscribe(ada, f"http://127.0.0.1:{receiver.port}{path}", PushReader().keys, sandbox=True)
    game_of(ada)
    carried(post)
    share = pytest.approx(sending._PATIENCE / 3, abs=0.1)
    assert given == {"/first": share, "/second": share, "/answers": share}
    assert [call.path for call in receiver.calls] == ["/answers"]
    assert ("push", "sent") in results(ada)


def test_a_guest_gets_no_push_messages(post: PostOffice, receiver: Receiver, ada: UUID) -> None:
    """Not even who was subscribed before guests were refused."""
    subscribe(ada, receiver.url, PushReader().keys, sandbox=True)
    db.session.get_one(Player, ada).guest_until = clock.now() + timedelta(days=30)
    db.session.commit()
    game_of(ada)
    carried(post)
    assert receiver.calls == []


def test_signing_out_everywhere_ends_all_push_subscriptions(post: PostOffice, receiver: Receiver, ada: UUID) -> None:
    subscribe(ada, receiver.url, PushReader().keys, sandbox=True)
    game_of(ada)
    revoke_all(ada)
    assert list_subscriptions(ada) == []
    assert not db.session.get_one(Player, ada, populate_existing=True).has_push
    carried(post)
    assert receiver.calls == []
