"""The table as a picture, drawn from a view: it shows what the viewer may see and nothing else.

Every space on which something can be laid is a group with an id of its own, so that a front end can make it clickable.
Names are text of players and are escaped; there is no script and no foreign reference.
"""

from collections.abc import Sequence

from server.render.games import FINAL_VIEWS, PICTURES
from server.render.picture_parts import DARK, LIGHT, Picture
from server.rules import Json


def draw(rules_name: str, view: Json, names: Sequence[str], dark: bool = True, locale: str = "en") -> Picture:
    """The table as this view shows it; `names` by seat. The same view makes the same picture."""
    return PICTURES[rules_name](view, names, DARK if dark else LIGHT, locale)


def draw_end(rules_name: str, view: Json, story: Sequence[Json], names: Sequence[str], locale: str) -> Picture:
    """The same for a game that is over, of which `story` is all that this viewer saw happen."""
    final = FINAL_VIEWS.get(rules_name)
    return draw(rules_name, final(view, story) if final else view, names, locale=locale)
