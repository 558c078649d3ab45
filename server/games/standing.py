"""The events of a story that still stand."""

from collections.abc import Sequence

from server.games.contract import Json


def standing(story: Sequence[Json]) -> list[Json]:
    """Return the events of a story that were not taken back, without the take-backs."""
    return [it for it in without_undone(story) if it["type"] != "move-taken-back"]


def without_undone(story: Sequence[Json]) -> list[Json]:
    """Return the events of a story that were not taken back, and the take-backs."""
    found = list[Json]()
    for it in story:
        if it["type"] == "move-taken-back":
            found = [earlier for earlier in found if earlier["version"] <= it["to"]]
        found.append(it)
    return found
