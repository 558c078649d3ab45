"""A game is one folder: no code outside it names the game."""

import re
from pathlib import Path

import pytest

from server import games

SERVER = Path(games.__file__).parents[1]
GAME_OF = {word: name for name, game in games.GAMES.items() for word in (name, *game.EVENT_SCHEMAS)}
WORDS = re.compile("|".join(GAME_OF), re.IGNORECASE)
MAY_NAME_GAMES = (  # documentation, examples and sandbox scenes
    *("api/templates", "api/openapi/document.py", "api/openapi/examples.", "docs"),
    "api/event_streams.py",  # shows a stream
    *("cli/__init__.py", "cli/archives.py", "cli/bot.py", "sandbox.py", "translations/"),
)


def test_only_a_games_own_folder_names_the_game_and_its_events() -> None:
    named = []
    for path in SERVER.rglob("*"):
        place = str(path.relative_to(SERVER))
        if path.suffix in {".py", ".js", ".ts", ".css", ".html", ".json", ".sql"} and not place.startswith(
            MAY_NAME_GAMES
        ):
            game = re.match(r"games/([a-z]+)/", place)
            text = path.read_text("utf-8")
            words = set(map(str.lower, WORDS.findall(text)))
            named += [(place, word) for word in words if not game or game[1] != GAME_OF[word]]
    assert named == []


@pytest.mark.parametrize("name", games.GAMES)
def test_all_games_have_the_same_files(name: str) -> None:
    folder = SERVER / "games" / name
    for file in ("rules", "options", "views", "notation", "judge", "sentences", "table", "picture", "refusals"):
        assert (folder / f"{file}.py").is_file(), file
    assert (folder / "page" / f"{name}.js").is_file()
