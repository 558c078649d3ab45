"""A history of acknowledged moves, and the checker that compares it with logs and letters.

Each acknowledged move must be in the log once, and its answer must show exactly what its seat may see. Every letter
must arrive.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from contextlib import suppress
from typing import Any, NamedTuple
from uuid import UUID

import orjson
import psycopg
from psycopg.rows import dict_row, namedtuple_row

from server.games import GAMES, Json
from server.play.table import Table, fold_commits, new_table, parse_event, story_item
from server.store.log import Recorded
from tests.support.live_server import PATIENCE, House, until

OUTBOXES = ("outbox", "player_outbox")
_TRIES = ("deliveries", "player_deliveries")
_MADE = """
CREATE TABLE made (letter_id uuid, at timestamptz);
CREATE FUNCTION note_made() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER AS
  $$ BEGIN INSERT INTO made VALUES (NEW.letter_id, NEW.made_at); RETURN NULL; END $$;
"""
_LOG = "SELECT seq, version, type, seat, body, recorded_at, hash FROM events WHERE game_id = %s ORDER BY seq"


class Acknowledged(NamedTuple):
    """A seat's move and its answer."""

    game_id: UUID
    seat: int
    answer: Json


class Moves(NamedTuple):
    """Violations found in a history, each as a game and the version in the answer."""

    acknowledged: int
    lost: list[tuple[UUID, int]]  # no commit of that seat has this version
    doubled: list[tuple[UUID, int]]  # a seat's commit without an acknowledged move, or with two
    told_wrongly: list[tuple[UUID, int]]  # the answer differs from what that seat may see

    @property
    def are_well(self) -> bool:
        return not (self.lost or self.doubled or self.told_wrongly)


def check_moves(database_url: str, history: Collection[Acknowledged]) -> Moves:
    """Compare these answers with the logs of their games. Each program must have retried until it got an answer."""
    asked = Counter((it.game_id, it.answer["version"]) for it in history)
    lost, told_wrongly = [], []
    doubled = [place for place, times in asked.items() if times > 1]
    with psycopg.connect(database_url, row_factory=namedtuple_row) as connection:
        for game_id in sorted({it.game_id for it in history}):
            of_game = [it for it in history if it.game_id == game_id]
            found = connection.execute("SELECT rules FROM games WHERE game_id = %s", (game_id,)).fetchone()
            if found is None:
                lost += [(game_id, it.answer["version"]) for it in of_game]
                continue
            rows = [Recorded(*row) for row in connection.execute(_LOG, (game_id,))]
            rules = GAMES[found.rules]
            commits = {rows[0].version: (rows, table) for rows, table in fold_commits(new_table(found.rules), rows)}
            moved = {version: _mover(rules.EVENTS, rows) for version, (rows, _) in commits.items()}
            for it in of_game:
                version = it.answer["version"]
                if moved.get(version) != it.seat:
                    lost.append((game_id, version))
                elif (it.answer["view"], _without_authors(it.answer["events"])) != _shown(*commits[version], it.seat):
                    told_wrongly.append((game_id, version))
            seats = {it.seat for it in of_game}
            doubled += [(game_id, it) for it, seat in moved.items() if seat in seats and (game_id, it) not in asked]
    return Moves(len(history), lost, doubled, told_wrongly)


def _mover(moves: Collection[str], rows: Iterable[Recorded]) -> int | None:
    """Return the seat whose move this commit is, if any."""
    first = next(iter(rows))
    return first.seat if first.type in moves else None


def _shown(commit: Iterable[Recorded], after: Table, seat: int) -> tuple[Any, Any]:
    rules = after.rules
    told = [story_item(rules, row, parse_event(rules, row), seat) for row in commit]
    return _as_sent(rules.view(after.state, seat)), _as_sent([item for item in told if item is not None])


def _without_authors(events: Iterable[Json]) -> list[Json]:
    return [{name: value for name, value in item.items() if name != "by"} for item in events]


def _as_sent(view: Any) -> Any:
    return orjson.loads(orjson.dumps(view, option=orjson.OPT_NON_STR_KEYS, default=list))


class Letters(NamedTuple):
    """Counts of letters. `seconds` lists delivery times in ascending order, without codes for strangers."""

    made: int
    arrived: int
    lost: set[UUID]
    twice: int
    dropped: int
    seconds: list[float]


def note_letters(database_url: str) -> None:
    """Record every new letter in a separate table, since an outbox deletes delivered ones."""
    with psycopg.connect(database_url) as owner:
        owner.execute(_MADE)
        for box in OUTBOXES:
            owner.execute(f"CREATE TRIGGER made AFTER INSERT ON {box} FOR EACH ROW EXECUTE FUNCTION note_made()")


def letters_of(database_url: str, letters: Iterable[UUID]) -> Letters:
    """Compare the recorded letters with `letters`, the ids found in the mailboxes."""
    arrived = Counter(letters)
    with psycopg.connect(database_url, row_factory=dict_row) as connection:
        made = {row["letter_id"]: row["at"] for row in connection.execute("SELECT * FROM made")}
        ended = {}
        for tries in _TRIES:
            ended |= {row["letter_id"]: row for row in connection.execute(f"SELECT * FROM {tries} ORDER BY nr")}
    dropped = {letter_id for letter_id, row in ended.items() if row["result"] == "dropped"} - arrived.keys()
    times = [(row["at"] - made[letter_id]).total_seconds() for letter_id, row in ended.items() if letter_id in arrived]
    return Letters(
        made=len(made),
        arrived=len(made.keys() & arrived.keys()),
        lost=made.keys() - arrived.keys() - dropped,
        twice=sum(copies > 1 for copies in arrived.values()),
        dropped=len(dropped),
        seconds=sorted(times),
    )


def letters_in_the_end(house: House, patience: float = 2 * PATIENCE) -> Letters:
    """Return the counts once the outboxes are empty, or when patience ends."""

    def found() -> Letters:
        return letters_of(house.database_url, [mail.letter_id for mail in house.post.letters])

    with suppress(AssertionError):
        return until(lambda: not any(map(house.count, OUTBOXES)) and not (it := found()).lost and it, patience)
    return found()
