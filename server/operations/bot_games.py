"""Games between bots as open data: archives that anyone can play again, and check without a database.

The series and the number of a game determine everything in it, including how its bots choose. So a folder of games can
grow, and an interrupted run continues where it stopped.
"""

import fcntl
import gzip
import json
import os
import re
import signal
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from importlib.metadata import version
from itertools import pairwise
from multiprocessing import active_children, get_context
from pathlib import Path
from random import Random
from shlex import quote, split
from typing import Any, BinaryIO, NamedTuple, TypeVar
from uuid import UUID

from server.bots import choose
from server.bots.local_games import AMPLE, Shown
from server.games import GAMES, Json, SeededDice, commitment, newest_rules
from server.play.archive import LARGEST, Flaw, Start, archived, check
from server.play.commits import log_rows
from server.play.events import GameStarted
from server.play.table import OVER, new_table, next_commit
from server.play.timing.time_control import DEFAULT_CLOCK
from server.play.timing.timeout_policy import DEFAULT_LADDER
from server.store import embedded_postgres
from server.store.log import Recorded, canonical

ENDING = ".jsonl.gz"
_PER_FILE = 100  # games at most, since an interruption loses unfinished files
_NAME = re.compile(rf"games-(\d+)-(\d+){re.escape(ENDING)}")
_COMMAND = re.compile("^    sternenpost bot-games (.*)$", re.MULTILINE)  # in README.md
_WHEN = datetime(2026, 1, 1, tzinfo=UTC)  # constant, since hashes cover the times

_README = """# Games of {name} between bots

Bots of Sternenpost {release} played these games. In the order of their seats: {bots}.

- Each file contains the games with the numbers in its name, one per line, as JSON.
- The fields are those of an archive, as `/docs/fairness` on any Sternenpost server describes. `seats` names the bots,
  and `events` lists all moves. The last event has `scores` and `places`.
- `seed` determines every draw. It is the SHA-256 of "{seed} N", where N is the number of the game. The salts are empty.
- All times are the same and have no meaning.

To check every draw, every rule and every hash, install Sternenpost and run `sternenpost verify .` in this folder.
To play the same games again, with the same moves, install Sternenpost {release} and run this command, with
`--games` as you like:

    {command}

To the extent possible under law, the makers of these games waive all rights to them:
[CC0 1.0](https://creativecommons.org/publicdomain/zero/1.0/).
"""

T = TypeVar("T")
R = TypeVar("R")


class Series(NamedTuple):
    """The facts that games in the same folder share."""

    rules: str
    bots: Sequence[str]
    options: Json  # all of them
    seed: str

    @property
    def readme(self) -> str:
        name, options = self.rules.capitalize(), json.dumps(self.options)
        words = (f"--bot {bot}" for bot in self.bots)
        command = f"sternenpost bot-games {self.rules} {' '.join(words)} --options {quote(options)} --seed {quote(self.seed)} DIR"
        release, bots = version("sternenpost"), ", ".join(self.bots)
        return _README.format(name=name, release=release, bots=bots, seed=self.seed, command=command)

    def name(self, number: int) -> str:
        """Return the text whose SHA-256 is the seed of the game."""
        return f"{self.seed} {number}"

    def play(self, number: int) -> Json:
        """Play the game with this number to its end, and return its archive."""
        rules, name, seats = GAMES[self.rules], self.name(number), len(self.bots)
        terms = {
            "game": str(UUID(bytes=sha256(canonical([*self, number]).encode()).digest()[:16], version=4)),
            "rules": self.rules,
            "options": self.options,
            "clock": DEFAULT_CLOCK,
            "on_timeout": DEFAULT_LADDER,
            "bots": list(self.bots),
        }
        beginning = Start(terms, sha256(name.encode()).digest(), [""] * seats)
        dice, rng, rows = SeededDice(beginning.seed, beginning.salts), Random(name), list[Recorded]()
        shown, table = Shown(rules, seats, self.options), new_table(self.rules)
        events: list[Any] = [GameStarted(seats, terms), *rules.setup(seats, self.options, dice)]
        state = shown.after(None, events[1:])
        while True:
            commit, after = next_commit(table, events)
            newest = table.hash or bytes.fromhex(commitment(beginning.seed))
            rows += log_rows(commit, _WHEN, after.version, table.seq, newest)
            table = after.logged(rows[-1])
            if table.status in OVER:
                return archived(beginning, rows)
            seat, events = min(rules.to_act(state)), []
            while not events or rules.is_mid_turn(state, seat):  # a bot plays its whole turn in one commit
                move = choose(self.bots[seat], shown.to(state, seat), AMPLE, rng)
                events += (moved := rules.decide(state, seat, move, dice))
                state = shown.after(state, moved)


def series(rules: str, bots: Sequence[str], options: Json, seed: str) -> Series:
    """Return a series with all its options. Raise BadOption for an invalid option or number of seats."""
    return Series(rules, bots, GAMES[rules].resolve_options({**options, **newest_rules(GAMES[rules])}, len(bots)), seed)


def described(directory: Path) -> Series:
    """Return the series that README.md describes. Raise Flaw if it describes none."""
    try:
        (command,) = _COMMAND.findall((directory / "README.md").read_text("utf-8"))
        rules, *bots, _, options, _, seed, _ = split(command)
        return Series(rules, bots[1::2], json.loads(options), seed)
    except (OSError, ValueError, RecursionError):
        raise Flaw("README.md must be next to the games, with the command that bot-games wrote to it.") from None


@contextmanager
def locked(directory: Path) -> Iterator[None]:
    """Create the directory if necessary, and lock it. Delete what an interrupted run left. Raise OSError if another run
    has locked it."""
    directory.mkdir(parents=True, exist_ok=True)
    lock = os.open(directory, os.O_RDONLY)
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OSError(f"Another run is writing to {directory}. Wait until it ends.") from None
        for left in directory.glob(f"games-*{ENDING}.new"):
            left.unlink()
        yield
    finally:
        os.close(lock)


@contextmanager
def new_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file that gets its name once it is stored on disk."""
    new = path.with_name(f"{path.name}.new")
    with new.open("wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
    new.replace(path)


def missing(directory: Path, games: int, processes: int) -> list[range]:
    """Return the numbers of the games that the directory lacks, a range for each file to write."""
    gaps, first = list[range](), 1
    done = [numbers for path in directory.iterdir() if (numbers := _numbers(path))]
    for numbers in [*sorted(done, key=lambda it: it.start), range(games + 1, games + 1)]:
        gaps.append(range(first, min(numbers.start, games + 1)))
        first = max(first, numbers.stop)
    size = max(1, min(_PER_FILE, sum(map(len, gaps)) // (4 * processes)))  # enough files to keep all processes busy
    return [gap[at : at + size] for gap in gaps for at in range(0, len(gap), size)]


def _numbers(path: Path) -> range | None:
    """Return the numbers of the games that a file contains according to its name. Return None for any other file."""
    name = _NAME.fullmatch(path.name)
    return range(int(name[1]), int(name[2]) + 1) if name else None


def write(series: Series, directory: Path, numbers: range) -> Path:
    """Play these games and write them to a new file."""
    path = directory / f"games-{numbers[0]:07}-{numbers[-1]:07}{ENDING}"
    with new_file(path) as file, gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed:
        for number in numbers:
            packed.write(canonical(series.play(number)).encode() + b"\n")
    return path


def check_names(paths: Sequence[Path]) -> None:
    """Raise Flaw if a name is wrong, or if two files have the same game."""
    named = list[tuple[int, int, str]]()
    for path in paths:
        if not (numbers := _numbers(path)):
            raise Flaw(f"The name must be games-FIRST-LAST{ENDING}, with the numbers of the games, not {path.name}.")
        named.append((numbers.start, numbers.stop, path.name))
    for (_, stop, name), (start, _, other) in pairwise(sorted(named)):
        if start < stop:
            raise Flaw(f"Game {start} is in {name} and in {other}.")


def verify(series: Series, path: Path) -> int:
    """Check every game in a file. Return the number of games. Raise Flaw at the first fault."""
    numbers, line = _numbers(path) or range(0), 1
    try:
        with gzip.open(path) as lines:
            for line, number in enumerate(numbers, 1):
                if not (raw := lines.readline(LARGEST + 1)):
                    raise Flaw(f"Game {number} is missing.")
                start = check(raw).start
                played = Series(start.terms["rules"], start.terms["bots"], start.terms["options"], series.seed)
                if (played, start.seed) != (series, sha256(series.name(number).encode()).digest()):
                    raise Flaw(f"This is not game {number} of those that README.md describes.")
            line += 1
            if lines.read(1):
                raise Flaw("The file has more games than its name says.")
    except (Flaw, OSError, EOFError, zlib.error) as error:
        raise Flaw(f"{path.name}, line {line}: {error}") from None
    return len(numbers)


def in_processes(do: Callable[[T], R], things: Sequence[T], processes: int) -> Iterator[R]:
    """Yield each result as soon as it exists. After a failure, end the other processes. All processes run at low priority
    and end with this one."""
    ends_with_parent = embedded_postgres.ends_with_parent(signal.SIGTERM)
    with ProcessPoolExecutor(processes, get_context("fork"), _lower_priority, (ends_with_parent,)) as pool:
        try:
            for future in as_completed([pool.submit(do, thing) for thing in things]):
                yield future.result()
        except BaseException:
            for process in active_children():
                process.terminate()
            raise


def _lower_priority(ends_with_parent: Callable[[], None] | None) -> None:
    if ends_with_parent is not None:
        ends_with_parent()
    os.nice(19)
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # without a traceback
