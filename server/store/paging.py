"""Pages of a list, newest first."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from server.store.rows import Json

Cursor = tuple[datetime, UUID]  # moment and id of a page's last item


class Page(NamedTuple):
    """A page of a list, with the cursor of the next page, if any."""

    items: list[Json]
    next: Cursor | None
