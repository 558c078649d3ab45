"""Webhooks: repeated, cancelled and interrupted deliveries."""

import threading
from collections.abc import Iterator

import pytest
from flask import Flask

from server.clock import clock
from server.errors import WebhookDisabled
from server.store import webhook_queue as store
from server.store.tables import PlayerLetterRow, db
from server.webhooks.sender import HookOffice
from server.webhooks.subscriptions import change_webhook, forget_old_deliveries, hand_over, try_delivery_again
from tests.support import citus
from tests.support.games import DAY, HOUR, MINUTE, game_of, later, person
from tests.support.live_server import TAKEN_UP, House, new_house, sign_in
from tests.support.live_server import until as comes_about
from tests.support.webhook_receiver import Call, Hook, Receiver, carry, pinged

# Once more


def test_a_delivery_can_be_repeated_with_the_same_id_on_request(office: HookOffice, receiver: Receiver) -> None:
    hook = Hook(person("ada"), receiver.url)
    ping = hook.ping()
    carry(office)
    assert try_delivery_again(hook.who, hook.id, ping["id"])["result"] == "waiting"
    carry(office)
    first, second = receiver.calls
    assert (first.id, first.body) == (second.id, second.body)
    assert hook.deliveries[0]["result"] == "delivered"


def test_a_failed_delivery_can_be_requested_once_the_webhook_is_enabled_again(
    office: HookOffice, receiver: Receiver
) -> None:
    receiver.answer = lambda call: 410
    hook = Hook(person("ada"), receiver.url)
    ping = hook.ping()
    carry(office)
    with pytest.raises(WebhookDisabled):
        try_delivery_again(hook.who, hook.id, ping["id"])
    receiver.answer = lambda call: 204
    assert change_webhook(hook.who, hook.id, {"enabled": True}, sandbox=True)["enabled"]
    try_delivery_again(hook.who, hook.id, ping["id"])
    carry(office)
    assert hook.deliveries[0]["result"] == "delivered"


def test_a_paused_webhook_is_called_immediately_at_its_new_url(office: HookOffice, receiver: Receiver) -> None:
    hook = Hook(person("ada"), "http://127.0.0.1:1/")
    hook.ping()
    for _ in range(8):
        later(2 * HOUR)
        carry(office)
    change_webhook(hook.who, hook.id, {"url": receiver.url}, sandbox=True)
    hook.ping()
    carry(office)
    assert len(receiver.calls) == 1


def test_a_disabled_webhook_gets_nothing_not_even_queued_deliveries(office: HookOffice, receiver: Receiver) -> None:
    hook = Hook(person("ada"), receiver.url)
    hook.ping()
    assert change_webhook(hook.who, hook.id, {"enabled": False}, sandbox=True)["disabled_because"] == "by-you"
    game_of(hook.who, bots=2)
    carry(office)
    assert receiver.calls == []
    assert [it["result"] for it in hook.deliveries] == ["given-up"]
    assert db.session.scalars(db.select(PlayerLetterRow).where(PlayerLetterRow.player_id == hook.who)).all() == []


def test_a_delivery_queued_twice_is_sent_once(office: HookOffice, receiver: Receiver) -> None:
    """As when a worker dies between putting it into the queues and forgetting it."""
    hook = Hook(person("ada"), receiver.url, "your-turn")
    game_of(hook.who, bots=2)
    (note,) = (note for note in store.notes(clock.now(), 10) if note.data["kind"] == "your-turn")
    hand_over(note, clock.now())
    carry(office)
    hand_over(note, clock.now())
    carry(office)
    assert len(receiver.calls) == 1
    assert len(hook.deliveries) == 1


def test_two_workers_send_each_delivery_once_and_in_order(
    office: HookOffice, sandbox: Flask, receiver: Receiver
) -> None:
    other = HookOffice(sandbox)
    hook = Hook(person("ada"), receiver.url)
    asked = [str(hook.ping()["id"]) for _ in range(25)]
    while any(it["next_at"] for it in hook.deliveries):
        for one in (office, other):
            one.deliver_due()
        for one in (office, other):
            one.wait()
    other.close(10)
    assert [call.id for call in receiver.calls] == asked


def test_old_deliveries_are_deleted_unless_they_are_pending(office: HookOffice, receiver: Receiver) -> None:
    hook = pinged(office, receiver)
    change_webhook(hook.who, hook.id, {"url": "http://127.0.0.1:1/"}, sandbox=True)
    waiting = hook.ping()
    later(31 * DAY)
    forget_old_deliveries()
    assert [it["id"] for it in hook.deliveries] == [waiting["id"]]


def test_correcting_a_fast_clock_does_not_delay_deliveries(office: HookOffice, receiver: Receiver) -> None:
    clock.forward(365 * DAY)
    receiver.answer = lambda call: 500
    hook = pinged(office, receiver)
    clock.forward(-365 * DAY)
    receiver.answer = lambda call: 204
    store.bring_forward(clock.now(), 2 * MINUTE)
    carry(office)
    assert hook.deliveries[0]["result"] == "delivered"


# A worker that is killed


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with new_house() as house:
        house.start_web()
        yield house


@citus.leave_out("rows are locked on the nodes that have them")
def test_a_call_is_repeated_with_its_id_if_its_worker_was_killed_before_recording_the_response(
    house: House, receiver: Receiver
) -> None:
    worker = house.start_worker()
    ada = sign_in(house, "ada@example.org")
    made = ada.post("/v1/webhooks", {"url": receiver.url, "kinds": ["your-turn"]})
    seats = [{"player": "me"}, {"bot": "greedy"}, {"bot": "greedy"}]
    taken, waits = threading.Event(), threading.Event()

    def answer(call: Call) -> int:
        taken.set()
        waits.wait(60)
        return 204

    receiver.answer = answer
    ada.post("/v1/games", {"rules": "sternenhimmel", "options": {"start_seat": 0}, "seats": seats})
    assert taken.wait(60)
    with house.locked("SELECT * FROM webhook_deliveries"):
        waits.set()
        house.await_waiters()  # the worker has heard 204 and wants to note it
        house.kill(worker)
    [lease] = house.rows('SELECT max(leased_until) - now() AS "left" FROM outbox')
    assert lease["left"].total_seconds() < TAKEN_UP
    worker = house.start_worker()
    deliveries = f"/v1/webhooks/{made['id']}/deliveries"
    comes_about(lambda: ada.get(deliveries)["items"][0]["result"] == "delivered")
    house.kill(worker)
    first, second = receiver.calls
    assert (first.id, first.body) == (second.id, second.body)
    assert second.is_signed_with(made["secret"])


def test_a_queued_delivery_is_sent_even_if_its_worker_was_killed(house: House, receiver: Receiver) -> None:
    """No worker runs while the game begins; kill -9 of the web loses nothing, since the delivery was queued in the
    commit."""
    worker = house.start_worker()
    ben = sign_in(house, "ben@example.org")
    house.kill(worker)
    ben.post("/v1/webhooks", {"url": receiver.url, "kinds": ["your-turn"]})
    seats = [{"player": "me"}, {"bot": "greedy"}, {"bot": "greedy"}]
    ben.post("/v1/games", {"rules": "sternenhimmel", "options": {"start_seat": 0}, "seats": seats})
    house.kill(house.web)
    house.start_web()
    house.start_worker()
    comes_about(lambda: receiver.calls)
    assert receiver.kinds == ["your-turn"]
