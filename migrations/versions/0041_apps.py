"""Apps: programs of strangers, and what players have allowed them"""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import ARRAY

revision = "0041"
down_revision = "0040"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "oauth_clients",
        sa.Column("client_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("uri", sa.Text(), nullable=True),
        sa.Column("redirect_uris", ARRAY(sa.Text()), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("is_allowed", sa.Boolean(), nullable=False),
        sa.PrimaryKeyConstraint("client_id", name=op.f("oauth_clients_pkey")),
    )
    op.create_table(
        "apps",
        sa.Column("player_id", sa.Uuid(), nullable=False),
        sa.Column("app_id", sa.Uuid(), nullable=False),
        sa.Column("client_id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("redirect_uri", sa.Text(), nullable=False),
        sa.Column("scopes", ARRAY(sa.Text()), nullable=False),
        sa.Column("game_id", sa.Uuid(), nullable=True),
        sa.Column("code_hash", sa.LargeBinary(), nullable=False),
        sa.Column("code_challenge", sa.Text(), nullable=False),
        sa.Column("family_hash", sa.LargeBinary(), nullable=True),
        sa.Column("refresh_hash", sa.LargeBinary(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("used_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("ends_at", sa.DateTime(timezone=True), nullable=True),
        sa.PrimaryKeyConstraint("player_id", "app_id", name=op.f("apps_pkey")),
    )
    op.create_index("apps_expires_at", "apps", ["expires_at"])
    op.add_column("tokens", sa.Column("app_id", sa.Uuid(), nullable=True))


def downgrade() -> None:
    op.drop_column("tokens", "app_id")
    op.drop_table("apps")
    op.drop_table("oauth_clients")
