"""The installed games: packages with an entry point in the group `sternenpost.games`."""

from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib.metadata import entry_points

from server.games.contract import Rules

GROUP = "sternenpost.games"


class Registry(Mapping[str, Rules]):
    """The installed games by name, loaded at first use. Games for the most players come first."""

    @cached_property
    def _games(self) -> dict[str, Rules]:
        games: list[Rules] = [entry_point.load() for entry_point in entry_points(group=GROUP)]
        games.sort(key=lambda game: (-game.SEATS.stop, game.NAME))
        return {game.NAME: game for game in games}

    def __getitem__(self, name: str) -> Rules:
        return self._games[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._games)

    def __len__(self) -> int:
        return len(self._games)


GAMES = Registry()
