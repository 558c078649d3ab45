"""What each game brings to this room, by its name; a further game adds a folder and a line to each table."""

from collections.abc import Callable, Mapping, Sequence

from server.render.picture_parts import Picture, Theme
from server.render.sternenglanz import picture as sternenglanz_picture
from server.render.sternenglanz import sentences as sternenglanz_sentences
from server.render.sternenglanz import table as sternenglanz_table
from server.render.sternenhimmel import ending as sternenhimmel_ending
from server.render.sternenhimmel import picture as sternenhimmel_picture
from server.render.sternenhimmel import sentences as sternenhimmel_sentences
from server.render.sternenhimmel import table as sternenhimmel_table
from server.rules import Json
from server.translations import Language

PICTURES: Mapping[str, Callable[[Json, Sequence[str], Theme, str], Picture]] = {
    "sternenhimmel": sternenhimmel_picture.draw,
    "sternenglanz": sternenglanz_picture.draw,
}
TABLES: Mapping[str, Callable[[Json, Sequence[str], str], str]] = {
    "sternenhimmel": sternenhimmel_table.table,
    "sternenglanz": sternenglanz_table.table,
}
# of games whose table is bare at the end: what it shows then, and tells
FINAL_VIEWS: Mapping[str, Callable[[Json, Sequence[Json]], Json]] = {"sternenhimmel": sternenhimmel_ending.skies}
FINAL_TABLES: Mapping[str, Callable[[Json, Sequence[Json], Sequence[str], Language], str]] = {
    "sternenhimmel": sternenhimmel_ending.told,
}
NOTATIONS: Mapping[str, Callable[[Language], str]] = {
    "sternenhimmel": sternenhimmel_sentences.notation,
    "sternenglanz": sternenglanz_sentences.notation,
}
# types of events are words of one game only
SENTENCES: Mapping[str, Callable[[Json, Sequence[str], Language], str]] = {
    **sternenhimmel_sentences.SENTENCES,
    **sternenglanz_sentences.SENTENCES,
}
