"""What happened in a game of Sternenglanz, in words."""

from collections.abc import Callable, Mapping, Sequence

from server.rules import Json

from .names import bild_name, card_name, piece_name

_LOCALE = "en"
_WHY: Mapping[str, str] = {
    "goal": "The goal was reached",
    "all-sternbilder": "All Sternbilder were completed",
    "all-prachtsterne": "All splendid stars had been laid",
    "round-limit": "The last round was over",
}


def _hand_dealt(item: Json, names: Sequence[str]) -> str:
    return f"{names[item['seat']]} was dealt {_cards(item['cards'])}."


def _sternbild_drawn(item: Json, names: Sequence[str]) -> str:
    return f"{names[item['seat']]} took {_bild(item['sternbild']) if item['sternbild'] else 'a secret Sternbild'}."


def _cards_chosen(item: Json, names: Sequence[str]) -> str:
    chosen = [card for card in (item["slot2"], item["slot3"]) if card]
    return f"{names[item['seat']]} chose {_cards(chosen) if chosen else 'the first two cards'}."


def _choices_shown(item: Json, names: Sequence[str]) -> str:
    shown = (f"{name} {_cards(cards)}" for name, cards in zip(names, item["choices"], strict=True))
    return f"All have chosen: {'; '.join(shown)}."


def _star_laid(item: Json, names: Sequence[str]) -> str:
    return f"{names[item['seat']]} laid {_star(item)} on {item['field']}{_gained(item['points'])}."


def _star_removed(item: Json, names: Sequence[str]) -> str:
    return f"{names[item['seat']]} had {_star(item)} on {item['field']} swallowed{_gained(item['points'])}."


def _star_moved(item: Json, names: Sequence[str]) -> str:
    return f"{names[item['seat']]} moved {_star(item)}: {' '.join(item['path'])}."


def _supernova_laid(item: Json, names: Sequence[str]) -> str:
    removed = ", ".join(f"{field} ({piece_name(star, _LOCALE)})" for field, star in item["removed"]) or "nothing"
    points = [f"{name} {gained:+d}" for name, gained in zip(names, item["points"], strict=True) if gained]
    scored = f"; {', '.join(points)}" if points else ""
    return f"{names[item['seat']]} laid a Supernova on {item['field']}, which swept away {removed}{scored}."


def _action_lapsed(item: Json, names: Sequence[str]) -> str:
    return f"{names[item['seat']]} could do nothing on slot {item['slot']}."


def _sternbild_completed(item: Json, names: Sequence[str]) -> str:
    where = " ".join(item["fields"])
    return f"{names[item['seat']]} completed {_bild(item['sternbild'])} on {where}{_gained(item['points'])}."


def _cards_laid(item: Json, names: Sequence[str]) -> str:
    laid = [f"{_card(card)} on slot {slot}" for slot, card in ((2, item["slot2"]), (1, item["slot1"])) if card]
    dropped = f", and dropped {_card(item['dropped'])}" if item["dropped"] else ""
    return f"{names[item['seat']]} laid {' and '.join(laid) or 'no card'}{dropped}."


def _cards_drawn(item: Json, names: Sequence[str]) -> str:
    return f"{names[item['seat']]} drew {_cards(item['cards'])}."


def _game_decided(item: Json, names: Sequence[str]) -> str:
    secrets = [f"{name} {_bild(bild)}" for name, bild in zip(names, item["sternbilder"], strict=True) if bild]
    shown = f" Not completed: {', '.join(secrets)}." if secrets else ""
    return f"{_WHY[item['reason']]}.{shown}"


def _star(item: Json) -> str:
    return f"a {piece_name(item['star'], _LOCALE)}".lower()


def _card(copy: str) -> str:
    return f"{card_name(copy, _LOCALE)} ({copy})"


def _cards(cards: Sequence[str | None]) -> str:
    """Those that the reader knows by name, the others by their number."""
    if known := [card for card in cards if card]:
        return " and ".join(_card(card) for card in known)
    return "a card" if len(cards) == 1 else f"{len(cards)} cards"


def _bild(bild: str) -> str:
    return f'"{bild_name(bild, _LOCALE)}"'


def _gained(points: int) -> str:
    return f" and gained {points}" if points else ""


SENTENCES: Mapping[str, Callable[[Json, Sequence[str]], str]] = {
    "hand-dealt": _hand_dealt,
    "sternbild-drawn": _sternbild_drawn,
    "sternbild-turned-up": lambda item, names: f"The common Sternbild is {_bild(item['sternbild'])} now.",
    "cards-chosen": _cards_chosen,
    "choices-shown": _choices_shown,
    "turn-began": lambda item, names: f"Turn {item['turn']}: {names[item['seat']]}.",
    "star-laid": _star_laid,
    "star-removed": _star_removed,
    "star-moved": _star_moved,
    "supernova-laid": _supernova_laid,
    "action-lapsed": _action_lapsed,
    "sternbild-completed": _sternbild_completed,
    "supernova-granted": lambda item, names: f"{names[item['seat']]} took a Supernova card into the hand.",
    "act-finished": lambda item, names: f"{names[item['seat']]} left it at slots 1 and 2.",
    "cards-shifted": lambda item, names: f"{names[item['seat']]}'s cards moved on.",
    "cards-laid": _cards_laid,
    "discards-shuffled": lambda item, names: f"The discards were shuffled: {item['deck']} cards are the new deck.",
    "cards-drawn": _cards_drawn,
    "game-decided": _game_decided,
}
