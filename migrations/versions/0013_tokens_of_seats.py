"""Tokens for one seat, when each token was last used, and a quick look for those that have ended"""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("tokens", sa.Column("game_id", sa.Uuid(), nullable=True))
    op.add_column("tokens", sa.Column("last_used_at", sa.DateTime(timezone=True), nullable=True))
    op.create_index("tokens_expires_at", "tokens", ["expires_at"], postgresql_where=sa.text("expires_at IS NOT NULL"))


def downgrade() -> None:
    op.drop_index("tokens_expires_at", table_name="tokens")
    op.drop_column("tokens", "last_used_at")
    op.drop_column("tokens", "game_id")
