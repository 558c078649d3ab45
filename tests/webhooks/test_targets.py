"""Webhooks: forbidden targets."""

import ssl
import subprocess
from pathlib import Path

import pytest
from flask import Flask

from server.webhooks import targets
from server.webhooks.sender import HookOffice
from server.webhooks.subscriptions import Subscription, make_webhook, ping_webhook, webhook_delivery
from server.webhooks.targets import BadAddress
from tests.support.contract import Someone, is_problem
from tests.support.games import MINUTE, later, person
from tests.support.push_reader import PushReader
from tests.support.webhook_receiver import Hook, Receiver, carry

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
def test_an_internal_address_is_rejected(app: Flask, address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    ada = Someone(app, "ada")
    answer = ada.post("/v1/webhooks", {"url": f"https://{host}/hook", "kinds": ["your-turn"]})
    assert is_problem(answer, 422, "invalid-field")
    assert answer.json["field"] == "url"
    assert ada.get("/v1/webhooks").json["items"] == []


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07::1", "64:ff9b::5db8:d70e", "::ffff:8.8.8.8"])
def test_a_public_address_is_accepted(app: Flask, address: str) -> None:
    host = f"[{address}]" if ":" in address else address
    assert (
        Someone(app, "ada").post("/v1/webhooks", {"url": f"https://{host}/", "kinds": ["reminder"]}).status_code == 201
    )


def resolves_to(monkeypatch: pytest.MonkeyPatch, *found: str) -> None:
    monkeypatch.setattr(targets, "resolve", lambda host, port: list(found))


def test_a_name_with_one_internal_address_is_rejected(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    resolves_to(monkeypatch, "93.184.215.14", "10.0.0.1")
    answer = Someone(app, "ada").post("/v1/webhooks", {"url": "https://stars.example/", "kinds": ["your-turn"]})
    is_problem(answer, 422, "invalid-field")


@pytest.mark.parametrize("host", ["localhost", "2130706433", "0x7f.1", "127.1", "017700000001"])
def test_no_spelling_of_a_loopback_address_is_accepted(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
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
def test_an_invalid_url_is_rejected(app: Flask, url: str) -> None:
    answer = Someone(app, "ada").post("/v1/webhooks", {"url": url, "kinds": ["your-turn"]})
    assert answer.status_code == 422


def test_only_a_sandbox_can_call_loopback_addresses_and_only_those_without_tls(
    sandbox: Flask, receiver: Receiver
) -> None:
    ada = Someone(sandbox, "ada")
    assert ada.post("/v1/webhooks", {"url": receiver.url, "kinds": ["your-turn"]}).status_code == 201
    for url in ("http://93.184.215.14/", "http://10.0.0.1/", "https://10.0.0.1/"):
        is_problem(ada.post("/v1/webhooks", {"url": url, "kinds": ["your-turn"]}), 422, "invalid-field")


@pytest.mark.parametrize("path", ["/v1/webhooks", "/v1/push-subscriptions"])
def test_a_name_without_an_address_needs_https(sandbox: Flask, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def resolve(host: str, port: int) -> list[str]:
        raise OSError

    monkeypatch.setattr(targets, "resolve", resolve)
    url = "http://stars.example/hook"
    wanted = {"url": url, "kinds": ["your-turn"]} if "hook" in path else {"endpoint": url, "keys": PushReader().keys}
    answer = Someone(sandbox, "ada").post(path, wanted)
    assert is_problem(answer, 422, "invalid-field") and answer.json["detail"].endswith("The URL must begin with https.")


def test_a_name_that_resolves_to_an_internal_address_when_called_is_not_called(
    app: Flask, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Public when the webhook was made, the loopback when it is told."""
    with app.app_context():
        made = make_webhook(
            person("ada"), Subscription(f"https://stars.example:{receiver.port}/", ["your-turn"]), sandbox=False
        )
        resolves_to(monkeypatch, "127.0.0.1")
        ping = ping_webhook(person("ada"), made.webhook["id"])
        office = HookOffice(app)
        carry(office)
        office.close(10)
        found = webhook_delivery(person("ada"), made.webhook["id"], ping["id"])
    assert (found["result"], found["detail"]) == ("failed", "This host is not on the public internet.")
    assert receiver.calls == []


def test_a_name_is_resolved_once_and_that_address_is_called_with_the_name(
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
    assert hook.deliveries[0]["detail"].startswith("The certificate is invalid")

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


def test_an_unresolvable_name_is_retried(office: HookOffice, monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(host: str, port: int) -> list[str]:
        raise OSError

    monkeypatch.setattr(targets, "resolve", nobody)
    hook = Hook(person("ada"), "https://stars.example/")
    hook.ping()
    carry(office)
    assert (hook.deliveries[0]["result"], hook.deliveries[0]["detail"]) == ("failed", "The host name has no address")
