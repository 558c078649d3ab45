"""The table as a picture, as this viewer sees it."""

from typing import Any
from uuid import UUID

from flask import Response
from flask.views import MethodView
from marshmallow import fields, validate

from server import play
from server.api import schemas
from server.api.auth import viewer
from server.api.document import Blueprint, takes
from server.api.languages import spoken
from server.api.limits import LONG, spend
from server.pictures.png import png
from server.pictures.svg import draw

blp = Blueprint("pictures", __name__, url_prefix="/v1/games/<uuid:game_id>", description="Pictures of the table")
_SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


class PictureQuery(schemas.AtQuery):
    theme = fields.String(load_default="dark", validate=validate.OneOf(["dark", "light"]))


@blp.route("/picture.svg")
class Svg(MethodView):
    @blp.arguments(PictureQuery, location="query")
    @blp.response(200, {"type": "string"}, content_type="image/svg+xml")
    @blp.doc(operationId="getPictureSvg", **takes("games:read", of_seat=True))
    def get(self, query: Any, game_id: UUID) -> Response:
        """The table as SVG; every board has the id `board-leo`, every space one like `leo-c`"""
        return Response(
            _drawn(query, game_id), mimetype="image/svg+xml", headers={"Content-Security-Policy": _SVG_POLICY}
        )


@blp.route("/picture.png")
class Png(MethodView):
    @blp.arguments(PictureQuery, location="query")
    @blp.response(200, {"type": "string", "contentEncoding": "binary"}, content_type="image/png")
    @blp.doc(operationId="getPicturePng", **takes("games:read", of_seat=True))
    def get(self, query: Any, game_id: UUID) -> Response:
        """The same as PNG"""
        spend(LONG)
        return Response(png(_drawn(query, game_id)), mimetype="image/png")


def _drawn(query: Any, game_id: UUID) -> str:
    player_id = viewer("games:read", game_id)
    game = play.seen_by(game_id, player_id, query.get("invitation"))
    view = play.view_of(game, game.seat_of(player_id), query.get("at"))
    return draw(game.table.rules.NAME, view, game.names, query["theme"] == "dark", spoken().locale)
