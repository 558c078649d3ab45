"""Accounts that a program plays, and games that let none in; two columns, which rewrite no table"""

import sqlalchemy as sa
from alembic import op

revision = "0043"
down_revision = "0042"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("players", sa.Column("program_since", sa.DateTime(timezone=True), nullable=True))
    op.add_column("games", sa.Column("programs", sa.Boolean(), nullable=False, server_default=sa.true()))


def downgrade() -> None:
    op.drop_column("games", "programs")
    op.drop_column("players", "program_since")
