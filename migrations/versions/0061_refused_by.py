"""Which players refused a request"""

from alembic import op

revision = "0061"
down_revision = "0060"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE votes ADD COLUMN IF NOT EXISTS refused_by integer[] NOT NULL DEFAULT '{}'")


def downgrade() -> None:
    op.execute("ALTER TABLE votes DROP COLUMN IF EXISTS refused_by")
