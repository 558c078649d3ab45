"""Webhooks: signatures, verified by the standard's own library."""

import re
import runpy
import time
from base64 import b64decode
from datetime import UTC, datetime
from pathlib import Path

from standardwebhooks import Webhook as Verifier

from server import docs
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


def test_the_handbook_checks_signatures_as_the_standard_webhooks_library_makes_them(tmp_path: Path) -> None:
    [code] = re.findall(
        r"```python \{#signature\}\n(.*?)```", (docs.FOLDER / "recipes.md").read_text("utf-8"), re.DOTALL
    )
    (tmp_path / "signature.py").write_text(code, "utf-8")
    names = runpy.run_path(f"{tmp_path / 'signature.py'}")
    secret, now, body = "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD", int(time.time()), '{"type":"ping"}'

    def is_ours(at: int, key: str = secret, sent: str = body) -> bool:
        signed = Verifier(secret).sign("msg_1", datetime.fromtimestamp(at, UTC), body)
        headers = {"webhook-id": "msg_1", "webhook-timestamp": f"{at}", "webhook-signature": f"v1,AAAA {signed}"}
        found: bool = names["is_ours"](key, headers, sent.encode())
        return found

    assert is_ours(now)
    assert not is_ours(now, key="whsec_AAAA")
    assert not is_ours(now, sent='{"type":"pong"}')
    assert not is_ours(now - 301)


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
