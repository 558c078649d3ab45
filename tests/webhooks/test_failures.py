"""Webhooks: failed calls, retries and giving up."""

import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from datetime import timedelta
from email import message_from_bytes, policy
from http.client import HTTPResponse
from itertools import pairwise
from uuid import UUID

import pytest
from flask import Flask

from server.clock import clock
from server.play.talk.chat import say
from server.store.tables import PlayerLetterRow, db
from server.webhooks import http
from server.webhooks.retries import GIVE_UP, LONGEST_PAUSE
from server.webhooks.sender import HookOffice
from server.webhooks.targets import Target
from tests.post.reader import composed
from tests.support.games import (
    DAY,
    HOUR,
    MINUTE,
    everything_due_happens,
    game_of,
    later,
    moves_on,
    person,
    stop_the_clock,
    turn_of,
    until,
)
from tests.support.live_server import PATIENCE
from tests.support.live_server import until as comes_about
from tests.support.webhook_receiver import Hook, Receiver, carry, pinged

SECOND = timedelta(seconds=1)


def test_failed_deliveries_are_retried_with_backoff_for_three_days_with_the_same_id(
    office: HookOffice, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    stop_the_clock(monkeypatch, clock.real())
    receiver.answer = lambda call: 500
    hook = Hook(person("ada"), receiver.url)
    hook.ping()
    began, moments = clock.now(), []
    while next_at := hook.deliveries[0]["next_at"]:
        until(max(next_at, clock.now()) + SECOND)
        moments.append(clock.now() - began)
        carry(office)
    pauses = [after - before for before, after in pairwise(moments)]
    assert pauses[0] < 10 * SECOND
    assert all(after > before for before, after in pairwise(pauses[:7]))
    assert max(pauses) < LONGEST_PAUSE * 1.2
    assert GIVE_UP <= moments[-1] < GIVE_UP + LONGEST_PAUSE * 1.2
    assert len({call.id for call in receiver.calls}) == 1
    assert len({call.body for call in receiver.calls}) == 1
    assert hook.deliveries[0]["result"] == "given-up"
    assert (hook.deliveries[0]["status"], hook.deliveries[0]["detail"]) == (500, "The response was 500")


def test_a_successful_delivery_clears_failing_since(office: HookOffice, receiver: Receiver) -> None:
    receiver.answer = lambda call: 503
    hook = pinged(office, receiver)
    assert hook.resource["failing_since"]
    receiver.answer = lambda call: 200
    until(hook.deliveries[0]["next_at"] + SECOND)
    carry(office)
    assert hook.resource["failing_since"] is None
    assert (hook.deliveries[0]["result"], hook.deliveries[0]["tries"]) == ("delivered", 2)


def test_retry_after_is_respected(office: HookOffice, receiver: Receiver) -> None:
    receiver.answer, receiver.headers = lambda call: 429, {"Retry-After": "3600"}
    hook = pinged(office, receiver)
    assert hook.deliveries[0]["next_at"] > clock.now() + HOUR / 2


def test_a_410_response_disables_the_webhook_immediately_and_notifies_its_owner(
    office: HookOffice, receiver: Receiver, sandbox: Flask
) -> None:
    receiver.answer = lambda call: 410
    hook = Hook(person("ada"), receiver.url)
    for _ in range(3):
        hook.ping()
    carry(office)
    assert len(receiver.calls) == 1
    assert (hook.resource["enabled"], hook.resource["disabled_because"]) == (False, "gone")
    assert {it["result"] for it in hook.deliveries} == {"given-up"}
    letter = letter_about(hook, sandbox)
    assert receiver.url in letter
    assert "410" in letter
    game_of(hook.who, bots=2)
    carry(office)
    assert len(receiver.calls) == 1


def test_three_days_without_success_disable_the_webhook_and_notify_its_owner(
    office: HookOffice, receiver: Receiver, sandbox: Flask
) -> None:
    receiver.stop()
    hook = Hook(person("ada"), receiver.url)
    hook.ping()
    began = clock.now()
    while hook.resource["enabled"]:
        assert clock.now() < began + 5 * DAY
        later(3 * HOUR)
        hook.ping()
        carry(office)
    assert clock.now() >= began + GIVE_UP
    assert hook.resource["disabled_because"] == "failing"
    assert not any(it["next_at"] for it in hook.deliveries)
    assert "The connection was refused" in letter_about(hook, sandbox)


def letter_about(hook: Hook, app: Flask) -> str:
    """The text of the mail that its owner gets."""
    row = db.session.scalars(db.select(PlayerLetterRow).where(PlayerLetterRow.player_id == hook.who)).one()
    written = composed(row)
    assert written is not None
    assert written.to == "ada@example.org"
    text = message_from_bytes(written.message, policy=policy.default).get_body(("plain",)).get_content()
    return " ".join(text.split())


def test_a_clock_jump_does_not_disable_webhooks(office: HookOffice, receiver: Receiver) -> None:
    receiver.answer = lambda call: 500
    hook = pinged(office, receiver)
    clock.forward(400 * DAY)
    carry(office)
    assert hook.resource["enabled"]
    assert hook.deliveries[0]["result"] == "failed"


def test_an_always_rejected_delivery_does_not_block_later_ones(office: HookOffice, receiver: Receiver) -> None:
    hook = Hook(person("ada"), receiver.url)
    poison = str(hook.ping()["id"])
    receiver.answer = lambda call: 500 if call.id == poison else 204
    others = []
    for _ in range(40):
        later(3 * HOUR)
        others.append(str(hook.ping()["id"]))
        carry(office)
        later(MINUTE)
        carry(office)
    assert hook.resource["enabled"]
    assert {str(it["id"]): it["result"] for it in hook.deliveries} == {
        poison: "given-up",
        **dict.fromkeys(others, "delivered"),
    }


def test_a_webhook_that_does_not_respond_delays_only_its_own_deliveries(office: HookOffice, receiver: Receiver) -> None:
    ada, ben = person("ada"), person("ben")
    silent = Receiver()
    let_go = threading.Event()
    silent.answer = lambda call: 204 if let_go.wait(PATIENCE) else 500
    dead, alive = Hook(ada, silent.url), Hook(ben, receiver.url)
    dead.ping()
    office.deliver_due()
    comes_about(lambda: silent.calls)
    for _ in range(3):
        alive.ping()
        office.deliver_due()
        comes_about(lambda: not any(it["next_at"] for it in alive.deliveries))
    assert len(receiver.calls) == 3
    let_go.set()
    office.wait()
    silent.stop()
    assert len(silent.calls) == 1


def test_deliveries_arrive_in_order_even_after_a_failure(office: HookOffice, receiver: Receiver) -> None:
    hook = Hook(person("ada"), receiver.url)
    asked = [str(hook.ping()["id"]) for _ in range(3)]
    receiver.answer = lambda call: 500
    carry(office)
    receiver.answer = lambda call: 204
    receiver.calls.clear()
    later(10 * SECOND)
    carry(office)
    assert [call.id for call in receiver.calls] == asked


def test_after_a_day_without_a_response_everything_except_past_turns_is_delivered(
    office: HookOffice, receiver: Receiver
) -> None:
    ada, bea = person("ada"), person("bea")
    hook = Hook(ada, receiver.url, "game-started", "your-turn", "reminder", "message")
    receiver.answer = lambda call: 503
    game_id = game_of(ada, bea, bots=1)
    carry(office)
    for who in (ada, bea):
        moves_on(game_id, who)
    say(game_id, bea, "Good evening!")
    everything_due_happens()
    carry(office)
    receiver.answer = lambda call: 204
    receiver.calls.clear()
    for _ in range(24):
        later(HOUR)
        carry(office)
    turns = [call.payload["data"]["turn"] for call in receiver.calls if call.kind == "your-turn"]
    assert turns == [turn_of(game_id, ada)]
    assert sorted(receiver.kinds) == ["game-started", "message", "your-turn"]
    dropped = [it for it in hook.deliveries if it["result"] == "given-up"]
    assert [(it["kind"], it["detail"]) for it in dropped] == [("your-turn", "No longer relevant")]


def test_events_of_one_commit_are_delivered_in_order(office: HookOffice, receiver: Receiver) -> None:
    ada, ben = person("ada"), person("ben")
    hook = Hook(ada, receiver.url, "game-started", "your-turn")
    games = [game_of(ada, ben, bots=1) for _ in range(5)]
    carry(office)
    assert told_of(games, receiver) == [["game-started", "your-turn"]] * len(games)
    listed = [it["kind"] for it in hook.deliveries if it["payload"]["data"]["game"] == str(games[0])]
    assert listed == ["your-turn", "game-started"]  # the newest first


def told_of(games: list[UUID], receiver: Receiver) -> list[list[str]]:
    """What was told of each game."""
    return [[call.kind for call in receiver.calls if call.payload["data"]["game"] == str(game)] for game in games]


class Talker:
    """A server that sends any bytes to every client, one by one."""

    def __init__(self, words: Iterator[bytes]) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.target = Target("http", "127.0.0.1", self._listener.getsockname()[1], "/")
        self._thread = threading.Thread(target=self._talk, args=(words,), daemon=True)
        self._thread.start()

    def _talk(self, words: Iterator[bytes]) -> None:
        connection, _ = self._listener.accept()
        with connection, contextlib.suppress(OSError):
            for word in words:
                connection.sendall(word)

    def asked(self, seconds: float) -> http.Answer:
        try:
            return http.fetch(
                self.target, ["127.0.0.1"], http.Request({}, b"{}"), ssl.create_default_context(), seconds
            )
        finally:
            self._listener.close()


def drip(head: bytes) -> Iterator[bytes]:
    """Each byte comes in good time, and yet they never end."""
    yield head
    while True:
        time.sleep(0.05)
        yield b"x"


def flood() -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n"
    while True:
        yield bytes(100_000)


def test_a_response_with_endless_headers_counts_as_no_response() -> None:
    with pytest.raises(http.Unanswered, match="No response within 0.5 seconds"):
        Talker(drip(b"HTTP/1.1 200 OK\r\nx-")).asked(0.5)


class Alarm(threading.Thread):
    """A timer that goes off at an event, not after some seconds."""

    def __init__(self, at: threading.Event, run: Callable[[], None]) -> None:
        super().__init__(target=lambda: at.wait(PATIENCE) and run(), daemon=True)

    def cancel(self) -> None:
        pass


def test_a_response_with_an_endless_body_counts_as_a_response(monkeypatch: pytest.MonkeyPatch) -> None:
    reading, read = threading.Event(), HTTPResponse.read

    def read_until_time_is_up(answer: HTTPResponse, most: int) -> bytes:
        reading.set()
        return read(answer, most)

    with monkeypatch.context() as patch:
        patch.setattr(HTTPResponse, "read", read_until_time_is_up)
        patch.setattr(http, "Timer", lambda _, hang_up: Alarm(reading, hang_up))
        chunked = b"HTTP/1.1 204 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        assert Talker(drip(chunked)).asked(PATIENCE).status == 204
    assert Talker(flood()).asked(3600).status == 200  # it isn't read until the deadline


@pytest.mark.parametrize("words", [b"", b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 nonsense\r\n\r\n", b"\xff" * 70_000])
def test_a_response_that_is_not_http_counts_as_no_response(words: bytes) -> None:
    with pytest.raises(http.Unanswered):
        Talker(iter([words])).asked(PATIENCE)


def test_redirects_are_not_followed(office: HookOffice, receiver: Receiver) -> None:
    elsewhere = Receiver()
    receiver.answer, receiver.headers = lambda call: 308, {"Location": elsewhere.url}
    hook = pinged(office, receiver)
    elsewhere.stop()
    assert elsewhere.calls == []
    assert (hook.deliveries[0]["result"], hook.deliveries[0]["status"]) == ("failed", 308)
