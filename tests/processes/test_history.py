"""The history checker finds every planted fault."""

from collections.abc import Iterator
from uuid import UUID

import orjson
import psycopg
import pytest

from server.games import Json
from server.play.commits import load
from server.play.turns.first_answers import Played
from tests.support.games import game_of, moves_on, person
from tests.support.history import Acknowledged, check_moves, letters_of, note_letters
from tests.support.stage import in_process


class Scene:
    """A game of three in which Ada has moved twice, and what her program was answered."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.ada, *others = map(person, ("ada", "ben", "cleo"))
        self.game_id = game_of(self.ada, *others)
        first = moves_on(self.game_id, self.ada)
        self.of_ben, _ = [self.acknowledged(moves_on(self.game_id, who)).answer for who in others]
        self.history = [self.acknowledged(it) for it in (first, moves_on(self.game_id, self.ada))]
        self.newest = self.game_id, self.history[-1].answer["version"]

    def acknowledged(self, played: Played) -> Acknowledged:
        answer: Json = orjson.loads(orjson.dumps(played.answer, option=orjson.OPT_NON_STR_KEYS, default=list))
        return Acknowledged(self.game_id, 0, answer)

    def forges(self, statement: str) -> None:
        """As an owner can who takes the guards off."""
        with psycopg.connect(self.url) as owner:
            owner.execute("SET session_replication_role = replica")
            owner.execute(statement, self.newest)


@pytest.fixture
def scene(database_url: str) -> Iterator[Scene]:
    note_letters(database_url)
    with in_process(database_url):
        yield Scene(database_url)


def made(scene: Scene) -> list[UUID]:
    with psycopg.connect(scene.url) as owner:
        return [letter_id for (letter_id,) in owner.execute("SELECT letter_id FROM made")]


def test_checking_a_correct_history_finds_nothing(scene: Scene) -> None:
    assert check_moves(scene.url, scene.history) == (2, [], [], [])
    letters = letters_of(scene.url, made(scene))
    assert letters.made == letters.arrived > 0
    assert not letters.lost and not letters.twice


def test_checking_a_history_finds_a_lost_move(scene: Scene) -> None:
    scene.forges("DELETE FROM events WHERE game_id = %s AND version = %s")
    assert check_moves(scene.url, scene.history) == (2, [scene.newest], [], [])


def test_checking_a_history_finds_a_move_attributed_to_another_seat(scene: Scene) -> None:
    scene.forges("UPDATE events SET seat = 1 WHERE game_id = %s AND version = %s")
    assert scene.newest in check_moves(scene.url, scene.history).lost


def test_checking_a_history_finds_every_move_of_a_lost_game(scene: Scene) -> None:
    scene.forges("DELETE FROM games WHERE game_id = %s AND version >= %s")
    assert len(check_moves(scene.url, scene.history).lost) == 2


def test_checking_a_history_finds_a_duplicate_move(scene: Scene) -> None:
    """The log has one more of Ada's than her program was ever told of."""
    assert check_moves(scene.url, scene.history[:1]) == (1, [], [scene.newest], [])


def test_checking_a_history_finds_a_move_that_was_acknowledged_twice(scene: Scene) -> None:
    assert check_moves(scene.url, [*scene.history, scene.history[-1]]).doubled == [scene.newest]


def test_checking_a_history_finds_a_leaked_secret(scene: Scene) -> None:
    """Show Ada what only Ben may see, such as Ben's face-down stars."""
    *before, last = scene.history
    table = load(scene.game_id).table
    bens = orjson.loads(orjson.dumps(table.rules.view(table.state, 1), option=orjson.OPT_NON_STR_KEYS, default=list))
    leaky = last._replace(answer=last.answer | {"view": bens})
    assert check_moves(scene.url, [*before, leaky]) == (2, [], [], [scene.newest])


def test_checking_a_history_finds_a_secret_leaked_by_an_event(scene: Scene) -> None:
    """Send Ada a move of Ben as Ben saw it happen."""
    *before, last = scene.history
    leaky = last._replace(answer=last.answer | {"events": last.answer["events"] + scene.of_ben["events"]})
    assert check_moves(scene.url, [*before, leaky]) == (2, [], [], [scene.newest])


def test_checking_a_history_finds_lost_and_duplicate_emails(scene: Scene) -> None:
    lost, *arrived = made(scene)
    letters = letters_of(scene.url, [*arrived, arrived[0]])
    assert letters.lost == {lost}
    assert (letters.made, letters.arrived, letters.twice) == (len(arrived) + 1, len(arrived), 1)
