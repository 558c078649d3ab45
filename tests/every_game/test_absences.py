"""Games with absent or vanished players end in time.

This simulates games of both kinds for three to five players (of Sternenglanz for up to four) with the functions of the
server. Only the clock is simulated. Every game must end, and none may stand still for longer than a turn's time (48
hours) plus the extensions of its time-out policy. Only hours of the waiting seat's calendar count.

Players look at their tables each morning and evening of their zone, and make any move. Half of the players have nights,
a quarter have free weekends. 15 in 100 vanish for good within their first 30 moves. 20 in 100 take vacations of one to
three weeks within their first four weeks. These are in the calendar, covered by a stand-in, or unknown to the server.
Returning players take their seats back from the bots. In half of the games the others offer the seats of bots, which
new players take over. Stand-ins and successors have the same habits.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from random import Random
from statistics import median
from typing import Any, NamedTuple
from uuid import UUID

import pytest
from flask import Flask
from sqlalchemy import select

from server.accounts.calendars import ALWAYS, Calendar, calendar
from server.accounts.players import change_profile, player_of
from server.clock import NOTHING, clock
from server.games import GAMES, Json, Seat
from server.operations.rebuild import check_game
from server.play.archive import Flaw
from server.play.commits import load, whole_log
from server.play.game import Game
from server.play.moves import play_move
from server.play.nameless import is_nameless
from server.play.seating.games import open_game
from server.play.seating.seats import take_over, take_seat
from server.play.seating.stand_ins import Wish, accept_stand_in, ask_stand_in, change_stand_ins, stand_in_word
from server.play.table import OVER, fold_commits, new_table
from server.play.timing.sweep import wake_due
from server.play.timing.time_control import DEFAULT_CLOCK
from server.play.timing.timeout_policy import DEFAULT_LADDER, Extend
from server.play.views import turn_of
from server.play.votes import OFFER, offered_seats, vote, votes_of
from server.store.tables import GameRow, SeatRow, StandIn, db
from tests.support.calendars import counted_time
from tests.support.games import DAY, HOUR, ME, OPEN, later, service_is_up

pytestmark = pytest.mark.usefixtures("app", "no_limits")
VANISH, MOVES = 0.15, 30  # share of players, and the most moves before they vanish
HOLIDAYS, WEEKS = 0.2, 4
MORNING, EVENING = (7, 8, 9), (19, 20, 21)
ZONES = ("Europe/Berlin", "Europe/Rome", "America/New_York", "Asia/Tokyo", "Australia/Adelaide", "UTC")
LADDERS: Sequence[list[Json]] = (
    DEFAULT_LADDER,
    [{"do": "bot-takes-over", "bot": "random"}],
    [{"do": "extend", "by": "PT12H", "times": 3}, {"do": "bot-takes-over", "bot": "random"}],
    [{"do": "extend", "by": "P1D", "times": 2}, {"do": "bot-move", "bot": "random", "times": 9}, {"do": "abandon"}],
)
BANK = {"bank": "P1D", "increment": "PT12H", "cap": "P2D"}
CLOCKS = (DEFAULT_CLOCK, DEFAULT_CLOCK, BANK)
TURN = timedelta(hours=48)  # the most that either game gives
OPTIONS: dict[str, Json] = {"sternenhimmel": {}, "sternenglanz": {"max_rounds": 8}}
AT_ONCE = 500  # so that all tables stay in the cache
LATE = HOUR  # the sweep runs once an hour here


@dataclass
class Person:
    """A player with habits."""

    player_id: UUID
    calendar: Calendar
    hours: Sequence[int]
    moves_left: float  # until the player vanishes
    holidays: tuple[date, date] | None  # first and last day
    wants_stand_in: bool

    def looks(self, now: datetime) -> bool:
        local = now.astimezone(self.calendar.zone)
        is_away = self.holidays is not None and self.holidays[0] <= local.date() <= self.holidays[1]
        return self.moves_left > 0 and not is_away and local.hour in self.hours


class Crowd:
    """All players and their seats."""

    def __init__(self, rng: Random, vanish: float) -> None:
        self.rng, self.vanish = rng, vanish
        self.people: dict[UUID, Person] = {}
        self.sat: dict[tuple[UUID, Seat], list[Person]] = {}  # in order, for good
        self.stand_ins: dict[tuple[UUID, Seat], Person] = {}
        self.offering: set[UUID] = set()  # games

    def comes(self) -> Person:
        rng = self.rng
        player_id = player_of(f"player-{len(self.people)}@example.org", "en")
        db.session.commit()
        zone = rng.choice(ZONES)
        hours: Json = {"night": rng.choice(("22:00-08:00", None)), "days_off": rng.choice(([6, 7], [], [], []))}
        holidays, how = None, ""
        if rng.random() < HOLIDAYS:
            first = (clock.now() + rng.randint(1, 7 * WEEKS) * DAY).date()
            holidays, how = (first, first + rng.randint(7, 21) * DAY), rng.choice(("calendar", "stand-in", ""))
        if holidays and how == "calendar":
            hours["vacations"] = [dict(zip(("from", "to"), map(str, holidays), strict=True))]
        change_profile(player_id, {"zone": zone, "calendar": hours})
        person = self.people[player_id] = Person(
            player_id,
            calendar(hours, zone),
            (rng.choice(MORNING), rng.choice(EVENING)),
            rng.randint(0, MOVES) if rng.random() < self.vanish else float("inf"),
            holidays,
            how == "stand-in",
        )
        return person

    def opens(self, rules: str) -> UUID:
        rng = self.rng
        seats = rng.choice([number for number in GAMES[rules].SEATS if number >= 3])
        people = [self.comes() for _ in range(seats)]
        options = OPTIONS[rules] | {"nameless": rng.random() < 0.1}
        wanted = {"rules": rules, "options": options, "seats": [ME, *[OPEN] * (seats - 1)]}
        more = {"clock": rng.choice(CLOCKS), "on_timeout": rng.choice(LADDERS)}
        game_id = open_game(people[0].player_id, wanted | more).game_id
        for person in people[1:]:
            take_seat(game_id, person.player_id)
        for seat, person in enumerate(people):
            self.sat[game_id, seat] = [person]
            if person.wants_stand_in:
                self._asks(game_id, seat, person)
        if rng.random() < 0.5:
            self.offering.add(game_id)
        return game_id

    def _asks(self, game_id: UUID, seat: Seat, person: Person) -> None:
        friend = self.stand_ins[game_id, seat] = self.comes()
        assert person.holidays is not None
        ask_stand_in(game_id, person.player_id, Wish(*map(str, person.holidays), friend.player_id))
        mark = db.session.scalars(select(StandIn.mark).where(StandIn.game_id == game_id, StandIn.seat == seat)).one()
        accept_stand_in(stand_in_word(game_id, seat, mark), friend.player_id)

    def look(self) -> bool:
        """Let every player who looks in this hour act. Return False if every game has ended."""
        now = clock.now()
        seats = select(SeatRow.game_id, SeatRow.seat, SeatRow.player_id, SeatRow.to_act, SeatRow.stand_in)
        running = seats.join(GameRow, GameRow.game_id == SeatRow.game_id).where(GameRow.status == "running")
        found = list(db.session.execute(running))
        db.session.rollback()
        self.rng.shuffle(found)
        to_offer = {it.game_id for it in found if it.stand_in} & self.offering
        for it in found:
            has_to_do = it.to_act or it.stand_in or it.game_id in to_offer
            if has_to_do and (person := self.people[it.player_id]).looks(now):
                self._visits(it.game_id, it.seat, person)
        return bool(found)

    def _visits(self, game_id: UUID, seat: Seat, person: Person) -> None:
        game = load(game_id)
        if game.table.stand_ins[seat] and game.table.status == "running":
            game = take_seat(game_id, person.player_id)
        game = self._moves(game, seat, person)
        if game_id in self.offering and game.table.status == "running" and any(game.table.stand_ins):
            if seat not in votes_of(game_id)[OFFER]:
                vote(game_id, person.player_id, OFFER, True)
            if offered := offered_seats(game):
                self.sat[game_id, offered[0]].append(successor := self.comes())
                take_over(game_id, successor.player_id, offered[0])
        db.session.rollback()

    def _moves(self, game: Game, seat: Seat, person: Person) -> Game:
        rules = game.table.rules
        while (turn := turn_of(game.table, seat)) is not None and person.moves_left > 0:
            move = self.rng.choice(rules.legal_moves(game.table.state, seat))
            game = play_move(game.game_id, person.player_id, turn, rules.move_to_json(move)).game
            person.moves_left -= 1
            if not rules.is_mid_turn(game.table.state, seat):
                break
        return game


class Figures(NamedTuple):
    """The log of one game in figures."""

    days: float | None  # from start to end, if it has ended
    stood_still: timedelta  # the longest, in counted hours
    beyond: timedelta  # beyond 48 hours and its extensions
    is_whole: bool
    happened: Counter[str]


def figures_of(game_id: UUID, crowd: Crowd) -> Figures:
    game, rows = load(game_id), whole_log(game_id)
    try:
        is_whole = check_game(game_id) == []
    except Flaw:
        is_whole = False
    extensions = [rung for rung in game.ladder if isinstance(rung, Extend)]
    longest = max(waits(game, crowd))
    late = (1 + sum(rung.times for rung in extensions)) * LATE  # a sweep may be late for each
    allowed = sum((rung.by * rung.times for rung in extensions), TURN)
    days = (rows[-1].recorded_at - rows[0].recorded_at) / DAY if game.table.status in OVER else None
    return Figures(days, longest, longest - allowed - late, is_whole, Counter(row.type for row in rows))


def waits(game: Game, crowd: Crowd) -> Iterator[timedelta]:
    """Yield at each move the counted time of every seat that was waited for."""
    rules, rows = game.table.rules, whole_log(game.game_id)
    sitting = {seat: [*crowd.sat[game.game_id, seat]] for seat in range(len(game.seats))}
    stood_in: set[Seat] = set()
    asked: dict[Seat, Calendar] = {}  # calendars at the start of the turn
    since = rows[0].recorded_at
    for commit, after in fold_commits(new_table(rules.NAME), rows):
        at, moved = commit[0].recorded_at, [row for row in commit if row.type in rules.EVENTS]
        for row in commit:
            match row.type, row.seat:
                case "stand-in-began", int(seat):
                    stood_in.add(seat)
                case "stand-in-ended", int(seat):
                    stood_in.discard(seat)
                case "seat-taken-over", int(seat):
                    del sitting[seat][0]
                    asked.pop(seat, None)  # the time starts again
        if moved:
            yield from (counted_time(since, at, hours) for hours in asked.values())
            since = at
            asked = {seat: hours for seat, hours in asked.items() if seat != moved[0].seat or _goes_on(after, seat)}
        people = {
            seat: crowd.stand_ins[game.game_id, seat] if seat in stood_in else sitting[seat][0] for seat in sitting
        }
        asked = {
            seat: asked.get(seat) or (ALWAYS if is_nameless(game.head.options) else people[seat].calendar)
            for seat, turn in enumerate(after.turns)
            if turn is not None
        }
    yield from (counted_time(since, clock.now(), hours) for hours in asked.values())


def _goes_on(table: Any, seat: Seat) -> bool:
    return table.turns[seat] is not None and table.rules.is_mid_turn(table.state, seat)


class Outcome(NamedTuple):
    games: Sequence[Figures]
    people: int
    vanished: int
    happened: Counter[str]

    @property
    def is_well(self) -> bool:
        return all(it.days is not None and it.beyond <= NOTHING and it.is_whole for it in self.games)

    def __str__(self) -> str:
        days = sorted(it.days for it in self.games if it.days is not None) or [0.0]
        happened, beyond = self.happened, max(it.beyond for it in self.games)
        return f"""\
{len(self.games)} games of {self.people} people, of whom {self.vanished} vanished
ended: {sum(it.days is not None for it in self.games)}
stood still: {max(it.stood_still for it in self.games) / HOUR:.1f} counted hours at the longest; beyond 48 and its ladder: \
{max(beyond, NOTHING) / HOUR:.1f} ({sum(it.beyond > NOTHING for it in self.games)} games)
days a game: median {median(days):.1f}, longest {days[-1]:.1f}
seats timed out: {happened["time-extended"] + happened["time-ran-out"]}, of these {happened["time-extended"]} given more \
time; given to bots: {happened["seat-handed-over"]}, taken back: {happened["seat-taken-back"]}, taken over: \
{happened["seat-taken-over"]}; stand-ins: {happened["stand-in-began"]}
logs that are not whole, or not what is stored beside them: {sum(not it.is_whole for it in self.games)}"""


def simulate(games: int, most_days: int = 400, vanish: float = VANISH) -> Outcome:
    """Simulate games in an app's context without limits. A game counts as stuck after `most_days`."""
    crowd = Crowd(Random(1), vanish)
    found: list[Figures] = []
    names = [list(GAMES)[number % len(GAMES)] for number in range(games)]
    for first in range(0, games, AT_ONCE):
        service_is_up()
        ids = [crowd.opens(rules) for rules in names[first : first + AT_ONCE]]
        until = clock.now() + most_days * DAY
        while crowd.look() and clock.now() < until:
            _sweep()  # as after a player's move before a bot
            later(HOUR)
            change_stand_ins()
            _sweep()
        found += [figures_of(game_id, crowd) for game_id in ids]
    vanished = sum(person.moves_left <= 0 for person in crowd.people.values())
    return Outcome(found, len(crowd.people), vanished, sum((it.happened for it in found), Counter()))


def _sweep() -> None:
    while wake_due(AT_ONCE):
        pass


# Tests


def test_absent_players_do_not_delay_games(app: Flask) -> None:
    with app.app_context():
        outcome = simulate(10)
    assert outcome.is_well, outcome
    for kind in ("time-extended", "time-ran-out", "seat-handed-over", "stand-in-began"):
        assert outcome.happened[kind], outcome


def test_the_simulation_detects_missing_time_outs(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("server.play.timing.sweep.time_out", lambda *_: False)
    with app.app_context():
        outcome = simulate(2, most_days=20, vanish=1)
    assert not outcome.is_well
    assert all(game.days is None and game.beyond > timedelta(0) for game in outcome.games), outcome
