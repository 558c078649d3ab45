"""The post desk: its emails, and the numbers by which players name their games there"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

revision = "0055"
down_revision = "0054"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "desk_mails",
        sa.Column("mail_id", sa.Uuid(), primary_key=True),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Uuid()),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("lines", JSONB()),
        sa.Column("arrived_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True)),
        sa.Column("tries", sa.Integer(), nullable=False),
    )
    op.execute("CREATE INDEX desk_mails_due_at ON desk_mails (due_at) WHERE due_at IS NOT NULL")
    op.create_table(
        "desk_games",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("nr", sa.Integer(), nullable=False),
        sa.Column("found_by", sa.Uuid()),
        sa.PrimaryKeyConstraint("player_id", "game_id"),
        sa.UniqueConstraint("player_id", "nr", name="desk_games_player_id_nr_key"),
    )


def downgrade() -> None:
    op.drop_table("desk_games")
    op.drop_table("desk_mails")
