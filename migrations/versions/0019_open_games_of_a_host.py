"""The open games of a host, counted by an index"""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("games_open_of_host", "games", ["host"], postgresql_where=sa.text("status = 'open'"))


def downgrade() -> None:
    op.drop_index("games_open_of_host", "games")
