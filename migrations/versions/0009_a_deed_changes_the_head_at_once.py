"""A deed changes the head at once, which locks it as looking at it first did; a statement less for every move"""

from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None

# An unexpected version means that somebody else was faster, and nothing is written.
AT_ONCE = """
  UPDATE games SET version = (head->>'version')::integer, status = head->>'status',
      outcome = nullif(head->'outcome', 'null'), drawn = (head->>'drawn')::integer
    WHERE game_id = g AND version = seen;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
"""
LOOK_FIRST = """
  PERFORM FROM games WHERE game_id = g AND version = seen FOR UPDATE;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  UPDATE games SET version = (head->>'version')::integer, status = head->>'status',
      outcome = nullif(head->'outcome', 'null'), drawn = (head->>'drawn')::integer
    WHERE game_id = g;
"""


def record_deed(head: str) -> str:
    return f"""
CREATE OR REPLACE FUNCTION record_deed(g uuid, seen integer, head jsonb, deed jsonb, changed jsonb, letters jsonb)
RETURNS integer LANGUAGE plpgsql AS $$
BEGIN{head}
  INSERT INTO events (game_id, seq, version, type, seat, body, recorded_at, hash)
    SELECT g, e.seq, e.version, e.type, e.seat, e.body, e.recorded_at, decode(e.hash, 'hex')
      FROM jsonb_to_recordset(deed)
        AS e(seq integer, version integer, type text, seat integer, body jsonb, recorded_at timestamptz, hash text);
  UPDATE seats s SET to_act = c.to_act, turn = c.turn, stand_in = c.stand_in, asked_at = c.asked_at,
      allowed = c.allowed, lent = c.lent, hours = c.hours, due_at = c.due_at, remind_at = c.remind_at, wake_at = c.wake_at
    FROM jsonb_to_recordset(changed)
      AS c(seat integer, to_act boolean, turn integer, stand_in text, asked_at timestamptz, allowed double precision,
           lent double precision, hours jsonb, due_at timestamptz, remind_at timestamptz, wake_at timestamptz)
    WHERE s.game_id = g AND s.seat = c.seat;
  INSERT INTO outbox (game_id, letter_id, dedupe, kind, version, seat, player_id, data, made_at, due_at, tries)
    SELECT g, l.letter_id, l.dedupe, l.kind, l.version, l.seat, l.player_id, l.data, l.made_at, l.made_at, 0
      FROM jsonb_to_recordset(letters)
        AS l(letter_id uuid, dedupe text, kind text, version integer, seat integer, player_id uuid, data jsonb,
             made_at timestamptz)
    ON CONFLICT (game_id, dedupe) DO NOTHING;
  RETURN seen;
END $$
"""


def upgrade() -> None:
    op.execute(record_deed(AT_ONCE))


def downgrade() -> None:
    op.execute(record_deed(LOOK_FIRST))
