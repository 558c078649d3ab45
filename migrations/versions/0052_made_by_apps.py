"""Which app made a webhook, push subscription, stand-in request or calendar feed"""

from alembic import op

revision = "0052"
down_revision = "0051"
branch_labels = None
depends_on = None

COLUMNS = (
    ("players", "feed_app_id"),
    ("push_subscriptions", "app_id"),
    ("stand_ins", "app_id"),
    ("webhooks", "app_id"),
)


def upgrade() -> None:
    for table, column in COLUMNS:
        op.execute(f"ALTER TABLE {table} ADD COLUMN IF NOT EXISTS {column} uuid")


def downgrade() -> None:
    for table, column in COLUMNS:
        op.drop_column(table, column)
