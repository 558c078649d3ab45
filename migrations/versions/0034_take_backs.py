"""Votes on taking a move back, which name it and have an end"""

import sqlalchemy as sa
from alembic import op

revision = "0034"
down_revision = "0033"
branch_labels = None
depends_on = None


def upgrade() -> None:
    for name in ("mover", "to_version", "at_version"):
        op.add_column("votes", sa.Column(name, sa.Integer(), nullable=True))
    op.add_column("votes", sa.Column("ends_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.execute("DELETE FROM votes WHERE wish = 'take-back'")
    for name in ("ends_at", "at_version", "to_version", "mover"):
        op.drop_column("votes", name)
