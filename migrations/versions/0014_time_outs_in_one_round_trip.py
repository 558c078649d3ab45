"""What a sweep does waits for nobody, and looks into the inbox where it holds the game: in one round trip"""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None

# Each statement of a function sees what was committed before it began: the inbox is seen as it is under the lock.
RECORD_DEED_IF_FREE = """
CREATE FUNCTION record_deed_if_free(
  g uuid, seen integer, head jsonb, deed jsonb, changed jsonb, letters jsonb, late integer, due timestamptz
) RETURNS integer LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM games WHERE game_id = g AND version = seen FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN NULL;
  END IF;
  PERFORM FROM inbox WHERE game_id = g AND seat = late AND due_at IS NOT NULL AND arrived_at < due;
  IF FOUND THEN
    RETURN NULL;
  END IF;
  RETURN record_deed(g, seen, head, deed, changed, letters);
END $$
"""
SIGNATURE = "record_deed_if_free(uuid, integer, jsonb, jsonb, jsonb, jsonb, integer, timestamptz)"


def upgrade() -> None:
    op.execute(RECORD_DEED_IF_FREE)


def downgrade() -> None:
    op.execute(f"DROP FUNCTION {SIGNATURE}")
