"""Players without an address, who are forgotten after a while; and games found by the address that is invited"""

from alembic import op

from server.store.migrate import make_index

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    make_index("seats_email", "seats", ["email"], "email IS NOT NULL")
    op.execute("ALTER TABLE players ADD COLUMN IF NOT EXISTS guest_until timestamptz")
    make_index("players_guest_until", "players", ["guest_until"], "guest_until IS NOT NULL")


def downgrade() -> None:
    op.drop_index("seats_email", "seats")
    op.drop_index("players_guest_until", "players")
    op.drop_column("players", "guest_until")
