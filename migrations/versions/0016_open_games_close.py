"""Open games have a host and close at a time; those that are open now, in two weeks"""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

_TWO_WEEKS, _NOTICE = timedelta(days=14), timedelta(days=3)


def upgrade() -> None:
    moment = sa.DateTime(timezone=True)
    op.add_column("games", sa.Column("host", sa.Uuid(), nullable=True))
    op.add_column("games", sa.Column("closes_at", moment, nullable=True))
    op.add_column("games", sa.Column("wake_at", moment, nullable=True))
    op.add_column(
        "games",
        sa.Column("sent_away", postgresql.ARRAY(sa.Text()), nullable=False, server_default=sa.text("'{}'")),
    )
    op.alter_column("games", "sent_away", server_default=None)
    op.execute("UPDATE games SET host = made_by")
    op.alter_column("games", "host", nullable=False)
    closes_at = datetime.now(UTC) + _TWO_WEEKS
    open_games = sa.text("UPDATE games SET closes_at = :closes_at, wake_at = :wake_at WHERE status = 'open'")
    op.get_bind().execute(open_games, {"closes_at": closes_at, "wake_at": closes_at - _NOTICE})
    op.create_index("games_wake_at", "games", ["wake_at"], postgresql_where=sa.text("status = 'open'"))


def downgrade() -> None:
    op.drop_index("games_wake_at", table_name="games")
    for name in ("sent_away", "wake_at", "closes_at", "host"):
        op.drop_column("games", name)
