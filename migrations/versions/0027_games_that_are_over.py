"""Of each player's games it is noted since when they are over, so that those under way are found among them"""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None

AT_ONCE = 10_000
# Of tables that are spread by game; those spread by player are asked for by key, in a statement of their own.
OVER = """
SELECT s.player_id, s.game_id,
  (SELECT e.recorded_at FROM events e WHERE e.game_id = s.game_id ORDER BY e.seq DESC LIMIT 1) AS over_at
FROM seats s JOIN games g ON g.game_id = s.game_id
WHERE g.status IN ('finished', 'abandoned') AND s.player_id IS NOT NULL
"""
NOTE = """
UPDATE player_games p SET over_at = o.over_at
FROM unnest(CAST(:players AS uuid[]), CAST(:games AS uuid[]), CAST(:ends AS timestamptz[])) AS o (player_id, game_id, over_at)
WHERE p.player_id = o.player_id AND p.game_id = o.game_id
"""


def upgrade() -> None:
    op.add_column("player_games", sa.Column("over_at", sa.DateTime(timezone=True), nullable=True))
    connection = op.get_bind()
    with connection.execute(sa.text(OVER), execution_options={"yield_per": AT_ONCE}) as found:
        for some in found.partitions():
            players, games, ends = zip(*some, strict=True)
            connection.execute(sa.text(NOTE), {"players": list(players), "games": list(games), "ends": list(ends)})
    op.create_index("player_games_over_at", "player_games", ["player_id", "over_at"])


def downgrade() -> None:
    op.drop_index("player_games_over_at", "player_games")
    op.drop_column("player_games", "over_at")
