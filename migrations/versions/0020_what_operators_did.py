"""What operators did, append-only as the log is"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "audit",
        sa.Column("audit_id", sa.Uuid(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("arguments", postgresql.JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("audit_id", name=op.f("audit_pkey")),
        info={"spread": "local"},
    )
    op.create_index("audit_at", "audit", ["at"])
    op.execute("REVOKE UPDATE, DELETE, TRUNCATE ON audit FROM sternenpost_app")
    for name, what, each in (("append_only", "UPDATE OR DELETE", "ROW"), ("no_truncate", "TRUNCATE", "STATEMENT")):
        op.execute(
            f"CREATE TRIGGER audit_{name} BEFORE {what} ON audit FOR EACH {each} EXECUTE FUNCTION refuse_change()"
        )


def downgrade() -> None:
    op.drop_table("audit")
