"""What happened in a game of Sternenhimmel, in words."""

from collections.abc import Callable, Mapping, Sequence

from server.rules import Json
from server.rules.sternenhimmel import BOARDS

HIDDEN = "a hidden star"
STARS = {"B": "a black hole", "D": "a double star"}


def _star_placed(item: Json, names: Sequence[str]) -> str:
    star = HIDDEN if item["star"] is None else STARS.get(item["star"], f"a {item['star']}")
    return f"{names[item['seat']]} put {star} on {item['board']} {item['space']}."


def _board_scored(item: Json, names: Sequence[str]) -> str:
    totals = [
        f"{names[seat]} {total}" + (f" ({_signed(paid)} coins)" if paid else "")
        for seat, (total, paid) in enumerate(zip(item["totals"], item["payouts"], strict=True))
        if total is not None
    ]
    return f"{BOARDS[item['board']].names['en']} was full and scored: {', '.join(totals) or 'no star was left'}."


def _signed(coins: int) -> str:
    return f"{coins:+d}"


SENTENCES: Mapping[str, Callable[[Json, Sequence[str]], str]] = {
    "board-dealt": lambda item, names: f"{BOARDS[item['board']].names['en']} ({item['board']}) came into play.",
    "star-placed": _star_placed,
    "board-scored": _board_scored,
    "seat-skipped": lambda item, names: f"{names[item['seat']]} had no star in hand and was skipped.",
}
