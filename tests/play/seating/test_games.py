"""Opening and listing games."""

from typing import Any
from uuid import UUID

import pytest

from server.errors import BadField
from server.games import commitment
from server.games.sternenhimmel.options import DEFAULT_EDITION
from server.play.commits import load
from server.play.game import BOT_NAMES
from server.play.seating import lobby
from server.play.seating.games import open_game
from server.play.seating.lobby import list_games
from server.play.timing.time_control import DEFAULT_CLOCK
from server.play.timing.timeout_policy import DEFAULT_LADDER
from server.play.views import describe
from server.store.tables import GameRow, db
from tests.support.games import BOT, ME, OPEN, everything_due_happens, game_of, happened, moves_on, wanted

pytestmark = pytest.mark.usefixtures("within")


# Opening a game


def test_a_seat_is_open_or_reserved_for_the_host_an_invited_player_or_a_bot(ada: UUID) -> None:
    game = open_game(ada, wanted(OPEN, {"email": "bea@example.org"}, {"bot": "random"}, ME))
    assert [seat.kind for seat in game.seats] == ["open", "invited", "bot", "human"]
    assert (game.table.status, game.table.version) == ("open", 0)
    assert game.seat_of(ada) == 3
    assert game.names == ["Seat 1", "Seat 2", "Random", "ada"]


def test_several_bots_of_the_same_kind_are_numbered(ada: UUID) -> None:
    seats = [{"bot": "greedy"}, {"player": "me"}, {"bot": "random"}, {"bot": "greedy"}]
    game = open_game(ada, {"rules": "sternenhimmel", "seats": seats})
    assert game.names == ["Greedy 1", "ada", "Random", "Greedy 2"]


def test_bots_with_a_level_have_names_of_their_own(ada: UUID) -> None:
    seats = [{"player": "me"}, *({"bot": "level-2"} for _ in range(3)), {"bot": "greedy"}]
    game = open_game(ada, {"rules": "sternenhimmel", "seats": seats})
    assert set(game.names[1:4]) < set(BOT_NAMES)
    assert len(set(game.names)) == 5
    assert game.names[4] == "Greedy"
    assert game.introduced(game.seats[1]) == f"the bot {game.names[1]} (Level 2)"
    assert game.introduced(game.seats[4]) == "the bot Greedy"


def test_a_game_with_all_seats_taken_starts_immediately(ada: UUID) -> None:
    game = open_game(ada, wanted(ME, BOT, BOT))
    assert (game.table.status, game.table.version, game.table.turns) == ("running", 1, (1, None, None))
    assert happened(game.game_id) == ["game-started", "boards-shuffled", *["board-dealt"] * 3]


def test_the_worker_plays_a_game_between_bots_to_its_end(ada: UUID) -> None:
    game_id = open_game(ada, wanted(BOT, {"bot": "random"}, BOT)).game_id
    everything_due_happens()
    game = load(game_id)
    assert game.table.status == game.head.status == "finished"
    assert happened(game_id)[-1] == "game-ended"
    assert game.head.outcome["scores"] == list(game.table.state.coins)


def test_omitted_fields_get_their_defaults(ada: UUID) -> None:
    head = open_game(ada, {"rules": "sternenhimmel", "seats": [ME, OPEN, OPEN]}).head
    assert (head.clock, head.on_timeout) == (DEFAULT_CLOCK, DEFAULT_LADDER)
    assert (head.title, head.private) == ("Sternenhimmel", False)
    assert head.options["edition"] == DEFAULT_EDITION


def test_a_title_is_sanitized(ada: UUID) -> None:
    assert open_game(ada, wanted(ME, OPEN, OPEN, title=" A\n\tnight\u202e ")).head.title == "A night"
    with pytest.raises(BadField, match="visible"):
        open_game(ada, wanted(ME, OPEN, OPEN, title="\u200b\u2800"))


def test_the_commitment_hashes_a_unique_256_bit_seed(ada: UUID) -> None:
    games = [open_game(ada, wanted(ME, OPEN, OPEN)) for _ in range(3)]
    assert all(len(game.head.seed) == 32 for game in games)
    shown = [describe(game, None)["commitment"] for game in games]
    assert shown == [commitment(game.head.seed) for game in games]
    assert len(set(shown)) == 3


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"seats": [ME, ME, OPEN]}, "seats"),
        ({"seats": [ME, {"bot": "nobody"}, OPEN]}, "seats.1"),
        ({"seats": [{"player": "you"}, OPEN, OPEN]}, "seats.0"),
        ({"seats": [ME, OPEN, {}]}, "seats.2"),
        ({"rules": "chess"}, "rules"),
        ({"clock": {"per_move": "P1M"}}, "clock"),
        ({"on_timeout": [{"do": "bot-takes-over", "bot": "nobody"}]}, "on_timeout"),
    ],
)
def test_an_invalid_field_is_named_and_no_game_is_opened(ada: UUID, changes: Any, field: str) -> None:
    with pytest.raises(BadField) as refused:
        open_game(ada, wanted(ME, OPEN, OPEN) | changes)
    assert refused.value.field == field
    assert db.session.scalar(db.select(db.func.count()).select_from(GameRow)) == 0


# Lists


def test_a_turn_is_found_however_many_games_wait_for_other_players(
    ada: UUID, bea: UUID, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lobby, "_MANY", 2)
    oldest, *others = (game_of(ada, bea, bots=1) for _ in range(6))
    for game_id in others:
        moves_on(game_id, ada)
    assert [it["id"] for it in list_games(ada, my_turn=True, limit=1).items] == [oldest]
