"""The log is append-only: a role for the web and the worker, a trigger, and the one statement that adds a deed"""

from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

ROLE = """
DO $$ BEGIN
  CREATE ROLE sternenpost_app NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;  -- another database of this server made it
END $$
"""
MEMBER = """
DO $$ BEGIN
  IF NOT pg_has_role(current_user, 'sternenpost_app', 'MEMBER') THEN
    EXECUTE format('GRANT sternenpost_app TO %I', current_user);
  END IF;
END $$
"""
REFUSE = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$
"""
# Locks the head first; an unexpected version means that somebody else was faster, and nothing is written.
RECORD_DEED = """
CREATE FUNCTION record_deed(g uuid, seen integer, head jsonb, deed jsonb, changed jsonb, letters jsonb)
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
  RETURN found_version;
END $$
"""
SIGNATURE = "record_deed(uuid, integer, jsonb, jsonb, jsonb, jsonb)"


def upgrade() -> None:
    op.execute(ROLE)
    op.execute(MEMBER)
    op.execute("GRANT USAGE ON SCHEMA public TO sternenpost_app")
    op.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO sternenpost_app")
    op.execute("REVOKE UPDATE, DELETE, TRUNCATE ON events FROM sternenpost_app")
    op.execute("REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON alembic_version FROM sternenpost_app")
    op.execute(
        "ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO sternenpost_app"
    )
    op.execute(REFUSE)
    op.execute(
        "CREATE TRIGGER events_append_only BEFORE UPDATE OR DELETE ON events FOR EACH ROW EXECUTE FUNCTION refuse_change()"
    )
    op.execute(
        "CREATE TRIGGER events_no_truncate BEFORE TRUNCATE ON events FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()"
    )
    op.execute(RECORD_DEED)


def downgrade() -> None:
    op.execute(f"DROP FUNCTION {SIGNATURE}")
    op.execute("DROP TRIGGER events_no_truncate ON events")
    op.execute("DROP TRIGGER events_append_only ON events")
    op.execute("DROP FUNCTION refuse_change()")
    op.execute(
        "ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE SELECT, INSERT, UPDATE, DELETE ON TABLES FROM sternenpost_app"
    )
    op.execute("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM sternenpost_app")
    op.execute("REVOKE USAGE ON SCHEMA public FROM sternenpost_app")  # the role stays: other databases may use it
