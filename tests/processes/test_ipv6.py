"""An IPv6-only server: web, inbound mail and Postgres listen only on [::1]."""

import asyncio
import contextlib
import smtplib
import socket
import threading
from collections.abc import Iterator
from uuid import UUID

import httpx
import psycopg
import pytest

from tests.processes.test_play_by_mail import moves_in, reply_to
from tests.support.games import BOT, ME, wanted
from tests.support.live_server import Client, House, Turn, new_house, sign_in, until

ADA = "ada@example.org"


@contextlib.contextmanager
def on_ipv6(path: str) -> Iterator[int]:
    """A port of [::1] that leads to this Unix socket: the embedded Postgres listens on nothing else."""

    async def lead(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(path)
        await asyncio.gather(carry(reader, back), carry(there, writer))

    async def carry(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await source.read(65536):
                target.write(data)
                await target.drain()
        target.close()

    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(asyncio.start_server(lead, "::1", 0), loop).result()
    yield server.sockets[0].getsockname()[1]
    loop.call_soon_threadsafe(loop.stop)
    thread.join()


@pytest.fixture
def house() -> Iterator[House]:
    with new_house() as house:
        with psycopg.connect(house.database_url) as connection:
            socket_of_postgres = f"{connection.info.host}/.s.PGSQL.5432"
        with on_ipv6(socket_of_postgres) as port:
            only = {
                "DATABASE_URL": f"postgresql://sternenpost@[::1]:{port}/sternenpost",
                "GUNICORN_CMD_ARGS": f"--bind [::1]:{house.port}",
                "STERNENPOST_BASE_URL": f"http://[::1]:{house.port}",
                "STERNENPOST_MAIL_IN": f"[::1]:{house.mail_in}",
            }
            house.start_web("[::1]", **only)
            house.start_worker(**only)
            until(lambda: listens(socket.AF_INET6, house.mail_in))
            yield house


def listens(family: socket.AddressFamily, port: int) -> bool:
    with socket.socket(family) as probe:
        return probe.connect_ex(("::1" if family == socket.AF_INET6 else "127.0.0.1", port)) == 0


def test_moves_can_be_played_over_ipv6_by_http_and_by_email(house: House) -> None:
    assert not listens(socket.AF_INET, house.port) and not listens(socket.AF_INET, house.mail_in)
    ada = sign_in(house, ADA)
    game = ada.post("/v1/games", wanted(ME, BOT, BOT))["id"]
    asked = ada.get(f"/v1/games/{game}/legal-moves")
    ada.post(f"/v1/games/{game}/moves", {"turn": asked["turn"], "move": asked["moves"][0]})

    second = turn_after(ada, game, asked["turn"])
    turn = Turn(UUID(game), 0, second)
    mail = house.await_mail(ADA, lambda it: (word := it.word("t")) and Turn.of(word) == turn)
    assert httpx.get(f"{house.url}/t/{mail.word('t')}").is_success
    reply = reply_to(mail, moves_in(mail)[0])
    with smtplib.SMTP("::1", house.mail_in, timeout=60) as smtp:
        smtp.sendmail(reply.sender, [reply.to], reply.raw)
    assert turn_after(ada, game, second) > second


def turn_after(client: Client, game: str, turn: int) -> int:
    """The next turn that is asked of the player, once the bots have moved."""

    def asked() -> int:
        now: int | None = client.get(f"/v1/games/{game}")["you"]["turn"]
        return now if now and now > turn else 0

    return until(asked)
