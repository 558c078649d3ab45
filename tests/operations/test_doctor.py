"""The doctor: what it finds wrong with tables, clock and mail."""

from datetime import timedelta

import psycopg
import pytest
from click.testing import Result
from flask import Flask

from server.cli.service import OWNS_TABLES
from server.clock import Clock, clock
from server.play.timing import host_clock
from server.play.timing.sandbox_clock import move_clock
from server.post.incoming.smtp_server import SmtpServer
from server.store.tables import db
from tests.support.commands import ask, found_by
from tests.support.games import host_clock_is_off
from tests.support.illnesses import ILLNESSES, unreachable
from tests.support.live_server import free_port


def doctor(**environment: str) -> Result:
    """Run `sternenpost doctor` with these settings, without touching this process's logs."""
    return ask("doctor", **{"SMTP_URL": "", **environment})


@pytest.fixture
def patient(healthy_app: Flask, shared_url: str, tmp_path) -> dict[str, str]:
    """Return the settings of a healthy sandbox."""
    return {"DATABASE_URL": shared_url, "STERNENPOST_DATA": str(tmp_path), "STERNENPOST_SANDBOX": "on"}


ROOM = "temporary directory"


def test_the_doctor_finds_nothing_wrong(patient: dict[str, str]) -> None:
    result = doctor(**patient)
    well = dict.fromkeys(["database", "web", "worker", "outbox", "inbox", "seats", "clock", "mail", ROOM], "ok")
    assert found_by(result) == well | {"role": OWNS_TABLES}
    assert result.exit_code == 0


@pytest.mark.parametrize(("part", "illness", "words"), ILLNESSES)
def test_the_doctor_names_what_is_broken(patient: dict[str, str], part: str, illness: object, words: str) -> None:
    illness(part)
    db.session.commit()
    result = doctor(**patient)
    assert result.exit_code == 1
    found = found_by(result)
    assert [name for name, state in found.items() if state not in ("ok", OWNS_TABLES)] == [part]
    assert found[part].startswith(words)


def test_the_doctor_follows_the_sandbox_clock(patient: dict[str, str]) -> None:
    move_clock(timedelta(days=3))
    clock.offset = timedelta(0)  # as in a new process
    assert doctor(**patient).exit_code == 0


def test_the_doctor_finds_a_wrong_clock(patient: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    fast = Clock()
    monkeypatch.setattr(fast, "real", lambda: clock.real() + timedelta(seconds=7))
    monkeypatch.setattr(host_clock, "clock", fast)
    result = doctor(**patient)
    assert found_by(result)["clock"].startswith("differs from the database's clock by 0:00:0")
    assert result.exit_code == 1


def test_the_doctor_finds_a_clock_that_is_so_wrong_that_moves_are_rejected(
    patient: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    host_clock_is_off(monkeypatch, timedelta(days=2, minutes=1))
    result = doctor(**patient)
    assert found_by(result)["clock"].startswith("this machine's clock is 2 days")
    assert result.exit_code == 1


def test_the_doctor_finds_an_unreachable_mail_server(patient: dict[str, str]) -> None:
    result = doctor(**patient, SMTP_URL=f"smtp://127.0.0.1:{free_port()}")
    assert "Connection refused" in found_by(result)["mail"]
    assert result.exit_code == 1


def test_the_doctor_finds_emails_that_cannot_be_delivered(patient: dict[str, str]) -> None:
    result = doctor(**patient | {"STERNENPOST_SANDBOX": "off"})
    assert found_by(result)["mail"].startswith("SMTP_URL is not set")
    assert result.exit_code == 1


def test_the_doctor_reports_whether_inbound_mail_arrives(patient: dict[str, str], healthy_app: Flask) -> None:
    where = f"127.0.0.1:{free_port()}"
    assert "Connection refused" in found_by(doctor(**patient, STERNENPOST_MAIL_IN=where))["mail in"]
    door = SmtpServer(healthy_app, where)
    door.keep_open()
    assert found_by(doctor(**patient, STERNENPOST_MAIL_IN=where))["mail in"] == "ok"
    door.close()


def test_the_doctor_finds_an_unreachable_database() -> None:
    result = doctor(**unreachable(STERNENPOST_SANDBOX="on"))
    assert found_by(result) == {"database": "does not answer: Connection refused", "mail": "ok", ROOM: "ok"}
    assert result.exit_code == 1


def test_the_doctor_explains_how_to_get_a_database(tmp_path) -> None:
    result = doctor(DATABASE_URL="", STERNENPOST_DATA=str(tmp_path))
    assert found_by(result)["database"] == "not running: start one with `python3 -m server up`, or set DATABASE_URL"
    assert result.exit_code == 1


@pytest.mark.parametrize("revision", ["DELETE FROM alembic_version", "UPDATE alembic_version SET version_num = '0001'"])
def test_the_doctor_finds_outdated_tables(revision: str, database_url: str) -> None:
    with psycopg.connect(database_url) as owner:
        owner.execute(revision)
    result = doctor(DATABASE_URL=database_url)
    assert found_by(result)["database"] == "the tables are not up to date: run `sternenpost migrate`"
    assert result.exit_code == 1


def test_tables_from_a_later_release_are_not_reported_as_a_failure(database_url: str) -> None:
    with psycopg.connect(database_url) as owner:
        owner.execute("UPDATE alembic_version SET version_num = 'later'")
    assert found_by(doctor(DATABASE_URL=database_url))["database"] == "ok"
