"""The table of Sternenglanz as text."""

from collections.abc import Collection, Iterator, Mapping, Sequence

from server.games.contract import Json, Seat
from server.games.sternenglanz.material import (
    CARDS,
    FIELDS,
    KIND_OF,
    PIECES,
    SHARED_OPEN,
    SLOTS,
    Constellation,
    Scenario,
    ids_of,
)
from server.games.sternenglanz.names import (
    bild_name,
    card_name,
    copy_name,
    piece_in_sentence,
    piece_name,
    scenario_name,
)
from server.games.sternenglanz.pieces import is_performed, pieces_in
from server.render.text_layout import page
from server.translations import Language

_PERMANENT = "geburt#1"  # any copy: slot 1 has a printed Sterngeburt


def table(view: Json, names: Sequence[str], locale: str) -> str:
    """Return the Firmament, each seat's slots and the reader's hand as text."""
    blocks = [_goal(view, locale), _firmament(view, locale), _supply(view, locale)]
    blocks += [_seat(view, seat, names, locale) for seat in range(len(names))]
    return page(
        [*blocks, _bilder(view, locale), _hand(view, locale), _holes(view, locale), _turn(view, names, locale)], locale
    )


def final_table(view: Json, story: Sequence[Json], names: Sequence[str], say: Language) -> str:
    """Return the Firmament and what each seat has achieved as text."""
    seats = (_achieved(view, seat, names, say.locale) for seat in range(len(names)))
    return page([_goal(view, say.locale), _pieces(view, say.locale), *seats], say.locale)


def own_result(view: Json, story: Sequence[Json], seat: Seat, say: Language) -> str:
    """Return which Sternbilder a seat has completed."""
    done = [bild_name(bild, say.locale) for bild in view["sternbilder"]["done"][seat]]
    return say.gettext("You completed %(sternbilder)s.", sternbilder=say.listed(done)) if done else ""


def decision(view: Json, story: Sequence[Json], names: Sequence[str], reader: Seat | None, say: Language) -> str:
    """Return how the winner reached the goal, and where the winner's points come from."""
    decided = next((it for it in reversed(story) if it["type"] == "game-decided"), None)
    if decided is None or len(decided["winners"]) > 1:
        return ""
    [winner] = decided["winners"]
    parts = (_points_of(winner, story, types) for types in _SOURCES)
    names_of = (say.gettext("black holes"), say.gettext("placed stars"), say.gettext("constellations"), "Supernova")
    points = ", ".join(f"{name} {sum_}" for name, sum_ in zip(names_of, parts, strict=True) if sum_)
    told = [
        _reached(CARDS.scenarios[view["scenario"]], names[winner], reader == winner, say)
        if decided["reason"] == "goal"
        else _by_discards(view, winner, names, say),
        say.gettext("The winner's points: %(points)s.", points=points) if points else "",
    ]
    return " ".join(filter(None, told))


_SOURCES = ({"star-removed"}, {"star-laid"}, {"sternbild-completed"}, {"supernova-laid"})


def _points_of(seat: Seat, story: Sequence[Json], types: Collection[str]) -> int:
    gains = (
        it["points"] for it in story if it["type"] in types and (it["seat"] == seat or isinstance(it["points"], list))
    )
    return sum(it[seat] if isinstance(it, list) else it for it in gains)


def _reached(scenario: Scenario, winner: str, is_own: bool, say: Language) -> str:
    goal = {"name": winner, "points": scenario.goal_points}
    if scenario.goal_points is None:
        return say.addressed(
            is_own,
            "You were the first to complete your constellation.",
            "%(name)s was the first to complete their constellation.",
            **goal,
        )
    if scenario.goal_bilder:
        return say.addressed(
            is_own,
            "You were the first to have %(points)s points and a completed constellation.",
            "%(name)s was the first to have %(points)s points and a completed constellation.",
            **goal,
        )
    return say.addressed(
        is_own,
        "You were the first to have %(points)s points.",
        "%(name)s was the first to have %(points)s points.",
        **goal,
    )


def _by_discards(view: Json, winner: Seat, names: Sequence[str], say: Language) -> str:
    equal = [name for name, points in zip(names, view["points"], strict=True) if points == view["points"][winner]]
    if len(equal) == 1:
        return ""
    return say.gettext("%(names)s are tied. The player with fewer discarded cards wins.", names=say.listed(equal))


def _pieces(view: Json, locale: str) -> Iterator[str]:
    yield f"{_WORDS[locale]['firmament']}:"
    for kind in PIECES:
        if fields := [it for it in FIELDS if view["board"].get(it) == kind]:
            yield f"  {piece_name(kind, locale)}: {', '.join(fields)}"


def _achieved(view: Json, seat: int, names: Sequence[str], locale: str) -> Iterator[str]:
    say, done = _WORDS[locale], view["sternbilder"]["done"][seat]
    yield f"{names[seat]}: {say['points']} {view['points'][seat]}"  # this form also suits a single point
    if done:
        yield f"  {say['completed']}: {', '.join(bild_name(bild, locale) for bild in done)}"


def _goal(view: Json, locale: str) -> Iterator[str]:
    say, scenario = _WORDS[locale], CARDS.scenarios[view["scenario"]]
    wanted = [] if scenario.goal_points is None else [f"{scenario.goal_points} {say['points']}"]
    wanted += [f"{scenario.goal_bilder} {say['Sternbild']}"] if scenario.goal_bilder else []
    yield f"{scenario_name(scenario.id, locale)} - {say['goal']}: {', '.join(wanted)}"


def _firmament(view: Json, locale: str) -> Iterator[str]:
    """Yield the pieces on the fields, and the fields joined to each."""
    say = _WORDS[locale]
    has_bonus = CARDS.scenarios[view["scenario"]].bonus_points
    yield f"{say['firmament']}:"
    for kind in PIECES:
        for field in FIELDS.values():
            if view["board"].get(field.id) == kind:
                bonus = f" (+{field.bonus})" if has_bonus and field.bonus else ""
                beside = ", ".join(_with_piece(near, view, locale) for near in ids_of(field.near))
                yield f"  {field.id}{bonus} {piece_name(kind, locale)} - {say['next to']} {beside}"
    free = [
        f"{field.id} (+{field.bonus})" for field in FIELDS.values() if field.bonus and field.id not in view["board"]
    ]
    if has_bonus and free:
        yield f"  {say['bonus fields that are free']}: {', '.join(free)}"


def _with_piece(field: str, view: Json, locale: str) -> str:
    lying = view["board"].get(field)
    return f"{field} {piece_name(lying, locale)}" if lying else field


def _supply(view: Json, locale: str) -> Iterator[str]:
    say, bilder = _WORDS[locale], view["sternbilder"]
    left = ", ".join(f"{piece_name(kind, locale)} {view['supply'][kind]}" for kind in pieces_in(view))
    yield f"{say['supply']}: {left}"
    yield f"{say['cards in the deck']}: {view['deck']}"
    if CARDS.scenarios[view["scenario"]].supernova:
        yield f"{say['Supernova cards not yet granted']}: {view['reserve']}"
    if bilder["deck"]:
        yield f"{say['Sternbilder in the deck']}: {bilder['deck']}"


def _seat(view: Json, seat: int, names: Sequence[str], locale: str) -> Iterator[str]:
    say, bilder = _WORDS[locale], view["sternbilder"]
    held = f"{say['cards in hand']} {view['hand_sizes'][seat]}, {say['discarded']} {view['discards'][seat]}"
    held += f", {say['took a Supernova card']}" if view["granted"][seat] else ""
    yield f"{names[seat]}: {say['points']} {view['points'][seat]}, {held}"  # this form also suits a single point
    for slot in SLOTS:
        yield f"  {say['slot']} {slot}: {_on_slot(view, seat, slot, locale)}"
    if own := bilder["own"][seat]:
        yield f"  {say['Sternbild']}: {_bild(own['sternbild'], locale) if own['sternbild'] else say['face down']}"
    if bilder["done"][seat]:
        yield f"  {say['completed']}: {', '.join(bild_name(bild, locale) for bild in bilder['done'][seat])}"


def _on_slot(view: Json, seat: int, slot: int, locale: str) -> str:
    say, card = _WORDS[locale], view["slots"][seat][slot - 1]
    if card is not None:
        shown = card_name(card, locale)
    elif slot == 1:
        shown = f"{card_name(_PERMANENT, locale)} ({say['printed']})"
    else:
        shown = say["face down"] if view["chosen"][seat] else say["empty"]
    return f"{shown}, {say['done']}" if is_performed(view, seat, slot) else shown


def _bilder(view: Json, locale: str) -> Iterator[str]:
    """Yield the common Sternbild, and the figure of each visible Sternbild."""
    say, bilder = _WORDS[locale], view["sternbilder"]
    if CARDS.scenarios[view["scenario"]].sternbild == SHARED_OPEN and bilder["open"]:
        yield f"{say['common Sternbild']}: {_bild(bilder['open'], locale)}"
    for bild in sorted({it["sternbild"] for it in bilder["own"] if it and it["sternbild"]} | {bilder["open"]} - {None}):
        yield f"{bild_name(bild, locale)}:"
        yield from _figure(bild, locale)


def _bild(bild: str, locale: str) -> str:
    return f"{bild_name(bild, locale)} ({CARDS.sternbilder[bild].points} {_WORDS[locale]['points']})"


def _figure(bild: str, locale: str) -> Iterator[str]:
    """Yield the numbered nodes of a Sternbild, each with the nodes joined to it."""
    figure, say = CARDS.sternbilder[bild], _WORDS[locale]
    for place, what in enumerate(figure.nodes):
        joined = [b if a == place else a for a, b in figure.lines if place in (a, b)]
        lying = say["gap"] if what == "gap" else piece_name(what, locale)
        yield f"  {place + 1} {lying} - {say['next to']} {', '.join(str(other + 1) for other in sorted(joined))}"


def _hand(view: Json, locale: str) -> Iterator[str]:
    if view["hand"] is not None:
        cards = ", ".join(copy_name(card, locale).replace(" ", "\u00a0") for card in view["hand"])
        yield f"{_WORDS[locale]['your hand']}: {cards or _WORDS[locale]['empty']}"


def _holes(view: Json, locale: str) -> Iterator[str]:
    """Yield what each visible Schwarzes Loch scores, if it scores in this scenario."""
    visible = {card for cards in [view["hand"] or (), *view["slots"]] for card in cards if card}
    if CARDS.scenarios[view["scenario"]].card_points:
        yield from patterns(locale, {KIND_OF[card].id for card in visible})


def patterns(locale: str, shown: Collection[str] | None = None) -> Iterator[str]:
    """Yield the patterns of each Schwarzes Loch: the star to remove, its neighbours and the points. `shown`: only these
    kinds of cards."""
    say = _WORDS[locale]
    for kind in CARDS.kinds.values():
        if kind.constellations and (shown is None or kind.id in shown):
            told = [
                f"{piece_in_sentence(it.top, locale)} {say['next to']} {_neighbours(it, locale)} = {it.points}"
                for it in kind.constellations
            ]
            yield f"{card_name(f'{kind.id}#1', locale)} ({say['points for removing']}): {'; '.join(told)}"


def _neighbours(pattern: Constellation, locale: str) -> str:
    return " + ".join(piece_in_sentence(star, locale) for star, count in pattern.needs for _ in range(count))


def _turn(view: Json, names: Sequence[str], locale: str) -> Iterator[str]:
    say, result = _WORDS[locale], view["result"]
    if result is not None:
        yield f"{say['game over']} {say['won']}: {', '.join(names[seat] for seat in result['winners'])}"
    elif view["next"] is None:
        waiting = [name for name, chosen in zip(names, view["chosen"], strict=True) if not chosen]
        yield f"{say['choosing']}: {', '.join(waiting)}"
    else:
        yield f"{say['turn']} {view['turn']}, {say['on turn']}: {names[view['next']]}"


_WORDS: Mapping[str, Mapping[str, str]] = {
    "de": {
        "points": "Punkte",
        "Sternbild": "Sternbild",
        "goal": "Ziel",
        "firmament": "Das Firmament, alle anderen Felder sind frei",
        "next to": "neben",
        "points for removing": "Punkte für das Entfernen",
        "bonus fields that are free": "freie Felder mit Bonus",
        "supply": "Vorrat",
        "cards in the deck": "Karten im Stapel",
        "Supernova cards not yet granted": "Supernova-Karten in Reserve",
        "Sternbilder in the deck": "Sternbilder im Stapel",
        "cards in hand": "Handkarten",
        "discarded": "in der Ablage",
        "took a Supernova card": "hat eine Supernova-Karte genommen",
        "slot": "Platz",
        "printed": "aufgedruckt",
        "face down": "verdeckt",
        "empty": "leer",
        "done": "ausgeführt",
        "completed": "vollendet",
        "common Sternbild": "Gemeinsames Sternbild",
        "gap": "Lücke",
        "your hand": "Deine Hand",
        "turn": "Zug",
        "on turn": "am Zug",
        "choosing": "Ihre ersten Karten wählen noch",
        "game over": "Die Partie ist zu Ende.",
        "won": "Gewonnen",
    },
    "en": {
        "points": "points",
        "Sternbild": "constellation",
        "goal": "goal",
        "firmament": "The Firmament, all other spaces are free",
        "next to": "next to",
        "points for removing": "points for removing a star",
        "bonus fields that are free": "free spaces with a bonus",
        "supply": "Supply",
        "cards in the deck": "Cards in the deck",
        "Supernova cards not yet granted": "Supernova cards not yet granted",
        "Sternbilder in the deck": "Constellations in the deck",
        "cards in hand": "cards in hand",
        "discarded": "discarded",
        "took a Supernova card": "took a Supernova card",
        "slot": "slot",
        "printed": "printed",
        "face down": "face down",
        "empty": "empty",
        "done": "done",
        "completed": "completed",
        "common Sternbild": "Shared constellation",
        "gap": "gap",
        "your hand": "Your hand",
        "turn": "Turn",
        "on turn": "to move",
        "choosing": "Still choosing their first cards",
        "game over": "The game is over.",
        "won": "Won",
    },
    "fr": {
        "points": "points",
        "Sternbild": "constellation",
        "goal": "objectif",
        "firmament": "Le Firmament, toutes les autres cases sont libres",
        "next to": "à côté de",
        "points for removing": "points pour l’étoile retirée",
        "bonus fields that are free": "cases spéciales libres",
        "supply": "Réserve",
        "cards in the deck": "Cartes dans la pioche",
        "Supernova cards not yet granted": "Cartes Supernova en réserve",
        "Sternbilder in the deck": "Constellations dans la pioche",
        "cards in hand": "cartes en main",
        "discarded": "défaussées",
        "took a Supernova card": "a pris une carte Supernova",
        "slot": "emplacement",
        "printed": "imprimée",
        "face down": "face cachée",
        "empty": "vide",
        "done": "utilisée",
        "completed": "achevées",
        "common Sternbild": "Constellation commune",
        "gap": "vide",
        "your hand": "Ta main",
        "turn": "Tour",
        "on turn": "à jouer",
        "choosing": "Doivent encore choisir leurs premières cartes",
        "game over": "La partie est terminée.",
        "won": "Victoire",
    },
    "it": {
        "points": "punti",
        "Sternbild": "costellazione",
        "goal": "obiettivo",
        "firmament": "Il Firmamento, tutte le altre caselle sono libere",
        "next to": "accanto a",
        "points for removing": "punti per la stella rimossa",
        "bonus fields that are free": "caselle libere con bonus",
        "supply": "Riserva",
        "cards in the deck": "Carte nel mazzo",
        "Supernova cards not yet granted": "Carte Supernova in riserva",
        "Sternbilder in the deck": "Costellazioni nel mazzo",
        "cards in hand": "carte in mano",
        "discarded": "scartate",
        "took a Supernova card": "ha preso una carta Supernova",
        "slot": "spazio",
        "printed": "stampata",
        "face down": "coperta",
        "empty": "vuoto",
        "done": "eseguita",
        "completed": "completate",
        "common Sternbild": "Costellazione comune",
        "gap": "vuoto",
        "your hand": "La tua mano",
        "turn": "Turno",
        "on turn": "tocca a",
        "choosing": "Devono ancora scegliere le prime carte",
        "game over": "La partita è finita.",
        "won": "Vittoria",
    },
}
