"""Notifications wake the post at once; otherwise the next beat does."""

from collections.abc import Iterator
from uuid import uuid4

import psycopg
import pytest
from psycopg.types.json import Jsonb

from tests.support.games import ME, OPEN, wanted
from tests.support.live_server import Client, House, new_house, sign_in
from tests.support.running_house import stops

NEVER = 3600  # seconds between two beats: longer than any test
OFTEN = 1
ADA, BEN = "ada@example.org", "ben@example.org"


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    with new_house() as house:
        house.start_web()
        yield house


def test_sign_in_codes_and_emails_after_a_move_do_not_wait_for_the_next_poll(house: House) -> None:
    post = house.start_post(NEVER)
    ada, ben = sign_in(house, ADA), sign_in(house, BEN)
    game = ada.post("/v1/games", wanted(ME, OPEN, OPEN))["id"]
    for client in (ben, sign_in(house, "cleo@example.org")):
        client.post(f"/v1/games/{game}/seats", {})
    plays(ada, game)
    house.await_mail(BEN, lambda mail: mail.word("t"))  # the link to the turn
    stops(post)


def test_without_a_notification_an_email_is_found_at_the_next_poll(house: House) -> None:
    post = house.start_post(OFTEN)
    sign_in(house, ADA)  # from now on this post listens
    dora, sign_in_id = "dora@example.org", uuid4()
    code = Jsonb({"to": dora, "code": "123456", "sign_in": str(sign_in_id)})
    with psycopg.connect(house.database_url) as connection:
        connection.execute(
            "INSERT INTO player_outbox (player_id, letter_id, dedupe, kind, data, made_at, due_at, tries)"
            " VALUES (%s, %s, 'sign-in-code/mail', 'sign-in-code', %s, now(), now(), 0)",
            (sign_in_id, uuid4(), code),
        )
    house.await_mail(dora)
    stops(post)


def plays(client: Client, game: str) -> None:
    """The first of the open moves."""
    found = client.get(f"/v1/games/{game}/legal-moves")
    client.post(f"/v1/games/{game}/moves", {"turn": found["turn"], "move": found["moves"][0]})
