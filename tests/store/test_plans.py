"""Query plans on large stores: cleanup, lists and polling use indexes, and dead rows stay few."""

from collections.abc import Callable
from datetime import timedelta
from uuid import UUID, uuid4

import pytest
from flask import Flask
from sqlalchemy import text

from server.accounts.deliveries import forget_old_letters
from server.accounts.players import player_token
from server.accounts.tokens import Caller, caller, forget_ended_tokens
from server.clock import clock
from server.operations import health
from server.operations.shelve import games_to_shelve
from server.play.mail.mail_in import forget_old_mails
from server.play.seating.lobby import list_games, waiting_games
from server.play.seating.seats import seats_under_way
from server.play.story.event_feed import OwnFollower, follow_own, new_games
from server.play.turns.idempotency import forget_old_answers
from server.play.votes import vote
from server.store.tables import Incoming, db
from server.webhooks.subscriptions import forget_old_deliveries
from tests.support import citus
from tests.support.games import DAY, MINUTE, game_of, later, person
from tests.support.plans import scans_of
from tests.support.random_games import short_night

pytestmark = citus.leave_out("each shard has a plan of its own")

TIDIED: list[tuple[Callable[[], object], str]] = [
    (lambda: forget_old_answers(timedelta(days=7)), "idempotency_keys_made_at"),
    (lambda: forget_old_letters(timedelta(days=90)), "deliveries_at"),
    (lambda: forget_old_letters(timedelta(days=90)), "player_deliveries_at"),
    (forget_ended_tokens, "tokens_expires_at"),
    (forget_old_mails, "inbox_dealt_with"),
    (forget_old_deliveries, "webhook_deliveries_ended"),
]


@pytest.mark.parametrize(("tidy", "index"), TIDIED, ids=[index for _, index in TIDIED])
def test_expired_rows_are_found_using_an_index_on_age(app: Flask, tidy: Callable[[], object], index: str) -> None:
    with app.app_context():
        scans = scans_of(tidy, never_in_sequence=True)
    assert any(scan.index == index and scan.condition for scan in scans), scans


def test_cleanup_does_not_scan_emails_whose_content_was_deleted(app: Flask) -> None:
    with app.app_context():
        game_id, arrived_at = game_of(person("ada"), bots=2), clock.now() - 30 * DAY
        common = {"game_id": game_id, "seat": 0, "turn": 1, "tries": 1, "asks": "", "arrived_at": arrived_at}
        for _ in range(20):
            db.session.add(Incoming(**common, mail_id=uuid4(), raw=b"A mail", acted=["a line"]))
            db.session.add(Incoming(**common, mail_id=uuid4(), raw=b"A mail"))
        db.session.commit()
        forget_old_mails()
        left = db.session.scalars(db.select(Incoming)).all()
        assert [(mail.raw, mail.acted) for mail in left] == [(b"", ["a line"])] * 20
        assert sum(scan.rows for scan in scans_of(forget_old_mails, never_in_sequence=True)) == 0


@pytest.mark.parametrize("status", [None, "abandoned"])
def test_the_lobby_finds_games_by_rules_without_scanning_other_games(app: Flask, status: str | None) -> None:
    with app.app_context():
        ended = game_of(ada := person("ada"), bots=2)
        vote(ended, ada, "abandon", True)
        _many_more(ended, "games")
        scans = scans_of(lambda: list_games(None, rules="sternenglanz", status=status))
    assert sum(scan.rows for scan in scans if scan.table == "games") == 0, scans


def test_the_oldest_email_in_a_long_outbox_is_found_using_an_index(app: Flask) -> None:
    with app.app_context():
        scans = [it for it in scans_of(health._oldest_letter, never_in_sequence=True) if it.table == "outbox"]
    assert [scan.index for scan in scans] == ["outbox_made_at"]


LOOKS: list[Callable[[Caller], object]] = [
    lambda caller: list_games(caller.player_id, my_turn=True),
    *(
        lambda caller, status=status: list_games(caller.player_id, mine=True, status=status)
        for status in ("open", "running", "paused")
    ),
    lambda caller: waiting_games(caller.player_id),
    lambda caller: seats_under_way(caller.player_id),
    lambda caller: follow_own(caller, None),
    lambda caller: new_games([OwnFollower(caller, clock.now())]),
]


@pytest.mark.parametrize(
    "look", LOOKS, ids=["my-turn", "open", "running", "paused", "feed", "seats", "stream", "new-games"]
)
def test_finished_games_do_not_slow_down_the_search_for_running_games(
    app: Flask, look: Callable[[Caller], object]
) -> None:
    with app.app_context():
        ada = caller(player_token("ada@example.org", "ada"))
        game_of(ada.player_id, bots=2)
        ended = game_of(ada.player_id, bots=2)
        vote(ended, ada.player_id, "abandon", True)
        later(10 * MINUTE)  # before that, a stream must check whether its end was announced
        few = sum(scan.rows for scan in scans_of(lambda: look(ada)))
        _many_more(ended, "games", "seats", "player_games")
        many = sum(scan.rows for scan in scans_of(lambda: look(ada)))
    assert many <= few + 5


def test_a_page_reads_only_as_many_finished_games_as_it_needs(app: Flask) -> None:
    with app.app_context():
        ada = person("ada")
        ended = game_of(ada, bots=2)
        vote(ended, ada, "abandon", True)
        _many_more(ended, "games", "seats", "player_games")
        clock.forward(MINUTE)
        game_of(ada, bots=2)  # the newest of all is an obstacle
        scans = scans_of(lambda: list_games(ada, mine=True, status="abandoned"))
    assert sum(scan.rows for scan in scans) < 500, scans


def _many_more(game_id: UUID, *tables: str) -> None:
    """Create thousands of games like this one, a second apart."""
    otherwise = {"game_id": "copy", "made_at": "made_at - nr * interval '1 second'"}
    with db.engine.begin() as connection:
        connection.exec_driver_sql(
            "CREATE TEMP TABLE copies ON COMMIT DROP AS"
            " SELECT gen_random_uuid() AS copy, nr FROM generate_series(1, 3000) AS nr"
        )
        for table in tables:
            columns = [column.name for column in db.metadata.tables[table].columns]
            chosen = ", ".join(otherwise.get(name, name) for name in columns)
            copy = f"INSERT INTO {table} ({', '.join(columns)}) SELECT {chosen} FROM {table}, copies WHERE game_id = %s"
            connection.exec_driver_sql(copy, (game_id,))
        connection.exec_driver_sql("SET LOCAL ROLE NONE")  # only their owner may analyze tables
        connection.exec_driver_sql(f"ANALYZE {', '.join(tables)}")


def test_finding_games_to_archive_reads_only_their_last_events(app: Flask) -> None:
    with app.app_context():
        short_night()
        short_night()
        later(400 * DAY)
        scans = scans_of(lambda: games_to_shelve(365 * DAY), never_in_sequence=True)
        assert len(games_to_shelve(365 * DAY)) == 2
    assert [scan.rows for scan in scans if scan.table == "events"] == [2], scans


@pytest.mark.parametrize("table", ["seats", "outbox"])
def test_busy_tables_are_vacuumed_before_dead_rows_pile_up(app: Flask, table: str) -> None:
    """Of four hundred thousand rows, as of a hundred thousand games."""
    with app.app_context(), db.engine.connect() as connection:
        query = text(
            "SELECT coalesce((SELECT option_value FROM pg_options_to_table(reloptions)"
            " WHERE option_name = 'autovacuum_vacuum_' || part), current_setting('autovacuum_vacuum_' || part))::float"
            " FROM pg_class, unnest(ARRAY['threshold', 'scale_factor']) WITH ORDINALITY AS p (part, nr)"
            " WHERE oid = to_regclass(:table) ORDER BY nr"
        )
        threshold, factor = connection.scalars(query, {"table": table})
    assert threshold + factor * 400_000 <= 5_000
