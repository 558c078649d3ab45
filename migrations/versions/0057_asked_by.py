"""Which player requested a review"""

from alembic import op

from server.store.migrate import make_index

revision = "0057"
down_revision = "0056"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE reviews ADD COLUMN IF NOT EXISTS asked_by uuid")
    make_index("reviews_asked_by", "reviews", ["asked_by"], "asked_by IS NOT NULL")


def downgrade() -> None:
    op.execute("ALTER TABLE reviews DROP COLUMN IF EXISTS asked_by")
