"""Event streams: what happens, as it happens, by Server-Sent Events (WHATWG HTML, 9.2)."""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any
from uuid import UUID

import orjson
from flask import Response, request
from flask.views import MethodView

from server.accounts.rate_limits import bound_of, expect_room, network_of
from server.accounts.stream_tickets import new_ticket, redeem
from server.api.auth import any_caller, caller, looker, sent_by
from server.api.openapi import examples, schemas
from server.api.openapi.document import Blueprint, needs, takes
from server.errors import BadField, TooManyStreams
from server.play.event_feed import Follower, Item, follow_game, follow_own, news
from server.translations import noted

blp = Blueprint("streams", __name__, url_prefix="/v1", description="What happens, as it happens")

STREAMS = "sternenpost.streams"  # in a request's environment: who keeps streams open, if the server can
STRANGERS = None  # for whom streams without a token count together
_AGAIN = 2  # seconds until a client comes back whose stream has broken off
_FULL = 10  # seconds until one may try again that found no room
_HEADERS = {"X-Accel-Buffering": "no", "Cache-Control": "private, no-store"}
_EVENT = {
    "title": "StreamedEvent",
    "description": "An event of a stream; the first line of a stream may be an `id` alone",
    "type": "object",
    "required": ["data", "id"],
    "properties": {
        "id": {"type": "string", "description": "For `Last-Event-ID`"},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "description": "As in the story; in the stream of all your games with the field `game`, too",
            "contentSchema": {"$ref": "#/components/schemas/Event"},
        },
    },
}
_SAID = {
    "title": "StreamedMessage",
    "description": "What is said at the table; an `EventSource` tells it to listeners for `said` only",
    "type": "object",
    "required": ["event", "data", "id"],
    "properties": {
        "id": {"type": "string", "description": "For `Last-Event-ID`"},
        "event": {"const": "said"},
        "data": {
            "type": "string",
            "contentMediaType": "application/json",
            "description": "As in the list of messages",
            "contentSchema": {"$ref": "#/components/schemas/Message"},
        },
    },
}


class EventStream:
    """A body that the server keeps open, and adds to as things happen."""

    def __init__(self, follower: Follower, network: str = "") -> None:
        self.follower = follower
        caller = follower.caller
        self.counts_for: tuple[Hashable, ...] = (caller.player_id,) if caller else (network, STRANGERS)
        self.beginning = b"retry: %d\nid: %s\n\n" % (1000 * _AGAIN, follower.place().encode())

    def __iter__(self) -> Iterator[bytes]:
        """All there is to tell by now."""
        yield self.beginning
        for game_id in list(self.follower.told):
            is_more = True
            while is_more:
                is_more = False
                for _, items, is_more in news(game_id, [self.follower]):
                    yield written(items)


def written(items: Iterable[Item]) -> bytes:
    """Events and messages as they go over the line. JSON has no line ends but escaped ones."""
    return b"".join(
        b"id: %s\n" % item.id.encode()
        + b"event: said\n" * item.is_said
        + b"data: %s\n\n" % orjson.dumps(item.what, option=orjson.OPT_UTC_Z)
        for item in items
    )


@blp.route("/games/<uuid:game_id>/stream")
class GameStream(MethodView):
    @blp.arguments(schemas.StreamQuery, location="query")
    @blp.response(200, {"title": "Streamed", "oneOf": [_EVENT, _SAID]}, content_type="text/event-stream")
    @blp.alt_response(204, description="The game is over, and you have been told everything: do not come back")
    @blp.doc(operationId="followGame", **takes("games:read", of_seat=True))
    @blp.raises(BadField, TooManyStreams)
    def get(self, query: Any, game_id: UUID) -> Response:
        """Follow a game: its story as you see it happen, and what is said

        An `EventSource` that breaks off comes back by itself and misses nothing: it sends the id of what came last as
        `Last-Event-ID`, and goes on after it. Other clients may do the same, or name `after`.
        A comment comes every ten seconds in which nothing happens.

        What is said at the table comes as an event named `said`, whose data is the message as in `GET .../messages`. Without
        an id to go on after, the stream begins with what is said from then on, and `GET .../messages` has what was said
        before. It ends with the game.

        An `EventSource` can send no token: give it a ticket (makeStreamTicket).
        """
        _show_ticket(query)
        who = looker("games:read", game_id)
        follower = follow_game(game_id, who, query.get("invitation"), query["after"], _last_id(query))
        return _streamed(follower) if follower else Response(status=204)


@blp.route("/stream")
class OwnStream(MethodView):
    @blp.arguments(schemas.OwnStreamQuery, location="query")
    @blp.response(200, _EVENT, content_type="text/event-stream")
    @blp.doc(operationId="followOwnGames", **needs("games:read"))
    @blp.raises(BadField, TooManyStreams)
    def get(self, query: Any) -> Response:
        """Follow all games in which you sit, those too that begin meanwhile

        Each event has the field `game` beside those of the story. It goes on after `Last-Event-ID`, as the stream of one
        game does; without one it begins now. The ids mean nothing but a place in this stream. What is said is told by the
        stream of each game only.
        """
        _show_ticket(query)
        return _streamed(follow_own(caller("games:read"), _last_id(query)))


@blp.route("/stream-tickets")
class StreamTickets(MethodView):
    @blp.response(201, schemas.StreamTicket, example=examples.STREAM_TICKET)
    @blp.doc(operationId="makeStreamTicket", **needs("games:read", of_seat=True))
    def post(self) -> Any:
        """Make a ticket, by which an `EventSource` opens one stream with the rights of your token

        It goes into the address, `?ticket=`, since a browser's `EventSource` sends no headers. It is good for 30 seconds and
        once, so an address that somebody finds in a log opens nothing; the stream ends with your token. The link of a turn
        makes none.

        When such a stream breaks off, the `EventSource` comes back with the same ticket, gets a 401, and gives up. So open
        another then, with a new ticket and with `lastEventId`; nothing is lost, and nothing comes twice:

        ```js
        async function follow(game, token, tell) {
          const headers = {Authorization: `Bearer ${token}`};
          for (let last = "", over = false; !over; await new Promise((later) => setTimeout(later, 2000))) {
            const made = await fetch("/v1/stream-tickets", {method: "POST", headers}).catch(() => null);
            if (!made?.ok) continue;
            const {ticket} = await made.json();
            const from = new URLSearchParams({ticket, lastEventId: last});
            const source = new EventSource(`/v1/games/${game}/stream?${from}`);
            const hear = (event) => {
              const item = JSON.parse(event.data);
              last = event.lastEventId;
              over = ["game-ended", "game-abandoned"].includes(item.type);
              tell(event.type, item);
            };
            source.onmessage = hear;
            source.addEventListener("said", hear);
            await new Promise((broken) => { source.onerror = broken; });
            source.close();
          }
        }
        ```
        """
        made = new_ticket(any_caller())
        return {"ticket": made.text, "expires_at": made.expires_at}


def _show_ticket(query: Any) -> None:
    """If one is sent, its maker is who asks. Raises BadToken, Banned."""
    if "ticket" in query:
        sent_by(redeem(query["ticket"]))


def _last_id(query: Any) -> str:
    """Empty if none is named, as programs do that have none yet."""
    return request.headers.get("Last-Event-ID") or str(query.get("lastEventId", ""))


def _streamed(follower: Follower) -> Response:
    streams, body = request.environ.get(STREAMS), EventStream(follower, network_of(request.remote_addr or ""))
    if streams is not None:
        _expect_room(streams, body)
    if streams is None:  # then it ends with the news, and the client comes back for more
        return Response(iter(list(body)), mimetype="text/event-stream", headers=_HEADERS)
    return Response(body, mimetype="text/event-stream", headers=_HEADERS, direct_passthrough=True)


def _expect_room(streams: Any, stream: EventStream) -> None:
    """Keep a share for those who are signed in; a player's streams and those of an address count over all webs.

    Raises TooManyStreams, TooMany.
    """
    whom, is_stranger, share = stream.counts_for[0], STRANGERS in stream.counts_for, bound_of("streams-of-strangers")
    if share is not None:  # else nothing is bounded, and Postgres need not be asked
        expect_room("streams-of-address" if is_stranger else "streams", streams.held_everywhere(whom))
    if streams.is_full:
        raise TooManyStreams(noted("There are as many streams as this server keeps open. Try again later."), _FULL)
    if is_stranger and share is not None and streams.held_by(STRANGERS) >= share.most:
        raise TooManyStreams(noted("There is no room here for more streams without a token. Send one."), _FULL)
