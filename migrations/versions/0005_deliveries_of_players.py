"""Deliveries of players: of letters that belong to no game, and a way to find all of theirs"""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "player_deliveries",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("letter_id", sa.Uuid(), nullable=False),
        sa.Column("nr", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "letter_id", "nr", name=op.f("player_deliveries_pkey")),
        info={"spread": "player_id"},
    )
    op.create_index("deliveries_of_player", "deliveries", ["player_id", "at", "letter_id"], unique=False)


def downgrade() -> None:
    op.drop_index("deliveries_of_player", table_name="deliveries")
    op.drop_table("player_deliveries")
