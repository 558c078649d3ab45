"""The game of which a game is the rematch"""

from alembic import op

revision = "0064"
down_revision = "0063"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE games ADD COLUMN IF NOT EXISTS rematch_of uuid")


def downgrade() -> None:
    op.execute("ALTER TABLE games DROP COLUMN IF EXISTS rematch_of")
