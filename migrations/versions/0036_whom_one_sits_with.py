"""Track records, blocks, reports, and notes on games"""

import sqlalchemy as sa
from alembic import op

from server.store.migrate import make_index

revision = "0036"
down_revision = "0035"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE player_games ADD COLUMN IF NOT EXISTS record jsonb")
    make_index("player_games_unread", "player_games", ["over_at"], "over_at IS NOT NULL AND record IS NULL")
    op.create_table(
        "notes",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("muted", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "game_id", name=op.f("notes_pkey")),
    )
    op.create_table(
        "blocks",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("blocked_id", sa.Uuid(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "blocked_id", name=op.f("blocks_pkey")),
    )
    op.create_table(
        "reports",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("report_id", sa.Uuid(), nullable=False),
        sa.Column("by_player", sa.Uuid(), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=True),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("settled_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("player_id", "report_id", name=op.f("reports_pkey")),
    )


def downgrade() -> None:
    for table in ("reports", "blocks", "notes"):
        op.drop_table(table)
    op.drop_index("player_games_unread", "player_games")
    op.drop_column("player_games", "record")
