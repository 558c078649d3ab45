"""What each seat, and a spectator, sees of the table and of events (R12)."""

from collections.abc import Sequence
from typing import Any

from server.games.contract import Json, Place, Seat
from server.games.errors import MalformedMove
from server.games.sternenglanz.material import FIELDS, OWN_OPEN, OWN_SECRET, PIECES, ids_of
from server.games.sternenglanz.moves import Choose, Move, Sterngeburt, move_from_json
from server.games.sternenglanz.rules import ACTIONS, REVEALING, checks_secrets
from server.games.sternenglanz.state import (
    EVENTS,
    OVER,
    ActFinished,
    ActionLapsed,
    CardsChosen,
    CardsDrawn,
    CardsLaid,
    CardsShuffled,
    DiscardsShuffled,
    Event,
    GameDecided,
    HandDealt,
    StarLaid,
    StarMoved,
    StarRemoved,
    State,
    SternbildDrawn,
    SupernovaLaid,
    TurnLog,
    supply,
)

NAME_OF = {kind: name for name, kind in EVENTS.items()}


def example(view: Json) -> Move | None:
    """Return a move that the seat of this view could make if it were its turn: the choice of its first two cards, or a
    dot star on a free field. Return None if there is none."""
    if view["phase"] == "choose":
        hand = view["hand"] or []
        return Move((Choose(*hand[:2]),)) if len(hand) > 1 else None
    free = next((field for field in FIELDS if field not in view["board"]), None)
    return Move((Sterngeburt(1, "punkt", free),)) if free else None


def view(sky: State, seat: Seat | None) -> Json:
    """Return the view of a seat, or of a spectator (None)."""
    bilder, result = sky.bilder, sky.result
    return {
        "scenario": sky.options["scenario"],
        "phase": sky.phase,
        "turn": sky.turn,
        "start": sky.start,
        "next": sky.on_turn,
        "chosen": [chosen is not None for chosen in sky.chosen],
        "board": {field: piece for piece in PIECES for field in ids_of(sky.stars[piece])},
        "supply": {piece: supply(sky, piece) for piece in PIECES},
        "points": list(sky.points),
        "hand": None if seat is None else list(sky.hands[seat]),
        "hand_sizes": [len(hand) for hand in sky.hands],
        "slots": [_slots_seen(sky, owner, seat) for owner in range(len(sky.slots))],
        "discards": [len(discard) for discard in sky.discards],
        "deck": len(sky.deck),
        "reserve": len(sky.reserve),
        "granted": list(sky.granted),
        "sternbilder": {
            "deck": len(bilder.deck),
            "open": bilder.open,
            "own": [_bild_seen(sky, owner, seat) for owner in range(len(bilder.own))],
            "done": [list(done) for done in bilder.done],
        },
        "log": _log_seen(sky.log),
        "result": None if result is None else {"reason": result.reason, "winners": result.winners},
    }


def _slots_seen(sky: State, owner: Seat, viewer: Seat | None) -> list[str | None]:
    chosen = sky.chosen[owner]
    return [None, *chosen] if chosen is not None and owner == viewer else list(sky.slots[owner])


def _bild_seen(sky: State, owner: Seat, viewer: Seat | None) -> Json | None:
    bild = sky.bilder.own[owner]
    if bild is None:
        return None
    is_open = owner == viewer or sky.phase == OVER or sky.scenario.sternbild == OWN_OPEN
    return {"sternbild": bild if is_open else None}


def _log_seen(log: TurnLog) -> Json:
    return {
        "performed": [{"slot": slot, "card": card} for slot, card in log.performed],
        "laid": [list(pair) for pair in log.laid],
        "removed": [list(pair) for pair in log.removed],
        "moved": {
            field: {"rests": list(trail.rests), "lines": list(trail.lines)} for field, trail in log.trails.items()
        },
        "lines": list(log.lines),
    }


def place(view: Json, text: str) -> Place:
    """Return the place of a field such as `b1` in a spectator's view. Raise MalformedMove for an unknown field."""
    field = text.strip().lower()
    if field not in FIELDS:
        raise MalformedMove(
            "unknown-field", "The Firmament has no such space. Write, for example: %(example)s", example="b1"
        )
    return Place(f"/board/{field}")


def tell(event: Event, seat: Seat | None) -> Json | None:
    """Return the event as a seat or a spectator (None) sees it, or None if it is invisible."""
    told: Json = {"type": NAME_OF[type(event)], "seat": event.seat}
    match event:
        case CardsShuffled():
            return None
        case HandDealt(owner, cards) | CardsDrawn(owner, cards):
            return {**told, "cards": cards if owner == seat else [None] * len(cards)}
        case SternbildDrawn(owner, bild, is_open):
            return {**told, "sternbild": bild if is_open or owner == seat else None, "open": is_open}
        case CardsChosen(owner, slot2, slot3):
            return {**told, "slot2": slot2, "slot3": slot3} if owner == seat else {**told, "slot2": None, "slot3": None}
        case DiscardsShuffled(deck, out):
            return {**told, "deck": len(deck), "out": out}
        case _:
            return {**told, **event._asdict()}  # all of it is public


def preview(sky: State, seat: Seat, events: Sequence[Event]) -> tuple[list[Event], bool]:
    """Return a pair: the events of the seat's own move that the seat can foresee, and whether other events stay hidden.
    Other seats' choices, cards from a deck, and an end that shows secret Sternbilder stay hidden. So do events after an
    action that might complete a Sternbild hidden from the seat."""
    for number, event in enumerate(events, start=1):
        if isinstance(event, CardsChosen):
            return [event], number < len(events)
        if isinstance(event, ACTIONS) and checks_secrets(sky):
            return list(events[:number]), True
    hidden = (*REVEALING, GameDecided) if sky.scenario.sternbild == OWN_SECRET else REVEALING
    seen: list[Event] = [event for event in events if not isinstance(event, hidden)]
    return seen, len(seen) < len(events)


def reveals(sky: State, seat: Seat, events: Sequence[Event]) -> bool:
    """Return whether these events revealed something: a card, a Sternbild, the choices of other seats, or that an
    action completed no hidden Sternbild."""
    return preview(sky, seat, events)[1]


def move_of(events: Sequence[Any]) -> Move:
    """Return the move that led to these events. Raise MalformedMove if no move begins with them."""
    steps = [step for event in events if (step := _step_of(event)) is not None]
    if not steps or _step_of(events[0]) is None:
        raise MalformedMove("not-a-move", "These events don't begin with a move.")
    return move_from_json({"steps": steps})


def _step_of(event: Any) -> Json | None:
    match event:
        case CardsChosen(_, slot2, slot3):
            return {"cmd": "choose", "slot2": slot2, "slot3": slot3}
        case StarLaid(_, slot, _, star, field):
            return {"cmd": "act", "slot": slot, "do": "lay", "class": star, "field": field}
        case StarMoved(_, slot, _, _, path):
            return {"cmd": "act", "slot": slot, "do": "move", "path": path}
        case StarRemoved(_, slot, _, _, field):
            return {"cmd": "act", "slot": slot, "do": "remove", "field": field}
        case SupernovaLaid(_, slot, _, field):
            return {"cmd": "act", "slot": slot, "do": "nova", "field": field}
        case ActionLapsed(_, slot):
            return {"cmd": "act", "slot": slot, "do": "lapse"}
        case ActFinished():
            return {"cmd": "finish"}
        case CardsLaid(_, dropped, slot2, slot1):
            return {"cmd": "lay", "dropNova": dropped is not None, "slot2": slot2, "slot1": slot1}
    return None
