"""What records a commit: server/store/functions.sql, the functions of which are called as it calls them

The functions of the release before, `record_deed` and `record_deed_if_free`, stay: its webs and workers may still run.
"""

from alembic import op

from server.store.migrate import FUNCTIONS

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None

TEXT = "01ed025cda3ffb59839cea447bcd90b3008506e082865e3fe392c236b47da5dd"  # sha256 of what this step is for


def upgrade() -> None:
    op.execute(FUNCTIONS.read_text("utf-8"))


def downgrade() -> None:
    op.execute("DROP FUNCTION record_commit, record_commit_unless_held, read_game")
