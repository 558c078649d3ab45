"""Time that does not count, as in a vacation, and time that is saved up in a bank."""

from uuid import UUID

import pytest

from server.accounts.players import change_profile
from server.clock import clock
from server.errors import BadField
from tests.support.games import (
    BANK,
    DAY,
    HOUR,
    everything_due_happens,
    game_of,
    later,
    moves_on,
    recorded_at,
    seats_of,
    until,
)

pytestmark = pytest.mark.usefixtures("within")


# Vacations


def vacation(first: int, last: int) -> dict[str, str]:
    """From so many days after today to so many."""
    today = clock.now().date()
    return {"from": (today + first * DAY).isoformat(), "to": (today + last * DAY).isoformat()}


def plans(who: UUID, *vacations: dict[str, str]) -> None:
    change_profile(who, {"calendar": {"vacations": list(vacations)}})


def early_in_a_year() -> None:
    now = clock.now()
    later(now.replace(year=now.year + 1, month=2, day=1, hour=12) - now)


def test_a_vacation_that_has_begun_may_end_today_at_the_earliest(ada: UUID) -> None:
    early_in_a_year()
    plans(ada, vacation(0, 20))
    later(3 * DAY)
    for changed in ([], [vacation(-3, -1)], [vacation(-2, 5)], [vacation(1, 20)]):
        with pytest.raises(BadField, match="a vacation that has begun") as refused:
            plans(ada, *changed)
        assert refused.value.field == "calendar"
    with pytest.raises(BadField, match="a vacation that has begun"):
        change_profile(ada, {"calendar": {}})
    plans(ada, vacation(-3, 0))


def test_days_of_vacation_that_are_over_count_until_the_end_of_their_year(ada: UUID) -> None:
    early_in_a_year()
    plans(ada, vacation(0, 40))
    later(41 * DAY)
    over = vacation(-41, -1)
    with pytest.raises(BadField, match="a vacation that has begun"):
        plans(ada, vacation(0, 40))
    with pytest.raises(BadField, match="More than 42 days"):
        plans(ada, over, vacation(0, 1))
    plans(ada, over, vacation(0, 0))
    later(365 * DAY)
    plans(ada, vacation(0, 40))


def test_a_vacation_that_is_still_to_come_can_be_dropped(ada: UUID) -> None:
    early_in_a_year()
    plans(ada, vacation(1, 20))
    plans(ada)


def test_a_vacation_begins_as_the_players_own_clocks_tell(ada: UUID) -> None:
    early_in_a_year()
    change_profile(ada, {"zone": "Pacific/Kiritimati"})  # where it is two o'clock tomorrow
    plans(ada, vacation(1, 2))
    with pytest.raises(BadField, match="a vacation that has begun"):
        plans(ada)


# Banks


def test_a_bank_keeps_what_a_turn_leaves_and_each_turn_adds_the_increment(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock=BANK)
    asked_at = recorded_at(game_id, "game-started")
    assert seats_of(game_id)[0].due_at == asked_at + 3 * DAY
    later(DAY)
    moves_on(game_id, ada)
    used = recorded_at(game_id, "star-placed") - asked_at
    assert seats_of(game_id)[1].due_at == recorded_at(game_id, "star-placed") + 3 * DAY
    moves_on(game_id, bea)
    everything_due_happens()
    kept = 3 * DAY - used + 12 * HOUR
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "star-placed") + kept


def test_a_bank_never_holds_more_than_its_cap(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock=BANK)
    for _ in range(4):
        moves_on(game_id, ada)
        moves_on(game_id, bea)
        everything_due_happens()
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "star-placed") + 4 * DAY


def test_who_needed_an_extension_goes_on_with_the_increment_alone(ada: UUID, bea: UUID) -> None:
    game_id = game_of(ada, bea, bots=1, clock=BANK)
    until(seats_of(game_id)[0].due_at)
    everything_due_happens()
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "time-extended") + DAY
    moves_on(game_id, ada)
    moves_on(game_id, bea)
    everything_due_happens()
    assert seats_of(game_id)[0].due_at == recorded_at(game_id, "star-placed") + 12 * HOUR
