"""Mails that could not be dealt with, and those to the postmaster"""

import sqlalchemy as sa
from alembic import op

revision = "0023"
down_revision = "0022"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inbox", sa.Column("fault", sa.Text(), nullable=True))
    op.create_index("inbox_fault", "inbox", ["arrived_at"], postgresql_where=sa.text("fault IS NOT NULL"))
    op.create_table(
        "postmaster_mails",
        sa.Column("mail_id", sa.Uuid(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("arrived_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("mail_id", name=op.f("postmaster_mails_pkey")),
        info={"spread": "local"},
    )


def downgrade() -> None:
    op.drop_table("postmaster_mails")
    op.drop_index("inbox_fault", table_name="inbox")
    op.drop_column("inbox", "fault")
