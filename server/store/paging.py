"""Lists in pages, the newest first."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from server.store.rows import Json

Cursor = tuple[datetime, UUID]  # the moment and the id of the last item of a page


class Page(NamedTuple):
    """Some of a list, and where the next page begins if there is more."""

    items: list[Json]
    next: Cursor | None
