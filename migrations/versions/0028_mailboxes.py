"""Mailboxes that workers read, each under a lease"""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "mailboxes",
        sa.Column("mailbox", sa.Text(), nullable=False),
        sa.Column("leased_until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("mailbox", name=op.f("mailboxes_pkey")),
    )


def downgrade() -> None:
    op.drop_table("mailboxes")
