"""Whether a player has chosen his name. Those who are called like the local part of their address have been asked for none"""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("players", sa.Column("named", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.execute("UPDATE players SET named = false WHERE name = left(split_part(email, '@', 1), 40)")
    op.alter_column("players", "named", server_default=None)


def downgrade() -> None:
    op.drop_column("players", "named")
