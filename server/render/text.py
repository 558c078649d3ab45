"""The table as plain text, for mails and for those who have them read aloud: a line per fact, at most 72 columns."""

from collections.abc import Sequence

from server.render.games import TABLES
from server.render.text_layout import WIDTH
from server.rules import Json

__all__ = ["WIDTH", "table"]


def table(rules_name: str, view: Json, names: Sequence[str], locale: str = "en") -> str:
    """What this view shows of the table; `names` by seat, `locale` one of de, en, fr, it."""
    return TABLES[rules_name](view, names, locale)
