"""A third game with rules alone: Sternenhimmel under another name, without its words, pictures and judge."""

from typing import Any

from server.games import Game, sternenhimmel

globals().update({name: getattr(sternenhimmel, name) for name in vars(Game) if not name.startswith("_")})
NAME = "herbsthimmel"


def describe() -> dict[str, Any]:
    return {**sternenhimmel.describe(), "name": NAME}
