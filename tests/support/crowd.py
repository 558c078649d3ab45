"""Stored games by the ten thousand, created in Postgres around the games to measure."""

import base64
import json
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

import psycopg

from server.accounts.players import player_token
from server.store import embedded_postgres
from server.store.tables import db
from tests.support import databases, stage

DAYS = 1000  # since the first of these games was opened


class Crowd(NamedTuple):
    """The tokens of two players: one of many games, one of every hundredth game."""

    player: str
    busy: str


def twin(url: str, name: str) -> str:
    """Copy the database, closing its connections, and return the copy's URL."""
    with psycopg.connect(url, dbname="postgres", autocommit=True) as connection:
        connection.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", (embedded_postgres.DATABASE,)
        )
    elsewhere = url.replace(f"/{embedded_postgres.DATABASE}?", "/postgres?")
    return databases.create_database(elsewhere, name, template=embedded_postgres.DATABASE)


# One in 50 games is open and 4 of 50 are running, at all ages. Every fifth is private.
_GAMES = """
CREATE TEMP TABLE crowd AS
  SELECT g, gen_random_uuid() AS game_id, (%(templates)s::uuid[])[1 + g %% cardinality(%(templates)s)] AS template,
    now() - random() * interval '1 day' * %(days)s AS made_at,
    CASE WHEN g %% 50 = 0 THEN 'open' WHEN g %% 50 < 5 THEN 'running' ELSE 'finished' END AS status
  FROM generate_series(1, %(games)s) AS g;
CREATE TEMP TABLE people AS
  SELECT n, gen_random_uuid() AS player_id FROM generate_series(0, %(games)s / 5) AS n;
ANALYZE crowd; ANALYZE people
"""
_OTHERWISE = {
    "players": {
        "player_id": "p.player_id",
        "email": "format('crowd-%%s@example.org', p.n)",
        "name": "format('One of the crowd %%s', p.n)",
    },
    "games": {
        "game_id": "c.game_id",
        "made_at": "c.made_at",
        "status": "c.status",
        "private": "c.g %% 5 = 0",
        "version": "%(events)s",
        "outcome": "CASE WHEN c.status = 'finished' THEN t.outcome END",
    },
    "seats": {
        "game_id": "c.game_id",
        "player_id": "p.player_id",
        "to_act": "asked",
        "turn": "CASE WHEN asked THEN %(events)s END",
        "asked_at": "CASE WHEN asked THEN now() END",
        "allowed": "172800",
        "due_at": "CASE WHEN asked THEN now() + interval '2 days' END",
        "wake_at": "CASE WHEN asked THEN now() + random() * interval '2 days' END",
    },
}
# Player 0 sits in about each hundredth game and is on turn in half of those that are running.
_COPY = {
    "players": "people p CROSS JOIN (SELECT * FROM players LIMIT 1) AS t",
    "games": "crowd c JOIN games t ON t.game_id = c.template",
    "seats": "crowd c JOIN seats t ON t.game_id = c.template JOIN people p"
    "  ON p.n = CASE WHEN t.seat = 0 AND c.g %% 97 = 0 THEN 0 ELSE 1 + (c.g * 5 + t.seat) %% (%(games)s / 5) END"
    "  CROSS JOIN LATERAL (SELECT c.status = 'running' AND t.seat = c.g %% 2 AS asked) AS a",
}
_REST = """
INSERT INTO player_games (player_id, game_id, seat, made_at, over_at)
  SELECT s.player_id, s.game_id, s.seat, c.made_at,
      CASE WHEN c.status = 'finished' THEN c.made_at + %(events)s * interval '1 hour' END
    FROM crowd c JOIN seats s USING (game_id);
INSERT INTO messages (game_id, nr, seat, player_id, text, at)
  SELECT s.game_id, nr, s.seat, s.player_id, 'A word or two about the stars', c.made_at
    FROM crowd c JOIN seats s ON s.game_id = c.game_id AND s.seat = 0, generate_series(1, 2) AS nr;
INSERT INTO events (game_id, seq, version, type, seat, body, recorded_at, hash)
  SELECT c.game_id, n, n, t.type, t.seat, t.body, c.made_at + n * interval '1 hour', t.hash
    FROM (SELECT * FROM crowd ORDER BY game_id) AS c, generate_series(1, %(events)s) AS n,
      LATERAL (SELECT * FROM lengths l WHERE l.game_id = c.template) AS l,
      LATERAL (SELECT * FROM events t WHERE t.game_id = c.template AND t.seq = 1 + (n - 1) %% l.length) AS t
    WHERE c.status <> 'open'
"""


def fill(url: str, ended: list[UUID], games: int, events: int) -> Crowd:
    """Create games with this many events each from ended ones."""
    amount = {"games": games, "events": events, "days": DAYS, "templates": ended}
    with psycopg.connect(url) as connection:
        connection.execute("SET synchronous_commit = off")
        with psycopg.ClientCursor(connection) as cursor:
            cursor.execute(_GAMES, amount)
            cursor.execute(
                "CREATE TEMP TABLE lengths AS SELECT game_id, max(seq) AS length FROM events"
                " WHERE game_id = ANY(%s) GROUP BY game_id",
                (ended,),
            )
            for table, source in _COPY.items():
                columns = [column.name for column in db.metadata.tables[table].columns]
                chosen = ", ".join(_OTHERWISE[table].get(name, f"t.{name}") for name in columns)
                statement = f"INSERT INTO {table} ({', '.join(columns)}) SELECT {chosen} FROM {source}"
                cursor.execute(statement, amount)
            cursor.execute(_REST, amount)
    with stage.in_process(url):
        return Crowd(*(player_token(f"crowd-{n}@example.org") for n in (1, 0)))


# The position of a reader in the middle of the pages.
_MIDDLE = base64.urlsafe_b64encode(
    json.dumps([(datetime.now(UTC) - timedelta(days=DAYS / 2)).isoformat(), UUID(int=0).hex]).encode()
).decode()
LISTS = (
    "/v1/games",
    f"/v1/games?cursor={_MIDDLE}",
    "/v1/games?status=open",
    "/v1/games?free=true&players=4",
    "/v1/games?status=running",
    "/v1/games?status=finished",
    f"/v1/games?status=finished&cursor={_MIDDLE}",
    "/v1/games?rules=sternenhimmel",
    "/v1/games?rules=sternenhimmel&status=open",
    "/v1/games?mine=true",
    f"/v1/games?mine=true&cursor={_MIDDLE}",
    "/v1/games?mine=true&status=open",
    "/v1/games?mine=true&status=running",
    "/v1/games?mine=true&status=finished",
    "/v1/games?mine=true&rules=sternenhimmel",
    "/v1/games?my_turn=true",
    "/v1/games/{game}",
    "/v1/games/{game}/events",
    "/v1/games/{game}/messages",
)
