"""What happened, in words: one sentence for each item of a story."""

from collections.abc import Callable, Mapping, Sequence

from server.pictures import games
from server.rules import Json


def sentence(item: Json, names: Sequence[str]) -> str | None:
    """The item as a sentence, or None where there is nothing worth telling; `names` by seat."""
    telling = SENTENCES.get(item["type"])
    return telling and telling(item, names)


def _game_ended(item: Json, names: Sequence[str]) -> str:
    winners = [name for name, place in zip(names, item["places"], strict=True) if place == 1]
    return f"The game is over: {' and '.join(winners)} won with {max(item['scores'])}."


SENTENCES: Mapping[str, Callable[[Json, Sequence[str]], str]] = {
    **games.SENTENCES,
    "game-started": lambda item, names: "The game began.",
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
