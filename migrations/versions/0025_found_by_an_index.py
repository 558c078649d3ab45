"""What is tidied by its age, listed by its kind, or watched for the oldest is found by an index"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("games_of_rules", "games", ["rules", "made_at", "game_id"], postgresql_where=sa.text("NOT private"))
    op.create_index("idempotency_keys_made_at", "idempotency_keys", ["made_at"])
    op.create_index(
        "inbox_dealt_with",
        "inbox",
        ["arrived_at"],
        postgresql_where=sa.text("due_at IS NULL AND fault IS NULL AND (acted IS NULL OR raw <> '')"),
    )
    op.create_index("outbox_made_at", "outbox", ["made_at"])
    op.create_index(
        "webhook_deliveries_ended", "webhook_deliveries", ["made_at"], postgresql_where=sa.text("due_at IS NULL")
    )


def downgrade() -> None:
    op.drop_index("webhook_deliveries_ended", "webhook_deliveries")
    op.drop_index("outbox_made_at", "outbox")
    op.drop_index("inbox_dealt_with", "inbox")
    op.drop_index("idempotency_keys_made_at", "idempotency_keys")
    op.drop_index("games_of_rules", "games")
