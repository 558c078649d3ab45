"""DNS records of a sending domain, queried from a local name server."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from server import cli
from server.post.dkim_signing import read_key
from server.post.dns_records import check_records
from tests.support.live_server import free_port
from tests.support.name_server import DOMAIN, REPLIES, NameServer, Zone


def found(key: Path) -> dict[str, str]:
    return check_records(DOMAIN, REPLIES, "s1", read_key(key))


def test_a_domain_with_all_its_records_is_ok(good: Zone, key: Path) -> None:
    assert found(key) == dict.fromkeys(["SPF", "DMARC", "DKIM", "MX"], "ok")


def test_dns_records_of_unused_features_are_not_required(good: Zone) -> None:
    good[DOMAIN, "TXT"] = ['"v=spf1 a -all"']
    assert check_records(DOMAIN) == {"SPF": "ok", "DMARC": "ok"}


@pytest.mark.parametrize(
    ("record", "instead", "part", "words"),
    [
        ((REPLIES, "TXT"), None, "SPF", "reply.stars.example needs exactly one TXT record v=spf1, and has none"),
        (
            (REPLIES, "TXT"),
            ['"v=spf1 a -all"', '"v=spf1 mx -all"'],
            "SPF",
            "reply.stars.example needs exactly one TXT record v=spf1, and has 2",
        ),
        ((f"_dmarc.{DOMAIN}", "TXT"), None, "DMARC", "_dmarc.stars.example has no TXT record v=DMARC1"),
        (
            (f"s1._domainkey.{DOMAIN}", "TXT"),
            None,
            "DKIM",
            "s1._domainkey.stars.example has no TXT record with the public key",
        ),
        (
            (f"s1._domainkey.{DOMAIN}", "TXT"),
            ['"v=DKIM1; p=MIIBIjANBg"'],
            "DKIM",
            "s1._domainkey.stars.example has a different key from the one that signs",
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
def test_wrong_dns_records_are_named(
    good: Zone, key: Path, record: tuple[str, str], instead: list[str] | None, part: str, words: str
) -> None:
    good.pop(record)
    if instead:
        good[record] = instead
    assert found(key) == dict.fromkeys(["SPF", "DMARC", "DKIM", "MX"], "ok") | {part: words}


def test_the_parent_domains_dmarc_record_counts(good: Zone, key: Path) -> None:
    good["_dmarc.mail.stars.example", "A"] = ["192.0.2.9"]
    assert check_records("mail.stars.example")["DMARC"] == "ok"


def test_a_domain_without_mx_receives_mail_at_its_own_address(good: Zone, key: Path) -> None:
    good.pop((REPLIES, "MX"))
    good[REPLIES, "AAAA"] = ["2001:db8::7"]
    assert found(key)["MX"] == "ok"


def test_records_are_not_reported_as_wrong_if_dns_queries_get_no_response(
    name_server: NameServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("server.post.dns_records._PATIENCE", 0.1)
    name_server.close()
    assert {state.partition(":")[0] for state in check_records(DOMAIN, REPLIES).values()} == {"not looked up"}


def test_the_doctor_checks_the_records_of_a_sending_domain(good: Zone, key: Path, shared_url: str) -> None:
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
