"""Votes to pause, resume or abandon a game, and what is said at the table"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "votes",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("wish", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.game_id"], name=op.f("votes_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "wish", "seat", name=op.f("votes_pkey")),
        info={"spread": "game_id"},
    )
    op.create_table(
        "messages",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("nr", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.game_id"], name=op.f("messages_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "nr", name=op.f("messages_pkey")),
        info={"spread": "game_id"},
    )


def downgrade() -> None:
    op.drop_table("messages")
    op.drop_table("votes")
