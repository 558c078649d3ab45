"""Players who are banned or deleted"""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("players", sa.Column("banned_at", sa.DateTime(timezone=True), nullable=True))
    op.add_column("players", sa.Column("banned_until", sa.DateTime(timezone=True), nullable=True))
    op.add_column("players", sa.Column("ban_reason", sa.Text(), nullable=True))
    op.add_column("players", sa.Column("deleted_at", sa.DateTime(timezone=True), nullable=True))


def downgrade() -> None:
    op.drop_column("players", "deleted_at")
    op.drop_column("players", "ban_reason")
    op.drop_column("players", "banned_until")
    op.drop_column("players", "banned_at")
