"""nginx as /docs/scaling sets it up before two web servers: TLS, HTTP/2, event streams, and a Postgres outage."""

import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from typing import NamedTuple

import httpx
import pytest

from tests.support.games import BOT, ME, wanted
from tests.support.handbook import block
from tests.support.live_server import PATIENCE, Client, House, free_port, new_house, until

PROGRAM = shutil.which("nginx", path="/usr/sbin:/usr/bin")
pytestmark = pytest.mark.skipif(PROGRAM is None, reason="nginx is not installed: apt-get install nginx-light")

_AROUND = """\
daemon off;
pid {folder}/pid;
error_log {folder}/log;
events {{ worker_connections 256; }}
http {{
access_log off;
gzip on;  # as an operator may have set it for other sites
gzip_types *;
gzip_proxied any;
client_body_temp_path {folder}/body;
proxy_temp_path {folder}/proxy;
fastcgi_temp_path {folder}/fastcgi;
uwsgi_temp_path {folder}/uwsgi;
scgi_temp_path {folder}/scgi;
{guide}
}}
"""
_KEY = "req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=stars.example -keyout privkey.pem -out fullchain.pem"


ACCESS_LOG = Path(tempfile.mkdtemp(prefix="sternenpost-")) / "access.log"


class Balanced(NamedTuple):
    house: House
    webs: tuple[str, str]
    url: str  # by TLS
    plain: str


@contextmanager
def nginx(guide: str) -> Iterator[None]:
    assert PROGRAM
    folder = Path(tempfile.mkdtemp(prefix="sternenpost-"))
    folder.chmod(0o755)
    subprocess.run(["openssl", *_KEY.split()], cwd=folder, check=True, capture_output=True)
    config = folder / "nginx.conf"
    config.write_text(
        _AROUND.format(folder=folder, guide=guide.replace("/etc/letsencrypt/live/stars.example", str(folder)))
    )
    process = subprocess.Popen([PROGRAM, "-e", folder / "log", "-c", config])
    try:
        yield
    finally:
        process.terminate()
        process.wait(60)
        print((folder / "log").read_text())
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def balanced() -> Iterator[Balanced]:
    with new_house(STERNENPOST_PROXIES="1") as house:
        house.start_web()
        house.start_worker()
        webs = house.url, house.start_another_web()
        guide = block(httpx.get(f"{house.url}/docs/scaling").text, "nginx")
        tls, plain = free_port(), free_port()
        for told, here in (
            ("10.0.0.11:8000", webs[0].removeprefix("http://")),
            ("10.0.0.12:8000", webs[1].removeprefix("http://")),
            ("/var/log/nginx/sternenpost.log", str(ACCESS_LOG)),
            ("listen 443", f"listen 127.0.0.1:{tls}"),
            ("listen 80", f"listen 127.0.0.1:{plain}"),
            ("listen [::]:443", f"listen [::1]:{tls}"),
            ("listen [::]:80", f"listen [::1]:{plain}"),
        ):
            assert told in guide
            guide = guide.replace(told, here)
        with nginx(guide):
            at = Balanced(house, webs, f"https://127.0.0.1:{tls}", f"http://127.0.0.1:{plain}")
            until(lambda: is_up(at))
            yield at


def is_up(at: Balanced) -> bool:
    try:
        return asked(at, "/healthz").is_success
    except httpx.TransportError:
        return False


def asked(at: Balanced, path: str) -> httpx.Response:
    return httpx.get(f"{at.url}{path}", verify=False, timeout=PATIENCE)


def test_the_access_log_contains_no_link_tokens(balanced: Balanced) -> None:
    word = "a2" * 30
    for path in (
        f"/t/{word}",
        f"/i/{word}/plain",
        f"/feed/{word}.ics",
        f"/v1/stream?ticket={word}",
        f"/oauth?code={word}",
    ):
        asked(balanced, path)
    asked(balanced, "/docs/scaling")
    until(lambda: "/docs/scaling" in ACCESS_LOG.read_text())
    logged = ACCESS_LOG.read_text()
    assert word not in logged
    assert '"GET /t/..."' in logged and '"GET /v1/stream?..."' in logged


def test_a_game_continues_behind_the_load_balancer_and_its_stream_reports_moves_immediately(balanced: Balanced) -> None:
    ada = Client(balanced.house, Client(balanced.house).post("/v1/guests", {})["token"])
    ada._http.base_url = httpx.URL(balanced.url)
    game = ada.post("/v1/games", wanted(ME, BOT, BOT, options={"start_seat": 0}))["id"]
    told = list[str]()

    def follows() -> None:
        headers = {"Authorization": f"Bearer {ada.token}"}
        url = f"{balanced.url}/v1/games/{game}/stream"
        with httpx.stream("GET", url, headers=headers, verify=False, timeout=PATIENCE) as stream:
            for line in stream.iter_lines():
                told.append(line)
                if "star-placed" in line:
                    return

    following = Thread(target=follows)
    following.start()
    until(lambda: told)
    asks = ada.get(f"/v1/games/{game}/legal-moves")
    assert ada.ask("POST", f"/v1/games/{game}/moves", json={"turn": asks["turn"], "move": asks["moves"][0]}).is_success
    following.join(PATIENCE)
    assert not following.is_alive()


def test_a_conditional_change_succeeds_although_nginx_compresses_other_sites(balanced: Balanced) -> None:
    ada = Client(balanced.house, Client(balanced.house).post("/v1/guests", {})["token"])
    ada._http.base_url = httpx.URL(balanced.url)
    seen = ada.ask("GET", "/v1/me", headers={"Accept-Encoding": "gzip"})
    etag = seen.headers["ETag"]
    changed = ada.ask("PATCH", "/v1/me", json={"name": "Ada I"}, headers={"If-Match": etag})
    assert (changed.status_code, etag[0]) == (200, '"'), etag


def test_http_redirects_to_https_and_operator_paths_are_closed(balanced: Balanced) -> None:
    answer = httpx.get(f"{balanced.plain}/v1/rules", headers={"Host": "stars.example"})
    assert (answer.status_code, answer.headers["Location"]) == (301, "https://stars.example/v1/rules")
    assert {asked(balanced, path).status_code for path in ("/metrics", "/readyz")} == {403}


def test_every_response_has_retry_after_during_a_postgres_outage_and_succeeds_afterwards(balanced: Balanced) -> None:
    with balanced.house.without_postgres(signal.SIGKILL):
        answers = [asked(balanced, "/v1/games?status=open") for _ in range(10)]
        assert {(it.status_code, "Retry-After" in it.headers) for it in answers} == {(503, True)}
    for web in balanced.webs:
        until(lambda web=web: httpx.get(f"{web}/v1/games?status=open").is_success)
    assert {asked(balanced, "/v1/games?status=open").status_code for _ in range(10)} == {200}


def test_callers_do_not_notice_that_a_web_process_was_killed(balanced: Balanced) -> None:
    balanced.house.kill(balanced.house.web)
    assert {asked(balanced, "/v1/rules").status_code for _ in range(10)} == {200}
