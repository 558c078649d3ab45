"""Which player invited an address to a seat"""

from alembic import op

revision = "0058"
down_revision = "0057"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE seats ADD COLUMN IF NOT EXISTS invited_by uuid")


def downgrade() -> None:
    op.execute("ALTER TABLE seats DROP COLUMN IF EXISTS invited_by")
