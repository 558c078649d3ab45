"""Plans, and what records a commit, which wakes the seat that has one"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from server.store.migrate import FUNCTIONS

revision = "0035"
down_revision = "0034"
branch_labels = None
depends_on = None

TEXT = "df5a8e2f814b3a3ddef53ff19255e4af86e4a09cf5a7dfb3203cf09229fc6214"  # sha256 of what this step is for


def upgrade() -> None:
    op.add_column("seats", sa.Column("planned", sa.Boolean(), nullable=False, server_default="false"))
    op.add_column("seats", sa.Column("plan_turn", sa.Integer(), nullable=True))
    op.add_column("seats", sa.Column("plan_at", sa.DateTime(timezone=True), nullable=True))
    op.create_table(
        "plans",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("moves", JSONB(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("played", JSONB(), nullable=False),
        sa.Column("ended", JSONB(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.game_id"], name=op.f("plans_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "seat", name=op.f("plans_pkey")),
    )
    op.execute(FUNCTIONS.read_text("utf-8"))


def downgrade() -> None:
    functions = FUNCTIONS.read_text("utf-8")
    begin = functions.index("-- a plan is looked at")
    end = functions.index("\n      WHERE game_id = game AND seat = c.seat")
    op.execute(functions[:begin] + "wake_at = c.wake_at" + functions[end:])
    op.drop_table("plans")
    for name in ("plan_at", "plan_turn", "planned"):
        op.drop_column("seats", name)
