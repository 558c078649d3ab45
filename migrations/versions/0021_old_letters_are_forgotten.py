"""Look up which letters were carried long ago"""

from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("deliveries_at", "deliveries", ["at"])
    op.create_index("player_deliveries_at", "player_deliveries", ["at"])


def downgrade() -> None:
    op.drop_index("player_deliveries_at", "player_deliveries")
    op.drop_index("deliveries_at", "deliveries")
