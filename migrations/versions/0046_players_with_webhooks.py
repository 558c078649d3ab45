"""Whether anybody has a webhook is found by an index"""

import sqlalchemy as sa
from alembic import op

revision = "0046"
down_revision = "0045"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("players_with_webhooks", "players", ["player_id"], postgresql_where=sa.text("has_webhooks"))


def downgrade() -> None:
    op.drop_index("players_with_webhooks", "players")
