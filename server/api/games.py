"""The games there are, the games being played, and their seats."""

from collections.abc import Sequence
from datetime import date
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

import orjson
from flask import Response, jsonify
from flask.views import MethodView

from server.api.auth import caller, viewer
from server.api.http_responses import NDJSON
from server.api.idempotency import new_game_id, once
from server.api.languages import spoken
from server.api.openapi import examples, schemas
from server.api.openapi.document import ANYBODY, Blueprint, either, needs, takes
from server.api.paging import NEXT_PAGE, cursor_of, page_of, read_cursor
from server.api.rate_limits import LONG, spend
from server.compression import Packed, pack
from server.errors import (
    AlreadySeated,
    BadField,
    HandedOver,
    NoPrograms,
    NotAllowed,
    NotFound,
    NotHost,
    NotReliable,
    NotRunning,
    NotSeated,
    SeatTaken,
    SignInFirst,
    TooLate,
    TooMany,
    WrongSalt,
)
from server.operations.archives import archive_of, shared_games
from server.play import views
from server.play.chat import messages, say
from server.play.seating.exhibition import STEP, exhibition, today
from server.play.seating.games import open_game
from server.play.seating.hosting import begin, close_game, keep_open, withdraw_invitation
from server.play.seating.lobby import list_games
from server.play.seating.seat_tokens import seat_token
from server.play.seating.seats import change_seat, invite, leave, ready, seat_settings, send_away, take_over, take_seat
from server.play.views import describe, seen_by
from server.play.votes import take_back, vote, votes_of, way_back_of
from server.render.picture import draw
from server.render.story import sentence
from server.rules import GAMES, BadOption, Json

blp = Blueprint("games", __name__, url_prefix="/v1", description="Games and their seats")

_WHERE = {"Location": {"description": "Where the game is", "required": True, "schema": {"type": "string"}}}
_OF_GAME = {"game_id": "$response.body#/id"}
_LINKS = {
    name: {"operationId": name, "parameters": _OF_GAME}
    for name in ("getGame", "takeSeat", "invite", "getLegalMoves", "getEvents", "vote", "say", "leaveSeat", "sayReady")
}


_SHARED_GAMES = {
    "title": "SharedGames",
    "description": "A line for each game",
    "type": "string",
    "contentMediaType": NDJSON,
    "contentSchema": {"$ref": "#/components/schemas/SharedGame"},
}


@blp.route("/rules")
class AllRules(MethodView):
    @blp.response(200, schemas.RulesList, example=examples.ALL_RULES)
    @blp.doc(operationId="listRules", **ANYBODY)
    def get(self) -> Any:
        """The games that can be played here, each as by itself

        Packed by gzip for whoever accepts it.
        """
        return _all_described().answer()


@blp.route("/rules/<name>")
class Rules(MethodView):
    @blp.response(200, schemas.RulesDescription, example=examples.RULES)
    @blp.doc(operationId="getRules", **ANYBODY)
    def get(self, name: str) -> Any:
        """One game: options, editions, boards, schemas of moves, views and events, notation

        Packed by gzip for whoever accepts it.
        """
        return _described(_known(name)).answer()


@blp.route("/rules/<name>/exhibition")
class ExhibitionOf(MethodView):
    @blp.response(200, schemas.Exhibition, example=examples.EXHIBITION)
    @blp.doc(operationId="getExhibition", **ANYBODY)
    def get(self, name: str) -> Any:
        """A game of bots to look on at: another one every day, with a move every few seconds

        Nobody sits there, and when it is over it begins again.
        """
        shown = exhibition(_known(name), today())
        return {"names": shown.names, "position": shown.position, "positions": len(shown.views), "step": STEP}


@blp.route("/rules/<name>/exhibition.svg")
class ExhibitionPicture(MethodView):
    @blp.arguments(schemas.ExhibitionQuery, location="query")
    @blp.response(200, {"type": "string"}, content_type="image/svg+xml")
    @blp.doc(operationId="getExhibitionPicture", **ANYBODY)
    def get(self, query: Any, name: str) -> Any:
        """Its table after so many moves, or as it stands now

        As SVG, for a page that shows what the game looks like.
        """
        day = today()
        shown = exhibition(_known(name), day)
        at = min(query.get("at", shown.position), len(shown.views) - 1)
        return _exhibited(name, day, at, query["theme"] == "dark", spoken().locale).answer()


@lru_cache(512)
def _exhibited(name: str, day: date, at: int, dark: bool, locale: str) -> Packed:
    shown = exhibition(name, day)
    return pack("image/svg+xml", draw(name, shown.views[at], shown.names, dark, locale).svg().encode())


def _known(name: str) -> str:
    """Raises NotFound."""
    if name not in GAMES:
        raise NotFound("There is no such game.")
    return name


@cache
def _described(name: str) -> Packed:
    return pack("application/json", orjson.dumps(GAMES[name].describe()))


@cache
def _all_described() -> Packed:
    return pack("application/json", orjson.dumps({"items": [rules.describe() for rules in GAMES.values()]}))


@blp.route("/games")
class Games(MethodView):
    @blp.arguments(schemas.GameWanted, example=examples.GAME_WANTED)
    @blp.response(201, schemas.Game, example=examples.GAME_OPENED, headers=_WHERE)
    @blp.doc(operationId="openGame", responses={201: {"links": _LINKS}}, **needs("games:write"))
    @blp.may_come_again
    @blp.raises(BadField, BadOption, SignInFirst)
    def post(self, wanted: Any) -> Any:
        """Open a game

        Seats are numbered as listed. The game starts when the last open seat is taken, at once if there is none.
        """
        who = caller("games:write")
        game_id = new_game_id(who)

        def opened() -> tuple[Any, int]:
            game = open_game(who.player_id, wanted, game_id)
            return describe(game, game.seat_of(who.player_id), player_id=who.player_id), 201

        response = once(who, game_id, opened, may_repeat=True)
        response.headers["Location"] = f"/v1/games/{response.get_json()['id']}"
        return response

    @blp.arguments(schemas.GamesQuery, location="query")
    @blp.response(200, schemas.GamesPage, example=examples.GAMES_PAGE, headers=NEXT_PAGE)
    @blp.doc(operationId="listGames", **takes("games:read"))
    @blp.raises(BadField)
    def get(self, query: Any) -> Any:
        """List games, newest first

        Public ones, or with `mine` and `my_turn` those where you sit and those that wait for you; with `mine` and
        `status=open` also those you are invited to, whose `invited` is your seat. `free`, `players`, `pace`,
        `clock`, `edition` and `reliability` are for a lobby: they choose among open games, and `offered` among those that
        run. All that is asked must hold, and
        a page is full unless it is the last.
        """
        mine = query["mine"] or query["my_turn"]
        player_id = caller("games:read").player_id if mine else viewer("games:read")
        page = list_games(player_id, **query | {"cursor": read_cursor(query.get("cursor"))}, tell=_in_words)
        return page_of(page.items, page.next and {"cursor": cursor_of(*page.next)})


def _in_words(items: Sequence[Json], names: Sequence[str]) -> str | None:
    """What matters most of these, in the reader's language: a scoring, else what came first."""
    first = sorted(items, key=lambda it: not it.get("payouts"))
    return next((told for it in first if (told := sentence(it, names, spoken().locale))), None)


@blp.route("/games/<uuid:game_id>")
class OneGame(MethodView):
    @blp.arguments(schemas.AtQuery, location="query")
    @blp.response(200, schemas.Game, example=examples.GAME)
    @blp.doc(operationId="getGame", **takes("games:read", of_seat=True))
    def get(self, query: Any, game_id: UUID) -> Any:
        """A game as you may see it, now or at an earlier version"""
        player_id = viewer("games:read", game_id)
        game = seen_by(game_id, player_id, query.get("invitation"))
        return describe(game, game.seat_of(player_id), query.get("at"), player_id)

    @blp.arguments(schemas.GameChanges, example=examples.GAME_CHANGES)
    @blp.response(200, schemas.Game, example=examples.GAME_OPENED)
    @blp.doc(operationId="changeGame", **needs("games:write"))
    @blp.raises(NotHost, NotRunning, NotAllowed, BadField)
    def patch(self, changes: Any, game_id: UUID) -> Any:
        """Keep your game open, before the start, or begin it

        With `open_for` it closes so long from now, if it has not begun by then. Its host is told by mail three days before,
        or when half of a shorter time has passed. With `begin` a game whose seats are taken waits no longer until all say
        that they are ready.
        """
        who = caller("games:write")
        if "begin" in changes:
            game = begin(game_id, who.player_id)
        else:
            game = keep_open(game_id, who.player_id, changes["open_for"])
        return describe(game, game.seat_of(who.player_id), player_id=who.player_id)

    @blp.response(204)
    @blp.doc(operationId="closeGame", **needs("games:write"))
    @blp.raises(NotHost, NotRunning)
    def delete(self, game_id: UUID) -> None:
        """Close your game before the start

        Its status becomes `abandoned`. So it does by itself at `closes_at`, and when its host leaves and nobody else sits
        there. Whoever sits there is told; nobody is invited any more.
        """
        close_game(game_id, caller("games:write").player_id)


@blp.route("/games/<uuid:game_id>/seats")
class Seats(MethodView):
    @blp.arguments(schemas.SeatRequest, required=False, example=examples.SEAT_REQUEST)
    @blp.response(201, schemas.Game, example=examples.SEAT_TAKEN)
    @blp.doc(operationId="takeSeat", **needs("games:write"))
    @blp.may_come_again
    @blp.raises(SeatTaken, NotReliable, NoPrograms, AlreadySeated, NotRunning, SignInFirst, BadField)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Take a seat, or take your own back from a bot

        With `take_over` somebody else's, which a bot keeps, for good: where all who play themselves have voted for `offer`.
        You see what it sees from then on, and the public story before; his record is his own, and so is yours.
        """
        who, is_over = caller("games:write"), wanted.pop("take_over", False)

        def seated() -> tuple[Any, int]:
            if is_over:
                game = take_over(game_id, who.player_id, wanted["seat"], wanted["invitation"])
            else:
                game = take_seat(game_id, who.player_id, **wanted)
            return describe(game, game.seat_of(who.player_id), player_id=who.player_id), 201

        return once(who, game_id, seated)


@blp.route("/games/<uuid:game_id>/ready")
class Ready(MethodView):
    @blp.arguments(schemas.ReadyRequest, required=False, example=examples.READY)
    @blp.response(200, schemas.Game, example=examples.GAME)
    @blp.doc(operationId="sayReady", **needs("games:write"))
    @blp.may_come_again
    @blp.raises(NotSeated, NotRunning, NotAllowed, WrongSalt)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Say that you are ready, and reveal the salt that you have committed

        Where the option `ready_check` asks for it, all who play are asked when the last seat is taken. The game begins when all
        have said so. Whose time is over before leaves his seat open again: then nobody is asked, and every salt that was
        revealed counts no more and may be committed anew.
        """
        who = caller("games:write")

        def said() -> tuple[Any, int]:
            game = ready(game_id, who.player_id, wanted["salt"])
            return describe(game, game.seat_of(who.player_id), player_id=who.player_id), 200

        return once(who, game_id, said)


@blp.route("/games/<uuid:game_id>/seats/me")
class MySeat(MethodView):
    @blp.response(200, schemas.OwnSeat, example=examples.OWN_SEAT)
    @blp.doc(operationId="getOwnSeat", **needs("games:read"))
    @blp.raises(NotSeated)
    def get(self, game_id: UUID) -> Any:
        """What only you see of your seat"""
        return seat_settings(game_id, caller("games:read").player_id)

    @blp.arguments(schemas.SeatChanges, required=False, example=examples.SEAT_CHANGES)
    @blp.response(200, schemas.OwnSeat, example=examples.OWN_SEAT)
    @blp.doc(operationId="changeOwnSeat", **needs("games:write"))
    @blp.raises(NotSeated, NotRunning, NotAllowed, WrongSalt)
    def patch(self, changes: Any, game_id: UUID) -> Any:
        """Choose what you want of this game's mails, or commit a salt

        A salt may be committed anew until somebody has revealed his.
        """
        return change_seat(game_id, caller("games:write").player_id, changes)

    @blp.response(204)
    @blp.doc(operationId="leaveSeat", **needs("games:write"))
    @blp.raises(NotSeated, NotRunning)
    def delete(self, game_id: UUID) -> None:
        """Leave before the start; afterwards resign, and a bot plays on"""
        leave(game_id, caller("games:write").player_id)


@blp.route("/games/<uuid:game_id>/seats/<int(max=254):seat>")
class GuestSeat(MethodView):
    @blp.response(204)
    @blp.doc(operationId="sendAway", **needs("games:write"))
    @blp.raises(NotHost, NotRunning)
    def delete(self, game_id: UUID, seat: int) -> None:
        """Send a guest away from your game, before the start

        He is told by mail, and can take a seat there again only if he is invited to one.
        """
        send_away(game_id, caller("games:write").player_id, seat)


@blp.route("/games/<uuid:game_id>/seats/me/tokens")
class SeatTokens(MethodView):
    @blp.arguments(schemas.SeatTokenRequest, required=False, example=examples.SEAT_TOKEN)
    @blp.response(201, schemas.TokenAnswer, example=examples.SEAT_TOKEN_ANSWER)
    @blp.doc(operationId="makeSeatToken", **needs("tokens:write"))
    @blp.raises(NotSeated, BadField)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Get a token for your seat alone

        For a bot or a program of somebody else: it sees what this seat sees of this game and plays its moves, and
        can do nothing else. It ends when you leave the game or resign; you may revoke it, as any token of yours.
        """
        who = caller("tokens:write")
        made = seat_token(who, game_id, wanted["name"], wanted["scopes"], wanted.get("expires_at"))
        return made.facts | {"token": made.text}


@blp.route("/games/<uuid:game_id>/invitations")
class Invitations(MethodView):
    @blp.arguments(schemas.InvitationRequest, example=examples.INVITATION)
    @blp.response(201, schemas.Invited, example=examples.INVITED)
    @blp.doc(operationId="invite", **needs("games:write"))
    @blp.may_come_again
    @blp.raises(NotSeated, SeatTaken, NotRunning, TooMany)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Keep a seat for an address and invite it by mail

        Naming a seat that is kept for somebody else invites this address instead. To an address without an account one
        letter goes, and no further one until somebody signs in there, whoever invites: `unreachable` tells of it. What
        looks like a link, in the title or in somebody's name, is left out of the letter.
        """
        who = caller("games:write")
        return once(who, game_id, lambda: ({"seat": invite(game_id, who.player_id, **wanted)}, 201))


@blp.route("/games/<uuid:game_id>/invitations/<int(max=254):seat>")
class OneInvitation(MethodView):
    @blp.response(204)
    @blp.doc(operationId="withdrawInvitation", **needs("games:write"))
    @blp.raises(NotHost, NotRunning)
    def delete(self, game_id: UUID, seat: int) -> None:
        """Withdraw the invitation to a seat of your game, or decline your own

        The seat is open again. A letter that waits to be sent is not sent any more, and the link of one that was says so.
        """
        withdraw_invitation(game_id, caller("games:write").player_id, seat)


@blp.route("/games/<uuid:game_id>/votes")
class Votes(MethodView):
    @blp.arguments(schemas.VoteRequest, example=examples.VOTE)
    @blp.response(200, schemas.Votes, example=examples.VOTES)
    @blp.doc(operationId="vote", **needs("games:write"))
    @blp.may_come_again
    @blp.raises(NotSeated, NotRunning, HandedOver, TooLate)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Consent to pausing, resuming or abandoning the game, to a take-back, or to offering seats

        `offer` stands as long as it is not taken back: while all consent, others may take over what bots keep.
        It happens when all who play themselves consent; bots and the absent are not asked. A vote on a take-back is over at
        its end, or with the next move.
        """
        who = caller("games:write")

        def voted() -> tuple[Any, int]:
            vote(game_id, who.player_id, wanted["on"], wanted["vote"])
            return votes_of(game_id), 200

        return once(who, game_id, voted)

    @blp.arguments(schemas.InvitationQuery, location="query")
    @blp.response(200, schemas.Votes, example=examples.VOTES)
    @blp.doc(operationId="getVotes", **takes("games:read"))
    def get(self, query: Any, game_id: UUID) -> Any:
        """Who consents to what at present"""
        seen_by(game_id, viewer("games:read"), query.get("invitation"))
        return votes_of(game_id)


_TAKE_BACK = either("TakeBackResult", "What became of a wish to take a move back", "TakenBack", "TakeBackAsked")


@blp.route("/games/<uuid:game_id>/take-backs")
class TakeBacks(MethodView):
    @blp.arguments(schemas.TakeBackRequest, example=examples.TAKE_BACK)
    @blp.response(201, _TAKE_BACK, example=examples.TAKEN_BACK)
    @blp.alt_response(
        202,
        schema=_TAKE_BACK,
        description="The others vote on it: it happens when all who play themselves consent",
        example=examples.TAKE_BACK_ASKED,
    )
    @blp.doc(operationId="takeBack", **needs("games:write"))
    @blp.may_come_again
    @blp.raises(NotSeated, NotRunning, HandedOver, NotAllowed, TooLate)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Take your move back that followed a version, and with it all that came after

        At once while nobody else has moved since, the move has shown you nothing new, and the time of its turn, which then
        goes on, is not over. Otherwise the others are asked, where the option `take_back` of the game says so. Nothing is
        deleted: the story says that it was taken back, chance comes as it came, and turns have new numbers.
        """
        who = caller("games:write")

        def taken_back() -> tuple[Any, int]:
            answer, is_done = take_back(game_id, who.player_id, wanted["to"])
            return answer, 201 if is_done else 202

        return once(who, game_id, taken_back)

    @blp.response(200, schemas.WayBack, example=examples.WAY_BACK)
    @blp.doc(operationId="getWayBack", **needs("games:read"))
    @blp.raises(NotSeated)
    def get(self, game_id: UUID) -> Any:
        """Whether you can take your last move back now, and whether the others are asked"""
        return way_back_of(game_id, caller("games:read").player_id)


@blp.route("/games/<uuid:game_id>/messages")
class Messages(MethodView):
    @blp.arguments(schemas.MessageRequest, example=examples.MESSAGE)
    @blp.response(201, schemas.Message, example=examples.MESSAGE_SAID)
    @blp.doc(operationId="say", **needs("chat:write", of_seat=True))
    @blp.may_come_again
    @blp.raises(NotSeated, BadField)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Say something at your table"""
        who = caller("chat:write", game_id)
        return once(who, game_id, lambda: (say(game_id, who.player_id, wanted["text"]), 201))

    @blp.arguments(schemas.MessagesQuery, location="query")
    @blp.response(200, schemas.Messages, example=examples.MESSAGES, headers=NEXT_PAGE)
    @blp.doc(operationId="getMessages", **takes("games:read", of_seat=True))
    def get(self, query: Any, game_id: UUID) -> Any:
        """What was said since message number `after`"""
        seen_by(game_id, viewer("games:read", game_id), query.get("invitation"))
        limit = query["limit"]
        found = messages(game_id, query["after"], limit + 1)
        return page_of(found[:limit], {"after": found[limit - 1]["nr"]} if len(found) > limit else None)


@blp.route("/games/<uuid:game_id>/events")
class Events(MethodView):
    @blp.arguments(schemas.StoryQuery, location="query")
    @blp.response(200, schemas.Story, example=examples.STORY)
    @blp.doc(operationId="getEvents", **takes("games:read", of_seat=True))
    def get(self, query: Any, game_id: UUID) -> Any:
        """The story since an event or a version, as you saw it happen"""
        player_id = viewer("games:read", game_id)
        game = seen_by(game_id, player_id, query.get("invitation"))
        seat = game.seat_of(player_id)
        story = views.story(game, seat, query["after"], since_version=query["since_version"], player_id=player_id)
        return jsonify(items=story)


@blp.route("/archives")
class Archives(MethodView):
    @blp.arguments(schemas.ArchivesQuery, location="query")
    @blp.response(200, _SHARED_GAMES, content_type=NDJSON, headers=NEXT_PAGE)
    @blp.doc(operationId="getArchives", **ANYBODY)
    @blp.raises(BadField)
    def get(self, query: Any) -> Any:
        """Finished games for whoever studies them, one JSON object a line, the earliest end first

        Public games, of which everybody who played agrees to that (`shares_games` of his profile); `players` are
        pseudonyms. `Link` leads to the next page. Without one, that is all for now: ask later, `since` the last `ended_at`,
        and let pass the games that you have.
        """
        spend(LONG)
        found, place = shared_games(query.get("since"), read_cursor(query.get("cursor")), query["limit"])
        form = orjson.OPT_APPEND_NEWLINE | orjson.OPT_UTC_Z
        body = b"".join(orjson.dumps(it._asdict(), option=form) for it in found)
        _, _, headers = (None, None, {}) if place is None else page_of([], {"cursor": cursor_of(*place)})
        return Response(body, mimetype=NDJSON, headers=headers)


@blp.route("/games/<uuid:game_id>/archive")
class ArchiveOf(MethodView):
    @blp.arguments(schemas.InvitationQuery, location="query")
    @blp.response(200, schemas.Archive, example=examples.ARCHIVE)
    @blp.doc(operationId="getArchive", **takes("games:read", of_seat=True))
    def get(self, query: Any, game_id: UUID) -> Any:
        """A game that is over, with seed, salts and all events: [check that it was fair](/docs/fairness)"""
        player_id = viewer("games:read", game_id)
        spend(LONG)
        return jsonify(archive_of(game_id, player_id, query.get("invitation")))
