"""What the DNS says of a domain that sends mail, asked of a name server on the loopback."""

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import dns.message
import dns.resolver
import dns.rrset
import pytest
from click.testing import CliRunner

from server import cli
from server.post.dkim_signing import read_key
from server.post.dns_records import check_records
from tests.support.live_server import free_port

DOMAIN, REPLIES = "stars.example", "reply.stars.example"
Zone = dict[tuple[str, str], list[str]]


class NameServer:
    """Answers by UDP from its zone; whatever else is asked does not exist."""

    def __init__(self) -> None:
        self.zone: Zone = {}
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        Thread(target=self._serve, daemon=True).start()

    def close(self) -> None:
        self._socket.close()

    def _serve(self) -> None:
        while True:
            try:
                asked, guest = self._socket.recvfrom(4096)
                self._socket.sendto(self._answer(dns.message.from_wire(asked)).to_wire(), guest)
            except OSError:
                return

    def _answer(self, query: dns.message.Message) -> dns.message.Message:
        answer = dns.message.make_response(query)
        question = query.question[0]
        name, kind = question.name.to_text(omit_final_dot=True), dns.rdatatype.to_text(question.rdtype)
        if found := self.zone.get((name, kind)):
            answer.answer.append(dns.rrset.from_text(question.name, 60, "IN", kind, *found))
        elif not any(known == name for known, _ in self.zone):
            answer.set_rcode(dns.rcode.NXDOMAIN)
        return answer


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


def public_half(key: Path) -> str:
    """As a TXT record, in pieces of at most 255 octets."""
    pem = subprocess.run(["openssl", "rsa", "-in", key, "-pubout"], check=True, capture_output=True).stdout
    text = "v=DKIM1; k=rsa; p=" + "".join(pem.decode().splitlines()[1:-1])
    return " ".join(f'"{text[at : at + 200]}"' for at in range(0, len(text), 200))


@pytest.fixture
def good(name_server: NameServer, key: Path) -> Zone:
    """A zone with nothing wrong, which a test may change."""
    name_server.zone = {
        (REPLIES, "TXT"): ['"v=spf1 mx -all"', '"some other words"'],
        (f"_dmarc.{DOMAIN}", "TXT"): ['"v=DMARC1; p=quarantine"'],
        (f"s1._domainkey.{DOMAIN}", "TXT"): [public_half(key)],
        (REPLIES, "MX"): ["10 mx.stars.example."],
        ("mx.stars.example", "A"): ["192.0.2.7"],
    }
    return name_server.zone


def found(key: Path) -> dict[str, str]:
    return check_records(DOMAIN, REPLIES, "s1", read_key(key))


def test_a_domain_with_all_its_records_is_well(good: Zone, key: Path) -> None:
    assert found(key) == dict.fromkeys(["SPF", "DMARC", "DKIM", "MX"], "ok")


def test_what_nobody_uses_is_not_asked_for(good: Zone) -> None:
    good[DOMAIN, "TXT"] = ['"v=spf1 a -all"']
    assert check_records(DOMAIN) == {"SPF": "ok", "DMARC": "ok"}


@pytest.mark.parametrize(
    ("record", "instead", "part", "words"),
    [
        ((REPLIES, "TXT"), None, "SPF", "reply.stars.example has no TXT record v=spf1, and needs one"),
        (
            (REPLIES, "TXT"),
            ['"v=spf1 a -all"', '"v=spf1 mx -all"'],
            "SPF",
            "reply.stars.example has 2 TXT records v=spf1, and needs one",
        ),
        ((f"_dmarc.{DOMAIN}", "TXT"), None, "DMARC", "_dmarc.stars.example has no TXT record v=DMARC1"),
        (
            (f"s1._domainkey.{DOMAIN}", "TXT"),
            None,
            "DKIM",
            "s1._domainkey.stars.example has no TXT record with the public half of the key",
        ),
        (
            (f"s1._domainkey.{DOMAIN}", "TXT"),
            ['"v=DKIM1; p=MIIBIjANBg"'],
            "DKIM",
            "s1._domainkey.stars.example has another key than the one that signs",
        ),
        ((REPLIES, "MX"), None, "MX", "reply.stars.example has no MX record"),
        (
            ("mx.stars.example", "A"),
            None,
            "MX",
            "mx.stars.example, the MX of reply.stars.example, has no address",
        ),
    ],
)
def test_what_is_wrong_is_named(
    good: Zone, key: Path, record: tuple[str, str], instead: list[str] | None, part: str, words: str
) -> None:
    good.pop(record)
    if instead:
        good[record] = instead
    assert found(key) == dict.fromkeys(["SPF", "DMARC", "DKIM", "MX"], "ok") | {part: words}


def test_the_dmarc_record_of_the_domain_above_counts(good: Zone, key: Path) -> None:
    good["_dmarc.mail.stars.example", "A"] = ["192.0.2.9"]
    assert check_records("mail.stars.example")["DMARC"] == "ok"


def test_a_domain_without_an_mx_takes_mail_at_its_own_address(good: Zone, key: Path) -> None:
    good.pop((REPLIES, "MX"))
    good[REPLIES, "AAAA"] = ["2001:db8::7"]
    assert found(key)["MX"] == "ok"


def test_where_no_name_server_answers_nothing_is_called_wrong(
    name_server: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.post.dns_records._PATIENCE", 0.1)
    name_server.close()
    assert {state.partition(":")[0] for state in check_records(DOMAIN, REPLIES).values()} == {"not looked up"}


def test_the_doctor_asks_for_a_domain_that_sends_mail(good: Zone, key: Path, shared_url: str) -> None:
    good.pop((REPLIES, "MX"))
    settings = {
        "DATABASE_URL": shared_url,
        "SMTP_URL": f"smtp://127.0.0.1:{free_port()}",
        "STERNENPOST_BASE_URL": f"https://{DOMAIN}",
        "STERNENPOST_REPLY_DOMAIN": REPLIES,
        "STERNENPOST_DKIM_KEY": str(key),
        "STERNENPOST_DKIM_SELECTOR": "s1",
    }
    result = CliRunner().invoke(cli.main, ["doctor"], env=settings)
    said = dict(line.split(": ", 1) for line in result.stdout.splitlines())
    assert (said["SPF"], said["DKIM"], said["DMARC"]) == ("ok", "ok", "ok")
    assert said["MX"] == "reply.stars.example has no MX record"
    assert result.exit_code == 1
    settings["STERNENPOST_BASE_URL"] = "http://localhost:8000"
    assert "SPF" not in CliRunner().invoke(cli.main, ["doctor"], env=settings).stdout
