"""The export scope for browsers that are signed in, and for guests"""

from alembic import op

revision = "0053"
down_revision = "0052"
branch_labels = None
depends_on = None

SCOPES = ("games:read", "games:write", "moves:write", "chat:write", "profile:read", "profile:write")
ALL = (*SCOPES, "tokens:write", "webhooks:manage")


def upgrade() -> None:
    """Only tokens made by a sign-in or a visit: their names are ours, but players may choose the same."""
    for name, scopes in (("sign-in", ALL), ("guest", SCOPES)):
        listed = ", ".join(f"'{scope}'" for scope in scopes)
        op.execute(
            f"UPDATE tokens SET scopes = array_append(scopes, 'export:read') WHERE name = '{name}'"
            f" AND app_id IS NULL AND game_id IS NULL AND scopes @> ARRAY[{listed}] AND scopes <@ ARRAY[{listed}]"
        )


def downgrade() -> None:
    op.execute("UPDATE tokens SET scopes = array_remove(scopes, 'export:read')")
