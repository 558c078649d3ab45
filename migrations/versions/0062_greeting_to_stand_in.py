"""The lines that a stand-in reads from the player who asks them"""

from alembic import op

revision = "0062"
down_revision = "0061"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE stand_ins ADD COLUMN IF NOT EXISTS greeting text")


def downgrade() -> None:
    op.execute("ALTER TABLE stand_ins DROP COLUMN IF EXISTS greeting")
