"""A seat remembers by whose hours its turn counts, so that another calendar binds from the next turn"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

RECORD_DEED = """
CREATE OR REPLACE FUNCTION record_deed(g uuid, seen integer, head jsonb, deed jsonb, changed jsonb, letters jsonb)
RETURNS integer LANGUAGE plpgsql AS $$
DECLARE
  found_version integer;
BEGIN
  SELECT version INTO found_version FROM games WHERE game_id = g FOR UPDATE;
  IF found_version IS DISTINCT FROM seen THEN
    RETURN found_version;
  END IF;
  INSERT INTO events (game_id, seq, version, type, seat, body, recorded_at, hash)
    SELECT g, e.seq, e.version, e.type, e.seat, e.body, e.recorded_at, decode(e.hash, 'hex')
      FROM jsonb_to_recordset(deed)
        AS e(seq integer, version integer, type text, seat integer, body jsonb, recorded_at timestamptz, hash text);
  UPDATE games SET version = (head->>'version')::integer, status = head->>'status',
      outcome = nullif(head->'outcome', 'null'), drawn = (head->>'drawn')::integer
    WHERE game_id = g;
  UPDATE seats s SET to_act = c.to_act, turn = c.turn, stand_in = c.stand_in, asked_at = c.asked_at,
      allowed = c.allowed, lent = c.lent,{hours} due_at = c.due_at, remind_at = c.remind_at, wake_at = c.wake_at
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
  RETURN found_version;
END $$
"""


def upgrade() -> None:
    op.add_column("seats", sa.Column("hours", postgresql.JSONB(astext_type=sa.Text()), nullable=True))
    op.execute(
        "UPDATE seats SET hours = jsonb_build_object('zone', p.zone, 'calendar', p.calendar) "
        "FROM players p WHERE seats.player_id = p.player_id AND seats.asked_at IS NOT NULL"
    )
    op.execute(RECORD_DEED.replace("{hours}", " hours = c.hours,"))


def downgrade() -> None:
    op.execute(RECORD_DEED.replace("{hours}", ""))
    op.drop_column("seats", "hours")
