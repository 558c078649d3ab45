"""The table in a mail: everything the player needs in words, and no secrets."""

from functools import reduce

import pytest

from server.games import SeededDice
from server.games import sternenhimmel as game
from server.games.presentation import sentence, table
from server.games.sternenhimmel.material import BOARDS, Lying, named
from server.games.sternenhimmel.scoring import score
from server.games.sternenhimmel.state import BoardDealt, BoardsShuffled, Event, StarPlaced, State
from server.render.text_layout import WIDTH

NAMES = ["Anna", "Ben", "Cem"]


def night() -> State:
    return begun(
        [
            BoardsShuffled(3, game.resolve_options({}, 3), ["aries", "leo"], start=0),
            BoardDealt("aries", 0),
            StarPlaced(0, "aries", "a", "7", next=1),
            StarPlaced(1, "aries", "c", "B", next=2),
        ]
    )


def begun(events: list[Event]) -> State:
    sky = reduce(game.apply, events, None)
    assert sky is not None
    return sky


def test_the_text_table_matches_the_expected_sample() -> None:
    assert table("sternenhimmel", game.view(night(), 0), NAMES) == (
        "Aries (Ari): prizes 5, 3\n"
        "  a large: Anna, 7, face down - next to b, c, e\n"
        "  b large: empty - next to a, d\n"
        "  c small: Ben, B - next to a, e\n"
        "  d small: empty - next to b\n"
        "  e small: empty - next to a, c\n"
        "\n"
        "Anna: coins 0, stars in hand 8\n"
        "Ben: coins 0, stars in hand 8\n"
        "Cem: coins 0, stars in hand 9\n"
        "\n"
        "Constellations in the stack: 1\n"
        "Your hand: 1 3 5 6 10 B D D\n"
        "To move: Cem\n"
        "\n"
        "B is a black hole, D a double star.\n"
    )


def test_the_text_table_hides_other_players_stars_and_hands() -> None:
    text = table("sternenhimmel", game.view(night(), None), NAMES)
    assert "  a large: Anna, face down - next to b, c, e\n" in text
    assert "Your hand" not in text


@pytest.mark.parametrize(("locale", "title"), [("de", "Widder"), ("en", "Aries"), ("fr", "Bélier"), ("it", "Ariete")])
def test_the_text_table_is_translated_into_every_language(locale: str, title: str) -> None:
    colon = "\u202f:" if locale == "fr" else ":"
    known = "Ari" if locale == "en" else "aries, Ari"
    assert table("sternenhimmel", game.view(night(), 0), NAMES, locale).startswith(f"{title} ({known}){colon} ")


@pytest.mark.parametrize(
    ("board", "locale", "told"),
    [("leo", "en", "Leo"), ("leo", "it", "Leone (leo)"), ("cancer", "fr", "Cancer (Cnc)"), ("leo", "de", "Löwe (leo)")],
)
def test_short_forms_of_a_constellation_are_listed_once_and_only_if_they_differ(
    board: str, locale: str, told: str
) -> None:
    assert named(board, locale) == told
    dealt = {"type": "board-dealt", "board": "leo", "slot": 0, "seat": None}
    assert sentence(dealt, NAMES, "en") == "Leo came into play."


_PAID = "Anna: 0 (+3 coins), Ben: 13 (+5 coins)."
_OTHERS = "Anna: B on c; Ben: 10 on b, 3 on d"
_LOST = "7 on a (swallowed), 5 on e (swallowed)"


@pytest.mark.parametrize(
    ("reader", "told"),
    [
        (None, "Anna: 0 (+3 coins), Ben: 13 (+5 coins)."),
        (0, f"You: 0 (+3 coins), Ben: 13 (+5 coins). The stars: You: B on c; Ben: 10 on b, 3 on d; Cem: {_LOST}."),
        (1, f"Anna: 0 (+3 coins), You: 13 (+5 coins). The stars: Anna: B on c; You: 10 on b, 3 on d; Cem: {_LOST}."),
        (2, f"{_PAID} The stars: {_OTHERS}; You: {_LOST}. You got no coins."),
        (3, f"{_PAID} The stars: {_OTHERS}; Cem: {_LOST}. You had no star there and got no coins."),
    ],
)
def test_the_sentence_about_a_scoring_lists_all_stars_and_the_readers_share(reader: int | None, told: str) -> None:
    stars = {"a": Lying(2, "7"), "b": Lying(1, "10"), "c": Lying(0, "B"), "d": Lying(1, "3"), "e": Lying(2, "5")}
    scored = score(BOARDS["aries"], stars, game.resolve_options({}, 4), [0, 0, 0, 0])
    item = game.tell(scored, reader)
    assert item
    assert sentence(item, [*NAMES, "Dora"], "en", reader) == f"Aries was full and was scored: {told}"


def test_the_sentence_about_a_scoring_says_what_multiplies_a_star_and_which_black_holes_vanish() -> None:
    board = BOARDS["aries"]
    stars = {space: Lying(0, "1") for space in board.spaces}
    [[beside, *_], *_] = [[it, *board.neighbours[it]] for it in board.spaces if len(board.neighbours[it]) == 1]
    double = next(iter(board.neighbours[beside]))
    scored = score(
        board, stars | {beside: Lying(1, "5"), double: Lying(0, "D")}, game.resolve_options({}, 3), [0, 0, 0]
    )
    told = sentence(game.tell(scored, 1) or {}, NAMES, "en", 1) or ""
    assert f"You: 5 on {beside} (× 2 = 10)." in told
    assert f"D on {double}," in told
    scored = score(
        board, stars | {beside: Lying(1, "B"), double: Lying(0, "B")}, game.resolve_options({}, 3), [0, 0, 0]
    )
    told = sentence(game.tell(scored, 1) or {}, NAMES, "de", 1) or ""
    assert f"Du: B auf {beside} (verschwunden)." in told


def test_lines_of_the_text_table_stay_short_even_with_long_names() -> None:
    names = ["Anna " * 12, "B" * 100, "Cem"]
    for locale in ("de", "en", "fr", "it"):
        sky = begun(game.setup(5, {}, SeededDice(b"", ())))
        for view, called in ((game.view(night(), 0), names), (game.view(sky, 0), [*names, "Dora", "Emil"])):
            assert all(len(line) <= WIDTH for line in table("sternenhimmel", view, called, locale).splitlines())


def test_the_text_table_describes_the_end_of_a_game() -> None:
    sky = night()._replace(stars={}, slots=(None,), stack=(), on_turn=None, coins=(7, 9, 1))
    text = table("sternenhimmel", game.view(sky, 0), NAMES)
    assert text.startswith("Anna: coins 7, stars in hand 8\n")
    assert "The game is over.\n" in text
