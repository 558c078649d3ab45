"""Live events and messages, as Server-Sent Events (WHATWG HTML, 9.2)."""

from collections.abc import Hashable, Iterable, Iterator
from typing import Any
from uuid import UUID

import orjson
from flask import Response, request
from flask.views import MethodView

from server.accounts.rate_limits import bound_of, expect_room, network_of
from server.accounts.stream_tickets import new_ticket, redeem
from server.api.auth import any_caller, caller, optional_caller, set_caller
from server.api.http_responses import as_json
from server.api.openapi import examples, schemas
from server.api.openapi.components import ref
from server.api.openapi.document import Blueprint, needs, takes
from server.errors import BadField, TooManyStreams
from server.games import Json
from server.play.story.event_feed import Follower, Item, follow_game, follow_own, news
from server.translations import noted

blp = Blueprint("streams", __name__, url_prefix="/v1", description="Event streams: live events and messages")

STREAMS = "sternenpost.streams"  # WSGI environment key of the `Streams`, if the server supports open streams
STRANGERS = None  # subject of all streams without a token
_AGAIN = 2  # seconds until a client reconnects
_FULL = 10  # Retry-After, in seconds, at the limit of streams
_HEADERS = {"X-Accel-Buffering": "no", "Cache-Control": "private, no-store"}


def _frame(title: str, description: str, fields: Json, data: str, schema: Json) -> Json:
    """Return the schema of an event in a stream, whose `data` is JSON of this schema."""
    text = {"type": "string", "contentMediaType": "application/json", "description": data, "contentSchema": schema}
    properties = {**fields, "data": text}
    about = {"title": title, "description": description, "type": "object"}
    return {**about, "required": [it for it in ("event", "data", "id") if it in properties], "properties": properties}


_ID = {"id": {"type": "string", "description": "Value for `Last-Event-ID`"}}
_EVENT = _frame(
    "StreamedEvent",
    "Event in a stream. The first line of a stream can be an `id` without data.",
    _ID,
    "Same as in getEvents. In the stream of all your games, each event also has the field `game`.",
    ref("Event"),
)
_SAID = _frame(
    "StreamedMessage",
    "Message at the table. An `EventSource` passes this event only to listeners for `said`.",
    {**_ID, "event": {"const": "said"}},
    "Same as in getMessages",
    ref("Message"),
)
_RESET = _frame(
    "StreamedReset",
    "The game's log ends before the position you sent, for example after a backup was restored. Discard your data for "
    "this game: all its events are sent again from the start. An `EventSource` passes this event only to listeners for "
    "`reset`.",
    {**_ID, "event": {"const": "reset"}},
    "Game id, and the `seq` at which its log ends",
    {
        "type": "object",
        "required": ["game", "newest"],
        "properties": {"game": {"type": "string", "format": "uuid"}, "newest": {"type": "integer"}},
    },
)
_PRESENT = _frame(
    "StreamedPresence",
    "Players who have the table open. With `presence`, this event is sent whenever that list changes. The event has no "
    "id. An `EventSource` passes the event only to listeners for `present`.",
    {"event": {"const": "present"}},
    "Seats of the other players who are present now",
    {"type": "object", "required": ["seats"], "properties": {"seats": {"type": "array", "items": {"type": "integer"}}}},
)

_CHANGED = _frame(
    "StreamedChange",
    "Something beside the log has changed, such as a vote or a seat: get the game again. With `presence`, this event is "
    "sent within seconds. It has no id. An `EventSource` passes it only to listeners for `changed`.",
    {"event": {"const": "changed"}},
    "Nothing",
    {"type": "object"},
)


class EventStream:
    """A response body that stays open, and to which the server adds events."""

    def __init__(self, follower: Follower, network: str = "", presence: bool = False) -> None:
        self.follower = follower
        self.presence = presence  # whether the client wants to know who else is at the table
        caller = follower.caller
        self.counts_for: tuple[Hashable, ...] = (caller.player_id,) if caller else (network, STRANGERS)
        place = follower.place().encode()
        self.beginning = b"retry: %d\nid: %s\n\n" % (1000 * _AGAIN, place) + b"".join(
            b"id: %s\nevent: reset\ndata: %s\n\n" % (place, orjson.dumps(it)) for it in follower.went_back
        )

    def __iter__(self) -> Iterator[bytes]:
        """Yield all pending events."""
        yield self.beginning
        for game_id in list(self.follower.told):
            is_more = True
            while is_more:
                is_more = False
                for _, items, is_more in news(game_id, [self.follower]):
                    yield wire_format(items)


def wire_format(items: Iterable[Item]) -> bytes:
    """Encode items as Server-Sent Events. JSON escapes line breaks, so each item's data fits on one line."""
    return b"".join(
        b"id: %s\n" % item.id.encode() + b"event: said\n" * item.is_said + b"data: %s\n\n" % as_json(item.what)
        for item in items
    )


@blp.route("/games/<uuid:game_id>/stream")
class GameStream(MethodView):
    @blp.arguments(schemas.GameStreamQuery, location="query")
    @blp.response(
        200,
        {"title": "Streamed", "oneOf": [_EVENT, _SAID, _RESET, _PRESENT, _CHANGED]},
        content_type="text/event-stream",
    )
    @blp.alt_response(204, description="The game is over and you have received all its events. Don't reconnect.")
    @blp.doc(operationId="followGame", **takes("games:read", of_seat=True))
    @blp.raises(BadField, TooManyStreams)
    def get(self, query: Any, game_id: UUID) -> Response:
        """Follow a game's events and messages

        If the connection breaks, an `EventSource` reconnects by itself and misses nothing. It sends the last event's id
        as `Last-Event-ID`, and the stream continues after it. Other clients can do the same, or send `after`. While
        nothing happens, a comment is sent every ten seconds.

        Messages at the table arrive as events named `said`, with the same data as in `GET .../messages`. Without an id,
        the stream contains only new messages; `GET .../messages` returns earlier ones. The stream ends with the game.

        If the log ends before your id, for example after a backup was restored, the stream first sends an event named
        `reset`. The stream then starts from the beginning.

        With `presence`, events named `present` tell you which other players have the table open. Only players with a
        seat get these events, within seconds. A player counts as present for up to a minute after their connection is
        lost. At nameless tables, no such events are sent. Players who blocked each other don't see each other. You also
        get events named `changed` when someone has voted or a seat has changed.

        A stream with `presence`, from a player's move to a restored backup:

        ```text
        retry: 2000
        id: 5-0

        event: present
        data: {"seats":[1]}

        id: 6-0
        data: {"seq":6,"version":2,"type":"star-placed","seat":0,"at":"2026-11-21T19:02:00.000000Z","board":"leo","space":"c","star":"7","by":"player"}

        id: 6-1
        event: said
        data: {"nr":1,"seat":1,"name":"Bea","text":"Good luck!","at":"2026-11-21T19:03:00.000000Z"}

        event: changed
        data: {}

        :

        id: 0-0
        event: reset
        data: {"game":"9d2c7f0a-5a37-4a52-8d6e-3f4b1f0a9d77","newest":4}
        ```

        Events without a name are those of getEvents. In `present`, `seats` are the other players who have the table
        open. In `reset`, `newest` is the `seq` at which the log ends. `changed` has no fields.

        An `EventSource` can't send a token. Give it a ticket instead (see makeStreamTicket).
        """
        _show_ticket(query)
        who = optional_caller("games:read", game_id)
        follower = follow_game(game_id, who, query.get("invitation"), query["after"], _last_id(query))
        return _streamed(follower, query, query["presence"]) if follower else Response(status=204)


@blp.route("/stream")
class OwnStream(MethodView):
    @blp.arguments(schemas.OwnStreamQuery, location="query")
    @blp.response(200, {"title": "StreamedOfAll", "oneOf": [_EVENT, _RESET]}, content_type="text/event-stream")
    @blp.doc(operationId="followOwnGames", **needs("games:read"))
    @blp.raises(BadField, TooManyStreams)
    def get(self, query: Any) -> Response:
        """Follow all your games

        Includes games that start while the stream is open. Each event has an additional field, `game`. Like a single
        game's stream, this one resumes after `Last-Event-ID`. Without an id, this stream starts with new events. Ids
        from this stream are valid only in this stream.

        Messages are sent only in a game's own stream. If a game's log ends before the position you send, an event named
        `reset` comes first.
        """
        _show_ticket(query)
        return _streamed(follow_own(caller("games:read"), _last_id(query)), query)


@blp.route("/stream-tickets")
class StreamTickets(MethodView):
    @blp.response(201, schemas.StreamTicket, example=examples.STREAM_TICKET)
    @blp.doc(operationId="makeStreamTicket", **needs("games:read", of_seat=True))
    def post(self) -> Any:
        """Create a stream ticket

        An `EventSource` in a browser can't send headers, so the ticket goes into the URL as `?ticket=`. The ticket
        opens one stream with the rights of your token. A ticket expires after 30 seconds or after one use, so a URL
        found in a log is worthless. The stream ends when your token expires. You can't create tickets with the link
        token from an email.

        When such a stream breaks off, the `EventSource` reconnects with the used ticket, gets a 401 and stops. Open
        another `EventSource` with a new ticket and `lastEventId`, so that no event is lost or repeated. An
        `EventSource` doesn't show why it failed, so request the stream once with `fetch`:

        ```js
        // Pass each event of a stream to `tell`, and return when the game is over. `token` returns the access token,
        // or a new one if it gets the current one. Throw an error if the server refuses the new token or the path,
        // which may have a query, such as /v1/games/ID/stream?words=en&presence=true.
        // After "open", refresh what you show of /v1/stream: it repeats no events before the first one you receive.
        async function follow(server, path, token, tell) {
          let last = "", used, refused;
          for (;; await new Promise((later) => setTimeout(later, 2000))) {
            used = await token(refused);
            const headers = {Authorization: `Bearer ${used}`};
            const send = (url, method) => fetch(url, {method, headers}).catch(() => null);
            const stream = (more) => {
              const url = new URL(path, server);
              for (const [name, value] of Object.entries(more)) url.searchParams.set(name, value);
              return url;
            };
            let answer = await send(`${server}/v1/stream-tickets`, "POST");
            if (answer?.ok) {
              const {ticket} = await answer.json();
              const source = new EventSource(stream({ticket, lastEventId: last}));
              const hear = (event) => {
                last = event.lastEventId;
                tell(event.type, JSON.parse(event.data));
              };
              for (const name of ["message", "said", "present", "changed", "reset"]) source.addEventListener(name, hear);
              let opened = false;
              source.onopen = () => tell("open", opened = true);
              await new Promise((broken) => { source.onerror = broken; });
              source.close();
              if (opened) continue;
              answer = await send(stream({lastEventId: last}), "GET");
              if (answer?.status === 204) return;
              if (answer?.ok) answer.body.cancel();
            }
            if (answer?.status === 401 && used !== refused) refused = used;
            else if (answer?.status >= 400 && answer.status < 500 && answer.status !== 429)
              throw new Error((await answer.json()).detail);
          }
        }
        ```

        After `reset`, discard your data of the game: all its events follow.
        """
        made = new_ticket(any_caller())
        return {"ticket": made.text, "expires_at": made.expires_at}


def _show_ticket(query: Any) -> None:
    """Make the ticket's owner the caller, if there is a ticket. Raise BadToken, Banned."""
    if "ticket" in query:
        set_caller(redeem(query["ticket"]))


def _last_id(query: Any) -> str:
    """Return the id of the last event that the client received, or ""."""
    return request.headers.get("Last-Event-ID") or str(query.get("lastEventId", ""))


def _streamed(follower: Follower, query: Json, presence: bool = False) -> Response:
    follower.words = query.get("words")
    streams, body = request.environ.get(STREAMS), EventStream(follower, network_of(request.remote_addr or ""), presence)
    if streams is not None:
        _expect_room(streams, body)
    if streams is None:  # the response then ends after the pending events, and the client reconnects
        return Response(iter(list(body)), mimetype="text/event-stream", headers=_HEADERS)
    return Response(body, mimetype="text/event-stream", headers=_HEADERS, direct_passthrough=True)


def _expect_room(streams: Any, stream: EventStream) -> None:
    """Check the limits on open streams. A share of the streams is reserved for players. Limits per player and per
    address apply across all web processes. Raise TooManyStreams, TooMany."""
    whom, is_stranger, share = stream.counts_for[0], STRANGERS in stream.counts_for, bound_of("streams-of-strangers")
    if share is not None:  # if limits are off, skip the query
        expect_room("streams-of-address" if is_stranger else "streams", streams.held_everywhere(whom))
    if streams.is_full:
        raise TooManyStreams(noted("This server has reached its limit on open streams. Try again later."), _FULL)
    if is_stranger and share is not None and streams.held_by(STRANGERS) >= share.most:
        raise TooManyStreams(
            noted("This server has reached its limit on open streams without a token. Send a token."), _FULL
        )
