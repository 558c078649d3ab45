"""A cache of recently used tables. Each table can be recomputed from the log."""

from collections import OrderedDict
from threading import Lock
from uuid import UUID

from server.play.table import Table

_RECENT = 1000


class TableCache:
    """The tables that this process has used most recently."""

    def __init__(self) -> None:
        self._tables: OrderedDict[UUID, Table] = OrderedDict()
        self._lock = Lock()

    def get(self, game_id: UUID) -> Table | None:
        with self._lock:
            if game_id in self._tables:
                self._tables.move_to_end(game_id)
            return self._tables.get(game_id)

    def put(self, game_id: UUID, table: Table) -> None:
        with self._lock:
            known = self._tables.get(game_id)
            if known is None or known.version < table.version:
                self._tables[game_id] = table
            self._tables.move_to_end(game_id)
            if len(self._tables) > _RECENT:
                self._tables.popitem(last=False)

    def forget(self, game_id: UUID) -> None:
        with self._lock:
            self._tables.pop(game_id, None)


tables = TableCache()
