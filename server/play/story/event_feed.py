"""Following games as they go on: whoever follows is told each event once and in order, however often he breaks off; and
what is said meanwhile, if he follows a single game."""

import re
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from server.accounts.tokens import Caller
from server.clock import clock
from server.errors import BadField, NotFound
from server.games import GAMES, Json
from server.play.game import seen_from
from server.play.story.authors import told
from server.play.table import OVER
from server.play.talk.chat import last_message, messages
from server.play.turns.turn_links import still_valid
from server.play.views import seen_by
from server.store import log
from server.store.connections import autocommit, rows_of
from server.store.plans import played_by_plans
from server.store.rows import GameHead
from server.store.stand_ins import FORMER
from server.translations import noted

_MOST = 500  # events told at a time
_MOST_SAID = 50  # messages told at a time
_LATE = timedelta(minutes=1)  # longer than any commit takes, on clocks that disagree a little
_ROOM = 8  # bytes of a game's id that tell it from all others of one person


class Place(NamedTuple):
    """Up to where somebody has been told of his games: all before a moment, and of some games up to an event.

    The log counts the events of each game, not of all; and a commit may arrive after one with a later moment.
    """

    since: datetime
    told: dict[bytes, int]  # by the first bytes of the game's id: those told of events at `since` or later

    def word(self) -> str:
        """For `Last-Event-ID`."""
        packed = struct.pack(">Q", int(self.since.timestamp() * 1_000_000))
        for game, seq in self.told.items():
            packed += game + struct.pack(">I", seq)
        return urlsafe_b64encode(packed).decode().rstrip("=")


def _place(word: str) -> Place:
    """Raises BadField."""
    try:
        packed = urlsafe_b64decode(word + "=" * (-len(word) % 4))
        since = datetime.fromtimestamp(struct.unpack_from(">Q", packed)[0] / 1_000_000, UTC)
        return Place(since, dict(struct.iter_unpack(f">{_ROOM}sI", packed[8:])))
    except (ValueError, OverflowError, OSError, struct.error):
        raise BadField("Last-Event-ID", noted("This stream has no event with this id.")) from None


class Item(NamedTuple):
    """An event or a message to tell, and how the teller calls the place after it."""

    id: str
    what: Json
    is_said: bool = False


class Follower:
    """Somebody who follows one game; a stranger if there is no caller."""

    def __init__(
        self, caller: Caller | None, told: dict[UUID, int], invitation: str | None = None, heard: int | None = None
    ) -> None:
        self.caller = caller
        self.player_id = caller and caller.player_id
        self.invitation = invitation
        self.told = told  # up to which event of each game
        self.heard = heard  # up to which message; None: he does not listen
        self.is_over = False  # nothing more will come
        self.went_back = list[Json]()  # logs that end before the place from which it goes on

    def place(self) -> str:
        """The id to begin with: up to which event, and which message, he has been told."""
        [seq] = self.told.values()
        return f"{seq}-{self.heard}"

    def tell(self, game_id: UUID, what: Json, at: datetime) -> Item:
        """Note that he is told of it."""
        self.told[game_id] = what["seq"]
        return Item(self.place(), what)

    def hear(self, message: Json) -> Item:
        """Note that he is told what was said."""
        self.heard = message["nr"]
        return Item(self.place(), message, is_said=True)

    def passed(self, game_id: UUID, seq: int, is_over: bool) -> None:
        """Note that there is nothing for him up to this event, or in the whole rest of the game."""
        self.told[game_id] = seq
        self.is_over = is_over

    def lost(self, game_id: UUID) -> None:
        """Note that he may not see this game any more."""
        self.is_over = True


class OwnFollower(Follower):
    """Somebody who follows all games in which he sits."""

    def __init__(self, caller: Caller, since: datetime) -> None:
        super().__init__(caller, {})
        self.owner = caller.player_id
        self.since = since
        self.recent: dict[UUID, tuple[int, datetime]] = {}  # the last events told, if they were not long ago
        self.ended: set[UUID] = set()
        self.left: dict[UUID, int] = {}  # the last events told of games in which he sits no more

    def place(self) -> str:
        return Place(self.since, {game.bytes[:_ROOM]: seq for game, (seq, _) in self.recent.items()}).word()

    def tell(self, game_id: UUID, what: Json, at: datetime) -> Item:
        self.recent[game_id] = what["seq"], at
        return Item(self.place(), {"game": str(game_id), **what})

    def passed(self, game_id: UUID, seq: int, is_over: bool) -> None:
        self.told[game_id] = seq
        if is_over:
            del self.told[game_id]
            self.ended.add(game_id)

    def lost(self, game_id: UUID) -> None:
        self.left[game_id] = self.told.pop(game_id)

    def up_to_date(self, moment: datetime) -> None:
        """Note that all that had happened by this moment was told."""
        self.since = max(self.since, moment - _LATE)
        self.recent = {game: (seq, at) for game, (seq, at) in self.recent.items() if at >= self.since}


def follow_game(
    game_id: UUID, caller: Caller | None, invitation: str | None, after: int, last: str = ""
) -> Follower | None:
    """From the place with this id on; or from an event on, and from now on with what is said. None if the game is over and
    all was told. Raises NotFound, BadField."""
    if last and not re.fullmatch("[0-9]{1,9}(-[0-9]{1,9})?", last):
        raise BadField("Last-Event-ID", noted("This stream has no event with this id."))
    game = seen_by(game_id, caller and caller.player_id, invitation)
    seq, _, nr = last.partition("-")
    after, newest = int(seq or after), last_message(game_id)
    heard = int(nr or newest)
    if after > game.table.seq or heard > newest:
        follower = Follower(caller, {game_id: 0}, invitation, 0)
        follower.went_back.append({"game": str(game_id), "newest": game.table.seq})
        return follower
    if game.head.status in OVER and after >= game.table.seq and heard >= newest:
        return None
    return Follower(caller, {game_id: after}, invitation, heard)


def follow_own(caller: Caller, last: str | None) -> OwnFollower:
    """From the event with this id on, or from now. Raises BadField."""
    place = _place(last) if last else Place(clock.now() - _LATE, {})
    follower = OwnFollower(caller, place.since)
    games = [game_id for _, game_id, _ in _games_of([caller.player_id], place.since)]
    for game_id, status, seq, at in _last_events(games):
        told = place.told.get(game_id.bytes[:_ROOM], seq if not last or at < place.since else None)
        if told is None:
            told = _seq_before(game_id, place.since)
        if told > seq:
            told = 0
            follower.went_back.append({"game": str(game_id), "newest": seq})
        if status in OVER and told >= seq:
            follower.ended.add(game_id)
        else:
            follower.told[game_id] = told
        if at >= place.since and told:
            follower.recent[game_id] = told, at
    return follower


def news(game_id: UUID, followers: Sequence[Follower]) -> list[tuple[Follower, list[Item], bool]]:
    """What each of these has not been told of this game, and whether there is more; it counts as told now."""
    with autocommit() as connection:
        since = min(follower.told[game_id] for follower in followers)
        records = log.read_commits(connection, game_id, since)
        is_news = records is not None and any(row.seq > since for row in records.events[-1:])
        planned = played_by_plans(connection, game_id) if is_news else {}
    if records is None:
        for follower in followers:
            follower.lost(game_id)
        return []
    listening = [follower.heard for follower in followers if follower.heard is not None]
    said = messages(game_id, min(listening), _MOST_SAID) if listening else []
    head, seats, rows, _ = records
    if head.rules not in GAMES:  # a process of another release tells it
        return []
    rules = GAMES[head.rules]
    seated = {it for row in seats for it in (row.player_id, row.owner_id) if it}
    allowed = _who_may_still_see(head, followers, seated)
    found = []
    for follower in followers:
        if follower not in allowed:
            follower.lost(game_id)
            continue
        seat, sat_since = seen_from(seats, follower.player_id)
        after = follower.told[game_id]
        todo = [row for row in rows if row.seq > after]
        plays = seat is not None and seats[seat].player_id == follower.player_id
        own = planned.get(seat, ()) if seat is not None and plays else ()
        now = {row.seq for row in todo[:_MOST]}
        items = [
            follower.tell(game_id, what, row.recorded_at)
            for row, what in told(rules, rows, seat, seats, own, sat_since)
            if row.seq in now
        ]
        is_more = len(todo) > _MOST
        if follower.heard is not None and said:
            items += [follower.hear(message) for message in said if message["nr"] > follower.heard]
            is_more = is_more or len(said) == _MOST_SAID
        follower.passed(game_id, todo[:_MOST][-1].seq if todo else after, head.status in OVER and not is_more)
        found.append((follower, items, is_more))
    return found


def _who_may_still_see(head: GameHead, followers: Sequence[Follower], seated: Collection[UUID]) -> set[Follower]:
    """It asks the database, which may be away: so it comes before anything counts as told, and after the reading, so
    that nobody is told what happened after his token was revoked."""
    callers = [follower.caller for follower in followers if follower.caller]
    valid = still_valid(callers) if callers else set()
    return {
        follower
        for follower in followers
        if (follower.caller is None or follower.caller.token_hash in valid)
        and (follower.player_id in seated or _may_still_see(head, follower))
    }


def _may_still_see(head: GameHead, follower: Follower) -> bool:
    if isinstance(follower, OwnFollower):
        return False
    if not head.private:
        return True
    try:
        seen_by(head.game_id, follower.player_id, follower.invitation)
    except NotFound:
        return False
    return True


def new_games(followers: Collection[OwnFollower]) -> None:
    """Let those who follow all their games follow those, too, that have begun since, or in which they sit again."""
    games: dict[UUID, dict[UUID, datetime | None]] = {}
    since = min(follower.since for follower in followers)
    for player_id, game_id, over_at in _games_of({follower.owner for follower in followers}, since):
        games.setdefault(player_id, {})[game_id] = over_at
    new = [(follower, _unknown(follower, games.get(follower.owner, {}))) for follower in followers]
    found = progress({game_id for _, unknown in new for game_id in unknown})
    for follower, unknown in new:
        begun = [game_id for game_id in unknown if game_id in found and found[game_id].version]
        follower.told |= {game_id: follower.left.pop(game_id, 0) for game_id in begun}


def _unknown(follower: OwnFollower, games: Mapping[UUID, datetime | None]) -> set[UUID]:
    """Those of his games, each with the moment when it was over, that are new to him."""
    not_told = {game_id for game_id, over_at in games.items() if over_at is None or over_at >= follower.since}
    return not_told - follower.told.keys() - follower.ended


class Progress(NamedTuple):
    """How far a game has come."""

    version: int  # how many commits it has
    said: int | None  # and how many messages; None where nothing was said


_PROGRESS = """
SELECT g.game_id, g.version, (SELECT max(m.nr) FROM messages m WHERE m.game_id = g.game_id)
  FROM games g WHERE g.game_id = ANY(%(games)s)"""


def progress(games: Collection[UUID]) -> dict[UUID, Progress]:
    """How far each of these games has come by now."""
    if not games:
        return {}
    with autocommit() as connection:
        found = rows_of(connection, _PROGRESS, games)
    return {game_id: Progress(version, said) for game_id, version, said in found}


def _games_of(players: Collection[UUID], since: datetime) -> list[tuple[UUID, UUID, datetime | None]]:
    """Who sits where, for good or for some days, and when that game was over; without those that were over before `since`."""
    with autocommit() as connection:
        return connection.execute(
            "SELECT player_id, game_id, over_at FROM player_games"
            " WHERE player_id = ANY(%s) AND (over_at IS NULL OR over_at >= %s) AND role IS DISTINCT FROM %s",
            (list(players), since, FORMER),
        ).fetchall()


_LAST_EVENTS = """
SELECT g.game_id, g.status, e.seq, e.recorded_at
  FROM games g, LATERAL (SELECT seq, recorded_at FROM events WHERE events.game_id = g.game_id ORDER BY seq DESC LIMIT 1) e
 WHERE g.game_id = ANY(%(games)s)
UNION ALL
SELECT game_id, status, shelved, made_at FROM games WHERE game_id = ANY(%(games)s) AND shelved IS NOT NULL"""


def _last_events(games: Sequence[UUID]) -> list[tuple[UUID, str, int, datetime]]:
    """Status, last event and its moment, of those that have begun; of one that is shelved some moment long ago."""
    with autocommit() as connection:
        return rows_of(connection, _LAST_EVENTS, games)


def _seq_before(game_id: UUID, moment: datetime) -> int:
    with autocommit() as connection:
        row = connection.execute(
            "SELECT coalesce(max(seq), 0) FROM events WHERE game_id = %s AND recorded_at < %s", (game_id, moment)
        ).fetchone()
    return row[0] if row else 0
