"""Games being played, their seats, and the available rules."""

from collections.abc import Sequence
from datetime import date
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

import orjson
from flask import Response, jsonify
from flask.views import MethodView

from server import docs
from server.api.auth import caller, optional_caller, viewer
from server.api.http_responses import NDJSON, as_json
from server.api.idempotency import new_game_id, once
from server.api.languages import spoken
from server.api.openapi import examples, schemas
from server.api.openapi.document import ANYBODY, Blueprint, either, needs, takes
from server.api.paging import NEXT_PAGE, cursor_of, page_of, read_cursor
from server.api.rate_limits import LONG, spend
from server.api.unmodified import expect_modified, load_unless_unmodified
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
    PlaceAhead,
    SeatTaken,
    SignInFirst,
    TooLate,
    TooMany,
    WrongSalt,
)
from server.games import GAMES, BadOption, Json, Seat
from server.games.presentation import draw, sentence
from server.operations.archives import archive_of, shared_games
from server.play import views
from server.play.game import Game
from server.play.seating.games import open_game
from server.play.seating.hosting import begin, close_game, invitees, keep_open, seat_bot, withdraw_invitation
from server.play.seating.lobby import list_games
from server.play.seating.rematches import find_game_before, find_rematch, rematch
from server.play.seating.seat_tokens import seat_token
from server.play.seating.seats import (
    SeatClaim,
    change_seat,
    invite,
    leave,
    ready,
    seat_settings,
    send_away,
    take_over,
    take_seat,
)
from server.play.story.exhibition import STEP, exhibition, today
from server.play.talk.chat import last_message, messages, say
from server.play.turns.going_back import played_after
from server.play.views import describe, expect_reached, load_visible, would_undo
from server.play.votes import refusals_of, take_back, vote, votes_of, way_back_of
from server.translations import noted

blp = Blueprint(
    "games", __name__, url_prefix="/v1", description="Games: rules, seats, votes, messages, events and archives"
)

_WHERE = {"Location": {"description": "URL of the game", "required": True, "schema": {"type": "string"}}}
_OF_GAME = {"game_id": "$response.body#/id"}
_LINKS = {
    name: {"operationId": name, "parameters": _OF_GAME}
    for name in ("getGame", "takeSeat", "invite", "getLegalMoves", "getEvents", "vote", "say", "leaveSeat", "sayReady")
}


_SHARED_GAMES = {
    "title": "SharedGames",
    "description": "One line per game",
    "type": "string",
    "contentMediaType": NDJSON,
    "contentSchema": {"$ref": "#/components/schemas/SharedGame"},
}


@blp.route("/rules")
class AllRules(MethodView):
    @blp.response(200, schemas.RulesList, example=examples.ALL_RULES)
    @blp.doc(operationId="listRules", **ANYBODY)
    def get(self) -> Any:
        """List the games you can play here

        Each item is the same as in getRules. The response is compressed if the client accepts gzip.
        """
        return _all_described().answer()


@blp.route("/rules/<name>")
class Rules(MethodView):
    @blp.response(200, schemas.RulesDescription, example=examples.RULES)
    @blp.doc(operationId="getRules", **ANYBODY)
    def get(self, name: str) -> Any:
        """Get the rules of a game

        Returns options, editions, boards, notation, the schemas of moves, views and events, and how strong the bots
        are. The response is compressed if the client accepts gzip.
        """
        return _described(_known(name)).answer()


@blp.route("/rules/<name>/exhibition")
class ExhibitionOf(MethodView):
    @blp.response(200, schemas.Exhibition, example=examples.EXHIBITION)
    @blp.doc(operationId="getExhibition", **ANYBODY)
    def get(self, name: str) -> Any:
        """Get the exhibition game

        In this demonstration game, bots move every few seconds. Each day has a new game, which starts over when it
        ends.
        """
        shown = exhibition(_known(name), today())
        at = shown.position
        return {
            "names": shown.names,
            "position": at,
            "positions": len(shown.views),
            "step": STEP,
            "view": shown.views[at],
        }


@blp.route("/rules/<name>/exhibition.svg")
class ExhibitionPicture(MethodView):
    @blp.arguments(schemas.ExhibitionQuery, location="query")
    @blp.response(200, {"type": "string"}, content_type="image/svg+xml")
    @blp.doc(operationId="getExhibitionPicture", **ANYBODY)
    def get(self, query: Any, name: str) -> Any:
        """Draw the exhibition game as SVG

        Shows the table after `at` moves or, without `at`, as it is now. With `fullest=true`, shows the table
        when it had most to see.
        """
        day = today()
        shown = exhibition(_known(name), day)
        at = shown.fullest if query["fullest"] else min(query.get("at", shown.position), len(shown.views) - 1)
        return _exhibited(name, day, at, query["theme"] == "dark", spoken().locale).answer()


@lru_cache(512)
def _exhibited(name: str, day: date, at: int, dark: bool, locale: str) -> Packed:
    shown = exhibition(name, day)
    return pack("image/svg+xml", draw(name, shown.views[at], shown.names, dark, locale).svg().encode())


def _known(name: str) -> str:
    """Return the name of a game. Raise NotFound if the game isn't installed."""
    if name not in GAMES:
        raise NotFound("Game not found.")
    return name


@cache
def _described(name: str) -> Packed:
    return pack("application/json", orjson.dumps(_description(name)))


@cache
def _all_described() -> Packed:
    return pack("application/json", orjson.dumps({"items": list(map(_description, GAMES))}))


def _description(name: str) -> Json:
    """Return the game's description of itself, with the measured strength of its bots."""
    return {**GAMES[name].describe(), "bots": [it.to_json() for it in docs.strengths() if it.rules == name]}


@blp.route("/games")
class Games(MethodView):
    @blp.arguments(schemas.GameWanted, example=examples.GAME_WANTED)
    @blp.response(201, schemas.Game, example=examples.GAME_OPENED, headers=_WHERE)
    @blp.doc(operationId="openGame", responses={201: {"links": _LINKS}}, **needs("games:write"))
    @blp.idempotent
    @blp.raises(BadField, BadOption, SignInFirst)
    def post(self, wanted: Any) -> Any:
        """Create a game

        Seats are numbered in the order of the list. The game starts when the last open seat is taken, or immediately if
        there are no open seats.
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
        """List games

        Returns public games, newest first. `mine` returns the games in which you have a seat, and `my_turn` those in
        which it's your turn. `mine` with `status=open` also returns games you are invited to, with the seat reserved
        for you in `invited`.

        `free`, `players`, `pace`, `clock`, `edition` and `reliability` filter open games for a lobby. `offered` filters
        games in progress. Use `uninvited` to show games to visitors. If you combine filters, a game must match all of
        them. Every page except the last is full.
        """
        who = caller("games:read") if query["mine"] or query["my_turn"] else optional_caller("games:read")
        place = {"cursor": read_cursor(query.get("cursor"))}
        page = list_games(
            who and who.player_id, **query | place, tell=_in_words, on_rows=lambda rows: expect_modified(who, rows)
        )
        return page_of(page.items, page.next and {"cursor": cursor_of(*page.next)})


def _in_words(items: Sequence[Json], names: Sequence[str], reader: Seat) -> str | None:
    """Return what these events did, in the reader's language: the sentence about a scoring, or a sentence for each action.
    Return None if no event is worth a sentence."""
    aside = set().union(*(getattr(it, "ASIDE", ()) for it in GAMES.values()))
    told = [(it, words) for it in items if (words := sentence(it, names, spoken().locale, reader))]
    scored = [words for it, words in told if it.get("payouts")]
    chief = scored[:1] or [words for it, words in told if it["type"] not in aside] or [words for _, words in told[:1]]
    return " ".join(chief) or None


@blp.route("/games/<uuid:game_id>")
class OneGame(MethodView):
    @blp.arguments(schemas.AtQuery, location="query")
    @blp.response(200, schemas.Game, examples=examples.of_both(examples.GAME, examples.GAME_IN_STEPS))
    @blp.doc(operationId="getGame", **takes("games:read", of_seat=True))
    def get(self, query: Any, game_id: UUID) -> Any:
        """Get a game

        Returns what you are allowed to see, now or at an earlier version.
        """
        who = optional_caller("games:read", game_id)
        player_id = who and who.player_id
        game = load_unless_unmodified(game_id, who, query.get("invitation"))
        told = describe(game, game.seat_of(player_id), query.get("at"), player_id)
        if who and "games:write" not in who.scopes:
            told["invitation"] = None  # otherwise a read-only token could give away seats
        return told

    @blp.arguments(schemas.GameChanges, example=examples.GAME_CHANGES)
    @blp.response(200, schemas.Game, example=examples.GAME_OPENED)
    @blp.doc(operationId="changeGame", **needs("games:write"))
    @blp.raises(NotHost, NotRunning, NotAllowed, BadField)
    def patch(self, changes: Any, game_id: UUID) -> Any:
        """Extend or start your open game

        `open_for` sets a new closing time, counted from now. The host gets an email three days before the game closes.
        If the new closing time is less than six days away, the email is sent when half of the time until then has
        passed. `begin` starts a game whose seats are all taken, without waiting for players who haven't confirmed that
        they're ready.
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
        """Close your game before it starts

        The game's status becomes `abandoned`. Seated players are notified and invitations are withdrawn. A game also
        closes automatically at `closes_at`, and when the host leaves an otherwise empty table.
        """
        close_game(game_id, caller("games:write").player_id)


@blp.route("/games/<uuid:game_id>/seats")
class Seats(MethodView):
    @blp.arguments(schemas.SeatRequest, required=False, example=examples.SEAT_REQUEST)
    @blp.response(201, schemas.Game, example=examples.SEAT_TAKEN)
    @blp.doc(operationId="takeSeat", **needs("games:write"))
    @blp.idempotent
    @blp.raises(SeatTaken, NotReliable, NoPrograms, AlreadySeated, NotRunning, SignInFirst, BadField)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Take a seat

        Takes an open seat, or takes your own seat back from a bot. With `take_over`, you permanently take over another
        player's seat that a bot is playing. All active players must have voted for `offer`.

        From then on you see what the seat sees. Of earlier events, you see only those that everyone can see. Your track
        record and the previous player's stay separate.
        """
        who, is_over = caller("games:write"), wanted.pop("take_over", False)

        def seated() -> tuple[Any, int]:
            if is_over:
                game = take_over(game_id, who.player_id, wanted["seat"], wanted["invitation"])
            else:
                game = take_seat(game_id, who.player_id, SeatClaim(**wanted))
            return describe(game, game.seat_of(who.player_id), player_id=who.player_id), 201

        return once(who, game_id, seated)


@blp.route("/games/<uuid:game_id>/rematch")
class Rematch(MethodView):
    @blp.response(200, schemas.RematchFound, example=examples.REMATCH)
    @blp.doc(operationId="getRematch", **needs("games:read"))
    @blp.raises(NotSeated, NotRunning)
    def get(self, game_id: UUID) -> Any:
        """Get the rematch

        Returns the rematch that openRematch would join, if a player has opened one.
        """
        return find_rematch(game_id, caller("games:read").player_id)

    @blp.response(200, schemas.Game, example=examples.GAME)
    @blp.doc(operationId="openRematch", **needs("games:write"))
    @blp.raises(NotSeated, NotRunning, SignInFirst, NotReliable, NoPrograms, BadField)
    def post(self, game_id: UUID) -> Any:
        """Open or join a rematch

        Returns the next game of the same players, with a seat for you. The first player who calls this opens the game,
        with the same options and bots, and invites the others by email. It starts when all of them have joined it. You
        can call this only after the end of a game in which you had a seat, and as often as you like.
        """
        who = caller("games:write")
        game = rematch(game_id, who.player_id)
        return describe(game, game.seat_of(who.player_id), player_id=who.player_id)


@blp.route("/games/<uuid:game_id>/before")
class Before(MethodView):
    @blp.arguments(schemas.InvitationQuery, location="query")
    @blp.response(200, schemas.GameBefore, example=examples.GAME_BEFORE)
    @blp.doc(operationId="getGameBefore", **takes("games:read"))
    def get(self, query: Any, game_id: UUID) -> Any:
        """Get the game before a rematch

        Returns the game whose players opened this one with openRematch.
        """
        return find_game_before(game_id, viewer("games:read"), query.get("invitation"))


@blp.route("/games/<uuid:game_id>/ready")
class Ready(MethodView):
    @blp.arguments(schemas.ReadyRequest, required=False, example=examples.READY)
    @blp.response(200, schemas.Game, example=examples.GAME)
    @blp.doc(operationId="sayReady", **needs("games:write"))
    @blp.idempotent
    @blp.raises(NotSeated, NotRunning, NotAllowed, WrongSalt)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Confirm that you are ready

        Also reveals the salt you committed to. In games with the `ready_check` option, all players are asked to confirm
        when the last seat is taken. The game begins when all have confirmed.

        Players who don't confirm in time lose their seats, which become open again. The check then ends, all revealed
        salts become invalid, and players can commit to new ones.
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
        """Get your private seat settings"""
        return seat_settings(game_id, caller("games:read").player_id)

    @blp.arguments(schemas.SeatChanges, required=False, example=examples.SEAT_CHANGES)
    @blp.response(200, schemas.OwnSeat, example=examples.OWN_SEAT)
    @blp.doc(operationId="changeOwnSeat", **needs("games:write"))
    @blp.raises(NotSeated, NotRunning, NotAllowed, WrongSalt)
    def patch(self, changes: Any, game_id: UUID) -> Any:
        """Update your seat settings

        Selects which emails you get about this game, or commits a salt. You can replace your salt until any player has
        revealed theirs.
        """
        return change_seat(game_id, caller("games:write").player_id, changes)

    @blp.response(204)
    @blp.doc(operationId="leaveSeat", **needs("games:write"))
    @blp.raises(NotSeated, NotRunning)
    def delete(self, game_id: UUID) -> None:
        """Leave your seat

        Before the start, the seat becomes open again. After the start, you resign and a bot plays your seat to the end.
        """
        leave(game_id, caller("games:write").player_id)


@blp.route("/games/<uuid:game_id>/seats/<int(max=254):seat>")
class GuestSeat(MethodView):
    @blp.response(204)
    @blp.doc(operationId="sendAway", **needs("games:write"))
    @blp.raises(NotHost, NotRunning)
    def delete(self, game_id: UUID, seat: int) -> None:
        """Remove a player before the start

        The player is notified by email and can return only by invitation. Only the host can do this.
        """
        send_away(game_id, caller("games:write").player_id, seat)


@blp.route("/games/<uuid:game_id>/seats/<int(max=254):seat>/bot")
class BotSeat(MethodView):
    @blp.arguments(schemas.BotRequest, example=examples.BOT_WANTED)
    @blp.response(200, schemas.Game, example=examples.GAME)
    @blp.doc(operationId="seatBot", **needs("games:write"))
    @blp.raises(NotHost, NotRunning, SeatTaken)
    def put(self, wanted: Any, game_id: UUID, seat: int) -> Any:
        """Give an open seat to a bot

        The game starts if this was the last open seat. Only the host can do this.
        """
        who = caller("games:write")
        game = seat_bot(game_id, who.player_id, seat, wanted["bot"])
        return describe(game, game.seat_of(who.player_id), player_id=who.player_id)


@blp.route("/games/<uuid:game_id>/seats/me/tokens")
class SeatTokens(MethodView):
    @blp.arguments(schemas.SeatTokenRequest, required=False, example=examples.SEAT_TOKEN)
    @blp.response(201, schemas.TokenAnswer, example=examples.SEAT_TOKEN_ANSWER)
    @blp.doc(operationId="makeSeatToken", **needs("tokens:write"))
    @blp.raises(NotSeated, BadField)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Create a token for your seat

        Give the token to a bot or a third-party program. With the token, the program can see what your seat sees in
        this game and play your moves, but nothing else. The token expires when you leave the game or resign. You can
        revoke the token like any other token.
        """
        who = caller("tokens:write")
        made = seat_token(who, game_id, wanted["name"], wanted["scopes"], wanted.get("expires_at"))
        return made.facts | {"token": made.text}


@blp.route("/games/<uuid:game_id>/invitations")
class Invitations(MethodView):
    @blp.response(200, schemas.Invitations, example=examples.INVITATIONS)
    @blp.doc(operationId="listInvitations", **needs("games:write"))
    @blp.raises(NotHost)
    def get(self, game_id: UUID) -> Any:
        """List a game's invitations

        Returns the seats that are reserved for invited players. You see only the addresses that you entered. Only the
        host can do this.
        """
        return {"items": invitees(game_id, caller("games:write").player_id)}

    @blp.arguments(schemas.InvitationRequest, example=examples.INVITATION)
    @blp.response(201, schemas.Invited, example=examples.INVITED)
    @blp.doc(operationId="invite", **needs("games:write"))
    @blp.idempotent
    @blp.raises(NotSeated, SeatTaken, NotRunning, TooMany, BadField)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Invite a player by email

        Reserves a seat for this address, or for a player you've shared a table with. If the seat is already reserved,
        the new invitation replaces the old one. You can see who takes a seat you reserved for an address, even in a
        game with the `nameless` option.

        To send the email again, repeat the call with the same seat and address. Without a `greeting`, your last one to
        this address is used again. But an address without an account gets only one invitation email, even from several
        hosts, until a player signs in with this address. The seat's `unreachable` tells you whether emails bounce.
        Anything that looks like a link is removed from the title and names in the email.
        """
        who = caller("games:write")
        email, companion = wanted.pop("email", None), wanted.pop("companion", None)
        guest = email or companion
        if not guest or (companion and (email or wanted["greeting"])):
            raise BadField(
                "email", noted("Send exactly one of email and companion, and a greeting only with an email.")
            )
        return once(who, game_id, lambda: ({"seat": invite(game_id, who.player_id, guest, **wanted)}, 201))


@blp.route("/games/<uuid:game_id>/invitations/<int(max=254):seat>")
class OneInvitation(MethodView):
    @blp.response(204)
    @blp.doc(operationId="withdrawInvitation", **needs("games:write"))
    @blp.raises(NotHost, NotRunning)
    def delete(self, game_id: UUID, seat: int) -> None:
        """Withdraw or decline an invitation

        The host can withdraw any invitation, and invited players can decline their own. The seat becomes open again. An
        invitation email that is still queued won't be sent. If it was already sent, its link opens a page that says the
        invitation is no longer valid.
        """
        withdraw_invitation(game_id, caller("games:write").player_id, seat)


@blp.route("/games/<uuid:game_id>/votes")
class Votes(MethodView):
    @blp.arguments(schemas.VoteRequest, example=examples.VOTE)
    @blp.response(200, schemas.Votes, example=examples.VOTES)
    @blp.doc(operationId="vote", **needs("games:write"))
    @blp.idempotent
    @blp.raises(NotSeated, NotRunning, HandedOver, TooLate)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Vote on a proposal

        Proposals are to pause, resume or abandon the game, to take back a move, and to offer seats. A proposal passes
        when all active players consent, that is, those whose seats are not played by a bot. Set `vote` to `false` to
        withdraw your consent or, if you haven't consented, to refuse for now. The player who made the proposal is
        notified of a refusal. The proposal stays open, and you can still consent.

        While all active players consent to `offer`, anyone can take over a seat that a bot plays. A take-back vote ends
        at its `ends_at` or with the next move.
        """
        who = caller("games:write")

        def voted() -> tuple[Any, int]:
            vote(game_id, who.player_id, wanted["on"], wanted["vote"])
            return _votes_seen(load_visible(game_id, who.player_id), who.player_id), 200

        return once(who, game_id, voted)

    @blp.arguments(schemas.InvitationQuery, location="query")
    @blp.response(200, schemas.Votes, example=examples.VOTES)
    @blp.doc(operationId="getVotes", **takes("games:read"))
    def get(self, query: Any, game_id: UUID) -> Any:
        """List the current votes

        Returns, for each proposal, the seats whose players consent, and those whose players refuse.
        """
        who = viewer("games:read")
        return _votes_seen(load_visible(game_id, who, query.get("invitation")), who)


def _votes_seen(game: Game, player_id: UUID | None) -> Json:
    """Return the current votes and refusals, with what the take-back would undo."""
    votes = votes_of(game.game_id)
    asked = votes["take-back"]
    return votes | {"take-back": asked and _with_undone(game, player_id, asked), "refusals": refusals_of(game)}


def _with_undone(game: Game, player_id: UUID | None, back: Json) -> Json:
    seat = game.seat_of(player_id) if player_id else None
    undoes = [] if back["to"] is None else would_undo(game, seat, back["to"], spoken().locale)
    return back | {"undoes": undoes}


_TAKE_BACK = either("TakeBackResult", "Result of a take-back request", "TakenBack", "TakeBackAsked")


@blp.route("/games/<uuid:game_id>/take-backs")
class TakeBacks(MethodView):
    @blp.arguments(schemas.TakeBackRequest, example=examples.TAKE_BACK)
    @blp.response(201, _TAKE_BACK, example=examples.TAKEN_BACK)
    @blp.alt_response(
        202,
        schema=_TAKE_BACK,
        description="Accepted. The move is taken back if all active players consent.",
        example=examples.TAKE_BACK_ASKED,
    )
    @blp.doc(operationId="takeBack", **needs("games:write"))
    @blp.idempotent
    @blp.raises(NotSeated, NotRunning, HandedOver, NotAllowed, TooLate)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Take back a move

        Takes back the move that you made after version `to`, and everything that followed. The move is taken back
        immediately if no other player has moved since, the move revealed nothing to you, and the turn has time left.
        The clock of that turn then continues.

        Otherwise the other players vote, if the game's option `take_back` allows it. Events are never deleted: the log
        records the take-back. If the move is played again, its random results are the same. A turn that begins again
        gets a new number.
        """
        who = caller("games:write")

        def taken_back() -> tuple[Any, int]:
            answer, is_done = take_back(game_id, who.player_id, wanted["to"])
            if is_done:
                return answer, 201
            vote = _with_undone(load_visible(game_id, who.player_id), who.player_id, answer["vote"])
            return answer | {"vote": vote}, 202

        return once(who, game_id, taken_back)

    @blp.response(200, schemas.WayBack, example=examples.WAY_BACK)
    @blp.doc(operationId="getWayBack", **needs("games:read"))
    @blp.raises(NotSeated)
    def get(self, game_id: UUID) -> Any:
        """Check whether you can take back a move

        Returns the move, the version that the game would return to, and whether the take-back needs the consent of the
        other players.
        """
        who = caller("games:read").player_id
        game, way = load_visible(game_id, who), way_back_of(game_id, who)
        move = None if way["to"] is None else game.table.rules.move_to_json(played_after(game, way["to"]))
        return _with_undone(game, who, way | {"move": move})


@blp.route("/games/<uuid:game_id>/messages")
class Messages(MethodView):
    @blp.arguments(schemas.MessageRequest, example=examples.MESSAGE)
    @blp.response(201, schemas.Message, example=examples.MESSAGE_SAID)
    @blp.doc(operationId="say", **needs("chat:write", of_seat=True))
    @blp.idempotent
    @blp.raises(NotSeated, BadField)
    def post(self, wanted: Any, game_id: UUID) -> Any:
        """Send a message to your table"""
        who = caller("chat:write", game_id)
        return once(who, game_id, lambda: (say(game_id, who.player_id, wanted["text"]), 201))

    @blp.arguments(schemas.MessagesQuery, location="query")
    @blp.response(200, schemas.Messages, example=examples.MESSAGES, headers=NEXT_PAGE)
    @blp.doc(operationId="getMessages", **takes("games:read", of_seat=True))
    @blp.raises(PlaceAhead)
    def get(self, query: Any, game_id: UUID) -> Any:
        """List a table's messages

        Returns the messages after number `after`, oldest first.
        """
        who = viewer("games:read", game_id)
        load_visible(game_id, who, query.get("invitation"))
        limit = query["limit"]
        found = messages(game_id, query["after"], limit + 1, who)
        if not found:
            expect_reached(query["after"], last_message(game_id))
        return page_of(found[:limit], {"after": found[limit - 1]["nr"]} if len(found) > limit else None)


@blp.route("/games/<uuid:game_id>/events")
class Events(MethodView):
    @blp.arguments(schemas.StoryQuery, location="query")
    @blp.response(
        200, schemas.Story, examples=examples.of_both(examples.STORY, examples.STORY_IN_STEPS), headers=NEXT_PAGE
    )
    @blp.doc(operationId="getEvents", **takes("games:read", of_seat=True))
    @blp.raises(PlaceAhead)
    def get(self, query: Any, game_id: UUID) -> Any:
        """List a game's events

        Returns the events after an event or a version, as you were allowed to see them at the time. With `limit`,
        `next` leads to the next page. A page may have fewer events than `limit`, since some events are hidden from you.
        """
        player_id = viewer("games:read", game_id)
        game = load_visible(game_id, player_id, query.get("invitation"))
        seat = game.seat_of(player_id)
        expect_reached(query["after"], game.table.seq)
        expect_reached(query["since_version"], game.table.version)
        after, limit = max(query["after"], views.last_event_of(game, query["since_version"])), query.get("limit")
        story = views.story(game, seat, after, limit, player_id)
        if "words" in query:
            story = [
                item | {"words": sentence(item, game.names, query["words"], rules_name=game.head.rules)}
                for item in story
            ]
        more = limit is not None and after + limit < game.table.seq
        return page_of(story, {"after": after + limit} if more else None)


@blp.route("/archives")
class Archives(MethodView):
    @blp.arguments(schemas.ArchivesQuery, location="query")
    @blp.response(200, _SHARED_GAMES, content_type=NDJSON, headers=NEXT_PAGE)
    @blp.doc(operationId="getArchives", **ANYBODY)
    @blp.raises(BadField)
    def get(self, query: Any) -> Any:
        """Download finished games

        Returns one JSON object per line, in the order in which the games ended. Includes all public games whose players
        have agreed to share them (`shares_games` in the profile). `players` contains pseudonyms.

        `Link` points to the next page. The last page has no `Link`. To get later games, send another request with
        `since` set to the last `ended_at`, and skip the games you already have.
        """
        spend(LONG)
        found, place = shared_games(query.get("since"), read_cursor(query.get("cursor")), query["limit"])
        body = b"".join(as_json(it._asdict(), orjson.OPT_APPEND_NEWLINE) for it in found)
        _, _, headers = (None, None, {}) if place is None else page_of([], {"cursor": cursor_of(*place)})
        return Response(body, mimetype=NDJSON, headers=headers)


@blp.route("/games/<uuid:game_id>/archive")
class ArchiveOf(MethodView):
    @blp.arguments(schemas.InvitationQuery, location="query")
    @blp.response(200, schemas.Archive, example=examples.ARCHIVE)
    @blp.doc(operationId="getArchive", **takes("games:read", of_seat=True))
    def get(self, query: Any, game_id: UUID) -> Any:
        """Download a finished game

        Returns the seed, the salts and all events, so that you can [check that the game was fair](/docs/fairness).
        """
        player_id = viewer("games:read", game_id)
        spend(LONG)
        return jsonify(archive_of(game_id, player_id, query.get("invitation")))
