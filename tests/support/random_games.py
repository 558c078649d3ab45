"""Random games for tests of archives, with every feature of the server."""

from functools import cache
from random import Random
from typing import Any
from unittest.mock import patch
from uuid import UUID

from flask import Flask

from server.clock import NOTHING, clock
from server.games import GAMES, Json
from server.operations.archives import archive_of
from server.play.commits import load
from server.play.game import Game
from server.play.moves import play_move
from server.play.seating import games
from server.play.seating.games import open_game
from server.play.seating.seats import SeatClaim, leave, take_seat
from server.play.turns import bot_moves
from server.play.views import describe
from server.play.votes import take_back, vote, votes_of
from tests.support.games import BOT, DAY, OPEN, everything_due_happens, later, moves_of, person, service_is_up, turn_of

Seen = dict[tuple[int, int | None], Json]


class Table:
    """A game of players who move at random, followed by bots. It stores the views of seats and spectators."""

    def __init__(self, people: dict[str, str], bots: int = 0, rules: str = "sternenhimmel", **wanted: Any) -> None:
        """Create a table for `people`, their salts by name."""
        self.people = [person(name) for name in people]
        self.rng = Random(len(people))
        self.seen: Seen = {}  # by version and viewer
        seats = [*[OPEN] * len(people), *[BOT] * bots]
        self.game_id = open_game(person("host"), {"rules": rules, "seats": seats, **wanted}).game_id
        for who, salt in zip(self.people, people.values(), strict=True):
            take_seat(self.game_id, who, SeatClaim(salt=salt))

    @property
    def game(self) -> Game:
        return load(self.game_id)

    @property
    def viewers(self) -> list[int | None]:
        return [*range(len(self.game.seats)), None]

    def player_on_turn(self) -> UUID | None:
        """Return the player on turn after the bots have moved."""
        everything_due_happens()
        game = self.game
        for seat in self.viewers:
            self.seen.setdefault((game.table.version, seat), describe(game, seat))
        if game.table.status == "running":
            for seat, who in enumerate(self.people):
                if game.table.turns[seat] is not None and not game.bot_at(seat):
                    return who
        return None

    def move(self) -> None:
        who = self.player_on_turn()
        assert who is not None
        turn = turn_of(self.game_id, who)
        assert turn is not None
        play_move(self.game_id, who, turn, self.rng.choice(moves_of(self.game_id, who)))

    def move_until(self, who: UUID) -> None:
        while self.player_on_turn() != who:
            self.move()

    def agree(self, wish: str) -> None:
        for who in self.people:
            vote(self.game_id, who, wish, True)

    def take_back(self, after: int) -> None:
        who = self.player_on_turn()
        assert who is not None
        to = self.game.version
        for _ in range(1 + after):
            self.move()
        if not take_back(self.game_id, who, to).is_done:
            for other in self.people:
                if votes_of(self.game_id)["take-back"]:
                    vote(self.game_id, other, "take-back", True)

    def play_on(self) -> None:
        while self.player_on_turn() is not None:
            self.move()


# Long enough for most features, without taking hours.
LONG: dict[str, Json] = {
    "sternenhimmel": {"edition": "sargon-it", "start_player": "chosen", "start_seat": 0},
    "sternenglanz": {"scenario": 4, "start_seat": 0, "max_rounds": 9},
}
OF_BOTS: dict[str, Json] = {
    "sternenhimmel": {"edition": "goldsieber-en"},
    "sternenglanz": {"scenario": 1, "supernovaRecycle": "box"},
}


def long_night(rules: str) -> Table:
    """Play with every feature: extensions, bots that help out and take over, leaving and returning players, a
    pause, take-backs."""
    salts = {"ada": "", "bea": "Grüße, «ciel» \U0001f30c", "cyd": 'cyd\'s "salt"\n'}
    table = Table(salts, bots=1, rules=rules, options=LONG[rules])
    _, bea, cyd = table.people
    for _ in range(4):  # extended, moved for twice, handed over
        table.move_until(bea)
        later(3 * DAY)
        everything_due_happens()
    for _ in range(3):
        table.move()
    take_seat(table.game_id, bea)
    table.agree("pause")
    leave(table.game_id, bea)
    take_seat(table.game_id, bea)
    table.agree("resume")
    for _ in range(4):
        table.move()
    table.take_back(after=2)
    table.take_back(after=0)
    table.move()
    leave(table.game_id, cyd)
    table.play_on()
    return table


def short_night(rules: str = "sternenhimmel") -> Table:
    ladder = [{"do": "abandon"}]
    table = Table({"ada": "", "bea": ""}, bots=1, rules=rules, on_timeout=ladder, options={"start_seat": 0})
    table.move()
    table.move_until(table.people[1])
    later(3 * DAY)
    table.play_on()
    return table


def night_of_bots(rules: str) -> Table:
    table = Table({}, bots=max(GAMES[rules].SEATS), rules=rules, options=OF_BOTS[rules])
    table.play_on()
    return table


@cache
def archives(app: Flask) -> dict[str, Json]:
    """Return the archives of three such nights with each game, by game and night."""
    chance = Random(1)  # for dice and bots alike, so that each run is the same
    with (
        app.app_context(),
        patch.object(games.secrets, "token_bytes", chance.randbytes),
        patch.object(bot_moves.random, "SystemRandom", lambda: chance),
    ):
        service_is_up()
        nights = {"long": long_night, "short": short_night, "of bots": night_of_bots}
        tables = {f"{rules} {name}": night(rules) for rules in GAMES for name, night in nights.items()}
        clock.offset = NOTHING
        return {name: archive_of(table.game_id, None) for name, table in tables.items()}
