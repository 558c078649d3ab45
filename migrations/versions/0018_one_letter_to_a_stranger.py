"""One letter to a stranger"""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "strangers",
        sa.Column("address_hash", sa.LargeBinary(), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("letter_id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("address_hash", name=op.f("strangers_pkey")),
        info={"spread": "local"},
    )


def downgrade() -> None:
    op.drop_table("strangers")
