"""The log is the truth: everything stored beside it can be derived from it."""

import hashlib
import json
from random import Random
from uuid import UUID

import psycopg
import pytest

from server.operations.rebuild import check_game
from server.play.commits import load, whole_log
from server.play.seating.seats import leave, take_seat
from server.play.timing.sweep import wake_due
from server.play.timing.time_control import DEFAULT_CLOCK
from tests.support import citus, games

pytestmark = pytest.mark.usefixtures("within")


def test_hashes_form_a_chain_that_starts_with_the_commitment(ada: UUID, bea: UUID) -> None:
    game_id = games.game_of(ada, bea, bots=1)
    games.moves_on(game_id, ada)
    games.everything_due_happens()
    before = hashlib.sha256(load(game_id).head.seed).digest()
    for seq, event in enumerate(whole_log(game_id), 1):
        at = event.recorded_at.isoformat(timespec="microseconds").replace("+00:00", "Z")
        fact = {"seq": seq, "version": event.version, "type": event.type, "seat": event.seat, "at": at}
        canonical = json.dumps(fact | {"body": event.body}, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        before = hashlib.sha256(before + canonical.encode()).digest()
        assert event.hash == before


def test_a_table_rebuilt_from_its_log_equals_the_cached_one(ada: UUID, bea: UUID) -> None:
    told: set[str] = set()
    for seed, game_clock in enumerate([DEFAULT_CLOCK, games.BANK]):
        rng, people = Random(seed), [ada, bea]
        game_id = games.game_of(*people, bots=1, clock=game_clock)
        while load(game_id).table.status in ("running", "paused"):
            for _ in range(3):
                do_something(rng, game_id, people)
            games.assert_log_and_projections_agree(game_id)
        told.update(games.happened(game_id))
    house = {"time-extended", "time-ran-out", "seat-handed-over", "seat-taken-back", "game-paused", "game-resumed"}
    assert house | {"board-scored", "game-ended"} <= told


def do_something(rng: Random, game_id: UUID, people: list[UUID]) -> None:
    table = load(game_id).table
    if table.status not in ("running", "paused"):
        return
    present = [who for seat, who in enumerate(people) if table.stand_ins[seat] is None]
    match rng.choices(["move", "wait", "leave", "return", "vote"], [8, 6, 1, 4, 2])[0]:
        case "move" if table.status == "running":
            for who in present:
                if games.turn_of(game_id, who) is not None:
                    games.moves_on(game_id, who, rng.randrange(len(games.moves_of(game_id, who))))
        case "wait":
            games.later(rng.choice([12 * games.HOUR, 3 * games.DAY]))
        case "leave":
            leave(game_id, rng.choice(people))
        case "return" if len(present) < len(people):
            take_seat(game_id, next(who for who in people if who not in present))
        case "vote":
            games.all_agree(game_id, "resume" if table.status == "paused" else "pause", *present)
    wake_due()


def test_a_player_gets_one_email_per_turn(ada: UUID, bea: UUID) -> None:
    game_id = games.game_of(ada, bea, bots=1)
    turns = set()
    for n in range(30):
        who = (ada, bea)[n % 2]
        turns.add((n % 2, games.turn_of(game_id, who)))
        games.moves_on(game_id, who)
        games.everything_due_happens()
    written = [(letter.seat, letter.version) for letter in games.letters(game_id, "your-turn")]
    assert len(written) == len(set(written))
    assert turns <= set(written)


@citus.leave_out("the log refuses on each node")
def test_a_process_discards_moves_that_were_lost_in_a_failover(shared_url: str, ada: UUID, bea: UUID) -> None:
    """As an asynchronous one may: the log goes back, and goes on in another way to the same version."""
    game_id = games.game_of(ada, bea, bots=1)
    version = load(game_id).table.version
    with psycopg.connect(shared_url, autocommit=True) as owner:
        for table in ("games", "seats"):
            owner.execute(f"CREATE TEMP TABLE {table}_then AS SELECT * FROM {table} WHERE game_id = %s", (game_id,))
        games.moves_on(game_id, ada)
        owner.execute("SET session_replication_role = replica")  # otherwise the log rejects it
        owner.execute("DELETE FROM events WHERE game_id = %s AND version > %s", (game_id, version))
        for table in ("games", "seats"):
            owner.execute(f"DELETE FROM {table} WHERE game_id = %s", (game_id,))
            owner.execute(f"INSERT INTO {table} TABLE {table}_then")
    assert load(game_id).table.version == version
    assert games.turn_of(game_id, ada) == version
    games.moves_on(game_id, ada, number=1)
    games.moves_on(game_id, bea)
    assert check_game(game_id) == []
