"""Placements of Sternenhimmel in a player's own words, such as `ten Capricorn c` or `Doppelstern Steinbock f`.

`notation.py` has the notation that never changes. Here, names may be words of any of our languages, since players also
reply in their own language to emails in another one. The caller has removed words such as "please" and "my".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from unicodedata import combining, normalize

from server.games.contract import Json
from server.games.sternenhimmel.material import BLACK_HOLE, BOARDS, DOUBLE_STAR, STARS, is_large
from server.games.sternenhimmel.moves import Placement
from server.games.sternenhimmel.notation import read_move
from server.translations import language

_NUMBERS: Mapping[str, str] = {  # "one" is also a pronoun
    "1": "eins einser my·one the·one mon·un le·un mio·uno",
    "3": "three drei dreier trois tre",
    "5": "five fünf fünfer cinq cinque",
    "6": "six sechs sechser sei",
    "7": "seven sieben siebener sept sette",
    "10": "ten zehn zehner dix dieci",
    BLACK_HOLE: "black·hole blackhole hole schwarzes·loch schwarzesloch loch schwarze·loch schwarzen·loch trou·noir buco·nero",
    DOUBLE_STAR: "double·star double-star doublestar doppelstern doppel·stern doppel-stern étoile·double double·étoile stella·doppia doppia·stella",
}
_WORDS = {
    "do": "put place lay set move bring lege leg legen setze setz setzen stelle stell bewege bewegen bringe bringen ziehe "
    "zieh ziehen verschiebe mets mettre pose poser placer déplace deplace déplacer metti metto mettere posa poso posare "
    "piazza piazzo sposta sposto spostare porta muovi muovo",
    "beside": "nach vers star stern étoile etoile stella constellation sternbild costellazione number nummer",
    "space": "space field spot feld case casella spazio",
}
_FACES = {  # how a star lies, by whether the space is large
    True: "face·down facedown hidden verdeckt verdeckte verdeckten face·cachée face·cachee cachée coperta coperto nascosta",
    False: "face·up faceup open offen offene offenen aufgedeckt face·visible visible scoperta scoperto",
}
_LARGE = {word: is_large for is_large, words in _FACES.items() for word in words.split()}
_BEFORE_COMMA = re.compile(r"\b([a-j]), (?=\w)")  # as in `Leo a, 10`, where "a" is no article
_DOING, _BESIDE, _SPACE = (frozenset(words.split()) for words in _WORDS.values())
_LETTERS = frozenset("abcdefghij")
_ALSO_WORDS = frozenset("aei")  # letters that are words in one of our languages
_SHORTEST_BEGINNING = 3  # letters
_NO_BEGINNINGS = frozenset({"was", "poi"})  # other words of our languages, as in "the 7 was on c"
_AMBIGUOUS = frozenset(  # "sei" also means "you are"
    {"sei", "sept", "einer", "my·one", "the·one", "mon·un", "le·un", "mio·uno"}
)


def read_spoken(text: str, locale: str) -> Placement:
    """Parse a placement with the constellation's name in any of our languages. Raise MalformedMove for any other
    string."""
    words = text.split()
    if len(words) == 3 and (board := _BOARDS.get(normalize("NFC", words[1].lower()))):
        return read_move(f"{words[0]} {board} {words[2]}")
    return read_move(text)


def write_spoken(move: Placement, locale: str) -> str:
    """Return a placement with the constellation's name in this language, such as `7 löwe c`."""
    return f"{move.star} {BOARDS[move.board].names[locale].lower()} {move.space}"


def meant_moves(text: str, locale: str, legal: Sequence[Placement]) -> list[Placement]:
    """Return the placement that a text names, legal or not. Return several if the text fits several. If it names a star
    and a constellation in this order, it means the only space where the star may go. Between a star and a space, the
    beginning of a name is enough if only one constellation in play has such a name."""
    words, faces = _without_faces(_words(text))
    words = _with_whole_board(words, locale, legal)
    boards = [nr for nr, word in enumerate(words) if word in _BOARDS]
    if len(boards) != 1 or _strange_in(words):
        return []
    [at] = boards
    board = _BOARDS[words[at]]
    before, after = _without_article(words[:at]), words[at + 1 :]
    match before, after:
        case [star], [*marks, space] if _is_mark(marks):
            found = [(star, space)]
        case [star, *marks, space], [] if _is_mark(marks) and (marks or space not in _ALSO_WORDS):
            found = [(star, space)] if marks else [(star, space), (space, star)]
        case [], [*marks, space, star] if _is_mark(marks) and (marks or space not in _ALSO_WORDS):
            found = [(star, space), (space, star)]
        case [star], [] if star not in _LETTERS | _AMBIGUOUS:
            spaces = [it.space for it in legal if (it.star, it.board) == (_STARS.get(star), board)]
            found = [(star, space) for space in spaces if len(spaces) == 1]
        case _:
            return []
    meant = [Placement(_STARS[star], board, space) for star, space in found if star in _STARS and space in _LETTERS]
    return [it for it in dict.fromkeys(meant) if all(_lies(it, is_down) for is_down in faces)]


def _with_whole_board(words: list[str], locale: str, legal: Sequence[Placement]) -> list[str]:
    match words:
        case [star, begun, *marks, space] if star in _STARS and space in _LETTERS and _is_mark(marks):
            boards = [it for it in {move.board for move in legal} if _begins_name(begun, it, locale)]
            return [star, *boards, *marks, space] if len(boards) == 1 else words
    return words


def _begins_name(word: str, board: str, locale: str) -> bool:
    it = BOARDS[board]
    names = (it.latin, it.names["en"], it.names[locale])
    is_telling = len(word) >= _SHORTEST_BEGINNING and word not in _NO_BEGINNINGS
    return is_telling and any(spelling.startswith(word) for name in names for spelling in _spellings(name))


def _lies(move: Placement, is_down: bool) -> bool:
    return move.space in BOARDS[move.board].spaces and is_large(move.board, move.space) == is_down


def _without_faces(words: Sequence[str]) -> tuple[list[str], set[bool]]:
    """Return a pair: the words without those for a star face down or face up, and whether they say face down."""
    return [it for it in words if it not in _LARGE], {_LARGE[it] for it in words if it in _LARGE}


def fitting_moves(text: str, locale: str, legal: Sequence[Placement]) -> list[Placement]:
    """Return the legal placements to which every word of a text belongs."""
    words = [word for word in _without_faces(_words(text))[0] if word not in _SPACE]
    return [it for it in legal if words and all(_belongs(word, it) for word in words)]


def _belongs(word: str, move: Placement) -> bool:
    return _STARS.get(word) == move.star or _BOARDS.get(word) == move.board or word == move.space


def strange_word(text: str, locale: str) -> str:
    """Return the first unknown word of a text that otherwise names a placement, or ""."""
    words = _without_faces(_words(text))[0]
    named = any(word in _BOARDS for word in words) and any(word in _STARS or word in _LETTERS for word in words)
    return _strange_in(words) if named or _has_only_a_strange_board(words) else ""


def _has_only_a_strange_board(words: Sequence[str]) -> bool:
    """Return whether these are a star, an unknown word and a space, as in `7 loe c`."""
    if len(words) != 3:
        return False
    star, board = (words[0], words[1]) if words[0] in _STARS else (words[1], words[0])
    return star in _STARS and words[2] in _LETTERS and _strange_in([board]) != ""


def fault(text: str, view: Json, locale: str) -> str:
    """Return what is there instead of a constellation or a number that a text names, or "". `view` is that of the seat."""
    in_play, words = [it["board"] for it in view["boards"]], _words(text)
    away = [board for it in words if (board := _BOARDS.get(it)) and board not in in_play]
    if len(away) == 1 and any(it in _STARS for it in words):
        return language(locale).gettext(
            "%(board)s is not in play. Constellations in play: %(boards)s.",
            board=BOARDS[away[0]].names[locale],
            boards=", ".join(BOARDS[it].names[locale] for it in in_play),
        )
    word = strange_word(text, locale)
    if not word.isdecimal() or any(it in _STARS and it not in _LETTERS for it in words):
        return ""
    return language(locale).gettext(
        "You have no %(star)s in your hand. Your hand is %(hand)s.", star=word, hand=" ".join(view["hand"])
    )


def known_words(locale: str) -> frozenset[str]:
    """Return the words that may name a star, a constellation or a space."""
    return frozenset((*_STARS, *_BOARDS, *_LETTERS, *_SPACE, *_BESIDE, *_DOING, *_LARGE))


def _strange_in(words: Sequence[str]) -> str:
    return next((it for it in words if it not in _BOARDS and it not in _STARS and it not in _LETTERS | _SPACE), "")


def _is_mark(words: Sequence[str]) -> bool:
    """Return whether these words only announce a space, as in `Capricorn, space c`."""
    return len(words) <= 1 and all(word in _SPACE for word in words)


def _without_article(words: Sequence[str]) -> list[str]:
    """Leave out "a" before a star and before the constellation at the end, as in `a ten` and Italian `a Leone`."""
    return [word for word, after in pairwise((*words, "")) if word != "a" or after not in {*_STARS, ""}]


def _words(text: str) -> list[str]:
    """Return the words of a text, each name as one word. Verbs such as "put" are left out, and a name that is said
    twice is kept once: `double star D`."""
    plain = _BEFORE_COMMA.sub(r"space \1 ", normalize("NFC", text.lower()))
    for phrase in _TWO_WORDS:
        plain = f" {plain} ".replace(f" {phrase} ", f" {phrase.replace(' ', '·')} ").strip()
    words = [word.removesuffix("'s") for word in plain.split()]
    doing = [
        word for word, after in pairwise((*words, "")) if word not in _DOING and not (word == "i" and after in _DOING)
    ]
    told = [word for word in doing if word not in _BESIDE]
    return [word for before, word in pairwise(("", *told)) if not _is_repeated(before, word)]


def _is_repeated(before: str, word: str) -> bool:
    is_star = len(before) > 1 and word in _STARS and _STARS.get(before) == _STARS[word]
    return is_star or (word in _BOARDS and _BOARDS.get(before) == _BOARDS[word])


def _spellings(name: str) -> Iterator[str]:
    """Yield a name in small letters as it is, without accents, and with `oe` for `ö`."""
    lower = normalize("NFC", name.lower())
    yield lower
    yield "".join(it for it in normalize("NFKD", lower) if not combining(it))
    yield lower.replace("ä", "ae").replace("ö", "oe").replace("ü", "ue")


_STARS = {star.lower(): star for star in STARS} | {
    spelling: star for star, names in _NUMBERS.items() for name in names.split() for spelling in _spellings(name)
}
_INFLECTED = {"gemini": "Zwillingen", "leo": "Löwen", "pisces": "Fischen", "sagittarius": "Schützen"}
_BOARDS = {
    spelling: board.id
    for board in BOARDS.values()
    for name in (board.id, board.abbr, board.latin, *board.names.values(), _INFLECTED.get(board.id, board.id))
    for spelling in _spellings(name)
}
_TWO_WORDS = tuple(name.replace("·", " ") for name in (*_STARS, *_LARGE) if "·" in name)
