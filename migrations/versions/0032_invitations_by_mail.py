"""Mails that answer an invitation"""

import sqlalchemy as sa
from alembic import op

revision = "0032"
down_revision = "0031"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inbox", sa.Column("mark", sa.BigInteger(), nullable=True))


def downgrade() -> None:
    op.drop_column("inbox", "mark")
