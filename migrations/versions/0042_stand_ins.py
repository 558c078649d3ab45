"""Stand-ins: who plays whose seat until when, and since when whoever sits there does"""

import sqlalchemy as sa
from alembic import op

from server.store.migrate import make_index

revision = "0042"
down_revision = "0041"
branch_labels = None
depends_on = None

_OF_SEATS = (
    ("owner_id", sa.Uuid()),
    ("owner_since", sa.Integer()),
    ("owner_mails", sa.Text()),
    ("stood_in_until", sa.DateTime(timezone=True)),
)


def upgrade() -> None:
    """It adds columns with no default or a fixed one, which rewrites no table."""
    op.execute("ALTER TABLE player_games ADD COLUMN IF NOT EXISTS role text")
    make_index("player_games_of_others", "player_games", ["game_id"], "role IS NOT NULL")
    op.add_column("seats", sa.Column("since", sa.Integer(), nullable=False, server_default="0"))
    for name, type_ in _OF_SEATS:
        op.add_column("seats", sa.Column(name, type_, nullable=True))
    op.create_table(
        "stand_ins",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("mark", sa.BigInteger(), nullable=False),
        sa.Column("asked_by", sa.Uuid(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("from_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("until_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("accepted_by", sa.Uuid(), nullable=True),
        sa.Column("wake_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["game_id"], ["games.game_id"], name=op.f("stand_ins_game_id_fkey"), ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("game_id", "seat", name=op.f("stand_ins_pkey")),
    )
    op.create_index("stand_ins_wake_at", "stand_ins", ["wake_at"])


def downgrade() -> None:
    """Whoever stands in goes, as if he had never come."""
    op.execute("UPDATE seats SET player_id = owner_id WHERE owner_id IS NOT NULL")
    op.execute("DELETE FROM player_games WHERE role = 'stand-in'")
    op.drop_table("stand_ins")
    op.drop_index("player_games_of_others", "player_games")
    op.drop_column("player_games", "role")
    for name, _ in reversed(_OF_SEATS):
        op.drop_column("seats", name)
    op.drop_column("seats", "since")
