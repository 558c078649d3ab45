"""Tickets for event streams"""

import sqlalchemy as sa
from alembic import op

revision = "0038"
down_revision = "0037"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "stream_tickets",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("ticket_hash", sa.LargeBinary(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "ticket_hash", name=op.f("stream_tickets_pkey")),
    )
    op.create_index("stream_tickets_expires_at", "stream_tickets", ["expires_at"])


def downgrade() -> None:
    op.drop_table("stream_tickets")
