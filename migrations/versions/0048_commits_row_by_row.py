"""What records a commit, row by row"""

from alembic import op

from server.store.migrate import RECORD_COMMIT

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

TEXT = "5999d6a6e41f14af1d285162990ac1f92e31469f74d08c3c1aa23751ae31f0c0"  # sha256 of what this step is for


def upgrade() -> None:
    op.execute(RECORD_COMMIT.read_text("utf-8"))


def downgrade() -> None:
    """Nothing is to do: it does what the text before did."""
