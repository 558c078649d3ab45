"""The table as plain text, for mails and for those who have them read aloud: a line per fact, at most 72 columns."""

from collections.abc import Sequence

from server.render.games import FINAL_TABLES, TABLES
from server.render.text_layout import WIDTH
from server.rules import Json
from server.translations import language

__all__ = ["WIDTH", "final_table", "table"]


def table(rules_name: str, view: Json, names: Sequence[str], locale: str = "en") -> str:
    """What this view shows of the table; `names` by seat, `locale` one of de, en, fr, it."""
    return TABLES[rules_name](view, names, locale)


def final_table(rules_name: str, view: Json, story: Sequence[Json], names: Sequence[str], locale: str) -> str:
    """The same for a game that is over, of which `story` is all that this viewer saw happen."""
    final = FINAL_TABLES.get(rules_name)
    return final(view, story, names, language(locale)) if final else table(rules_name, view, names, locale)
