"""The value of a step in Sternenglanz, estimated from the view: points, chances of points, and the Sternbild."""

from collections.abc import Callable, Iterator, Sequence
from enum import Enum, auto
from functools import cache, reduce
from itertools import islice
from typing import NamedTuple

from server.games.contract import Json, Reason, Seat
from server.games.sternenglanz.actions import birth_points, points_of_birth, removal_points, supernova_points, type_of
from server.games.sternenglanz.chances import Offer, Offered, Stars, Turn, chances, turn_of
from server.games.sternenglanz.figures import placements
from server.games.sternenglanz.material import (
    ALL_FIELDS,
    CARDS,
    FIELD_AT,
    FIELDS,
    GAP,
    GEBURT,
    KIND_OF,
    LEUCHT,
    LOCH,
    NOVA,
    OWN_OPEN,
    OWN_SECRET,
    PIECES,
    PRACHT,
    PUNKT,
    SLOTS,
    STARS,
    SUPERNOVA,
    WANDERUNG,
    Field,
    Fields,
    bits_of,
)
from server.games.sternenglanz.moves import (
    Action,
    Choose,
    Lapse,
    LayCards,
    Move,
    SchwarzesLoch,
    Sterngeburt,
    Sternwanderung,
    Supernova,
)
from server.games.sternenglanz.names import piece_in_sentence, type_name
from server.games.sternenglanz.options import OPTION_SCHEMA
from server.games.sternenglanz.rules import NEXT_SLOTS, ROW, legal_moves
from server.games.sternenglanz.state import ACT, NOTHING_DONE, Bilder, State, lit, occupied, supply
from server.translations import Language, noted

Target = tuple[tuple[str, Fields], ...]  # nodes and their fields

# Views lack the options. The defaults are close enough for all of them.
OPTIONS = {name: schema["default"] for name, schema in OPTION_SCHEMA["properties"].items()}
CARD_WORTH = {GEBURT: 1.0, LOCH: 0.6, WANDERUNG: 0.4, SUPERNOVA: 1.5}
THEIRS = 0.8  # what a point that the average of the others will get costs
MINE_LATER = 0.4  # share of the points that are left for the next turn
IN_ROW = 0.2  # for the chance of performing all three slots
NEARER = 1.0  # for each action fewer until the Sternbild is complete
COMPLETED = 20.0
MOST_TARGETS = 5000  # upper limit; the supplied board stays below it
HOPELESS = 30.0  # actions


def judge(view: Json) -> Callable[[Move], float]:
    """Return a function that gives the value of a step for the viewing seat, in points."""
    return _judge(_sky(view))


def advise(sky: State, seat: Seat) -> Sequence[Move]:
    """Return the legal steps with the highest value for the seat on turn."""
    moves, worth = legal_moves(sky, seat), _judge(sky)
    worths = [*map(worth, moves)]
    most = max(worths)
    return [move for move, it in zip(moves, worths, strict=True) if it == most]


def assess(sky: State, seat: Seat) -> float:
    """Return how many points a seat is ahead of the average of the others when a turn begins, with what all will get in
    their next turns."""
    assert sky.on_turn is not None
    its, seats = chances(sky.scenario), len(sky.points)
    turns = [_turn(sky, seat, (sky.on_turn + number) % seats) for number in range(seats)]
    ahead = _ahead(sky.points, seat) + its.promise(Offered(its, sky.stars).now, tuple(turns))
    if sky.scenario.sternbild in (OWN_OPEN, OWN_SECRET):
        ahead += _ahead([COMPLETED * len(it) for it in sky.bilder.done], seat)
        ahead -= NEARER * _ahead([_lack(sky.stars, _target(sky, it)) for it in range(seats)], seat)
    return ahead


def _ahead(amounts: Sequence[float], seat: Seat) -> float:
    return amounts[seat] - (sum(amounts) - amounts[seat]) / (len(amounts) - 1)


def _judge(sky: State) -> Callable[[Move], float]:
    me, its = sky.on_turn, chances(sky.scenario)
    if me is None or sky.phase != ACT:
        return _worth_of_cards
    target = _target(sky, me)
    lacking, offered = _lack(sky.stars, target), Offered(its, sky.stars)
    others = [_turn(sky, me, (me + number) % len(sky.points)) for number in range(1, len(sky.points))]
    following = (*others, next_turn(sky, me))
    turns = {slot: [(turn_of(1.0, it), *following) for it in _left(sky, me, slot)] for slot in SLOTS}
    idle = its.promise(offered.now, following)
    acts: dict[tuple[object, ...], float] = {}  # many paths lead to the same state
    promises: dict[tuple[int, Offer], float] = {}

    def promise(slot: int, offer: Offer) -> float:
        if (slot, offer) not in promises:
            promises[slot, offer] = max([its.promise(offer, it) for it in turns[slot]])
        return promises[slot, offer]

    def worth(move: Move) -> float:
        (step,) = move.steps
        match step:
            case Sterngeburt(slot, star, field):
                key: tuple[object, ...] = slot, star, field
            case Sternwanderung(slot, path):
                key = slot, path[0], path[-1]
            case SchwarzesLoch(slot, field) | Supernova(slot, field):
                key = slot, field
            case Lapse(slot):
                key = (slot,)
            case _:
                return 0.0
        if key not in acts:
            acts[key] = _gain(sky, me, step) + promise(slot, offered.after(step)) - idle
            if target:
                left = _lack(_after(sky.stars, step), target)
                acts[key] += NEARER * (lacking - left) + (COMPLETED if lacking and not left else 0)
        return acts[key] + IN_ROW * (step.slot < 3)

    return worth


def _worth_of_cards(move: Move) -> float:
    match move.steps[0]:
        case Choose(slot2, slot3):
            return CARD_WORTH[type_of(slot2)] + 1.1 * CARD_WORTH[type_of(slot3)]
        case LayCards(drop_nova, slot2, slot1):
            laid = CARD_WORTH[type_of(slot2)] if slot2 else 0.0
            return laid + CARD_WORTH[type_of(slot1)] - CARD_WORTH[GEBURT] - drop_nova
    return 0.0


def _turn(sky: State, me: Seat, seat: Seat) -> Turn:
    """Return the next turn of a seat that isn't on turn."""
    return turn_of(MINE_LATER if seat == me else -THEIRS / (len(sky.points) - 1), sky.slots[seat])


def next_turn(sky: State, me: Seat) -> Turn:
    """Return the next turn of the seat on turn. A card from its hand comes to slot 2 if slot 1 is empty."""
    slot1, slot2, _ = sky.slots[me]
    if slot1 is None or type_of(slot1) == SUPERNOVA:
        slot1 = max(sky.hands[me], key=lambda it: (type_of(it) == GEBURT, it), default=None)
    return turn_of(MINE_LATER, (None, slot1, slot2))


def _left(sky: State, me: Seat, slot: int) -> Sequence[Sequence[str | None]]:
    """Return each choice of cards with which the turn may go on after this slot."""
    done, cards = (*sky.log.slots, slot), sky.slots[me]
    following = NEXT_SLOTS.get(done, ())
    if done in ROW:
        return [[cards[it - 1] for it in following]]
    return [[cards[it - 1]] for it in following] or [[]]


def aim(view: Json) -> Callable[[Move], object]:
    """Return a function that gives equal values for steps of the same kind that achieve as much. They may use other
    spaces, slots and copies of cards."""
    sky, me = _sky(view), view["next"]
    target, offered = _target(sky, me), Offered(chances(sky.scenario), sky.stars)

    def of(move: Move) -> object:
        (step,) = move.steps
        match step:
            case Choose(slot2, slot3):
                return step.do, type_of(slot2), type_of(slot3)
            case LayCards(drop_nova, slot2, slot1):
                return step.do, drop_nova, slot2 and type_of(slot2), slot1 and type_of(slot1)
            case Sterngeburt() | Sternwanderung() | SchwarzesLoch() | Supernova():
                return step.do, _piece(sky.stars, step), _gain(sky, me, step), _progress(sky, step, target, offered)
        return step

    return of


def reasons(
    view: Json, move: Move, say: Language, names: Sequence[str], is_past: bool, then: Sequence[Move]
) -> list[Reason]:
    """Return what a move and those in `then` achieve together, or would have achieved. After actions, the cards that end
    the turn give no reason."""
    sky = _sky(view)
    match move.steps[0]:
        case Choose(slot2, slot3) as step:
            if is_past:
                return [_of_past_cards(sky, (slot2, slot3), say)]
            told = Reason("use", _of_two(_CHOSEN, _use(sky, slot2), _use(sky, slot3), say))
            *others, kept = _of_choice(sky, view["hand"] or (), step, say)
            return [*others, told, kept]
        case LayCards(_, slot2, slot1):
            return [*_of_cards(sky, view["hand"] or (), (slot2, slot1), say, is_past)]
    actions = [
        it
        for one in (move, *then)
        for it in one.steps
        if isinstance(it, Sterngeburt | Sternwanderung | SchwarzesLoch | Supernova)
    ]
    return [*_of_actions(view, sky, actions, say, is_past)]


def _of_actions(view: Json, sky: State, actions: Sequence[Action], say: Language, is_past: bool) -> Iterator[Reason]:
    """Yield what actions achieve by the sky before the first and after the last."""
    me, has_one_opponent = view["next"], len(view["points"]) == 2
    target, after = _target(sky, me), reduce(_after, actions, sky.stars)
    lacked, lacks = _lack(sky.stars, target), _lack(after, target)
    scoring = [*_of_points(sky, me, actions, say, is_past)]
    if is_past:
        yield from scoring
    if lacks < lacked and (is_past or not lacks):
        yield Reason("figure", say.gettext((_NEARER if lacks else _COMPLETE)[is_past]))
    elif lacks < lacked:
        done = sum(not _lack_of(after, piece, FIELD_AT[bit]) for piece, bit in target)
        yield Reason("figure", say.gettext(_DONE, done=done, all=len(target)))
    own = {(it.star, it.field) for it in actions if isinstance(it, Sterngeburt)}
    ready = [it for it, _ in _births(sky, sky.stars, sky.stars) if not it.lacks and it.cost and it[2:4] in own]
    if ready and not is_past:
        denied = min(ready)
        star = piece_in_sentence(denied.star, say.locale)
        yield Reason("denied", say.gettext(_DENIED[has_one_opponent], star=star, field=denied.field))
    born = _birth(sky, sky.stars, after)
    if born and (not is_past or born.lacks < 2):
        yield Reason(f"birth {born.lacks}", _of_birth(born, has_one_opponent, say, is_past), is_aside=born.lacks > 1)
    removed = sum((FIELDS[it.field].near & lit(sky.stars)).bit_count() for it in actions if isinstance(it, Supernova))
    if removed and not is_past:
        yield Reason("nova", say.ngettext("It removes %(num)s star.", "It removes %(num)s stars.", removed))
    its = chances(sky.scenario)
    if its.value(Offered(its, after).now) < its.value(Offered(its, sky.stars).now):
        kept_off = [it for it, is_nearer in _births(sky, after, sky.stars) if is_nearer and it[2:4] not in own]
        lost = min(kept_off, default=None)
        if is_past:
            yield Reason("barren", say.gettext(_BARREN[has_one_opponent]))
        elif lost:
            yield Reason(f"lost {lost.lacks}", _of_loss(after, lost, has_one_opponent, say))
    if is_past:
        return
    if target and sky.bilder.open and lacks == lacked:
        yield Reason("stays", say.gettext(_STAYS_FOR_ALL))
    if born is None or born.lacks:
        yield Reason("quiet", say.gettext(_UNCHANGED[has_one_opponent]))
    yield from scoring


def _of_points(sky: State, me: Seat, actions: Sequence[Action], say: Language, is_past: bool) -> Iterator[Reason]:
    """Yield which action brings most points, if any does."""
    gains = list[tuple[int, Action]]()
    for it in actions:
        gains.append((int(_gain(sky, me, it)), it))
        sky = sky._replace(stars=_after(sky.stars, it))
    points, step = max(gains, key=lambda it: it[0], default=(0, None))
    if points <= 0:
        return
    if is_past:
        told = say.ngettext(
            "It would have scored %(num)s point at once.", "It would have scored %(num)s points at once.", points
        )
    elif isinstance(step, Sterngeburt):
        told = say.ngettext(
            "The %(star)s on %(field)s brings %(num)s point.",
            "The %(star)s on %(field)s brings %(num)s points.",
            points,
            star=piece_in_sentence(step.star, say.locale),
            field=step.field,
        )
    elif isinstance(step, SchwarzesLoch):
        told = say.ngettext(
            "The black hole on %(field)s brings %(num)s point.",
            "The black hole on %(field)s brings %(num)s points.",
            points,
            field=step.field,
        )
    else:
        return
    yield Reason("points", told)


# The sentences about a step now, and about one that could have been played
_COMPLETE = noted("Your constellation is then complete."), noted("Your constellation would have been complete.")
_NEARER = noted("Your constellation comes closer."), noted("Your constellation would have come closer.")
_POSSIBLE = (
    noted("It makes a %(star)s on %(field)s possible."),
    noted("It would have made a %(star)s on %(field)s possible."),
)
_LACKS_ONE = (
    noted("A %(star)s on %(field)s then needs only one more %(need)s, but the others move first."),
    noted("A %(star)s on %(field)s then needs only one more %(need)s, but your opponent moves first."),
)
_LACKED_ONE = noted("A %(star)s on %(field)s would then have needed only one more %(need)s.")
_HAS = noted("A %(star)s on %(field)s then has %(has)s of %(count)s neighbours.")
_STAYS_FOR_ALL = noted("The constellation comes no closer for the others.")
_DONE = noted("%(done)s of the %(all)s places of your constellation are then right.")
_DENIED = (
    noted("Otherwise the others could place the %(star)s on %(field)s."),
    noted("Otherwise your opponent could place the %(star)s on %(field)s."),
)
_LOST = (
    noted("The others can't place a %(star)s on %(field)s then."),
    noted("Your opponent can't place a %(star)s on %(field)s then."),
)
_SET_BACK = (
    noted("It makes a %(star)s on %(field)s harder for the others."),
    noted("It makes a %(star)s on %(field)s harder for your opponent."),
)
_BARREN = (
    noted("It would have left the others fewer chances for bright and splendid stars."),
    noted("It would have left your opponent fewer chances for bright and splendid stars."),
)

# Those that suit both
_USES = {
    GEBURT: noted("place an extra star"),
    WANDERUNG: noted("move a star to prepare a bright star"),
    LOCH: noted("remove a star that is in your way"),
    SUPERNOVA: noted("set off a Supernova"),
}
_SCORE = noted("remove a star for points")
_CHOSEN = (
    noted("In your next two turns you can %(use)s, in the first also %(other)s."),
    noted("In your next two turns you can %(use)s, in the first even twice."),
)
_BOTH = (
    noted("In your next three turns you can %(use)s, in the first two also %(other)s."),
    noted("In your next three turns you can %(use)s, in the first two even twice."),
)
_IN_SLOT_1 = noted("In your next three turns you can %(use)s.")
_IN_SLOT_2 = noted("In your next two turns you can %(use)s.")
_COVERED = noted("Slot 1 is no star birth in your next turn.")
_NOVA_READY = noted("You can set off a Supernova in your next turn.")
_KEPT = noted("You keep your cards for later.")
_UNCHANGED = (
    noted("The others get no new space for a bright star."),
    noted("Your opponent gets no new space for a bright star."),
)
_LET = noted("It would have let you %(uses)s in your next turns.")
_BIRTHS = noted("You can place %(first)s stars in your first turn and %(second)s in your second.")
_LATER = noted("The black hole is still there in your second turn, when there are more stars to score with.")
_OUTWARDS = noted("You can take a star %(steps)s spaces towards the special spaces.")
_IN_PLACE = noted("You can move a star %(steps)s spaces to where your constellation needs it.")
_IN_HAND = noted("You keep these cards: %(cards)s.")


class Progress(Enum):
    """What an action does for the Sternbild or, if it changes nothing there, for later births."""

    COMPLETE = auto()
    NEARER = auto()
    FERTILE = auto()
    BARREN = auto()


def _progress(sky: State, step: Action, target: Target, offered: Offered) -> Progress | None:
    """Return what an action does, or None for nothing."""
    before, after = _lack(sky.stars, target), _lack(_after(sky.stars, step), target)
    if after < before:
        return Progress.NEARER if after else Progress.COMPLETE
    its = chances(sky.scenario)
    gain = its.value(offered.after(step)) - its.value(offered.now)
    return Progress.FERTILE if gain > 0 else Progress.BARREN if gain < 0 else None


def _piece(stars: Stars, step: Action) -> str:
    """Return the class of the star that an action places, moves or removes."""
    match step:
        case Sterngeburt(_, star, _):
            return star
        case Sternwanderung(_, (field, *_)) | SchwarzesLoch(_, field):
            return PUNKT if stars[PUNKT] & FIELDS[field].bit else LEUCHT
    return NOVA


class _Birth(NamedTuple):
    """A birth that is near. The best one is the least."""

    lacks: int
    cost: int  # its points as a negative number
    star: str
    field: str
    need: str  # the class of the stars that it needs
    number: int  # of these stars


def _birth(sky: State, before: Stars, after: Stars) -> _Birth | None:
    """Return the best birth that comes nearer between two skies, or that becomes possible by a field that is left."""
    return min((it for it, is_nearer in _births(sky, before, after) if is_nearer), default=None)


def _births(sky: State, before: Stars, after: Stars) -> Iterator[tuple[_Birth, bool]]:
    """Yield the births that lack at most two stars, and whether they were further away before."""
    for star, needs in CARDS.birth_needs.items():
        if needs is None or not supply(sky, star):
            continue
        need, count = needs
        for bit in bits_of(ALL_FIELDS & ~occupied(after)):
            field = FIELD_AT[bit]
            lacks, lacked = (max(0, count - (field.near & it[need]).bit_count()) for it in (after, before))
            if lacks <= 2:
                points = points_of_birth(sky.scenario, star, field)
                yield (
                    _Birth(lacks, -points, star, field.id, need, count),
                    lacks < lacked or bool(bit & occupied(before)),
                )


def _of_birth(born: _Birth, has_one_opponent: bool, say: Language, is_past: bool) -> str:
    """Return what a step does for a birth, and the points of the birth."""
    names = {it: piece_in_sentence(piece, say.locale) for it, piece in (("star", born.star), ("need", born.need))}
    if born.lacks > 1:
        told = say.gettext(_HAS, field=born.field, has=born.number - born.lacks, count=born.number, **names)
    elif born.lacks:
        told = say.gettext(_LACKED_ONE if is_past else _LACKS_ONE[has_one_opponent], field=born.field, **names)
    else:
        told = say.gettext(_POSSIBLE[is_past], field=born.field, **names)
    if is_past or not born.cost:
        return told
    return f"{told} {_worth(born, has_one_opponent, say)}"


def _worth(born: _Birth, has_one_opponent: bool, say: Language) -> str:
    """Return the points of a birth, and who can take one that lacks nothing."""
    points = -born.cost
    if born.lacks:
        star = piece_in_sentence(born.star, say.locale)
        return say.ngettext(
            "The %(star)s would bring %(num)s point.", "The %(star)s would bring %(num)s points.", points, star=star
        )
    if has_one_opponent:
        return say.ngettext(
            "It brings %(num)s point if your opponent leaves it to you.",
            "It brings %(num)s points if your opponent leaves it to you.",
            points,
        )
    return say.ngettext(
        "It brings %(num)s point if the others leave it to you.",
        "It brings %(num)s points if the others leave it to you.",
        points,
    )


def _of_loss(after: Stars, lost: _Birth, has_one_opponent: bool, say: Language) -> str:
    """Return which birth a step hinders, and its points."""
    is_possible = lost.lacks > 0 and not occupied(after) & FIELDS[lost.field].bit
    told = say.gettext(
        (_SET_BACK if is_possible else _LOST)[has_one_opponent],
        star=piece_in_sentence(lost.star, say.locale),
        field=lost.field,
    )
    return f"{told} {_worth(lost._replace(lacks=1), has_one_opponent, say)}" if lost.cost else told


def _of_choice(sky: State, hand: Sequence[str], step: Choose, say: Language) -> Iterator[Reason]:
    """Yield what the first two cards are for, and what stays in the hand."""
    second, first = type_of(step.slot2), type_of(step.slot3)
    births = 1 + (second == GEBURT)
    if GEBURT in (second, first):
        yield Reason("births", say.gettext(_BIRTHS, first=births + (first == GEBURT), second=births))
    if second == LOCH and sky.scenario.card_points:
        yield Reason("hole", say.gettext(_LATER))
    if moving := [KIND_OF[it] for it in (step.slot2, step.slot3) if type_of(it) == WANDERUNG]:
        text = _OUTWARDS if sky.scenario.bonus_points else _IN_PLACE
        yield Reason("moving", say.gettext(text, steps=max(max(it.steps) for it in moving)))
    kept = dict.fromkeys(type_of(it) for it in hand if it not in (step.slot2, step.slot3))
    yield Reason("kept", say.gettext(_IN_HAND, cards=say.listed([type_name(it, say.locale) for it in kept])))


def _of_cards(
    sky: State, hand: Sequence[str], laid: tuple[str | None, str | None], say: Language, is_past: bool
) -> Iterator[Reason]:
    """Yield what playing these cards to slots 2 and 1 prepares."""
    slot2, slot1 = laid
    if is_past and (slot2 or slot1):
        yield _of_past_cards(sky, laid, say)
        return
    if slot1 and type_of(slot1) == SUPERNOVA:
        yield Reason("nova", say.gettext(_NOVA_READY))
        return
    if slot2 is None and slot1 is None:
        yield Reason(
            "waiting",
            say.gettext(_KEPT)
            if is_past
            else say.ngettext(
                "You keep %(num)s card and decide when the others have moved.",
                "You keep %(num)s cards and decide when the others have moved.",
                len(hand),
            ),
        )
        return
    yield from _targets_of([it for it in laid if it], sky, say)
    if slot2 and slot1:
        told = _of_two(_BOTH, _use(sky, slot1), _use(sky, slot2), say)
    else:
        told = say.gettext(_IN_SLOT_2 if slot2 else _IN_SLOT_1, use=say.gettext(_use(sky, slot2 or slot1 or "")))
    yield Reason(f"use {laid.count(None)}", told)
    if slot1 and type_of(slot1) != GEBURT:
        yield Reason("covered", say.gettext(_COVERED), is_aside=True)


def _of_past_cards(sky: State, laid: Sequence[str | None], say: Language) -> Reason:
    uses = dict.fromkeys(say.gettext(_use(sky, it)) for it in laid if it)
    return Reason("use", say.gettext(_LET, uses=say.listed([*uses])))


def _targets_of(cards: Sequence[str], sky: State, say: Language) -> Iterator[Reason]:
    """Yield what these cards could do in the present sky for points."""
    holes = [
        (removal_points(sky, KIND_OF[card], star, FIELD_AT[bit]), FIELD_AT[bit].id)
        for card in cards
        if type_of(card) == LOCH
        for star in (PUNKT, LEUCHT)
        for bit in bits_of(sky.stars[star])
    ]
    points, field = max(holes, default=(0, ""))
    if points:
        yield Reason(
            "target",
            say.ngettext(
                "The black hole could now score %(num)s point on %(field)s.",
                "The black hole could now score %(num)s points on %(field)s.",
                points,
                field=field,
            ),
        )
    if any(type_of(card) == GEBURT for card in cards):
        born = min((it for it, _ in _births(sky, sky.stars, sky.stars) if not it.lacks and it.cost), default=None)
        if born:
            star = piece_in_sentence(born.star, say.locale)
            yield Reason(
                "open",
                say.ngettext(
                    "A %(star)s on %(field)s is open now, for %(num)s point.",
                    "A %(star)s on %(field)s is open now, for %(num)s points.",
                    -born.cost,
                    star=star,
                    field=born.field,
                ),
            )


def _of_two(texts: tuple[str, str], use: str, other: str, say: Language) -> str:
    """Return what two cards can be used for. The second text is for the same use. The first card lasts longer."""
    return say.gettext(texts[use == other], use=say.gettext(use), other=say.gettext(other))


def _use(sky: State, card: str) -> str:
    type_ = type_of(card)
    return _SCORE if type_ == LOCH and sky.scenario.card_points else _USES[type_]


def _sky(view: Json) -> State:
    stars = dict.fromkeys(PIECES, 0)
    for field, piece in view["board"].items():
        stars[piece] |= FIELDS[field].bit
    seats, me, bilder = len(view["points"]), view["next"], view["sternbilder"]
    return State(
        options={**OPTIONS, "scenario": view["scenario"]},
        phase=view["phase"],
        turn=view["turn"],
        on_turn=view["next"],
        start=0,
        stars=stars,
        gone={},
        points=tuple(view["points"]),
        deck=(),
        hands=tuple(tuple(view["hand"] or ()) if seat == me else () for seat in range(seats)),
        slots=tuple((slot1, slot2, slot3) for slot1, slot2, slot3 in view["slots"]),
        discards=((),) * seats,
        chosen=(None,) * seats,
        reserve=(),
        granted=tuple(view["granted"]),
        bilder=Bilder((), bilder["open"], tuple(it and it["sternbild"] for it in bilder["own"]), ((),) * seats),
        log=NOTHING_DONE._replace(performed=tuple((it["slot"], it["card"]) for it in view["log"]["performed"])),
        result=None,
    )


def _after(stars: Stars, step: Action) -> dict[str, Fields]:
    after = dict(stars)
    match step:
        case Sterngeburt(_, star, field):
            after[star] |= FIELDS[field].bit
        case Sternwanderung(_, path):
            first, last = FIELDS[path[0]].bit, FIELDS[path[-1]].bit
            star = PUNKT if stars[PUNKT] & first else LEUCHT
            after[star] ^= first | last
        case SchwarzesLoch(_, field):
            for star in (PUNKT, LEUCHT):
                after[star] &= ~FIELDS[field].bit
        case Supernova(_, field):
            for star in STARS:
                after[star] &= ~FIELDS[field].near
            after[NOVA] |= FIELDS[field].bit
    return after


def _gain(sky: State, me: int, step: Action) -> float:
    card = sky.slots[me][step.slot - 1]
    match step:
        case Sterngeburt(_, star, field):
            return birth_points(sky, star, FIELDS[field])
        case SchwarzesLoch(_, field) if card is not None:
            star = PUNKT if sky.stars[PUNKT] & FIELDS[field].bit else LEUCHT
            return removal_points(sky, KIND_OF[card], star, FIELDS[field])
        case Supernova() if card is not None:
            return supernova_points(sky, me, card)[me]
    return 0.0


# The Sternbild: its nearest placement, and an estimate of the missing actions


def _target(sky: State, seat: Seat | None) -> Target:
    """Return the placement of this seat's Sternbild that is closest to completion."""
    stars, bild = sky.stars, sky.bilder.open or (None if seat is None else sky.bilder.own[seat])
    if bild is None:
        return ()
    lack = {piece: {bit: _lack_of(stars, piece, field) for bit, field in FIELD_AT.items()} for piece in (*STARS, GAP)}
    return min(_targets(bild), key=lambda target: sum(lack[piece][bit] for piece, bit in target))


@cache
def _targets(bild: str) -> list[Target]:
    """Return all placements of a Sternbild. Mirror images that put the same pieces on the same fields count once."""
    found = islice(placements(CARDS.sternbilder[bild]), MOST_TARGETS)
    return [tuple(sorted(target)) for target in dict.fromkeys(frozenset(target) for target in found)]


def _lack(stars: Stars, target: Target) -> float:
    return sum(_lack_of(stars, piece, FIELD_AT[bit]) for piece, bit in target)


def _lack_of(stars: Stars, piece: str, field: Field) -> float:
    """Return an estimate of the number of actions needed to get this piece onto this field."""
    is_free = not occupied(stars) & field.bit
    if piece == GAP:
        return 0 if is_free else HOPELESS if (stars[PRACHT] | stars[NOVA]) & field.bit else 1
    if stars[piece] & field.bit:
        return 0
    if (stars[PRACHT] | stars[NOVA]) & field.bit:
        return HOPELESS
    lack = 1.0 if is_free else 2.0
    need = CARDS.birth_needs[piece]
    if need is None:
        lack += not field.near & lit(stars)
    else:
        other, count = need
        lack += max(0, count - (field.near & stars[other]).bit_count()) * (1 if other == PUNKT else 3)
    return lack
