"""The rules of Sternenglanz: set-up (R3), turns (R4 to R9) and end (R10, R11)."""

from collections.abc import Mapping, Sequence
from functools import partial
from itertools import chain, permutations
from math import inf
from typing import Any

from server.games.contract import ALONE, NOBODY, Dice, Outcome, Seat
from server.games.errors import IllegalMove
from server.games.sternenglanz.actions import perform, type_of, ways
from server.games.sternenglanz.figures import lies_on
from server.games.sternenglanz.material import (
    ACTION_CARDS,
    CARDS,
    FIELDS,
    FIRMAMENT,
    NO_STERNBILD,
    OWN_OPEN,
    OWN_SECRET,
    PRACHT,
    SHARED_OPEN,
    SLOTS,
    SUPERNOVA,
    SUPERNOVA_CARDS,
    Fields,
)
from server.games.sternenglanz.moves import Action, Choose, Finish, Lapse, LayCards, Move, Step
from server.games.sternenglanz.names import copy_name
from server.games.sternenglanz.options import resolve_options
from server.games.sternenglanz.state import (
    ACT,
    CHOOSE,
    LAY,
    NOTHING_DONE,
    OVER,
    ActFinished,
    ActionEvent,
    ActionLapsed,
    CardsChosen,
    CardsDrawn,
    CardsLaid,
    CardsShifted,
    CardsShuffled,
    ChoicesShown,
    DiscardsShuffled,
    Event,
    GameDecided,
    HandDealt,
    StarLaid,
    StarMoved,
    StarRemoved,
    State,
    SternbildCompleted,
    SternbildDrawn,
    SternbildTurnedUp,
    SupernovaGranted,
    SupernovaLaid,
    TurnBegan,
    foresee,
    supply,
)

ACTIONS = (StarLaid, StarRemoved, StarMoved, SupernovaLaid)
REVEALING = (ChoicesShown, SternbildTurnedUp, SternbildDrawn, CardsDrawn, DiscardsShuffled)


class TurnSteps:
    """The steps of one move, with their events."""

    def __init__(self, sky: State) -> None:
        self.events: list[Event] = []
        self._sky, self._applied = sky, 0

    def happens(self, event: Event) -> None:
        self.events.append(event)

    @property
    def sky(self) -> State:
        """Return the state after these events, computed on demand, since the state after the last event is rarely
        needed."""
        while self._applied < len(self.events):
            self._sky = foresee(self._sky, self.events[self._applied])
            self._applied += 1
        return self._sky


# 3. Set-up


def setup(seats: int, options: Mapping[str, Any], dice: Dice) -> list[Event]:
    """Return the opening events. Draw the first seat, unless an option names it, then the order of both decks."""
    resolved = resolve_options(options, seats)
    scenario = CARDS.scenarios[resolved["scenario"]]
    start = dice.below(seats) if resolved["start_seat"] is None else resolved["start_seat"]
    deck = dice.shuffled(ACTION_CARDS)
    bilder = [] if scenario.sternbild == NO_STERNBILD else dice.shuffled(CARDS.sternbilder)
    reserve = list(SUPERNOVA_CARDS) if scenario.supernova else []
    clockwise = [(start + n) % seats for n in range(seats)]
    dealt: list[Event] = [
        HandDealt(seat, deck[n : seats * CARDS.hand_size : seats]) for n, seat in enumerate(clockwise)
    ]
    if scenario.sternbild == SHARED_OPEN:
        dealt.append(SternbildTurnedUp(bilder[0]))
    elif bilder:
        dealt += [SternbildDrawn(seat, bilder[n], scenario.sternbild == OWN_OPEN) for n, seat in enumerate(clockwise)]
    return [CardsShuffled(seats, resolved, start, FIRMAMENT.start, deck, bilder, reserve), *dealt]


# 4. Turn


def to_act(sky: State) -> frozenset[Seat]:
    """Return the seat whose turn it is or, while first cards are being chosen, the seats that haven't chosen yet."""
    if sky.phase == CHOOSE:
        return frozenset(seat for seat, chosen in enumerate(sky.chosen) if chosen is None)
    return NOBODY if sky.on_turn is None else ALONE[sky.on_turn]


def is_mid_turn(sky: State, seat: Seat) -> bool:
    return sky.on_turn == seat and (sky.phase == LAY or bool(sky.log.performed))


def decide(sky: State, seat: Seat, move: Move, dice: Dice) -> list[Event]:
    """Return the events of a move. Raise IllegalMove if one of its steps is illegal.

    A move ends with a step that reveals something to its player: a card, a Sternbild, the choices of other seats. The
    rest of the turn is another move.
    """
    if seat not in to_act(sky):
        raise _out_of_turn(sky)
    return _performed(sky, seat, move.steps, dice).events


def _performed(sky: State, seat: Seat, steps: Sequence[Step], dice: Dice | None) -> TurnSteps:
    """Return the effects of these steps in order. Without dice, draw nothing. Raise IllegalMove at the first illegal
    step."""
    so_far = TurnSteps(sky)
    for number, step in enumerate(steps, start=1):
        try:
            if number > 1:
                _check_goes_on(so_far, seat)
            if isinstance(step, LayCards):
                _lay_cards(so_far, seat, step, dice)
            elif isinstance(step, Choose):
                _choose(so_far, seat, step)
            else:
                _act(so_far, seat, step)
        except IllegalMove as refused:
            if len(steps) == 1:
                raise
            raise IllegalMove(refused.code, "Step %(number)s: %(reason)s", number=number, reason=refused.said) from None
    return so_far


def _out_of_turn(sky: State) -> IllegalMove:
    if sky.phase == OVER:
        return IllegalMove("game-over", "The game is over.")
    if sky.phase == CHOOSE:
        return IllegalMove("not-your-turn", "You have chosen. Wait for the other players.")
    return IllegalMove("not-your-turn", "It's not your turn.")


def _check_goes_on(so_far: TurnSteps, seat: Seat) -> None:
    """Raise IllegalMove unless another step of the same move may follow."""
    if checks_secrets(so_far.sky) and any(isinstance(event, ACTIONS) for event in so_far.events):
        raise _reveals()  # always, since an occasional refusal would reveal a secret
    if so_far.sky.phase == OVER:
        raise IllegalMove("game-over", "The previous step ends the game.")
    if not is_mid_turn(so_far.sky, seat):
        raise IllegalMove("wrong-phase", "The previous step ends your turn.")
    if any(isinstance(event, REVEALING) for event in so_far.events):
        raise _reveals()


def _reveals() -> IllegalMove:
    return IllegalMove(
        "reveals", "The previous step may reveal something. Play up to that step first, then decide how to go on."
    )


def check_planned(sky: State, seat: Seat, earlier: Sequence[Move], move: Move) -> None:
    """Raise IllegalMove unless the seat may plan this move.

    Its cards must be in the hand now and unused by `earlier` moves. A hand loses cards only through moves by its own
    seat, and later draws are unknown. With secret Sternbilder, an action ends its move, since a further step would
    reveal whether the action completes one. The table alone therefore decides whether the move is legal when it is
    played. A turn ends when cards are laid, so the last round sets a limit to them.
    """
    if sum(isinstance(step, LayCards) for it in earlier for step in it.steps) >= _turns_left(sky, seat):
        raise IllegalMove("game-over", "You have no turn left for this move.")
    for step in _laid(move):
        if step not in sky.hands[seat] or any(step in _laid(it) for it in earlier) or _laid(move).count(step) > 1:
            raise IllegalMove(
                "bad-cards",
                "%(card)s is not left for this move. Your cards are %(hand)s.",
                card=partial(copy_name, step),
                hand=partial(_held, sky, seat),
            )
    acts = [isinstance(step, Action) for step in move.steps]
    if sky.scenario.sternbild == OWN_SECRET and any(acts[:-1]):
        raise IllegalMove(
            "reveals", "An action may complete your constellation. Plan what follows it as a separate move."
        )


def _turns_left(sky: State, seat: Seat) -> float:
    """Return the number of the seat's turns until the last round ends, with one in progress."""
    most: int | None = sky.options["max_rounds"]
    if most is None:
        return inf
    return most - (begin_turn(sky, seat).turn - 1) // len(sky.points)


def begin_turn(sky: State, seat: Seat) -> State:
    """Return the state as if the seat's turn began now. A turn in progress continues."""
    if sky.phase == OVER or seat in to_act(sky):
        return sky
    chosen, slots = list(sky.chosen), list(sky.slots)
    if (cards := chosen[seat]) is not None:
        slots[seat], chosen[seat] = (None, *cards), None
    following = sky.start if sky.on_turn is None else sky.on_turn + 1
    turn = sky.turn + 1 + (seat - following) % len(slots)
    return sky._replace(phase=ACT, on_turn=seat, turn=turn, slots=tuple(slots), chosen=tuple(chosen), log=NOTHING_DONE)


def _held(sky: State, seat: Seat, locale: str) -> str:
    return ", ".join(copy_name(card, locale) for card in sky.hands[seat])


def _laid(move: Move) -> list[str]:
    """Return the hand cards that a move uses."""
    cards: list[str | None] = []
    for step in move.steps:
        if isinstance(step, Choose | LayCards):
            cards += [step.slot2, step.slot3 if isinstance(step, Choose) else step.slot1]
    return [card for card in cards if card is not None]


def checks_secrets(sky: State) -> bool:
    """Return whether an action may complete a Sternbild that the active player can't see."""
    return sky.options["sternbildCredit"] == "any-player" and sky.scenario.sternbild == OWN_SECRET


def legal_moves(sky: State, seat: Seat, begun: Sequence[Move] = ()) -> list[Move]:
    """Return every legal step of a seat, as a move of its own, after the steps in `begun`.

    Raise IllegalMove for illegal steps in `begun`.
    """
    if seat not in to_act(sky):
        return []
    if begun:
        so_far = _performed(sky, seat, [step for move in begun for step in move.steps], None)
        try:
            _check_goes_on(so_far, seat)
        except IllegalMove:
            return []
        sky = so_far.sky
    if sky.phase == CHOOSE:
        return [Move((Choose(*cards),)) for cards in permutations(sky.hands[seat], 2)]
    return _cards_to_lay(sky, seat) if sky.phase == LAY else _actions(sky, seat)


def later_moves(sky: State, seat: Seat) -> list[Move]:
    """Return every way to play the cards in hand after the actions of this turn, whether or not the slots allow it."""
    if sky.phase == LAY or seat not in to_act(sky):
        return []
    cards = [*sky.hands[seat], None, None]
    return [Move((LayCards(drop, *it),)) for drop in (False, True) for it in dict.fromkeys(permutations(cards, 2))]


def without_needless(sky: State, seat: Seat, move: Move) -> Move:
    """Return a move without each `finish` at which no action is left, since players write one at the end of a turn."""
    kept = list[Step]()
    for step in move.steps:
        is_needless = False
        if isinstance(step, Finish):
            try:
                following = legal_moves(sky, seat, [Move(tuple(kept))] if kept else [])
            except IllegalMove:
                return move
            is_needless = bool(kept) and all(isinstance(it.steps[0], LayCards) for it in following)
        kept += [] if is_needless else [step]
    return Move(tuple(kept))


def _choose(so_far: TurnSteps, seat: Seat, step: Choose) -> None:
    """Choose two different hand cards for slots 2 and 3. After the last player's choice, all choices are shown and the
    first turn begins."""
    sky = so_far.sky
    if sky.phase != CHOOSE:
        raise IllegalMove("wrong-phase", "The first cards have already been chosen.")
    _check_in_hand(sky, seat, step.slot2)
    _check_in_hand(sky, seat, step.slot3)
    if step.slot2 == step.slot3:
        raise IllegalMove("bad-cards", "Choose two different cards.")
    so_far.happens(CardsChosen(seat, step.slot2, step.slot3))
    if all(so_far.sky.chosen):
        so_far.happens(ChoicesShown([list(cards) for cards in so_far.sky.chosen if cards]))
        so_far.happens(TurnBegan(sky.start, 1))


def _check_in_hand(sky: State, seat: Seat, card: str) -> None:
    if card not in sky.hands[seat]:
        raise IllegalMove(
            "bad-cards",
            "%(card)s is not in your hand. Your cards are %(hand)s.",
            card=partial(copy_name, card),
            hand=partial(_held, sky, seat),
        )


# 4.1 The part `act`

NEXT_SLOTS = {(): SLOTS, (1,): (2, 3), (2,): (1, 3), (3,): (1, 2), (1, 2): (3,)}
ROW = ((1,), (1, 2), (1, 2, 3))


def open_slots(sky: State) -> tuple[int, ...]:
    """Return the slots that may be performed next: two in any order, or all three in the order of their numbers."""
    done = sky.log.slots
    after = NEXT_SLOTS.get(done, ())
    if sky.options["pairRepeat"] == "any":
        return after
    return tuple(
        slot for slot in after if (*done, slot) in ROW or any(_may_pair(sky, slot, it) for it in done or SLOTS)
    )


def may_finish(sky: State) -> bool:
    """Return whether the player may stop after slots 1 and 2, the only ones performed so far."""
    return sky.log.slots == (1, 2) and _may_pair(sky, 1, 2)


def _may_pair(sky: State, slot: int, other: int) -> bool:
    if slot == other:
        return False
    return sky.options["pairRepeat"] == "any" or _type_on(sky, slot) != _type_on(sky, other)


def _type_on(sky: State, slot: int) -> str:
    """Return a slot's type of action. For a performed slot, return the type that it had when performed (R4.4)."""
    assert sky.on_turn is not None
    return type_of(dict(sky.log.performed).get(slot, sky.slots[sky.on_turn][slot - 1]))


def _actions(sky: State, seat: Seat) -> list[Move]:
    """Return every way to perform an open slot, and a lapse for each slot that has none (R5.6)."""
    ways_of = {slot: ways(sky, seat, slot) for slot in open_slots(sky)}
    found = list(chain.from_iterable(ways_of.values()))
    if not found or sky.options["impossible"] == "lapse":
        found += [Move((Lapse(slot),)) for slot, moves in ways_of.items() if not moves]
    return [*found, Move((Finish(),))] if may_finish(sky) else found


def _act(so_far: TurnSteps, seat: Seat, step: Action | Finish) -> None:
    sky = so_far.sky
    if sky.phase != ACT:
        if sky.phase == CHOOSE:
            raise IllegalMove("wrong-phase", "You can't act now. Choose your first cards.")
        if isinstance(step, Finish):
            raise IllegalMove("wrong-phase", "Your actions are over, so there is nothing to finish. Play cards.")
        raise IllegalMove("wrong-phase", "You can't act now. Play cards.")
    if isinstance(step, Finish):
        if not may_finish(sky):
            raise IllegalMove(
                "too-few-actions",
                "Use two slots in a turn, or all three. Used so far: %(slots)s.",
                slots=_listed(sky.log.slots),
            )
        so_far.happens(ActFinished(seat))
        _shift(so_far, seat)
        return
    if step.slot not in open_slots(sky):
        raise IllegalMove(
            "slot-not-open",
            "You can't use slot %(slot)s now. Open slots: %(slots)s.",
            slot=step.slot,
            slots=_listed(open_slots(sky)),
        )
    if isinstance(step, Lapse):
        _check_lapse(sky, seat, step.slot)
        so_far.happens(ActionLapsed(seat, step.slot, sky.slots[seat][step.slot - 1]))
    else:
        action = perform(sky, seat, step)
        so_far.happens(action)
        _check_sternbilder(so_far, seat, action)
        _grant_supernovae(so_far, seat)
        _check_end(so_far, seat)
    sky = so_far.sky
    if sky.phase == ACT and not open_slots(sky):
        _shift(so_far, seat)


def _listed(slots: Sequence[int]) -> str:
    return ", ".join(map(str, slots)) or "–"


def _check_lapse(sky: State, seat: Seat, slot: int) -> None:
    if ways(sky, seat, slot):
        raise _must_act(slot)
    if sky.options["impossible"] == "strict":
        for other in open_slots(sky):
            if ways(sky, seat, other):
                raise _must_act(other)


def _must_act(slot: int) -> IllegalMove:
    return IllegalMove("must-act", "You can still use slot %(slot)s, so this slot can't lapse.", slot=slot)


# 6. Shift, lay and draw


def _shift(so_far: TurnSteps, seat: Seat) -> None:
    slot1, slot2, slot3 = so_far.sky.slots[seat]
    assert slot3 is not None
    if type_of(slot1) == SUPERNOVA:
        slots = [slot1, None, slot2]
    else:
        slots = [None, slot1, slot2]
    so_far.happens(CardsShifted(seat, slots, [slot3]))


def _cards_to_lay(sky: State, seat: Seat) -> list[Move]:
    """Return every way to play cards after the shift (R6.2)."""
    slot1, slot2, _ = sky.slots[seat]
    hand = sky.hands[seat]
    found = []
    for drop in (False, True) if slot1 is not None else (False,):
        may_cover = slot1 is None or drop
        for second in [None] if slot2 is not None else [card for card in hand if type_of(card) != SUPERNOVA]:
            first: list[str | None] = [card for card in hand if card != second] if may_cover else []
            if not must_cover(sky, seat):
                first.insert(0, None)
            found += [Move((LayCards(drop, second, card),)) for card in first]
    return found


def must_cover(sky: State, seat: Seat) -> bool:
    return sky.options["layWhenFull"] == "must-cover" and sky.slots[seat][1] is not None


def _lay_cards(so_far: TurnSteps, seat: Seat, step: LayCards, dice: Dice | None) -> None:
    """Play cards and draw. Then the next turn begins or the last round ends."""
    sky = so_far.sky
    _check_cards_to_lay(sky, seat, step)
    so_far.happens(CardsLaid(seat, sky.slots[seat][0] if step.drop_nova else None, step.slot2, step.slot1))
    seats, turn = len(sky.points), sky.turn
    if turn == (sky.options["max_rounds"] or 0) * seats:
        so_far.happens(_decided(so_far.sky, "round-limit", _by_points(so_far.sky)))
    else:
        if dice is not None:
            held = len(sky.hands[seat]) - (step.slot2 is not None) - (step.slot1 is not None)
            _draw(so_far, seat, CARDS.hand_size - held, sky.deck, dice)
        so_far.happens(TurnBegan((seat + 1) % seats, turn + 1))


def _check_cards_to_lay(sky: State, seat: Seat, step: LayCards) -> None:
    if sky.phase != LAY:
        raise IllegalMove("wrong-phase", "You play cards after the actions.")
    slot1, slot2, _ = sky.slots[seat]
    if step.drop_nova and slot1 is None:
        raise IllegalMove("bad-cards", "There is no Supernova card in slot 1.")
    if slot2 is None and step.slot2 is None:
        raise IllegalMove("bad-cards", "Slot 2 is empty. Play an action card to it.")
    if slot2 is not None and step.slot2 is not None:
        raise IllegalMove(
            "bad-cards", "Slot 2 holds %(card)s. You can't play a card to it.", card=partial(copy_name, slot2)
        )
    for card in (step.slot2, step.slot1):
        if card is not None:
            _check_in_hand(sky, seat, card)
    if step.slot2 is not None and type_of(step.slot2) == SUPERNOVA:
        raise IllegalMove("bad-cards", "You can play a Supernova card only to slot 1.")
    if step.slot1 is None and must_cover(sky, seat):
        raise IllegalMove("bad-cards", "Slot 2 is filled. Play a card to slot 1.")
    if step.slot1 is not None and slot1 is not None and not step.drop_nova:
        raise IllegalMove("bad-cards", "Slot 1 holds %(card)s. Drop it first.", card=partial(copy_name, slot1))
    if step.slot1 is not None and step.slot1 == step.slot2:
        name = partial(copy_name, step.slot1)
        raise IllegalMove("bad-cards", "You can play %(card)s to only one slot.", card=name)


def _draw(so_far: TurnSteps, seat: Seat, due: int, deck: Sequence[str], dice: Dice) -> None:
    """Draw `due` cards. Whenever the deck is empty, make a new deck of the discards first (R6.3)."""
    while due > 0:
        if not deck:
            cards = [card for discard in so_far.sky.discards for card in discard]
            is_out = so_far.sky.options["supernovaRecycle"] == "box"
            out = [card for card in cards if is_out and type_of(card) == SUPERNOVA]
            deck = dice.shuffled(card for card in cards if card not in out)
            so_far.happens(DiscardsShuffled(list(deck), out))
        drawn, deck = deck[:due], deck[due:]
        so_far.happens(CardsDrawn(seat, list(drawn)))
        due -= len(drawn)


# 8. Sternbilder


def _check_sternbilder(so_far: TurnSteps, seat: Seat, action: ActionEvent) -> None:
    """Add the events for the Sternbilder that this action completes, and for the cards that replace them."""
    sky = so_far.sky
    mode, credit = sky.scenario.sternbild, sky.options["sternbildCredit"]
    if mode == NO_STERNBILD or not sky.stars[PRACHT]:  # every figure has a Prachtstern
        return
    touching = _changed(action) if credit == "contributing" else None
    for owner in _clockwise(sky, seat) if credit == "any-player" and mode != SHARED_OPEN else [seat]:
        bild = sky.bilder.open if mode == SHARED_OPEN else sky.bilder.own[owner]
        if bild is None:
            continue
        card = CARDS.sternbilder[bild]
        fields = lies_on(card, sky.stars, sky.options["sternbildLines"] == "induced", touching)
        if fields is None:
            continue
        so_far.happens(SternbildCompleted(owner, bild, fields, card.points if sky.scenario.bild_points else 0))
        deck = so_far.sky.bilder.deck
        if deck and mode == SHARED_OPEN:
            so_far.happens(SternbildTurnedUp(deck[0]))
        elif deck and mode == OWN_SECRET:
            so_far.happens(SternbildDrawn(owner, deck[0], False))


def _clockwise(sky: State, seat: Seat) -> list[Seat]:
    return [*range(seat, len(sky.points)), *range(seat)]


def _changed(action: ActionEvent) -> Fields:
    match action:
        case StarLaid() | StarRemoved():
            fields = [action.field]
        case StarMoved():
            fields = [action.path[0], action.path[-1]]
        case SupernovaLaid():
            fields = [action.field, *(field for field, _ in action.removed)]
        case ActionLapsed():
            fields = []
    return sum(FIELDS[field].bit for field in fields)


# 9. The Supernova card


def _grant_supernovae(so_far: TurnSteps, seat: Seat) -> None:
    """Give a Supernova card to each player who reaches enough points for the first time."""
    sky = so_far.sky
    if not sky.reserve or max(sky.points) < CARDS.supernova_at:
        return
    entitled = [each for each in _clockwise(sky, seat) if sky.points[each] >= CARDS.supernova_at]
    for each, card in zip([each for each in entitled if not sky.granted[each]], sky.reserve, strict=False):
        so_far.happens(SupernovaGranted(each, card))


# 10. End, 11. Winner by points


def _check_end(so_far: TurnSteps, seat: Seat) -> None:
    sky = so_far.sky
    verdict = verdict_on(sky, seat)
    if verdict is not None:
        so_far.happens(_decided(sky, *verdict))


def verdict_on(sky: State, seat: Seat) -> tuple[str, list[Seat]] | None:
    """Return a pair, the reason and the winners, if the action just performed ends the game. Otherwise return None."""
    scenario = sky.scenario
    goal_points, goal_bilder = scenario.goal_points or 0, scenario.goal_bilder
    for each in _clockwise(sky, seat):
        if sky.points[each] >= goal_points and len(sky.bilder.done[each]) >= goal_bilder:
            return "goal", [each]
    if scenario.sternbild == SHARED_OPEN and sky.bilder.open is None:
        return "all-sternbilder", _by_points(sky)
    if not supply(sky, PRACHT):
        return "all-prachtsterne", _by_points(sky)
    return None


def _by_points(sky: State) -> list[Seat]:
    """Return the seats with the most points and, among those, the fewest discarded cards."""
    standings = [(-points, len(discard)) for points, discard in zip(sky.points, sky.discards, strict=True)]
    return [seat for seat, standing in enumerate(standings) if standing == min(standings)]


def _decided(sky: State, reason: str, winners: list[Seat]) -> GameDecided:
    """Return the decision, with the winners first and the others by points and discards."""
    seats = range(len(sky.points))
    ranks = [(seat not in winners, -sky.points[seat], len(sky.discards[seat])) for seat in seats]
    places = [1 + sum(other < rank for other in ranks) for rank in ranks]
    return GameDecided(reason, winners, places, list(sky.bilder.own))


def outcome(sky: State) -> Outcome | None:
    """Return the points and places once the game is over, otherwise None. All seats on place 1 share the win."""
    return None if sky.result is None else Outcome(sky.points, tuple(sky.result.places))
