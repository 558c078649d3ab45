"""A rule fault is fixed for new games only: running games stay as they are, and every log replays.

Ten faults are planted in the rules of both games, and games begin with them. Then each fault is fixed as in a release
(`has_fix`), followed by new games. Views and legal moves of running games must not change. Every log must follow from
the rules that its game began with, even after further moves.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from random import Random
from typing import Any, NamedTuple, Self
from unittest.mock import patch
from uuid import UUID

import pytest
from flask import Flask

from server.games import GAMES, BadOption, IllegalMove, Json, has_fix, newest_rules, revision_option, sternenhimmel
from server.games.sternenglanz.state import StarLaid
from server.games.sternenhimmel.material import BOARDS
from server.operations.rebuild import check_game
from server.play.archive import Flaw
from server.play.commits import load, load_within
from server.play.game import Game
from server.play.moves import play_move
from server.play.seating.games import open_game
from server.play.seating.seats import take_seat
from server.store.connections import autocommit
from server.store.database_retry import Unavailable
from tests.support.games import BOT, ME, OPEN, person

pytestmark = pytest.mark.usefixtures("app", "no_limits")
MOVES = 40  # the most in a running game when the faults are fixed, and in a new one
MORE = 3  # after the fixes
NEW = 4  # after each fix, with one more per hundred running games
SAMPLE = 100  # running games, in which each fault must show
OPTIONS: dict[str, list[Json]] = {name: list(rules.describe()["editions"].values()) for name, rules in GAMES.items()}
Wrong = Callable[..., Any]  # the right function, and its arguments


class Fault(NamedTuple):
    """A fault in one sentence, and its functions, each with the index of the argument that holds the game's options."""

    rules: str
    meaning: str
    wrong: dict[str, tuple[int, Wrong]]


def _first_prize(right: Wrong, board: Any, *more: Any) -> Any:
    return right(board._replace(first=board.first + 1), *more)


def _direction(right: Wrong, options: Json, *more: Any) -> Any:
    other = {"clockwise": "counterclockwise", "counterclockwise": "clockwise"}
    return right({**options, "direction": other[options["direction"]]}, *more)


def _compensation(right: Wrong, *arguments: Any) -> Any:
    *more, options, coins = arguments
    other = {"first": "bank", "bank": "first"}
    return right(*more, {**options, "compensation_payer": other[options["compensation_payer"]]}, coins)


def _start(right: Wrong, *arguments: Any) -> Any:
    shuffled, *dealt = right(*arguments)
    return [shuffled._replace(start=0), *dealt]


def _black_holes(right: Wrong, *arguments: Any) -> Any:
    found = right(*arguments)
    boards = BOARDS
    return [it for it in found if it.star != "B" or boards[it.board].spaces[it.space].size == "large"] or found


def _black_holes_played(right: Wrong, sky: Any, seat: int, move: Any, dice: Any) -> Any:
    events = right(sky, seat, move, dice)
    if move not in sternenhimmel.legal_moves(sky, seat):
        raise IllegalMove("unknown-space", "A black hole lies on a large space.")
    return events


def _point(right: Wrong, *arguments: Any) -> Any:
    event = right(*arguments)
    return event._replace(points=event.points + 1) if isinstance(event, StarLaid) else event


FAULTS = (
    Fault("sternenhimmel", "The first prize is a coin too high", {"payments": (4, _first_prize)}),
    Fault("sternenhimmel", "Turns go the other way round", {"_who_is_next": (0, _direction)}),
    Fault("sternenhimmel", "Compensations are paid as in another edition", {"payments": (4, _compensation)}),
    Fault("sternenhimmel", "Seat 0 begins, whoever is drawn", {"setup": (1, _start)}),
    Fault(
        "sternenhimmel",
        "A black hole is kept from small spaces",
        {"legal_moves": (0, _black_holes), "decide": (0, _black_holes_played)},
    ),
    Fault("sternenglanz", "A star that is laid is worth a point more", {"perform": (0, _point)}),
    Fault("sternenglanz", "Two slots are never enough", {"may_finish": (0, lambda right, sky: False)}),
    Fault(
        "sternenglanz",
        "Slots are performed in their order only",
        {"open_slots": (0, lambda right, sky: right(sky)[:1])},
    ),
    Fault(
        "sternenglanz",
        "Slot 1 must be covered when slot 2 is full",
        {"must_cover": (0, lambda right, sky, seat: sky.slots[seat][1] is not None)},
    ),
    Fault(
        "sternenglanz",
        "One way to perform a slot is not found",
        {"ways": (0, lambda right, *it: right(*it)[1:] or right(*it))},
    ),
)


def _options(it: Any) -> Json:
    it = getattr(it, "sky", it)
    options: Json = getattr(it, "options", it)
    return options


class Rulebooks:
    """The rules of both games with these faults, some of them fixed. Within the block, games use them."""

    def __init__(self) -> None:
        self.mended: list[Fault] = []
        self.forgotten: list[Fault] = []  # fixes that ignore running games
        self._patches = ExitStack()

    def __enter__(self) -> Self:
        for fault in FAULTS:
            for name, (at, wrong) in fault.wrong.items():
                modules = [it for path, it in sys.modules.items() if path.startswith(f"server.games.{fault.rules}")]
                modules = [it for it in modules if hasattr(it, name)]
                planted = self._planted(fault, getattr(modules[0], name), at, wrong)
                for module in modules:
                    self._patches.enter_context(patch.object(module, name, planted))
        return self

    def __exit__(self, *_: object) -> None:
        self._patches.close()

    def _planted(self, fault: Fault, right: Wrong, at: int, wrong: Wrong) -> Wrong:
        def either(*arguments: Any) -> Any:
            if fault in self.forgotten:
                return right(*arguments)
            if fault in self.mended and has_fix(_options(arguments[at]), self._revision(fault)):
                return right(*arguments)
            return wrong(right, *arguments)

        return either

    def _revision(self, fault: Fault) -> int:
        of_game = [it for it in self.mended if it.rules == fault.rules]
        return 1 + of_game.index(fault)

    def mend(self, fault: Fault) -> None:
        self.mended.append(fault)
        properties = GAMES[fault.rules].OPTION_SCHEMA["properties"]
        self._patches.enter_context(patch.dict(properties, revision_option(self._revision(fault))))


class Outcome(NamedTuple):
    """Counts of a run. `shown`: by fault, the running games of a sample that would change without a revision."""

    running: int
    moves: int
    changed: int
    new: int
    unlike: int  # games whose log does not follow from the rules that they began with
    faulty: int  # new games with a fault
    shown: dict[str, int]

    @property
    def is_well(self) -> bool:
        return not self.changed and not self.unlike and not self.faulty and all(self.shown.values())

    def __str__(self) -> str:
        lines = [f"  {count:3} of {SAMPLE} would have changed: {meaning}" for meaning, count in self.shown.items()]
        return "\n".join(
            [
                f"{len(self.shown)} faults mended under {self.running:,} running games of {self.moves:,} moves, {self.new:,} begun since:",
                f"  changed {self.changed}, do not replay {self.unlike}, new ones with a fault {self.faulty}",
                *lines,
            ]
        )


def mend_under(games: int) -> Outcome:
    """Fix ten faults under this many running games, in an app without limits."""
    rng = Random(1)
    people = [person(f"player-{number}") for number in range(5)]
    with Rulebooks() as rulebooks:
        running = [_begun(number, people, rng) for number in range(games)]
        moves = sum(_play(game_id, people, rng.randrange(MOVES), rng) for game_id in running)
        before = {game_id: seen(game_id) for game_id in running}
        shown = {fault.meaning: _shows(rulebooks, fault, running, before) for fault in FAULTS}
        new: list[UUID] = []
        for fault in FAULTS:
            rulebooks.mend(fault)
            for number in range(NEW + games // 100):
                new.append(_begun(number, people, rng))
                _play(new[-1], people, MOVES, rng)
        changed = sum(seen(game_id) != before[game_id] for game_id in running)
        unlike = sum(not replays(game_id) for game_id in [*running, *new])
        for game_id in running:
            _play(game_id, people, MORE, rng)
        unlike += sum(not replays(game_id) for game_id in running)
        newest = new[-(NEW + games // 100) :]
        rulebooks.forgotten = list(FAULTS)
        faulty = sum(not replays(game_id) for game_id in newest)
    return Outcome(games, moves, changed, len(new), unlike, faulty, shown)


def _begun(number: int, people: Sequence[UUID], rng: Random) -> UUID:
    name = list(GAMES)[number % 2]
    seats = rng.choice(GAMES[name].SEATS)
    wanted = {"rules": name, "options": rng.choice(OPTIONS[name]), "seats": [ME, *[OPEN] * (seats - 1)]}
    game_id = open_game(people[0], wanted).game_id
    for player_id in people[1:seats]:
        take_seat(game_id, player_id)
    return game_id


def _play(game_id: UUID, people: Sequence[UUID], moves: int, rng: Random) -> int:
    """Play random moves, at most until the end, and return their number."""
    table = load(game_id).table
    for number in range(moves):
        asked = [seat for seat, turn in enumerate(table.turns) if turn is not None]
        if not asked:
            return number
        seat = rng.choice(asked)
        move = rng.choice(table.rules.legal_moves(table.state, seat))
        wanted = table.rules.move_to_json(move)
        table = play_move(game_id, people[seat], table.turns[seat] or 0, wanted).game.table
    return moves


def seen(game_id: UUID) -> bytes:
    """Return a digest of the game by its log: its hash, all views, and the legal moves."""
    with autocommit() as connection:
        game: Game = load_within(connection, game_id)
    table = game.table
    viewers = [*range(len(game.seats)), None]
    views = [table.rules.view(table.state, viewer) for viewer in viewers]
    moves = [table.rules.legal_moves(table.state, seat) for seat in range(len(game.seats))]
    everything = (game.head, table.version, table.hash, table.status, table.turns, table.outcome, views, moves)
    return sha256(repr(everything).encode()).digest()


def replays(game_id: UUID) -> bool:
    try:
        return not check_game(game_id)
    except Flaw:
        return False


def _shows(rulebooks: Rulebooks, fault: Fault, running: Sequence[UUID], before: dict[UUID, bytes]) -> int:
    """Count the sampled games in which the fault would show if its fix ignored running games."""
    with _forgetting(rulebooks, fault):
        sample = [it for number, it in enumerate(running) if list(GAMES)[number % 2] == fault.rules][:SAMPLE]
        return sum(seen(game_id) != before[game_id] or not replays(game_id) for game_id in sample)


@contextmanager
def _forgetting(rulebooks: Rulebooks, fault: Fault) -> Iterator[None]:
    rulebooks.forgotten.append(fault)
    try:
        yield
    finally:
        rulebooks.forgotten.remove(fault)


# Tests


def test_fixing_ten_faults_in_the_rules_does_not_change_running_games_and_all_can_be_replayed(app: Flask) -> None:
    with app.app_context():
        outcome = mend_under(200)
    assert outcome.is_well, outcome
    assert len(outcome.shown) == 10


@pytest.mark.parametrize("name", GAMES)
def test_a_game_names_the_revision_of_its_rules_once_a_fault_has_been_fixed(
    app: Flask, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    rules = GAMES[name]
    seats = [ME, *[BOT] * (rules.SEATS[0] - 1)]
    with app.app_context():
        ada = person("ada")
        before = open_game(ada, {"rules": name, "seats": seats})
        monkeypatch.setitem(rules.OPTION_SCHEMA["properties"], "revision", revision_option(2)["revision"])
        for chosen in ({}, {"revision": 0}):  # as when a game is opened with the options of an old one
            after = open_game(ada, {"rules": name, "seats": seats, "options": chosen})
            assert after.head.options["revision"] == 2
        assert "revision" not in load(before.game_id).head.options


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("revision", [True, -1, 3, 1.0, None, "1"])
def test_an_unknown_revision_is_rejected(monkeypatch: pytest.MonkeyPatch, name: str, revision: object) -> None:
    rules = GAMES[name]
    monkeypatch.setitem(rules.OPTION_SCHEMA["properties"], "revision", revision_option(2)["revision"])
    assert rules.resolve_options(newest_rules(rules), rules.SEATS[0])["revision"] == 2
    with pytest.raises(BadOption):
        rules.resolve_options({"revision": revision}, rules.SEATS[0])


def test_a_process_skips_games_with_rules_from_a_later_release(app: Flask, monkeypatch: pytest.MonkeyPatch) -> None:
    properties = GAMES["sternenhimmel"].OPTION_SCHEMA["properties"]
    with app.app_context():
        monkeypatch.setitem(properties, "revision", revision_option(1)["revision"])
        game_id = open_game(person("ada"), {"rules": "sternenhimmel", "seats": [ME, BOT, BOT]}).game_id
        monkeypatch.delitem(properties, "revision")
        with pytest.raises(Unavailable):
            load(game_id)
