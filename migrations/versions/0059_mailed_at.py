"""When an invitation was sent to the address that a seat is reserved for"""

from alembic import op

revision = "0059"
down_revision = "0058"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE seats ADD COLUMN IF NOT EXISTS mailed_at timestamptz")


def downgrade() -> None:
    op.execute("ALTER TABLE seats DROP COLUMN IF EXISTS mailed_at")
