"""The state of a game (R2), and its events.

Events hold results: points gained, cards drawn, the slots after a shift, the next seat. `apply` computes none of them,
so corrected rules don't change recorded games.
"""

from collections import Counter
from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, NamedTuple

from server.games.contract import Json, Seat
from server.games.sternenglanz.material import (
    CARDS,
    FIELDS,
    FIRMAMENT,
    LEUCHT,
    NOVA,
    PIECES,
    PRACHT,
    PUNKT,
    STARS,
    Fields,
    Scenario,
)

CHOOSE, ACT, LAY, OVER = "choose", "act", "lay", "over"
Slots = tuple[str | None, str | None, str | None]
Hand = tuple[str, ...]
Pair = tuple[str, str]


class Trail(NamedTuple):
    """The trail of a star moved in this turn: its stops, and the lines it passed."""

    rests: tuple[str, ...]
    lines: tuple[str, ...]


class TurnLog(NamedTuple):
    """The actions of the current turn so far."""

    performed: tuple[tuple[int, str | None], ...]  # slots, each with the card that was on it
    laid: tuple[Pair, ...]  # field and class, as in `removed`
    removed: tuple[Pair, ...]
    trails: Mapping[str, Trail]  # by the current field of the moved star
    lines: tuple[str, ...]  # passed by any star

    @property
    def slots(self) -> tuple[int, ...]:
        return tuple([slot for slot, _ in self.performed])


NOTHING_DONE = TurnLog((), (), (), {}, ())


class Bilder(NamedTuple):
    """The Sternbild cards: the deck, the common card, each seat's own card, and the completed cards."""

    deck: tuple[str, ...]
    open: str | None
    own: tuple[str | None, ...]
    done: tuple[tuple[str, ...], ...]


class State(NamedTuple):
    """An immutable state of a game. `apply` returns the next one."""

    options: Json
    phase: str
    turn: int
    on_turn: Seat | None
    start: Seat
    stars: Mapping[str, Fields]  # fields of each class of pieces, including Supernovae
    gone: Mapping[str, int]  # stars that have left the game, by class
    points: tuple[int, ...]
    deck: tuple[str, ...]
    hands: tuple[Hand, ...]
    slots: tuple[Slots, ...]
    discards: tuple[tuple[str, ...], ...]
    chosen: tuple[Pair | None, ...]  # first cards, until all seats have chosen
    reserve: tuple[str, ...]
    granted: tuple[bool, ...]
    bilder: Bilder
    log: TurnLog
    result: "GameDecided | None"

    @property
    def scenario(self) -> Scenario:
        return CARDS.scenarios[self.options["scenario"]]


def occupied(stars: Mapping[str, Fields]) -> Fields:
    """Return the fields with a star or a Supernova."""
    return stars[PUNKT] | stars[LEUCHT] | stars[PRACHT] | stars[NOVA]


def lit(stars: Mapping[str, Fields]) -> Fields:
    return stars[PUNKT] | stars[LEUCHT] | stars[PRACHT]


def piece_on(stars: Mapping[str, Fields], field: str) -> str | None:
    bit = FIELDS[field].bit
    return next((piece for piece in PIECES if stars[piece] & bit), None)


def supply(sky: State, piece: str) -> int:
    """Return how many pieces of a class can still be placed (R1.1)."""
    return CARDS.limits[piece] - sky.stars[piece].bit_count() - sky.gone.get(piece, 0)


# Events


class CardsShuffled(NamedTuple):
    """The start of a game. No player sees this event, since the order of both decks is secret."""

    seats: int
    options: Json
    start: Seat
    field: str
    deck: list[str]
    sternbilder: list[str]
    reserve: list[str]
    seat: None = None


class HandDealt(NamedTuple):
    """The deal of a player's first cards."""

    seat: Seat
    cards: list[str]


class SternbildDrawn(NamedTuple):
    """A player's draw of the top Sternbild, face up or in secret."""

    seat: Seat
    sternbild: str
    open: bool


class SternbildTurnedUp(NamedTuple):
    """A new common Sternbild from the deck."""

    sternbild: str
    seat: None = None


class CardsChosen(NamedTuple):
    """A player's choice of the first two cards, hidden from the others."""

    seat: Seat
    slot2: str
    slot3: str


class ChoicesShown(NamedTuple):
    """The reveal of all choices: each seat's cards for slots 2 and 3."""

    choices: list[list[str]]
    seat: None = None


class TurnBegan(NamedTuple):
    """The start of a player's turn."""

    seat: Seat
    turn: int


class StarLaid(NamedTuple):
    """A Sterngeburt. `card` is None for the permanent action, `star` is the class of the star, and `points` is the number
    of points gained."""

    seat: Seat
    slot: int
    card: str | None
    star: str
    field: str
    points: int


class StarRemoved(NamedTuple):
    """A star's removal by a Schwarzes Loch."""

    seat: Seat
    slot: int
    card: str
    star: str
    field: str
    points: int


class StarMoved(NamedTuple):
    """A star's move by a Sternwanderung."""

    seat: Seat
    slot: int
    card: str
    star: str
    path: list[str]


class SupernovaLaid(NamedTuple):
    """A Supernova on `field`. `removed` has the fields and classes around it, `out` the classes that left the game.

    `points` has each seat's gain or loss. The card is on the player's discard pile.
    """

    seat: Seat
    slot: int
    card: str
    field: str
    removed: list[list[str]]
    out: list[str]
    points: list[int]


class ActionLapsed(NamedTuple):
    """A slot that counts as performed although its action was impossible."""

    seat: Seat
    slot: int
    card: str | None


class SternbildCompleted(NamedTuple):
    """A Sternbild that a player completed on these fields of the Firmament, and whose card the player now owns."""

    seat: Seat
    sternbild: str
    fields: list[str]
    points: int


class SupernovaGranted(NamedTuple):
    """A Supernova card that a player took from the reserve into the hand."""

    seat: Seat
    card: str


class ActFinished(NamedTuple):
    """A player's decision to end the actions after slots 1 and 2."""

    seat: Seat


class CardsShifted(NamedTuple):
    """The end of the part `act`: the cards now in the slots, and those on the player's discard pile."""

    seat: Seat
    slots: list[str | None]
    discarded: list[str]


class CardsLaid(NamedTuple):
    """The playing of hand cards, and whether the player dropped the Supernova card in slot 1."""

    seat: Seat
    dropped: str | None
    slot2: str | None
    slot1: str | None


class DiscardsShuffled(NamedTuple):
    """A new deck of all discards in this secret order, without those that left the game."""

    deck: list[str]
    out: list[str]
    seat: None = None


class CardsDrawn(NamedTuple):
    """A player's draw of the deck's top cards."""

    seat: Seat
    cards: list[str]


class GameDecided(NamedTuple):
    """The end of the game: reason, winners, each seat's place, and each seat's Sternbild before the end."""

    reason: str
    winners: list[Seat]
    places: list[int]
    sternbilder: list[str | None]
    seat: None = None


ActionEvent = StarLaid | StarRemoved | StarMoved | SupernovaLaid | ActionLapsed
Event = (
    CardsShuffled
    | HandDealt
    | SternbildDrawn
    | SternbildTurnedUp
    | CardsChosen
    | ChoicesShown
    | TurnBegan
    | ActionEvent
    | SternbildCompleted
    | SupernovaGranted
    | ActFinished
    | CardsShifted
    | CardsLaid
    | DiscardsShuffled
    | CardsDrawn
    | GameDecided
)
EVENTS: Mapping[str, type[Any]] = {
    "cards-shuffled": CardsShuffled,
    "hand-dealt": HandDealt,
    "sternbild-drawn": SternbildDrawn,
    "sternbild-turned-up": SternbildTurnedUp,
    "cards-chosen": CardsChosen,
    "choices-shown": ChoicesShown,
    "turn-began": TurnBegan,
    "star-laid": StarLaid,
    "star-removed": StarRemoved,
    "star-moved": StarMoved,
    "supernova-laid": SupernovaLaid,
    "action-lapsed": ActionLapsed,
    "sternbild-completed": SternbildCompleted,
    "supernova-granted": SupernovaGranted,
    "act-finished": ActFinished,
    "cards-shifted": CardsShifted,
    "cards-laid": CardsLaid,
    "discards-shuffled": DiscardsShuffled,
    "cards-drawn": CardsDrawn,
    "game-decided": GameDecided,
}


# Transitions


def apply(sky: State | None, event: Event) -> State:
    """Return the state after an event, without checks."""
    if sky is None:
        assert isinstance(event, CardsShuffled)
        return _opened(event)
    foreseen = _foreseen
    if foreseen is not None and foreseen[1] is event and foreseen[0] is sky:
        return foreseen[2]
    return _AFTER[type(event)](sky, event)


def foresee(sky: State, event: Event) -> State:
    """Return the state after an event, for `decide`. `apply` reuses the last result."""
    global _foreseen
    after = apply(sky, event)
    _foreseen = (sky, event, after)  # assigned atomically, since other threads may foresee events
    return after


_foreseen: tuple[State, Event, State] | None = None


def _opened(event: CardsShuffled) -> State:
    seats = event.seats
    return State(
        options=event.options,
        phase=CHOOSE,
        turn=0,
        on_turn=None,
        start=event.start,
        stars={**dict.fromkeys(PIECES, 0), PUNKT: FIELDS[event.field].bit},
        gone={},
        points=(0,) * seats,
        deck=tuple(event.deck),
        hands=((),) * seats,
        slots=((None, None, None),) * seats,
        discards=((),) * seats,
        chosen=(None,) * seats,
        reserve=tuple(event.reserve),
        granted=(False,) * seats,
        bilder=Bilder(tuple(event.sternbilder), None, (None,) * seats, ((),) * seats),
        log=NOTHING_DONE,
        result=None,
    )


def _with_hand_dealt(sky: State, event: HandDealt) -> State:
    deck = tuple(card for card in sky.deck if card not in event.cards)
    return _changed(sky, deck=deck, hands=_put(sky.hands, event.seat, tuple(event.cards)))


def _with_sternbild_drawn(sky: State, event: SternbildDrawn) -> State:
    own = _put(sky.bilder.own, event.seat, event.sternbild)
    return _changed(sky, bilder=sky.bilder._replace(deck=sky.bilder.deck[1:], own=own))


def _with_sternbild_turned_up(sky: State, event: SternbildTurnedUp) -> State:
    return _changed(sky, bilder=sky.bilder._replace(deck=sky.bilder.deck[1:], open=event.sternbild))


def _with_cards_chosen(sky: State, event: CardsChosen) -> State:
    seat, *cards = event
    hand = tuple(card for card in sky.hands[seat] if card not in cards)
    chosen = _put(sky.chosen, seat, (event.slot2, event.slot3))
    return _changed(sky, hands=_put(sky.hands, seat, hand), chosen=chosen)


def _with_choices_shown(sky: State, event: ChoicesShown) -> State:
    slots: tuple[Slots, ...] = tuple((None, slot2, slot3) for slot2, slot3 in event.choices)
    return _changed(sky, slots=slots, chosen=(None,) * len(slots))


def _with_turn_begun(sky: State, event: TurnBegan) -> State:
    return _changed(sky, phase=ACT, turn=event.turn, on_turn=event.seat, log=NOTHING_DONE)


def _with_star_laid(sky: State, event: StarLaid) -> State:
    seat, slot, card, star, field, points = event
    performed, laid, removed, trails, lines = sky.log
    return _changed(
        sky,
        stars={**sky.stars, star: sky.stars[star] | FIELDS[field].bit},
        points=_put(sky.points, seat, sky.points[seat] + points),
        log=TurnLog((*performed, (slot, card)), (*laid, (field, star)), removed, trails, lines),
    )


def _with_star_removed(sky: State, event: StarRemoved) -> State:
    seat, slot, card, star, field, points = event
    return _changed(
        sky,
        stars={**sky.stars, star: sky.stars[star] & ~FIELDS[field].bit},
        points=_put(sky.points, seat, sky.points[seat] + points),
        log=_with_removed(sky.log, slot, card, ((field, star),)),
    )


def _with_removed(log: TurnLog, slot: int, card: str, removed: tuple[Pair, ...]) -> TurnLog:
    performed, laid, before, trails, lines = log
    fields = [field for field, _ in removed]
    trails = {field: trail for field, trail in trails.items() if field not in fields}
    return TurnLog((*performed, (slot, card)), laid, (*before, *removed), trails, lines)


def _with_star_moved(sky: State, event: StarMoved) -> State:
    _, slot, card, star, path = event
    first, last = path[0], path[-1]
    performed, laid, removed, others, before = sky.log
    trails = dict(others)
    rests, passed = trails.pop(first, None) or ((first,), ())
    lines = [FIRMAMENT.lines[ends] for ends in pairwise(path)]
    trails[last] = Trail((*rests, last), (*passed, *lines))
    if sky.options["banMoves"]:
        laid, removed = (*laid, (last, star)), (*removed, (first, star))
    return _changed(
        sky,
        stars={**sky.stars, star: sky.stars[star] & ~FIELDS[first].bit | FIELDS[last].bit},
        log=TurnLog((*performed, (slot, card)), laid, removed, trails, (*before, *lines)),
    )


def _with_supernova_laid(sky: State, event: SupernovaLaid) -> State:
    seat, slot, card = event.seat, event.slot, event.card
    removed = tuple((field, star) for field, star in event.removed)
    cleared = {star: sum(FIELDS[field].bit for field, each in removed if each == star) for star in STARS}
    stars = {star: sky.stars[star] & ~cleared[star] for star in STARS}
    _, slot2, slot3 = sky.slots[seat]
    return _changed(
        sky,
        stars={**stars, NOVA: sky.stars[NOVA] | FIELDS[event.field].bit},
        gone=dict(Counter(sky.gone) + Counter(event.out)),
        points=tuple(had + gained for had, gained in zip(sky.points, event.points, strict=True)),
        slots=_put(sky.slots, seat, (None, slot2, slot3)),
        discards=_put(sky.discards, seat, (*sky.discards[seat], card)),
        log=_with_removed(sky.log, slot, card, removed),
    )


def _with_action_lapsed(sky: State, event: ActionLapsed) -> State:
    log = sky.log
    return _changed(sky, log=log._replace(performed=(*log.performed, (event.slot, event.card))))


def _with_sternbild_completed(sky: State, event: SternbildCompleted) -> State:
    seat, bild, bilder = event.seat, event.sternbild, sky.bilder
    own = tuple(None if each == bild else each for each in bilder.own)
    done = _put(bilder.done, seat, (*bilder.done[seat], bild))
    return _changed(
        sky,
        points=_put(sky.points, seat, sky.points[seat] + event.points),
        bilder=Bilder(bilder.deck, None if bilder.open == bild else bilder.open, own, done),
    )


def _with_supernova_granted(sky: State, event: SupernovaGranted) -> State:
    seat, card = event
    return _changed(
        sky,
        hands=_put(sky.hands, seat, (*sky.hands[seat], card)),
        reserve=tuple(other for other in sky.reserve if other != card),
        granted=_put(sky.granted, seat, True),
    )


def _with_act_finished(sky: State, event: ActFinished) -> State:
    return sky


def _with_cards_shifted(sky: State, event: CardsShifted) -> State:
    seat, slots, discarded = event
    slot1, slot2, slot3 = slots
    return _changed(
        sky,
        phase=LAY,
        slots=_put(sky.slots, seat, (slot1, slot2, slot3)),
        discards=_put(sky.discards, seat, (*sky.discards[seat], *discarded)),
    )


def _with_cards_laid(sky: State, event: CardsLaid) -> State:
    seat, dropped, laid2, laid1 = event
    slot1, slot2, slot3 = sky.slots[seat]
    discards = sky.discards
    if dropped is not None:
        slot1, discards = None, _put(discards, seat, (*discards[seat], dropped))
    return _changed(
        sky,
        hands=_put(sky.hands, seat, tuple([card for card in sky.hands[seat] if card not in (laid1, laid2)])),
        slots=_put(sky.slots, seat, (laid1 or slot1, laid2 or slot2, slot3)),
        discards=discards,
    )


def _with_discards_shuffled(sky: State, event: DiscardsShuffled) -> State:
    return _changed(sky, deck=tuple(event.deck), discards=((),) * len(sky.discards))


def _with_cards_drawn(sky: State, event: CardsDrawn) -> State:
    seat, cards = event
    return _changed(sky, deck=sky.deck[len(cards) :], hands=_put(sky.hands, seat, (*sky.hands[seat], *cards)))


def _with_game_decided(sky: State, event: GameDecided) -> State:
    return _changed(sky, phase=OVER, on_turn=None, result=event)


def _changed(sky: State, **fields: Any) -> State:
    """Return the state with these fields changed. `_replace` would take almost twice as long, and a replay of events
    does little else."""
    values = list(sky)
    for name, value in fields.items():
        values[_PLACE[name]] = value
    return tuple.__new__(State, values)


_PLACE = {name: place for place, name in enumerate(State._fields)}


def _put(items: tuple[Any, ...], at: int, item: Any) -> tuple[Any, ...]:
    changed = list(items)
    changed[at] = item
    return tuple(changed)


_AFTER: Mapping[type[Any], Callable[[State, Any], State]] = {
    HandDealt: _with_hand_dealt,
    SternbildDrawn: _with_sternbild_drawn,
    SternbildTurnedUp: _with_sternbild_turned_up,
    CardsChosen: _with_cards_chosen,
    ChoicesShown: _with_choices_shown,
    TurnBegan: _with_turn_begun,
    StarLaid: _with_star_laid,
    StarRemoved: _with_star_removed,
    StarMoved: _with_star_moved,
    SupernovaLaid: _with_supernova_laid,
    ActionLapsed: _with_action_lapsed,
    SternbildCompleted: _with_sternbild_completed,
    SupernovaGranted: _with_supernova_granted,
    ActFinished: _with_act_finished,
    CardsShifted: _with_cards_shifted,
    CardsLaid: _with_cards_laid,
    DiscardsShuffled: _with_discards_shuffled,
    CardsDrawn: _with_cards_drawn,
    GameDecided: _with_game_decided,
}
