"""Whom one sits with: track records, blocks and reports; and notes that are one's own."""

from typing import Any
from uuid import UUID

from flask.views import MethodView

from server.accounts.blocks import block, blocked_by, report, unblock
from server.api.auth import caller, viewer
from server.api.openapi import examples, schemas
from server.api.openapi.document import Blueprint, needs, takes
from server.errors import BadField
from server.play.notes import keep_note, note_of
from server.play.seating.track_record import track_record

blp = Blueprint("people", __name__, url_prefix="/v1", description="Others: how they play, and with whom not to")


@blp.route("/players/<uuid:player_id>")
class OnePlayer(MethodView):
    @blp.response(200, schemas.TrackRecord, example=examples.TRACK_RECORD)
    @blp.doc(operationId="getPlayer", **takes("games:read"))
    def get(self, player_id: UUID) -> Any:
        """How somebody plays, by the logs of his games that are over

        Never an address, zone or calendar.
        """
        viewer("games:read")
        return track_record(player_id)


@blp.route("/players/<uuid:player_id>/block")
class BlockOf(MethodView):
    @blp.response(204)
    @blp.doc(operationId="blockPlayer", **needs("profile:write"))
    @blp.raises(BadField)
    def post(self, player_id: UUID) -> None:
        """Have nothing to do with a player, who is not told

        Neither of you sits down where the other sits, and his invitations do not come. Tables at which you sit together already go on.
        """
        block(caller("profile:write").player_id, player_id)

    @blp.response(204)
    @blp.doc(operationId="unblockPlayer", **needs("profile:write"))
    def delete(self, player_id: UUID) -> None:
        """Block a player no more"""
        unblock(caller("profile:write").player_id, player_id)


@blp.route("/me/blocks")
class Blocks(MethodView):
    @blp.response(200, schemas.Blocks, example=examples.BLOCKS)
    @blp.doc(operationId="listBlocks", **needs("profile:read"))
    def get(self) -> Any:
        """Whom you block, the newest first"""
        return {"items": blocked_by(caller("profile:read").player_id)}


@blp.route("/players/<uuid:player_id>/report")
class ReportOf(MethodView):
    @blp.arguments(schemas.ReportRequest, example=examples.REPORT)
    @blp.response(204)
    @blp.doc(operationId="reportPlayer", **needs("profile:write"))
    @blp.raises(BadField)
    def post(self, wanted: Any, player_id: UUID) -> None:
        """Tell the operators of a player, who does not learn of it"""
        report(caller("profile:write").player_id, player_id, wanted["text"], wanted["game"])


@blp.route("/games/<uuid:game_id>/note")
class NoteOn(MethodView):
    @blp.response(200, schemas.Note, example=examples.NOTE)
    @blp.doc(operationId="getNote", **needs("games:read"))
    def get(self, game_id: UUID) -> Any:
        """Your note on a game, which nobody else sees; and whether you want to hear what is said there"""
        return note_of(game_id, caller("games:read").player_id)

    @blp.arguments(schemas.NoteChanges, required=False, example=examples.NOTE)
    @blp.response(200, schemas.Note, example=examples.NOTE)
    @blp.doc(operationId="keepNote", **needs("games:write"))
    def put(self, changes: Any, game_id: UUID) -> Any:
        """Keep a note on a game, or `muted` to hear no more of what is said there; what is not named stays"""
        return keep_note(game_id, caller("games:write").player_id, changes)
