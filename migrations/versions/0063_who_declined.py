"""Who declined the last invitation to a seat"""

from alembic import op

revision = "0063"
down_revision = "0062"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE seats ADD COLUMN IF NOT EXISTS declined_name text")
    op.execute("ALTER TABLE seats ADD COLUMN IF NOT EXISTS declined_mark bigint")


def downgrade() -> None:
    op.execute("ALTER TABLE seats DROP COLUMN IF EXISTS declined_mark")
    op.execute("ALTER TABLE seats DROP COLUMN IF EXISTS declined_name")
