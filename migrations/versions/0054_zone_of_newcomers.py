"""The time zone of a new player, sent with the request for a sign-in code"""

from alembic import op

revision = "0054"
down_revision = "0053"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE sign_in_codes ADD COLUMN IF NOT EXISTS zone text NOT NULL DEFAULT 'UTC'")


def downgrade() -> None:
    op.execute("ALTER TABLE sign_in_codes DROP COLUMN IF EXISTS zone")
