"""All tables, the role of those who serve, and a log that nobody can change"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY, JSONB

revision = "0023"  # the last of the steps that it replaces: an installation that took these has the very same tables
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)
ROLE = """
DO $$ BEGIN
  CREATE ROLE sternenpost_app NOLOGIN;
EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL;  -- another database of this server made it
END $$
"""
MEMBER = """
DO $$ BEGIN
  IF NOT pg_has_role(current_user, 'sternenpost_app', 'MEMBER') THEN
    EXECUTE format('GRANT sternenpost_app TO %I', current_user);
  END IF;
END $$
"""
REFUSE = """
CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION 'the log is append-only' USING ERRCODE = 'insufficient_privilege';
END $$
"""
EVERY = "SELECT, INSERT, UPDATE, DELETE ON TABLES"
APPEND_ONLY = ("events", "audit")


def upgrade() -> None:
    make_tables()
    give_rights()
    op.execute(REFUSE)
    for table in APPEND_ONLY:
        for name, what, each in (("append_only", "UPDATE OR DELETE", "ROW"), ("no_truncate", "TRUNCATE", "STATEMENT")):
            op.execute(
                f"CREATE TRIGGER {table}_{name} BEFORE {what} ON {table} FOR EACH {each} "
                "EXECUTE FUNCTION refuse_change()"
            )


def give_rights() -> None:
    op.execute(ROLE)
    op.execute(MEMBER)
    op.execute("GRANT USAGE ON SCHEMA public TO sternenpost_app")
    op.execute("GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO sternenpost_app")
    op.execute(f"REVOKE UPDATE, DELETE, TRUNCATE ON {', '.join(APPEND_ONLY)} FROM sternenpost_app")
    op.execute("REVOKE INSERT, UPDATE, DELETE, TRUNCATE ON alembic_version FROM sternenpost_app")
    op.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public GRANT {EVERY} TO sternenpost_app")


def make_tables() -> None:
    op.create_table(
        "audit",
        sa.Column("audit_id", sa.Uuid(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("who", sa.Text(), nullable=False),
        sa.Column("command", sa.Text(), nullable=False),
        sa.Column("arguments", JSONB(), nullable=False),
        sa.PrimaryKeyConstraint("audit_id", name=op.f("audit_pkey")),
        info={"spread": "local"},
    )
    op.create_index("audit_at", "audit", ["at"])
    op.create_table(
        "bounces",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("letter_id", sa.Uuid(), nullable=False),
        sa.Column("is_hard", sa.Boolean(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.Column("counts", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "letter_id", name=op.f("bounces_pkey")),
        info={"spread": "player_id"},
    )
    op.create_table(
        "deliveries",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("letter_id", sa.Uuid(), nullable=False),
        sa.Column("nr", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=True),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("game_id", "letter_id", "nr", name=op.f("deliveries_pkey")),
        info={"spread": "game_id"},
    )
    op.create_index("deliveries_at", "deliveries", ["at"])
    op.create_index("deliveries_of_player", "deliveries", ["player_id", "at", "letter_id"])
    op.create_table(
        "events",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("type", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=True),
        sa.Column("body", JSONB(), nullable=False),
        sa.Column("recorded_at", MOMENT, nullable=False),
        sa.Column("hash", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("game_id", "seq", name=op.f("events_pkey")),
        info={"spread": "game_id"},
    )
    op.create_table(
        "games",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("rules", sa.Text(), nullable=False),
        sa.Column("options", JSONB(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        sa.Column("private", sa.Boolean(), nullable=False),
        sa.Column("clock", JSONB(), nullable=False),
        sa.Column("on_timeout", JSONB(), nullable=False),
        sa.Column("made_by", sa.Uuid(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.Column("seed", sa.LargeBinary(), nullable=False),
        sa.Column("drawn", sa.Integer(), nullable=False),
        sa.Column("status", sa.Text(), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("outcome", JSONB(), nullable=True),
        sa.Column("host", sa.Uuid(), nullable=False),
        sa.Column("closes_at", MOMENT, nullable=True),
        sa.Column("wake_at", MOMENT, nullable=True),
        sa.Column("sent_away", ARRAY(sa.Text()), nullable=False),
        sa.PrimaryKeyConstraint("game_id", name=op.f("games_pkey")),
        info={"spread": "game_id"},
    )
    op.create_index("games_lobby", "games", ["status", "made_at", "game_id"], postgresql_where=sa.text("NOT private"))
    op.create_index("games_newest", "games", ["made_at", "game_id"], postgresql_where=sa.text("NOT private"))
    op.create_index("games_open_of_host", "games", ["host"], postgresql_where=sa.text("status = 'open'"))
    op.create_index("games_wake_at", "games", ["wake_at"], postgresql_where=sa.text("status = 'open'"))
    op.create_table(
        "heartbeats",
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
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
        sa.Column("made_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("game_id", "player_id", "key", name=op.f("idempotency_keys_pkey")),
        info={"spread": "game_id"},
    )
    op.create_table(
        "outages",
        sa.Column("outage_id", sa.Uuid(), nullable=False),
        sa.Column("part", sa.Text(), nullable=False),
        sa.Column("began_at", MOMENT, nullable=False),
        sa.Column("ended_at", MOMENT, nullable=False),
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
        sa.Column("data", JSONB(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("leased_until", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("game_id", "letter_id", name=op.f("outbox_pkey")),
        sa.UniqueConstraint(
            "game_id", "dedupe", name=op.f("outbox_game_id_dedupe_key"), postgresql_nulls_not_distinct=False
        ),
        info={"spread": "game_id"},
    )
    op.create_index("outbox_due_at", "outbox", ["due_at"])
    op.create_index("outbox_webhooks", "outbox", ["due_at"], postgresql_where=sa.text("kind = 'webhook'"))
    op.create_table(
        "player_deliveries",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("letter_id", sa.Uuid(), nullable=False),
        sa.Column("nr", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("player_id", "letter_id", "nr", name=op.f("player_deliveries_pkey")),
        info={"spread": "player_id"},
    )
    op.create_index("player_deliveries_at", "player_deliveries", ["at"])
    op.create_table(
        "player_games",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("player_id", "game_id", "seat", name=op.f("player_games_pkey")),
        info={"spread": "player_id"},
    )
    op.create_index("player_games_made_at", "player_games", ["player_id", "made_at", "game_id"])
    op.create_table(
        "player_outbox",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("letter_id", sa.Uuid(), nullable=False),
        sa.Column("dedupe", sa.Text(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("data", JSONB(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.Column("due_at", MOMENT, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("leased_until", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("player_id", "letter_id", name=op.f("player_outbox_pkey")),
        sa.UniqueConstraint(
            "player_id", "dedupe", name=op.f("player_outbox_player_id_dedupe_key"), postgresql_nulls_not_distinct=False
        ),
        info={"spread": "player_id"},
    )
    op.create_index("player_outbox_due_at", "player_outbox", ["due_at"])
    op.create_table(
        "players",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("email", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("locale", sa.Text(), nullable=False),
        sa.Column("zone", sa.Text(), nullable=False),
        sa.Column("calendar", JSONB(), nullable=False),
        sa.Column("notifications", JSONB(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.Column("feed", sa.Integer(), nullable=True),
        sa.Column("has_webhooks", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("unreachable_since", MOMENT, nullable=True),
        sa.Column("unreachable_why", sa.Text(), nullable=True),
        sa.Column("banned_at", MOMENT, nullable=True),
        sa.Column("banned_until", MOMENT, nullable=True),
        sa.Column("ban_reason", sa.Text(), nullable=True),
        sa.Column("deleted_at", MOMENT, nullable=True),
        sa.Column("named", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("player_id", name=op.f("players_pkey")),
        sa.UniqueConstraint("email", name=op.f("players_email_key"), postgresql_nulls_not_distinct=False),
        info={"spread": "everywhere"},
    )
    op.create_table(
        "postmaster_mails",
        sa.Column("mail_id", sa.Uuid(), nullable=False),
        sa.Column("recipient", sa.Text(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("arrived_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("mail_id", name=op.f("postmaster_mails_pkey")),
        info={"spread": "local"},
    )
    op.create_table(
        "rate_limits",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("since", MOMENT, nullable=False),
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
        sa.Column("expires_at", MOMENT, nullable=False),
        sa.PrimaryKeyConstraint("sign_in", name=op.f("sign_in_codes_pkey")),
        info={"spread": "local"},
    )
    op.create_table(
        "strangers",
        sa.Column("address_hash", sa.LargeBinary(), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("letter_id", sa.Uuid(), nullable=False),
        sa.PrimaryKeyConstraint("address_hash", name=op.f("strangers_pkey")),
        info={"spread": "local"},
    )
    op.create_table(
        "tokens",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("scopes", ARRAY(sa.Text()), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.Column("expires_at", MOMENT, nullable=True),
        sa.Column("game_id", sa.Uuid(), nullable=True),
        sa.Column("last_used_at", MOMENT, nullable=True),
        sa.PrimaryKeyConstraint("player_id", "token_hash", name=op.f("tokens_pkey")),
        info={"spread": "player_id"},
    )
    op.create_index("tokens_expires_at", "tokens", ["expires_at"], postgresql_where=sa.text("expires_at IS NOT NULL"))
    op.create_table(
        "webhooks",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("webhook_id", sa.Uuid(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("kinds", ARRAY(sa.Text()), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=True),
        sa.Column("secret", sa.LargeBinary(), nullable=False),
        sa.Column("old_secret", sa.LargeBinary(), nullable=True),
        sa.Column("old_until", MOMENT, nullable=True),
        sa.Column("disabled", sa.Text(), nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("failing_since", MOMENT, nullable=True),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.Column("wake_at", MOMENT, nullable=True),
        sa.Column("rests_until", MOMENT, nullable=False),
        sa.Column("leased_until", MOMENT, nullable=True),
        sa.Column("round", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.PrimaryKeyConstraint("player_id", "webhook_id", name=op.f("webhooks_pkey")),
        info={"spread": "player_id"},
    )
    op.create_index("webhooks_wake_at", "webhooks", ["wake_at"], postgresql_where=sa.text("wake_at IS NOT NULL"))
    op.create_table(
        "inbox",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("mail_id", sa.Uuid(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=False),
        sa.Column("raw", sa.LargeBinary(), nullable=False),
        sa.Column("arrived_at", MOMENT, nullable=False),
        sa.Column("due_at", MOMENT, nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("asks", sa.Text(), nullable=False),
        sa.Column("answer", JSONB(), nullable=True),
        sa.Column("acted", JSONB(), nullable=True),
        sa.Column("fault", sa.Text(), nullable=True),
        sa.ForeignKeyConstraint(["game_id"], ["games.game_id"], name=op.f("inbox_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "mail_id", name=op.f("inbox_pkey")),
        info={"spread": "game_id"},
    )
    op.create_index("inbox_due_at", "inbox", ["due_at"], postgresql_where=sa.text("due_at IS NOT NULL"))
    op.create_index("inbox_fault", "inbox", ["arrived_at"], postgresql_where=sa.text("fault IS NOT NULL"))
    op.create_table(
        "messages",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("nr", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.game_id"], name=op.f("messages_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "nr", name=op.f("messages_pkey")),
        info={"spread": "game_id"},
    )
    op.create_table(
        "seats",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("player_id", sa.Uuid(), nullable=True),
        sa.Column("bot", sa.Text(), nullable=True),
        sa.Column("email", sa.Text(), nullable=True),
        sa.Column("salt", sa.Text(), nullable=False),
        sa.Column("to_act", sa.Boolean(), nullable=False),
        sa.Column("turn", sa.Integer(), nullable=True),
        sa.Column("stand_in", sa.Text(), nullable=True),
        sa.Column("asked_at", MOMENT, nullable=True),
        sa.Column("allowed", sa.Double(), nullable=True),
        sa.Column("lent", sa.Double(), nullable=False),
        sa.Column("hours", JSONB(), nullable=True),
        sa.Column("due_at", MOMENT, nullable=True),
        sa.Column("remind_at", MOMENT, nullable=True),
        sa.Column("wake_at", MOMENT, nullable=True),
        sa.Column("mails", sa.Text(), nullable=True),
        sa.Column("lost_at", MOMENT, nullable=True),
        sa.CheckConstraint("kind IN ('human', 'bot', 'open', 'invited')", name=op.f("seats_kind_check")),
        sa.ForeignKeyConstraint(["game_id"], ["games.game_id"], name=op.f("seats_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "seat", name=op.f("seats_pkey")),
        info={"spread": "game_id"},
    )
    op.create_index("seats_wake_at", "seats", ["wake_at"], postgresql_where=sa.text("wake_at IS NOT NULL"))
    op.create_table(
        "votes",
        sa.Column("game_id", sa.Uuid(), nullable=False),
        sa.Column("wish", sa.Text(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.ForeignKeyConstraint(["game_id"], ["games.game_id"], name=op.f("votes_game_id_fkey"), ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("game_id", "wish", "seat", name=op.f("votes_pkey")),
        info={"spread": "game_id"},
    )
    op.create_table(
        "webhook_deliveries",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("webhook_id", sa.Uuid(), nullable=False),
        sa.Column("delivery_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("payload", sa.Text(), nullable=False),
        sa.Column("made_at", MOMENT, nullable=False),
        sa.Column("begun_at", MOMENT, nullable=False),
        sa.Column("due_at", MOMENT, nullable=True),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("result", sa.Text(), nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("detail", sa.Text(), nullable=False),
        sa.Column("tried_at", MOMENT, nullable=True),
        sa.ForeignKeyConstraint(
            ["player_id", "webhook_id"],
            ["webhooks.player_id", "webhooks.webhook_id"],
            name=op.f("webhook_deliveries_player_id_webhook_id_fkey"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("player_id", "webhook_id", "delivery_id", name=op.f("webhook_deliveries_pkey")),
        info={"spread": "player_id"},
    )
    op.create_index(
        "webhook_deliveries_due_at",
        "webhook_deliveries",
        ["player_id", "webhook_id", "due_at"],
        postgresql_where=sa.text("due_at IS NOT NULL"),
    )
    op.create_index(
        "webhook_deliveries_newest", "webhook_deliveries", ["player_id", "webhook_id", "made_at", "delivery_id"]
    )


def downgrade() -> None:
    op.drop_table("webhook_deliveries")
    op.drop_table("votes")
    op.drop_table("seats")
    op.drop_table("messages")
    op.drop_table("inbox")
    op.drop_table("webhooks")
    op.drop_table("tokens")
    op.drop_table("strangers")
    op.drop_table("sign_in_codes")
    op.drop_table("settings")
    op.drop_table("rate_limits")
    op.drop_table("postmaster_mails")
    op.drop_table("players")
    op.drop_table("player_outbox")
    op.drop_table("player_games")
    op.drop_table("player_deliveries")
    op.drop_table("outbox")
    op.drop_table("outages")
    op.drop_table("idempotency_keys")
    op.drop_table("heartbeats")
    op.drop_table("games")
    op.drop_table("events")
    op.drop_table("deliveries")
    op.drop_table("bounces")
    op.drop_table("audit")
    op.execute("DROP FUNCTION refuse_change()")
    op.execute(f"ALTER DEFAULT PRIVILEGES IN SCHEMA public REVOKE {EVERY} FROM sternenpost_app")
    op.execute("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM sternenpost_app")
    op.execute("REVOKE USAGE ON SCHEMA public FROM sternenpost_app")  # the role stays: other databases may use it
