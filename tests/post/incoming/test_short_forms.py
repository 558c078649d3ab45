"""Short forms of moves, as players write them without looking at the notation."""

import re
from uuid import UUID

import pytest

from server.games import sternenglanz, sternenhimmel
from server.games.presentation import whole_turn
from server.games.sternenglanz.names import copy_name
from server.games.sternenhimmel.material import BOARDS, is_large
from server.games.sternenhimmel.moves import PLACEMENTS, Placement
from server.play.views import view_of
from server.post.incoming.lines import Grammar, Spoken
from server.post.incoming.questions import fitting_moves_in
from server.translations import LOCALES
from tests.post.incoming.replies.make import understood
from tests.post.incoming.replying import a_move, ada_writes
from tests.post.office import Office
from tests.support.games import everything_due_happens, game_of, happened, head_of

SKY = {  # what means `7 leo c`, by language
    "de": (
        "7 auf Löwe c|7 in Löwe c|7 zu Löwe c|7 an Löwe c|7Löwe c|7aufLöwe c|7 auf dem Löwen c|7 auf Löwe, Feld c|7 Löwe (c)"
        "|Löwe c 7|Sieben auf Löwe c|Stern 7 Löwe c|Nummer 7 auf Löwe c|setze 7 auf Löwe c|7 in c im Löwen|7, Löwe, c"
        "|7/Löwe/c|7 - Löwe - c|7 Loewe c|die 7 auf Löwe c"
    ),
    "en": (
        "7 on Leo c|7 in Leo c|7 at leo c|7 to Leo c|7 onto leo, c|7 into Leo c|7leo c|7 Leo C!|7onLeo c|7toLeo c"
        "|7 on leo, space c|7 leo (c)|Leo c 7|seven on leo c|star 7 leo c|number 7 on Leo c|put 7 on leo c|7 on c of leo"
        "|7 to c in Leo|7, leo, c|7/leo/c|7 - leo - c"
    ),
    "fr": (
        "7 sur Lion c|7 dans Lion c|7 à Lion c|7 au Lion c|7Lion c|7surLion c|7 sur le Lion c|7 sur Lion, case c|7 Lion (c)"
        "|Lion c 7|sept sur Lion c|étoile 7 Lion c|le 7 sur Lion c|mets 7 sur Lion c|7 en c dans le Lion|7, Lion, c"
        "|7/Lion/c|7 - Lion - c|mon 7 sur Lion c|pose 7 Lion c|7 Lion c, merci"
    ),
    "it": (
        "7 su Leone c|7 in Leone c|7 a Leone c|7 nel Leone c|7Leone c|7suLeone c|7 sul Leone c|7 su Leone, casella c"
        "|7 Leone (c)|Leone c 7|sette su Leone c|stella 7 Leone c|il 7 su Leone c|metti 7 su Leone c|7 in c nel Leone"
        "|7, Leone, c|7/Leone/c|7 - Leone - c|il mio 7 su Leone c|poso 7 su Leone c|7 Leone c, grazie"
    ),
}
FIRMAMENT = {  # by move; each of them is the only legal one of its kind
    "1 lay leucht b2": {
        "de": (
            "Leucht b2|Leucht auf b2|1Leucht b2|Leuchtstern an b2|lege Leucht b2|den Leuchtstern auf b2|Leuchtstern b2"
            "|setze Leucht auf b2|Leuchtstern auf b2 legen|Leucht, b2, bitte"
        ),
        "en": (
            "bright b2|bright on b2|bright at b2|bright to b2|1bright b2|1 bright on b2|put bright on b2|place bright b2"
            "|lay a bright star on b2|bright star b2"
        ),
        "fr": (
            "brillante b2|brillante sur b2|1brillante b2|étoile brillante en b2|pose brillante b2|mon étoile brillante sur b2"
            "|étoile brillante b2|brillante en b2|place brillante b2|mets une étoile brillante sur b2"
        ),
        "it": (
            "brillante b2|brillante su b2|1brillante b2|stella brillante in b2|posa brillante b2|la stella brillante su b2"
            "|stella brillante b2|brillante in b2|metti brillante su b2|una stella brillante su b2, grazie"
        ),
    },
    "2 move a1 b2 c3": {
        "de": "bewege a1 b2 c3|ziehe a1-b2-c3|2bewege a1 b2 c3",
        "en": "move a1 b2 c3|move a1-b2-c3|move a1, b2, c3|2move a1 b2 c3|move my star a1 b2 c3",
        "fr": "déplace a1 b2 c3|deplace a1-b2-c3|2déplace a1 b2 c3",
        "it": "sposta a1 b2 c3|sposta a1-b2-c3|2sposta a1 b2 c3",
    },
    "3 remove c1": {
        "de": "entferne c1|3entferne c1|Schwarzes Loch c1|Schwarzes Loch auf c1|Loch c1|den Stern auf c1 entfernen",
        "en": "remove c1|3remove c1|remove the star on c1|black hole c1|black hole on c1|hole on c1|3 black hole c1",
        "fr": "retire c1|3retire c1|trou noir sur c1|trou c1|trou noir c1|retire l'étoile sur c1",
        "it": "togli c1|3togli c1|buco nero su c1|buco c1|buco nero c1|togli la stella su c1",
    },
    "1 nova d4": {
        "de": "Supernova d4|1Supernova d4|Supernova auf d4",
        "en": "nova d4|Supernova on d4|nova at d4|1nova d4",
        "fr": "Supernova d4|Supernova sur d4|supernova en d4",
        "it": "Supernova d4|Supernova su d4|supernova in d4",
    },
}
STEPS = ("1 lay punkt b1", "3 lay punkt b1", "1 lay leucht b2", "2 move a1 b2 c3", "2 move b2 c3 d4", "3 remove c1")
STEPS += ("1 nova d4", "1 lapse", "finish")
OTHER_SLOTS = {  # what means `1 lay punkt b6`, though slot 3 may do the same
    "de": "Karte 1 lege Punktstern b6|lege einen Punktstern auf b6 mit Karte 1",
    "en": "card 1 lay dot star b6|I'd like to place a dot star on b6 with card 1|dot star on b6 using slot 1",
    "fr": "carte 1 pose petite étoile b6|pose petite étoile b6 avec la carte 1",
    "it": "carta 1 posa stella piccola b6|posa stella piccola su b6 con la carta 1",
}
FIRMAMENT_MOVES = tuple(map(sternenglanz.read_move, STEPS))


@pytest.mark.parametrize("locale", LOCALES)
def test_short_forms_of_a_placement_are_played_in_any_language(locale: str) -> None:
    for text in [*"|".join(SKY.values()).split("|"), "*7 leo c*", "**7 leo c**", "7 -> leo c", "7 → leo c"]:
        assert understood(text, sternenhimmel, locale, list(PLACEMENTS.values())).move == "7 leo c", text


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("move", FIRMAMENT)
def test_short_forms_of_a_step_are_played_in_any_language(move: str, locale: str) -> None:
    for text in "|".join(FIRMAMENT[move].values()).split("|"):
        assert understood(text, sternenglanz, locale, FIRMAMENT_MOVES).move == move, text


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("text", ["Leo a, 10 please", "Leo a, 10", "Löwe a, zehn bitte", "leo a, 10 s'il te plaît"])
def test_a_comma_behind_the_space_separates_it_from_the_star(text: str, locale: str) -> None:
    legal = [Placement(star, "leo", space) for star in ("1", "10") for space in "abc"]
    assert understood(text, sternenhimmel, locale, legal).move == "10 leo a"
    assert understood(text.replace(",", ""), sternenhimmel, locale, legal).move is None
    assert understood(text.replace("a, ", ", a "), sternenhimmel, locale, legal).move is None


@pytest.mark.parametrize("text", ["1 on Leo", "1 auf Löwe", "1onLeo", "my 1 on Leo please", "1 sur le Lion", "1 leo"])
def test_a_star_and_a_constellation_mean_the_only_free_space(text: str) -> None:
    one = [Placement("1", "leo", "c"), Placement("1", "virgo", "a"), Placement("7", "leo", "c")]
    assert understood(text, sternenhimmel, "en", one).move == "1 leo c"
    assert understood(text, sternenhimmel, "en", [*one, Placement("1", "leo", "d")]).problem == "not-understood"
    assert understood(text, sternenhimmel, "en", one[1:]).problem == "not-understood"


@pytest.mark.parametrize(
    "text", ["Leo 1", "Löwe 1", "Leo", "leo c", "1 c", "D on Leo", "one on Leo", "1 on Leo?", "not 1 on Leo"]
)
def test_a_part_of_a_placement_is_not_played(text: str) -> None:
    one = [Placement("1", "leo", "c"), Placement("D", "leo", "c")]
    assert understood(text, sternenhimmel, "en", one).move is None


@pytest.mark.parametrize("word", ["6", "six", "sechs", "sechser"])
def test_a_number_word_means_a_star_beside_a_constellation(word: str) -> None:
    six = [Placement("6", "leo", "c"), Placement("6", "gemini", "e")]
    assert understood(f"{word} on Leo", sternenhimmel, "en", six).move == "6 leo c"


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    "text",
    [
        *("Sei un leone!", "Sei dei Gemelli!", "Sei ein Löwe!", "Einer im Löwen", "The one on Leo", "my one Leo"),
        "Sept. Leo",
    ]
    + ["mon un Lion", "le un Lion", "mio uno Leone"],
)
def test_a_number_word_with_a_second_meaning_needs_a_space(text: str, locale: str) -> None:
    legal = [Placement(star, board, "c") for star in ("1", "6", "7") for board in ("leo", "gemini")]
    assert understood(text, sternenhimmel, locale, legal).move is None
    assert understood("sei leone c", sternenhimmel, locale, legal).move == "6 leo c"


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("1 on Leo", ["1 leo c", "1 leo d"]),
        ("10 to Capricorn", ["10 capricorn c"]),
        ("Leo c", ["1 leo c"]),
        ("10 Feld c", ["10 capricorn c"]),
        ("7 on Leo", []),
        ("no 1 on Leo", []),
    ],
)
def test_the_moves_that_a_part_of_a_placement_fits_are_found(text: str, moves: list[str]) -> None:
    legal = [sternenhimmel.read_move(it) for it in ("1 leo c", "1 leo d", "10 capricorn c")]
    found = fitting_moves_in(text, Grammar(Spoken(sternenhimmel, "de"), legal))
    assert [sternenhimmel.write_move(it) for it in found] == moves


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("bright", ["1 lay leucht b2"]),
        ("Punktstern", ["1 lay punkt b1", "3 lay punkt b1"]),
        ("ziehe a1", ["2 move a1 b2 c3"]),
        ("move b2", ["2 move a1 b2 c3", "2 move b2 c3 d4"]),
        ("place a dot star", ["1 lay punkt b1", "3 lay punkt b1"]),
        ("skip", ["1 lapse"]),
        ("don't place a dot star", []),
    ],
)
def test_the_moves_that_a_part_of_a_step_fits_are_found(text: str, moves: list[str]) -> None:
    found = fitting_moves_in(text, Grammar(Spoken(sternenglanz, "de"), FIRMAMENT_MOVES))
    assert [sternenglanz.write_move(it) for it in found] == moves
    assert understood(text, sternenglanz, "en", FIRMAMENT_MOVES).move is None


@pytest.mark.parametrize(
    "text",
    ["I pass", "pass.", "Pass!", "Ich passe!", "je passe", "io passo", "OK, pass", "I'd like to pass", "Let me pass."]
    + ["I pass this turn", "Je passe mon tour, merci", "ora passo", "Passo il turno. Grazie, Ada", "Jetzt passe ich"],
)
def test_passing_plays_the_only_move_of_that_kind(text: str) -> None:
    dot, lapse, finish = map(sternenglanz.read_move, ("1 lay punkt b1", "2 lapse", "finish"))
    assert understood(text, sternenglanz, "en", [dot, lapse]).move == "2 lapse"
    assert understood(text, sternenglanz, "en", [dot, lapse, finish]).problem == "not-understood"
    assert understood(text, sternenglanz, "en", [dot]).problem == "not-understood"
    assert understood(text, sternenhimmel, "en", list(PLACEMENTS.values())).problem == "not-understood"


@pytest.mark.parametrize(
    "text", ["1 lay punkt b1\n\nI pass", "I pass\n\n1 lay punkt b1", "I pass?", "I pass, maybe", "> I pass"]
)
def test_doubtful_words_about_passing_are_not_played(text: str) -> None:
    legal = [sternenglanz.read_move(it) for it in ("1 lay punkt b1", "2 lapse")]
    assert understood(text, sternenglanz, "en", legal).move is None


@pytest.mark.parametrize(
    "words", ["I'd like to pass", "OK, pass", "let me pass", "ora passo", "Passo il turno, grazie"]
)
def test_a_polite_pass_beside_another_move_plays_neither(words: str) -> None:
    legal = [sternenglanz.read_move(it) for it in ("1 lay punkt b1", "2 lapse")]
    for text in (f"1 lay punkt b1\n\n{words}", f"{words}\n\n1 lay punkt b1"):
        assert understood(text, sternenglanz, "en", legal).problem == "two-moves"
        assert understood(text, sternenglanz, "en", legal[:1]).problem == "spoken-against"


@pytest.mark.parametrize(
    "text", ["Pass auf!", "Mein Pass", "un passo", "le passe", "al passo", "Ich passe auf", "my pass", "ma passe"]
)
def test_words_that_only_contain_a_pass_are_not_played(text: str) -> None:
    legal = [sternenglanz.read_move(it) for it in ("1 lay punkt b1", "2 lapse")]
    for locale in LOCALES:
        assert understood(text, sternenglanz, locale, legal).move is None
        assert understood(f"1 lay punkt b1\n\n{text}", sternenglanz, locale, legal).move == "1 lay punkt b1"


@pytest.mark.usefixtures("within")
def test_our_reply_says_which_moves_a_part_of_a_move_may_mean(office: Office, game_id: UUID) -> None:
    office.mails("ada")
    before = happened(game_id)
    told = ada_writes(office, "I pass").text
    assert 'You can\'t pass now. Send one of your moves, or "resign" to give up your seat.' in told
    board = view_of(head_of(game_id), 0)["boards"][0]["board"]
    told = ada_writes(office, f"1 on {board}").text
    assert re.search(rf"only part of a move, such as 1 {board} \w, 1 {board} \w", " ".join(told.split()))
    assert happened(game_id) == before


@pytest.mark.parametrize("locale", LOCALES)
def test_a_card_with_a_number_is_a_slot(locale: str) -> None:
    legal = [sternenglanz.read_move(it) for it in ("1 lay punkt b6", "3 lay punkt b6", "3 lay punkt a1")]
    for text in OTHER_SLOTS[locale].split("|"):
        assert understood(text, sternenglanz, locale, legal).move == "1 lay punkt b6", text
    for both in (
        "place a dot star on b6 with card 1 and a dot star on a1 with card 3",
        "place a star on b6 with card 1 and one on a1 with card 3",
        "place a dot star on b6 with card 1 and one on a1 with card 3.",
        "Lege einen Stern auf b6 mit Karte 1 und einen auf a1 mit Karte 3",
        "pose une étoile sur b6 avec la carte 1 et une sur a1 avec la carte 3",
    ):
        assert understood(both, sternenglanz, locale, legal).move == "1 lay punkt b6; 3 lay punkt a1", both
    assert understood("place a star on b6 with card 1 and one on d9", sternenglanz, locale, legal).move is None


@pytest.mark.usefixtures("within")
def test_a_needless_finish_is_ignored_and_the_wrong_line_is_named(office: Office, ada: UUID) -> None:
    game_id = game_of(ada, bots=1, rules="sternenglanz", options={"start_seat": 0})
    everything_due_happens()
    ada_writes(office, a_move(game_id, ada))
    everything_due_happens()
    told = ada_writes(office, "finish").text
    assert "Use two slots in a turn, or all three." in told
    told = " ".join(ada_writes(office, "1 lay b4 b5\nfinish\nsay hello").text.split())
    assert "that didn't work. 1 lay b4 b5 " in told
    assert "We understood “finish” and “say hello”" in told
    table = head_of(game_id).table
    *actions, cards = whole_turn(table.rules, table.state, 0, "en").split("; ")
    told = ada_writes(office, "\n".join([*(it for it in actions if it != "finish"), "finish"])).text
    assert "your turn goes on" in told
    assert "there is nothing to finish" in ada_writes(office, "finish").text
    assert "Move played" in ada_writes(office, f"{cards}; finish").subject


@pytest.mark.parametrize(
    ("text", "move"),
    [
        *(
            ("7 on leo a face down", "7 leo a"),
            ("verdeckt 7 auf Löwe a", "7 leo a"),
            ("7 Lion a, face cachée", "7 leo a"),
        ),
        *(("7 Leone a coperta", "7 leo a"), ("7 face up on leo c", "7 leo c"), ("7 offen auf Löwe c", "7 leo c")),
        *(("7 leo a face up", None), ("7 leo c verdeckt", None), ("face down", None)),
    ],
)
def test_a_star_lies_face_down_only_on_a_large_space(text: str, move: str | None) -> None:
    large, small = (next(it for it in BOARDS["leo"].spaces if is_large("leo", it) == face) for face in (True, False))
    written = {"a": large, "c": small}
    text = re.sub(r"\b([ac])(?=,| |$)", lambda it: written[it[1]], text)
    move = move and f"{move[:-1]}{written[move[-1]]}"
    assert understood(text, sternenhimmel, "en", list(PLACEMENTS.values())).move == move


@pytest.mark.usefixtures("within")
def test_our_reply_names_a_star_or_card_that_is_not_in_the_hand(office: Office, ada: UUID, game_id: UUID) -> None:
    office.mails("ada")
    hand = " ".join(view_of(head_of(game_id), 0)["hand"])
    for board in ("virgo", "leo"):
        assert f"You have no 9 in your hand. Your hand is {hand}." in ada_writes(office, f"9 {board} e").text
    in_play = [it["board"] for it in view_of(head_of(game_id), 0)["boards"]]
    away = next(it for it in BOARDS if it not in in_play)
    told = ada_writes(office, f"5 {away}").text
    assert "is not in play. Constellations in play: " in " ".join(told.split())
    glanz = game_of(ada, bots=1, rules="sternenglanz", options={"start_seat": 0})
    office.mails("ada")
    own = view_of(head_of(glanz), 0)["hand"]
    other = next(f"geburt#{nr}" for nr in range(1, 12) if f"geburt#{nr}" not in own)
    assert "The second card is missing. Name two:" in ada_writes(office, f"choose {copy_name(own[0], 'en')}").text
    told = ada_writes(office, f"choose {other}").text
    assert "is not in your hand. Your cards are" in " ".join(told.split()), told


IN_PLAY = [it for it in PLACEMENTS.values() if it.board in ("aquarius", "cancer", "capricorn", "leo")]


@pytest.mark.parametrize(
    ("locale", "line", "move"),
    [
        ("en", "7 can c", "7 cancer c"),
        ("en", "Put my 7 on aqu c, please", "7 aquarius c"),
        ("en", "B capri space b", "B capricorn b"),
        ("de", "7 Wasser c", "7 aquarius c"),
        ("de", "7 stei c", "7 capricorn c"),
        ("fr", "7 verse c", "7 aquarius c"),
        ("it", "7 acq c", "7 aquarius c"),
        ("en", "7 ca c", None),
        ("en", "7 stei c", None),
        ("en", "7 gem c", "7 gemini c"),
        ("en", "7 gemi c", None),
        ("en", "The 7 was on c", None),
        ("en", "I can put 7 on c", None),
        ("de", "Die 7 war auf c", None),
    ],
)
def test_the_beginning_of_a_name_in_play_is_enough(locale: str, line: str, move: str | None) -> None:
    assert understood(line, sternenhimmel, locale, legal=IN_PLAY).move == move
