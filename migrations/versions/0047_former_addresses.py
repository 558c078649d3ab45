"""The address that a player has left, until nothing is kept for it any more"""

from alembic import op

from server.store.migrate import make_index

revision = "0047"
down_revision = "0046"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("ALTER TABLE players ADD COLUMN IF NOT EXISTS former_email text")
    make_index("players_former_email", "players", ["player_id"], "former_email IS NOT NULL")


def downgrade() -> None:
    op.drop_index("players_former_email", "players")
    op.drop_column("players", "former_email")
