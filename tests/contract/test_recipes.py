"""The handbook's recipes and live page work as printed, despite lost responses and restarts of the web process."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Timer

import httpx
import pytest
from playwright.sync_api import Browser, expect

from tests.support.browser import PATIENCE_MS, chromium
from tests.support.handbook import block
from tests.support.live_server import PATIENCE, PLAYED, Client, House, sign_in, until
from tests.support.web_servers import serve

assert chromium  # a fixture

SKY = {"rules": "sternenhimmel", "options": {"start_seat": 0}, "title": "The long night"}
BOTS = [{"bot": "greedy"}, {"bot": "random"}]


@pytest.fixture
def ada(house: House) -> Iterator[Client]:
    house.empty()
    yield sign_in(house, "ada@example.org")


def code_block(house: House, page: str, name: str) -> str:
    return block(httpx.get(f"{house.url}/docs/{page}").text, name)


def start(house: House, where: Path, name: str, client: Client, *words: str, base: str = "") -> subprocess.Popen[str]:
    """Start a Python recipe."""
    (where / "calls.py").write_text(code_block(house, "recipes", "calls"), "utf-8")
    program = code_block(house, "recipes", name).replace("limit=50", "limit=1")  # so that a list has several pages
    (where / f"{name}.py").write_text(program, "utf-8")
    environment = {"BASE": base or house.url, "TOKEN": str(client.token)}
    command = [sys.executable, f"{name}.py", *words]
    return subprocess.Popen(command, cwd=where, env=environment, stdout=subprocess.PIPE, text=True)


def output_lines(program: subprocess.Popen[str]) -> list[str]:
    """Return what the program printed, once it has ended."""
    assert program.stdout is not None
    ends = Timer(PLAYED, program.kill)
    ends.start()
    lines = program.stdout.read().splitlines()
    ends.cancel()
    assert program.wait() == 0
    return lines


def in_a_shell(house: House, where: Path, name: str, client: Client, game: str) -> str:
    environment = {"BASE": house.url, "TOKEN": str(client.token), "GAME": game, "PATH": "/usr/local/bin:/usr/bin:/bin"}
    command = ["bash", "-eu", "-c", code_block(house, "recipes", name)]
    return subprocess.run(command, cwd=where, env=environment, check=True, capture_output=True, text=True).stdout


def game_of(client: Client) -> str:
    return str(client.post("/v1/games", {**SKY, "seats": [{"player": "me"}, *BOTS]})["id"])


def plays(client: Client, game: str) -> None:
    """Play the first legal move on turn."""
    asked = until(lambda: (legal := client.get(f"/v1/games/{game}/legal-moves"))["moves"] and legal)
    client.post(f"/v1/games/{game}/moves", {"turn": asked["turn"], "move": asked["moves"][0]})


def bad_line(house: House) -> type[BaseHTTPRequestHandler]:
    """Return a proxy that loses the first answer to each request and gives 503 to the second."""
    tries: Counter[bytes] = Counter()

    class Line(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"] or 0))
            asked = f"{self.command} {self.path}".encode() + body
            tries[asked] += 1
            if tries[asked] == 2:
                self.send_response(503)
                self.send_header("Retry-After", "1")
                self.end_headers()
                return
            headers = {
                name: value for name, value in self.headers.items() if name.lower() not in ("host", "connection")
            }
            answer = httpx.request(self.command, house.url + self.path, content=body, headers=headers)
            if tries[asked] > 2:
                self.send_response(answer.status_code)
                self.end_headers()
                self.wfile.write(answer.content)

        do_POST = do_GET

    return Line


def test_a_lost_response_does_not_lead_to_a_second_game_or_move(house: House, ada: Client, tmp_path: Path) -> None:
    with serve(bad_line(house)) as line:
        [words] = output_lines(start(house, tmp_path, "lost", ada, base=line))
    game, version = words.split()
    [opened] = ada.get("/v1/games?mine=true")["items"]
    assert opened["id"] == game
    own = [it for it in ada.get(f"/v1/games/{game}/events")["items"] if it["type"] == "star-placed" and it["seat"] == 0]
    assert [it["version"] for it in own] == [int(version)]


def test_a_stream_survives_a_restart_without_gaps_or_duplicates(house: House, ada: Client, tmp_path: Path) -> None:
    game = game_of(ada)
    program = start(house, tmp_path, "stream", ada, f"/v1/games/{game}/stream")
    assert program.stdout is not None
    first = program.stdout.readline().strip()  # with no id to resume from, it would miss events
    plays(ada, game)
    house.restart_web()
    plays(ada, game)
    ada.post(f"/v1/games/{game}/messages", {"text": "Good night"})
    ada.post(f"/v1/games/{game}/votes", {"on": "abandon", "vote": True}, status=200)
    story = ada.get(f"/v1/games/{game}/events")["items"]
    lines = [first, *output_lines(program)]
    assert [line for line in lines if line != "Good night"] == [f"{it['seq']} {it['type']}" for it in story]
    assert lines.count("Good night") == 1


def set_back(house: House, place: str) -> type[BaseHTTPRequestHandler]:
    """Return a proxy whose first stream resumes beyond the log's end, as after a restored backup."""
    asked: list[str] = []

    class Line(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            headers = {"Authorization": self.headers["Authorization"]}
            headers["Last-Event-ID"] = self.headers.get("Last-Event-ID", "") if asked else place
            asked.append(self.path)
            answer = httpx.get(house.url + self.path, headers=headers, timeout=PATIENCE)
            self.send_response(answer.status_code)
            self.end_headers()
            self.wfile.write(answer.content)

    return Line


def test_a_stream_restarts_when_its_log_has_become_shorter(house: House, ada: Client, tmp_path: Path) -> None:
    game = game_of(ada)
    plays(ada, game)
    ada.post(f"/v1/games/{game}/votes", {"on": "abandon", "vote": True}, status=200)
    story = ada.get(f"/v1/games/{game}/events")["items"]
    with serve(set_back(house, "9999-0")) as line:
        lines = output_lines(start(house, tmp_path, "stream", ada, f"/v1/games/{game}/stream", base=line))
    assert lines == [f"{game} begins again", *(f"{it['seq']} {it['type']}" for it in story)]


def test_a_stored_event_list_restarts_when_its_log_has_become_shorter(
    house: House, ada: Client, tmp_path: Path
) -> None:
    game, file = game_of(ada), tmp_path / "story.json"

    def kept() -> list[object]:
        [words] = output_lines(start(house, tmp_path, "story", ada, game, str(file)))
        found: list[object] = json.loads(file.read_text())
        assert words == f"{len(found)} events"
        return found

    def stored() -> list[object]:
        items: list[object] = ada.get(f"/v1/games/{game}/events")["items"]
        return items

    assert kept() == stored()
    plays(ada, game)
    ada.post(f"/v1/games/{game}/votes", {"on": "abandon", "vote": True}, status=200)
    assert kept() == stored()
    file.write_text(json.dumps([{"seq": 9999, "type": "of a log that is gone"}]))
    assert kept() == stored()


def test_all_turns_are_listed_with_the_time_left(house: House, ada: Client, tmp_path: Path) -> None:
    games = {game_of(ada) for _ in range(3)}
    lines = output_lines(start(house, tmp_path, "due", ada))
    assert {line.split()[0] for line in lines} == games
    assert all(re.search(r"The long night 1 day, 23:5\d:", line) for line in lines)


def test_an_error_is_readable_by_programs_and_people(house: House, ada: Client, tmp_path: Path) -> None:
    game = game_of(ada)
    plays(ada, game)
    problem = json.loads(in_a_shell(house, tmp_path, "problem", ada, game))
    assert problem["code"] == "stale-turn"
    assert problem["detail"].startswith("That turn is over")


def test_a_request_with_a_current_etag_returns_not_modified(house: House, ada: Client, tmp_path: Path) -> None:
    assert re.match(r'304 "player";r=\d+;t=\d+', in_a_shell(house, tmp_path, "asking", ada, game_of(ada)))


def test_the_sandbox_clock_can_be_moved_forward(house: House, ada: Client, tmp_path: Path) -> None:
    before = ada.ask("GET", "/v1/me").headers["Sandbox-Clock"]
    answer = in_a_shell(house, tmp_path, "clock", ada, "")
    assert "200 OK" in answer.splitlines()[0]
    [now] = re.findall(r"(?i)^sandbox-clock: (\S+)", answer, re.MULTILINE)
    assert now > before


def test_a_page_from_another_origin_follows_a_live_game(
    house: House, ada: Client, chromium: Browser, tmp_path: Path
) -> None:
    text = code_block(house, "live", "live")
    assert len(text.splitlines()) <= 45
    (tmp_path / "live.html").write_text(text, "utf-8")
    game = game_of(ada)
    with serve(tmp_path) as elsewhere, chromium.new_context() as context:
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        page.goto(f"{elsewhere}/live.html")
        expect(page.get_by_role("heading")).to_have_text("The long night")
        expect(page.get_by_role("status")).to_have_text("Waiting for ada.")
        picture = page.get_by_alt_text("The table")
        expect(picture).to_have_js_property("complete", True)
        first = picture.get_attribute("src")
        assert picture.evaluate("it => it.naturalWidth") > 0
        plays(ada, game)
        expect(page.get_by_text(re.compile("^ada put .* on "))).to_be_visible()
        expect(page.get_by_text(re.compile("^Random put .* on "))).to_be_visible(timeout=60_000)
        expect(picture).not_to_have_attribute("src", str(first))
        ada.post(f"/v1/games/{game}/votes", {"on": "abandon", "vote": True}, status=200)
        expect(page.get_by_role("status")).to_have_text("The game is abandoned.")
        page.goto(f"{elsewhere}/live.html?game={game[:-4]}0000")
        expect(page.get_by_role("status")).to_contain_text("Game not found")


def test_the_live_game_page_drops_events_that_were_reset(
    house: House, ada: Client, chromium: Browser, tmp_path: Path
) -> None:
    (tmp_path / "live.html").write_text(code_block(house, "live", "live"), "utf-8")
    game = game_of(ada)
    first, second = ({"type": "star-placed", "words": f"Seat {number} put 7 on Leo."} for number in (1, 2))
    reset = {"game": game, "newest": 1}
    body = f"data: {json.dumps(first)}\n\nevent: reset\ndata: {json.dumps(reset)}\n\ndata: {json.dumps(second)}\n\n"
    headers = {"Content-Type": "text/event-stream", "Access-Control-Allow-Origin": "*"}
    with serve(tmp_path) as elsewhere, chromium.new_context() as context:
        page = context.new_page()
        page.route(re.compile(r"/stream\?words=en$"), lambda route: route.fulfill(headers=headers, body=body))
        page.goto(f"{elsewhere}/live.html?game={game}")
        expect(page.locator("#events li")).to_have_text(["Seat 2 put 7 on Leo."])
