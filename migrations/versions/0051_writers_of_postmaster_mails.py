"""The players whose former address stands in a mail to the postmaster, so that it goes with their account"""

from alembic import op

revision = "0051"
down_revision = "0050"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE postmaster_mails ADD COLUMN IF NOT EXISTS player_id uuid")


def downgrade() -> None:
    op.drop_column("postmaster_mails", "player_id")
