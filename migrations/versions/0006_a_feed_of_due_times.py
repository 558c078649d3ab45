"""A feed of due times for each player who wants one"""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("players", sa.Column("feed", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("players", "feed")
