"""Letters per move: `python -m tests.bench.letters` simulates a thousand players for a month.

The real engines play random moves. The simulation covers when players look, where, and how long they take. The worker's
own functions decide which letters a commit causes, what still holds when they are due, and which are delayed or
combined. A second run sends each letter at once.
"""

import argparse
import heapq
import textwrap
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import count
from random import Random
from typing import Any
from uuid import UUID

from server.accounts.notice_kinds import AT_ONCE, YOUR_TURN
from server.accounts.preferences import has_chosen
from server.games import GAMES, Json, SeededDice
from server.play.events import GameStarted
from server.play.game import Game
from server.play.mail import letters
from server.play.table import Table, new_table, next_commit
from server.play.timing.seat_time import SeatTime
from server.play.timing.time_control import PerMove
from server.post.coalescing import MOST, put_off_until
from server.store.rows import SeatState
from server.store.watching import Place
from tests.support.rows import a_head, a_seat

PLAYERS, GAMES_EACH, DAYS = 1000, 5, 30
TARGET, LATEST = 0.6, timedelta(minutes=10)
BEGIN = datetime(2026, 11, 23, tzinfo=UTC)
SETTLED = 1.0  # days before counting begins

HABITS = """
A circle of friends is six people. Of five tables, a player has four within the circle and one with strangers. Tables have as many
seats as the rules allow, in turns, and two days for a move. A new game follows each. Players look at their games twice a day (four
in ten), four times (four in ten) or eight times (two in ten): about 7:30, 12:30, 17:00 and, half of the times, 20:30, give or take
an hour. One in six lives six hours west of the others. Between 7:00 and 23:00, four letters in ten make a player look, within a
quarter of an hour on average. Players then play all waiting turns but leave one in ten for the next time. A turn takes one to three
minutes. Seven in ten play on the page and stay at the table for five minutes on average, to play new turns. The others answer
letters and leave. A turn of Sternenglanz has several moves, one per step.
"""
CIRCLE, OF_FRIENDS = 6, 4
LOOKS = {2: 4, 4: 4, 8: 2}  # looks a day, and their share in tenths
HOURS = {7.5: 2, 12.5: 2, 17.0: 1, 20.5: 5}
OFF = 1.2  # hours
WEST = (6.0, 1 / 6)
DAY = (7.0, 23.0)
FOLLOWS, WITHIN = 0.4, 15  # letters, minutes
LEAVES = 0.1
THINKS = (1, 3)
BY_PAGE, STAYS = 0.7, 5
ALLOWED = timedelta(days=2)


@dataclass(eq=False)
class Person:
    player_id: UUID
    looks: int
    west: float
    by_page: bool
    tables: "list[Playing]" = field(default_factory=list)
    at: UUID | None = None  # the table that the player watches
    until: datetime = BEGIN  # when the player leaves if no turn waits
    is_here: bool = False
    left: set[tuple[UUID, int]] = field(default_factory=set)  # turns that the player leaves for the next look
    untold: dict[UUID, Json] = field(default_factory=dict)  # letters about turns, by game
    told: set[UUID] = field(default_factory=set)  # games whose current turn the player knows of


@dataclass(eq=False)
class Playing:
    name: str
    game_id: UUID
    people: list[Person]
    seats: list[SeatState]
    table: Table
    dice: SeededDice

    def game(self) -> Game:
        return Game(a_head(game_id=self.game_id, rules=self.name), self.seats, self.table)

    def seat_of(self, person: Person) -> int:
        return self.people.index(person)

    def waits_for(self, person: Person) -> bool:
        return self.table.status == "running" and self.table.turns[self.seat_of(person)] is not None


class Month:
    """A simulated month in which all players have these notification settings."""

    def __init__(self, players: int, days: int, notifications: Json) -> None:
        self.chance, self.coalesces = Random(1), not has_chosen(YOUR_TURN.name, notifications)
        self.now, self.ends = BEGIN, BEGIN + timedelta(days=days)
        self._queue: list[tuple[datetime, int, Callable[..., None], tuple[Any, ...]]] = []
        self._numbers = count()
        self.turns: Counter[str] = Counter()
        self.moves: Counter[str] = Counter()
        self.letters = defaultdict[tuple[str, str], float](
            float
        )  # by rules and kind; a letter about several tables counts in parts
        self.sizes: Counter[int] = Counter()
        self.answers = 0
        self.delays: list[timedelta] = []
        self.people = [self._person() for _ in range(players)]
        self._seat_all()

    # Players

    def _person(self) -> Person:
        chance = self.chance
        west = WEST[0] if chance.random() < WEST[1] else 0.0
        looks = chance.choices(list(LOOKS), list(LOOKS.values()))[0]
        return Person(UUID(int=chance.getrandbits(128)), looks, west, chance.random() < BY_PAGE)

    def _seat_all(self) -> None:
        circles = [self.people[at : at + CIRCLE] for at in range(0, len(self.people), CIRCLE)]
        places = {"friends": OF_FRIENDS, "all": GAMES_EACH}
        for circle in circles:
            self._tables(circle, places["friends"])
        self._tables(self.people, places["all"])

    def _tables(self, people: list[Person], most: int) -> None:
        for number in count():
            free = [it for it in people if len(it.tables) < most]
            name = list(GAMES)[number % len(GAMES)]
            seats = [it for it in GAMES[name].SEATS if it <= len(free)]
            if not seats:
                return
            self._begin_at(name, self.chance.sample(free, seats[number // len(GAMES) % len(seats)]))

    def _begin_at(self, name: str, people: list[Person]) -> None:
        rows = [a_seat(seat=seat, kind="human", player_id=it.player_id) for seat, it in enumerate(people)]
        found = Playing(name, UUID(int=0), people, rows, new_table(name), SeededDice(b"", ()))
        for it in people:
            it.tables.append(found)
        self.at(BEGIN + timedelta(hours=self.chance.uniform(*DAY)), self._begin, found)

    # Time

    def at(self, when: datetime, what: Callable[..., None], *about: Any) -> None:
        heapq.heappush(self._queue, (when, next(self._numbers), what, about))

    def in_minutes(self, minutes: float, what: Callable[..., None], *about: Any) -> None:
        self.at(self.now + timedelta(minutes=minutes), what, *about)

    def run(self) -> None:
        for person in self.people:
            for day in range((self.ends - BEGIN).days + 1):
                for _ in range(person.looks):
                    hour = self.chance.gauss(self.chance.choices(list(HOURS), list(HOURS.values()))[0], OFF)
                    self.at(BEGIN + timedelta(days=day, hours=hour + person.west), self._looks, person)
        while self._queue and self._queue[0][0] < self.ends:
            self.now, _, what, about = heapq.heappop(self._queue)
            what(*about)

    @property
    def counts(self) -> bool:
        return self.now - BEGIN > timedelta(days=SETTLED)

    # What players do

    def _looks(self, person: Person) -> None:
        if not person.is_here:
            person.is_here = True
            waiting = [it for it in person.tables if it.waits_for(person)]
            person.left = {self._turn(it, person) for it in waiting if self.chance.random() < LEAVES}
            person.until = self.now
            self._goes_on(person)

    def _turn(self, playing: Playing, person: Person) -> tuple[UUID, int]:
        turn = playing.table.turns[playing.seat_of(person)]
        assert turn is not None
        return playing.game_id, turn

    def _goes_on(self, person: Person) -> None:
        waiting = [it for it in person.tables if it.waits_for(person) and self._turn(it, person) not in person.left]
        if waiting:
            playing = min(waiting, key=lambda it: (it.game_id != person.at, it.seats[it.seat_of(person)].asked_at))
            if person.by_page:
                person.at = playing.game_id
            self.in_minutes(self.chance.uniform(*THINKS), self._plays, person, playing)
        elif person.by_page and self.now < person.until:
            self.in_minutes(0.25, self._goes_on, person)
        else:
            person.is_here, person.at = False, None

    def _plays(self, person: Person, playing: Playing) -> None:
        seat, rules = playing.seat_of(person), playing.table.rules
        if playing.waits_for(person):
            self.turns[playing.name] += self.counts
            self.answers += self.counts and not person.by_page
            while True:
                legal = rules.legal_moves(playing.table.state, seat)
                move = legal[int(self.chance.random() * len(legal))]
                self.moves[playing.name] += self.counts
                self._commit(playing, rules.decide(playing.table.state, seat, move, playing.dice))
                if not playing.waits_for(person) or not rules.is_mid_turn(playing.table.state, seat):
                    break
            if playing.table.status == "finished":
                self.in_minutes(1, self._begin, playing)
        person.until = self.now + timedelta(minutes=self.chance.expovariate(1 / STAYS))
        self._goes_on(person)

    # What the server does

    def _begin(self, playing: Playing) -> None:
        playing.game_id, playing.table = UUID(int=self.chance.getrandbits(128)), new_table(playing.name)
        playing.dice = SeededDice(playing.game_id.bytes, ())
        rules, seats = playing.table.rules, len(playing.people)
        opening = rules.setup(seats, rules.resolve_options({}, seats), playing.dice)
        self._commit(playing, [GameStarted(seats), *opening])

    def _commit(self, playing: Playing, events: Any) -> None:
        before = playing.game()
        events, playing.table = next_commit(before.table, events)
        rows = zip(before.seats, playing.table.turns, strict=True)
        playing.seats = [self._asked(playing.table, row, turn) for row, turn in rows]
        for letter in letters.after(playing.game(), events, self.now, before):
            self._posted(playing, playing.people[letter["seat"]], letter)

    def _asked(self, table: Table, row: SeatState, turn: int | None) -> SeatState:
        if row.turn == turn and table.status == "running":
            return row
        is_asked = turn is not None and table.status == "running"
        return row._replace(turn=turn, asked_at=self.now, due_at=self.now + ALLOWED if is_asked else None)

    def _posted(self, playing: Playing, person: Person, letter: Json) -> None:
        if letter["kind"] != YOUR_TURN.name:
            self._count(letter["kind"], [playing])
            return
        person.untold[playing.game_id] = letter
        person.told.discard(playing.game_id)
        self._carries(playing, person, letter)
        for moment in SeatTime(PerMove(ALLOWED)).reminders(self.now, self.now + ALLOWED):
            self.at(moment, self._reminds, playing, person, letter)

    def _carries(self, playing: Playing, person: Person, letter: Json) -> None:
        """Deliver a letter as a worker does when it is due."""
        if person.untold.get(playing.game_id) is not letter:
            return  # already sent with another letter
        if not self._is_present(playing, letter):
            del person.untold[playing.game_id]
            return
        others = [it for it in person.tables if it is not playing and it.waits_for(person)]
        if not self.coalesces:
            return self._tells(person, [playing])
        places = [place for it in person.tables if it.table.status == "running" for place in self._places(it)]
        own = next(it for it in places if (it.game_id, it.player_id) == (playing.game_id, person.player_id))
        if later := put_off_until(own, letter["made_at"], places, self.now):
            return self.at(later, self._carries, playing, person, letter)
        joining = [it for it in others if it.game_id in person.untold]
        self._tells(person, [playing, *joining[: MOST - 1]])

    def _is_present(self, playing: Playing, letter: Json) -> bool:
        is_same = playing.table.status == "running" and playing.seats[letter["seat"]].turn == letter["data"]["turn"]
        return is_same and not playing.table.rules.is_mid_turn(playing.table.state, letter["seat"])

    def _places(self, playing: Playing) -> list[Place]:
        return [
            Place(playing.game_id, it.player_id, row.due_at, None, it.at == playing.game_id)
            for it, row in zip(playing.people, playing.seats, strict=True)
        ]

    def _tells(self, person: Person, games: list[Playing]) -> None:
        for playing in games:
            letter = person.untold.pop(playing.game_id)
            person.told.add(playing.game_id)
            if self.counts:
                self.delays.append(self.now - letter["made_at"])
        self._count(YOUR_TURN.name, games)
        hour = (self.now - BEGIN).total_seconds() / 3600 % 24 - person.west
        if DAY[0] <= hour < DAY[1] and self.chance.random() < FOLLOWS:
            self.in_minutes(self.chance.expovariate(1 / WITHIN), self._looks, person)

    def _reminds(self, playing: Playing, person: Person, letter: Json) -> None:
        if playing.game_id in person.told and self._is_present(playing, letter):
            self._count("reminder", [playing])

    def _count(self, kind: str, games: list[Playing]) -> None:
        if self.counts:
            self.sizes[len(games)] += kind == YOUR_TURN.name
            for playing in games:
                self.letters[playing.name, kind] += 1 / len(games)


def report(month: Month, days: int) -> None:
    shares = defaultdict[str, float](float)
    for (name, _), number in month.letters.items():
        shares[name] += number
    for name in GAMES:
        moves, turns = month.moves[name], month.turns[name]
        kinds = ", ".join(f"{number / moves:.2f} {kind}" for (of, kind), number in month.letters.items() if of == name)
        print(f"  {name:<14}{shares[name] / moves:5.2f} letters a move ({kinds}), {shares[name] / turns:.2f} a turn")
    letters, turns, player_days = sum(shares.values()), month.turns.total(), (days - SETTLED) * len(month.people)
    print(
        f"  {'overall':<14}{letters / month.moves.total():5.2f} letters a move, {letters / turns:.2f} a turn;", end=" "
    )
    print(f"each player has {turns / player_days:.1f} turns a day and gets {letters / player_days:.1f} letters")
    delays = sorted(month.delays)
    middle, last = (delays[int(share * (len(delays) - 1))].total_seconds() / 60 for share in (0.5, 1))
    several = sum(number for size, number in month.sizes.items() if size > 1) / month.sizes.total()
    print(f"  a turn is told {middle:.1f} minutes after it began (median), {last:.1f} at most;", end=" ")
    print(
        f"{several:.0%} of these letters tell of several; beside them {month.answers / turns:.2f} answers to mails a turn"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--players", type=int, default=PLAYERS)
    parser.add_argument("--days", type=int, default=DAYS)
    wanted = parser.parse_args()
    print(
        f"{wanted.players} players with {GAMES_EACH} games each, {wanted.days} days.",
        textwrap.fill(HABITS.strip(), 110),
    )
    for title, notifications in (("Where nothing is chosen", {}), ("At once", {"mails": {YOUR_TURN.name: AT_ONCE}})):
        month = Month(wanted.players, wanted.days, notifications)
        month.run()
        print(f"{title}:", flush=True)
        report(month, wanted.days)
    print(
        f"targets: at most {TARGET} letters a move where nothing is chosen, none later than {LATEST.seconds // 60} minutes"
    )


if __name__ == "__main__":
    main()
