"""Other players: track records, blocks, reports and private notes."""

from typing import Any
from uuid import UUID

from flask.views import MethodView

from server.accounts.blocks import block, blocked_by, report, unblock
from server.api.auth import caller, viewer
from server.api.openapi import examples, schemas
from server.api.openapi.document import Blueprint, needs, takes
from server.api.paging import NEXT_PAGE, cursor_of, page_of, read_cursor
from server.errors import BadField
from server.play.seating.lobby import companions, games_of
from server.play.seating.track_record import track_record
from server.play.talk.notes import keep_note, note_of

blp = Blueprint(
    "people", __name__, url_prefix="/v1", description="Other players: track records, blocks, reports and notes"
)


@blp.route("/players/<uuid:player_id>")
class OnePlayer(MethodView):
    @blp.response(200, schemas.TrackRecord, example=examples.TRACK_RECORD)
    @blp.doc(operationId="getPlayer", **takes("games:read"))
    def get(self, player_id: UUID) -> Any:
        """Get a player's track record

        Computed from the logs of the player's games. Never includes an address, time zone or calendar.
        """
        viewer("games:read")
        return track_record(player_id)


@blp.route("/players/<uuid:player_id>/games")
class GamesOfPlayer(MethodView):
    @blp.arguments(schemas.PlayerGamesQuery, location="query")
    @blp.response(200, schemas.PlayerGamesPage, example=examples.PLAYER_GAMES_PAGE, headers=NEXT_PAGE)
    @blp.doc(operationId="listPlayerGames", **takes("games:read"))
    @blp.raises(BadField)
    def get(self, query: Any, player_id: UUID) -> Any:
        """List a player's games

        Returns public games, newest first. You get only finished games if you send no token, if you blocked the player,
        or if they blocked you. `together` returns the games in which both of you have a seat, including private ones.

        Abandoned games and games whose players are still anonymous are left out.
        """
        who = caller("games:read").player_id if query["together"] else viewer("games:read")
        page = games_of(player_id, who, **query | {"cursor": read_cursor(query.get("cursor"))})
        return page_of(page.items, page.next and {"cursor": cursor_of(*page.next)})


@blp.route("/players/<uuid:player_id>/block")
class BlockOf(MethodView):
    @blp.response(204)
    @blp.doc(operationId="blockPlayer", **needs("profile:write"))
    @blp.raises(BadField)
    def post(self, player_id: UUID) -> None:
        """Block a player

        You and this player can no longer join the same table, and you stop receiving their invitations. Tables you
        already share continue. The player is not notified.
        """
        block(caller("profile:write").player_id, player_id)

    @blp.response(204)
    @blp.doc(operationId="unblockPlayer", **needs("profile:write"))
    def delete(self, player_id: UUID) -> None:
        """Unblock a player"""
        unblock(caller("profile:write").player_id, player_id)


@blp.route("/me/blocks")
class Blocks(MethodView):
    @blp.response(200, schemas.Blocks, example=examples.BLOCKS)
    @blp.doc(operationId="listBlocks", **needs("profile:read"))
    def get(self) -> Any:
        """List the players you've blocked

        Returns the most recently blocked player first.
        """
        return {"items": blocked_by(caller("profile:read").player_id)}


@blp.route("/me/companions")
class Companions(MethodView):
    @blp.response(200, schemas.Companions, example=examples.COMPANIONS)
    @blp.doc(operationId="listCompanions", **needs("games:read"))
    def get(self) -> Any:
        """List the players you've shared a table with

        Returns the people in your latest 100 games, except those you've blocked. You can invite them to a new game
        without their address.
        """
        return {"items": companions(caller("games:read").player_id)}


@blp.route("/players/<uuid:player_id>/report")
class ReportOf(MethodView):
    @blp.arguments(schemas.ReportRequest, example=examples.REPORT)
    @blp.response(204)
    @blp.doc(operationId="reportPlayer", **needs("profile:write"))
    @blp.raises(BadField)
    def post(self, wanted: Any, player_id: UUID) -> None:
        """Report a player to the operators

        The player is not notified.
        """
        report(caller("profile:write").player_id, player_id, wanted["text"], wanted["game"])


@blp.route("/games/<uuid:game_id>/note")
class NoteOn(MethodView):
    @blp.response(200, schemas.Note, example=examples.NOTE)
    @blp.doc(operationId="getNote", **needs("games:read"))
    def get(self, game_id: UUID) -> Any:
        """Get your note on a game

        Also returns whether you have muted the table's messages. Only you can see the note.
        """
        return note_of(game_id, caller("games:read").player_id)

    @blp.arguments(schemas.NoteChanges, required=False, example=examples.NOTE)
    @blp.response(200, schemas.Note, example=examples.NOTE)
    @blp.doc(operationId="keepNote", **needs("games:write"))
    def put(self, changes: Any, game_id: UUID) -> Any:
        """Update your note on a game

        Set `muted` to stop notifications about messages at this table. Fields that you leave out stay unchanged.
        """
        return keep_note(game_id, caller("games:write").player_id, changes)
