"""The best that a Flask move endpoint could reach: five statements, without rules, token or view."""

import os
import random
from typing import Any

import psycopg
from flask import Flask, Response, jsonify, request
from sqlalchemy import bindparam, column, create_engine, insert, select, table, text, update
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as upsert

from server.store.migrate import psycopg_url

GAMES, OLD_EVENTS = 10_000, 100_000
POOL = 16
BODY = {"seat": 1, "board": 7, "space": 4, "star": 5, "faceDown": False}

TABLES = f"""
CREATE TABLE game (
  id        bigint PRIMARY KEY,
  version   integer NOT NULL DEFAULT 0,
  to_move   smallint NOT NULL DEFAULT 0,
  deadline  timestamptz
) WITH (fillfactor = 70);
CREATE TABLE event (
  game_id   bigint  NOT NULL,
  version   integer NOT NULL,
  at        timestamptz NOT NULL DEFAULT now(),
  body      jsonb   NOT NULL,
  PRIMARY KEY (game_id, version)
);
CREATE TABLE deadline (
  game_id   bigint PRIMARY KEY,
  seat      smallint NOT NULL,
  due       timestamptz NOT NULL
) WITH (fillfactor = 70);
CREATE INDEX deadline_due ON deadline (due);
CREATE TABLE outbox (
  id        bigserial PRIMARY KEY,
  game_id   bigint NOT NULL,
  version   integer NOT NULL,
  kind      text NOT NULL,
  made      timestamptz NOT NULL DEFAULT now(),
  sent      timestamptz
);
CREATE INDEX outbox_unsent ON outbox (id) WHERE sent IS NULL;
INSERT INTO game (id, deadline)
  SELECT g, now() + interval '3 days' FROM generate_series(1, {GAMES}) g;
INSERT INTO deadline (game_id, seat, due)
  SELECT g, 0, now() + random() * interval '3 days' FROM generate_series(1, {GAMES}) g;
-- an old log of games that are over
INSERT INTO event (game_id, version, body)
  SELECT 1000000 + n / 100, n % 100,
         jsonb_build_object('type', 'placed', 'seat', n % 2, 'board', n % 12, 'space', n % 7, 'star', n % 9)
  FROM generate_series(0, {OLD_EVENTS - 1}) n;
ANALYZE
"""


def make_tables(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute(TABLES)


game = table("game", column("id"), column("version"), column("to_move"), column("deadline"))
event = table("event", column("game_id"), column("version"), column("body", JSONB))
deadline = table("deadline", column("game_id"), column("seat"), column("due"))
outbox = table("outbox", column("game_id"), column("version"), column("kind"))

DUE = text("now() + interval '3 days'")
READ = select(game.c.version, game.c.to_move, game.c.deadline).where(game.c.id == bindparam("g")).with_for_update()
ADD = insert(event).values(game_id=bindparam("g"), version=bindparam("v"), body=bindparam("b"))
CHANGE = (
    update(game).where(game.c.id == bindparam("g")).values(version=bindparam("v"), to_move=bindparam("m"), deadline=DUE)
)
_due = upsert(deadline).values(game_id=bindparam("g"), seat=bindparam("m"), due=DUE)
ASK = _due.on_conflict_do_update(
    index_elements=["game_id"], set_={"seat": _due.excluded.seat, "due": _due.excluded.due}
)
TELL = insert(outbox).inline().values(game_id=bindparam("g"), version=bindparam("v"), kind="your-turn")

app = Flask(__name__)
URL = os.environ.get("DATABASE_URL", "postgresql://")
engine = create_engine(psycopg_url(URL), pool_size=POOL, max_overflow=-1)


def _wanted() -> tuple[int, dict[str, Any]]:
    body = request.get_json()
    fields = {name: body[name] for name in BODY}
    return random.randint(1, GAMES), {"type": "placed", **fields, "rules": "sternenhimmel/1"}


@app.post("/move")
def move() -> tuple[Response, int]:
    g, body = _wanted()
    with engine.begin() as connection:
        head = connection.execute(READ, {"g": g}).one()
        v, m = head.version + 1, 1 - head.to_move
        connection.execute(ADD, {"g": g, "v": v, "b": body})
        connection.execute(CHANGE, {"g": g, "v": v, "m": m})
        connection.execute(ASK, {"g": g, "m": m})
        connection.execute(TELL, {"g": g, "v": v})
    return jsonify(game=g, version=v, toMove=m), 201
