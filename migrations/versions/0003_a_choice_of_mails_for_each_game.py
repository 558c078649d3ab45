"""A choice of mails for each game"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seats", sa.Column("mails", sa.Text(), nullable=True))


def downgrade() -> None:
    op.drop_column("seats", "mails")
