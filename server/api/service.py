"""The service itself: what it is, and what its operators have to tell."""

from importlib.metadata import version
from typing import Any

from flask.views import MethodView

from server import play
from server.api import examples, schemas
from server.api.document import ANYBODY, Blueprint

blp = Blueprint("service", __name__, url_prefix="/v1", description="The service itself")


@blp.route("")
class Service(MethodView):
    @blp.response(200, schemas.Service, example=examples.SERVICE)
    @blp.doc(operationId="getService", **ANYBODY)
    def get(self) -> Any:
        """What this service is, and what its operators tell everybody"""
        return {"name": "Sternenpost", "version": version("sternenpost"), "message": play.notice()}
