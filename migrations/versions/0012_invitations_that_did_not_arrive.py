"""Invitations that did not arrive"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seats", sa.Column("lost_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("seats", "lost_at")
