"""Dead rows of seats and outbox, which are looked at all the time, are cleared away while they are few"""

from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None

HOT = ("seats", "outbox")


def upgrade() -> None:
    for table in HOT:
        op.execute(f"ALTER TABLE {table} SET (autovacuum_vacuum_scale_factor = 0.01)")


def downgrade() -> None:
    for table in HOT:
        op.execute(f"ALTER TABLE {table} RESET (autovacuum_vacuum_scale_factor)")
