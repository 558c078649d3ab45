"""A real gunicorn with few threads, and slow, broken or odd clients."""

import json
import os
import re
import selectors
import socket
import ssl
import subprocess
import time
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import ExitStack, suppress
from typing import Any

import httpx
import pytest
from gunicorn.config import Config
from gunicorn.http import get_parser
from gunicorn.workers.gthread import TConn
from hypothesis import given, settings
from hypothesis import strategies as st

from server.api.problems import ALL
from server.web import gunicorn_worker
from server.web.gunicorn_worker import LARGEST, LARGEST_MAIL, Extent, Refused, Worker, _Leaving
from tests.support.live_server import PATIENCE, gunicorn, is_up, until
from tests.support.slow_clients import ANSWERED, ODD, REFUSED, Zoo

THREADS, MANY = 4, 60
LONG = "/docs/api/schemas"
SOON = 5.0  # seconds; less would disconnect clients that a busy machine slows down
# Slow clients stay connected for an hour: if one held a thread, no other would be answered within a test.
PATIENT = f"""
from server.web import gunicorn_worker

gunicorn_worker.PATIENCE = gunicorn_worker._PARTING = 3600.0
workers, threads = 1, {THREADS}
"""
HASTY = f"{PATIENT}\ngunicorn_worker.PATIENCE = gunicorn_worker._PARTING = {SOON}"
PROBLEM = b"Content-Type: application/problem+json"


@pytest.fixture(scope="module")
def port(shared_url: str) -> Iterator[int]:
    """The port of a web that disconnects no client."""
    with gunicorn(PATIENT, shared_url) as (number, _):
        yield number


@pytest.fixture(scope="module")
def hasty_port(shared_url: str) -> Iterator[int]:
    """The port of a web that disconnects slow clients soon."""
    with gunicorn(HASTY, shared_url) as (number, _):
        yield number


def connected(port: int, *said: bytes) -> socket.socket:
    """Return a connection that has sent this much."""
    connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
    for words in said:
        connection.sendall(words)
    return connection


def is_answered(port: int, scheme: str = "http") -> bool:
    url = f"{scheme}://127.0.0.1:{port}/v1/rules"
    return all(httpx.get(url, timeout=PATIENCE, verify=False).is_success for _ in range(5))


def is_disconnected(connection: socket.socket) -> bool:
    """Wait until the server closes a connection on which it sends nothing."""
    with suppress(ConnectionError):
        return heard(connection) == b""
    return True


def heard(connection: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    found = b""
    while piece := connection.recv(65536):
        found += piece
    return found


def asked(port: int, *said: bytes, is_all: bool = False) -> bytes:
    """Return the answer to a client that sends this and, if that is all, ends its sending side."""
    with connected(port, *said) as connection:
        if is_all:
            connection.shutdown(socket.SHUT_WR)
        return heard(connection)


def request(body: bytes = b"", *headers: str, path: str = "/v1/sign-ins", length: int | None = None) -> bytes:
    """One that closes the connection afterwards."""
    lines = [f"POST {path} HTTP/1.1", "Host: x", "Connection: close", "Content-Type: application/json", *headers]
    if not any(line.startswith("Transfer-Encoding") for line in headers):
        lines.append(f"Content-Length: {len(body) if length is None else length}")
    return "\r\n".join([*lines, "", ""]).encode() + body


def chunked(*pieces: bytes, end: bytes = b"0\r\n\r\n") -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces) + end


SIGN_IN = b'{"email": "slow@example.org"}'


# Slow clients


@pytest.mark.parametrize(
    "beginning",
    [b"", b"P", b"POST /v1/sign-ins HTTP/1.1\r\nHost: x\r\n", request(SIGN_IN)[:-1], request(b"x", length=60_000)],
    ids=["nothing", "one letter", "half the headers", "all but the last byte", "one byte of the body"],
)
def test_slow_clients_do_not_slow_down_others(port: int, beginning: bytes) -> None:
    with ExitStack() as slow:
        for _ in range(MANY):
            slow.enter_context(connected(port, beginning))
        assert is_answered(port)


@pytest.mark.parametrize("odd", ODD)
def test_no_kind_of_request_blocks_a_thread(port: int, odd: str) -> None:
    with ExitStack() as crowd:
        for _ in range(4 * THREADS):
            crowd.enter_context(connected(port, ODD[odd]))
        assert is_answered(port)


@pytest.mark.parametrize("odd", REFUSED)
def test_an_ambiguous_request_is_rejected_immediately(port: int, odd: str) -> None:
    with connected(port, REFUSED[odd]) as connection:
        assert is_problem(heard(connection), *(413, "body-too-large") if "huge" in odd else (400, "malformed-request"))


@pytest.mark.parametrize("odd", ANSWERED)
def test_an_unusual_but_unambiguous_request_gets_a_response(port: int, odd: str) -> None:
    with connected(port, ANSWERED[odd]) as connection:
        assert re.match(rb"HTTP/1\.[01] (200|400|404|405) ", connection.recv(65536))


def test_normal_clients_get_responses_while_many_others_misbehave(hasty_port: int) -> None:
    with Zoo(hasty_port, 200) as zoo:
        until(lambda: zoo.came > 300)  # some were disconnected and others came
        assert is_answered(hasty_port)


def test_the_slowest_client_is_disconnected_when_all_connections_are_in_use(shared_url: str) -> None:
    few = f"{PATIENT}\nworker_connections = 20"
    with gunicorn(few, shared_url) as (number, _), ExitStack() as crowd:
        slowest = crowd.enter_context(connected(number, b"GET / HTTP/1.1\r\n"))
        for _ in range(40):
            crowd.enter_context(connected(number, b"G"))
        assert is_answered(number)
        assert heard(slowest) == b""


def test_a_slow_client_is_disconnected_when_its_time_is_over(hasty_port: int) -> None:
    began = time.monotonic()
    with connected(hasty_port, b"POST /v1/si") as connection, connected(hasty_port) as silent:
        assert is_disconnected(connection) and is_disconnected(silent)
    assert time.monotonic() - began >= SOON


def test_a_request_sent_byte_by_byte_gets_a_response(port: int) -> None:
    whole = request(SIGN_IN)
    assert asked(port, *(whole[n : n + 1] for n in range(len(whole)))).startswith(b"HTTP/1.1 202 ")


@pytest.mark.parametrize("ends", ["", "Connection: close\r\n"], ids=["keep-alive", "close"])
def test_a_client_that_does_not_read_its_response_does_not_block_others(port: int, ends: str) -> None:
    with ExitStack() as deaf:
        for _ in range(MANY):
            words = f"GET /page/main.js HTTP/1.1\r\nHost: x\r\n{ends}\r\n".encode()
            deaf.enter_context(connected(port, words * 70))
        assert is_answered(port)


def test_a_client_that_stays_connected_after_its_response_does_not_block_others(port: int) -> None:
    with ExitStack() as lingering:
        for _ in range(MANY):
            connection = lingering.enter_context(connected(port, b"GET /healthz HTTP/1.0\r\n\r\n"))
            assert heard(connection).startswith(b"HTTP/1.0 200 ")
        assert is_answered(port)


def test_a_client_chosen_for_disconnection_is_disconnected_even_if_it_starts_reading(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One look at the sockets shows both: an answer is ready without room for it, and the client reads."""
    monkeypatch.setattr(gunicorn_worker, "MOST_KEPT", 100)
    worker, ends = Worker(1, os.getpid(), [], None, 30, Config(), None), ExitStack()
    worker.poller = selectors.DefaultSelector()
    done: Future[bool] = Future()
    done.set_result(False)
    with ends:
        for _ in range(2):
            mine, theirs = socket.socketpair()
            ends.enter_context(theirs)
            conn = TConn(Config(), mine, None, None)
            conn.leaving = _Leaving(mine)
            conn.leaving.sendall(b"x" * 80)
            worker.nr_conns += 1
            looked = worker.poller.select(0)
            worker.finish_request(conn, done)
        ((takes_in, _),) = looked
        takes_in.data(takes_in.fileobj)
        assert worker.nr_conns == 1
        worker.poller.close()
        mine.close()


def test_a_long_response_arrives_completely_even_if_it_is_read_slowly(port: int) -> None:
    whole = httpx.get(f"http://127.0.0.1:{port}{LONG}").content
    assert len(whole) > 300_000
    with connected(port) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 16_384)
        connection.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % LONG.encode())
        assert heard(connection).endswith(b"\r\n\r\n" + whole)


# Requests that come as they should


def test_several_requests_can_be_sent_on_one_connection(port: int) -> None:
    with httpx.Client(base_url=f"http://127.0.0.1:{port}") as client:
        for number in range(20):
            answer = client.post("/v1/sign-ins", json={"email": f"reader{number}@example.org"})
            assert answer.status_code in (202, 429)


def test_pipelined_requests_get_their_responses_in_order(port: int) -> None:
    get = b"GET /v1/rules/%s HTTP/1.1\r\nHost: x\r\n\r\n"
    both = get % b"chess" + b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + request(SIGN_IN)
    statuses = re.findall(rb"HTTP/1\.1 (\d+)", asked(port, both))
    assert statuses[:2] == [b"404", b"200"]
    assert statuses[2] in (b"202", b"429")


def test_a_chunked_body_is_read(port: int) -> None:
    for body in (chunked(SIGN_IN), chunked(SIGN_IN[:5], SIGN_IN[5:]), chunked(SIGN_IN, end=b"0\r\nX-Sum: 1\r\n\r\n")):
        answer = asked(port, request(body, "Transfer-Encoding: chunked"))
        assert answer.split()[1] in (b"202", b"429")


def test_expect_100_continue_gets_a_response(port: int) -> None:
    whole = request(SIGN_IN, "Expect: 100-continue")
    with connected(port, whole[: -len(SIGN_IN)]) as connection:
        assert connection.recv(100).startswith(b"HTTP/1.1 100 Continue\r\n\r\n")
        connection.sendall(SIGN_IN)
        assert b"HTTP/1.1 202 " in heard(connection) or b"HTTP/1.1 429 " in heard(connection)


# Requests that do not


def is_problem(answer: bytes, status: int, code: str) -> bool:
    head, _, body = answer.rpartition(b"\r\n\r\n")
    named = re.search(rb"\r\nX-Request-Id: ([0-9a-f]{32})(\r\n|$)", head)
    assert named is not None
    assert json.loads(body)["request_id"] == named[1].decode()
    assert head.startswith(b"HTTP/1.1 %d " % status), answer
    assert PROBLEM in head, head
    assert re.search(f'"code": ?"{code}"'.encode(), body)
    assert b"<" not in body
    return True


def test_a_request_with_an_incomplete_body_gets_a_response_if_the_client_is_still_connected(port: int) -> None:
    for whole in (request(SIGN_IN, length=1000), request(chunked(SIGN_IN, end=b""), "Transfer-Encoding: chunked")):
        assert is_problem(asked(port, whole, is_all=True), 400, "malformed-request")
    with connected(port, request(SIGN_IN, length=1000)):
        pass  # and hangs up
    assert is_up(port)


@pytest.mark.parametrize("size", [64 * 1024 + 1, 200_000, 3_000_000])
def test_an_oversized_body_is_also_rejected_if_it_is_chunked(port: int, size: int) -> None:
    large = b'{"email": "' + b"x" * size + b'"}'
    for whole in (
        request(large),
        request(chunked(large), "Transfer-Encoding: chunked"),
        request(chunked(*[large[n : n + 1000] for n in range(0, size, 1000)]), "Transfer-Encoding: chunked"),
    ):
        with connected(port) as connection:
            try:
                connection.sendall(whole)
                answer = heard(connection)
            except ConnectionError:  # it was closed before all was said
                continue
            assert not answer or is_problem(answer, 413, "body-too-large")
    assert is_up(port)


@pytest.mark.parametrize("coding", ["Content-Length", "Transfer-Encoding"])
@pytest.mark.parametrize("size", [64 * 1024 + 1, 200_000])
def test_the_response_to_an_oversized_body_announces_that_the_connection_will_be_closed(
    port: int, size: int, coding: str
) -> None:
    large = b'{"email": "' + b"x" * size + b'"}'
    whole = request(chunked(large), "Transfer-Encoding: chunked") if coding == "Transfer-Encoding" else request(large)
    with connected(port, whole.replace(b"Connection: close\r\n", b"")) as connection:
        answer = heard(connection)
    assert is_problem(answer, 413, "body-too-large")
    assert re.search(rb"\r\nConnection: close\r\n", answer)


@pytest.mark.parametrize(
    "said",
    [
        b"nonsense\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"G\x00T /v1/games HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nHost: x\r\nX: a\x00b\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nHost: x\r\nX<script>: 1\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nHost: x\r\n folded: 1\r\n\r\n",
        b"GET /v1/" + b"x" * 10_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nHost: x\r\nX: " + b"x" * 20_000 + b"\r\n\r\n",
        b"GET /v1/games HTTP/1.1\r\nHost: x\r\n" + b"X: 1\r\n" * 200 + b"\r\n",
        request(SIGN_IN, "Content-Length: 5"),
        request(SIGN_IN, "Content-Length: -5", length=5),
        request(SIGN_IN, "Transfer-Encoding: chunked", "Content-Length: 5"),
        request(SIGN_IN, "Transfer-Encoding: gzip, chunked"),
        request(b"zz\r\n", "Transfer-Encoding: chunked"),
        request(b"-5\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
        request(b"5_0\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
        request(b"2\r\nabc\r\n0\r\n\r\n", "Transfer-Encoding: chunked"),
        request(b"5;" + b"x" * 2000, "Transfer-Encoding: chunked"),
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100 + b"\r\n\r\n",
    ],
    ids=lambda said: repr(said[:40]),
)
def test_the_response_to_an_invalid_request_is_a_problem(port: int, said: bytes) -> None:
    answer = asked(port, said, is_all=True)
    assert answer == b"" or is_problem(answer, 400, "malformed-request")
    assert is_up(port)


def test_a_page_from_another_origin_can_read_the_problem_that_its_headers_are_too_long(port: int) -> None:
    answer = asked(port, request(SIGN_IN, f"Last-Event-ID: {'x' * 9000}"))
    assert is_problem(answer, 400, "malformed-request")
    assert b"\r\nAccess-Control-Allow-Origin: *\r\n" in answer


def test_endless_headers_are_cut_off(port: int) -> None:
    with connected(port, b"GET / HTTP/1.1\r\n") as connection:
        try:
            for _ in range(10_000):
                connection.sendall(b"X: " + b"x" * 1000 + b"\r\n")
        except ConnectionError:
            pass
        else:
            pytest.fail("All ten megabytes were taken in.")
    assert is_up(port)


def test_the_problems_sent_by_the_gunicorn_worker_are_in_the_apis_table() -> None:
    for status, (code, title) in gunicorn_worker.PROBLEMS.items():
        assert (ALL[code].status, ALL[code].title) == (status, title)


@pytest.mark.parametrize("may_be_raised", [True, False])
def test_a_lack_of_file_descriptors_never_disconnects_a_connected_client(shared_url: str, may_be_raised: bool) -> None:
    few = f"""
import resource

resource.setrlimit(resource.RLIMIT_NOFILE, (70, {4096 if may_be_raised else 70}))
workers, threads = 1, 2
"""
    with gunicorn(few, shared_url) as (number, _), ExitStack() as crowd:
        first = crowd.enter_context(connected(number, b"GET /healthz HTTP/1.1\r\nConnection: close\r\n"))
        for _ in range(80):
            crowd.enter_context(connected(number, b"G"))
        if may_be_raised:
            assert is_up(number)
        first.sendall(b"\r\n")
        assert heard(first).startswith(b"HTTP/1.1 200 ")


# When a request is whole


def extent() -> Extent:
    return Extent(get_parser(Config(), [], ("127.0.0.1", 1)))


@settings(max_examples=30)
@given(st.binary(max_size=300), st.lists(st.binary(min_size=1, max_size=60), max_size=4), st.booleans())
def test_a_request_is_complete_only_with_its_last_byte(body: bytes, pieces: list[bytes], in_chunks: bool) -> None:
    whole = request(chunked(*pieces), "Transfer-Encoding: chunked") if in_chunks else request(body)
    at_once, arriving = extent(), extent()
    assert at_once.is_whole(whole + b"more")
    assert not any(extent().is_whole(whole[:end]) for end in range(len(whole)))
    assert [arriving.is_whole(whole[:end]) for end in range(len(whole) + 1)] == [False] * len(whole) + [True]
    for it in (at_once, arriving):
        assert it.body == (b"".join(pieces) if in_chunks else body)
        assert it.end == len(whole)


@given(st.binary(max_size=400))
def test_random_bytes_are_read_as_a_complete_or_incomplete_request_or_are_rejected(noise: bytes) -> None:
    for beginning in (b"", request(b"", length=20)[:-2], request(b"", "Transfer-Encoding: chunked")):
        with suppress(Refused):
            extent().is_whole(beginning + noise)


PIECES = [b"0", b"1", b"a", b";", b":", b"\r", b"\n", b"\r\n", b"x" * 10, b"y" * 999]


@given(
    st.sampled_from([b"", request(b"", "Transfer-Encoding: chunked")]), st.lists(st.sampled_from(PIECES), max_size=30)
)
def test_requests_can_arrive_split_at_any_byte(beginning: bytes, pieces: list[bytes]) -> None:
    received, arriving = beginning, extent()
    for piece in pieces:
        received += piece
        found = []
        for it in (arriving, extent()):
            try:
                found.append((str(it.is_whole(received)), it.end, it.body))
            except Refused as refused:
                found.append((str(refused), 0, bytearray()))
        assert found[0] == found[1]
        if found[0][0] != "False":
            break


@pytest.mark.parametrize("in_chunks", [False, True])
def test_only_emails_from_mail_providers_can_exceed_the_size_limit(in_chunks: bool) -> None:
    body = b"x" * (LARGEST + 1)
    for path, is_fit in (("/mail-in/raw?to=a", True), ("/mail-in", False), ("/v1/sign-ins", False)):
        head = ("Transfer-Encoding: chunked",) if in_chunks else ()
        whole = request(chunked(body) if in_chunks else body, *head, path=path)
        if is_fit:
            assert extent().is_whole(whole)
        else:
            with pytest.raises(Refused, match="64 KiB"):
                extent().is_whole(whole)
    with pytest.raises(Refused):
        extent().is_whole(request(b"", path="/mail-in/raw", length=LARGEST_MAIL + 1))


@pytest.mark.parametrize(
    ("header", "path", "limit"),
    [
        (f"X: {'y' * 9000}", "/v1", "A header is longer than 8190 bytes"),
        ("\r\n".join(["X: y"] * 120), "/v1", "there are more than 100"),
        ("X: y", f"/v1?{'y' * 5000}", "The path and query are longer than 4094 bytes"),
        ("\r\n".join(["X: " + "y" * 5000] * 8), "/v1", "The headers are longer than 32 KiB"),
    ],
)
def test_a_request_with_too_long_headers_is_told_the_limit(header: str, path: str, limit: str) -> None:
    with pytest.raises(Refused, match=limit):
        extent().is_whole(request(b"", header, path=path))


def test_small_chunks_are_not_scanned_repeatedly() -> None:
    received, arriving, chunk = Searched(request(b"", "Transfer-Encoding: chunked")), extent(), b"1\r\na\r\n"
    arriving.is_whole(received)
    before = received.searched
    for _ in range(2_000):
        received += chunk
        assert not arriving.is_whole(received)
    assert received.searched - before <= 2_000 * 2 * len(chunk)  # a search from the start looks at twelve million bytes


class Searched(bytearray):
    """Counts the bytes that `find` may look at."""

    searched = 0

    def find(self, *args: Any) -> int:
        self.searched += len(self) - args[1]
        return super().find(*args)


# By TLS


@pytest.fixture(scope="module")
def tls_ports(shared_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int]]:
    """The ports of two webs with a certificate of their own, a patient and a hasty one."""
    path = tmp_path_factory.mktemp("tls")
    key, certificate = path / "key.pem", path / "certificate.pem"
    making = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    making += ["-subj", "/CN=stars.example", "-keyout", str(key), "-out", str(certificate)]
    subprocess.run(making, check=True, capture_output=True)
    tls = f"certfile, keyfile = {str(certificate)!r}, {str(key)!r}"
    with ExitStack() as webs:
        patient, hasty = (
            webs.enter_context(gunicorn(f"{config}\n{tls}", shared_url, "https"))[0] for config in (PATIENT, HASTY)
        )
        yield patient, hasty


@pytest.fixture(scope="module")
def tls_port(tls_ports: tuple[int, int]) -> int:
    """The port of a web that disconnects no client."""
    return tls_ports[0]


@pytest.fixture(scope="module")
def hasty_tls_port(tls_ports: tuple[int, int]) -> int:
    """The port of a web that disconnects slow clients soon."""
    return tls_ports[1]


def by_tls(port: int) -> ssl.SSLSocket:
    """Return a TLS connection that accepts any certificate."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context.wrap_socket(connected(port))


def test_a_web_process_with_its_own_certificate_responds_over_tls(tls_port: int) -> None:
    with httpx.Client(base_url=f"https://127.0.0.1:{tls_port}", verify=False) as client:
        answers = [client.get("/v1/rules") for _ in range(3)]
        packed, plain = (client.get(LONG, headers={"Accept-Encoding": it}) for it in ("gzip", "identity"))
        sent = client.post("/v1/sign-ins", content=b"x" * 60_000, headers={"Content-Type": "application/json"})
    assert [answer.status_code for answer in (*answers, packed, plain, sent)] == [200, 200, 200, 200, 200, 400]
    assert len(plain.content) > 300_000
    assert plain.content == packed.content


def test_a_large_response_over_tls_arrives_completely_even_if_it_is_read_slowly(tls_port: int) -> None:
    whole = httpx.get(f"https://127.0.0.1:{tls_port}{LONG}", verify=False).content
    with by_tls(tls_port) as connection:
        connection.sendall(b"GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % LONG.encode())
        found = b""
        while piece := connection.recv(1000):
            found += piece
            if len(found) % 100_000 < 1000:
                assert is_answered(tls_port, "https")
    assert found.endswith(b"\r\n\r\n" + whole)


def test_a_request_sent_byte_by_byte_over_tls_gets_a_response_and_a_clean_shutdown(tls_port: int) -> None:
    whole = request(SIGN_IN)
    with by_tls(tls_port) as connection:
        for n in range(len(whole)):
            connection.sendall(whole[n : n + 1])
        assert heard(connection).startswith((b"HTTP/1.1 202 ", b"HTTP/1.1 429 "))  # which ends by a close_notify


@pytest.mark.parametrize(
    "beginning",
    [b"", b"\x16", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x01" * 100, b"GET / HTTP/1.1\r\n\r\n"],
)
def test_an_endless_tls_handshake_does_not_block_other_clients(tls_port: int, beginning: bytes) -> None:
    with ExitStack() as slow:
        for _ in range(MANY):
            slow.enter_context(connected(tls_port, beginning))
        assert is_answered(tls_port, "https")


def test_unusual_tls_clients_do_not_block_others(hasty_tls_port: int) -> None:
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with Zoo(hasty_tls_port, 200, context) as zoo:
        until(lambda: zoo.came > 250)
        assert is_answered(hasty_tls_port, "https")


def test_a_slow_tls_client_is_disconnected(hasty_tls_port: int) -> None:
    with connected(hasty_tls_port) as silent:
        with suppress(ssl.SSLError, ConnectionError), by_tls(hasty_tls_port) as connection:
            connection.sendall(b"POST /v1/si")
            assert connection.recv(100) == b""
        assert is_disconnected(silent)
