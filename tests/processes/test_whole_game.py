"""Three whole games at once over HTTP and SMTP, from the invitation to the last letter.

People play by REST and on the plain page. One vanishes and returns, and one has a dead mailbox. Web, worker and Postgres
are killed on the way. Each test checks one result of this evening.
"""

import re
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from itertools import groupby
from random import Random
from typing import Any, NamedTuple
from uuid import UUID

import psycopg
import pytest

from server.games import GAMES
from server.games.sternenhimmel.material import BOARDS
from server.play.events import HOUSE_EVENTS, SeatTakenBack
from server.play.table import Table, fold, new_table, parse_event
from server.store.log import Recorded
from tests.support import many_due
from tests.support.live_server import PATIENCE, Client, House, Json, Mail, Turn, new_house, sign_in, until

RULES = GAMES["sternenhimmel"]
LOOK = 0.15  # seconds between two looks of a player's program

ADA, BEN, FAY, GIL = (f"{name}@example.org" for name in ("ada", "ben", "fay", "gil"))
CLEO = "cleo@example.org"  # has no program: she plays by the links in her mails
DORA = "dora@dead.example"  # her mailbox keeps senders waiting
EMIL = "emil@example.org"  # vanishes for a while

PLACEMENTS, SCORINGS = 90, 12
SEATS = "SELECT seats.*, players.email, players.name FROM seats JOIN players USING (player_id)"


class Answer(NamedTuple):
    """A move that the house has acknowledged; the page names no version."""

    game_id: UUID
    seat: int
    turn: int
    move: Json
    version: int | None


@dataclass
class Evening:
    """The people, their games, and what they were answered."""

    house: House
    people: dict[str, Client] = field(default_factory=dict)
    games: list[UUID] = field(default_factory=list)
    answers: list[Answer] = field(default_factory=list)
    retries: int = 0
    seconds: float = 0.0
    opened_at: datetime = datetime.max  # when Dora's mailbox takes letters again
    _turns_of: list[threading.Lock] = field(default_factory=list)  # of each player; held during a move
    _playing: list[Future[None]] = field(default_factory=list)

    # Coming together

    def sign_in(self, threads: ThreadPoolExecutor) -> None:
        emails = [ADA, BEN, DORA, EMIL, FAY, GIL]
        self.people = dict(zip(emails, threads.map(lambda email: sign_in(self.house, email), emails), strict=True))
        sign_in(self.house, CLEO)  # since a stranger gets one invitation only

    def open_games(self) -> None:
        me, cleo, ada, free = {"player": "me"}, {"email": CLEO}, {"email": ADA}, {"open": True}
        plans: list[tuple[str, str, Json, list[Json]]] = [
            (ADA, "goldsieber-en", {"bank": "P30D", "increment": "P1D", "cap": "P60D"}, [me, cleo, free]),
            (BEN, "sargon-it", {"per_move": "P2D"}, [me, cleo, free, free]),
            (DORA, "schloth-en", {"per_move": "P90D"}, [me, cleo, ada, free, free]),
        ]
        for host, edition, clock, seats in plans:
            wanted = {"rules": RULES.NAME, "options": {"edition": edition}, "title": edition, "clock": clock}
            opened = self.people[host].post("/v1/games", {**wanted, "seats": seats})
            assert opened["status"] == "open"
            self.games.append(UUID(opened["id"]))

    def take_seats(self) -> None:
        of_three, of_four, of_five = self.games
        for email, game_id in [(BEN, of_three), (EMIL, of_four), (DORA, of_four), (FAY, of_five), (GIL, of_five)]:
            self.people[email].post(f"/v1/games/{game_id}/seats", {"salt": email})
        word = self.house.await_mail(ADA, lambda mail: mail.word("i")).word("i")
        seated = self.people[ADA].post(f"/v1/games/{of_five}/seats", {"invitation": word})
        assert seated["you"]["seat"] == 2
        until(lambda: len(self.invitations_of_cleo()) == len(self.games))
        cleo = Client(self.house)
        for word in self.invitations_of_cleo():
            link = f"/i/{word}"
            assert "Take your seat" in cleo.ask("GET", link).text
            entered = cleo.ask("POST", link)
            assert entered.status_code == 200 and 'name="token"' not in entered.text  # she has an account: no sign-in
        for game_id in self.games:
            assert cleo.get(f"/v1/games/{game_id}")["status"] == "running"

    def invitations_of_cleo(self) -> list[str]:
        return [word for mail in self.house.post.of(CLEO) if (word := mail.word("i"))]

    # Playing

    def starts(self, play: Callable[..., None], threads: ThreadPoolExecutor, *args: Any) -> Future[None]:
        lock = threading.Lock()
        self._turns_of.append(lock)
        future = threads.submit(play, lock, Random(len(self._playing)), *args)
        self._playing.append(future)
        return future

    def plays_by_rest(
        self, lock: threading.Lock, rng: Random, email: str, game_id: UUID, most: int = PLACEMENTS
    ) -> None:
        client, game = self.people[email], f"/v1/games/{game_id}"
        while most:
            with lock:
                asked = client.get(f"{game}/legal-moves")
                if asked["turn"] is not None:
                    move = {"turn": asked["turn"], "move": rng.choice(asked["moves"])}
                    answer = client.ask("POST", f"{game}/moves", json=move)
                    assert answer.status_code in (200, 201), answer.text
                    played = answer.json()
                    self.answers.append(Answer(game_id, played["you"]["seat"], **move, version=played["version"]))
                    most -= 1
                    continue
                if client.get(game)["status"] == "finished":
                    break
            time.sleep(LOOK)

    def plays_by_page(self, lock: threading.Lock, rng: Random, email: str) -> None:
        client, read, over = Client(self.house), set[str](), set[UUID]()
        while len(over) < len(self.games):
            with lock:
                for mail in self.house.post.of(email):
                    if mail.message_id in read:
                        continue
                    read.add(mail.message_id)
                    if word := mail.word("t"):
                        self.answers.append(plays_a_turn(client, word, rng))
                over |= {game_id for game_id in self.games if client.get(f"/v1/games/{game_id}")["outcome"]}
            time.sleep(LOOK)
        self.retries += client.retries

    def until(self, holds: Callable[[], Any], patience: float = 2 * PATIENCE) -> None:
        """While everybody plays; a player's failure is ours."""

        def look() -> Any:
            for player in self._playing:
                if player.done():
                    player.result()
            return holds()

        until(look, patience)

    def is_over(self) -> bool:
        return all(player.done() for player in self._playing)

    def placements(self) -> int:
        return self.house.count("events WHERE type = 'star-placed'")

    @contextmanager
    def time_stands_still(self) -> Iterator[None]:
        """Hold all moves and wait for all letters, so that the clock can jump safely."""
        with ExitStack() as stack:
            for lock in self._turns_of:
                stack.enter_context(lock)
            self.house.await_letters(besides=DORA)
            yield

    # Emil

    @property
    def emil(self) -> Json:
        """Return the player's seat as stored in the database."""
        return self.house.rows(f"{SEATS} WHERE players.email = %s", EMIL)[0]

    def emil_is_asked(self) -> None:
        self.until(lambda: self.emil["turn"] is not None and self.emil["stand_in"] is None)

    def passes_to_his_next(self, moment: str) -> None:
        """To the time of `wake_at` (the next reminder, or the time-out) or straight to `due_at`."""
        with self.time_stands_still():
            before = self.emil
            self.house.forward_to(before[moment])
        self.until(lambda: self.emil["wake_at"] != before["wake_at"])

    def passes_while_a_worker_is_killed(self, worker: Any) -> None:
        """Kill one of two sweeps in the middle of the time-out that the other one leaves to it."""
        with self.time_stands_still():
            before = self.emil
            with self.house.locked("SELECT * FROM seats WHERE game_id = %s", before["game_id"]):
                self.house.forward_to(before["due_at"])
                self.house.await_waiters()
                self.house.kill(worker)
            self.house.start_worker()
        self.until(lambda: self.emil["turn"] != before["turn"])

    # What is left of it

    @cached_property
    def logs(self) -> dict[UUID, list[Recorded]]:
        columns = ", ".join(Recorded._fields)
        return {
            game_id: [
                Recorded(**row)
                for row in self.house.rows(f"SELECT {columns} FROM events WHERE game_id = %s ORDER BY seq", game_id)
            ]
            for game_id in self.games
        }

    @cached_property
    def tables(self) -> dict[tuple[UUID, int], Table]:
        """Each game at each of its versions, by the log."""
        found = {}
        for game_id, log in self.logs.items():
            table = new_table(RULES.NAME)
            for version, commit in groupby(log, key=lambda row: row.version):
                table = found[game_id, version] = fold(table, list(commit))
        return found

    @cached_property
    def seats(self) -> dict[tuple[UUID, int], Json]:
        return {(row["game_id"], row["seat"]): row for row in self.house.rows(SEATS)}

    @cached_property
    def deliveries(self) -> dict[UUID, Json]:
        """The last try of each letter of a game."""
        return {row["letter_id"]: row for row in self.house.rows("SELECT * FROM deliveries ORDER BY nr")}

    @cached_property
    def mails(self) -> list[tuple[Mail, Json]]:
        """All mails of games, each once, with what became of the letter."""
        distinct = {mail.message_id: mail for mail in self.house.post.letters}
        return [
            (mail, self.deliveries[mail.letter_id]) for mail in distinct.values() if mail.letter_id in self.deliveries
        ]

    def mails_of(self, kind: str) -> list[tuple[Mail, Json]]:
        return [(mail, row) for mail, row in self.mails if row["kind"] == kind]


def plays_a_turn(client: Client, word: str, rng: Random) -> Answer:
    """Open the link, look at a move, and only then play it."""
    game_id, seat, turn = Turn.of(word)
    page = client.ask("GET", f"/t/{word}/plain")
    assert page.status_code == 200, page.text
    line = rng.choice(re.findall(r'<option value="(.+?)">', page.text))
    asked = client.ask("POST", f"/t/{word}", data={"move": line})
    assert asked.status_code == 200
    assert f"Play {line}" in asked.text
    assert client.get(f"/v1/games/{game_id}")["seats"][seat]["turn"] == turn
    played = client.ask("POST", f"/t/{word}", data={"move": line, "confirmed": "yes"})
    assert played.status_code == 200
    assert "Played" in played.text
    return Answer(game_id, seat, turn, RULES.move_to_json(RULES.read_move(line)), None)


@pytest.fixture(scope="module")
def evening() -> Iterator[Evening]:
    with ThreadPoolExecutor(16) as threads, new_house() as house:
        began = time.monotonic()
        evening = Evening(house)
        worker, _ = house.start_worker(), house.start_worker()
        house.start_web()
        evening.sign_in(threads)
        house.post.hold(DORA)
        evening.open_games()
        evening.take_seats()

        of_three, of_four, of_five = evening.games
        evening.starts(evening.plays_by_page, threads, CLEO)
        emil = evening.starts(evening.plays_by_rest, threads, EMIL, of_four, 2)
        for email, game_id in [
            *((ADA, of_three), (BEN, of_three), (BEN, of_four), (DORA, of_four)),
            *((DORA, of_five), (ADA, of_five), (FAY, of_five), (GIL, of_five)),
        ]:
            evening.starts(evening.plays_by_rest, threads, email, game_id)

        evening.until(lambda: evening.placements() >= 30)
        house.kill(house.web)
        house.start_web()
        evening.until(lambda: evening.placements() >= 70)
        house.crash_postgres()

        evening.until(emil.done)
        evening.emil_is_asked()
        for _ in ("half the time", "three hours", "the due time", "three hours again", "the due time again"):
            evening.passes_to_his_next("wake_at")
        evening.emil_is_asked()
        evening.passes_while_a_worker_is_killed(worker)
        evening.emil_is_asked()
        evening.passes_to_his_next("due_at")
        bot_has_moved = "events WHERE game_id = %s AND type = 'star-placed' AND seat = %s AND version > %s"
        handed_over = house.rows("SELECT * FROM events WHERE type = 'seat-handed-over'")[0]
        place = (of_four, handed_over["seat"], handed_over["version"])
        evening.until(lambda: house.count(bot_has_moved, *place) >= 2)
        evening.people[EMIL].post(f"/v1/games/{of_four}/seats", {})
        evening.starts(evening.plays_by_rest, threads, EMIL, of_four)

        evening.until(evening.is_over)
        house.await_letters(besides=DORA)
        evening.opened_at = house.forward(timedelta(hours=1))  # with letters in many hands, which stay theirs
        house.post.release(DORA)
        house.await_letters()
        evening.retries += sum(client.retries for client in evening.people.values())
        evening.seconds = time.monotonic() - began
        yield evening


# The log


def test_each_game_has_all_its_placements_and_scorings(evening: Evening) -> None:
    for log in evening.logs.values():
        counted = Counter(row.type for row in log)
        assert (counted["star-placed"], counted["board-scored"], counted["game-ended"]) == (PLACEMENTS, SCORINGS, 1)


def test_the_log_has_no_gaps_and_each_hash_is_chained_to_the_one_before(evening: Evening) -> None:
    with psycopg.connect(evening.house.database_url) as connection:
        assert many_due.broken(connection, evening.games) == []


def test_replaying_the_log_gives_the_final_state_that_every_player_sees(evening: Evening) -> None:
    for game_id, log in evening.logs.items():
        table = fold(new_table(RULES.NAME), log)
        assert (table.status, table.version) == ("finished", log[-1].version)
        for client in [Client(evening.house), *evening.people.values()]:
            seen = client.get(f"/v1/games/{game_id}")
            assert (seen["status"], seen["version"]) == (table.status, table.version)
            assert seen["view"] == RULES.view(table.state, seen["you"] and seen["you"]["seat"])
            assert table.ended is not None
            assert seen["outcome"] == {"scores": table.ended.scores, "places": table.ended.places}


def test_every_acknowledged_move_counts_exactly_once(evening: Evening) -> None:
    placed = [(game_id, row) for game_id, log in evening.logs.items() for row in log if row.type == "star-placed"]
    counted = Counter(
        (game_id, row.seat, evening.tables[game_id, row.version - 1].turns[row.seat], *move_of(row.body))
        for game_id, row in placed
    )
    acknowledged = Counter((it.game_id, it.seat, it.turn, *move_of(it.move)) for it in evening.answers)
    assert set(counted.values()) == set(acknowledged.values()) == {1}
    by_bot = counted.keys() - acknowledged.keys()
    assert {(game_id, seat) for game_id, seat, *_ in by_bot} == {(evening.emil["game_id"], evening.emil["seat"])}
    assert acknowledged.keys() < counted.keys()
    seats = {(game_id, row.version): row.seat for game_id, row in placed}
    assert all(seats[it.game_id, it.version] == it.seat for it in evening.answers if it.version is not None)


def move_of(fields: Json) -> tuple[str, str, str]:
    return fields["star"], fields["board"], fields["space"]


# Emil


def test_an_absent_player_gets_more_time_then_a_bot_moves_then_replaces_them_until_they_return(
    evening: Evening,
) -> None:
    _, of_four, _ = evening.games
    house = [(row.type, row.seat, row.body.get("bot")) for row in evening.logs[of_four] if row.type in HOUSE_EVENTS]
    seat = evening.emil["seat"]
    assert house == [
        ("game-started", None, None),
        ("time-extended", seat, None),
        ("time-ran-out", seat, "greedy"),
        ("time-ran-out", seat, "greedy"),
        ("time-ran-out", seat, None),
        ("seat-handed-over", seat, "greedy"),
        ("seat-taken-back", seat, None),
        ("game-ended", None, None),
    ]
    back = next(row.version for row in evening.logs[of_four] if row.type == "seat-taken-back")
    own = [it for it in evening.answers if (it.game_id, it.seat) == (of_four, seat) and it.turn > back]
    assert len(own) >= 2


def test_no_player_runs_out_of_time_in_the_games_without_absent_players(evening: Evening) -> None:
    of_three, _, of_five = evening.games
    for game_id in (of_three, of_five):
        house = [row.type for row in evening.logs[game_id] if row.type in HOUSE_EVENTS]
        assert house == ["game-started", "game-ended"]


def test_the_absent_player_is_notified_of_each_step_once(evening: Evening) -> None:
    counted = Counter(row["kind"] for mail, row in evening.mails if mail.to == EMIL)
    del counted["your-turn"]
    assert counted == {"reminder": 3, "time-extended": 1, "bot-moved": 2, "seat-handed-over": 1, "game-ended": 1}


# The mails


def asked(evening: Evening) -> set[Turn]:
    """Every turn that a human was asked for, by the log."""
    found = set()
    for game_id, log in evening.logs.items():
        for version, commit in groupby(log, key=lambda row: row.version):
            table = evening.tables[game_id, version]
            back = {event.seat for row in commit if isinstance(event := parse_event(RULES, row), SeatTakenBack)}
            for seat, turn in enumerate(table.turns):
                if turn is not None and table.stand_ins[seat] is None and (turn == version or seat in back):
                    found.add(Turn(game_id, seat, turn))
    return found


def test_each_player_gets_one_email_per_turn(evening: Evening) -> None:
    given_up = {
        Turn(row["game_id"], row["seat"], row["version"])
        for row in evening.deliveries.values()
        if row["kind"] == "your-turn" and row["result"] == "given-up"
    }
    assert all(evening.seats[it.game_id, it.seat]["email"] == DORA for it in given_up)
    told = Counter(Turn.of(mail.word("t") or "") for mail, _ in evening.mails_of("your-turn"))
    wanted = asked(evening) - given_up
    assert set(told.values()) == {1}
    assert set(told) <= wanted
    missing = wanted - overtaken(evening) - set(told)
    assert not missing, [
        row for row in evening.deliveries.values() if (row["game_id"], row["seat"]) in {it[:2] for it in missing}
    ]


def overtaken(evening: Evening) -> set[Turn]:
    """Turns that were over when their letter was to be carried (again), while a newer one of the game was carried."""
    rows = list(evening.deliveries.values())
    newest: dict[tuple[UUID, int], int] = {}
    for row in rows:
        if row["result"] == "sent":
            place = row["game_id"], row["seat"]
            newest[place] = max(row["version"], newest.get(place, 0))
    dropped = [row for row in rows if row["kind"] == "your-turn" and row["result"] == "dropped"]
    return {
        Turn(row["game_id"], row["seat"], row["version"])
        for row in dropped
        if row["version"] < newest.get((row["game_id"], row["seat"]), 0)
    }


def test_no_email_is_sent_twice_despite_a_killed_postgres_and_clock_jumps(evening: Evening) -> None:
    """Nor by the death of the worker, since that had nothing in its hands but letters that Dora's mailbox did not take."""
    copies = Counter(mail.message_id for mail in evening.house.post.letters)
    assert set(copies.values()) == {1}


def test_every_player_is_notified_once_when_a_game_ends(evening: Evening) -> None:
    told = Counter((row["game_id"], row["seat"]) for _, row in evening.mails_of("game-ended"))
    assert told == dict.fromkeys(evening.seats, 1)


def test_no_email_is_sent_to_the_wrong_player(evening: Evening) -> None:
    for mail, row in evening.mails:
        sitting = evening.seats[row["game_id"], row["seat"]]
        assert mail.to == mail.message["To"] == sitting["email"]
        if row["kind"] != "invitation":
            assert row["player_id"] == sitting["player_id"]
            assert re.search(rf"^{sitting['name']}, ", mail.text, re.MULTILINE)
        if word := mail.word("t"):
            assert Turn.of(word)[:2] == (row["game_id"], row["seat"])


def test_the_emails_about_a_game_form_one_thread(evening: Evening) -> None:
    for mail, row in evening.mails:
        assert mail.message["References"] == mail.message["In-Reply-To"] == f"<{row['game_id']}@localhost>"


BOARD = re.compile(r"^(\w+)(?: \(\w+\))?: prizes .*\n((?:  \w+ (?:large|small): .*\n)+)", re.MULTILINE)
SPACE = re.compile(r"^  (\w+) (?:large|small): (?:empty|([\w ]+), (.+?)) - next to", re.MULTILINE)
TOLD = re.compile(r"(\w+) put (a hidden star|a black hole|a double star|a \d+) on ([\w' ]+) (\w)\.")
NAMED = {board.names["en"]: board for board in BOARDS.values()}


def unfolded(mail: Mail) -> str:
    return re.sub(r"\n {4,}", " ", mail.text)


def test_no_email_shows_another_players_hidden_star(evening: Evening) -> None:
    hidden = 0
    for mail, row in evening.mails_of("your-turn"):
        table = evening.tables[row["game_id"], row["version"]]
        boards = {NAMED[name].id: lines for name, lines in BOARD.findall(unfolded(mail))}
        assert boards.keys() == table.state.stars.keys()
        for board, lines in boards.items():
            shown = {space: (name, star) for space, name, star in SPACE.findall(lines)}
            for space, room in BOARDS[board].spaces.items():
                lying = table.state.stars[board].get(space)
                if lying is None:
                    assert shown[space] == ("", "")
                    continue
                is_hidden = room.size == "large" and lying.seat != row["seat"]
                hidden += is_hidden
                face_down = ["face down"] if room.size == "large" else []
                star = ", ".join(face_down if is_hidden else [lying.star, *face_down])
                assert shown[space] == (evening.seats[row["game_id"], lying.seat]["name"], star)
        hand = " ".join(table.state.hands[row["seat"]]) or "no star"
        assert f"Your hand: {hand}\n" in mail.text
    assert hidden > 100


def test_no_email_mentions_another_players_hidden_star(evening: Evening) -> None:
    told = 0
    for mail, row in evening.mails:
        reader = evening.seats[row["game_id"], row["seat"]]["name"]
        for name, words, board, space in TOLD.findall(mail.text):
            is_hidden = NAMED[board].spaces[space].size == "large" and name not in (reader, "You")
            assert (words == "a hidden star") == is_hidden, mail.text
            told += is_hidden
    assert told > 100


def test_a_dead_mailbox_does_not_delay_other_players(evening: Evening) -> None:
    late = [mail.to for mail, row in evening.mails_of("your-turn") if row["at"] >= evening.opened_at]
    assert set(late) <= {DORA}


# In the end


def test_nothing_is_left_in_any_queue(evening: Evening) -> None:
    house = evening.house
    assert house.count("outbox") == house.count("player_outbox") == 0
    assert house.count("seats WHERE wake_at IS NOT NULL OR due_at IS NOT NULL OR turn IS NOT NULL OR to_act") == 0
    assert house.count("games WHERE status <> 'finished'") == 0


def test_some_requests_of_the_evening_had_to_be_retried(evening: Evening) -> None:
    letters = evening.house.post.letters
    kinds = Counter(row["kind"] for _, row in evening.mails)
    print(
        f"\n{len(evening.games)} games, {sum(map(len, evening.logs.values()))} events, "
        f"{len(evening.answers)} moves by {len(evening.people) + 1} people, {evening.retries} requests sent again, "
        f"{len(letters)} mails ({len(letters) - len({mail.message_id for mail in letters})} twice): "
        f"{', '.join(f'{count} {kind}' for kind, count in sorted(kinds.items()))}; {evening.seconds:.0f} s"
    )
    assert evening.retries  # some requests met a killed process
