"""Webhooks of chats: the form of what they are sent, and the message of each game there"""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("webhooks", sa.Column("form", sa.Text(), nullable=True))
    op.create_table(
        "webhook_messages",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("webhook_id", sa.Uuid(), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("message_id", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["player_id", "webhook_id"],
            ["webhooks.player_id", "webhooks.webhook_id"],
            name=op.f("webhook_messages_player_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("player_id", "webhook_id", "game_id", name=op.f("webhook_messages_pkey")),
    )


def downgrade() -> None:
    op.drop_table("webhook_messages")
    op.drop_column("webhooks", "form")
