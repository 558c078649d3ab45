"""Who is ready, and what salt he has committed; a process of the release before asks nobody and begins at once"""

import sqlalchemy as sa
from alembic import op

revision = "0040"
down_revision = "0039"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("seats", sa.Column("ready", sa.Boolean(), nullable=False, server_default="false"))
    op.add_column("seats", sa.Column("salt_hash", sa.Text(), nullable=True))


def downgrade() -> None:
    for name in ("salt_hash", "ready"):
        op.drop_column("seats", name)
