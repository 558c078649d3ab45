"""Plans by email: made, shown and dropped by a line, and reported in the next turn's letter."""

from uuid import UUID

import pytest

from server.accounts.players import change_profile
from server.games import Json
from server.games.presentation import sentence
from server.games.sternenhimmel.material import BOARDS
from server.play.commits import whole_log
from server.play.planning.plans import get_plan, put_plan
from server.play.views import story, view_of
from tests.post.incoming.replying import a_move, ada_writes
from tests.post.office import Office
from tests.support.games import everything_due_happens, head_of, moves_on, seats_of, until

pytestmark = pytest.mark.usefixtures("within")


def own_lines(game_id: UUID) -> tuple[str, str, str]:
    """Two moves that Ada may leave after her first, and the place of the second."""
    boards = view_of(head_of(game_id), None)["boards"]
    (one, a), (two, b) = ((board["board"], list(board["spaces"])[-1]) for board in boards[:2])
    return f"7 {one} {a}", f"3 {two} {b}", f"{two} {b}"


def test_a_plan_that_is_sent_with_a_move_plays_the_next_turn(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    first, second, place = own_lines(game_id)
    move = a_move(game_id, ada)
    answer = ada_writes(office, f"{move}\n\nplan {first}; {second} if {place} is free")
    assert f"Planned for your next turns: {first}; {second} (with a condition)." in " ".join(answer.text.split())
    view = view_of(head_of(game_id), None)
    board, space = place.split()
    slot = [it["board"] for it in view["boards"]].index(board)
    assert get_plan(game_id, ada)["moves"][1]["if"] == [
        {"at": f"/boards/{slot}/board", "is": board},
        {"at": f"/boards/{slot}/spaces/{space}", "is": None},
    ]


def test_a_plan_can_be_shown_and_dropped_in_the_readers_language(office: Office, game_id: UUID, ada: UUID) -> None:
    office.mails("ada")
    moves_on(game_id, ada)
    assert "You haven't planned any moves" in ada_writes(office, "plan").text
    first, *_ = own_lines(game_id)
    change_profile(ada, {"locale": "de"})
    star, board, space = first.split()
    in_german = f"{star} {BOARDS[board].names['de'].lower()} {space}"
    assert in_german in ada_writes(office, f"Plan {in_german}").text
    assert get_plan(game_id, ada)["moves"]
    ada_writes(office, "Plan aus")
    assert get_plan(game_id, ada)["moves"] == []


def test_our_reply_to_an_impossible_plan_gives_the_reason(office: Office, game_id: UUID, ada: UUID) -> None:
    office.mails("ada")
    moves_on(game_id, ada)
    first, second, place = own_lines(game_id)
    again = second.replace("3 ", "7 ")
    for line, why in (
        (f"plan {first}; {again}", "You have no 7 left for this move"),
        (f"plan {first} if {place}x is free", "This is not a space of a constellation in play."),
        (f"plan {first} if {place}", "This isn't quite the right form"),
    ):
        assert why in " ".join(ada_writes(office, line).text.split())
    assert get_plan(game_id, ada)["moves"] == []


def left(game_id: UUID, who: UUID, *conditions: Json, after: str = "PT0S") -> str:
    first, *_ = own_lines(game_id)
    rules = head_of(game_id).table.rules
    move = rules.move_to_json(rules.read_move(first))
    put_plan(game_id, who, 0, [{"move": move, "if": list(conditions), "after": after}])
    return first


def test_the_next_turn_email_reports_the_plan_only_to_its_owner(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    office.mails("ada")
    move = left(game_id, bea, {"at": "/next", "is": 2})
    moves_on(game_id, ada)
    everything_due_happens()
    letter = office.mails("bea")[-1]
    assert f"You planned {move}, but its condition isn't met" in " ".join(letter.text.split())
    assert not any("planned" in mail.text for mail in office.mails("ada"))


def test_the_turn_email_says_when_a_delayed_planned_move_will_be_played(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    move = left(game_id, bea, after="PT6H")
    moves_on(game_id, ada)
    everything_due_happens()
    assert f"As you planned, we'll play {move} at " in " ".join(office.mails("bea")[-1].text.split())
    plan_at = seats_of(game_id)[1].plan_at
    assert plan_at
    until(plan_at)
    everything_due_happens()
    assert [row.seat for row in whole_log(game_id) if row.type == "star-placed"][:2] == [0, 1]


def test_no_email_is_sent_for_a_planned_turn_and_the_next_email_reports_it(
    office: Office, game_id: UUID, ada: UUID, bea: UUID
) -> None:
    before = len(office.mails("bea"))
    left(game_id, bea)
    moves_on(game_id, ada)
    everything_due_happens()
    assert len(office.mails("bea")) == before
    moves_on(game_id, ada)
    everything_due_happens()
    game = head_of(game_id)
    (own,) = (it for it in story(game, 1) if it.get("by") == "plan")
    assert sentence(own, game.names, "en", reader=1) in " ".join(office.mails("bea")[-1].text.split())
