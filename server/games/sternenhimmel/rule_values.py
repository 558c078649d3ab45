"""The figures in the text of the rules. On the page, `page/rule-figures.js` computes the same figures."""

import json
from collections.abc import Mapping
from importlib.resources import files

from server.games.contract import Json
from server.games.sternenhimmel.material import BLACK_HOLE, BOARDS, DOUBLE_STAR, FACE_VALUES, SEATS, STAR_SET, STARS
from server.games.sternenhimmel.options import EDITIONS
from server.translations import Language

TERMS: Mapping[str, str] = {  # see `section_about`
    "scoring": "black holes?|schwarze[ns]? l(?:o|ö)ch(?:er)?|trous? noirs?|buc(?:o|hi) ner[oi]",
    "doubles": "double[ -]stars?|doppelsterne?|étoiles? doubles?|doubles? étoiles?|stell[ae] doppi[ae]|doppi[ae] stell[ae]"
    "|numbers|zahlen|nombres|chiffres|numeri|(?:the|an?|die|eine|der|le|un|il) (?:"
    + "|".join(star for star in STARS if FACE_VALUES[star] > 0)
    + ")",
    "turn": "(?:large|big|small|little) (?:spaces?|fields?)|(?:große?|kleine)[ns]? felde?r?|(?:grande|petite)s? cases?"
    "|casell[ae] (?:grand[ei]|piccol[ae])",
    "payment": "compensations?|entschädigung|dédommagement|indennizzo|prizes?|(?:erste|zweite)[rn]? preis|preise"
    "|(?:premier|deuxième|second) prix|premio?",
    "table": "constellations?|sternbild(?:er)?|costellazion[ei]|stack|stapel|pile|pila|"
    + "|".join(name for board in BOARDS.values() for name in (board.id, board.latin, *board.names.values())),
}
_NAMES = ("Ada", "Ben", "Cleo", "Dan")


def rule_values(say: Language) -> Mapping[str, str]:
    """Return the figures by name, and the names of editions by `edition.` and id."""
    examples: Json = json.loads(files(__package__).joinpath("page", "examples.json").read_text("utf-8"))
    scored, board = examples["scored"], BOARDS[examples["scored"]["board"]]
    firsts, seconds = [it.first for it in BOARDS.values()], [it.second for it in BOARDS.values()]
    paid = {
        f"{name}_{payer}": scored["payouts"][payer][seat]
        for payer in ("first", "bank")
        for seat, name in enumerate(_NAMES)
    }
    values = {
        "players": say.either([str(it) for it in SEATS]),
        "set": len(STAR_SET),
        "numbers": say.listed([star for star in STARS if FACE_VALUES[star] > 0]),
        "holes": STAR_SET.count(BLACK_HOLE),
        "doubles": STAR_SET.count(DOUBLE_STAR),
        "boards": len(BOARDS),
        "turns": sum(len(it.spaces) for it in BOARDS.values()),
        "least_first": min(firsts),
        "most_first": max(firsts),
        "least_second": min(seconds),
        "most_second": max(seconds),
        "board": dict(board.names)[say.locale],
        "first": board.first,
        "second": board.second,
        **{f"{name}_total": scored["totals"][seat] for seat, name in enumerate(_NAMES)},
        **{f"{name}_stars": scored["stars"][seat] for seat, name in enumerate(_NAMES)},
        **paid,
        "compensation": scored["stars"][2] + scored["stars"][3],
        **{f"edition.{it}": it.partition("-")[0].capitalize() for it in EDITIONS},
    }
    return {name: str(value) for name, value in values.items()}
