"""Webhooks: how what they are told is signed, by the standard's own library."""

from base64 import b64decode
from datetime import UTC, datetime

from standardwebhooks import Webhook as Verifier

from server.webhooks.sender import HookOffice, signature
from server.webhooks.subscriptions import renew_secret
from tests.support.games import DAY, MINUTE, later, person
from tests.support.webhook_receiver import Hook, Receiver, carry


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
