"""What records a commit, row by row, and what reads a game"""

from alembic import op

from server.store.migrate import FUNCTIONS

revision = "0048"
down_revision = "0047"
branch_labels = None
depends_on = None

TEXT = "79b895dd46d5907c0c654df068ff8342503bdddaf98d9040379d28f964773366"  # sha256 of what this step is for


def upgrade() -> None:
    op.execute(FUNCTIONS.read_text("utf-8"))


def downgrade() -> None:
    """What records does what it did before, and nobody calls what reads."""
