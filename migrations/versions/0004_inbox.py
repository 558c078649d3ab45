"""Mails that came in for seats: kept before their senders are told so"""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "inbox",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("mail_id", sa.Uuid(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("arrived_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("asks", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.game_id"], name=op.f("inbox_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "mail_id", name=op.f("inbox_pkey")),
        info={"spread": "game_id"},
    )
    op.create_index("inbox_due_at", "inbox", ["due_at"], postgresql_where=sa.text("due_at IS NOT NULL"))


def downgrade() -> None:
    op.drop_table("inbox")
