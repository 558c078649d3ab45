"""What one person can do to all others: `python -m tests.bench.attacks`, against a house of its own on the loopback.

Many tokens, letters to strangers, words at a table, and event streams; and what is left for others meanwhile.
"""

import contextlib
import resource
import socket
import time
from collections.abc import Iterator

from psycopg import connect

from tests.support.games import BOT, ME, OPEN, wanted
from tests.support.live_server import Client, House, new_house, sign_in, until

TOKENS, SEATS, TO_ONE, MESSAGES, STREAMS = 500, 240, 60, 300, 2000
LINK = "https://win.example"


def main() -> None:
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    with new_house(STERNENPOST_PROXIES="1", STERNENPOST_SANDBOX="off") as house:
        house.start_web()
        house.start_worker()
        ada, bea = (sign_in(house, f"{name}@example.org") for name in ("ada", "bea"))
        for attack in (tokens, messages, letters, streams):
            print(f"{attack.__name__}: {attack(house, ada, bea)}", flush=True)


def tokens(house: House, ada: Client, _: Client) -> str:
    """How many there may be, and what their requests are counted for."""
    answers = [ada.ask("POST", "/v1/tokens", json={}) for _ in range(TOKENS)]
    made = [it for it in answers if it.status_code == 201]
    return f"{len(made)} of {TOKENS} made; a request counts for {made[-1].headers['RateLimit-Policy']}"


def messages(house: House, ada: Client, _: Client) -> str:
    path = f"/v1/games/{ada.post('/v1/games', wanted(ME, OPEN, BOT))['id']}/messages"
    began = time.monotonic()
    said = [ada.ask("POST", path, json={"text": "Hello!"}).status_code for _ in range(MESSAGES)]
    return f"{said.count(201)} of {MESSAGES} said in {time.monotonic() - began:.1f} s"


def letters(house: House, ada: Client, bea: Client) -> str:
    """To many strangers, to one, and what is written in them."""
    strangers = [f"stranger{number}@example.net" for number in range(SEATS)]
    began = time.monotonic()
    opened = [
        ada.ask("POST", "/v1/games", json=_inviting(strangers[first : first + 4])).status_code
        for first in range(0, SEATS, 4)
    ]
    taken = time.monotonic() - began
    to_one = [who.ask("POST", "/v1/games", json=_inviting(["one@example.net"])) for who in (ada, bea) * (TO_ONE // 2)]
    with connect(house.database_url, autocommit=True) as connection:
        until(lambda: connection.execute("SELECT count(*) = 0 FROM outbox").fetchone() == (True,))
    written = [mail for mail in house.post.letters if mail.to.endswith("@example.net")]
    return (
        f"{len([mail for mail in written if mail.to in strangers])} to {SEATS} strangers ({opened.count(201)} games in "
        f"{taken:.1f} s), {len(house.post.of('one@example.net'))} to one address ({TO_ONE} tries, "
        f"{sum(it.status_code == 201 for it in to_one)} games), {sum(LINK in mail.text for mail in written)} with a link"
    )


def _inviting(emails: list[str]) -> dict[str, object]:
    seats = [ME, *({"email": email} for email in emails), *[BOT] * (2 - len(emails))]
    return wanted(*seats, title=f"Win at {LINK}", private=True)


def streams(house: House, ada: Client, bea: Client) -> str:
    """From one address, and from two hundred; and whether somebody who is signed in finds room."""
    game = bea.post("/v1/games", wanted(ME, BOT, BOT))["id"]
    found = []
    for homes in (["192.0.2.1"], [f"198.51.{number}.1" for number in range(200)]):
        with contextlib.ExitStack() as stack:
            statuses = list(_opened(house, game, homes, stack))
            tries = [_status(house, game, "203.0.113.1", stack, bea.token) for _ in range(20)]
        found.append(
            f"{statuses.count(200)} of {STREAMS} from {len(homes)} address{'es' * (len(homes) > 1)} open, then "
            f"{tries.count(200)} of {len(tries)} of somebody signed in"
        )
        time.sleep(3)  # until the web has seen that they are closed
    return "; ".join(found)


def _opened(house: House, game: str, homes: list[str], stack: contextlib.ExitStack) -> Iterator[int]:
    for number in range(STREAMS):
        yield _status(house, game, homes[number % len(homes)], stack)


def _status(house: House, game: str, home: str, stack: contextlib.ExitStack, token: str | None = None) -> int:
    """Of the answer; a stream stays open until the stack is closed."""
    connection = stack.enter_context(socket.create_connection(("127.0.0.1", house.port), timeout=20))
    lines = [f"GET /v1/games/{game}/stream HTTP/1.1", "Host: x", f"X-Forwarded-For: {home}"]
    lines += [f"Authorization: Bearer {token}"] * bool(token)
    connection.sendall("\r\n".join([*lines, "", ""]).encode())
    status = int(connection.recv(12).split()[1])
    if status != 200:
        connection.close()
    return status


if __name__ == "__main__":
    main()
