"""Whose finished games may be given to whoever studies them"""

import sqlalchemy as sa
from alembic import op

from server.store.migrate import make_index

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    make_index("player_games_ended", "player_games", ["over_at", "game_id"], "over_at IS NOT NULL")
    op.add_column("players", sa.Column("shares_games", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    op.drop_index("player_games_ended", "player_games")
    op.drop_column("players", "shares_games")
