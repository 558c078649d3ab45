"""The line that an invited player reads from the player who invited them"""

from alembic import op

revision = "0060"
down_revision = "0059"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE seats ADD COLUMN IF NOT EXISTS greeting text")


def downgrade() -> None:
    op.execute("ALTER TABLE seats DROP COLUMN IF EXISTS greeting")
