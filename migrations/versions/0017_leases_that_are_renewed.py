"""A lease stands beside the time at which something is due, so that it can be renewed, and no leap of the clock ends it"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None

LEASED = ("outbox", "player_outbox", "webhooks")


def upgrade() -> None:
    for table in LEASED:
        op.add_column(table, sa.Column("leased_until", sa.DateTime(timezone=True)))
    op.add_column("webhooks", sa.Column("round", sa.Integer, server_default="0", nullable=False))


def downgrade() -> None:
    op.drop_column("webhooks", "round")
    for table in LEASED:
        op.drop_column(table, "leased_until")
