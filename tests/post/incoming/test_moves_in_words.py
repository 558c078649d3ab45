"""Moves that players write in their own words: the names that our emails use, or short forms of them."""

from itertools import permutations
from random import Random

import pytest

from server.games import GAMES, MalformedMove, sternenglanz, sternenhimmel
from server.games.presentation import in_words, notation, read_move, write_move
from server.games.sternenglanz.material import CARDS, KIND_OF
from server.games.sternenglanz.moves import Choose, Move
from server.games.sternenhimmel.material import BOARDS
from server.games.sternenhimmel.moves import PLACEMENTS
from server.post.incoming.lines import Grammar, Spoken, Wishes, strange_word_in
from server.post.incoming.questions import nearest_move_in, words_in_place_of
from server.post.incoming.replies import parse, read, understand
from server.post.wording import by_beginning
from server.translations import LOCALES
from tests.post.incoming.replies.make import plain, understood
from tests.support.samples import positions

FORMS = {  # by frozen notation: what players may write, by language
    "1 lay leucht b1": {
        "de": [
            "1 lege Leuchtstern b1",
            "1 leg Leuchtstern b1",
            "1 Leucht b1",
            "Platz 1 lege Leuchtstern auf b1",
            "1 lay bright star b1",
        ],
        "en": ["1 lay bright star b1", "1 bright b1", "1 lay Bright b1", "slot 1 place bright star on b1"],
        "fr": ["1 pose étoile brillante b1", "1 brillante b1", "1 pose etoile brillante sur b1", "1 lay bright b1"],
        "it": ["1 posa stella brillante b1", "1 brillante b1", "1 posa brillante su b1", "1 lay bright b1"],
    },
    "2 move a1 b2 c3": {
        "de": ["2 bewege a1 b2 c3", "2 ziehe a1 b2 c3", "2 beweg a1 b2 c3", "2 zieh a1 b2 c3"],
        "en": ["2 move a1 b2 c3"],
        "fr": ["2 déplace a1 b2 c3", "2 deplace a1 b2 c3"],
        "it": ["2 sposta a1 b2 c3"],
    },
    "3 remove c1": {
        "de": ["3 entferne c1", "3 entfern c1"],
        "en": ["3 remove c1"],
        "fr": ["3 retire c1"],
        "it": ["3 togli c1"],
    },
    "1 nova d4": {
        "de": ["1 Supernova d4", "1 Supernova auf d4"],
        "en": ["1 nova d4", "1 supernova on d4"],
        "fr": ["1 supernova sur d4"],
        "it": ["1 supernova su d4"],
    },
    "2 lapse": {"de": ["2 verzichte"], "en": ["2 lapse", "2 skip"], "fr": ["2 renonce"], "it": ["2 rinuncia"]},
    "finish": {"de": ["beende", "Finish"], "en": ["finish"], "fr": ["termine"], "it": ["termina"]},
    "lay geburt#3 -": {
        "de": ["lege Sterngeburt #3 -", "lege Geburt 3 -", "lay star birth 3 -"],
        "en": ["lay star birth #3 -", "lay star birth 3 -", "lay birth 3 -", "Lay Star Birth#3 -"],
        "fr": ["pose naissance d’étoile #3 -", "pose naissance d'etoile 3 -", "pose naissance 3 -"],
        "it": ["posa nascita stellare #3 -", "posa nascita 3 -"],
    },
    "lay - wanderung-2#1": {
        "de": ["lege - Sternwanderung 2 #1", "lege - Wanderung 2 1"],
        "en": ["lay - star migration 2 #1", "lay - migration 2 1"],
        "fr": ["pose - migration d’étoile 2 #1"],
        "it": ["posa - migrazione stellare 2 #1", "posa - migrazione 2 1"],
    },
    "drop lay geburt#4 loch-c#2": {
        "de": ["verwirf lege Sterngeburt #4 Schwarzes Loch C #2", "verwirf lege Geburt 4 Loch C 2"],
        "en": ["drop lay star birth #4 black hole C #2", "drop lay birth 4 hole c 2"],
        "fr": ["défausse pose naissance d’étoile #4 trou noir C #2", "defausse pose naissance 4 trou c 2"],
        "it": ["scarta posa nascita stellare #4 buco nero C #2", "scarta posa nascita 4 buco c 2"],
    },
    "choose geburt#3 loch-a#1": {
        "de": ["wähle Sterngeburt #3 Schwarzes Loch A #1", "waehle Geburt 3 Loch A 1"],
        "en": ["choose star birth #3 black hole A #1", "choose birth 3 hole a 1"],
        "fr": ["choisis naissance d’étoile #3 trou noir A #1"],
        "it": ["scegli nascita stellare #3 buco nero A #1"],
    },
}


def move_by_mail(text: str, locale: str) -> str | None:
    """Return the move that a mail with this text plays, in the frozen notation."""
    return understood(text, sternenglanz, locale).move


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("frozen", FORMS)
def test_an_email_with_a_move_in_words_plays_the_same_move_as_the_notation(frozen: str, locale: str) -> None:
    assert move_by_mail(frozen, locale) == frozen
    shown = in_words(sternenglanz, frozen, locale)
    for written in (shown, shown.upper(), *FORMS[frozen][locale]):
        assert move_by_mail(written, locale) == frozen, written


@pytest.mark.parametrize("locale", LOCALES)
def test_all_steps_of_a_turn_can_be_written_in_words(locale: str) -> None:
    frozen = "1 lay punkt b1; 2 move a1 b2 c3; finish; lay geburt#4 -"
    shown = in_words(sternenglanz, frozen, locale)
    assert move_by_mail(shown, locale) == frozen
    assert move_by_mail(shown.replace("; ", "\r\n"), locale) == frozen


@pytest.mark.parametrize("locale", LOCALES)
def test_every_card_can_be_named_in_words_in_an_email(locale: str) -> None:
    for copy in KIND_OF:
        frozen = f"lay {copy} -"
        assert move_by_mail(in_words(sternenglanz, frozen, locale), locale) == frozen


@pytest.mark.parametrize("locale", LOCALES)
def test_moves_listed_in_an_email_can_be_copied_into_the_reply(locale: str) -> None:
    moves = [sternenglanz.read_move(f"1 lay {star} b{field}") for star in ("punkt", "pracht") for field in range(1, 5)]
    for line in by_beginning([write_move(sternenglanz, it, locale) for it in moves]):
        beginning, _, endings = line.partition(": ")
        for ending in endings.split(" | "):
            copied = f"{beginning}: {ending}"
            assert move_by_mail(copied, locale) in map(sternenglanz.write_move, moves), copied


@pytest.mark.parametrize("locale", LOCALES)
def test_the_examples_in_the_help_can_be_parsed_as_moves(locale: str) -> None:
    told = notation("sternenglanz", locale).replace("\u00a0", " ")
    for frozen in ("1 lay punkt b1", "2 lapse", "drop lay geburt#4 -", "choose geburt#3 loch-a#1"):
        shown = in_words(sternenglanz, frozen, locale).replace("\u00a0", " ")
        assert shown in told
        assert sternenglanz.write_move(read_move(sternenglanz, shown, locale)) == frozen


@pytest.mark.parametrize(
    "line",
    ["dot b1", "1 lay star b1", "4 lay dot b1", "lay star birth -", "lay star birth 99 -", "lay migration 1 -", "lay"]
    + ["1 bright", "1 lay bright star z9", "choose star birth 3 -", "2 move a1", "finish now", "1 dot b1 b2"],
)
def test_an_unclear_line_is_not_played_as_a_move(line: str) -> None:
    with pytest.raises(MalformedMove):
        read_move(sternenglanz, line, "en")
    assert move_by_mail(line, "en") is None


@pytest.mark.parametrize(
    "line",
    ["Terminé", "TERMINÉ", "Termine\u0301 !", "2 renoncé", "2 déplacé a1 b2 c3", "3 retiré c1", "1 posé brillante b1"],
)
def test_a_past_participle_is_not_read_as_a_move(line: str) -> None:
    assert move_by_mail(line, "fr") is None


@pytest.mark.parametrize(("line", "locale"), [("termine", "de"), ("beende", "fr"), ("1 brillante b1", "de")])
def test_moves_in_the_words_of_other_languages_are_not_played(line: str, locale: str) -> None:
    assert move_by_mail(line, locale) is None


@pytest.mark.parametrize(
    ("line", "locale"),
    [("1 lay brihgt star b1", "en"), ("1 lege Leuchtsern b1", "de"), ("1 pose étoile brilante b1", "fr")]
    + [("1 posa stela brillante b1", "it"), ("lay star brith 3 -", "en"), ("lege Sterngebrut 3 -", "de")],
)
def test_a_misspelt_move_in_words_is_never_ignored(line: str, locale: str) -> None:
    wishes = understood(f"2 lapse\n{line}", sternenglanz, locale)
    assert (wishes.problem, wishes.move) == ("not-understood", None)


@pytest.mark.parametrize(
    ("line", "locale", "frozen"),
    [
        ("bright b2", "en", "1 lay leucht b2"),
        ("Lay Bright Star on b2", "en", "1 lay leucht b2"),
        ("Leuchtstern b2", "de", "1 lay leucht b2"),
        ("brillante b2", "fr", "1 lay leucht b2"),
        ("togli c1", "it", "2 remove c1"),
        ("move a1 b2", "en", "2 move a1 b2"),
        ("dot b1", "en", None),  # from slots 1 and 3
        ("bright b3", "en", None),  # illegal
        ("skip", "en", None),  # names no field
    ],
)
def test_a_line_without_a_slot_is_played_if_it_fits_only_one_legal_move(
    line: str, locale: str, frozen: str | None
) -> None:
    moves = ("1 lay punkt b1", "3 lay punkt b1", "1 lay leucht b2", "2 move a1 b2", "2 remove c1", "1 lapse")
    wishes = understood(line, sternenglanz, locale, [sternenglanz.read_move(it) for it in moves])
    assert wishes.move == frozen
    assert (wishes.problem is None) == (frozen is not None)


# Sentences

SENTENCES = {
    "D capricorn f": [
        *("D on capricorn f", "D ON CAPRICORN F", "My double star D on Capricorn f, please"),
        *("Doppelstern auf Steinbock f bitte", "Ich möchte gern den Doppelstern auf Steinbock f legen."),
        *("Je voudrais poser mon étoile double sur le Capricorne f, merci", "Metto la stella doppia su Capricorno f!"),
    ],
    "10 capricorn c": [
        *("Put my ten on Capricorn c please", "I'd like to play the ten on capricorn c"),
        *("I’d like to play the ten on Capricorn c.", "Hello, I put a 10 on Cap, space c"),
        *("Here is my move: ten on Capricorn c", "Move: 10, Capricorn, c", "Hi, my move is: 10 Capricorn c"),
        *("10-cap-c thx", "10 on Capricorn c \N{THUMBS UP SIGN}", "I'll take Capricorn c with the ten :-)"),
        *("Ten on Capricorn c. Good luck everyone!", "Die 10 auf Steinbock, Feld c. Danke und Gruß, Ada"),
        *("Il dieci su Capricorno c. Grazie, Ada!", "Ten to space c of Capricorn, thanks"),
        *("Bitte lege die Zehn auf Steinbock c", "ich spiele 10 auf steinbock c"),
        *("Je joue le dix sur le Capricorne, case c, s'il te plaît", "Metti il dieci sul Capricorno c, per favore"),
        *("10 a capricorno c", "Let's try the ten on Capricorn c", "Let us play a 10 on Capricorn c."),
        *("I think I'll put the ten on Capricorn c", "Versuchen wir's mit der 10 auf Steinbock c"),
        *("Ich denke, ich nehme die 10 auf Steinbock c", "Lass uns die 10 auf Steinbock c spielen!"),
        *("Essayons le dix sur le Capricorne c", "Je pense que je vais jouer le dix sur le Capricorne c"),
        *("Proviamo con il dieci su Capricorno c", "Penso di giocare il dieci su Capricorno c"),
    ],
    "7 leo c": [
        *("7 auf den Löwen c", "Sieben Loewe c", "put my seven on leo c", "my seven goes to Leo, space c"),
        *("Okay, then my 7 in Leo c.", "Hi Clara, I'll put my 7 on Leo c please.", "Also dann, 7 auf Löwe c"),
        *("Meine 7 geht auf Löwe c", "Alors, mon 7 va sur Lion c", "Allora il mio 7 va sul Leone c"),
        *("le sept sur le Lion c", "Ecco la mia mossa: 7 Leone c"),
    ],
    "1 aries c": ["my one on Aries c", "Die Eins auf Widder c", "le 1 sur le Bélier c"],
    "B leo b": ["the black hole on Leo b", "Schwarzes Loch auf Löwe b", "trou noir sur Lion b", "a B on leo b"],
}
UNCLEAR = (
    *("Put my ten on Capricorn", "Put a D on Capricorn", "put one on Aries c", "Please: ten on capricorn c"),
    *("Hello all: ten on capricorn c", "capricorn c: 10", "my 7: Leone c", "Ten: on capricorn c"),
    *("Pose: ten on capricorn c", "Stella: ten on capricorn c", "- Stella: ten on capricorn c"),
    *("Stella move: ten on capricorn c", "Star move is: ten on capricorn c", "Move: Stella: ten on capricorn c"),
    *("10 on Capricorn c. Thanks, leo d", "10 on Capricorn c, cheers Nope", "10 on Capricorn c \N{THUMBS DOWN SIGN}"),
    *("Capricorn d b", "d b capricorn", "The ten on Scorpio I play", "Hi Nope, ten on capricorn c"),
    *("Clara, ten on capricorn c", "Then ten on capricorn c", "On Scorpio I play a ten", "On Capricorn a ten"),
    *("10 on leo a b", "ten on capricorn c d", "seven ten on capricorn c", "ten on capricorn leo c"),
    *("ten on capricorn c, seven on leo c", "ten on capricorn c?", "Can I put my ten on capricorn c?"),
    *("ten on capricorn c...", '"ten on capricorn c"', "ten on capricorn c \N{THINKING FACE}", "ma 7 leone c"),
)
STRANGE = {  # by the word that our reply names
    "don't": "Don't put the ten on capricorn c",
    "never": "I never play the ten on capricorn c",
    "not": "Please not the ten on capricorn c",
    "or": "ten on capricorn c or d",
    "instead": "ten on capricorn c instead",
    "if": "ten on capricorn c if Bea is away",
    "i'd": "I'd play the ten on capricorn c",
    "could": "I could play the ten on capricorn c",
    "tomorrow": "I will play the ten on capricorn c tomorrow",
    "würde": "ich würde die 10 auf Steinbock c legen",
    "nicht": "Bitte nicht die 10 auf Steinbock c",
    "lieber": "lieber die 10 auf Steinbock c",
    "pas": "Pas le dix sur le Capricorne c",
    "non": "non il dieci sul Capricorno c",
    "bea": "Bea: ten on capricorn c",
    "nein": "Die 10 auf Steinbock c. Danke, nein",
    "best": "ten on capricorn c. Best not",
    "think": "I think the ten on capricorn c",
    "didn't": "I didn't try the ten on capricorn c",
    "maybe": "Maybe let's try the ten on capricorn c",
    "might": "I might try the ten on capricorn c",
    "perhaps": "Let us perhaps try the ten on capricorn c",
    "denke": "Ich denke die 10 auf Steinbock c",
    "forse": "Forse proviamo il dieci su Capricorno c",
    "see": "Let's see the ten on capricorn c",
    "shiny": "put my shiny ten on Capricorn c",
}
OTHERS = (
    "no not don't never but or if unless maybe could would should nein nicht kein oder aber wenn vielleicht non pas jamais "
    "mais ou si peut-être mai forse ma se oppure later morgen demain domani was is you"
)


def wishes_of(text: str, locale: str = "en") -> Wishes:
    return understood(text, sternenhimmel, locale, list(PLACEMENTS.values()))


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize("move", SENTENCES)
def test_a_sentence_that_names_one_move_is_played_in_any_language(move: str, locale: str) -> None:
    for text in SENTENCES[move]:
        assert wishes_of(f"Hi all,\n\n{text}\n\nAda", locale).move == move, text


@pytest.mark.parametrize(
    ("locale", "line"),
    [
        ("en", "Move my 7 to Leo c!"),
        ("en", "I move my 7 to leo c"),
        ("en", "bring my 7 to leo c!"),
        ("de", "Bewege meine 7 auf Löwe c!"),
        ("de", "Ich ziehe meine 7 nach Löwe c"),
        ("de", "Bring meine 7 auf Löwe c"),
        ("fr", "Déplace mon 7 vers Lion c !"),
        ("it", "Sposta il mio 7 su Leone c!"),
    ],
)
def test_a_verb_of_moving_places_a_star(line: str, locale: str) -> None:
    assert wishes_of(line, locale).move == "7 leo c"


def test_every_constellation_has_its_names_of_all_languages_in_a_sentence() -> None:
    for board in BOARDS.values():
        for name in (board.id, board.abbr, board.latin, *board.names.values()):
            assert wishes_of(f"I play a seven on {name} c please").move == f"7 {board.id} c"


@pytest.mark.parametrize("locale", LOCALES)
def test_an_unclear_sentence_is_not_played(locale: str) -> None:
    for text in (*UNCLEAR, *STRANGE.values()):
        for line in (text, text.upper(), f"Hello Bea,\n{text}"):
            wishes = wishes_of(line, locale if text != "ma 7 leone c" else "it")
            assert (wishes.move, wishes.problem) == (None, "not-understood"), line


@pytest.mark.parametrize("word", STRANGE)
def test_the_word_that_makes_a_sentence_unclear_is_named(word: str) -> None:
    line = wishes_of(f"Good evening Bea,\nwhat a game!\n\n{STRANGE[word]}").line
    assert strange_word_in(line, Grammar(Spoken(sternenhimmel, "en"))) == word


@pytest.mark.parametrize("locale", LOCALES)
@pytest.mark.parametrize(
    ("line", "word", "move"),
    [
        ("5 tarus e", "tarus", "5 taurus e"),
        ("5 on Taurs e", "taurs", "5 taurus e"),
        ("7 leoo a", "leoo", "7 leo a"),
        ("10 auf Steinbok c", "steinbok", "10 capricorn c"),
        ("sevn leo a please", "sevn", "7 leo a"),
        ("Hi Clara, lovely that you're here! I'll put my 7 on Leo c please.", "lovely", "7 leo c"),
    ],
)
def test_a_line_with_an_unknown_word_suggests_the_only_legal_move_that_it_may_mean(
    line: str, word: str, move: str, locale: str
) -> None:
    legal = list(PLACEMENTS.values())
    wishes = wishes_of(line, locale)
    assert (wishes.move, wishes.problem, wishes.line) == (None, "not-understood", line)
    assert nearest_move_in(line, Grammar(Spoken(sternenhimmel, locale), legal)) == (word, sternenhimmel.read_move(move))
    assert (
        nearest_move_in(line, Grammar(Spoken(sternenhimmel, locale), [it for it in legal if it.board == "virgo"]))
        is None
    )


@pytest.mark.parametrize(
    "line",
    ["ten on capricorn c or d", "Don't put the ten on capricorn c", "5 xyzzy e", "what a game", "7 leo virgo a x3"],
)
def test_a_line_that_may_mean_no_move_or_several_suggests_none(line: str) -> None:
    assert nearest_move_in(line, Grammar(Spoken(sternenhimmel, "en"), list(PLACEMENTS.values()))) is None


@pytest.mark.parametrize(
    ("line", "word"),
    [("7 loe c", "loe"), ("loe 7 c", "loe"), ("Put my 7 on loe c, please", "loe"), ("7 stars for you", ""), ("7 c", "")]
    + [("that is a", ""), ("7 leo c", "")],
)
def test_an_unknown_constellation_is_named(line: str, word: str) -> None:
    assert strange_word_in(line, Grammar(Spoken(sternenhimmel, "en"))) == word


@pytest.mark.parametrize(
    ("line", "words"),
    [("7 loe c", {"leo", "virgo"}), ("loe 7 c", set()), ("7 leo loe", {"a", "c"}), ("7 loe loe", set())],
)
def test_the_legal_moves_have_other_words_in_the_place_of_an_unknown_one(line: str, words: set[str]) -> None:
    legal = [sternenhimmel.read_move(it) for it in ("7 leo a", "7 leo c", "7 virgo c", "5 taurus c", "7 taurus e")]
    assert set(words_in_place_of("loe", line, Grammar(Spoken(sternenhimmel, "en"), legal))) == words


@pytest.mark.parametrize(
    ("words", "locale"),
    [
        ("ich wähle {0} und {1}", "de"),
        ("I choose {0} and {1}.", "en"),
        ("I'd like {0} and {1}, please", "en"),
        ("Choisis {0} et {1}", "fr"),
        ("Vorrei {0} e {1}, grazie", "it"),
    ],
)
def test_cards_are_chosen_in_a_sentence(words: str, locale: str) -> None:
    rules = GAMES["sternenglanz"]
    played = next(positions("sternenglanz", {}, 2, seed=1))
    legal = rules.legal_moves(played.state, 0)
    for move in legal:
        cards = write_move(rules, move, locale).split(" ")[1:]
        found = understood(words.format(*cards), rules, locale, legal)
        assert found.move == rules.write_move(move), cards


@pytest.mark.parametrize(
    ("line", "frozen"),
    [
        ("choose star migration 3 #7 star migration 2", "choose wanderung-3#7 wanderung-2#2"),
        ("choose star migration 2, star migration 3", "choose wanderung-2#2 wanderung-3#6"),
        ("star migration 3 and black hole A", "choose wanderung-3#6 loch-a#1"),
        ("choose star migration 3 star migration 3", "choose wanderung-3#6 wanderung-3#7"),
        ("Wähle Sternwanderung 3, Schwarzes Loch A", "choose wanderung-3#6 loch-a#1"),
        ("choose wanderung-3 loch-a", "choose wanderung-3#6 loch-a#1"),
        ("choose star migration 3 #8 star migration 2", None),
        ("choose star migration 3 star birth", None),
        ("choose star migration 3", None),
        ("choose star migration and black hole A", None),
        ("don't choose star migration 3 and black hole A", None),
        ("choose star migration 3, black hole A?", None),
    ],
)
def test_a_card_without_its_number_is_any_copy(line: str, frozen: str | None) -> None:
    hand = ("wanderung-3#6", "wanderung-3#7", "wanderung-2#2", "loch-a#1")
    legal = [sternenglanz.read_move(f"choose {' '.join(cards)}") for cards in permutations(hand, 2)]
    ours = ["choose star migration 3 #7 star migration 2 #2", "or choose from 12 other moves, such as"]
    for text in (line, f"Hi all,\n\n{line}\n\nAda"):
        found = understand(parse(read(plain(text)), sternenglanz, "de", legal), ours)
        assert found.move == frozen and found.problem != "only-our-letter", found


@pytest.mark.parametrize("line", ["lay star migration 3, black hole b", "lay star migration 3 #10 black hole B"])
def test_cards_to_lay_may_lack_their_numbers(line: str) -> None:
    hand = ("wanderung-3#10", "wanderung-3#6", "loch-b#1", "loch-b#2")
    legal = [sternenglanz.read_move(f"lay {' '.join(cards)}") for cards in permutations(hand, 2)]
    assert understood(line, sternenglanz, "en", legal).move == "lay wanderung-3#10 loch-b#1"


def test_a_part_of_a_move_in_our_email_is_no_copy_of_it() -> None:
    ours = ["choose star migration 3 #7 star migration 2 #2", "Reply with your move on a line of its own."]
    for line in ("choose star migration 3 #7 star migration 2", "lay star migration 3 #10 black hole"):
        found = understand(parse(read(plain(line)), sternenglanz), [*ours, "lay star migration 3 #10 black hole B #2"])
        assert found.problem == "not-understood"


def test_a_sentence_next_to_another_move_or_wrapped_prose_is_not_played() -> None:
    assert wishes_of("D on capricorn f\n\nput my ten on Leo c").problem == "two-moves"
    assert wishes_of("I would never in a million years\nplay the ten on capricorn c").problem == "in-a-sentence"
    assert wishes_of("I'd like to play the ten on capricorn c\nonly if Bea agrees").problem == "in-a-sentence"
    assert wishes_of("Put my ten on capricorn c.\n\nNo, wait!").problem == "spoken-against"
    assert wishes_of("Put my ten on capricorn c.\n\nIs that allowed?").problem == "spoken-against"
    assert wishes_of("> put my ten on capricorn c").problem == "nothing-said"
    assert wishes_of("D on capricorn f\nD auf Steinbock f").move == "D capricorn f"


def test_no_sentence_with_another_word_in_it_is_played() -> None:
    seed = 12
    dice = Random(seed)
    for _ in range(2000):
        move = dice.choice(list(SENTENCES))
        words = dice.choice(SENTENCES[move]).split()
        words.insert(dice.randint(0, len(words)), dice.choice(OTHERS.split()))
        assert wishes_of(" ".join(words), dice.choice(["de", "en", "it"])).move is None, words


@pytest.mark.parametrize(
    ("line", "frozen"),
    [
        ("Please put my bright star on b2", "1 lay leucht b2"),
        ("1 bright star on b2 please", "1 lay leucht b2"),
        ("Bitte den Leuchtstern auf b2 legen", "1 lay leucht b2"),
        ("Je pose mon étoile brillante sur b2", "1 lay leucht b2"),
        ("Posa la stella brillante su b2, per favore", "1 lay leucht b2"),
        ("Move my star from a1 to b2", "2 move a1 b2"),
        ("2 move to b2 from a1", "2 move a1 b2"),
        ("Move my star to b2 from a1", "2 move a1 b2"),
        ("Déplace mon étoile sur b2 de a1", "2 move a1 b2"),
        ("Déplace à b2 d'a1", "2 move a1 b2"),
        ("Déplace de a1 à b2", "2 move a1 b2"),
        ("Sposta su b2 da a1", "2 move a1 b2"),
        ("Bewege auf b2 von a1", "2 move a1 b2"),
        ("Den Stern von a1 auf b2 bewegen", "2 move a1 b2"),
        ("move to c3 from a1 b2", None),
        ("move b2 from a1 from c3", None),
        ("move from a1 b2 from a1", None),
        ("put a bright star from b2", None),
        ("bright star de b2", None),
        ("Entferne den Stern auf c1", "2 remove c1"),
        ("Remove the star from c1", "2 remove c1"),
        ("put a dot star on b1", None),  # from slots 1 and 3
        ("don't put a bright star on b2", None),
        ("bright star on b2?", None),
        ("bright shiny star on b2", None),
        ("move a1 to b2 or c3", None),
        ("bright star on b2, dot star on b3", None),
    ],
)
def test_a_sentence_names_a_step_of_sternenglanz(line: str, frozen: str | None) -> None:
    moves = (
        *("1 lay punkt b1", "3 lay punkt b1", "1 lay leucht b2", "2 move a1 b2", "2 move b2 a1", "2 remove c1"),
        "1 lapse",
    )
    legal = [sternenglanz.read_move(it) for it in moves]
    for locale in LOCALES:
        assert understood(line, sternenglanz, locale, legal).move == frozen


@pytest.mark.parametrize(
    ("line", "locale", "move"),
    [
        ("Mein Zug: 1 lege Punktstern auf b1; 2 bewege a1 b2 c3", "de", "1 lay punkt b1; 2 move a1 b2 c3"),
        ("My move: 1 lay dot b1; 2 move a1 b2 c3", "en", "1 lay punkt b1; 2 move a1 b2 c3"),
        ("1 leg bitte einen Punktstern auf b1", "de", "1 lay punkt b1"),
        ("Ben's move: 1 lay dot b1; 2 move a1 b2 c3", "en", None),
        ("Next move: 1 lay dot b1; 2 move a1 b2 c3", "en", None),
        ("Mein nächster Zug: 1 lege Punktstern b1; 2 bewege a1 b2 c3", "de", None),
        ("Mein Zug: 1 lege Punktstern b1; 2 bewege a1 b2 c3?", "de", None),
        ("Mein Zug: 1 lege Punkstern b1", "de", None),
    ],
)
def test_an_announced_move_is_played_if_the_rest_is_strict(line: str, locale: str, move: str | None) -> None:
    legal = [sternenglanz.read_move(it) for it in ("1 lay punkt b1", "2 move a1 b2 c3", "3 remove c1")]
    assert understood(line, sternenglanz, locale, legal).move == move


@pytest.mark.parametrize("line", ["5 aqu e", "B scorpoi e"])
def test_a_name_that_is_not_in_play_is_not_left_out(line: str) -> None:
    legal = [it for it in PLACEMENTS.values() if it.board == "taurus"]
    assert nearest_move_in(line, Grammar(Spoken(sternenhimmel, "en"), legal)) is None


HAND = ("loch-c#3", "geburt#1", "wanderung-2#6", "wanderung-3#7", "wanderung-3#3")


@pytest.mark.parametrize(
    ("line", "locale", "frozen"),
    [
        ("Ich nehme die erste und zweite Karte", "de", "choose loch-c#3 geburt#1"),
        ("die ersten beiden", "de", "choose loch-c#3 geburt#1"),
        ("Zweite und vierte Karte bitte", "de", "choose geburt#1 wanderung-3#7"),
        ("Karten 2 und 3", "de", "choose geburt#1 wanderung-2#6"),
        ("first and second card", "en", "choose loch-c#3 geburt#1"),
        ("I take star birth and the black hole", "en", "choose geburt#1 loch-c#3"),
        ("Ich nehme die Sterngeburt und das Schwarze Loch", "de", "choose geburt#1 loch-c#3"),
        ("star birth + black hole", "en", "choose geburt#1 loch-c#3"),
        ("black hole into slot 3, star birth into slot 2", "en", "choose geburt#1 loch-c#3"),
        ("Platz 2: Sterngeburt, Platz 3: Schwarzes Loch", "de", "choose geburt#1 loch-c#3"),
        ("beide Sternwanderung 3", "de", "choose wanderung-3#7 wanderung-3#3"),
        ("migration and black hole", "en", None),  # 2 or 3
        ("star birth or black hole", "en", None),
        ("no star birth and black hole", "en", None),
        ("keine Sterngeburt, Schwarzes Loch", "de", None),
        ("star birth and migration 2 and black hole", "en", None),
    ],
)
def test_the_first_cards_can_be_named_by_place_type_or_slot(line: str, locale: str, frozen: str | None) -> None:
    legal = [sternenglanz.read_move(f"choose {' '.join(cards)}") for cards in permutations(HAND, 2)]
    assert understood(line, sternenglanz, locale, legal).move == frozen


@pytest.mark.parametrize(
    ("line", "locale", "frozen"),
    [
        ("f18 f1 f2 e2", "en", "3 move f18 f1 f2 e2"),
        ("f18 > f1 > f2 > e2", "en", "3 move f18 f1 f2 e2"),
        ("f18 nach e2", "de", "3 move f18 f1 f2 e2"),
        ("bewege f18 über f1 und f2 nach e2", "de", "3 move f18 f1 f2 e2"),
        ("star birth on b6", "en", "2 lay punkt b6"),
        ("Mit der zweiten Karte einen Punktstern auf b6", "de", "2 lay punkt b6"),
        ("slot one remove c11", "en", "1 remove c11"),
        ("1 schwarzes Loch B c11", "de", "1 remove c11"),
        ("erst c11 entfernen", "de", "1 remove c11"),
        ("bright star on b6", "en", None),  # illegal
        ("dot star next to c11", "en", None),
        ("dot star on b6 or c11", "en", None),
        ("f18 from e2 from f1", "en", None),
        ("done", "en", None),
    ],
)
def test_the_words_of_a_step_may_stand_in_any_order(line: str, locale: str, frozen: str | None) -> None:
    moves = ("1 remove c11", "2 lay punkt b6", "3 move f18 f1 f2 e2", "3 move f18 f1 f2 f3", "finish")
    legal = [sternenglanz.read_move(it) for it in moves]
    assert understood(line, sternenglanz, locale, legal).move == frozen


@pytest.mark.parametrize("locale", LOCALES)
def test_a_card_with_a_number_that_no_card_has_is_not_in_the_hand(locale: str) -> None:
    sky = next(positions("sternenglanz", {}, 2, seed=1)).state
    view = sternenglanz.view(sky, 0)
    for kind in CARDS.kinds.values():
        line = write_move(sternenglanz, Move((Choose(f"{kind.id}#1", f"{kind.id}#2"),)), locale)
        for number in (0, kind.amount + 1, 99, 100):
            text = line.replace("#1", f"#{number}", 1)
            assert f"#{number}" in sternenglanz.fault(text, view, locale), text
