"""Pictures of the table, as this viewer sees it."""

from threading import Lock
from typing import Any, NamedTuple
from uuid import UUID

from cachetools import LRUCache, cached
from flask import Response
from flask.views import MethodView
from marshmallow import fields, validate

from server.api.auth import viewer
from server.api.languages import spoken
from server.api.openapi import schemas
from server.api.openapi.document import Blueprint, takes
from server.api.rate_limits import LONG, spend
from server.api.reading import QueryTruth
from server.games.presentation import draw, draw_thumbnail, with_result
from server.play.views import fullest_version, load_visible, view_of
from server.render.png import png

blp = Blueprint("pictures", __name__, url_prefix="/v1/games/<uuid:game_id>", description="Pictures of the table")
_SVG_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"


class _Look(NamedTuple):
    """Everything on which a picture depends."""

    game_id: UUID
    version: int
    seat: int | None
    names: tuple[str | None, ...]
    theme: str
    locale: str
    is_small: bool
    has_result: bool
    form: str


kept: LRUCache[_Look, bytes] = LRUCache(8 * 2**20, len)  # cached pictures, up to 8 MiB
fullest: LRUCache[tuple[UUID, int], int] = LRUCache(4096)  # the fullest version, by game and current version
_lock = Lock()
_fullest = cached(fullest, lambda game: (game.game_id, game.table.version), _lock)(fullest_version)


class PictureQuery(schemas.AtQuery):
    fullest = QueryTruth(
        load_default=False,
        metadata={
            "description": "If true, show the table when it was fullest, not at version `at`. A finished table may be empty. "
            "The scores of a finished game are the final ones."
        },
    )
    theme = fields.String(
        load_default="dark",
        validate=validate.OneOf(["dark", "light"]),
        metadata={"description": "Colors of the picture"},
    )
    thumbnail = QueryTruth(
        load_default=False,
        metadata={
            "description": "If true, draw a picture that is legible at a tenth of its size, with less in it. "
            "A game without such a picture is drawn as usual."
        },
    )


@blp.route("/picture.svg")
class Svg(MethodView):
    @blp.arguments(PictureQuery, location="query")
    @blp.response(200, {"type": "string"}, content_type="image/svg+xml")
    @blp.doc(operationId="getPictureSvg", **takes("games:read", of_seat=True))
    def get(self, query: Any, game_id: UUID) -> Response:
        """Draw the table as SVG

        Each board and space has an element id, such as `board-leo` and `leo-c`.
        """
        picture = _picture(query, game_id, "svg")
        return Response(picture, mimetype="image/svg+xml", headers={"Content-Security-Policy": _SVG_POLICY})


@blp.route("/picture.png")
class Png(MethodView):
    @blp.arguments(PictureQuery, location="query")
    @blp.response(200, {"type": "string", "contentEncoding": "binary"}, content_type="image/png")
    @blp.doc(operationId="getPicturePng", **takes("games:read", of_seat=True))
    def get(self, query: Any, game_id: UUID) -> Response:
        """Draw the table as PNG"""
        return Response(_picture(query, game_id, "png"), mimetype="image/png")


def _picture(query: Any, game_id: UUID, form: str) -> bytes:
    """Return the picture of what this viewer may see, from the cache if possible, since drawing is slow."""
    player_id = viewer("games:read", game_id)
    game = load_visible(game_id, player_id, query.get("invitation"))
    at = _fullest(game) if query["fullest"] else query.get("at", game.table.version)
    seat = game.seat_of(player_id) if at >= game.sees_since(player_id) else None
    has_result = query["fullest"] and game.table.status == "finished"
    style = query["theme"], spoken().locale, query["thumbnail"]
    look = _Look(game_id, at, seat, tuple(game.names), *style, has_result, form)
    with _lock:
        picture = kept.get(look)
    if picture is None:
        spend(LONG)
        view = view_of(game, seat, at)
        if has_result:
            final = view_of(game, game.seat_of(player_id), game.table.version)
            view = with_result(game.table.rules.NAME, view, final)
        drawing = draw_thumbnail if look.is_small else draw
        drawn = drawing(game.table.rules.NAME, view, game.names, look.theme == "dark", look.locale)
        picture = png(drawn) if form == "png" else drawn.svg().encode()
        with _lock:
            kept[look] = picture
    return picture
