"""A database that reads and does not write: its disk is full, or it is a copy of another. Nothing of it is our fault."""

from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient

from server.accounts.players import player_token
from server.app import create_app
from server.config import Settings
from server.store.tables import db
from tests.support.games import game_of, head_of, person, service_is_up
from tests.support.live_server import until

FULL = (
    """CREATE FUNCTION be_full() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = 'disk_full'; END $$""",
    "CREATE TRIGGER is_full BEFORE INSERT OR UPDATE ON events FOR EACH ROW EXECUTE FUNCTION be_full()",
    "CREATE TRIGGER is_full BEFORE INSERT OR UPDATE ON sign_in_codes FOR EACH ROW EXECUTE FUNCTION be_full()",
)


class House:
    """A game that waits for Ada, over a database of its own."""

    def __init__(self, app: Flask, owner: psycopg.Connection) -> None:
        self.app, self.owner = app, owner
        self.ada = person("ada")
        self.game_id = game_of(self.ada, person("ben"), person("cleo"))
        self.token = player_token("ada@example.org")

    def has(self, *statements: str) -> None:
        """From now on this holds for whoever connects."""
        for statement in statements:
            self.owner.execute(statement.replace("DATABASE", f"DATABASE {self.owner.info.dbname}"))
        self.connects_anew()

    def connects_anew(self) -> None:
        others = "FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
        db.session.close()
        self.owner.execute(f"SELECT pg_terminate_backend(pid) {others}")
        until(lambda: self.owner.execute(f"SELECT count(*) {others}").fetchone() == (0,))

    def client(self) -> FlaskClient:
        return self.app.test_client()

    def moves(self) -> tuple[int, str | None, str | None]:
        """Ada plays: status, code and when to try again."""
        headers = {"Authorization": f"Bearer {self.token}"}
        open_ = self.client().get(f"/v1/games/{self.game_id}/legal-moves", headers=headers).json
        move = {"turn": open_["turn"], "move": open_["moves"][0]}
        answer = self.client().post(f"/v1/games/{self.game_id}/moves", json=move, headers=headers)
        return answer.status_code, answer.json.get("code"), answer.headers.get("Retry-After")

    def database(self) -> tuple[int, str]:
        answer = self.client().get("/readyz")
        return answer.status_code, answer.json["parts"]["database"]


@pytest.fixture
def house(database_url: str) -> Iterator[House]:
    app = create_app(Settings.from_environment({"DATABASE_URL": database_url}))
    with app.app_context(), psycopg.connect(database_url, autocommit=True) as owner:
        service_is_up()
        yield House(app, owner)
        db.session.close()
        db.engine.dispose()


def version(game_id: UUID) -> int:
    return head_of(game_id).table.version


def test_a_full_disk_is_told_as_one_and_the_move_counts_once_there_is_room(house: House) -> None:
    before = version(house.game_id)
    house.has(*FULL)
    assert house.moves() == (503, "unavailable", "5")
    answer = house.client().post("/v1/sign-ins", json={"email": "dora@example.org"})
    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    assert version(house.game_id) == before
    house.has("DROP FUNCTION be_full CASCADE")
    assert house.moves()[0] == 201


def test_a_database_that_is_read_only_is_told_as_one_and_the_move_counts_when_it_is_not(house: House) -> None:
    house.has("ALTER DATABASE SET default_transaction_read_only = on")
    assert house.moves() == (503, "unavailable", "5")
    house.has("ALTER DATABASE SET default_transaction_read_only = off")
    assert house.moves()[0] == 201


def test_connections_to_what_has_become_a_copy_are_given_up(house: House) -> None:
    """After a failover the address is another machine's, and whoever keeps connections sits at the wrong one."""
    house.has("ALTER DATABASE SET default_transaction_read_only = on")
    assert house.moves()[0] == 503
    house.owner.execute(f"ALTER DATABASE {house.owner.info.dbname} SET default_transaction_read_only = off")
    assert house.moves()[0] == 201


def test_the_one_who_looks_after_it_is_told_that_it_takes_no_changes(house: House) -> None:
    assert house.database() == (200, "ok")
    house.has("ALTER DATABASE SET default_transaction_read_only = on")
    assert house.database() == (503, "takes no changes: it is read-only")
    house.has("ALTER DATABASE SET default_transaction_read_only = off")
    assert house.database() == (200, "ok")
    house.has("ALTER DATABASE SET temp_file_limit = '64kB'")  # what a disk that is full refuses as well
    status, words = house.database()
    assert (status, words.replace('"', "")) == (
        503,
        "takes no changes: temporary file size exceeds temp_file_limit (64kB)",
    )
