"""Bounces, and whether a player can be reached"""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "bounces",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("letter_id", sa.Uuid(), nullable=False),
        sa.Column("is_hard", sa.Boolean(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "letter_id", name=op.f("bounces_pkey")),
        info={"spread": "player_id"},
    )
    op.add_column("players", sa.Column("unreachable_since", sa.DateTime(timezone=True), nullable=True))
    op.add_column("players", sa.Column("unreachable_why", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("players", "unreachable_why")
    op.drop_column("players", "unreachable_since")
    op.drop_table("bounces")
