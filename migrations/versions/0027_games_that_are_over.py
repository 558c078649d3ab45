"""Of each player's games it is noted since when they are over, so that those under way are found among them"""

from uuid import UUID

import sqlalchemy as sa
from alembic import op

from server.store.migrate import make_index

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

AT_ONCE = 500  # games; no process waits for other rows
GAMES = """
SELECT game_id FROM games WHERE status IN ('finished', 'abandoned') AND game_id > :after ORDER BY game_id LIMIT :at_once
"""
# Of tables that are spread by game; those spread by player are asked for by key, in a statement of their own.
OVER = """
SELECT s.player_id, s.game_id,
  (SELECT e.recorded_at FROM events e WHERE e.game_id = s.game_id ORDER BY e.seq DESC LIMIT 1) AS over_at
FROM seats s WHERE s.game_id = ANY(:games) AND s.player_id IS NOT NULL
"""
NOTE = """
UPDATE player_games p SET over_at = o.over_at
FROM unnest(CAST(:players AS uuid[]), CAST(:games AS uuid[]), CAST(:ends AS timestamptz[])) AS o (player_id, game_id, over_at)
WHERE p.player_id = o.player_id AND p.game_id = o.game_id
"""


def upgrade() -> None:
    op.execute("ALTER TABLE player_games ADD COLUMN IF NOT EXISTS over_at timestamptz")
    with op.get_context().autocommit_block():
        connection, after = op.get_bind(), UUID(int=0)
        while games := connection.scalars(sa.text(GAMES), {"after": after, "at_once": AT_ONCE}).all():
            if rows := connection.execute(sa.text(OVER), {"games": games}).all():
                players, theirs, ends = map(list, zip(*rows, strict=True))
                connection.execute(sa.text(NOTE), {"players": players, "games": theirs, "ends": ends})
            after = games[-1]
    make_index("player_games_over_at", "player_games", ["player_id", "over_at"])


def downgrade() -> None:
    op.drop_index("player_games_over_at", "player_games")
    op.drop_column("player_games", "over_at")
