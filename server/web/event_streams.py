"""The event streams that are open in a web process. One thread serves all of them, so that they don't occupy the
threads for requests."""

import logging
import math
import selectors
import socket
import time
from collections import Counter
from collections.abc import Hashable, Iterable
from contextlib import suppress
from datetime import timedelta
from threading import Lock, Thread
from typing import Any
from uuid import UUID, uuid4

import orjson
import psycopg
import sqlalchemy.exc
from flask import Flask

from server.accounts.blocks import blocks_among
from server.api.event_streams import STRANGERS, EventStream, wire_format
from server.clock import clock
from server.metric_files import Gauge
from server.play.story import event_feed
from server.play.story.event_feed import OwnFollower, Progress, new_games, news
from server.play.turns.turn_links import still_valid
from server.store.database_retry import is_passing
from server.store.notify import listen, received_games
from server.store.open_streams import note_open, open_elsewhere
from server.store.watching import note_left, note_watching, present_at

log = logging.getLogger(__name__)
OPEN = Gauge("sternenpost_streams", "Open event streams", multiprocess_mode="livesum")

MOST = 1000  # streams per process
_QUIET = 10.0  # seconds of silence until a comment is sent, to show that the connection is alive
_LOOK = 2.0  # seconds between polls, in case a notification was lost
_CHECK = 2.0  # seconds between checks for expired tokens and new games
_NOTE = 30.0  # seconds between records of who is at which table
_THERE = timedelta(seconds=60)  # how long such a record is valid
_NOTE_OPEN = 10.0  # seconds between full records of the open streams
_OPEN = timedelta(seconds=25)  # how long such a record is valid, in case this process is killed
_FULL = 64 * 1024  # if a stream has more unsent bytes than this, no event is added
_PATIENCE = 30.0  # seconds until a client that doesn't read is disconnected
_BREATH = 0.1  # seconds to pause after an unexpected error, since it may recur immediately
_COMMENT = b":\n\n"


class _Open:
    def __init__(self, sock: socket.socket, stream: EventStream, head: bytes) -> None:
        self.sock = sock
        self.follower = stream.follower
        self.counts_for = stream.counts_for
        self.out = bytearray(head + stream.beginning)
        self.games: set[UUID] = set()  # the games whose events it sends
        self.moved_at = time.monotonic()  # when the client last read something
        self.watcher = None if isinstance(self.follower, OwnFollower) else self.follower.player_id
        self.noted_at = -math.inf  # when the player was last recorded at the table
        self.wants_presence = stream.presence and self.watcher is not None
        self.was_present = False  # whether the player was at the table at the last poll
        self.present: list[int] = []  # the other seats that were last sent as present


def _places(stream: _Open) -> set[tuple[UUID, UUID]]:
    """Return the game and the player for which this stream proves presence at the table."""
    return {(game_id, stream.watcher) for game_id in stream.games if stream.watcher}


class Streams:
    """The open streams. Their own thread serves them. Other threads call only the methods under "From other
    threads"."""

    def __init__(self, app: Flask) -> None:
        self._app = app
        self._open: dict[socket.socket, _Open] = {}
        self._watching: dict[UUID, set[_Open]] = {}
        self._due: dict[UUID, set[_Open]] = {}  # streams to which events of a game must be sent
        self._seen: dict[UUID, Progress] = {}  # progress of each watched game at the last poll
        self._coming: list[_Open] = []
        self._left: set[tuple[UUID, UUID]] = set()  # the game and player of each stream that has ended
        self._held: Counter[Hashable] = Counter()
        self._process_id = uuid4()
        self._noted: dict[str, int] = {}  # number of open streams per subject, as last recorded
        self._noted_at = -math.inf
        self._lock = Lock()
        self._selector = selectors.DefaultSelector()
        self._rope, self._bell = socket.socketpair()
        self._bell.setblocking(False)
        self._rope.setblocking(False)
        self._selector.register(self._bell, selectors.EVENT_READ)
        self._ear: psycopg.Connection[Any] | None = None
        self._next_look = self._next_check = self._next_round = 0.0
        self._is_stopping = False
        self._thread = Thread(target=self._run, daemon=True, name="streams")

    # From other threads

    @property
    def is_full(self) -> bool:
        return self._is_stopping or len(self._open) + len(self._coming) >= MOST

    def held_by(self, whom: Hashable) -> int:
        """Return how many open streams count for this subject."""
        return self._held[whom]

    def held_everywhere(self, whom: Hashable) -> int:
        """Return how many open streams count for this subject in all web processes. Also record one more, since it is
        about to be opened."""
        now, here = clock.now(), self.held_by(whom)
        found = here + open_elsewhere(str(whom), self._process_id, now)
        note_open(self._process_id, {str(whom): here + 1}, now + _OPEN)
        self._noted[str(whom)] = here + 1  # if the stream is refused, the next record corrects this
        return found

    def take(self, sock: socket.socket, stream: EventStream, head: bytes) -> None:
        """Take over this connection. `head` is sent before the events."""
        sock.setblocking(False)
        with self._lock:
            self._coming.append(_Open(sock, stream, head))
            self._held.update(stream.counts_for)
            if not self._thread.is_alive() and not self._is_stopping:
                self._thread.start()
        self._ring()

    def stop(self) -> None:
        """End all streams. Their clients will reconnect to another process."""
        self._is_stopping = True
        self._ring()

    def _ring(self) -> None:
        with suppress(BlockingIOError):  # in that case, the thread is about to wake up anyway
            self._rope.send(b"!")

    # In the thread that serves the streams

    def _run(self) -> None:
        while not self._is_stopping:
            for part in (self._look, self._wait):
                try:
                    with self._app.app_context():
                        part()
                except Exception as error:
                    if not is_passing(error):
                        log.exception("The streams failed; they go on")
                        time.sleep(_BREATH)
                    self._deafen()
                    self._next_look = time.monotonic() + _LOOK
        for stream in list(self._open.values()):
            self._end(stream)
        for stream in self._coming:
            stream.sock.close()
        with suppress(psycopg.Error, sqlalchemy.exc.SQLAlchemyError), self._app.app_context():
            self._note_open()

    def _wait(self) -> None:
        """Wait for activity, but no longer than until the next poll."""
        is_busy = any(self._has_room(stream) for streams in self._due.values() for stream in streams)
        timeout = 0.0 if is_busy and self._ear else max(0.0, min(1.0, self._next_look - time.monotonic()))
        for key, events in self._selector.select(timeout):
            if key.fileobj == self._bell:
                self._bell.recv(4096)
                self._admit()
            elif isinstance(key.data, _Open):
                if events & selectors.EVENT_READ:
                    self._on_words(key.data)
                if events & selectors.EVENT_WRITE and key.data.sock in self._open:
                    self._write(key.data)
        self._keep_alive()

    def _admit(self) -> None:
        with self._lock:
            coming, self._coming = self._coming, []
        for stream in coming:
            self._open[stream.sock] = stream
            self._selector.register(stream.sock, selectors.EVENT_READ, stream)
            self._write(stream)
            if stream.sock in self._open:
                self._follow(stream)
        OPEN.set(len(self._open))

    def _follow(self, stream: _Open) -> None:
        """Watch the games that this stream follows. If it follows more games than before, send their events."""
        for game_id in stream.follower.told.keys() - stream.games:
            stream.games.add(game_id)
            self._watching.setdefault(game_id, set()).add(stream)
            self._due.setdefault(game_id, set()).add(stream)

    def _forget(self, stream: _Open, games: Iterable[UUID]) -> None:
        for game_id in list(games):
            stream.games.discard(game_id)
            for known in (self._watching, self._due):
                streams = known.get(game_id, set())
                streams.discard(stream)
                if not streams:
                    known.pop(game_id, None)
            if game_id not in self._watching:
                self._seen.pop(game_id, None)

    def _end(self, stream: _Open) -> None:
        if self._open.pop(stream.sock, None) is None:
            return
        with self._lock:
            self._held.subtract(stream.counts_for)
            for whom in stream.counts_for:
                if not self._held[whom]:
                    del self._held[whom]
        self._selector.unregister(stream.sock)
        stream.sock.close()
        self._left |= _places(stream)
        self._forget(stream, stream.games)
        OPEN.set(len(self._open))

    # Polling and sending: everything that queries the database

    def _look(self) -> None:
        now = time.monotonic()
        if not self._open:
            self._note_left()
            self._note_open()
            self._deafen()
            self._next_look = now + _LOOK
            return
        hinted = self._hinted()
        for game_id in hinted & self._watching.keys():
            self._due.setdefault(game_id, set()).update(self._watching[game_id])
        if now >= self._next_check:
            self._check()
            self._next_check = now + _CHECK
        if now >= self._next_look:
            self._look_at_all()
            self._look_for_presence()
            self._next_look = now + _LOOK
        for game_id in list(self._due):
            if game_id in self._due:  # the last stream of the game may have just ended
                self._tell(game_id, game_id in hinted)

    def _hinted(self) -> set[UUID]:
        if self._ear is None:
            self._ear = listen()
            self._ear_number = self._ear.fileno()  # a broken connection no longer knows its number
            self._selector.register(self._ear_number, selectors.EVENT_READ)
            self._next_look = 0.0
        return received_games(self._ear)

    def _deafen(self) -> None:
        if self._ear is not None:
            self._selector.unregister(self._ear_number)
            self._ear.close()
            self._ear = None

    def _look_at_all(self) -> None:
        moment = clock.now()
        for game_id, progress in event_feed.progress(self._watching.keys()).items():
            seen = self._seen.get(game_id)
            if seen and progress.version < seen.version:  # after a restored backup, clients must reconnect
                for stream in list(self._watching[game_id]):
                    self._end(stream)
            elif seen != progress:
                self._seen[game_id] = progress
                self._due.setdefault(game_id, set()).update(self._watching[game_id])
        waiting = {stream for streams in self._due.values() for stream in streams}
        for stream in self._open.values():
            if isinstance(stream.follower, OwnFollower) and stream not in waiting:
                stream.follower.mark_sent_until(moment)

    def _look_for_presence(self) -> None:
        """Notify the players at a table when other players come there or leave. Players with a block between them
        aren't notified of each other."""
        asking = [it for it in self._open.values() if it.wants_presence]
        present = present_at({game_id for it in asking for game_id in it.games}, clock.now())
        blocks = blocks_among({it for those in present.values() if len(those) > 1 for it in those})
        for stream in asking:
            those = next((present[it] for it in stream.games if it in present), {})
            is_present = stream.watcher in those
            if stream.was_present and not is_present:  # another process has recorded that they left
                stream.noted_at = -math.inf
            stream.was_present = is_present
            others = those.keys() - {stream.watcher} if is_present else set()
            seats = sorted(those[it] for it in others if frozenset((it, stream.watcher)) not in blocks)
            if seats != stream.present and self._has_room(stream):
                stream.present = seats
                stream.out += b'event: present\ndata: {"seats":%s}\n\n' % orjson.dumps(seats)
                self._write(stream)

    def _check(self) -> None:
        """End streams whose token has expired or was revoked, and follow new games."""
        known = [(stream, caller) for stream in self._open.values() if (caller := stream.follower.caller)]
        valid = still_valid([caller for _, caller in known])
        for stream, caller in known:
            if caller.token_hash not in valid:
                self._end(stream)
        owners = {follower: o for o in self._open.values() if isinstance(follower := o.follower, OwnFollower)}
        if owners:
            new_games(owners.keys())
            for stream in owners.values():
                self._follow(stream)
        self._note_left()
        self._note_watching()
        self._note_open()

    def _note_left(self) -> None:
        """Record which players no longer have a stream here. A process that is killed can't do so, so these records
        also expire."""
        left, self._left = self._left, set()
        if left:
            note_left(left - {place for it in self._open.values() for place in _places(it)})

    def _note_watching(self) -> None:
        """Record which players are at which tables. A page follows a single game only while the player is looking at
        it."""
        now = time.monotonic()
        due = [it for it in self._open.values() if it.watcher and now - it.noted_at >= _NOTE]
        note_watching({place for it in due for place in _places(it)}, clock.now() + _THERE)
        for stream in due:
            stream.noted_at = now

    def _note_open(self) -> None:
        """Record the numbers of open streams that have changed, or every `_NOTE_OPEN` seconds all numbers."""
        if not self._app.config["LIMITS"]:
            return
        with self._lock:
            held = {str(whom): number for whom, number in self._held.items() if whom is not STRANGERS}
        now = time.monotonic()
        if now - self._noted_at >= _NOTE_OPEN:
            self._noted, self._noted_at = dict.fromkeys(self._noted, -1), now
        changed = {whom: held.get(whom, 0) for whom in held | self._noted if held.get(whom, 0) != self._noted.get(whom)}
        note_open(self._process_id, changed, clock.now() + _OPEN)
        self._noted = held

    def _tell(self, game_id: UUID, is_hinted: bool) -> None:
        """Send a game's news. After a notification without news, something beside the log has changed."""
        ready = [stream for stream in self._due[game_id] if self._has_room(stream)]
        if not ready:
            return
        by_follower = {stream.follower: stream for stream in ready}
        try:
            told = news(game_id, list(by_follower))
        except Exception as error:
            if is_passing(error):
                raise
            log.exception("Game %s cannot be told", game_id)
            told = []
        more = set()
        has_news = {follower for follower, items, _ in told if items}
        for stream in ready if is_hinted else ():
            if stream.wants_presence and stream.follower not in has_news:
                stream.out += b"event: changed\ndata: {}\n\n"
        for follower, items, is_more in told:
            by_follower[follower].out += wire_format(items)
            if is_more:
                more.add(by_follower[follower])
        self._due[game_id] -= set(ready) - more
        if not self._due[game_id]:
            del self._due[game_id]
        for stream in ready:
            if game_id not in stream.follower.told:
                self._forget(stream, [game_id])
            if stream.out:
                self._write(stream)
            if stream.follower.is_over and not stream.out:
                self._end(stream)

    # Sockets

    def _has_room(self, stream: _Open) -> bool:
        return len(stream.out) < _FULL

    def _write(self, stream: _Open) -> None:
        """Send as much as the socket accepts. If there is more, wait until the socket accepts it."""
        try:
            del stream.out[: stream.sock.send(stream.out)]
            stream.moved_at = time.monotonic()
        except BlockingIOError:
            pass
        except OSError:
            self._end(stream)
            return
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if stream.out else 0)
        if self._selector.get_key(stream.sock).events != events:
            self._selector.modify(stream.sock, events, stream)
        if stream.follower.is_over and not stream.out:
            self._end(stream)

    def _on_words(self, stream: _Open) -> None:
        """Discard what a client sends, and detect when it disconnects."""
        try:
            has_gone = not stream.sock.recv(4096)
        except BlockingIOError:
            return
        except OSError:  # not always a ConnectionError: the route to the client may have been lost
            has_gone = True
        if has_gone:
            self._end(stream)

    def _keep_alive(self) -> None:
        now = time.monotonic()
        if now < self._next_round:
            return
        self._next_round = now + 1
        for stream in list(self._open.values()):
            if stream.out:
                if now - stream.moved_at > _PATIENCE:
                    self._end(stream)
            elif now - stream.moved_at > _QUIET:
                stream.out += _COMMENT
                self._write(stream)
