"""Pages of lists, newest items first."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from server.store.rows import Json

Cursor = tuple[datetime, UUID]  # time and id of the last item on a page


class Page(NamedTuple):
    """A page of a list, and the cursor of the next page, if there is one."""

    items: list[Json]
    next: Cursor | None
