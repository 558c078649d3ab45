"""The event feed. Each follower gets every event once and in order, even after reconnecting. Followers of a single game
also get its chat messages."""

import re
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Collection, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from flask_babel import force_locale

from server.accounts.tokens import Caller
from server.clock import clock
from server.errors import BadField, NotFound
from server.games import GAMES, Json
from server.games.presentation import sentence
from server.play.game import Stored, readable, visible_seat
from server.play.story.authors import Viewer, visible_events
from server.play.table import OVER
from server.play.talk.chat import last_message, messages
from server.play.turns.turn_links import still_valid
from server.play.views import load_visible
from server.store import log
from server.store.connections import autocommit, rows_of
from server.store.plans import played_by_plans
from server.store.rows import GameHead, SeatState
from server.store.stand_ins import FORMER
from server.translations import noted

_MOST = 500  # events per batch
_MOST_SAID = 50  # messages per batch
_LATE = timedelta(minutes=1)  # longer than any commit takes, including some clock skew
_ROOM = 8  # first bytes of a game's id, which are unique among a player's games


class Place(NamedTuple):
    """A position in a player's feed: all events before a time, and in some games also the events up to a number.
    Numbers are needed because a commit may arrive after a commit with a later time."""

    since: datetime
    told: dict[bytes, int]  # number of the last event at `since` or later, by the first bytes of the game's id

    def word(self) -> str:
        """Return the position in the format of `Last-Event-ID`."""
        packed = struct.pack(">Q", int(self.since.timestamp() * 1_000_000))
        for game, seq in self.told.items():
            packed += game + struct.pack(">I", seq)
        return urlsafe_b64encode(packed).decode().rstrip("=")


def _place(word: str) -> Place:
    """Parse a position. Raise BadField if it is malformed."""
    try:
        packed = urlsafe_b64decode(word + "=" * (-len(word) % 4))
        since = datetime.fromtimestamp(struct.unpack_from(">Q", packed)[0] / 1_000_000, UTC)
        return Place(since, dict(struct.iter_unpack(f">{_ROOM}sI", packed[8:])))
    except (ValueError, OverflowError, OSError, struct.error):
        raise BadField("Last-Event-ID", noted("This stream has no event with this id.")) from None


class Item(NamedTuple):
    """An event or message to send, with the position after it."""

    id: str
    what: Json
    is_said: bool = False


class Follower:
    """A follower of one game. A follower without a caller is anonymous."""

    def __init__(
        self, caller: Caller | None, told: dict[UUID, int], invitation: str | None = None, heard: int | None = None
    ) -> None:
        self.words: str | None = None  # language of the sentence that each event gets; None: no sentences
        self.caller = caller
        self.player_id = caller and caller.player_id
        self.invitation = invitation
        self.told = told  # number of the last event sent, by game
        self.heard = heard  # number of the last message sent; None: without chat
        self.is_over = False  # the feed has ended
        self.went_back = list[Json]()  # games whose log ends before the follower's position

    def place(self) -> str:
        """Return the follower's position: the numbers of the last event and message that were sent."""
        [seq] = self.told.values()
        return f"{seq}-{self.heard}"

    def tell(self, game_id: UUID, what: Json, at: datetime) -> Item:
        """Record an event as sent."""
        self.told[game_id] = what["seq"]
        return Item(self.place(), what)

    def hear(self, message: Json) -> Item:
        """Record a message as sent."""
        self.heard = message["nr"]
        return Item(self.place(), message, is_said=True)

    def skip(self, game_id: UUID, seq: int, is_over: bool) -> None:
        """Record that there is nothing to send to the follower up to this event, or for the rest of the game."""
        self.told[game_id] = seq
        self.is_over = is_over

    def drop(self, game_id: UUID) -> None:
        """Record that the follower may no longer see this game."""
        self.is_over = True


class OwnFollower(Follower):
    """A follower of all games of one player."""

    def __init__(self, caller: Caller, since: datetime) -> None:
        super().__init__(caller, {})
        self.owner = caller.player_id
        self.since = since
        self.recent: dict[UUID, tuple[int, datetime]] = {}  # last events that are recent
        self.ended: set[UUID] = set()
        self.left: dict[UUID, int] = {}  # last events of games that the player has left

    def place(self) -> str:
        return Place(self.since, {game.bytes[:_ROOM]: seq for game, (seq, _) in self.recent.items()}).word()

    def tell(self, game_id: UUID, what: Json, at: datetime) -> Item:
        self.recent[game_id] = what["seq"], at
        return Item(self.place(), {"game": str(game_id), **what})

    def skip(self, game_id: UUID, seq: int, is_over: bool) -> None:
        self.told[game_id] = seq
        if is_over:
            del self.told[game_id]
            self.ended.add(game_id)

    def drop(self, game_id: UUID) -> None:
        self.left[game_id] = self.told.pop(game_id)

    def mark_sent_until(self, moment: datetime) -> None:
        """Record that all events before this time were sent."""
        self.since = max(self.since, moment - _LATE)
        self.recent = {game: (seq, at) for game, (seq, at) in self.recent.items() if at >= self.since}


def follow_game(
    game_id: UUID, caller: Caller | None, invitation: str | None, after: int, last: str = ""
) -> Follower | None:
    """Return a follower that starts at position `last`, or after event `after` and with new messages only. Return None
    if the game is over and everything was sent. Raise NotFound, BadField."""
    if last and not re.fullmatch("[0-9]{1,9}(-[0-9]{1,9})?", last):
        raise BadField("Last-Event-ID", noted("This stream has no event with this id."))
    game = load_visible(game_id, caller and caller.player_id, invitation)
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
    """Return a follower that starts at position `last`, or at the current position. Raise BadField if `last` is
    malformed."""
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
    """Return each follower's unsent items, and whether there are more. The returned items count as sent."""
    with autocommit() as connection:
        since = min(follower.told[game_id] for follower in followers)
        records = log.read_commits(connection, game_id, since)
        is_news = records is not None and any(row.seq > since for row in records.events[-1:])
        planned = played_by_plans(connection, game_id) if is_news else {}
    if records is None:
        for follower in followers:
            follower.drop(game_id)
        return []
    listening = [follower.heard for follower in followers if follower.heard is not None]
    said = messages(game_id, min(listening), _MOST_SAID) if listening else []
    head, seats, rows, _ = records
    if head.rules not in GAMES:  # a process of another release sends its events
        return []
    rules = GAMES[head.rules]
    seated = {it for row in seats for it in (row.player_id, row.owner_id) if it}
    allowed = _who_may_still_see(head, followers, seated)
    found = []
    for follower in followers:
        if follower not in allowed:
            follower.drop(game_id)
            continue
        seat, sat_since = visible_seat(seats, follower.player_id)
        after = follower.told[game_id]
        todo = [row for row in rows if row.seq > after]
        plays = seat is not None and seats[seat].player_id == follower.player_id
        own = planned.get(seat, ()) if seat is not None and plays else ()
        now = {row.seq for row in todo[:_MOST]}
        words = _sentences(head, seats, follower.words)
        items = [
            follower.tell(game_id, what | words(what), row.recorded_at)
            for row, what in visible_events(rules, rows, seats, Viewer(seat, own, sat_since))
            if row.seq in now
        ]
        is_more = len(todo) > _MOST
        if follower.heard is not None and said:
            items += [follower.hear(message) for message in said if message["nr"] > follower.heard]
            is_more = is_more or len(said) == _MOST_SAID
        follower.skip(game_id, todo[:_MOST][-1].seq if todo else after, head.status in OVER and not is_more)
        found.append((follower, items, is_more))
    return found


def _sentences(head: GameHead, seats: Sequence[SeatState], locale: str | None) -> Callable[[Json], Json]:
    """Return a function that returns the fields to add to an event."""
    if locale is None:
        return lambda item: {}
    with force_locale(locale):
        names = Stored(readable(head), seats).names
    return lambda item: {"words": sentence(item, names, locale, rules_name=head.rules)}


def _who_may_still_see(head: GameHead, followers: Sequence[Follower], seated: Collection[UUID]) -> set[Follower]:
    """Return the followers who may still see the game. Call this after reading events, so that revoked tokens get none
    of them. Call it before the events count as sent, since the query may fail."""
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
        load_visible(head.game_id, follower.player_id, follower.invitation)
    except NotFound:
        return False
    return True


def new_games(followers: Collection[OwnFollower]) -> None:
    """Add games that have begun, or that players have joined, to the followers of these players."""
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
    """Return the player's games that the follower doesn't know yet. `games` maps each game to the time when it
    ended."""
    not_told = {game_id for game_id, over_at in games.items() if over_at is None or over_at >= follower.since}
    return not_told - follower.told.keys() - follower.ended


class Progress(NamedTuple):
    """How far a game has progressed."""

    version: int  # number of commits
    said: int | None  # number of messages; None if there are none


_PROGRESS = """
SELECT g.game_id, g.version, (SELECT max(m.nr) FROM messages m WHERE m.game_id = g.game_id)
  FROM games g WHERE g.game_id = ANY(%(games)s)"""


def progress(games: Collection[UUID]) -> dict[UUID, Progress]:
    if not games:
        return {}
    with autocommit() as connection:
        found = rows_of(connection, _PROGRESS, games)
    return {game_id: Progress(version, said) for game_id, version, said in found}


def _games_of(players: Collection[UUID], since: datetime) -> list[tuple[UUID, UUID, datetime | None]]:
    """Return a row for each game of these players: player, game, and when the game ended. Games that ended before
    `since` are left out."""
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
    """Return a row for each of these games that has begun: game, status, and the number and time of its last event.
    Archived games get a time long ago."""
    with autocommit() as connection:
        return rows_of(connection, _LAST_EVENTS, games)


def _seq_before(game_id: UUID, moment: datetime) -> int:
    with autocommit() as connection:
        row = connection.execute(
            "SELECT coalesce(max(seq), 0) FROM events WHERE game_id = %s AND recorded_at < %s", (game_id, moment)
        ).fetchone()
    return row[0] if row else 0
