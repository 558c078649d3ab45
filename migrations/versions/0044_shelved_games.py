"""Shelved games: the events of games that are over may leave their table for files"""

import sqlalchemy as sa
from alembic import op

revision = "0044"
down_revision = "0043"
branch_labels = None
depends_on = None

# The column is set in the same transaction, by the owner of the tables: no other role may delete from the log.
_REFUSE = """
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'DELETE' AND TG_TABLE_NAME LIKE 'events%' THEN
    PERFORM FROM games WHERE game_id = OLD.game_id AND shelved >= OLD.seq;
    IF FOUND THEN
      RETURN OLD;
    END IF;
  END IF;
  RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$
"""
_AS_BEFORE = """
CREATE OR REPLACE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$
"""


def upgrade() -> None:
    """It adds a column with no default, which rewrites no table."""
    op.add_column("games", sa.Column("shelved", sa.Integer(), nullable=True))
    op.execute(_REFUSE)


def downgrade() -> None:
    """Not while a game is shelved: the release before would find no events."""
    if op.get_bind().scalar(sa.text("SELECT EXISTS (SELECT 1 FROM games WHERE shelved IS NOT NULL)")):
        raise RuntimeError("Some games are shelved, which the release before cannot read.")
    op.execute(_AS_BEFORE)
    op.drop_column("games", "shelved")
