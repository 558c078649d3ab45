"""Event streams of a real web server: contents, ends and limits."""

import asyncio
import json
import random
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import timedelta
from typing import Any, Self
from uuid import UUID

import httpx
import pytest
from flask import Flask
from sqlalchemy import update

from server.accounts.blocks import block
from server.accounts.players import player_token
from server.accounts.signed_links import INVITATION, mark_of, sign
from server.accounts.tokens import revoke
from server.api.event_streams import EventStream
from server.clock import clock
from server.play.moves import legal_moves
from server.play.seating.games import open_game
from server.play.seating.seats import SeatClaim, decline_invitation, leave, take_seat
from server.play.story.event_feed import follow_game, follow_own
from server.play.talk.chat import say
from server.play.turns.turn_links import caller
from server.play.views import describe
from server.play.votes import vote
from server.store.notify import notifier
from server.store.tables import GameRow, Watching, db
from server.store.watching import forget_watching
from server.web import event_streams
from server.web.event_streams import Streams
from tests.support.games import BOT, ME, OPEN, all_agree, game_of, head_of, person, turn_of, wanted
from tests.support.games import moves_on as moves_on_
from tests.support.live_server import PATIENCE, gunicorn, new_house, sign_in, until
from tests.support.stream_listeners import Listener

MOST = 30
CONFIG = f"""
import os

from server.web import event_streams

os.environ["STERNENPOST_LIMIT_STREAMS_OF_ADDRESS"] = "{MOST + 1}"

event_streams.MOST = {MOST}
event_streams._QUIET, event_streams._CHECK, event_streams._LOOK = 0.5, 0.2, 0.2
workers, threads = 1, 2
"""


@pytest.fixture(scope="module")
def port(shared_url: str) -> Iterator[int]:
    with gunicorn(CONFIG, shared_url) as (number, _):
        yield number


@pytest.fixture
def ada(app: Flask) -> Iterator[UUID]:
    with app.app_context():
        yield person("ada")


@pytest.fixture
def ben(ada: UUID) -> UUID:
    return person("ben")


@pytest.fixture
def cleo(ada: UUID) -> UUID:
    return person("cleo")


def moves_on(game_id: UUID, *people: UUID) -> None:
    """Let the player to move play the first legal move."""
    moves_on_(game_id, next(who for who in people if turn_of(game_id, who) is not None))


def token_of(name: str) -> str:
    return player_token(f"{name}@example.org", name)


def path_of(game_id: UUID) -> str:
    return f"/v1/games/{game_id}/stream"


class Stream:
    """One stream, read as it comes."""

    def __init__(
        self, port: int, path: str, token: str | None = None, last: str | None = None, home: str | None = None
    ) -> None:
        self._socket = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        lines = [f"GET {path} HTTP/1.1", "Host: x", *[f"Authorization: Bearer {token}"] * bool(token)]
        lines += [f"Last-Event-ID: {last}"] * (last is not None)
        lines += [f"X-Forwarded-For: {home}"] * (home is not None)
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self._file = self._socket.makefile("rb")
        self.head = b"".join(iter(self._file.readline, b"\r\n")).decode()
        self.last = last

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()
        self._socket.close()

    @property
    def status(self) -> int:
        return int(self.head.split()[1])

    def line(self) -> str | None:
        """The next line, or None at the end."""
        line = self._file.readline().decode()
        if line.startswith("id: "):
            self.last = line[4:-1]
        return line.rstrip("\n") if line else None

    def tell(self, number: int) -> list[Any]:
        """So many further events."""
        found: list[Any] = []
        while len(found) < number:
            line = self.line()
            assert line is not None, found
            if line.startswith("data: "):
                found.append(json.loads(line[6:]))
        return found

    def hear(self, number: int) -> list[Any]:
        """So many further messages, and nothing else but comments."""
        found: list[Any] = []
        while len(found) < number:
            line = self.line()
            assert line is not None and not line.startswith("data: "), line
            if line == "event: said":
                data = self.line()
                assert data is not None and self.line() == "", data
                found.append(json.loads(data.removeprefix("data: ")))
        return found

    def rest(self) -> list[Any]:
        """All events until it ends."""
        return [json.loads(line[6:]) for line in iter(self.line, None) if line.startswith("data: ")]


def story_of(port: int, game_id: UUID, token: str | None = None, after: int = 0) -> list[Any]:
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    url = f"http://127.0.0.1:{port}/v1/games/{game_id}/events?after={after}"
    items: list[Any] = httpx.get(url, headers=headers, verify=False).raise_for_status().json()["items"]
    return items


def test_a_stream_sends_all_events_from_the_beginning_and_continues(
    port: int, ada: UUID, ben: UUID, cleo: UUID
) -> None:
    game_id = game_of(ada, ben, cleo)
    token = token_of("ada")
    with Stream(port, path_of(game_id), token) as stream:
        assert stream.status == 200
        assert "Content-Type: text/event-stream" in stream.head
        assert "X-Accel-Buffering: no" in stream.head
        before = story_of(port, game_id, token)
        assert stream.tell(len(before)) == before
        moves_on(game_id, ada, ben, cleo)
        moves_on(game_id, ada, ben, cleo)
        since = story_of(port, game_id, token, before[-1]["seq"])
        assert stream.tell(len(since)) == since
        assert stream.last == f"{since[-1]['seq']}-0"


def test_each_viewer_receives_what_they_may_see(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    game_id = game_of(ada, ben, cleo)
    with ExitStack() as stack:
        viewers = [*map(token_of, ("ada", "ben", "cleo", "dora")), None]
        streams = [stack.enter_context(Stream(port, path_of(game_id), token)) for token in viewers]
        for _ in range(6):
            moves_on(game_id, ada, ben, cleo)
        for stream, token in zip(streams, viewers, strict=True):
            told = story_of(port, game_id, token)
            assert stream.tell(len(told)) == told


@pytest.mark.parametrize("by", ["Last-Event-ID", "after", "lastEventId"])
def test_a_stream_continues_after_the_last_event(port: int, ada: UUID, ben: UUID, cleo: UUID, by: str) -> None:
    game_id = game_of(ada, ben, cleo)
    moves_on(game_id, ada, ben, cleo)
    whole = story_of(port, game_id)
    for number, item in enumerate(whole[:-1]):
        last = str(item["seq"])
        by_header = by == "Last-Event-ID"
        path = path_of(game_id) + f"?{by}={last}" * (not by_header)
        with Stream(port, path, last=last if by_header else None) as stream:
            assert stream.tell(len(whole) - number - 1) == whole[number + 1 :]


def test_an_empty_last_event_id_counts_as_missing(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    token, game_id = token_of("ada"), game_of(ada, ben, cleo)
    whole = story_of(port, game_id, token)
    for path in (path_of(game_id), "/v1/stream"):
        for last in (None, ""):
            with Stream(port, f"{path}?lastEventId=", token, last) as stream:
                assert stream.status == 200
                if path != "/v1/stream":
                    assert stream.tell(len(whole)) == whole


@pytest.mark.parametrize(
    "last", ["x", "-1", "1.5", "1-", "1-x", "1-2-3", "9" * 30, "\u00b2".encode().decode("latin-1")]
)
def test_a_last_event_id_in_another_format_is_rejected(port: int, ada: UUID, ben: UUID, cleo: UUID, last: str) -> None:
    token = token_of("ada")
    for path in (path_of(game_of(ada, ben, cleo)), "/v1/stream"):
        answer = httpx.get(
            f"http://127.0.0.1:{port}{path}",
            headers={"Last-Event-ID": last.encode("latin-1"), "Authorization": f"Bearer {token}"},
            verify=False,
        )
        assert (answer.status_code, answer.json()["code"]) == (422, "invalid-field")


def test_a_finished_games_stream_ends_and_need_not_be_reopened(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    game_id = game_of(ada, ben, cleo)
    with Stream(port, path_of(game_id)) as stream:
        all_agree(game_id, "abandon", ada, ben, cleo)
        assert stream.rest() == story_of(port, game_id)
    with Stream(port, path_of(game_id)) as again:
        assert again.rest()[-1]["type"] == "game-abandoned"
    with Stream(port, path_of(game_id), last=stream.last) as nothing:
        assert nothing.status == 204
        assert "\ncontent-type:" not in nothing.head.lower()


# What is said


def messages_of(port: int, game_id: UUID) -> list[Any]:
    url = f"http://127.0.0.1:{port}/v1/games/{game_id}/messages"
    items: list[Any] = httpx.get(url, verify=False).raise_for_status().json()["items"]
    return items


def test_a_stream_sends_chat_from_the_moment_it_opens(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    game_id = game_of(ada, ben, cleo)
    say(game_id, ada, "Before")
    with Stream(port, path_of(game_id)) as stream:
        stream.tell(len(story_of(port, game_id)))
        say(game_id, ben, "Two\nlines")
        say(game_id, ada, "\u2728")
        assert stream.hear(2) == messages_of(port, game_id)[1:]
        moves_on(game_id, ada, ben, cleo)
        assert stream.tell(1)[0]["type"] == "star-placed"
        say(game_id, ada, "A star!")
        assert [it["text"] for it in stream.hear(1)] == ["A star!"]


def test_players_waiting_for_the_start_can_chat(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    game_id = open_game(ada, wanted(ME, OPEN, BOT)).game_id
    with Stream(port, path_of(game_id), token_of("ben")) as stream:
        say(game_id, ada, "Anybody?")
        assert [it["text"] for it in stream.hear(1)] == ["Anybody?"]
        take_seat(game_id, ben)
        assert stream.tell(1)[0]["type"] == "game-started"


@pytest.mark.usefixtures("no_limits")
def test_each_message_is_sent_once_and_in_order_to_any_number_of_streams(
    port: int, ada: UUID, ben: UUID, cleo: UUID
) -> None:
    game_id = game_of(ada, ben, cleo)
    with ExitStack() as stack:
        streams = [stack.enter_context(Stream(port, path_of(game_id))) for _ in range(3)]
        for stream in streams:
            stream.tell(len(story_of(port, game_id)))
        for number in range(120):
            say(game_id, (ada, ben)[number % 2], f"Word {number}")
        for stream in streams:
            assert [it["nr"] for it in stream.hear(120)] == [*range(1, 121)]


def test_a_resumed_stream_neither_loses_nor_repeats_messages(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    game_id = game_of(ada, ben, cleo)
    say(game_id, ada, "Before anybody listened")
    with Stream(port, path_of(game_id)) as stream:
        stream.line(), stream.line()  # where it begins
    say(game_id, ada, "Heard")
    with Stream(port, path_of(game_id), last=stream.last) as stream:
        assert stream.tell(len(story := story_of(port, game_id))) == story
        assert [it["nr"] for it in stream.hear(1)] == [2]
    say(game_id, ada, "Missed")
    moves_on(game_id, ada, ben, cleo)
    with Stream(port, path_of(game_id), last=stream.last) as again:
        assert again.tell(1)[0]["type"] == "star-placed"
        assert [it["nr"] for it in again.hear(1)] == [3]
        say(game_id, ada, "Heard again")
        assert [it["nr"] for it in again.hear(1)] == [4]


def test_a_returning_follower_receives_messages_from_before_the_end(
    port: int, ada: UUID, ben: UUID, cleo: UUID
) -> None:
    game_id = game_of(ada, ben, cleo)
    with Stream(port, path_of(game_id)) as stream:
        stream.tell(len(story_of(port, game_id)))
    all_agree(game_id, "abandon", ada, ben, cleo)
    say(game_id, ada, "Good night!")
    with Stream(port, path_of(game_id), last=stream.last) as again:
        assert [it.get("type", it.get("text")) for it in again.rest()] == ["game-abandoned", "Good night!"]
    with Stream(port, path_of(game_id), last=again.last) as nothing:
        assert nothing.status == 204


def test_a_private_tables_chat_reaches_players_only_while_they_are_seated(
    port: int, ada: UUID, ben: UUID, cleo: UUID
) -> None:
    opened = open_game(ada, wanted(ME, *[OPEN] * 2, private=True))
    game_id, invitation = opened.game_id, describe(opened, 0)["invitation"]
    take_seat(game_id, ben, SeatClaim(invitation=invitation))
    with (
        Stream(port, path_of(game_id), token_of("ada")) as hers,
        Stream(port, path_of(game_id), token_of("ben")) as his,
        Stream(port, f"{path_of(game_id)}?invitation={invitation}") as guest,
    ):
        say(game_id, ada, "Among us.")
        for stream in (hers, his, guest):
            assert [it["text"] for it in stream.hear(1)] == ["Among us."]
        leave(game_id, ben)
        say(game_id, ada, "He has gone.")
        assert his.rest() == []
        assert [it["text"] for it in hers.hear(1)] == ["He has gone."]


def test_a_revoked_token_receives_no_further_messages(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    game_id, token = game_of(ada, ben, cleo), token_of("ada")
    with Stream(port, path_of(game_id), token) as stream:
        stream.tell(len(story_of(port, game_id)))
        revoke(caller(token))
        say(game_id, ben, "She is away.")
        assert stream.rest() == []


def test_messages_from_another_process_arrive_immediately(
    port: int, shared_url: str, ada: UUID, ben: UUID, cleo: UUID
) -> None:
    """By the hint alone: this web does not look by itself in the time of a test."""
    game_id, token = game_of(ada, ben, cleo), token_of("ada")
    with (
        gunicorn(CONFIG + "event_streams._LOOK = 1000.0", shared_url) as (far, _),
        Stream(far, path_of(game_id)) as stream,
    ):
        stream.tell(len(story_of(far, game_id)))
        for number in range(1, 4):
            said = httpx.post(
                f"http://127.0.0.1:{port}/v1/games/{game_id}/messages",
                json={"text": f"Word {number}"},
                headers={"Authorization": f"Bearer {token}"},
                verify=False,
            )
            assert stream.hear(1) == [said.json()]


def test_a_quiet_stream_is_kept_alive(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    with Stream(port, path_of(game_of(ada, ben, cleo))) as stream:
        comments = 0
        while comments < 2:
            comments += stream.line() == ":"


def test_a_stream_ends_with_its_token(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    game_id, token = game_of(ada, ben, cleo), token_of("ada")
    for path in (path_of(game_id), "/v1/stream"):
        with Stream(port, path, token := token_of("ada")) as stream:
            revoke(caller(token))
            stream.rest()


def test_streams_above_the_limit_are_deferred_but_moves_are_not(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    game_id, token = game_of(ada, ben, cleo), token_of("ada")
    with ExitStack() as stack:
        for _ in range(MOST):
            assert stack.enter_context(Stream(port, path_of(game_id))).tell(1)
        answer = httpx.get(f"http://127.0.0.1:{port}{path_of(game_id)}", verify=False)
        assert (answer.status_code, answer.json()["code"]) == (503, "too-many-streams")
        assert int(answer.headers["Retry-After"]) > 0
        moves = legal_moves(game_id, ada, [])
        moved = httpx.post(
            f"http://127.0.0.1:{port}/v1/games/{game_id}/moves",
            json={"turn": moves["turn"], "move": moves["moves"][0]},
            headers={"Authorization": f"Bearer {token}"},
            verify=False,
        )
        assert moved.status_code == 201
    until(lambda: is_open(port, game_id))


@pytest.fixture(scope="module")
def bounded_port(shared_url: str) -> Iterator[int]:
    with bounded_web(shared_url) as port:
        yield port


@contextmanager
def bounded_web(shared_url: str) -> Iterator[int]:
    """A web in which a player keeps four streams open, an address three, and all without a token eight."""
    bounds = {"STREAMS": "4", "STREAMS_OF_ADDRESS": "3", "STREAMS_OF_STRANGERS": "8"}
    variables = {"STERNENPOST_PROXIES": "1", **{f"STERNENPOST_LIMIT_{name}": it for name, it in bounds.items()}}
    with gunicorn(f"import os\n\nos.environ |= {variables}\nworkers, threads = 1, 4\n", shared_url) as (number, _):
        yield number


def test_a_players_streams_are_limited_across_tokens(bounded_port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    game_id = game_of(ada, ben, cleo)
    with ExitStack() as stack:
        first, *_ = [stack.enter_context(Stream(bounded_port, path_of(game_id), token_of("ada"))) for _ in range(4)]
        answer = asked_for(bounded_port, path_of(game_id), token_of("ada"))
        assert (answer.status_code, answer.json()["code"]) == (429, "too-many-requests")
        assert "4 open event streams" in answer.json()["detail"]
        assert int(answer.headers["Retry-After"]) > 0
        assert stack.enter_context(Stream(bounded_port, path_of(game_id), token_of("ben"))).tell(1)
        first.close()
        until(lambda: asked_for(bounded_port, path_of(game_id), token_of("ada")).status_code == 200)


def test_streams_without_a_token_are_limited_per_address_and_leave_room_for_players(
    bounded_port: int, ada: UUID, ben: UUID, cleo: UUID
) -> None:
    game_id = game_of(ada, ben, cleo)
    homes = ["192.0.2.7", "192.0.2.7", "::ffff:192.0.2.7"] + ["2001:db8::7", "2001:db8::8", "2001:db8::9"]
    with ExitStack() as stack:
        for home in homes:
            assert stack.enter_context(Stream(bounded_port, path_of(game_id), home=home)).tell(1)
        for home in ("192.0.2.7", "2001:db8::ffff"):
            answer = asked_for(bounded_port, path_of(game_id), home=home)
            assert (answer.status_code, answer.json()["code"]) == (429, "too-many-requests")
            assert "3 open event streams" in answer.json()["detail"]
        for home in ("192.0.2.8", "192.0.2.9"):
            assert stack.enter_context(Stream(bounded_port, path_of(game_id), home=home)).tell(1)
        answer = asked_for(bounded_port, path_of(game_id), home="192.0.2.10")
        assert (answer.status_code, answer.json()["code"]) == (503, "too-many-streams")
        assert "without a token" in answer.json()["detail"]
        for name in ("ada", "ben"):
            assert stack.enter_context(Stream(bounded_port, path_of(game_id), token_of(name), home="192.0.2.7")).tell(1)


def test_streams_of_a_player_and_an_address_count_across_all_web_processes(
    bounded_port: int, shared_url: str, ada: UUID, ben: UUID, cleo: UUID
) -> None:
    path, ads, home = path_of(game_of(ada, ben, cleo)), token_of("ada"), "192.0.2.20"
    with ExitStack() as stack:
        with bounded_web(shared_url) as other_port:
            for port in (bounded_port, other_port, bounded_port, other_port):
                until(lambda port=port: open_one(stack, port, path, ads))
            for port in (bounded_port, other_port, bounded_port):
                until(lambda port=port: open_one(stack, port, path, home=home))
            for port in (bounded_port, other_port):
                assert asked_for(port, path, ads).status_code == 429
                assert asked_for(port, path, home=home).status_code == 429
        until(lambda: asked_for(bounded_port, path, ads).status_code == 200)  # those of a stopped web do not count


def open_one(stack: ExitStack, port: int, path: str, token: str | None = None, home: str = "192.0.2.1") -> bool:
    """False if there is no room: what was open before may still count."""
    stream = Stream(port, path, token, home=home)
    if "200 OK" not in stream.head:
        stream.close()
        return False
    stack.enter_context(stream)
    return True


def asked_for(port: int, path: str, token: str | None = None, home: str = "192.0.2.1") -> httpx.Response:
    """The answer to who asks for a stream; without its body, if it is one."""
    headers = {"X-Forwarded-For": home} | ({"Authorization": f"Bearer {token}"} if token else {})
    with httpx.stream("GET", f"http://127.0.0.1:{port}{path}", headers=headers, verify=False) as answer:
        if answer.status_code != 200:
            answer.read()
        return answer


def is_open(port: int, game_id: UUID) -> bool:
    with Stream(port, path_of(game_id)) as stream:
        return stream.status == 200


def test_a_client_that_does_not_read_does_not_slow_down_others(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    game_id = game_of(ada, ben, cleo)
    with ExitStack() as deaf:
        for _ in range(MOST - 1):
            connection = deaf.enter_context(socket.create_connection(("127.0.0.1", port), timeout=PATIENCE))
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1024)
            connection.sendall(f"GET {path_of(game_id)} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
        with Stream(port, path_of(game_id)) as stream:
            assert stream.tell(1)


def test_a_client_with_a_dead_connection_does_not_affect_other_clients(
    app: Flask, ada: UUID, ben: UUID, cleo: UUID
) -> None:
    game_id, streams = game_of(ada, ben, cleo), Streams(app)
    with socket.create_server(("127.0.0.1", 0)) as door, ExitStack() as clients:

        def begin(head: bytes) -> tuple[socket.socket, socket.socket]:
            client = clients.enter_context(socket.create_connection(door.getsockname(), timeout=PATIENCE))
            connection = clients.enter_context(door.accept()[0])
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, 200)  # milliseconds
            follower = follow_game(game_id, None, None, 0)
            assert follower is not None
            streams.take(connection, EventStream(follower), head)
            return client, connection

        _, dead = begin(b"x" * 8 * 1024 * 1024)
        until(lambda: dead.fileno() < 0)
        alive, _ = begin(b"welcome\n")
        assert alive.recv(8) == b"welcome\n"
        streams.stop()
        while alive.recv(4096):
            pass


def test_following_one_game_counts_as_presence_but_following_all_games_does_not(
    app: Flask, ada: UUID, ben: UUID, cleo: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(event_streams, "_CHECK", 0.1)
    game_id, streams = game_of(ada, ben, cleo), Streams(app)
    of_game, of_all = (caller(token_of(name)) for name in ("ada", "ben"))
    followers = [follow_own(of_all, None), follow_game(game_id, None, None, 0), follow_game(game_id, of_game, None, 0)]
    with ExitStack() as open_:
        for follower in filter(None, followers):
            ours, theirs = socket.socketpair()
            open_.enter_context(ours)
            streams.take(theirs, EventStream(follower), b"")
        until(lambda: there() != [])
        assert there() == [(game_id, ada)]
        streams.stop()
    forget_watching(clock.now() + event_streams._THERE)
    assert there() == []


class Page:
    """An open page that follows a game by a stream of this process."""

    def __init__(self, streams: Streams, game: UUID, name: str | None, presence: bool) -> None:
        follower = follow_game(game, caller(token_of(name)) if name else None, None, 0)
        assert follower
        self._socket, theirs = socket.socketpair()
        self._socket.setblocking(False)
        self._received = b""
        streams.take(theirs, EventStream(follower, presence=presence), b"")

    def received(self) -> bytes:
        with suppress(BlockingIOError):
            self._received += self._socket.recv(1 << 20)
        return self._received

    def close(self) -> None:
        self._socket.close()


def test_players_at_a_table_see_who_else_is_there(
    app: Flask, ada: UUID, ben: UUID, cleo: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two `Streams` are two web processes, which share only the database."""
    for name in ("_CHECK", "_LOOK"):
        monkeypatch.setattr(event_streams, name, 0.1)
    zoe = person("zoe")
    game_id, nameless = game_of(ada, ben, cleo), game_of(ada, ben, cleo, options={"nameless": True})
    block(ada, cleo)
    one, other = Streams(app), Streams(app)
    with ExitStack() as open_:

        def follow(streams: Streams, name: str | None, game: UUID = game_id, presence: bool = True) -> Page:
            return open_.enter_context(closing(Page(streams, game, name, presence)))

        def told(page: Page) -> list[list[int]]:
            lines = page.received().splitlines()
            data = [lines[i + 1] for i, line in enumerate(lines) if line == b"event: present"]
            return [json.loads(it.removeprefix(b"data: "))["seats"] for it in data]

        hers, his = follow(one, "ada"), follow(other, "ben")
        quiet = [follow(one, "cleo", presence=False), follow(other, None), follow(other, "zoe")]
        quiet += [follow(one, "ada", nameless), follow(other, "ben", nameless)]
        until(lambda: told(hers) == [[1]] and told(his)[-1:] == [[0, 2]])  # Ada and Cleo don't see each other
        until(lambda: len(there()) == 6)
        assert (nameless, ada) in there() and (game_id, zoe) in there()
        second = follow(other, "ben")
        until(lambda: told(second) == [[0, 2]])
        second.close()
        until(lambda: other.held_by(ben) == 2)  # the first tab is still open
        his.close()
        until(lambda: told(hers) == [[1], []])
        his = follow(other, "ben")
        until(lambda: told(hers) == [[1], [], [1]] and told(his)[-1:] == [[0, 2]])
        other.stop()  # as when it is killed, it records nothing
        other._thread.join()
        assert (game_id, ben) in there()
        clock.forward(event_streams._THERE)
        until(lambda: told(hers)[-1] == [])
        assert [told(it) for it in quiet] == [[]] * len(quiet)
        one.stop()


def test_a_vote_or_an_answered_invitation_is_told_to_an_open_page(
    app: Flask, ada: UUID, ben: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    hints: list[UUID] = []
    monkeypatch.setattr(notifier, "note_change", hints.append)
    monkeypatch.setattr(event_streams, "received_games", lambda _: {hints.pop() for _ in list(hints)})
    game_id = game_of(ada, ben, bots=1)
    opened = open_game(ada, wanted(ME, {"email": "ben@example.org"}, OPEN)).game_id
    word = sign(INVITATION, opened, 1, mark_of("ben@example.org"))
    hints.clear()
    streams = Streams(app)
    with ExitStack() as open_:

        def changes(page: Page) -> int:
            return page.received().count(b"event: changed\ndata: {}\n\n")

        page, program, waiting = (
            open_.enter_context(closing(Page(streams, game, "ada", presence)))
            for game, presence in ((game_id, True), (game_id, False), (opened, True))
        )
        until(lambda: changes(page) == 0 and b"game-started" in page.received())
        vote(game_id, ben, "pause", True)
        until(lambda: changes(page) == 1)
        vote(game_id, ben, "pause", False)
        until(lambda: changes(page) == 2)
        decline_invitation(word)
        until(lambda: changes(waiting) == 1)
        assert changes(program) == 0
        streams.stop()


def there() -> list[tuple[UUID, UUID]]:
    db.session.rollback()
    return [(row.game_id, row.player_id) for row in db.session.scalars(db.select(Watching))]


def test_a_stream_must_be_requested_as_an_event_stream(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    url = f"http://127.0.0.1:{port}{path_of(game_of(ada, ben, cleo))}"
    assert httpx.get(url, headers={"Accept": "application/json"}, verify=False).status_code == 406
    head = httpx.head(url, verify=False)
    assert (head.status_code, head.headers["Content-Type"]) == (200, "text/event-stream; charset=utf-8")


# All games of mine


def test_a_players_own_stream_reports_all_their_games_from_now_on_including_new_ones(
    port: int, ada: UUID, ben: UUID, cleo: UUID
) -> None:
    first, token = game_of(ada, ben, cleo), token_of("ada")
    with Stream(port, "/v1/stream", token) as stream:
        assert stream.line() is not None
        moves_on(first, ada, ben, cleo)
        assert [(item["game"], item["type"]) for item in stream.tell(1)] == [(str(first), "star-placed")]
        second = game_of(ben, ada, cleo)
        begun = story_of(port, second, token)
        assert stream.tell(len(begun)) == [{"game": str(second), **item} for item in begun]
        game_of(ben, cleo, person("dora"))
        moves_on(first, ada, ben, cleo)
        assert [item["game"] for item in stream.tell(1)] == [str(first)]


def test_a_players_own_stream_contains_no_chat_messages(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    game_id = game_of(ada, ben, cleo)
    with Stream(port, "/v1/stream", token_of("ada")) as stream:
        assert stream.line() is not None
        say(game_id, ben, "Your turn!")
        moves_on(game_id, ada, ben, cleo)
        assert [item["type"] for item in stream.tell(1)] == ["star-placed"]


def test_a_players_own_stream_resumes_without_gaps_or_duplicates(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    """However it breaks off: after each event, in games that began, went on and ended meanwhile, some of them long ago."""
    token = token_of("ada")
    games = [game_of(ada, ben, cleo) for _ in range(3)]
    moves_on(games[0], ada, ben, cleo)
    clock.forward(timedelta(hours=1))
    with Stream(port, "/v1/stream", token) as stream:
        while stream.last is None:
            stream.line()
    expected: list[Any] = []
    for number in range(12):
        game_id = games[number % len(games)]
        known = head_of(game_id).table.seq
        moves_on(game_id, ada, ben, cleo)
        if number == 4:
            games.append(game_of(ben, ada, cleo))
            expected += [(str(games[-1]), item["seq"]) for item in story_of(port, games[-1], token)]
        if number == 7:
            over = games.pop(1)
            last = head_of(over).table.seq
            all_agree(over, "abandon", ada, ben, cleo)
            expected += [(str(over), item["seq"]) for item in story_of(port, over, token, last)]
        if number == 8:
            clock.forward(timedelta(minutes=2))
        expected += [(str(game_id), item["seq"]) for item in story_of(port, game_id, token, known)]
        if number % 3 == 0:
            expected = told_after(port, token, stream, expected)
    assert not told_after(port, token, stream, expected)


def told_after(port: int, token: str, stream: Stream, expected: list[Any]) -> list[Any]:
    """Take in what is expected on one further connection, or a part of it."""
    number = len(expected)
    with Stream(port, "/v1/stream", token, stream.last) as again:
        told = [(item["game"], item["seq"]) for item in again.tell(number)]
        while again.line() != "":
            pass
    assert sorted(told) == sorted(expected)
    stream.last = again.last
    return []


# Real houses


def test_streams_end_immediately_when_the_web_process_stops(app: Flask, shared_url: str) -> None:
    with app.app_context():
        game_id = game_of(*map(person, ("ada", "ben", "cleo")))
        patient = f"{CONFIG}\ngraceful_timeout = 3600"  # longer than this test waits for the end
        with gunicorn(patient, shared_url) as (number, process), Stream(number, path_of(game_id)) as stream:
            stream.tell(1)
            process.send_signal(signal.SIGTERM)
            stream.rest()
            assert process.wait(PATIENCE) == 0


def test_a_stream_ends_when_the_log_of_its_game_becomes_shorter(port: int, ada: UUID, ben: UUID, cleo: UUID) -> None:
    """As after a backup was restored; its client comes back and is told so."""
    game_id = game_of(ada, ben, cleo)
    moves_on(game_id, ada, ben, cleo)

    def goes_back() -> None:
        db.session.execute(update(GameRow).where(GameRow.game_id == game_id).values(version=GameRow.version - 1))
        db.session.commit()

    db.session.execute(update(GameRow).where(GameRow.game_id == game_id).values(version=10**6))
    with Stream(port, path_of(game_id)) as stream, ThreadPoolExecutor(1) as reader:
        stream.tell(1)
        ended = reader.submit(stream.rest)
        until(lambda: ended.done() or goes_back())


def test_streams_that_break_repeatedly_deliver_everything_once_and_in_order(
    port: int, ada: UUID, ben: UUID, cleo: UUID
) -> None:
    games = [game_of(ada, ben, cleo) for _ in range(2)]
    tokens = [token_of("ada"), None]
    listeners = [Listener(port, path_of(games[n % 2]), tokens[n % 3 % 2]) for n in range(MOST - 5)]

    async def moves_and_cuts() -> None:
        cutting = [asyncio.create_task(it.listen(random.Random(n), 0.4, 0.02)) for n, it in enumerate(listeners)]
        for number in range(24):
            game_id = games[number % 2]
            moves_on(game_id, ada, ben, cleo)
            await asyncio.sleep(0.1)
        while sum(it.connections for it in listeners) <= 2 * len(listeners):  # on a busy machine, few were made by now
            await asyncio.sleep(0.1)
        for task in cutting:
            task.cancel()

    async def to_the_end() -> None:
        async with asyncio.timeout(2 * PATIENCE):
            listening = [asyncio.create_task(it.listen()) for it in listeners]
            while any(it.told[-1:] != stories[it.path, it.token][-1:] for it in listeners):
                await asyncio.sleep(0.05)
        for task in listening:
            task.cancel()

    asyncio.run(moves_and_cuts())
    stories = {(it.path, it.token): story_of(port, UUID(it.path.split("/")[3]), it.token) for it in listeners}
    asyncio.run(to_the_end())
    assert all(it.told == stories[it.path, it.token] for it in listeners)


def test_a_stream_survives_a_postgres_outage_and_reports_moves_of_another_process() -> None:
    with new_house() as house:
        house.start_web()
        worker = house.start_worker()
        ada = sign_in(house, "ada@example.org")
        house.kill(worker)
        opening = {
            "rules": "sternenhimmel",
            "seats": [{"player": "me"}, *[{"bot": "greedy"}] * 2],
            "options": {"start_seat": 1},
        }
        game_id = ada.post("/v1/games", opening)["id"]
        with Stream(house.port, path_of(game_id), ada.token) as stream:
            begun = stream.tell(len(ada.get(f"/v1/games/{game_id}/events")["items"]))
            house.crash_postgres()
            house.start_worker()  # the bot's move
            assert stream.tell(1)[0]["seq"] > begun[-1]["seq"]
