"""Browsers in which players are told (Web Push)"""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("players", sa.Column("has_push", sa.Boolean(), server_default=sa.false(), nullable=False))
    op.create_table(
        "push_subscriptions",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("subscription_id", sa.Uuid(), nullable=False),
        sa.Column("endpoint", sa.Text(), nullable=False),
        sa.Column("p256dh", sa.LargeBinary(), nullable=False),
        sa.Column("auth", sa.LargeBinary(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "subscription_id", name=op.f("push_subscriptions_pkey")),
        sa.UniqueConstraint("player_id", "endpoint", name=op.f("push_subscriptions_player_id_endpoint_key")),
    )


def downgrade() -> None:
    op.drop_table("push_subscriptions")
    op.drop_column("players", "has_push")
