"""Moves of Sternenglanz as text, such as `1 lay punkt b1; 2 move a1 b2 c3` (R13)."""

from server.games.errors import MalformedMove
from server.games.sternenglanz.moves import (
    MOST_STEPS,
    Choose,
    Finish,
    Lapse,
    LayCards,
    Move,
    SchwarzesLoch,
    Step,
    Sterngeburt,
    Sternwanderung,
    Supernova,
    card_named,
    class_named,
    field_named,
    path_along,
    slot_named,
)
from server.translations import language, noted

NO_CARD = "-"
NOTATION = noted(
    "Write one step, or several separated by semicolons (;). For an action, write the slot, what to do, and "
    "where: %(place)s, %(remove)s, %(nova)s, %(lapse)s. To move a star, list each space of its path: "
    "%(move)s. To stop after slots 1 and 2, write %(finish)s. Then choose a card for slot 2 and one for slot "
    "1, or write - for no card: %(lay)s. To discard the Supernova card in slot 1 first: %(drop)s. Before your "
    "first turn, choose the cards for slots 2 and 3: %(choose)s. You can use capital or small letters."
)
NOTATION_LINES = {
    "place": "1 lay punkt b1",
    "move": "2 move a1 b2 c3",
    "remove": "3 remove c1",
    "nova": "1 nova d4",
    "lapse": "2 lapse",
    "finish": "finish",
    "lay": "lay geburt#4 -",
    "drop": "drop lay geburt#4 -",
    "choose": "choose geburt#3 loch-a#1",
}


def read_move(text: str) -> Move:
    """Parse a move such as `1 lay punkt b1; 2 move a1 b2 c3`, in upper or lower case. Raise MalformedMove for any other
    string."""
    lines = [[word for word in step.split(" ") if word] for step in text.lower().split(";")]
    if len(lines) > MOST_STEPS:
        raise MalformedMove("bad-steps", "A move has 1 to %(most)s steps.", most=MOST_STEPS)
    return Move(tuple(_read_step(words) for words in lines))


def _read_step(words: list[str]) -> Step:
    match words:
        case ["choose", slot2, slot3]:
            return Choose(card_named(slot2), card_named(slot3))
        case ["lay", slot2, slot1]:
            return LayCards(False, _read_card(slot2), _read_card(slot1))
        case ["drop", "lay", slot2, slot1]:
            return LayCards(True, _read_card(slot2), _read_card(slot1))
        case [slot, "lay", star, field]:
            return Sterngeburt(_read_slot(slot), class_named(star), field_named(field))
        case [slot, "move", _, _, *_]:
            return Sternwanderung(_read_slot(slot), path_along(words[2:]))
        case [slot, "remove", field]:
            return SchwarzesLoch(_read_slot(slot), field_named(field))
        case [slot, "nova", field]:
            return Supernova(_read_slot(slot), field_named(field))
        case [slot, "lapse"]:
            return Lapse(_read_slot(slot))
        case ["finish"]:
            return Finish()
    raise MalformedMove("not-a-step", "This is not a step of a turn. %(notation)s", notation=_notation)


def _notation(locale: str) -> str:
    return language(locale).gettext(NOTATION, **NOTATION_LINES)


def _read_slot(word: str) -> int:
    return slot_named(int(word) if word in ("1", "2", "3") else 0)


def _read_card(word: str) -> str | None:
    return None if word == NO_CARD else card_named(word)


def write_move(move: Move) -> str:
    """Return the move as text, such as `1 lay punkt b1; 2 move a1 b2 c3`."""
    return "; ".join(map(_write_step, move.steps))


def _write_step(step: Step) -> str:
    match step:
        case Choose(slot2, slot3):
            return f"choose {slot2} {slot3}"
        case Sterngeburt(slot, star, field):
            return f"{slot} lay {star} {field}"
        case Sternwanderung(slot, path):
            return f"{slot} move {' '.join(path)}"
        case SchwarzesLoch(slot, field, do) | Supernova(slot, field, do):
            return f"{slot} {do} {field}"
        case Lapse(slot):
            return f"{slot} lapse"
        case Finish():
            return "finish"
        case LayCards(drop_nova, slot2, slot1):
            return f"{'drop ' if drop_nova else ''}lay {slot2 or NO_CARD} {slot1 or NO_CARD}"


EXAMPLES = (
    "choose geburt#3 loch-a#1",
    "1 lay punkt b1",
    "2 move a1 b2 c3",
    "3 remove c1",
    "1 nova d4",
    "2 lapse",
    "finish",
    "lay geburt#4 -",
    "lay - wanderung-2#1",
    "drop lay geburt#4 loch-c#2",
    "1 lay punkt b1; 2 move a1 b2 c3; finish; lay geburt#4 -",
)
