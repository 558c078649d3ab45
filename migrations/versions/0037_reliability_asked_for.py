"""What a game asks of those who come"""

import sqlalchemy as sa
from alembic import op

revision = "0037"
down_revision = "0036"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("games", sa.Column("min_reliability", sa.Integer(), nullable=True))


def downgrade() -> None:
    op.drop_column("games", "min_reliability")
