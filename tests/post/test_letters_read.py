"""A turn letter read aloud is enough: a program with only its text plays to the end. On a phone, addresses stay whole."""

from random import Random
from uuid import UUID

import pytest
from playwright.sync_api import Browser

from server.games import GAMES, Json
from server.games.presentation import read_move
from server.games.sternenglanz.material import CARDS
from server.games.sternenglanz.names import card_name
from server.play.moves import play_move
from server.play.seating.games import open_game
from server.play.seating.seats import take_seat
from server.post.letters.seats import SeatHandedOver
from server.post.wording import write_page
from tests.post import reader
from tests.post.reader import text_of
from tests.support.browser import chromium
from tests.support.games import ME, OPEN, game_of, head_of, letters, moves_of, person, seats_of, turn_of

RNG = Random()
pytestmark = pytest.mark.usefixtures("within", "same_choices")
assert chromium  # a fixture


@pytest.fixture
def same_choices() -> None:
    RNG.seed(5)


def read_turn(game_id: UUID, who: UUID) -> str:
    """The mail for the turn that this person is asked for now."""
    return text_of([it for it in letters(game_id, "your-turn") if it.player_id == who][-1])


def answer(game_id: UUID, who: UUID, text: str) -> None:
    """One of the moves that the mail names; the rest of a turn that has begun is none of this mail's, but of its answer."""
    rules, turn = head_of(game_id).table.rules, turn_of(game_id, who)
    assert turn is not None
    play_move(game_id, who, turn, rules.move_to_json(read_move(rules, RNG.choice(reader.moves(text)), "en")))
    while (on := turn_of(game_id, who)) and rules.is_mid_turn(head_of(game_id).table.state, seat_of(game_id, who)):
        play_move(game_id, who, on, RNG.choice(moves_of(game_id, who)))


def seat_of(game_id: UUID, who: UUID) -> int:
    return next(it.seat for it in seats_of(game_id) if it.player_id == who)


def asked(game_id: UUID, people: list[UUID]) -> dict[int, str]:
    """The mails to all who are asked now, by seat."""
    return {seat: read_turn(game_id, who) for seat, who in enumerate(people) if turn_of(game_id, who) is not None}


def seen_of_sky(view: Json) -> Json:
    boards = [{"board": it["board"], "spaces": it["spaces"]} for it in view["boards"]]
    return {**{key: view[key] for key in ("coins", "hand_sizes", "hand", "next", "stack")}, "boards": boards}


def test_a_game_of_sternenhimmel_can_be_followed_and_played_by_email_alone(ada: UUID, bea: UUID) -> None:
    people, names = [ada, bea, person("cleo")], ["ada", "bea", "cleo"]
    game_id = game_of(*people)
    while mails := asked(game_id, people):
        state = head_of(game_id).table.state
        for seat, text in mails.items():
            assert reader.sky(text, names) == seen_of_sky(GAMES["sternenhimmel"].view(state, seat))
            answer(game_id, people[seat], text)
    assert head_of(game_id).table.status == "finished"


def seen_of_firmament(view: Json) -> Json:
    scenario, bilder = CARDS.scenarios[view["scenario"]], view["sternbilder"]
    blank = ["Star birth (printed)", "empty", "empty"]

    def slots(seat: int) -> list[str]:
        hidden = ["Star birth (printed)", "face down", "face down"] if view["chosen"][seat] else blank
        return [card_name(card, "en") if card else hidden[i] for i, card in enumerate(view["slots"][seat])]

    seats = range(len(view["points"]))
    same = ("scenario", "board", "deck", "points", "hand_sizes", "discards", "granted", "hand", "turn", "next")
    return {
        **{key: view[key] for key in same},
        "turn": None if view["next"] is None else view["turn"],
        "supply": {kind: count for kind, count in view["supply"].items() if kind != "nova" or scenario.supernova},
        "slots": [slots(seat) for seat in seats],
        "own": [it and (it["sternbild"] or "face down") for it in bilder["own"]],
        "done": bilder["done"],
        "used": {it["slot"] for it in view["log"]["performed"]},
        "open": bilder["open"],
        "chosen": view["chosen"] if view["next"] is None else None,
    }


@pytest.mark.parametrize("scenario", [1, 2, 3, 4])
def test_a_game_of_sternenglanz_can_be_followed_and_played_by_email_alone(scenario: int, ada: UUID, bea: UUID) -> None:
    people, names = [ada, bea], ["ada", "bea"]
    options = {"start_seat": 0, "scenario": scenario, "max_rounds": 12}
    game_id = open_game(ada, {"rules": "sternenglanz", "options": options, "seats": [ME, OPEN]}).game_id
    take_seat(game_id, bea)
    while mails := asked(game_id, people):
        state = head_of(game_id).table.state
        for seat, text in mails.items():
            assert reader.firmament(text, names) == seen_of_firmament(GAMES["sternenglanz"].view(state, seat))
            answer(game_id, people[seat], text)
    assert head_of(game_id).table.status == "finished"


def test_an_email_address_breaks_only_if_it_is_wider_than_the_phone(chromium: Browser) -> None:
    addresses = "ann-marie.o-neill@long-name.stars-and-more.example-post.org", "post@mx-1.stars-and-planets.example.org"
    about = {
        "name": "Ada",
        "title": " or ".join(addresses),
        "rules": "Sternenhimmel",
        "game_link": "https://a.example/",
    }
    page = chromium.new_page(viewport={"width": 360, "height": 740})
    page.set_content(write_page(SeatHandedOver(**about, bot="Greedy", link="https://a.example/")))
    line = 1.5 * 17  # pixels
    lines = {}
    for width in (360, 600):
        page.set_viewport_size({"width": width, "height": 740})
        for address in addresses:
            heights = page.get_by_text(address, exact=True).evaluate_all("them => them.map(it => it.offsetHeight)")
            lines[width, address] = round(max(heights) / line)
        assert page.evaluate("document.documentElement.scrollWidth") == width
    long, short = addresses
    assert (lines[360, long], lines[360, short], lines[600, long], lines[600, short]) == (2, 1, 1, 1)
