"""Signatures of mail providers that have been used, so that none counts for another mail"""

import sqlalchemy as sa
from alembic import op

revision = "0050"
down_revision = "0049"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add a table and lock no other. Web processes of the previous release store nothing there."""
    op.create_table(
        "mail_proofs",
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("content_hash", sa.LargeBinary(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("token_hash"),
    )
    op.create_index("mail_proofs_expires_at", "mail_proofs", ["expires_at"])


def downgrade() -> None:
    op.drop_table("mail_proofs")
