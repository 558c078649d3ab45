"""Health checks: what they report about each part, and how failures are contained."""

from datetime import timedelta
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from flask import Flask
from sqlalchemy import update

from server.app import create_app
from server.clock import clock
from server.config import Settings
from server.operations import health
from server.play.commits import projected, whole_log
from server.play.mail import mail_in
from server.play.mail.mail_in import take_mail
from server.play.turns.turn_links import turn_word
from server.store import log, outbox
from server.store.connections import autocommit
from server.store.tables import Incoming, LetterRow, PlayerLetterRow, Webhook, db
from server.webhooks.subscriptions import Subscription, make_webhook
from server.worker import log_overdue_work
from tests.conftest import PUBLIC
from tests.support.games import game_of, head_of, host_clock_is_off, person
from tests.support.illnesses import A_WHILE, ILLNESSES, LONG, a_letter_that_our_relay_refuses, unreachable
from tests.support.live_server import Json

# Is it well?


def readiness(app: Flask) -> tuple[int, Json]:
    response = app.test_client().get("/readyz")
    return response.status_code, response.json


def test_the_web_process_reports_that_it_is_up(app: Flask) -> None:
    response = app.test_client().get("/healthz")
    assert (response.status_code, response.json) == (200, {"status": "up"})


def test_readiness_reports_every_part_as_ok(healthy_app: Flask) -> None:
    game_of(person("ada"), person("ben"), person("cleo"))
    parts = dict.fromkeys(["database", "web", "worker", "outbox", "inbox", "seats", "temporary directory"], "ok")
    assert readiness(healthy_app) == (200, {"status": "ready", "parts": parts})


@pytest.mark.parametrize(
    ("setting", "value"), [("BASE_URL", "https://münchen.example"), ("REPLY_DOMAIN", "my_replies.example")]
)
def test_a_server_that_cannot_compose_emails_is_not_ready(
    healthy_app: Flask, monkeypatch: pytest.MonkeyPatch, setting: str, value: str
) -> None:
    monkeypatch.setitem(healthy_app.config, setting, value)
    status, told = readiness(healthy_app)
    assert (status, told["status"]) == (503, "ill")
    assert told["parts"]["letters"].startswith("no email can be written")


def test_the_archive_storage_and_the_dkim_key_are_checked_if_they_are_set(
    healthy_app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    pem = tmp_path / "dkim.pem"
    pem.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    monkeypatch.setitem(healthy_app.config, "SHELF", tmp_path / "shelf" / "below")  # `shelve` creates it
    monkeypatch.setitem(healthy_app.config, "DKIM_KEY", pem)
    status, told = readiness(healthy_app)
    assert (status, told["parts"]["shelf"], told["parts"]["DKIM key"]) == (200, "ok", "ok")
    monkeypatch.setitem(healthy_app.config, "SHELF", pem / "shelf")
    status, told = readiness(healthy_app)
    assert (status, told["parts"]["shelf"]) == (503, "is not writable: Not a directory")
    monkeypatch.setitem(healthy_app.config, "SHELF", None)
    pem.write_text("no key")
    status, told = readiness(healthy_app)
    assert (status, told["parts"]["DKIM key"]) == (503, "The DKIM key is not an RSA key in PEM.")
    pem.unlink()
    assert readiness(healthy_app)[1]["parts"]["DKIM key"] == "The DKIM key cannot be read: No such file or directory."
    assert "shelf" not in readiness(healthy_app)[1]["parts"]


def test_a_missing_temporary_directory_is_reported(
    healthy_app: Flask, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path / "gone"))
    status, told = readiness(healthy_app)
    assert (status, told["parts"]["temporary directory"]) == (503, "is not writable: No such file or directory")


def test_the_relays_response_is_reported_without_addresses(healthy_app: Flask) -> None:
    a_letter_that_our_relay_refuses("outbox")
    db.session.commit()
    words = readiness(healthy_app)[1]["parts"]["outbox"]
    assert words.endswith("; the mail server answers 550 5.7.1")
    assert health.queue_sizes() == {
        **(health.queue_sizes() or {}),
        "letters_failed": 1,
        "outbox_age": pytest.approx(660, abs=30),
    }


def test_overdue_work_is_logged(healthy_app: Flask, caplog: pytest.LogCaptureFixture) -> None:
    ada, minute = person("ada"), timedelta(minutes=1)
    make_webhook(ada, Subscription(f"https://{PUBLIC}/", ["your-turn"]), sandbox=False)
    game_id = game_of(ada, person("ben"), person("cleo"))
    take_mail(mail_in.reply_word(game_id, 0, 1), "", b"", limited=False)
    log_overdue_work()
    assert caplog.messages == []
    long_ago = clock.now() - minute
    db.session.execute(update(LetterRow).values(due_at=long_ago))
    db.session.execute(update(Incoming).values(due_at=long_ago))
    db.session.execute(update(Webhook).values(wake_at=long_ago, rests_until=long_ago))
    db.session.commit()
    log_overdue_work()
    waiting = [
        f"Some {what} have been due for 60 s, and no process handles them"
        for what in ("game emails", "inbound emails", "webhooks")
    ]
    assert caplog.messages == waiting
    caplog.clear()
    for table in (LetterRow, Webhook):
        db.session.execute(update(table).values(leased_until=clock.real() + minute))
    db.session.execute(update(Incoming).values(due_at=clock.now() + minute))
    db.session.commit()
    log_overdue_work()
    assert caplog.messages == []


def test_a_scheduled_bundle_is_not_late(healthy_app: Flask) -> None:
    ada = person("ada")
    outbox.put_into_bundle(ada, clock.now() + A_WHILE, clock.now() - LONG)
    db.session.commit()
    assert readiness(healthy_app)[0] == 200
    db.session.execute(update(PlayerLetterRow).values(data={"at": (clock.now() - LONG).isoformat()}))
    db.session.commit()
    assert readiness(healthy_app)[1]["parts"]["outbox"].startswith("an outgoing email has waited for 0:11:")


@pytest.mark.parametrize(("part", "illness", "words"), ILLNESSES)
def test_the_broken_part_is_named(healthy_app: Flask, part: str, illness: object, words: str) -> None:
    illness(part)
    db.session.commit()
    status, body = readiness(healthy_app)
    assert (status, body["status"]) == (503, "ill")
    assert [name for name, state in body["parts"].items() if state != "ok"] == [part]
    assert body["parts"][part].startswith(words)


def test_a_wrong_clock_is_reported(healthy_app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    host_clock_is_off(monkeypatch, timedelta(days=-2))
    status, told = readiness(healthy_app)
    assert status == 503
    assert told["parts"]["clock"].startswith("this machine's clock is ")
    assert told["parts"]["clock"].endswith(" behind the database's")


def test_if_the_database_is_missing_only_the_database_is_reported_as_broken() -> None:
    app = create_app(Settings.from_environment(unreachable()))
    assert readiness(app) == (
        503,
        {"status": "ill", "parts": {"database": "does not answer: Connection refused", "temporary directory": "ok"}},
    )


# Failures are contained


def test_one_broken_page_does_not_break_other_pages(healthy_app: Flask) -> None:
    broken, sound = (game_of(person("ada"), person("ben"), person("cleo")) for _ in range(2))
    row, head = whole_log(broken)[-1], head_of(broken).head
    unknown = row._replace(seq=row.seq + 1, version=row.version + 1, type="unknown")
    ahead = projected(head._replace(version=unknown.version))
    with autocommit() as connection:
        assert log.record(connection, log.Entry(broken, row.version, ahead, [unknown]))
    client = healthy_app.test_client()
    for _ in range(70):  # more than the pool's connections
        assert client.get(f"/v1/games/{broken}").status_code == 500
        assert client.get(f"/t/{turn_word(broken, 0, row.version)}").status_code == 500
    assert client.get(f"/v1/games/{sound}").status_code == 200
    assert client.get(f"/t/{turn_word(sound, 0, row.version)}").status_code == 200
    assert {game["id"] for game in client.get("/v1/games").json["items"]} == {str(broken), str(sound)}
    assert client.get("/readyz").status_code == 200
