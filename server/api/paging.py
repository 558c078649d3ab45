"""Pagination of lists: cursors, and the URL of the next page."""

import base64
import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import urlencode
from uuid import UUID

from flask import request

from server.errors import BadField

NEXT_PAGE = {"Link": {"description": 'URL of the next page, with `rel="next"`', "schema": {"type": "string"}}}


def page_of(items: Any, following: dict[str, Any] | None) -> Any:
    """Return a page of a list. `following` has the query parameters of the next page, or is None on the last page."""
    if following is None:
        return {"items": items, "next": None}
    address = f"{request.path}?{urlencode(request.args.to_dict() | following)}"
    return {"items": items, "next": address}, 200, {"Link": f'<{address}>; rel="next"'}


def cursor_of(at: datetime, id_: UUID) -> str:
    """Return the cursor after this item, in a list ordered by time and id."""
    return base64.urlsafe_b64encode(json.dumps([at.isoformat(), id_.hex]).encode()).decode()


def read_cursor(text: str | None) -> tuple[datetime, UUID] | None:
    """Return the position of a cursor, or None for the start of the list. Raise BadField for an invalid cursor."""
    if not text:
        return None
    try:
        at, id_ = json.loads(base64.urlsafe_b64decode(text))
        moment = datetime.fromisoformat(at)
        if moment.tzinfo is None:
            raise ValueError
        return moment.astimezone(UTC), UUID(id_)
    except (ValueError, TypeError, AttributeError, OverflowError, RecursionError):
        raise BadField("cursor", "This cursor is invalid.") from None
