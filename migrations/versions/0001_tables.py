"""The tables"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:

    op.create_table(
        "deliveries",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("letter_id", sa.Uuid(), nullable=False),
        sa.Column("nr", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=True),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "letter_id", "nr", name=op.f("deliveries_pkey")),
        info={"spread": "game_id"},
    )
    op.create_table(
        "events",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("body", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("recorded_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "seq", name=op.f("events_pkey")),
        info={"spread": "game_id"},
    )
    op.create_table(
        "games",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("options", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("clock", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("on_timeout", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("made_by", sa.Uuid(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("drawn", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("outcome", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.PrimaryKeyConstraint("game_id", name=op.f("games_pkey")),
        info={"spread": "game_id"},
    )
    op.create_index(
        "games_newest", "games", ["made_at", "game_id"], unique=False, postgresql_where=sa.text("NOT private")
    )
    op.create_index(
        "games_lobby", "games", ["status", "made_at", "game_id"], unique=False, postgresql_where=sa.text("NOT private")
    )
    op.create_table(
        "heartbeats",
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("part", name=op.f("heartbeats_pkey")),
        info={"spread": "local"},
    )
    op.create_table(
        "idempotency_keys",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("request_hash", sa.LargeBinary(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("answer", sa.Text(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "player_id", "key", name=op.f("idempotency_keys_pkey")),
        info={"spread": "game_id"},
    )
    op.create_table(
        "outages",
        sa.Column("outage_id", sa.Uuid(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("began_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ended_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("followed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("outage_id", name=op.f("outages_pkey")),
        info={"spread": "local"},
    )
    op.create_table(
        "outbox",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("letter_id", sa.Uuid(), nullable=False),
        sa.Column("dedupe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=True),
        sa.Column("data", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "letter_id", name=op.f("outbox_pkey")),
        sa.UniqueConstraint("game_id", "dedupe", name=op.f("outbox_game_id_dedupe_key")),
        info={"spread": "game_id"},
    )
    op.create_index("outbox_due_at", "outbox", ["due_at"], unique=False)
    op.create_table(
        "player_games",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "game_id", "seat", name=op.f("player_games_pkey")),
        info={"spread": "player_id"},
    )
    op.create_index("player_games_made_at", "player_games", ["player_id", "made_at", "game_id"], unique=False)
    op.create_table(
        "player_outbox",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("letter_id", sa.Uuid(), nullable=False),
        sa.Column("dedupe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("data", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "letter_id", name=op.f("player_outbox_pkey")),
        sa.UniqueConstraint("player_id", "dedupe", name=op.f("player_outbox_player_id_dedupe_key")),
        info={"spread": "player_id"},
    )
    op.create_index("player_outbox_due_at", "player_outbox", ["due_at"], unique=False)
    op.create_table(
        "players",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("locale", sa.Text(), nullable=False),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("calendar", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("notifications", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("player_id", name=op.f("players_pkey")),
        sa.UniqueConstraint("email", name=op.f("players_email_key")),
        info={"spread": "everywhere"},
    )
    op.create_table(
        "rate_limits",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("key", "since", name=op.f("rate_limits_pkey")),
        info={"spread": "local"},
    )
    op.create_table(
        "settings",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("name", name=op.f("settings_pkey")),
        info={"spread": "everywhere"},
    )
    op.create_table(
        "sign_in_codes",
        sa.Column("sign_in", sa.Uuid(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("locale", sa.Text(), nullable=False),
        sa.Column("code_hash", sa.LargeBinary(), nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.PrimaryKeyConstraint("sign_in", name=op.f("sign_in_codes_pkey")),
        info={"spread": "local"},
    )
    op.create_table(
        "tokens",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scopes", postgresql.ARRAY(sa.Text()), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("player_id", "token_hash", name=op.f("tokens_pkey")),
        info={"spread": "player_id"},
    )
    op.create_table(
        "messages",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("nr", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.game_id"], name=op.f("messages_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "nr", name=op.f("messages_pkey")),
        info={"spread": "game_id"},
    )
    op.create_table(
        "seats",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=True),
        sa.Column("bot", sa.Text(), nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("salt", sa.Text(), nullable=False),
        sa.Column("to_act", sa.Boolean(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("stand_in", sa.Text(), nullable=True),
        sa.Column("asked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("allowed", sa.Double(), nullable=True),
        sa.Column("lent", sa.Double(), nullable=False),
        sa.Column("hours", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("due_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("remind_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("wake_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("kind IN ('human', 'bot', 'open', 'invited')", name=op.f("seats_kind_check")),
        sa.ForeignKeyConstraint(["game_id"], ["games.game_id"], name=op.f("seats_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "seat", name=op.f("seats_pkey")),
        info={"spread": "game_id"},
    )
    op.create_index(
        "seats_wake_at", "seats", ["wake_at"], unique=False, postgresql_where=sa.text("wake_at IS NOT NULL")
    )
    op.create_table(
        "votes",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("wish", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.game_id"], name=op.f("votes_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "wish", "seat", name=op.f("votes_pkey")),
        info={"spread": "game_id"},
    )


def downgrade() -> None:

    op.drop_table("votes")
    op.drop_index("seats_wake_at", table_name="seats", postgresql_where=sa.text("wake_at IS NOT NULL"))
    op.drop_table("seats")
    op.drop_table("messages")
    op.drop_table("tokens")
    op.drop_table("sign_in_codes")
    op.drop_table("settings")
    op.drop_table("rate_limits")
    op.drop_table("players")
    op.drop_index("player_outbox_due_at", table_name="player_outbox")
    op.drop_table("player_outbox")
    op.drop_index("player_games_made_at", table_name="player_games")
    op.drop_table("player_games")
    op.drop_index("outbox_due_at", table_name="outbox")
    op.drop_table("outbox")
    op.drop_table("outages")
    op.drop_table("idempotency_keys")
    op.drop_table("heartbeats")
    op.drop_index("games_lobby", table_name="games", postgresql_where=sa.text("NOT private"))
    op.drop_index("games_newest", table_name="games", postgresql_where=sa.text("NOT private"))
    op.drop_table("games")
    op.drop_table("events")
    op.drop_table("deliveries")
