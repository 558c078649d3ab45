"""Metrics, and logs without secrets."""

import json
import os
import re
import signal
import smtplib
import socket
from pathlib import Path
from uuid import uuid4

import httpx
import psutil
import pytest
from flask import Flask

from server.app import create_app
from server.config import Settings
from tests.support.games import ME, wanted
from tests.support.live_server import FOR_METRICS, METRICS_TOKEN, Client, House, sign_in, until
from tests.support.running_house import lines_since, metrics, working

A_GAME = f"/v1/games/{uuid4()}"

# Metrics


@pytest.mark.parametrize(
    "words", ["", f"Bearer {METRICS_TOKEN}x", f"Basic {METRICS_TOKEN}", METRICS_TOKEN, "Bearer \xe4"]
)
def test_metrics_require_their_token(app: Flask, words: str) -> None:
    answer = app.test_client().get("/metrics", headers={"Authorization": words} if words else {})
    assert (answer.status_code, answer.json["code"]) == (401, "bad-token")
    assert app.test_client().get("/metrics", headers=FOR_METRICS).status_code == 200


def test_metrics_are_off_without_a_token(shared_url: str) -> None:
    client = create_app(Settings.from_environment({"DATABASE_URL": shared_url})).test_client()
    for headers in ({}, FOR_METRICS, {"Authorization": "Bearer None"}, {"Authorization": "Bearer "}):
        assert client.get("/metrics", headers=headers).status_code == 404


def test_metrics_cover_all_web_processes(house: House) -> None:
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


def test_a_new_web_process_deletes_the_files_of_a_killed_process_but_not_of_a_running_one(
    house: House, tmp_path: Path
) -> None:
    def starts() -> tuple[str, psutil.Process, Path]:
        before = {*tmp_path.iterdir()}
        url = house.start_another_web(TMPDIR=str(tmp_path))
        (path,) = {*tmp_path.iterdir()} - before
        (web,) = (it for it in psutil.Process().children() if str(path) in it.environ().values())
        return url, web, path

    _, killed, left = starts()
    os.killpg(killed.pid, signal.SIGKILL)
    killed.wait()
    assert [*left.iterdir()]
    url, _, used = starts()
    assert not left.exists()
    _, _, own = starts()
    assert {*tmp_path.iterdir()} == {used, own}
    assert "sternenpost_requests_total" in httpx.get(f"{url}/metrics", headers=FOR_METRICS).text


def test_metrics_contain_the_names_of_routes_but_no_text_from_clients(house: House) -> None:
    for method, path in [("GET", "/t/canary"), ("GET", "/canary"), ("CANARY", "/v1/games"), ("GET", A_GAME)]:
        httpx.request(method, house.url + path)
    samples = [sample for family in metrics(house).values() for sample in family.samples]
    routes, methods = ({it.labels[name] for it in samples if name in it.labels} for name in ("route", "method"))
    assert {"none", "/t/<word>", "/v1/games/<uuid:game_id>"} <= routes
    assert methods == {"GET", "other"}
    assert "canary" not in str(samples).lower()
    assert A_GAME not in str(samples)


def test_metrics_report_response_times_and_the_workers_queue(house: House) -> None:
    found = metrics(house)
    assert found["sternenpost_request_seconds"].type == "histogram"
    waiting = {sample.labels["what"]: sample.value for sample in found["sternenpost_waiting"].samples}
    assert waiting == {"letters": 0, "letters_due": 0, "letters_failed": 0, "mails": 0, "seats_overdue": 0}
    assert found["sternenpost_database_up"].samples[0].value == 1
    assert all(family.documentation for family in found.values())


# Logs


ADA, BEN = "canary-ada@example.org", "canary-ben@example.org"


def test_logs_are_json_without_secrets_even_on_errors(house: House) -> None:
    said = len(house.output())
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
        until(lambda: all(words in house.output() for words in told_of))
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
        *("server", "server.requests", "server.play.commits", "server.play.timing.sweep", "server.post.delivery"),
        *("server.post.incoming.smtp_server", "server.post.incoming.answering"),
    }
    (failed,) = [it for it in lines if it["message"] == "GET /v1/games/<uuid:game_id> failed"]
    assert [(it["status"], it["game"]) for it in lines if it["message"] == "request" and it["id"] == failed["id"]] == [
        (500, game_id)
    ]
    (owner,) = house.rows("SELECT player_id::text FROM players WHERE email = %s", ADA)
    played = [it for it in lines if it.get("route") == "/v1/games/<uuid:game_id>/moves"]
    assert {(it["game"], it["player"]) for it in played} == {(game_id, owner["player_id"])}
    assert any("/play/turns/" in it.get("exception", "") and "KeyError" in it["exception"] for it in lines)


def plays_badly_and_well(ada: Client, game: str, word: str, line: str) -> None:
    for body in [{"turn": 0, "move": {"star": "canary"}}, {"turn": 1, "move": "canary"}, {"canary": 1}]:
        assert 400 <= ada.ask("POST", f"{game}/moves", json=body).status_code < 500
    for form, status in [({"move": "canary"}, 422), ({"move": line}, 200), ({"move": line, "confirmed": "yes"}, 200)]:
        assert ada.ask("POST", f"/t/{word}", data=form).status_code == status


def writes_nonsense(house: House, token: str, word: str) -> None:
    for method, path in [("GET", "/canary?canary=1"), ("CANARY", f"/t/{word}"), ("POST", "/v1/games?canary=1")]:
        httpx.request(method, house.url + path, content='{"canary', headers={"Authorization": f"Bearer {token}x"})
    for raw in [f"GET /t/{word} HTTP/canary", f"GET /t/{word} HTTP/1.1\r\nAuthorization : Bearer {token}", "canary"]:
        with socket.create_connection(("127.0.0.1", house.port)) as connection:
            connection.sendall(f"{raw}\r\n\r\n".encode())
            assert b" 400 " in connection.recv(100)


def hands_over_nonsense(house: House, address: str) -> None:
    """Send the SMTP server an invalid command, and an unreadable mail to a broken game."""
    until(lambda: not house.is_mail_refused())
    with smtplib.SMTP("127.0.0.1", house.mail_in) as smtp:
        for words in (f"canary {address}", f"{address} canary", "MAIL FROM:<canary", f"RCPT TO:<{address}", "x" * 2000):
            assert smtp.docmd(words)[0] >= 400
        smtp.sendmail("canary@example.org", [address], "From: canary@example.org\r\n\r\nsay canary\r\n")


def breaks_the_game(house: House, game_id: str) -> None:
    """Write an event of an unknown type, on which pages, sweep and letters fail."""
    house.rows(
        "INSERT INTO events SELECT game_id, max(seq) + 1, max(version) + 1, 'canary', NULL, '{\"canary\": 1}', now(), '' "
        "FROM events WHERE game_id = %s GROUP BY game_id RETURNING seq",
        game_id,
    )
    house.rows("UPDATE seats SET wake_at = now() WHERE game_id = %s AND turn IS NOT NULL RETURNING seat", game_id)


def mends_the_rest(house: House, game_id: str) -> None:
    """Hide that game from later tests."""
    house.rows("UPDATE seats SET wake_at = NULL WHERE game_id = %s RETURNING seat", game_id)
    house.rows("DELETE FROM outbox WHERE game_id = %s RETURNING seat", game_id)
    house.rows("DELETE FROM inbox WHERE game_id = %s RETURNING seat", game_id)
