"""Webhooks: what they are told, how it is signed, when it is tried again, and where they must not lead.

The receiver is a real one, on the loopback, which only a sandbox may call; it verifies with the standard's own library.
"""

import contextlib
import json
import socket
import ssl
import subprocess
import threading
import time
from base64 import b64decode
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from email import message_from_bytes, policy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from flask import Flask
from jsonschema import Draft202012Validator, FormatChecker
from standardwebhooks import Webhook as Verifier
from standardwebhooks import WebhookVerificationError

from server.accounts.tokens import SCOPES
from server.clock import clock
from server.errors import WebhookDisabled
from server.play.chat import say
from server.play.moves import legal_moves
from server.play.seats import take_seat
from server.play.votes import vote
from server.post.letters import compose
from server.rules import Json
from server.store import outbox
from server.store import webhook_queue as store
from server.store.tables import LetterRow, Player, PlayerLetterRow, db
from server.webhooks import http, targets
from server.webhooks.sender import GIVE_UP, LONGEST_PAUSE, HookOffice, signature
from server.webhooks.subscriptions import (
    KINDS,
    PAYLOADS,
    change_webhook,
    delete_webhook,
    forget_old_deliveries,
    hand_over,
    make_webhook,
    ping_webhook,
    renew_secret,
    try_delivery_again,
    webhook,
    webhook_deliveries,
    webhook_delivery,
)
from server.webhooks.targets import BadAddress, Target
from tests.secrecy.test_leaks import without_ids
from tests.support.contract import Someone, is_problem
from tests.support.games import (
    BOT,
    DAY,
    HOUR,
    ME,
    MINUTE,
    OPEN,
    everything_due_happens,
    game_of,
    later,
    moves_on,
    person,
    service_is_up,
    until,
    wanted,
)
from tests.support.live_server import TAKEN_UP, House, new_house, sign_in
from tests.support.live_server import until as comes_about
from tests.support.paired_worlds import SECRETS, Worlds, exchanging
from tests.support.paired_worlds import House as WorldPlayed

assert exchanging  # a fixture

SECOND = timedelta(seconds=1)


# The receiver


class Call(NamedTuple):
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def told(self) -> Json:
        told: Json = json.loads(self.body)
        return told

    @property
    def kind(self) -> str:
        return str(self.told["type"])

    def is_signed_with(self, secret: str) -> bool:
        try:
            Verifier(secret).verify(self.body, self.headers)
        except WebhookVerificationError:
            return False
        return True


class Receiver:
    """A server on the loopback that keeps what it is told; `answer` says what it does with a call."""

    def __init__(self, tls: ssl.SSLContext | None = None) -> None:
        self.calls: list[Call] = []
        self.answer: Callable[[Call], int] = lambda call: 204
        self.headers: dict[str, str] = {}
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                call = Call(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
                receiver.calls.append(call)
                status = receiver.answer(call)
                self.send_response(status)
                for name, value in receiver.headers.items():
                    self.send_header(name, value)
                self.end_headers()

            def log_message(self, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_port
        self.url = f"http://127.0.0.1:{self.port}/hook?for=ada"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    @property
    def kinds(self) -> list[str]:
        return [call.kind for call in self.calls]

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    receiver = Receiver()
    yield receiver
    receiver.stop()


@pytest.fixture
def sandbox(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Flask]:
    monkeypatch.setitem(app.config, "SANDBOX", True)
    with app.app_context():
        service_is_up()
        yield app


@pytest.fixture
def office(sandbox: Flask) -> Iterator[HookOffice]:
    office = HookOffice(sandbox)
    yield office
    office.close(10)


def carry(office: HookOffice) -> None:
    """Everything that is due now."""
    office.deliver_due()
    office.wait()


class Hook:
    """A webhook of a player, as he made it."""

    def __init__(self, who: UUID, url: str, *kinds: str, game: UUID | None = None) -> None:
        made = make_webhook(who, url, kinds or KINDS, game, sandbox=True)
        self.who, self.id, self.secret = who, made.webhook["id"], made.secret

    @property
    def shown(self) -> Json:
        return webhook(self.who, self.id)

    @property
    def deliveries(self) -> list[Json]:
        """The newest first."""
        return webhook_deliveries(self.who, self.id, None, 100).items

    def ping(self) -> Json:
        return ping_webhook(self.who, self.id)


# What is told


def test_whoever_has_to_move_is_told_so(office: HookOffice, receiver: Receiver) -> None:
    ada, ben = person("ada"), person("ben")
    hook = Hook(ada, receiver.url, "your-turn")
    game_id = game_of(ada, ben, bots=1)
    carry(office)
    (call,) = receiver.calls
    assert call.path == "/hook?for=ada"
    assert call.is_signed_with(hook.secret)
    asked = legal_moves(game_id, ada, [])
    assert call.told["data"].keys() == {"game", "version", "seat", "turn", "due_at"}
    assert call.told["data"]["game"] == str(game_id)
    assert (call.told["data"]["seat"], call.told["data"]["turn"]) == (0, asked["turn"])
    assert datetime.fromisoformat(call.told["data"]["due_at"]) > clock.now()
    assert call.headers["content-type"] == "application/json"


def test_each_kind_is_told_as_its_schema_says(office: HookOffice, receiver: Receiver) -> None:
    ada, ben = person("ada"), person("ben")
    Hook(ada, receiver.url)
    game_id = game_of(ada, ben, bots=1)
    say(game_id, ben, "Good evening!")
    for wish in ("pause", "resume"):
        for who in (ada, ben):
            vote(game_id, who, wish, True)
    for _ in range(12):
        later(DAY)
        everything_due_happens()
        carry(office)
        if "bot-moved" in receiver.kinds and legal_moves(game_id, ben, [])["turn"]:
            moves_on(game_id, ben)
    take_seat(game_id, ada)
    for who in (ada, ben):
        vote(game_id, who, "abandon", True)
    carry(office)
    assert {*receiver.kinds} == {*KINDS} - {"game-ended"}
    for call in receiver.calls:
        Draft202012Validator(PAYLOADS[call.kind], format_checker=FormatChecker()).validate(call.told)
    versions = [call.told["data"]["version"] for call in receiver.calls]
    assert versions == sorted(versions)


def test_the_end_of_a_game_is_told(office: HookOffice, receiver: Receiver) -> None:
    ada = person("ada")
    Hook(ada, receiver.url, "game-ended")
    game_id = game_of(ada, bots=2)
    while legal_moves(game_id, ada, [])["turn"]:
        moves_on(game_id, ada)
        everything_due_happens()
    carry(office)
    (call,) = receiver.calls
    Draft202012Validator(PAYLOADS["game-ended"]).validate(call.told)


def test_only_what_was_asked_for_is_told_and_only_of_that_game(office: HookOffice, receiver: Receiver) -> None:
    ada, ben = person("ada"), person("ben")
    games = [game_of(ada, ben, bots=1), game_of(ada, ben, bots=1)]
    Hook(ada, receiver.url, "message", game=games[1])
    for game_id in games:
        say(game_id, ada, "Good evening!")
        say(game_id, ben, "And to you!")
        moves_on(game_id, ada)
    carry(office)
    assert [(call.kind, call.told["data"]["game"]) for call in receiver.calls] == [("message", str(games[1]))]
    assert "And to you" not in receiver.calls[0].body.decode()


def test_several_webhooks_are_told_each_with_its_own_secret(office: HookOffice, receiver: Receiver) -> None:
    ada = person("ada")
    one, other = (Hook(ada, f"{receiver.url}&number={number}", "your-turn") for number in (1, 2))
    game_of(ada, bots=2)
    carry(office)
    by_path = {call.path[-1]: call for call in receiver.calls}
    assert by_path["1"].is_signed_with(one.secret)
    assert by_path["2"].is_signed_with(other.secret)
    assert not by_path["1"].is_signed_with(other.secret)
    assert by_path["1"].id != by_path["2"].id


def test_a_game_without_webhooks_notes_none(sandbox: Flask) -> None:
    ada, ben = person("ada"), person("ben")
    game_of(ada, ben, bots=1)
    assert db.session.scalars(db.select(LetterRow).where(LetterRow.kind == "webhook")).all() == []
    hook = Hook(ben, "http://127.0.0.1:1/")
    assert db.session.get_one(Player, ben).has_webhooks
    delete_webhook(ben, hook.id)
    db.session.expire_all()
    assert not db.session.get_one(Player, ben).has_webhooks


def test_notes_for_webhooks_are_no_mails(sandbox: Flask) -> None:
    ada = person("ada")
    Hook(ada, "http://127.0.0.1:1/")
    game_id = game_of(ada, bots=2)
    kinds = {letter.kind for letter in db.session.scalars(db.select(LetterRow).where(LetterRow.game_id == game_id))}
    assert kinds == {"your-turn", "webhook"}
    assert len(outbox.due(clock.now(), 10)) == 1


@pytest.mark.usefixtures("exchanging")
@pytest.mark.parametrize("brink", [secrets.brinks[0] for secrets in SECRETS.values()])
def test_a_payload_tells_nobody_what_is_secret(
    office: HookOffice, sandbox: Flask, receiver: Receiver, brink: Callable[[Random], Worlds]
) -> None:
    """Two worlds that differ only in what is hidden send the same bytes, but for ids and times."""
    worlds = brink(Random(5))
    told = []
    for world in (worlds.one, worlds.other):
        house = WorldPlayed(sandbox, worlds, world.exchange)
        hooks = [Hook(person(name), f"{receiver.url}&seat={name}") for name in ("ada", "bea", "cyd")]
        for seat, move in world.moves:
            house.plays(seat, move)
        carry(office)
        for hook in hooks:
            while any(it["next_at"] for it in hook.deliveries):
                carry(office)
        told.append(sorted((call.path, without_own(call)) for call in receiver.calls))
        receiver.calls.clear()
        for hook in hooks:
            delete_webhook(hook.who, hook.id)
    assert told[0] == told[1]
    assert len(told[0]) >= len(hooks)


def without_own(call: Call) -> str:
    """Its body and headers as sent, but for ids, times, and what follows from these."""
    headers = {name: value for name, value in call.headers.items() if not name.startswith("webhook-")}
    return without_ids(f"{call.body.decode()} {headers}")


# Signatures


def test_a_signature_is_the_one_of_the_standards_library() -> None:
    at = 1674087231
    secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
    body = '{"type":"ping","data":{"name":"Ämilie"}}'
    theirs = Verifier(secret).sign("msg_1", datetime.fromtimestamp(at, UTC), body)
    ours = signature([b64decode(secret.removeprefix("whsec_"))], "msg_1", at, body.encode())
    assert ours == theirs


def test_after_a_new_secret_both_are_good_for_a_day(office: HookOffice, receiver: Receiver) -> None:
    hook = Hook(person("ada"), receiver.url)
    new = renew_secret(hook.who, hook.id)
    assert new["secret"] != hook.secret
    hook.ping()
    later(DAY - MINUTE)
    hook.ping()
    carry(office)
    for call in receiver.calls:
        assert call.is_signed_with(hook.secret)
        assert call.is_signed_with(new["secret"])
    later(2 * MINUTE)
    hook.ping()
    carry(office)
    assert not receiver.calls[-1].is_signed_with(hook.secret)
    assert receiver.calls[-1].is_signed_with(new["secret"])


def test_a_sandbox_whose_clock_is_ahead_still_signs_with_the_time_of_receivers(
    office: HookOffice, receiver: Receiver
) -> None:
    hook = Hook(person("ada"), receiver.url)
    later(30 * DAY)
    hook.ping()
    carry(office)
    assert receiver.calls[0].is_signed_with(hook.secret)


# Failures


def test_what_fails_is_tried_again_later_and_later_for_three_days_under_the_same_id(
    office: HookOffice, receiver: Receiver
) -> None:
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
    assert (hook.deliveries[0]["status"], hook.deliveries[0]["detail"]) == (500, "The answer was 500")


def test_what_arrives_at_last_starts_the_webhook_afresh(office: HookOffice, receiver: Receiver) -> None:
    receiver.answer = lambda call: 503
    hook = Hook(person("ada"), receiver.url)
    hook.ping()
    carry(office)
    assert hook.shown["failing_since"]
    receiver.answer = lambda call: 200
    until(hook.deliveries[0]["next_at"] + SECOND)
    carry(office)
    assert hook.shown["failing_since"] is None
    assert (hook.deliveries[0]["result"], hook.deliveries[0]["tries"]) == ("delivered", 2)


def test_whoever_asks_for_a_pause_gets_it(office: HookOffice, receiver: Receiver) -> None:
    receiver.answer, receiver.headers = lambda call: 429, {"Retry-After": "3600"}
    hook = Hook(person("ada"), receiver.url)
    hook.ping()
    carry(office)
    assert hook.deliveries[0]["next_at"] >= clock.now() + HOUR - MINUTE


def test_410_disables_at_once_and_the_owner_gets_a_letter(
    office: HookOffice, receiver: Receiver, sandbox: Flask
) -> None:
    receiver.answer = lambda call: 410
    hook = Hook(person("ada"), receiver.url)
    for _ in range(3):
        hook.ping()
    carry(office)
    assert len(receiver.calls) == 1
    assert (hook.shown["enabled"], hook.shown["disabled_because"]) == (False, "gone")
    assert {it["result"] for it in hook.deliveries} == {"given-up"}
    letter = letter_about(hook, sandbox)
    assert receiver.url in letter
    assert "410" in letter
    game_of(hook.who, bots=2)
    carry(office)
    assert len(receiver.calls) == 1


def test_three_days_without_an_arrival_disable_it_and_the_owner_gets_a_letter(
    office: HookOffice, receiver: Receiver, sandbox: Flask
) -> None:
    receiver.stop()
    hook = Hook(person("ada"), receiver.url)
    hook.ping()
    began = clock.now()
    while hook.shown["enabled"]:
        assert clock.now() < began + 5 * DAY
        later(3 * HOUR)
        hook.ping()
        carry(office)
    assert clock.now() >= began + GIVE_UP
    assert hook.shown["disabled_because"] == "failing"
    assert not any(it["next_at"] for it in hook.deliveries)
    assert "The connection was refused" in letter_about(hook, sandbox)


def letter_about(hook: Hook, app: Flask) -> str:
    """The text of the mail that its owner gets."""
    row = db.session.scalars(db.select(PlayerLetterRow).where(PlayerLetterRow.player_id == hook.who)).one()
    written = compose(row, "https://stars.example")
    assert written is not None
    assert written.to == "ada@example.org"
    return str(message_from_bytes(written.message, policy=policy.default).get_body(("plain",)).get_content())


def test_a_jump_of_the_clock_disables_nothing(office: HookOffice, receiver: Receiver) -> None:
    receiver.answer = lambda call: 500
    hook = Hook(person("ada"), receiver.url)
    hook.ping()
    carry(office)
    clock.forward(400 * DAY)
    carry(office)
    assert hook.shown["enabled"]
    assert hook.deliveries[0]["result"] == "failed"


def test_one_that_is_always_refused_does_not_hold_up_what_comes_after_it(
    office: HookOffice, receiver: Receiver
) -> None:
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
    assert hook.shown["enabled"]
    assert {str(it["id"]): it["result"] for it in hook.deliveries} == {
        poison: "given-up",
        **dict.fromkeys(others, "delivered"),
    }


def test_a_webhook_that_does_not_answer_holds_up_none_but_itself(office: HookOffice, receiver: Receiver) -> None:
    ada, ben = person("ada"), person("ben")
    silent = Receiver()
    let_go = threading.Event()
    silent.answer = lambda call: 204 if let_go.wait(30) else 500
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


def test_what_is_told_comes_in_order_also_after_a_failure(office: HookOffice, receiver: Receiver) -> None:
    hook = Hook(person("ada"), receiver.url)
    asked = [str(hook.ping()["id"]) for _ in range(3)]
    receiver.answer = lambda call: 500
    carry(office)
    receiver.answer = lambda call: 204
    receiver.calls.clear()
    later(10 * SECOND)
    carry(office)
    assert [call.id for call in receiver.calls] == asked


def test_what_one_deed_causes_is_told_in_the_order_of_the_story(office: HookOffice, receiver: Receiver) -> None:
    ada, ben = person("ada"), person("ben")
    hook = Hook(ada, receiver.url, "game-started", "your-turn")
    games = [game_of(ada, ben, bots=1) for _ in range(5)]
    carry(office)
    assert told_of(games, receiver) == [["game-started", "your-turn"]] * len(games)
    listed = [it["kind"] for it in hook.deliveries if it["payload"]["data"]["game"] == str(games[0])]
    assert listed == ["your-turn", "game-started"]  # the newest first


def told_of(games: list[UUID], receiver: Receiver) -> list[list[str]]:
    """What was told of each game."""
    return [[call.kind for call in receiver.calls if call.told["data"]["game"] == str(game)] for game in games]


class Talker:
    """A server that says what it likes to whoever connects, octet by octet."""

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
            return http.post(self.target, ["127.0.0.1"], {}, b"{}", ssl.create_default_context(), seconds)
        finally:
            self._listener.close()


def drip(head: bytes) -> Iterator[bytes]:
    """Each octet comes in good time, and yet they never end."""
    yield head
    while True:
        time.sleep(0.05)
        yield b"x"


def flood() -> Iterator[bytes]:
    yield b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n\r\n"
    while True:
        yield bytes(100_000)


def test_an_answer_whose_head_never_ends_is_none() -> None:
    with pytest.raises(http.Unanswered, match="No answer within 0.5 seconds"):
        Talker(drip(b"HTTP/1.1 200 OK\r\nx-")).asked(0.5)


def test_an_answer_whose_body_never_ends_is_one() -> None:
    assert Talker(drip(b"HTTP/1.1 204 OK\r\nTransfer-Encoding: chunked\r\n\r\n")).asked(2).status == 204
    began = time.monotonic()
    assert Talker(flood()).asked(60).status == 200
    assert time.monotonic() - began < 30


@pytest.mark.parametrize("words", [b"", b"SSH-2.0-OpenSSH_9.2\r\n", b"HTTP/1.1 nonsense\r\n\r\n", b"\xff" * 70_000])
def test_what_does_not_speak_http_has_not_answered(words: bytes) -> None:
    with pytest.raises(http.Unanswered):
        Talker(iter([words])).asked(5)


def test_nobody_is_followed_anywhere(office: HookOffice, receiver: Receiver) -> None:
    elsewhere = Receiver()
    receiver.answer, receiver.headers = lambda call: 308, {"Location": elsewhere.url}
    hook = Hook(person("ada"), receiver.url)
    hook.ping()
    carry(office)
    elsewhere.stop()
    assert elsewhere.calls == []
    assert (hook.deliveries[0]["result"], hook.deliveries[0]["status"]) == ("failed", 308)


# Once more


def test_a_delivery_is_made_once_more_under_the_same_id_if_its_owner_asks(
    office: HookOffice, receiver: Receiver
) -> None:
    hook = Hook(person("ada"), receiver.url)
    ping = hook.ping()
    carry(office)
    assert try_delivery_again(hook.who, hook.id, ping["id"])["result"] == "waiting"
    carry(office)
    first, second = receiver.calls
    assert (first.id, first.body) == (second.id, second.body)
    assert hook.deliveries[0]["result"] == "delivered"


def test_what_was_given_up_can_be_asked_for_once_the_webhook_is_enabled_again(
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


def test_a_webhook_that_rests_is_told_at_once_at_its_new_address(office: HookOffice, receiver: Receiver) -> None:
    hook = Hook(person("ada"), "http://127.0.0.1:1/")
    hook.ping()
    for _ in range(8):
        later(2 * HOUR)
        carry(office)
    change_webhook(hook.who, hook.id, {"url": receiver.url}, sandbox=True)
    hook.ping()
    carry(office)
    assert len(receiver.calls) == 1


def test_a_webhook_that_is_switched_off_is_told_nothing_not_even_what_waited(
    office: HookOffice, receiver: Receiver
) -> None:
    hook = Hook(person("ada"), receiver.url)
    hook.ping()
    assert change_webhook(hook.who, hook.id, {"enabled": False}, sandbox=True)["disabled_because"] == "by-you"
    game_of(hook.who, bots=2)
    carry(office)
    assert receiver.calls == []
    assert [it["result"] for it in hook.deliveries] == ["given-up"]
    assert db.session.scalars(db.select(PlayerLetterRow).where(PlayerLetterRow.player_id == hook.who)).all() == []


def test_a_note_that_is_handed_over_twice_is_told_once(office: HookOffice, receiver: Receiver) -> None:
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


def test_two_offices_carry_each_delivery_once_and_in_order(
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


def test_old_deliveries_are_forgotten_but_not_those_that_wait(office: HookOffice, receiver: Receiver) -> None:
    hook = Hook(person("ada"), receiver.url)
    hook.ping()
    carry(office)
    change_webhook(hook.who, hook.id, {"url": "http://127.0.0.1:1/"}, sandbox=True)
    waiting = hook.ping()
    later(31 * DAY)
    forget_old_deliveries()
    assert [it["id"] for it in hook.deliveries] == [waiting["id"]]


def test_a_clock_that_ran_ahead_and_is_set_right_keeps_nothing_waiting(office: HookOffice, receiver: Receiver) -> None:
    clock.forward(365 * DAY)
    receiver.answer = lambda call: 500
    hook = Hook(person("ada"), receiver.url)
    hook.ping()
    carry(office)
    clock.forward(-365 * DAY)
    receiver.answer = lambda call: 204
    store.bring_forward(clock.now(), 2 * MINUTE)
    carry(office)
    assert hook.deliveries[0]["result"] == "delivered"


# Where a webhook must not lead


INNER = [
    *("127.0.0.1", "127.1.2.3", "10.0.0.1", "172.16.5.4", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"),
    *("224.0.0.1", "255.255.255.255", "240.0.0.1", "198.18.0.1", "192.0.2.1", "192.0.0.8", "192.0.0.192"),
    *("::1", "::", "::ffff:127.0.0.1", "::ffff:10.0.0.1", "::127.0.0.1", "fe80::1", "fc00::1", "fec0::1", "ff02::1"),
    *("100.100.100.200", "169.254.170.2", "169.254.0.23", "168.63.129.16", "161.26.0.10", "166.9.12.7", "192.80.8.124"),
    *("192.88.99.1", "fd00:ec2::254", "fd20:ce::254", "fe80::a9fe:a9fe", "3fff::1", "3fff:fff:ffff::1", "5f00::1"),
    *("::ffff:168.63.129.16", "64:ff9b::168.63.129.16"),
    *("64:ff9b::7f00:1", "64:ff9b::10.0.0.1", "64:ff9b:1::1", "2002:7f00:1::1", "2001::1", "2001:db8::1", "100::1"),
]


@pytest.mark.parametrize("address", INNER)
def test_an_inner_address_is_none_for_webhooks(app: Flask, address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    ada = Someone(app, "ada")
    answer = ada.post("/v1/webhooks", {"url": f"https://{host}/hook", "kinds": ["your-turn"]})
    assert is_problem(answer, 422, "invalid-field")
    assert answer.json["field"] == "url"
    assert ada.get("/v1/webhooks").json["items"] == []


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07::1", "64:ff9b::5db8:d70e", "::ffff:8.8.8.8"])
def test_a_public_address_is_one_for_webhooks(app: Flask, address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    assert (
        Someone(app, "ada").post("/v1/webhooks", {"url": f"https://{host}/", "kinds": ["reminder"]}).status_code == 201
    )


def resolves_to(monkeypatch: pytest.MonkeyPatch, *found: str) -> None:
    monkeypatch.setattr(targets, "resolve", lambda host, port: list(found))


def test_a_name_with_an_inner_address_among_others_is_refused(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, "93.184.215.14", "10.0.0.1")
    answer = Someone(app, "ada").post("/v1/webhooks", {"url": "https://stars.example/", "kinds": ["your-turn"]})
    is_problem(answer, 422, "invalid-field")


@pytest.mark.parametrize("host", ["localhost", "2130706433", "0x7f.1", "127.1", "017700000001"])
def test_no_way_to_write_the_loopback_leads_there(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()  # the system's own resolver reads all of these
    with pytest.raises(BadAddress):
        targets.addresses_of(targets.target_of(f"https://{host}/"), sandbox=False)


@pytest.mark.parametrize(
    "url",
    [
        "http://stars.example/hook",
        "ftp://stars.example/",
        "https://",
        "https:///hook",
        "https://ada:secret@stars.example/",
        "https://ada@stars.example/",
        "https://stars.example/#part",
        "https://stars.example:0/",
        "https://stars.example:99999/",
        "https://stars.example\\@127.0.0.1/",
        "https://[::1",
        "https://stärs.example/",
        "https://stars.example/\r\nX: y",
        "https://stars.example/ x",
        "https://-.example/",
        "https://a..b/",
        "https://.stars.example/",
        "https://stars-.example/",
        "https://stars.-example/",
        "https://" + "a" * 64 + ".example/",
        "https://[1:2]/",
        "https://[fe80::1%25eth0]/",
        "https://[::ffff:1.2.3.4.5]/",
        "https://" + "a" * 500,
    ],
)
def test_a_url_of_another_form_is_refused(app: Flask, url: str) -> None:
    answer = Someone(app, "ada").post("/v1/webhooks", {"url": url, "kinds": ["your-turn"]})
    assert answer.status_code == 422


def test_only_a_sandbox_calls_the_loopback_and_without_tls_nothing_else(sandbox: Flask, receiver: Receiver) -> None:
    ada = Someone(sandbox, "ada")
    assert ada.post("/v1/webhooks", {"url": receiver.url, "kinds": ["your-turn"]}).status_code == 201
    for url in ("http://93.184.215.14/", "http://10.0.0.1/", "https://10.0.0.1/"):
        is_problem(ada.post("/v1/webhooks", {"url": url, "kinds": ["your-turn"]}), 422, "invalid-field")


def test_a_name_that_leads_elsewhere_by_the_time_it_is_called_is_not_called(
    app: Flask, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Public when the webhook was made, the loopback when it is told."""
    with app.app_context():
        made = make_webhook(
            person("ada"), f"https://stars.example:{receiver.port}/", ["your-turn"], None, sandbox=False
        )
        resolves_to(monkeypatch, "127.0.0.1")
        ping = ping_webhook(person("ada"), made.webhook["id"])
        office = HookOffice(app)
        carry(office)
        office.close(10)
        found = webhook_delivery(person("ada"), made.webhook["id"], ping["id"])
    assert (found["result"], found["detail"]) == ("failed", "This host is not on the public internet.")
    assert receiver.calls == []


def test_a_name_is_looked_up_once_and_that_address_is_called_under_the_name(
    office: HookOffice, sandbox: Flask, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Were it looked up again for the connection, the answer could be another. Certificate, SNI and Host are the name's."""
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
            *("-subj", "/CN=stars.example", "-addext", "subjectAltName=DNS:stars.example"),
            *("-keyout", str(key), "-out", str(certificate)),
        ],
        check=True,
        capture_output=True,
    )
    names: list[str | None] = []
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate, key)
    server.sni_callback = lambda connection, name, context: names.append(name)
    secure = Receiver(server)
    asked = iter([["127.0.0.1"], ["127.0.0.1"]])  # when it is made, and when it is told
    monkeypatch.setattr(targets, "resolve", lambda host, port: next(asked))
    hook = Hook(person("ada"), f"https://stars.example:{secure.port}/hook")
    hook.ping()
    carry(office)
    assert (hook.deliveries[0]["result"], secure.calls) == ("failed", [])
    assert hook.deliveries[0]["detail"].startswith("The certificate is not valid")

    monkeypatch.setenv("SSL_CERT_FILE", str(certificate))
    trusting = HookOffice(sandbox)
    asked = iter([["127.0.0.1"]])
    later(MINUTE)
    carry(trusting)
    trusting.close(10)
    secure.stop()
    (call,) = secure.calls
    assert call.headers["host"] == f"stars.example:{secure.port}"
    assert names[-1] == "stars.example"
    assert list(asked) == []


def test_a_name_that_nobody_knows_is_tried_again(office: HookOffice, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(host: str, port: int) -> list[str]:
        raise OSError

    monkeypatch.setattr(targets, "resolve", nobody)
    hook = Hook(person("ada"), "https://stars.example/")
    hook.ping()
    carry(office)
    assert (hook.deliveries[0]["result"], hook.deliveries[0]["detail"]) == (
        "failed",
        "The name of the host has no address",
    )


# The API


WANTED: Json = {"url": "https://stars.example/hook", "kinds": ["your-turn"]}


@pytest.fixture
def ada(app: Flask) -> Someone:
    return Someone(app, "ada")


def test_a_secret_is_shown_once(ada: Someone, caplog: pytest.LogCaptureFixture) -> None:
    made = ada.post("/v1/webhooks", WANTED)
    path, secret = made.headers["Location"], made.json["secret"]
    new = ada.post(f"{path}/secret").json["secret"]
    looks = [
        ada.get("/v1/webhooks"),
        ada.get(path),
        ada.patch(path, {"kinds": ["reminder"]}),
        ada.post(f"{path}/pings"),
    ]
    looks.append(ada.get(f"{path}/deliveries"))
    for shown in (*(answer.text for answer in looks), caplog.text):
        assert secret not in shown
        assert new not in shown
        assert "whsec_" not in shown


def test_a_webhook_is_its_owners_alone(app: Flask, ada: Someone) -> None:
    path = ada.post("/v1/webhooks", WANTED).headers["Location"]
    ping = ada.post(f"{path}/pings").json["id"]
    bea = Someone(app, "bea")
    answers = [
        bea.get(path),
        bea.patch(path, {"enabled": False}),
        bea.delete(path),
        bea.post(f"{path}/secret"),
        bea.post(f"{path}/pings"),
        bea.get(f"{path}/deliveries"),
        bea.get(f"{path}/deliveries/{ping}"),
        bea.post(f"{path}/deliveries/{ping}/tries"),
    ]
    assert all(is_problem(answer, 404, "not-found") for answer in answers)
    assert bea.get("/v1/webhooks").json == {"items": []}
    assert ada.get(path).json["enabled"]


def test_webhooks_take_a_token_for_them(app: Flask, ada: Someone) -> None:
    others = ada.post("/v1/tokens", {"scopes": [it for it in SCOPES if it != "webhooks:manage"]}).json["token"]
    is_problem(Someone(app, token=others).get("/v1/webhooks"), 403, "missing-scope")
    is_problem(Someone(app).get("/v1/webhooks"), 401, "token-needed")


def test_a_player_has_ten_webhooks_at_most(ada: Someone) -> None:
    paths = [ada.post("/v1/webhooks", WANTED).headers["Location"] for _ in range(10)]
    is_problem(ada.post("/v1/webhooks", WANTED), 409, "too-many-webhooks")
    assert ada.delete(paths[3]).status_code == 204
    assert ada.post("/v1/webhooks", WANTED).status_code == 201


def test_pings_are_counted(ada: Someone) -> None:
    path = ada.post("/v1/webhooks", WANTED).headers["Location"]
    statuses = [ada.post(f"{path}/pings").status_code for _ in range(61)]
    assert statuses == [202] * 60 + [429]


def test_deliveries_come_page_by_page(ada: Someone) -> None:
    path = ada.post("/v1/webhooks", WANTED).headers["Location"]
    asked = [ada.post(f"{path}/pings").json["id"] for _ in range(7)]
    found, there = [], f"{path}/deliveries?limit=3"
    while there:
        page = ada.get(there).json
        assert len(page["items"]) <= 3
        found += [it["id"] for it in page["items"]]
        there = page["next"]
    assert found == asked[::-1]


def test_a_webhook_for_a_private_game_of_others_is_one_for_no_game(app: Flask, ada: Someone) -> None:
    private = Someone(app, "bea").post("/v1/games", wanted(ME, OPEN, BOT, private=True)).json["id"]
    for game in (private, "6f1f0c52-3f0e-4c6f-9b60-0d5f4b1f7a11"):
        answer = ada.post("/v1/webhooks", {**WANTED, "game": game})
        assert is_problem(answer, 422, "invalid-field")
        assert answer.json["detail"] == "There is no such game."


def test_the_document_describes_what_we_call(wired: Flask) -> None:
    contract = wired.test_client_class.contract
    assert contract.document["webhooks"].keys() == set(PAYLOADS)
    for item in contract.document["webhooks"].values():
        content = item["post"]["requestBody"]["content"]["application/json"]
        contract.validator(content["schema"]).validate(content["examples"]["Example"]["value"])


# A worker that is killed


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with new_house() as house:
        house.start_web()
        yield house


def test_a_worker_that_is_killed_before_it_notes_the_answer_leads_to_a_second_call_under_the_same_id(
    house: House, receiver: Receiver
) -> None:
    worker = house.start_worker()
    ada = sign_in(house, "ada@example.org")
    made = ada.post("/v1/webhooks", {"url": receiver.url, "kinds": ["your-turn"]})
    seats = [{"player": "me"}, {"bot": "greedy"}, {"bot": "greedy"}]
    taken, waits = threading.Event(), threading.Event()

    def answer(call: Call) -> int:
        taken.set()
        waits.wait(30)
        return 204

    receiver.answer = answer
    ada.post("/v1/games", {"rules": "sternenhimmel", "options": {"start_seat": 0}, "seats": seats})
    assert taken.wait(30)
    with house.locked("SELECT * FROM webhook_deliveries"):
        waits.set()
        house.await_waiters()  # the worker has heard 204 and wants to note it
        house.kill(worker)
    killed_at = time.monotonic()
    worker = house.start_worker()
    deliveries = f"/v1/webhooks/{made['id']}/deliveries"
    comes_about(lambda: ada.get(deliveries)["items"][0]["result"] == "delivered")
    assert time.monotonic() - killed_at < TAKEN_UP
    house.kill(worker)
    first, second = receiver.calls
    assert (first.id, first.body) == (second.id, second.body)
    assert second.is_signed_with(made["secret"])


def test_a_note_outlives_whoever_was_to_hand_it_over(house: House, receiver: Receiver) -> None:
    """Nobody works while the game begins; kill -9 of the web loses nothing, since the note came with the deed."""
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
