"""A database that rejects writes: its disk is full, or it is a replica."""

from collections.abc import Iterator
from uuid import UUID

import psycopg
import pytest
from flask import Flask
from flask.testing import FlaskClient

from server.accounts.players import player_token
from server.app import create_app
from server.clock import clock
from server.config import Settings
from server.play.seating.games import open_game
from server.play.seating.hosting import close_due
from server.play.seating.stand_ins import change_stand_ins
from server.play.timing.sweep import wake_due
from server.store.database_retry import Unavailable
from server.store.tables import GameRow, StandIn, db
from tests.support.games import (
    DAY,
    ME,
    OPEN,
    everything_due_happens,
    game_of,
    happened,
    head_of,
    later,
    moves_on,
    person,
    seats_of,
    service_is_up,
    wanted,
)
from tests.support.live_server import until
from tests.support.stand_ins import stands_in

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
        """Run these statements, which affect new connections."""
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
        """Play for Ada and return status, code and the retry time."""
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


def test_a_full_disk_is_reported_and_the_move_counts_once_there_is_room(house: House) -> None:
    before = version(house.game_id)
    house.has(*FULL)
    assert house.moves() == (503, "unavailable", "5")
    answer = house.client().post("/v1/sign-ins", json={"email": "dora@example.org"})
    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    assert version(house.game_id) == before
    house.has("DROP FUNCTION be_full CASCADE")
    assert house.moves()[0] == 201


def test_a_read_only_database_is_reported_and_the_move_counts_once_it_is_writable(house: House) -> None:
    house.has("ALTER DATABASE SET default_transaction_read_only = on")
    assert house.moves() == (503, "unavailable", "5")
    house.has("ALTER DATABASE SET default_transaction_read_only = off")
    assert house.moves()[0] == 201


def test_connections_to_a_server_that_became_a_replica_are_dropped(house: House) -> None:
    """After a failover the address is another machine's, and pooled connections lead to the wrong one."""
    house.has("ALTER DATABASE SET default_transaction_read_only = on")
    assert house.moves()[0] == 503
    house.owner.execute(f"ALTER DATABASE {house.owner.info.dbname} SET default_transaction_read_only = off")
    assert house.moves()[0] == 201


def test_health_checks_report_a_database_that_rejects_changes(house: House) -> None:
    assert house.database() == (200, "ok")
    house.has("ALTER DATABASE SET default_transaction_read_only = on")
    assert house.database() == (503, "rejects changes: it is read-only")
    house.has("ALTER DATABASE SET default_transaction_read_only = off")
    assert house.database() == (200, "ok")
    house.has("ALTER DATABASE SET temp_file_limit = '64kB'")  # as a full disk does
    status, words = house.database()
    assert (status, words.replace('"', "")) == (
        503,
        "rejects changes: temporary file size exceeds temp_file_limit (64kB)",
    )


def test_bots_move_as_soon_as_the_disk_has_room_again(house: House) -> None:
    games = [game_of(house.ada, person("ben"), bots=1) for _ in range(3)]
    for game_id in games:
        moves_on(game_id, house.ada)
        moves_on(game_id, person("ben"))
    before = {game_id: version(game_id) for game_id in games}
    waking = {game_id: [seat.wake_at for seat in seats_of(game_id)] for game_id in games}
    house.has(*FULL)
    with pytest.raises(Unavailable):
        wake_due()
    assert {game_id: [seat.wake_at for seat in seats_of(game_id)] for game_id in games} == waking
    assert {game_id: version(game_id) for game_id in games} == before
    house.has("DROP FUNCTION be_full CASCADE")
    everything_due_happens()
    assert all(version(game_id) > before[game_id] for game_id in games)


def test_open_games_close_as_soon_as_the_disk_has_room_again(house: House) -> None:
    games = [open_game(house.ada, wanted(ME, OPEN, OPEN)).game_id for _ in range(2)]
    later(30 * DAY)
    close_due()  # their hosts get a notice first
    later(30 * DAY)
    house.has(*FULL)
    with pytest.raises(Unavailable):
        close_due()
    db.session.rollback()
    assert all(db.session.get_one(GameRow, game_id).wake_at <= clock.now() for game_id in games)
    house.has("DROP FUNCTION be_full CASCADE")
    close_due()
    assert [happened(game_id)[-1] for game_id in games] == ["game-abandoned"] * 2


def test_stand_ins_begin_as_soon_as_the_disk_has_room_again(house: House) -> None:
    stands_in(house.game_id, house.ada, person("dora"), first=2)
    later(3 * DAY)
    house.has(*FULL)
    with pytest.raises(Unavailable):
        change_stand_ins()
    db.session.rollback()
    assert db.session.scalars(db.select(StandIn.wake_at)).one() <= clock.now()
    house.has("DROP FUNCTION be_full CASCADE")
    change_stand_ins()
    assert "stand-in-began" in happened(house.game_id)
