"""What is tidied by its age, listed by its kind, or watched for the oldest is found by an index"""

from alembic import op

from server.store.migrate import make_index

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    make_index("games_of_rules", "games", ["rules", "made_at", "game_id"], "NOT private")
    make_index("idempotency_keys_made_at", "idempotency_keys", ["made_at"])
    dealt_with = "due_at IS NULL AND fault IS NULL AND (acted IS NULL OR raw <> '')"
    make_index("inbox_dealt_with", "inbox", ["arrived_at"], dealt_with)
    make_index("outbox_made_at", "outbox", ["made_at"])
    make_index("webhook_deliveries_ended", "webhook_deliveries", ["made_at"], "due_at IS NULL")


def downgrade() -> None:
    op.drop_index("webhook_deliveries_ended", "webhook_deliveries")
    op.drop_index("outbox_made_at", "outbox")
    op.drop_index("inbox_dealt_with", "inbox")
    op.drop_index("idempotency_keys_made_at", "idempotency_keys")
    op.drop_index("games_of_rules", "games")
