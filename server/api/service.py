"""The service itself: what it is, and what its operators have to tell."""

from importlib.metadata import version
from typing import Any

from flask.views import MethodView

from server.api.openapi import examples, schemas
from server.api.openapi.document import ANYBODY, Blueprint
from server.operations.motd import notice

blp = Blueprint("service", __name__, url_prefix="/v1", description="The service itself")


@blp.route("")
class Service(MethodView):
    @blp.response(200, schemas.Service, example=examples.SERVICE)
    @blp.doc(operationId="getService", **ANYBODY)
    def get(self) -> Any:
        """What this service is, and what its operators tell everybody

        `version` is that of the document, and of what is promised (`CHANGELOG.md`).
        """
        return {"name": "Sternenpost", "version": version("sternenpost"), "message": notice()}
