"""Whose finished games may be given to whoever studies them; the index holds `player_games` while it is made"""

import sqlalchemy as sa
from alembic import op

revision = "0039"
down_revision = "0038"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("players", sa.Column("shares_games", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index(
        "player_games_ended",
        "player_games",
        ["over_at", "game_id"],
        postgresql_where=sa.text("over_at IS NOT NULL"),
    )


def downgrade() -> None:
    op.drop_index("player_games_ended", "player_games")
    op.drop_column("players", "shares_games")
