"""Webhooks: signatures, verified by the standard's own library."""

from base64 import b64decode
from datetime import UTC, datetime

from standardwebhooks import Webhook as Verifier

from server.webhooks.sender import HookOffice, signature
from server.webhooks.subscriptions import renew_secret
from tests.support.games import DAY, MINUTE, later, person
from tests.support.webhook_receiver import Hook, Receiver, carry


def test_our_signature_equals_that_of_the_standard_webhooks_library() -> None:
    at = 1674087231
    secret = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD"
    body = '{"type":"ping","data":{"name":"Ämilie"}}'
    theirs = Verifier(secret).sign("msg_1", datetime.fromtimestamp(at, UTC), body)
    ours = signature([b64decode(secret.removeprefix("whsec_"))], "msg_1", at, body.encode())
    assert ours == theirs


def test_a_replaced_secret_stays_valid_for_a_day(office: HookOffice, receiver: Receiver) -> None:
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


def test_a_sandbox_with_a_fast_clock_signs_webhooks_with_the_real_time(office: HookOffice, receiver: Receiver) -> None:
    hook = Hook(person("ada"), receiver.url)
    later(30 * DAY)
    hook.ping()
    carry(office)
    assert receiver.calls[0].is_signed_with(hook.secret)
