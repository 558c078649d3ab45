"""What records a commit is called so: server/store/record_commit.sql, which each migration puts in place at its end"""

from alembic import op

revision = "0024"
down_revision = "0023"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("DROP FUNCTION IF EXISTS record_deed, record_deed_if_free")


def downgrade() -> None:
    op.execute("DROP FUNCTION record_commit, record_commit_unless_held")
