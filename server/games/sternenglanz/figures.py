"""A search for a Sternbild on the Firmament (R8.1).

A figure is placed node by node, each on a field joined to the fields of earlier nodes. The rarest star comes first, so
that most boards are rejected at once. Sets of fields are stored as bits, so that a step takes only a few operations.
"""

from collections.abc import Iterator, Mapping
from functools import cache
from typing import NamedTuple

from server.games.sternenglanz.material import (
    ALL_FIELDS,
    FIELD_AT,
    GAP,
    LEUCHT,
    PRACHT,
    PUNKT,
    STARS,
    Fields,
    Sternbild,
    bits_of,
)
from server.games.sternenglanz.state import occupied

RARITY = {PRACHT: 0, LEUCHT: 1, PUNKT: 2, GAP: 3}


class Node(NamedTuple):
    """A node of a plan: its piece, the earlier nodes joined to it, and the earlier stars that must not be joined to it."""

    piece: str
    joined: tuple[int, ...]
    apart: tuple[int, ...]


Plan = tuple[Node, ...]


def lies_on(
    bild: Sternbild, stars: Mapping[str, Fields], induced: bool = False, touching: Fields | None = None
) -> list[str] | None:
    """Return the fields that the Sternbild covers, or None if it isn't on the Firmament.

    `induced`: stars that the figure does not join must not be joined. `touching`: the Sternbild must cover one of these
    fields.
    """
    if not stars[PRACHT]:
        return None
    lying = {**stars, GAP: ALL_FIELDS & ~occupied(stars)}
    firsts = [bild.nodes.index(PRACHT)] if touching is None else range(len(bild.nodes))
    for first in firsts:
        plan, allowed = plan_from(bild, first), ALL_FIELDS if touching is None else touching
        for placed in _ways(plan, lying, induced, allowed, ()):
            return [FIELD_AT[bit].id for bit in placed]
    return None


def placements(bild: Sternbild) -> Iterator[tuple[tuple[str, Fields], ...]]:
    """Yield every placement of the Sternbild on an empty Firmament: the nodes with their fields."""
    plan = plan_from(bild, bild.nodes.index(PRACHT))
    anywhere = dict.fromkeys(RARITY, ALL_FIELDS)
    for placed in _ways(plan, anywhere, False, ALL_FIELDS, ()):
        yield tuple((node.piece, bit) for node, bit in zip(plan, placed, strict=True))


def _ways(
    plan: Plan, lying: Mapping[str, Fields], induced: bool, allowed: Fields, placed: tuple[Fields, ...]
) -> Iterator[tuple[Fields, ...]]:
    """Yield every way to place the rest of the plan. `allowed` restricts the next node only."""
    if len(placed) == len(plan):
        yield placed
        return
    piece, joined, apart = plan[len(placed)]
    candidates = lying[piece] & allowed
    for node in joined:
        candidates &= FIELD_AT[placed[node]].near
    if induced:
        for node in apart:
            candidates &= ~FIELD_AT[placed[node]].near
    for bit in placed:
        candidates &= ~bit
    for bit in bits_of(candidates):
        yield from _ways(plan, lying, induced, ALL_FIELDS, (*placed, bit))


@cache
def plan_from(bild: Sternbild, first: int) -> Plan:
    """Return the nodes in placement order. The next node is always the one with the most edges to nodes already placed."""
    lines = {frozenset(line) for line in bild.lines}
    order = [first]
    while len(order) < len(bild.nodes):
        rest = [node for node in range(len(bild.nodes)) if node not in order]
        links = {node: sum(frozenset((node, other)) in lines for other in order) for node in rest}
        order.append(min(rest, key=lambda node: (not links[node], -links[node], RARITY[bild.nodes[node]])))
    return tuple(_node(bild, lines, order[:place], node) for place, node in enumerate(order))


def _node(bild: Sternbild, lines: set[frozenset[int]], before: list[int], node: int) -> Node:
    joined = {place for place, other in enumerate(before) if frozenset((node, other)) in lines}
    star_places = {place for place, other in enumerate(before) if bild.nodes[other] in STARS}
    apart = star_places - joined if bild.nodes[node] in STARS else set()
    return Node(bild.nodes[node], tuple(sorted(joined)), tuple(sorted(apart)))
