"""Answers a request with 304 before the response is built. Each process stores the ETags of recent responses, keyed by
everything that the response depends on."""

from collections import OrderedDict
from hashlib import blake2b
from threading import Lock
from uuid import UUID

from flask import Flask, Response, current_app, g, request

from server.accounts.tokens import Caller
from server.compression import accepts_gzip
from server.play.commits import take_snapshot
from server.play.game import Game
from server.play.views import depends_on_rows, load_visible

_MOST = 20_000  # ETags, each about 200 bytes with its key
_BYTES = 20  # length of a key
# The same as in a 304 that replaces a finished response.
_HEADERS = {"Vary": "Authorization, Accept-Language, Accept-Encoding"}


class Unmodified(Exception):
    """The client has the current response. `etag` is its quoted ETag."""

    def __init__(self, etag: str) -> None:
        super().__init__(etag)
        self.etag = etag

    def answer(self) -> Response:
        return Response(status=304, headers={**_HEADERS, "ETag": self.etag})


class Etags:
    """The ETags of the most recently used responses of this process."""

    def __init__(self) -> None:
        self._etags: OrderedDict[bytes, str] = OrderedDict()
        self._lock = Lock()

    def get(self, key: bytes) -> str | None:
        with self._lock:
            if key in self._etags:
                self._etags.move_to_end(key)
            return self._etags.get(key)

    def put(self, key: bytes, etag: str) -> None:
        with self._lock:
            self._etags[key] = etag
            self._etags.move_to_end(key)
            if len(self._etags) > _MOST:
                self._etags.popitem(last=False)


def register(app: Flask) -> None:
    app.extensions["etags"] = Etags()
    app.register_error_handler(Unmodified, Unmodified.answer)


def expect_modified(who: Caller | None, *stored: bytes) -> None:
    """Raise Unmodified if the client has the response for this request and these stored rows.

    The response must depend on nothing else, so that equal rows always give equal bytes, and a 304 is never wrong.
    """
    if request.method not in ("GET", "HEAD") or "If-Match" in request.headers:
        return  # the check of `If-Match` builds the response of the same resource
    digest = blake2b(digest_size=_BYTES)
    language = who.locale if who else request.headers.get("Accept-Language", "")
    rights = f"{who.player_id} {sorted(who.scopes)}" if who else ""
    is_packed = accepts_gzip()
    asked = (request.path.encode(), request.query_string, language.encode(), rights.encode(), bytes([is_packed]))
    for part in (*asked, *stored):
        digest.update(len(part).to_bytes(8, "big"))
        digest.update(part)
    g.inputs = key = digest.digest()
    if "If-None-Match" in request.headers:
        etag = _etags().get(key)
        if etag is not None and request.if_none_match.contains_weak(etag.strip('"')):
            raise Unmodified(etag)


def load_unless_unmodified(game_id: UUID, who: Caller | None, invitation: str | None = None) -> Game:
    """Return the game for a response that depends only on the game and on the request. Raise Unmodified, NotFound."""
    player_id = who and who.player_id
    snapshot = take_snapshot(game_id)
    expect_modified(who, snapshot.text.encode())
    game = load_visible(game_id, player_id, invitation, snapshot)
    if not depends_on_rows(game, snapshot, player_id):
        forget_rows()
    return game


def forget_rows() -> None:
    """Store no ETag for this request. Call this after an error, or if the response depends on more than the rows
    read."""
    g.pop("inputs", None)


def store_etag(response: Response) -> None:
    """Store the ETag of this response, if everything that the response depends on is known."""
    if key := g.pop("inputs", None):
        _etags().put(key, response.headers["ETag"])


def _etags() -> Etags:
    found: Etags = current_app.extensions["etags"]
    return found
