"""Webhooks"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("players", sa.Column("has_webhooks", sa.Boolean(), server_default=sa.text("false"), nullable=False))
    op.create_index("outbox_webhooks", "outbox", ["due_at"], postgresql_where=sa.text("kind = 'webhook'"))
    op.create_table(
        "webhooks",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("webhook_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("kinds", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=True),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("old_secret", sa.LargeBinary(), nullable=True),
        sa.Column("old_until", sa.DateTime(timezone=True), nullable=True),
        sa.Column("disabled", sa.Text(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failing_since", sa.DateTime(timezone=True), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("wake_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("rests_until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "webhook_id", name=op.f("webhooks_pkey")),
        info={"spread": "player_id"},
    )
    op.create_index("webhooks_wake_at", "webhooks", ["wake_at"], postgresql_where=sa.text("wake_at IS NOT NULL"))
    op.create_table(
        "webhook_deliveries",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("webhook_id", sa.Uuid(), nullable=False),
        sa.Column("delivery_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("begun_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("tried_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["player_id", "webhook_id"],
            ["webhooks.player_id", "webhooks.webhook_id"],
            name=op.f("webhook_deliveries_player_id_webhook_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("player_id", "webhook_id", "delivery_id", name=op.f("webhook_deliveries_pkey")),
        info={"spread": "player_id"},
    )
    op.create_index(
        "webhook_deliveries_newest", "webhook_deliveries", ["player_id", "webhook_id", "made_at", "delivery_id"]
    )
    op.create_index(
        "webhook_deliveries_due_at",
        "webhook_deliveries",
        ["player_id", "webhook_id", "due_at"],
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_table("webhook_deliveries")
    op.drop_table("webhooks")
    op.drop_index("outbox_webhooks", "outbox")
    op.drop_column("players", "has_webhooks")
