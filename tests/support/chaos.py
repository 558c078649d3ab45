"""Letters survive while every process dies.

Players play by email alone: each moves when the letter for the turn arrives. Meanwhile SIGKILL hits worker, web and
Postgres in turn at random moments, and each restarts. Every letter that was ever in an outbox must be in the SMTP
listener's mailbox.
"""

import random
import subprocess
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from operator import gt
from threading import Event
from typing import NamedTuple

from tests.support.history import letters_in_the_end, note_letters
from tests.support.live_server import House, Turn, new_house, sign_in, until

BOUND = 60.0  # seconds from a commit to the arrival of its letter
_PAUSES = (1.0, 5.0)  # seconds between two kills
_LOOK = 0.2  # seconds between two looks into a mailbox
_GAMES = 3  # that each of them plays at the same time
_PATIENCE = 120.0
_TARGETS = ("worker", "web", "postgres")


class Outcome(NamedTuple):
    """Counts of letters after the kills. `seconds` lists delivery times in ascending order, without codes for
    strangers."""

    made: int
    arrived: int
    lost: int
    twice: int
    dropped: int
    seconds: list[float]
    killed: Counter[str]
    moves: int

    @property
    def is_well(self) -> bool:
        return not self.lost and self.seconds[-1] <= BOUND

    def __str__(self) -> str:
        count = len(self.seconds)
        p50, p99 = (self.seconds[count * part // 100] for part in (50, 99))
        late = sum(it > BOUND for it in self.seconds)
        kills = ", ".join(f"{number} of {what}" for what, number in sorted(self.killed.items()))
        return (
            f"{self.killed.total()} kills ({kills}) amid {self.moves} moves by mail: {self.made} letters, {self.arrived} arrived, "
            f"{self.dropped} no longer true, {self.lost} lost, {self.twice} twice; "
            f"p50 {p50:.1f} s, p99 {p99:.1f} s, longest {self.seconds[-1]:.1f} s, {late} later than {BOUND:.0f} s"
        )


def chaos(kills: int, people: int, seed: int) -> Outcome:
    rng, killed = random.Random(seed), Counter[str]()
    with new_house() as house, ThreadPoolExecutor(people) as threads:
        note_letters(house.database_url)
        workers = [house.start_worker() for _ in range(2)]
        house.start_web()
        players = [_Player(house, f"player-{number}@example.org") for number in range(people)]
        over = Event()
        playing = [threads.submit(player.plays, over) for player in players]
        try:
            for number in range(kills):
                time.sleep(rng.uniform(*_PAUSES))
                what = _TARGETS[number % len(_TARGETS)]
                killed[what] += 1
                _kill(house, what, workers, rng)
                moved = [player.moves for player in players]
                until(lambda moved=moved: all(map(gt, (player.moves for player in players), moved)), _PATIENCE)
        finally:
            over.set()
        for each in playing:
            each.result()
        return outcome_of(house, killed, sum(player.moves for player in players))


def _kill(house: House, what: str, workers: list[subprocess.Popen[bytes]], rng: random.Random) -> None:
    """Kill with SIGKILL and start a replacement."""
    if what == "worker":
        house.kill(workers.pop(rng.randrange(len(workers))))
        workers.append(house.start_worker())
    elif what == "web":
        house.kill(house.web)
        house.start_web()
    else:
        house.crash_postgres()


class _Player:
    def __init__(self, house: House, email: str) -> None:
        self._house, self._email = house, email
        self._client = sign_in(house, email)
        self._read = 0
        self._running = set[str]()
        self.moves = 0

    def plays(self, over: Event) -> None:
        while not over.is_set():
            while len(self._running) < _GAMES:
                self._opens()
            mails = self._house.post.of(self._email)
            for mail in mails[self._read :]:
                if word := mail.word("t"):
                    self.moves += self._moves(Turn.of(word))
            self._read = len(mails)
            over.wait(_LOOK)

    def _opens(self) -> None:
        seats = [{"player": "me"}, {"bot": "random"}, {"bot": "random"}]
        self._running.add(self._client.post("/v1/games", {"rules": "sternenhimmel", "seats": seats})["id"])

    def _moves(self, turn: Turn) -> bool:
        """Return False if the turn of the letter is over."""
        game = f"/v1/games/{turn.game_id}"
        asked = self._client.get(f"{game}/legal-moves")
        if asked["turn"] != turn.number:
            return False
        answer = self._client.ask("POST", f"{game}/moves", json={"turn": turn.number, "move": asked["moves"][0]})
        assert answer.status_code in (200, 201), answer.text
        if self._client.get(game)["status"] == "finished":
            self._running.discard(str(turn.game_id))
        return True


def outcome_of(house: House, killed: Counter[str], moves: int) -> Outcome:
    letters = letters_in_the_end(house, _PATIENCE)
    return Outcome(
        made=letters.made,
        arrived=letters.arrived,
        lost=len(letters.lost),
        twice=letters.twice,
        dropped=letters.dropped,
        seconds=letters.seconds,
        killed=killed,
        moves=moves,
    )
