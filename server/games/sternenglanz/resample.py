"""Tables that are consistent with what a seat has seen, drawn at random.

The order of both decks, other seats' hands and first choices, and secret Sternbilder are unknown. Every consistent deal
is equally likely. A deal is inconsistent if an action would have completed the secret Sternbild of the player who took
it.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations
from typing import NamedTuple

from server.games.contract import Dice, Json, Seat
from server.games.newest import newest
from server.games.sternenglanz.figures import lies_on
from server.games.sternenglanz.material import (
    ACTION_CARDS,
    CARDS,
    FIELDS,
    FIRMAMENT,
    NO_STERNBILD,
    NOVA,
    PIECES,
    PRACHT,
    PUNKT,
    SUPERNOVA_CARDS,
    Fields,
)
from server.games.sternenglanz.state import CHOOSE, Bilder, GameDecided, Hand, Pair, State, Trail, TurnLog

Stars = dict[str, Fields]


class Pool(NamedTuple):
    """The unseen cards of one shuffle, and how many of them each other seat holds. The rest are in the deck."""

    cards: list[str]
    held: Counter[Seat]


class Worlds(NamedTuple):
    """What a seat has seen of a table."""

    open: State  # without hidden cards
    pools: list[Pool]
    choosing: list[Seat]  # other seats whose choice is hidden
    secrets: list[Seat]  # other seats with a secret Sternbild
    bilder: list[tuple[str, ...]]  # possible Sternbilder of `secrets`
    unseen: list[str]  # Sternbilder of `secrets` and deck

    def draw(self, dice: Dice) -> State:
        hands, deck = list(self.open.hands), list[str]()
        for pool in self.pools:
            deck = dice.shuffled(pool.cards)
            for seat, number in pool.held.items():
                hands[seat] += tuple(deck[:number])
                deck = deck[number:]
        chosen = list(self.open.chosen)
        for seat in self.choosing:
            slot2, slot3, *rest = hands[seat]
            hands[seat], chosen[seat] = tuple(rest), (slot2, slot3)
        own = list(self.open.bilder.own)
        drawn = self.bilder[dice.below(len(self.bilder))]
        for seat, bild in zip(self.secrets, drawn, strict=True):
            own[seat] = bild
        below = dice.shuffled(bild for bild in self.unseen if bild not in drawn)
        bilder = self.open.bilder._replace(deck=tuple(below), own=tuple(own))
        return self.open._replace(deck=tuple(deck), hands=tuple(hands), chosen=tuple(chosen), bilder=bilder)


def resample(view: Json, story: Sequence[Json], seat: Seat, dice: Dice) -> State:
    """Return a random state that is consistent with the seat's view and story."""
    return _worlds(view, story, seat).draw(dice)


@newest
def _worlds(view: Json, story: Sequence[Json], seat: Seat) -> Worlds:
    pools, known = _cards(story, seat)
    known[seat] = view["hand"]
    choosing = [it for it, chosen in enumerate(view["chosen"]) if chosen and it != seat]
    state = _open(view, story, [tuple(known[it]) for it in range(len(view["points"]))])
    if view["chosen"][seat]:
        _, slot2, slot3 = view["slots"][seat]
        chosen = tuple((slot2, slot3) if it == seat else None for it in range(len(view["points"])))
        state = state._replace(chosen=chosen)
    if state.scenario.sternbild == NO_STERNBILD:
        return Worlds(state, pools, choosing, [], [()], [])
    secrets = [it for it, own in enumerate(view["sternbilder"]["own"]) if own and own["sternbild"] is None]
    seen = {*state.bilder.own, state.bilder.open, *(bild for done in state.bilder.done for bild in done)}
    unseen = [bild for bild in CARDS.sternbilder if bild not in seen]
    refuted = _refuted(state, story, secrets, unseen)
    bilder = [
        each
        for each in permutations(unseen, len(secrets))
        if not any(bild in refuted[it] for it, bild in zip(secrets, each, strict=True))
    ]
    return Worlds(state, pools, choosing, secrets, bilder, unseen)


def _open(view: Json, story: Sequence[Json], hands: Sequence[Hand]) -> State:
    stars: Stars = dict.fromkeys(PIECES, 0)
    for field, piece in view["board"].items():
        stars[piece] |= FIELDS[field].bit
    gone = {piece: CARDS.limits[piece] - stars[piece].bit_count() - view["supply"][piece] for piece in PIECES}
    granted = [it["card"] for it in story if it["type"] == "supernova-granted"]
    bilder, log = view["sternbilder"], view["log"]
    ends = [it for it in story if it["type"] == "game-decided"]
    seats = len(view["points"])
    state = State(
        options=story[0]["terms"]["options"],
        phase=view["phase"],
        turn=view["turn"],
        on_turn=view["next"],
        start=view["start"],
        stars=stars,
        gone={piece: number for piece, number in gone.items() if number},
        points=tuple(view["points"]),
        deck=(),
        hands=tuple(hands),
        slots=((None,) * 3,) * seats if view["phase"] == CHOOSE else tuple((a, b, c) for a, b, c in view["slots"]),
        discards=_discards(story, seats),
        chosen=(None,) * seats,
        reserve=(),
        granted=tuple(view["granted"]),
        bilder=Bilder(
            (),
            bilder["open"],
            tuple(own and own["sternbild"] for own in bilder["own"]),
            tuple(tuple(done) for done in bilder["done"]),
        ),
        log=TurnLog(
            tuple((it["slot"], it["card"]) for it in log["performed"]),
            _pairs(log["laid"]),
            _pairs(log["removed"]),
            {field: Trail(tuple(it["rests"]), tuple(it["lines"])) for field, it in log["moved"].items()},
            tuple(log["lines"]),
        ),
        result=GameDecided(**{name: ends[-1][name] for name in GameDecided._fields}) if ends else None,
    )
    reserve = [card for card in SUPERNOVA_CARDS if card not in granted] if state.scenario.supernova else []
    return state._replace(reserve=tuple(reserve))


def _pairs(pairs: Sequence[Sequence[str]]) -> tuple[Pair, ...]:
    return tuple((field, star) for field, star in pairs)


# Cards


def _cards(story: Sequence[Json], viewer: Seat) -> tuple[list[Pool], dict[Seat, list[str]]]:
    """Return a pair: the pool of each shuffle, and the known hand cards of other seats: Supernova cards from the
    reserve."""
    pools = [Pool(list(ACTION_CARDS), Counter())]
    known: dict[Seat, list[str]] = {seat: [] for seat in range(story[0]["seats"])}
    discards = list[str]()
    for it in story:
        discards += _discarded(it)
        seat = it["seat"]
        match it["type"]:
            case "hand-dealt" | "cards-drawn" if seat == viewer:
                for card in it["cards"]:
                    pools[-1].cards.remove(card)
            case "hand-dealt" | "cards-drawn":
                pools[-1].held[seat] += len(it["cards"])
            case "choices-shown":
                for other, cards in enumerate(it["choices"]):
                    if other != viewer:
                        _play_out(pools, known, other, cards)
            case "cards-laid" if seat != viewer:
                _play_out(pools, known, seat, [card for card in (it["slot2"], it["slot1"]) if card])
            case "supernova-granted" if seat != viewer:
                known[seat].append(it["card"])
            case "discards-shuffled":
                pools.append(Pool([card for card in discards if card not in it["out"]], Counter()))
                discards = []
    return pools, known


def _play_out(pools: Sequence[Pool], known: Mapping[Seat, list[str]], seat: Seat, cards: Sequence[str]) -> None:
    for card in cards:
        if card in known[seat]:
            known[seat].remove(card)
            continue
        pool = next(pool for pool in pools if card in pool.cards)
        pool.cards.remove(card)
        pool.held[seat] -= 1


def _discarded(item: Json) -> list[str]:
    match item["type"]:
        case "cards-shifted":
            return list(item["discarded"])
        case "supernova-laid":
            return [item["card"]]
        case "cards-laid" if item["dropped"]:
            return [item["dropped"]]
    return []


def _discards(story: Sequence[Json], seats: int) -> tuple[tuple[str, ...], ...]:
    discards: list[list[str]] = [[] for _ in range(seats)]
    for it in story:
        if it["type"] == "discards-shuffled":
            discards = [[] for _ in range(seats)]
        elif cards := _discarded(it):
            discards[it["seat"]] += cards
    return tuple(map(tuple, discards))


# Secret Sternbilder


def _refuted(sky: State, story: Sequence[Json], secrets: Sequence[Seat], unseen: Sequence[str]) -> dict[Seat, set[str]]:
    """Return the Sternbilder that each of these seats can't have, because they have already appeared on the
    Firmament."""
    refuted: dict[Seat, set[str]] = {seat: set() for seat in secrets}
    if not secrets:
        return refuted
    is_any, is_induced = sky.options["sternbildCredit"] == "any-player", sky.options["sternbildLines"] == "induced"
    for it, stars, changed in _actions(story):
        for seat in secrets:
            if it["type"] == "sternbild-drawn":
                if it["seat"] == seat:
                    refuted[seat] = set()
            elif stars[PRACHT] and (is_any or it["seat"] == seat):
                touching = changed if sky.options["sternbildCredit"] == "contributing" else None
                refuted[seat] |= {
                    bild
                    for bild in unseen
                    if bild not in refuted[seat] and lies_on(CARDS.sternbilder[bild], stars, is_induced, touching)
                }
    return refuted


def _actions(story: Sequence[Json]) -> Iterator[tuple[Json, Stars, Fields]]:
    """Yield each action with the stars after it and the fields that it changed, and each draw of a Sternbild."""
    stars: Stars = {**dict.fromkeys(PIECES, 0), PUNKT: FIELDS[FIRMAMENT.start].bit}
    for it in story:
        changed = dict[str, Fields]()
        match it["type"]:
            case "star-laid" | "star-removed":
                changed[it["star"]] = FIELDS[it["field"]].bit
            case "star-moved":
                changed[it["star"]] = FIELDS[it["path"][0]].bit ^ FIELDS[it["path"][-1]].bit
            case "supernova-laid":
                changed[NOVA] = FIELDS[it["field"]].bit
                for field, star in it["removed"]:
                    changed[star] = changed.get(star, 0) | FIELDS[field].bit
            case "sternbild-drawn":
                yield it, stars, 0
        if changed:
            stars = {piece: fields ^ changed.get(piece, 0) for piece, fields in stars.items()}
            all_changed = 0
            for fields in changed.values():
                all_changed |= fields
            yield it, stars, all_changed
