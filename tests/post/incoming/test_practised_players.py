"""Emails to players who have had a few turns."""

from uuid import UUID

from tests.post.office import Office
from tests.support.games import game_of, moves_on, person


def test_emails_say_how_to_write_a_move_in_the_second_and_third_turn(office: Office, ada: UUID, bea: UUID) -> None:
    cyd = person("cyd")
    game_id = game_of(ada, bea, cyd)
    told = list[bool]()
    for _ in range(5):
        letter = office.mails("ada")[-1]
        told.append("How to write a move" in letter.text)
        for part in (letter.text, letter.page):
            assert ("to read how to write a move." in part) != told[-1]
        moves_on(game_id, ada)
        moves_on(game_id, bea)
        moves_on(game_id, cyd)
    assert told == [False, True, True, False, False]
