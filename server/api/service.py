"""The service itself: its version, status and announcements."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

import psycopg
import sqlalchemy.exc
from flask.views import MethodView

from server.accounts.closing import closed
from server.api.openapi import examples, schemas
from server.api.openapi.document import ANYBODY, Blueprint
from server.play.talk.motd import notice_in
from server.store.announcements import announced_lately

blp = Blueprint("service", __name__, url_prefix="/v1", description="Server version and status")
_VERSION = version("sternenpost")  # reading the package metadata is slow


@blp.route("")
class Service(MethodView):
    @blp.response(200, schemas.Service, example=examples.SERVICE)
    @blp.doc(operationId="getService", **ANYBODY)
    def get(self) -> Any:
        """Get the server's version and status

        Returns the operators' current message and what they have temporarily closed. `version` is the version of this
        document and of the guarantees in `CHANGELOG.md`.
        """
        rows = _announced()
        return {"name": "Sternenpost", "version": _VERSION, "message": notice_in(rows), "closed": list(closed(rows))}


def _announced() -> Mapping[str, str]:
    """Return the announcements, or none while the database is down."""
    try:
        return announced_lately()
    except (psycopg.Error, sqlalchemy.exc.SQLAlchemyError):
        return {}
