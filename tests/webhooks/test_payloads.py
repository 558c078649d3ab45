"""Webhooks: each payload matches its schema."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random

import pytest
from flask import Flask
from jsonschema import Draft202012Validator, FormatChecker

from server.accounts.notice_kinds import WEBHOOK_KINDS
from server.clock import clock
from server.play.commits import load
from server.play.moves import legal_moves
from server.play.seating.seats import take_seat
from server.play.talk.chat import say
from server.play.votes import take_back
from server.store import outbox
from server.store.tables import LetterRow, Player, db
from server.webhooks.sender import HookOffice
from server.webhooks.subscriptions import PAYLOADS, delete_webhook, payload
from tests.secrecy.test_leaks import without_ids
from tests.support.contract import expect_one_form_of_moments
from tests.support.games import DAY, all_agree, everything_due_happens, game_of, moves_on, person, run_for
from tests.support.paired_worlds import SECRETS, Worlds, exchanging
from tests.support.paired_worlds import House as WorldPlayed
from tests.support.webhook_receiver import Call, Hook, Receiver, carry

assert exchanging  # a fixture


def test_the_player_to_move_is_notified(office: HookOffice, receiver: Receiver) -> None:
    ada, ben = person("ada"), person("ben")
    hook = Hook(ada, receiver.url, "your-turn")
    game_id = game_of(ada, ben, bots=1)
    carry(office)
    (call,) = receiver.calls
    assert call.path == "/hook?for=ada"
    assert call.is_signed_with(hook.secret)
    asked = legal_moves(game_id, ada, [])
    assert call.payload["data"].keys() == {"game", "version", "seat", "turn", "due_at"}
    assert call.payload["data"]["game"] == str(game_id)
    assert (call.payload["data"]["seat"], call.payload["data"]["turn"]) == (0, asked["turn"])
    assert datetime.fromisoformat(call.payload["data"]["due_at"]) > clock.now()
    assert call.headers["content-type"] == "application/json"


def test_the_timestamp_of_a_whole_second_has_six_decimal_places() -> None:
    told = json.loads(payload("your-turn", datetime(2031, 5, 4, 18, 30, tzinfo=UTC), {}))
    assert told["timestamp"] == "2031-05-04T18:30:00.000000Z"


def test_each_kind_of_payload_matches_its_schema(office: HookOffice, receiver: Receiver) -> None:
    ada, ben = person("ada"), person("ben")
    Hook(ada, receiver.url)
    game_id = game_of(ada, ben, bots=1)
    say(game_id, ben, "Good evening!")
    for wish in ("pause", "resume"):
        all_agree(game_id, wish, ben, ada)
    for who in (ada, ben):
        moves_on(game_id, who)
    take_back(game_id, ben, load(game_id).version - 1)
    moves_on(game_id, ben)
    everything_due_happens()
    assert not take_back(game_id, ben, load(game_id).version - 2).is_done
    carry(office)
    for _ in range(12):
        run_for(DAY)
        carry(office)
        if "bot-moved" in receiver.kinds and legal_moves(game_id, ben, [])["turn"]:
            moves_on(game_id, ben)
    take_seat(game_id, ada)
    all_agree(game_id, "abandon", ada, ben)
    carry(office)
    told = list(receiver.calls)
    game_of(ada, ben, bots=1, options={"ready_check": {"within": "P2D"}})
    carry(office)
    assert {*receiver.kinds} == {*WEBHOOK_KINDS} - {"game-ended"}
    for call in receiver.calls:
        Draft202012Validator(PAYLOADS[call.kind], format_checker=FormatChecker()).validate(call.payload)
        expect_one_form_of_moments(call.payload)
    versions = [call.payload["data"]["version"] for call in told]
    assert versions == sorted(versions)


def test_a_webhook_is_called_when_a_game_ends(office: HookOffice, receiver: Receiver) -> None:
    ada = person("ada")
    Hook(ada, receiver.url, "game-ended")
    game_id = game_of(ada, bots=2)
    while legal_moves(game_id, ada, [])["turn"]:
        moves_on(game_id, ada)
        everything_due_happens()
    carry(office)
    (call,) = receiver.calls
    Draft202012Validator(PAYLOADS["game-ended"]).validate(call.payload)


def test_only_subscribed_kinds_and_games_are_sent(office: HookOffice, receiver: Receiver) -> None:
    ada, ben = person("ada"), person("ben")
    games = [game_of(ada, ben, bots=1), game_of(ada, ben, bots=1)]
    Hook(ada, receiver.url, "message", game=games[1])
    for game_id in games:
        say(game_id, ada, "Good evening!")
        say(game_id, ben, "And to you!")
        moves_on(game_id, ada)
    carry(office)
    assert [(call.kind, call.payload["data"]["game"]) for call in receiver.calls] == [("message", str(games[1]))]
    assert "And to you" not in receiver.calls[0].body.decode()


def test_several_webhooks_are_called_each_with_its_own_secret(office: HookOffice, receiver: Receiver) -> None:
    ada = person("ada")
    one, other = (Hook(ada, f"{receiver.url}&number={number}", "your-turn") for number in (1, 2))
    game_of(ada, bots=2)
    carry(office)
    by_path = {call.path[-1]: call for call in receiver.calls}
    assert by_path["1"].is_signed_with(one.secret)
    assert by_path["2"].is_signed_with(other.secret)
    assert not by_path["1"].is_signed_with(other.secret)
    assert by_path["1"].id != by_path["2"].id


def test_no_webhook_call_is_queued_for_a_game_without_webhooks(sandbox: Flask) -> None:
    ada, ben = person("ada"), person("ben")
    game_of(ada, ben, bots=1)
    assert db.session.scalars(db.select(LetterRow).where(LetterRow.kind == "webhook")).all() == []
    hook = Hook(ben, "http://127.0.0.1:1/")
    assert db.session.get_one(Player, ben).has_webhooks
    delete_webhook(ben, hook.id)
    db.session.expire_all()
    assert not db.session.get_one(Player, ben).has_webhooks


def test_webhook_deliveries_are_not_listed_as_emails(sandbox: Flask) -> None:
    ada = person("ada")
    Hook(ada, "http://127.0.0.1:1/")
    game_id = game_of(ada, bots=2)
    kinds = {letter.kind for letter in db.session.scalars(db.select(LetterRow).where(LetterRow.game_id == game_id))}
    assert kinds == {"your-turn", "webhook"}
    assert len(outbox.due(clock.now(), 10)) == 1


@pytest.mark.usefixtures("exchanging")
@pytest.mark.parametrize("brink", [secrets.brinks[0] for secrets in SECRETS.values()])
def test_a_payload_reveals_no_secret(
    office: HookOffice, sandbox: Flask, receiver: Receiver, brink: Callable[[Random], Worlds]
) -> None:
    """Two worlds that differ only in what is hidden send the same bytes, except for ids and times."""
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
    """Return its body and headers as sent, without ids, times, and what follows from these."""
    headers = {name: value for name, value in call.headers.items() if not name.startswith("webhook-")}
    return without_ids(f"{call.body.decode()} {headers}")
