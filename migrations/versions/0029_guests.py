"""Players without an address, who are forgotten after a while; and games found by the address that is invited"""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("seats_email", "seats", ["email"], postgresql_where=sa.text("email IS NOT NULL"))
    # Last, since from here on nobody reads `players` until the step is done.
    op.add_column("players", sa.Column("guest_until", sa.DateTime(timezone=True), nullable=True))
    some = sa.text("guest_until IS NOT NULL")
    op.create_index("players_guest_until", "players", ["guest_until"], postgresql_where=some)


def downgrade() -> None:
    op.drop_index("seats_email", "seats")
    op.drop_index("players_guest_until", "players")
    op.drop_column("players", "guest_until")
