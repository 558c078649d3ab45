"""For operators: is it well, what is wrong, what does it do; and that it ends and recovers without being asked twice."""

import json
import os
import re
import signal
import smtplib
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx
import psutil
import psycopg
import pytest
from click.testing import CliRunner, Result
from flask import Flask
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from sqlalchemy import delete, select, update

from server import cli
from server.accounts.sign_in import begin_sign_in
from server.app import create_app
from server.cli.service import OWNS_TABLES
from server.clock import Clock, clock
from server.config import Settings
from server.operations import health
from server.play import mail_in
from server.play.commits import whole_log
from server.play.mail_in import take_mail
from server.play.moves import turn_word
from server.play.sandbox_clock import move_clock
from server.post.incoming.smtp_server import SmtpServer
from server.store import log, outbox
from server.store.connections import autocommit
from server.store.tables import Delivery, Heartbeat, Incoming, LetterRow, PlayerLetterRow, SeatRow, Webhook, db
from server.webhooks.subscriptions import make_webhook
from server.worker import tell_what_is_held_up
from tests.conftest import PUBLIC
from tests.support.games import ME, game_of, head_of, person, service_is_up, wanted
from tests.support.live_server import (
    FOR_METRICS,
    METRICS_TOKEN,
    Client,
    House,
    Json,
    free_port,
    new_house,
    sign_in,
    until,
)

HTML, PROBLEM = "text/html; charset=utf-8", "application/problem+json"
A_GAME = f"/v1/games/{uuid4()}"
A_WHILE, LONG = timedelta(minutes=3), timedelta(minutes=11)
AT_ONCE = 10.0  # seconds within which a stop has to be obeyed


# Is it well?


@pytest.fixture
def well(app: Flask) -> Iterator[Flask]:
    """A service with nothing wrong, though its web and worker only left their beats."""
    with app.app_context():
        service_is_up()
        yield app


def readiness(app: Flask) -> tuple[int, Json]:
    response = app.test_client().get("/readyz")
    return response.status_code, response.json


def test_the_web_says_that_it_is_up(app: Flask) -> None:
    response = app.test_client().get("/healthz")
    assert (response.status_code, response.json) == (200, {"status": "up"})


def test_everything_is_ready(well: Flask) -> None:
    game_of(person("ada"), person("ben"), person("cleo"))
    parts = dict.fromkeys(["database", "web", "worker", "outbox", "inbox", "seats"], "ok")
    assert readiness(well) == (200, {"status": "ready", "parts": parts})


def no_beat_ever(part: str) -> None:
    db.session.execute(delete(Heartbeat).where(Heartbeat.part == part))


def an_old_beat(part: str) -> None:
    db.session.execute(update(Heartbeat).where(Heartbeat.part == part).values(at=clock.now() - A_WHILE))


def an_old_letter(_: str) -> None:
    game_of(person("ada"), person("ben"), person("cleo"))
    db.session.execute(update(LetterRow).values(made_at=clock.now() - LONG, due_at=clock.now() - LONG))


def a_letter_put_off_again_and_again(_: str) -> None:
    game_of(person("ada"), person("ben"), person("cleo"))
    later = clock.now() + A_WHILE
    db.session.execute(update(LetterRow).values(made_at=clock.now() - LONG, due_at=later, tries=5))


def a_letter_that_our_relay_refuses(_: str) -> None:
    a_letter_put_off_again_and_again(_)
    for row in db.session.scalars(select(LetterRow)):
        about = {"game_id": row.game_id, "letter_id": row.letter_id, "kind": row.kind, "seat": row.seat}
        tried = {"version": row.version, "player_id": row.player_id, "result": "failed", "at": clock.now()}
        for nr, why in enumerate(["421 4.3.2 Closing", "550 5.7.1 <ada@example.org> blocked by policy"]):
            db.session.add(Delivery(nr=nr, detail=why, **about, **tried))


def an_old_code(_: str) -> None:
    begin_sign_in("ada@example.org", "en", None)
    db.session.execute(update(PlayerLetterRow).values(made_at=clock.now() - LONG, due_at=clock.now() - LONG))


def an_old_mail(_: str) -> None:
    game_id = game_of(person("ada"), person("ben"), person("cleo"))
    take_mail(mail_in.reply_word(game_id, 0, 1), "", b"", limited=False)
    db.session.execute(update(Incoming).values(arrived_at=clock.now() - LONG))


def an_overdue_seat(_: str) -> None:
    game_of(person("ada"), person("ben"), person("cleo"))
    db.session.execute(update(SeatRow).where(SeatRow.seat == 0).values(wake_at=clock.now() - LONG))


ILLNESSES = [
    ("web", no_beat_ever, "not seen yet"),
    ("web", an_old_beat, "not seen since 20"),
    ("worker", no_beat_ever, "not seen yet"),
    ("worker", an_old_beat, "not seen since 20"),
    ("outbox", an_old_letter, "a letter has waited for 0:11:"),
    ("outbox", a_letter_put_off_again_and_again, "a letter has waited for 0:11:"),
    ("outbox", a_letter_that_our_relay_refuses, "a letter has waited for 0:11:"),
    ("outbox", an_old_code, "a letter has waited for 0:11:"),
    ("inbox", an_old_mail, "a mail has waited for 0:11:"),
    ("seats", an_overdue_seat, "1 seats wait for the worker"),
]


def test_what_our_relay_answers_is_named_but_no_address(well: Flask) -> None:
    a_letter_that_our_relay_refuses("outbox")
    db.session.commit()
    words = readiness(well)[1]["parts"]["outbox"]
    assert words.endswith("; the mail server answers 550 5.7.1")
    assert health.waiting() == {
        **(health.waiting() or {}),
        "letters_failed": 1,
        "outbox_age": pytest.approx(660, abs=30),
    }


def test_what_nobody_carries_for_long_stands_in_the_log(well: Flask, caplog: pytest.LogCaptureFixture) -> None:
    ada, minute = person("ada"), timedelta(minutes=1)
    make_webhook(ada, f"https://{PUBLIC}/", ["your-turn"], None, sandbox=False)
    game_id = game_of(ada, person("ben"), person("cleo"))
    take_mail(mail_in.reply_word(game_id, 0, 1), "", b"", limited=False)
    tell_what_is_held_up()
    assert caplog.messages == []
    long_ago = clock.now() - minute
    db.session.execute(update(LetterRow).values(due_at=long_ago))
    db.session.execute(update(Incoming).values(due_at=long_ago))
    db.session.execute(update(Webhook).values(wake_at=long_ago, rests_until=long_ago))
    db.session.commit()
    tell_what_is_held_up()
    waiting = [
        f"Some {what} have been due for 60 s, and nobody carries them" for what in ("letters", "mails", "webhooks")
    ]
    assert caplog.messages == waiting
    caplog.clear()
    for table in (LetterRow, Webhook):
        db.session.execute(update(table).values(leased_until=clock.real() + minute))
    db.session.execute(update(Incoming).values(due_at=clock.now() + minute))
    db.session.commit()
    tell_what_is_held_up()
    assert caplog.messages == []


def test_a_bundle_for_a_later_hour_is_not_late(well: Flask) -> None:
    ada = person("ada")
    outbox.put_into_bundle(ada, clock.now() + A_WHILE, clock.now() - LONG)
    db.session.commit()
    assert readiness(well)[0] == 200
    db.session.execute(update(PlayerLetterRow).values(data={"at": (clock.now() - LONG).isoformat()}))
    db.session.commit()
    assert readiness(well)[1]["parts"]["outbox"].startswith("a letter has waited for 0:11:")


@pytest.mark.parametrize(("part", "illness", "words"), ILLNESSES)
def test_the_ill_part_is_named(well: Flask, part: str, illness: object, words: str) -> None:
    illness(part)
    db.session.commit()
    status, body = readiness(well)
    assert (status, body["status"]) == (503, "ill")
    assert [name for name, state in body["parts"].items() if state != "ok"] == [part]
    assert body["parts"][part].startswith(words)


def unreachable(**more: str) -> dict[str, str]:
    return {"DATABASE_URL": f"postgresql://stars:canary@127.0.0.1:{free_port()}/stars", **more}


def test_a_database_that_is_away_is_the_one_ill_part() -> None:
    app = create_app(Settings.from_environment(unreachable()))
    assert readiness(app) == (503, {"status": "ill", "parts": {"database": "does not answer: Connection refused"}})


# The doctor


def doctor(**environment: str) -> Result:
    """`sternenpost doctor` with these settings; the logs of this process stay as they are."""
    return CliRunner().invoke(cli.main, ["doctor"], env={"SMTP_URL": "", **environment})


@pytest.fixture
def patient(well: Flask, shared_url: str, tmp_path) -> dict[str, str]:
    """The settings of a sandbox with nothing wrong."""
    return {"DATABASE_URL": shared_url, "STERNENPOST_DATA": str(tmp_path), "STERNENPOST_SANDBOX": "on"}


def found_by(result: Result) -> dict[str, str]:
    assert result.stdout, result
    return dict(line.split(": ", 1) for line in result.stdout.splitlines())


def test_the_doctor_finds_nothing_wrong(patient: dict[str, str]) -> None:
    result = doctor(**patient)
    well = dict.fromkeys(["database", "web", "worker", "outbox", "inbox", "seats", "clock", "mail"], "ok")
    assert found_by(result) == well | {"role": OWNS_TABLES}
    assert result.exit_code == 0


@pytest.mark.parametrize(("part", "illness", "words"), ILLNESSES)
def test_the_doctor_names_what_is_ill(patient: dict[str, str], part: str, illness: object, words: str) -> None:
    illness(part)
    db.session.commit()
    result = doctor(**patient)
    assert result.exit_code == 1
    found = found_by(result)
    assert [name for name, state in found.items() if state not in ("ok", OWNS_TABLES)] == [part]
    assert found[part].startswith(words)


def test_the_doctor_follows_a_clock_that_the_sandbox_put_forward(patient: dict[str, str]) -> None:
    move_clock(timedelta(days=3))
    clock.offset = timedelta(0)  # as in a process of its own
    assert doctor(**patient).exit_code == 0


def test_the_doctor_finds_a_clock_that_is_wrong(patient: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    fast = Clock()
    monkeypatch.setattr(fast, "real", lambda: clock.real() + timedelta(seconds=7))
    monkeypatch.setattr(health, "clock", fast)
    result = doctor(**patient)
    assert found_by(result)["clock"].startswith("0:00:0")
    assert result.exit_code == 1


def test_the_doctor_finds_a_mail_server_that_is_away(patient: dict[str, str]) -> None:
    result = doctor(**patient, SMTP_URL=f"smtp://127.0.0.1:{free_port()}")
    assert "Connection refused" in found_by(result)["mail"]
    assert result.exit_code == 1


def test_the_doctor_finds_letters_that_reach_nobody(patient: dict[str, str]) -> None:
    result = doctor(**patient | {"STERNENPOST_SANDBOX": "off"})
    assert found_by(result)["mail"].startswith("SMTP_URL is not set")
    assert result.exit_code == 1


def test_the_doctor_says_whether_mail_comes_in(patient: dict[str, str], well: Flask) -> None:
    where = f"127.0.0.1:{free_port()}"
    assert "Connection refused" in found_by(doctor(**patient, STERNENPOST_MAIL_IN=where))["mail in"]
    door = SmtpServer(well, where)
    door.keep_open()
    assert found_by(doctor(**patient, STERNENPOST_MAIL_IN=where))["mail in"] == "ok"
    door.close()


def test_the_doctor_finds_a_database_that_is_away() -> None:
    result = doctor(**unreachable(STERNENPOST_SANDBOX="on"))
    assert found_by(result) == {"database": "does not answer: Connection refused", "mail": "ok"}
    assert result.exit_code == 1


def test_the_doctor_says_how_to_get_a_database_where_there_is_none(tmp_path) -> None:
    result = doctor(DATABASE_URL="", STERNENPOST_DATA=str(tmp_path))
    assert found_by(result)["database"] == "not running: `python3 -m server up` starts one, DATABASE_URL names another"
    assert result.exit_code == 1


@pytest.mark.parametrize("revision", ["DELETE FROM alembic_version", "UPDATE alembic_version SET version_num = '0001'"])
def test_the_doctor_finds_tables_that_are_not_up_to_date(revision: str, database_url: str) -> None:
    with psycopg.connect(database_url) as owner:
        owner.execute(revision)
    result = doctor(DATABASE_URL=database_url)
    assert found_by(result)["database"] == "its tables are not up to date: run `sternenpost migrate`"
    assert result.exit_code == 1


def test_tables_of_a_later_release_are_no_illness(database_url: str) -> None:
    with psycopg.connect(database_url) as owner:
        owner.execute("UPDATE alembic_version SET version_num = 'later'")
    assert found_by(doctor(DATABASE_URL=database_url))["database"] == "ok"


# Settings


def config(**environment: str) -> Result:
    return CliRunner().invoke(cli.main, ["config"], env=environment)


def test_the_list_of_settings_shows_no_password() -> None:
    told = config(**unreachable(SMTP_URL="smtp://stars:canary@mail.example:587")).stdout
    assert "postgresql://stars:***@127.0.0.1" in told
    assert "SMTP_URL=smtp://stars:***@mail.example:587" in told
    assert "canary" not in told


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SMTP_URL", "smtp://stars:canary@mail.example?x=1"),
        ("SMTP_URL", "stars:canary@mail.example"),
        ("DATABASE_URL", "postgresql//stars:canary@db.example"),
        ("DATABASE_URL", "mysql://db.example?password=canary"),
        ("STERNENPOST_BASE_URL", "https//stars:canary@stars.example"),
    ],
)
def test_a_setting_that_cannot_be_meant_is_told_in_one_sentence_without_its_password(name: str, value: str) -> None:
    refused = config(**{name: value})
    assert refused.exit_code == 1
    assert len(refused.stderr.splitlines()) == 1
    assert "canary" not in refused.output


def started(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """What it says, and how it ends if it does within some seconds."""
    settings = {**os.environ, "STERNENPOST_PORT": str(free_port()), "SMTP_URL": "", **environment}
    program = [sys.executable, "-m", "server.cli", command]
    with subprocess.Popen(program, env=settings, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        try:
            _, said = process.communicate(timeout=AT_ONCE)
        except subprocess.TimeoutExpired:
            process.terminate()
            _, said = process.communicate()
    return subprocess.CompletedProcess(program, process.returncode, stderr=said)


@pytest.mark.parametrize("command", ["web", "worker"])
@pytest.mark.parametrize(
    ("url", "sentence"),
    [
        ("nonsense", "Error: DATABASE_URL should be like postgresql://user:password@host/name, not nonsense."),
        ("postgresql://stars:canary@127.0.0.1:99999/stars", "Error: DATABASE_URL should be like postgresql://"),
        ("postgresql://stars:canary@127.0.0.1/stars?hots=x", "Error: DATABASE_URL cannot be meant: invalid URI query"),
        ("", "Error: The database: not running: `python3 -m server up` starts one, DATABASE_URL names another"),
    ],
)
def test_a_part_without_a_database_to_be_meant_ends_with_a_sentence(
    command: str, url: str, sentence: str, tmp_path: Path
) -> None:
    refused = started(command, DATABASE_URL=url, STERNENPOST_DATA=str(tmp_path))
    assert refused.returncode == 1
    [said] = refused.stderr.splitlines()
    assert said.startswith(sentence)
    assert "canary" not in said


def test_a_web_whose_database_does_not_answer_says_so_and_waits_for_it() -> None:
    with socket.socket() as nobody:  # bound, and not listening
        nobody.bind(("127.0.0.1", 0))
        url = f"postgresql://stars:canary@127.0.0.1:{nobody.getsockname()[1]}/stars"
        waited = started("web", DATABASE_URL=url)
    assert waited.returncode == 0  # as asked to
    said = json.loads(waited.stderr.splitlines()[0])["message"]
    assert said == f"The database {url.replace('canary', '***')} does not answer: Connection refused"


# A real house


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    """A web as it runs for an operator, without a sandbox; a test that needs a worker starts one."""
    with new_house(STERNENPOST_SANDBOX="off", STERNENPOST_LIMITS="off") as house:
        house.start_web()
        yield house


def starts_to_work(house: House) -> subprocess.Popen[bytes]:
    worker, begun = house.start_worker(), house.rows("SELECT now()")[0]["now"]
    until(lambda: house.count("heartbeats WHERE part = 'worker' AND at > %s", begun))
    return worker


@contextmanager
def working(house: House) -> Iterator[subprocess.Popen[bytes]]:
    worker = starts_to_work(house)
    yield worker
    stops(worker)


def stops(process: subprocess.Popen[bytes]) -> None:
    """At SIGTERM, in time and in order."""
    process.terminate()
    assert process.wait(AT_ONCE) == 0


def carrier_of(worker: subprocess.Popen[bytes]) -> psutil.Process:
    """The process that carries its letters."""
    until(lambda: psutil.Process(worker.pid).children())
    return psutil.Process(worker.pid).children()[0]


def carries(worker: subprocess.Popen[bytes]) -> bool:
    """Whether it has started, which takes long on a busy machine; then it lets others go first."""
    return carrier_of(worker).nice() > psutil.Process(worker.pid).nice()


def test_letters_are_drawn_and_carried_by_a_process_that_lets_all_others_go_first(house: House) -> None:
    with working(house) as worker:
        until(lambda: carries(worker))


def test_a_worker_whose_letters_are_not_carried_any_more_ends_so_that_it_is_started_again(house: House) -> None:
    worker = starts_to_work(house)
    carrier_of(worker).kill()
    assert worker.wait(AT_ONCE) == 1


def test_nobody_carries_letters_for_a_worker_that_was_killed(house: House) -> None:
    worker = starts_to_work(house)
    carrier = carrier_of(worker)
    until(lambda: carries(worker))
    worker.kill()
    assert carrier.wait(AT_ONCE) in (0, None)


def lines_since(house: House, said: int) -> list[Json]:
    """What was logged; every line is a JSON object."""
    return [json.loads(line) for line in house.said()[said:].splitlines()]


def failures_since(house: House, said: int) -> list[Json]:
    return [line for line in lines_since(house, said) if line["level"] not in ("info", "warning")]


# What does it do?


def metrics(house: House) -> dict[str, Metric]:
    response = httpx.get(f"{house.url}/metrics", headers=FOR_METRICS)
    assert response.headers["Content-Type"].startswith("text/plain; version=")
    return {family.name: family for family in text_string_to_metric_families(response.text)}


@pytest.mark.parametrize(
    "words", ["", f"Bearer {METRICS_TOKEN}x", f"Basic {METRICS_TOKEN}", METRICS_TOKEN, "Bearer \xe4"]
)
def test_metrics_are_for_whoever_has_their_token(app: Flask, words: str) -> None:
    answer = app.test_client().get("/metrics", headers={"Authorization": words} if words else {})
    assert (answer.status_code, answer.json["code"]) == (401, "bad-token")
    assert app.test_client().get("/metrics", headers=FOR_METRICS).status_code == 200


def test_where_no_token_is_set_nobody_reads_metrics(shared_url: str) -> None:
    client = create_app(Settings.from_environment({"DATABASE_URL": shared_url})).test_client()
    for headers in ({}, FOR_METRICS, {"Authorization": "Bearer None"}, {"Authorization": "Bearer "}):
        assert client.get("/metrics", headers=headers).status_code == 404


def test_metrics_are_those_of_all_processes_of_the_web(house: House) -> None:
    web = psutil.Process(house.web.pid)
    until(lambda: len(web.children()) == 2)
    for process in web.children():
        process.suspend()  # so that the other one answers
        for _ in range(5):
            assert httpx.get(f"{house.url}/v1/rules/sternenhimmel").is_success
        process.resume()
    counted = [
        (sample.labels["method"], sample.labels["status"], sample.value)
        for sample in metrics(house)["sternenpost_requests"].samples
        if sample.labels["route"] == "/v1/rules/<name>" and sample.name.endswith("_total")
    ]
    assert counted == [("GET", "200", 10.0)]


def test_metrics_name_routes_but_no_paths_nor_what_a_client_made_up(house: House) -> None:
    for method, path in [("GET", "/t/canary"), ("GET", "/canary"), ("CANARY", "/v1/games"), ("GET", A_GAME)]:
        httpx.request(method, house.url + path)
    samples = [sample for family in metrics(house).values() for sample in family.samples]
    routes, methods = ({it.labels[name] for it in samples if name in it.labels} for name in ("route", "method"))
    assert {"none", "/t/<word>", "/v1/games/<uuid:game_id>"} <= routes
    assert methods == {"GET", "other"}
    assert "canary" not in str(samples).lower()
    assert A_GAME not in str(samples)


def test_metrics_tell_how_long_answers_take_and_what_waits_for_a_worker(house: House) -> None:
    found = metrics(house)
    assert found["sternenpost_request_seconds"].type == "histogram"
    waiting = {sample.labels["what"]: sample.value for sample in found["sternenpost_waiting"].samples}
    assert waiting == {"letters": 0, "letters_due": 0, "letters_failed": 0, "mails": 0, "seats_overdue": 0}
    assert found["sternenpost_database_up"].samples[0].value == 1
    assert all(family.documentation for family in found.values())


# Logs


ADA, BEN = "canary-ada@example.org", "canary-ben@example.org"


def test_logs_are_json_and_hold_no_secret_whatever_goes_wrong(house: House) -> None:
    said = len(house.said())
    with working(house):
        host = sign_in(house, ADA)
        ada = Client(house, host.post("/v1/tokens", {"name": "canary"})["token"])
        assert ada.ask("PATCH", "/v1/me", json={"name": "canary the first"}).is_success
        seats = [ME, {"email": BEN}, {"bot": "greedy"}]
        game_id = ada.post("/v1/games", wanted(*seats, title="a canary title", private=True))["id"]
        invitation = house.await_mail(BEN).word("i")
        for method in ("GET", "POST"):
            assert ada.ask(method, f"/i/{invitation}").is_success
        turn = house.await_mail(ADA, lambda mail: mail.word("t"))
        word, address = turn.word("t"), turn.message["Reply-To"]
    game = f"/v1/games/{game_id}"
    ada.post(f"{game}/messages", {"text": "a canary sings"})
    move = ada.get(f"{game}/legal-moves")["moves"][0]
    line = " ".join(move[part] for part in ("star", "board", "space"))
    plays_badly_and_well(ada, game, word, line)
    writes_nonsense(house, ada.token, word)
    breaks_the_game(house, game_id)
    for path in (f"/t/{word}", game):
        assert ada.ask("GET", path).status_code == 500
    assert ada.ask("POST", f"/t/{word}", data={"move": line, "confirmed": "yes"}).status_code == 500
    with working(house):
        hands_over_nonsense(house, address)
        told_of = ("could not be woken", "cannot be written", "could not be dealt with")
        until(lambda: all(words in house.said() for words in told_of))
    mends_the_rest(house, game_id)

    lines = lines_since(house, said)
    assert all({"at", "level", "logger", "message"} <= set(it) for it in lines)
    told = "\n".join(str(value) for it in lines for value in it.values())
    reply_word = address.partition("@")[0]
    code = re.search(r"\b\d{6}\b", house.post.of(ADA)[0].text)
    (seed,) = house.rows("SELECT encode(seed, 'hex') AS hex FROM games WHERE game_id = %s", game_id)
    (secret,) = house.rows("SELECT value FROM settings WHERE name = 'secret'")
    secrets = ["canary", host.token, ada.token, code[0], invitation, word, reply_word, seed["hex"], secret["value"]]
    for hidden in [*secrets, line, str(move), json.dumps(move)]:
        assert hidden.lower() not in told.lower()

    asked = {(it["method"], it["route"], it["status"]) for it in lines if it["message"] == "request"}
    assert {
        ("POST", "/t/<word>", 200),
        ("GET", "/t/<word>", 500),
        ("GET", "none", 404),
        ("other", "none", 405),
    } <= asked
    assert {it["logger"] for it in lines} == {
        *("server", "server.requests", "server.play.commits", "server.play.sweep", "server.post.delivery"),
        *("server.post.incoming.smtp_server", "server.post.incoming.answering"),
    }
    (failed,) = [it for it in lines if it["message"] == "GET /v1/games/<uuid:game_id> failed"]
    assert [(it["status"], it["game"]) for it in lines if it["message"] == "request" and it["id"] == failed["id"]] == [
        (500, game_id)
    ]
    (owner,) = house.rows("SELECT player_id::text FROM players WHERE email = %s", ADA)
    played = [it for it in lines if it.get("route") == "/v1/games/<uuid:game_id>/moves"]
    assert {(it["game"], it["player"]) for it in played} == {(game_id, owner["player_id"])}
    assert any("/play/moves.py" in it.get("exception", "") and "KeyError" in it["exception"] for it in lines)


def plays_badly_and_well(ada: Client, game: str, word: str, line: str) -> None:
    for body in [{"turn": 0, "move": {"star": "canary"}}, {"turn": 1, "move": "canary"}, {"canary": 1}]:
        assert 400 <= ada.ask("POST", f"{game}/moves", json=body).status_code < 500
    for form, status in [({"move": "canary"}, 422), ({"move": line}, 200), ({"move": line, "confirmed": "yes"}, 200)]:
        assert ada.ask("POST", f"/t/{word}", data=form).status_code == status


def writes_nonsense(house: House, token: str, word: str) -> None:
    """Requests that no page or program of ours would send."""
    for method, path in [("GET", "/canary?canary=1"), ("CANARY", f"/t/{word}"), ("POST", "/v1/games?canary=1")]:
        httpx.request(method, house.url + path, content='{"canary', headers={"Authorization": f"Bearer {token}x"})
    for raw in [f"GET /t/{word} HTTP/canary", f"GET /t/{word} HTTP/1.1\r\nAuthorization : Bearer {token}", "canary"]:
        with socket.create_connection(("127.0.0.1", house.port)) as connection:
            connection.sendall(f"{raw}\r\n\r\n".encode())
            assert b" 400 " in connection.recv(100)


def hands_over_nonsense(house: House, address: str) -> None:
    """To the door for mail: what no mail server says, and a mail that nobody can read while its game is broken."""
    until(lambda: not house.is_mail_refused())
    with smtplib.SMTP("127.0.0.1", house.mail_in) as smtp:
        for words in (f"canary {address}", f"{address} canary", "MAIL FROM:<canary", f"RCPT TO:<{address}", "x" * 2000):
            assert smtp.docmd(words)[0] >= 400
        smtp.sendmail("canary@example.org", [address], "From: canary@example.org\r\n\r\nsay canary\r\n")


def breaks_the_game(house: House, game_id: str) -> None:
    """An event that nobody understands: pages, sweep and letters stumble over it."""
    house.rows(
        "INSERT INTO events SELECT game_id, max(seq) + 1, max(version) + 1, 'canary', NULL, '{\"canary\": 1}', now(), '' "
        "FROM events WHERE game_id = %s GROUP BY game_id RETURNING seq",
        game_id,
    )
    house.rows("UPDATE seats SET wake_at = now() WHERE game_id = %s AND turn IS NOT NULL RETURNING seat", game_id)


def mends_the_rest(house: House, game_id: str) -> None:
    """So that later tests do not hear of that game any more."""
    house.rows("UPDATE seats SET wake_at = NULL WHERE game_id = %s RETURNING seat", game_id)
    house.rows("DELETE FROM outbox WHERE game_id = %s RETURNING seat", game_id)
    house.rows("DELETE FROM inbox WHERE game_id = %s RETURNING seat", game_id)


# What breaks is on its own


def test_a_page_that_breaks_breaks_no_other_one(well: Flask) -> None:
    broken, sound = (game_of(person("ada"), person("ben"), person("cleo")) for _ in range(2))
    row, head = whole_log(broken)[-1], head_of(broken).head
    head = {name: head[name] for name in ("status", "outcome", "drawn")}
    unknown = row._replace(seq=row.seq + 1, version=row.version + 1, type="unknown")
    with autocommit() as connection:
        assert log.record(connection, broken, row.version, head | {"version": unknown.version}, [unknown], [], [])
    client = well.test_client()
    for _ in range(70):  # more than there are connections
        assert client.get(f"/v1/games/{broken}").status_code == 500
        assert client.get(f"/t/{turn_word(broken, 0, row.version)}").status_code == 500
    assert client.get(f"/v1/games/{sound}").status_code == 200
    assert client.get(f"/t/{turn_word(sound, 0, row.version)}").status_code == 200
    assert {game["id"] for game in client.get("/v1/games").json["items"]} == {str(broken), str(sound)}
    assert client.get("/readyz").status_code == 200


# Without its database


NEED_IT = ["/v1/me", "/v1/games", "/v1/games?mine=true", "{game}", "{game}/events", "{game}/legal-moves", "/t/{word}"]
NEED_IT_NOT = [
    "/healthz",
    "/docs",
    "/static/plain.css",
    "/openapi.json",
    "/v1/rules/sternenhimmel",
    "/problems/not-found",
]


class Player:
    """Somebody with a game that waits for him, who asks once and sees what he gets."""

    def __init__(self, house: House, name: str) -> None:
        self._house = house
        self._email = f"{name}@example.org"
        self._client = sign_in(house, self._email)
        bots = [{"bot": "greedy"}, {"bot": "greedy"}]
        self._game = f"/v1/games/{self._client.post('/v1/games', wanted(ME, *bots))['id']}"
        self._word = house.await_mail(self._email, lambda mail: mail.word("t")).word("t")
        self._move = {"turn": 1, "move": self._client.get(f"{self._game}/legal-moves")["moves"][0]}

    def looks(self) -> list[httpx.Response]:
        return [self.asks("GET", path.format(game=self._game, word=self._word)) for path in NEED_IT]

    def moves(self) -> httpx.Response:
        return self.asks("POST", f"{self._game}/moves", json=self._move)

    def asks(self, method: str, path: str, **more: Any) -> httpx.Response:
        """Over a connection of its own, which any process of the web may take."""
        headers = {"Authorization": f"Bearer {self._client.token}"}
        return httpx.request(method, self._house.url + path, headers=headers, timeout=AT_ONCE, **more)

    def gets_mail(self) -> None:
        assert sign_in(self._house, self._email)


@pytest.fixture(scope="module")
def worker(house: House) -> subprocess.Popen[bytes]:
    return starts_to_work(house)


@pytest.mark.usefixtures("worker")
def test_while_postgres_is_away_every_answer_says_so_and_afterwards_all_is_well_at_once(house: House) -> None:
    ada, said = Player(house, "ada"), len(house.said())
    with house.without_postgres(signal.SIGINT):
        for answer in [*ada.looks(), ada.moves()]:
            assert (answer.status_code, answer.headers["Retry-After"]) == (503, "5"), answer.url
            is_page = answer.url.path.startswith("/t/")
            assert answer.headers["Content-Type"] == (HTML if is_page else PROBLEM)
            assert "The database does not answer." in answer.text
        assert all(ada.asks("GET", path).is_success for path in NEED_IT_NOT)
        ready = ada.asks("GET", "/readyz")
        assert ready.status_code == 503
        assert ready.json()["parts"]["database"].startswith("not running: ")
        assert metrics(house)["sternenpost_database_up"].samples[0].value == 0
        until(lambda: {"sweep", "deliver"} <= set(beats_that("waits for the database", house, said)))
    assert [answer.status_code for answer in ada.looks() * 2] == [200] * 2 * len(NEED_IT)
    assert ada.moves().status_code == 201
    assert ada.moves().status_code == 200
    ada.gets_mail()
    assert_quiet(house, said)


@pytest.mark.usefixtures("worker")
def test_a_crash_of_postgres_that_nobody_noticed_is_not_told_to_who_comes_next(house: House) -> None:
    ben = Player(house, "ben")
    assert [answer.status_code for answer in ben.looks() * 2] == [200] * 2 * len(NEED_IT)  # connections lie ready
    said = len(house.said())
    house.crash_postgres()
    assert [answer.status_code for answer in ben.looks() * 2] == [200] * 2 * len(NEED_IT)
    assert ben.moves().status_code == 201
    ben.gets_mail()
    assert_quiet(house, said)


def beats_that(did: str, house: House, said: int) -> list[str]:
    told = [line["message"] for line in lines_since(house, said) if line["logger"] == "server.jobs"]
    return [message.split()[2] for message in told if message.endswith(did)]


def assert_quiet(house: House, said: int) -> None:
    """An outage is told once a beat, and without a traceback; there are several of some beats."""
    beats = Counter(sweep=2, outages=1, deliver=1, replies=1, webhooks=1, open=1, held=1, heartbeat=2, uses=1)
    for did in ("waits for the database", "has its database again"):
        assert not Counter(beats_that(did, house, said)) - beats
    assert not failures_since(house, said)


# Stopping


@pytest.mark.usefixtures("worker")
def test_a_web_stops_in_time_with_requests_under_way_and_answers_those_that_end_in_time(house: House) -> None:
    cleo, said = Player(house, "cleo"), len(house.said())
    with ThreadPoolExecutor() as threads, socket.create_connection(("127.0.0.1", house.port)) as dawdler:
        dawdler.sendall(b"POST /v1/sign-ins HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n{")
        with house.locked("SELECT 1 FROM games"):
            moving = threads.submit(cleo.moves)
            house.await_waiters()
            house.web.terminate()
        assert moving.result().status_code == 201
        assert house.web.wait(AT_ONCE) == 0
    assert not failures_since(house, said)
    house.start_web()
    assert cleo.moves().status_code == 200


def test_a_worker_stops_in_time_though_a_mail_server_hangs_and_the_letter_goes_out_later(
    house: House, worker: subprocess.Popen[bytes]
) -> None:
    said, slow = len(house.said()), "slow@example.org"
    held = house.post.hold(slow)
    Client(house).post("/v1/sign-ins", {"email": slow}, status=202)
    assert held.knocked.wait(AT_ONCE)
    stops(worker)
    assert not failures_since(house, said)
    house.post.release(slow)
    assert house.count("player_outbox WHERE leased_until > now()") == 1
    with working(house):
        house.await_mail(slow)


def test_a_worker_stops_in_time_though_a_beat_waits_for_a_lock(house: House) -> None:
    worker = starts_to_work(house)
    with house.locked("SELECT 1 FROM heartbeats WHERE part = 'worker'"):
        house.await_waiters()
        stops(worker)
