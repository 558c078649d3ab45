"""What happened, in words: one sentence for each item of a story."""

from collections.abc import Callable, Mapping, Sequence

from server.rules import Json
from server.rules.sternenhimmel import BOARDS

HIDDEN = "a hidden star"
STARS = {"B": "a black hole", "D": "a double star"}


def sentence(item: Json, names: Sequence[str]) -> str | None:
    """The item as a sentence, or None where there is nothing worth telling; `names` by seat."""
    telling = SENTENCES.get(item["type"])
    return telling and telling(item, names)


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


def _game_ended(item: Json, names: Sequence[str]) -> str:
    winners = [name for name, place in zip(names, item["places"], strict=True) if place == 1]
    return f"The game is over: {' and '.join(winners)} won with {max(item['scores'])}."


SENTENCES: Mapping[str, Callable[[Json, Sequence[str]], str]] = {
    "game-started": lambda item, names: "The game began.",
    "board-dealt": lambda item, names: f"{BOARDS[item['board']].names['en']} ({item['board']}) came into play.",
    "star-placed": _star_placed,
    "board-scored": _board_scored,
    "seat-skipped": lambda item, names: f"{names[item['seat']]} had no star in hand and was skipped.",
    "time-extended": lambda item, names: f"{names[item['seat']]} got more time.",
    "time-ran-out": lambda item, names: (
        f"{names[item['seat']]} ran out of time" + (f"; the bot {item['bot']} moved instead." if item["bot"] else ".")
    ),
    "seat-handed-over": lambda item, names: f"The bot {item['bot']} plays for {names[item['seat']]} now.",
    "seat-taken-back": lambda item, names: f"{names[item['seat']]} is back.",
    "game-paused": lambda item, names: "The game was paused.",
    "game-resumed": lambda item, names: "The game went on.",
    "game-ended": _game_ended,
    "game-abandoned": lambda item, names: "The game was abandoned.",
}
