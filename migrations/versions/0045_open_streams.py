"""Open event streams by whom they count for, so that bounds hold over all processes of the web"""

import sqlalchemy as sa
from alembic import op

revision = "0045"
down_revision = "0044"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """It makes a table, and holds no other. A web of the release before notes nothing there, and counts its own only."""
    op.create_table(
        "open_streams",
        sa.Column("whom", sa.Text(), nullable=False),
        sa.Column("process_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("until", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("whom", "process_id"),
    )


def downgrade() -> None:
    op.drop_table("open_streams")
