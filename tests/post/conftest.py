"""Fixtures for tests of the post: a running service, two players, and an office that stores what it sends."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import dns.resolver
import pytest
from flask import Flask

from tests.post.office import Office
from tests.support.name_server import DOMAIN, REPLIES, NameServer, Zone, public_half
from tests.support.players import ada, bea, cyd, within

__all__ = ["ada", "bea", "cyd", "within"]


@pytest.fixture
def office(app: Flask) -> Office:
    return Office(app)


@pytest.fixture
def name_server(monkeypatch: pytest.MonkeyPatch) -> Iterator[NameServer]:
    server = NameServer()
    resolver = dns.resolver.Resolver(configure=False)
    resolver.nameservers, resolver.port = ["127.0.0.1"], server.port
    monkeypatch.setattr(dns.resolver, "default_resolver", resolver)
    yield server
    server.close()


@pytest.fixture(scope="module")
def key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("key") / "dkim.pem"
    subprocess.run(["openssl", "genrsa", "-out", path, "2048"], check=True, capture_output=True)
    return path


@pytest.fixture
def good(name_server: NameServer, key: Path) -> Zone:
    """Return a valid zone, which a test may change."""
    name_server.zone = {
        (REPLIES, "TXT"): ['"v=spf1 mx -all"', '"some other words"'],
        (f"_dmarc.{DOMAIN}", "TXT"): ['"v=DMARC1; p=quarantine"'],
        (f"s1._domainkey.{DOMAIN}", "TXT"): [public_half(key)],
        (REPLIES, "MX"): ["10 mx.stars.example."],
        ("mx.stars.example", "A"): ["192.0.2.7"],
    }
    return name_server.zone
