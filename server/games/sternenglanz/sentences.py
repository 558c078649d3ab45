"""Sentences about the events of Sternenglanz."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from server.games.contract import Json, Seat, Sentence
from server.games.sternenglanz.material import CARDS, GEBURT, KIND_OF, LOCH, WANDERUNG
from server.games.sternenglanz.moves import (
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
)
from server.games.sternenglanz.names import bild_name, card_name, piece_in_sentence, piece_name
from server.games.sternenglanz.notation import NOTATION, NOTATION_LINES, read_move
from server.games.sternenglanz.rules import may_finish, must_cover, open_slots
from server.games.sternenglanz.spoken import write_spoken
from server.games.sternenglanz.state import LAY, State
from server.games.sternenglanz.table import patterns
from server.render.text_layout import punctuated
from server.translations import Language


def tell_move(move: Move, say: Language) -> str:
    return punctuated("; ".join(_tell_step(step, say) for step in move.steps), say.locale)


def _tell_step(step: Step, say: Language) -> str:
    match step:
        case Choose(slot2, slot3):
            cards = {"slot2": card_name(slot2, say.locale), "slot3": card_name(slot3, say.locale)}
            return say.gettext("%(slot2)s for slot 2, %(slot3)s for slot 3", **cards)
        case Sterngeburt(slot, star, field):
            born = piece_in_sentence(star, say.locale)
            return say.gettext("Slot %(slot)s: %(star)s on %(field)s", slot=slot, star=born, field=field)
        case Sternwanderung(slot, path):
            return say.gettext("Slot %(slot)s: a star moves %(path)s", slot=slot, path=" → ".join(path))
        case SchwarzesLoch(slot, field):
            return say.gettext("Slot %(slot)s: black hole on %(field)s", slot=slot, field=field)
        case Supernova(slot, field):
            return say.gettext("Slot %(slot)s: Supernova on %(field)s", slot=slot, field=field)
        case Lapse(slot):
            return say.gettext("Slot %(slot)s: skipped", slot=slot)
        case Finish():
            return say.gettext("stop after slots 1 and 2")
        case LayCards(drop_nova, slot2, slot1):
            laid = [
                say.gettext("%(card)s in slot %(slot)s", card=card_name(card, say.locale), slot=slot)
                for slot, card in ((2, slot2), (1, slot1))
                if card
            ] or [say.gettext("no card")]
            return ", ".join([*([say.gettext("drop the Supernova card")] if drop_nova else []), *laid])


def _hand_dealt(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    return say.addressed(
        is_own,
        "You were dealt %(cards)s.",
        "%(name)s was dealt %(cards)s.",
        name=names[item["seat"]],
        cards=_cards(item["cards"], say),
    )


def _sternbild_drawn(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    name, bild = names[item["seat"]], item["sternbild"]
    if bild is None:
        return say.addressed(
            is_own, "You took a secret constellation.", "%(name)s took a secret constellation.", name=name
        )
    return say.addressed(
        is_own,
        "You took the constellation %(sternbild)s.",
        "%(name)s took the constellation %(sternbild)s.",
        name=name,
        sternbild=_bild(bild, say),
    )


def _sternbild_turned_up(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    return say.gettext("The shared constellation is now %(sternbild)s.", sternbild=_bild(item["sternbild"], say))


def _cards_chosen(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    name, chosen = names[item["seat"]], [card for card in (item["slot2"], item["slot3"]) if card]
    if not chosen:
        return say.addressed(is_own, "You chose the first two cards.", "%(name)s chose the first two cards.", name=name)
    return say.addressed(
        is_own, "You chose %(cards)s.", "%(name)s chose %(cards)s.", name=name, cards=_cards(chosen, say)
    )


def _choices_shown(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    chosen = zip(names, item["choices"], strict=True)
    shown = (say.gettext("%(name)s: %(cards)s", name=name, cards=_cards(cards, say)) for name, cards in chosen)
    return say.gettext("Everyone has chosen: %(choices)s.", choices=punctuated("; ".join(shown), say.locale))


def _turn_began(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    return say.addressed(
        is_own, "Turn %(turn)s: yours.", "Turn %(turn)s: %(name)s.", turn=item["turn"], name=names[item["seat"]]
    )


def _star_laid(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    laid = say.addressed(
        is_own,
        "You placed %(star)s on %(field)s",
        "%(name)s placed %(star)s on %(field)s",
        name=names[item["seat"]],
        star=_star(item, say),
        field=item["field"],
    )
    return laid + _gained(item["points"], say)


def _star_removed(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    swallowed = say.addressed(
        is_own,
        "You removed %(star)s from %(field)s",
        "%(name)s removed %(star)s from %(field)s",
        name=names[item["seat"]],
        star=_star(item, say),
        field=item["field"],
    )
    return swallowed + _gained(item["points"], say)


def _star_moved(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    path = " → ".join(item["path"])
    return say.addressed(
        is_own,
        "You moved %(star)s: %(path)s.",
        "%(name)s moved %(star)s: %(path)s.",
        name=names[item["seat"]],
        star=_star(item, say),
        path=path,
    )


def _supernova_laid(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    removed = ", ".join(f"{field} ({piece_name(star, say.locale)})" for field, star in item["removed"])
    points = [
        f"{name} {gained:+d}"
        for seat, (name, gained) in enumerate(zip(names, item["points"], strict=True))
        if gained or (seat == item.get("reader") and any(item["points"]))
    ]
    scored = punctuated(f"; {', '.join(points)}", say.locale) if points else ""
    where = {"name": names[item["seat"]], "field": item["field"]}
    if removed:
        swept = say.addressed(
            is_own,
            "You set off a Supernova on %(field)s, which swept away %(removed)s",
            "%(name)s set off a Supernova on %(field)s, which swept away %(removed)s",
            **where,
            removed=removed,
        )
    else:
        swept = say.addressed(
            is_own,
            "You set off a Supernova on %(field)s, which swept nothing away",
            "%(name)s set off a Supernova on %(field)s, which swept nothing away",
            **where,
        )
    return f"{swept}{scored}."


def _action_lapsed(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    return say.addressed(
        is_own,
        "You couldn't act on slot %(slot)s.",
        "%(name)s couldn't act on slot %(slot)s.",
        name=names[item["seat"]],
        slot=item["slot"],
    )


def _sternbild_completed(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    completed = say.addressed(
        is_own,
        "You completed the constellation %(sternbild)s on %(fields)s",
        "%(name)s completed the constellation %(sternbild)s on %(fields)s",
        name=names[item["seat"]],
        sternbild=_bild(item["sternbild"], say),
        fields=" ".join(item["fields"]),
    )
    return completed + _gained(item["points"], say)


def _supernova_granted(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    return say.addressed(
        is_own,
        "You took a Supernova card into your hand.",
        "%(name)s took a Supernova card into their hand.",
        name=names[item["seat"]],
    )


def _act_finished(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    return say.addressed(
        is_own, "You stopped after slots 1 and 2.", "%(name)s stopped after slots 1 and 2.", name=names[item["seat"]]
    )


def _cards_shifted(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    return say.addressed(
        is_own,
        "Your cards moved along by one slot.",
        "The cards of %(name)s moved along by one slot.",
        name=names[item["seat"]],
    )


def _cards_laid(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    laid = [
        say.gettext("%(card)s in slot %(slot)s", card=_card(card, say), slot=slot)
        for slot, card in ((2, item["slot2"]), (1, item["slot1"]))
        if card
    ]
    told = {"name": names[item["seat"]], "cards": say.listed(laid) if laid else say.gettext("no card")}
    if dropped := item["dropped"]:
        return say.addressed(
            is_own,
            "You dropped %(dropped)s and played %(cards)s.",
            "%(name)s dropped %(dropped)s and played %(cards)s.",
            **told,
            dropped=_card(dropped, say),
        )
    return say.addressed(is_own, "You played %(cards)s.", "%(name)s played %(cards)s.", **told)


def _discards_shuffled(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    return say.ngettext(
        "The discards were shuffled. The new deck has %(num)s card.",
        "The discards were shuffled. The new deck has %(num)s cards.",
        item["deck"],
    )


def _cards_drawn(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    return say.addressed(
        is_own,
        "You drew %(cards)s.",
        "%(name)s drew %(cards)s.",
        name=names[item["seat"]],
        cards=_cards(item["cards"], say),
    )


def _game_decided(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    secrets = [f"{name} {_bild(bild, say)}" for name, bild in zip(names, item["sternbilder"], strict=True) if bild]
    left = say.gettext("Not completed: %(secrets)s.", secrets=", ".join(secrets)) if secrets else ""
    return f"{_why(item['reason'], say)} {left}".rstrip()


def _why(reason: str, say: Language) -> str:
    match reason:
        case "goal":
            return say.gettext("The goal was reached.")
        case "all-sternbilder":
            return say.gettext("All constellations are completed.")
        case "all-prachtsterne":
            return say.gettext("All splendid stars have been placed.")
    return say.gettext("The last round is over.")


def _star(item: Json, say: Language) -> str:
    star = piece_name(item["star"], say.locale)
    return say.gettext(
        "a %(piece)s", piece=star if say.locale == "de" else star.lower()
    )  # German nouns are capitalised


def _card(copy: str, say: Language) -> str:
    return card_name(copy, say.locale)


def _cards(cards: Sequence[str | None], say: Language) -> str:
    """Return the names of the known cards, or the number of cards if none is known."""
    if known := [card for card in cards if card]:
        counts = Counter(_card(card, say) for card in known)
        return say.listed([f"{count} × {name}" if count > 1 else name for name, count in counts.items()])
    return say.ngettext("a card", "%(num)s cards", len(cards))


def _bild(bild: str, say: Language) -> str:
    return say.gettext("“%(name)s”", name=bild_name(bild, say.locale))


def _gained(points: int, say: Language) -> str:
    """Return the end of a sentence: the points gained, if there are any, and a full stop."""
    return say.ngettext(" and gained %(num)s point.", " and gained %(num)s points.", points) if points else "."


def introduction(say: Language) -> tuple[str, str]:
    return (
        say.gettext(
            "Build one night sky together, each with a plan of your own. Your cards place stars, move them and make "
            "them vanish."
        ),
        say.gettext(
            "All stars are shared: a star that you place today may be used by another player tomorrow. Score points "
            "with bright stars and well-placed black holes, and in some scenarios with complete constellations."
        ),
    )


def first_turn(view: Json, say: Language) -> str:
    goal = CARDS.scenarios[view["scenario"]]
    if goal.goal_points is None:
        wins = say.gettext("You win if you're the first to complete your constellation.")
    elif goal.goal_bilder:
        wins = say.gettext(
            "You win if you're the first to have %(points)s points and a completed constellation.",
            points=goal.goal_points,
        )
    else:
        wins = say.gettext("You win if you're the first to have %(points)s points.", points=goal.goal_points)
    if view["phase"] != "choose":
        return wins
    chooses = say.gettext("Now choose two of your cards: one for slot 2, one for slot 3.")
    return "\n".join((f"{wins} {chooses} {_turn(say)}", *_kinds_in_hand(view, say), _numbers(say)))


def _turn(say: Language) -> str:
    return say.gettext(
        "When everyone has chosen, all cards are revealed. On your turns, you use two of your three slots in any order, or "
        "all three in the order 1, 2, 3. Then your cards move along by one slot, and you play new ones from your hand."
    )


def rest_of_turn(sky: State, seat: Seat, say: Language) -> str:
    """Return which slots are next, or how to play cards after the shift."""
    if sky.phase != LAY:
        slots = say.either(list(map(str, open_slots(sky))))
        if may_finish(sky):
            finish = write_spoken(Move((Finish(),)), say.locale)
            return say.gettext('Use slot %(slots)s as well, or write "%(finish)s".', slots=slots, finish=finish)
        return say.gettext("Now use slot %(slots)s.", slots=slots)
    slot1, slot2, _ = sky.slots[seat]
    return " ".join(
        (
            say.gettext("Your cards have moved along by one slot."),
            say.gettext("Slot 2 is empty: name a card from your hand for it.")
            if slot2 is None
            else say.gettext('Slot 2 is filled: write "-" for it.'),
            say.gettext('Slot 1 has your Supernova card: write "-" to keep it.')
            if slot1
            else say.gettext("Then name a card for slot 1.")
            if must_cover(sky, seat)
            else say.gettext('Then name a card for slot 1, or write "-" to leave it free.'),
        )
    )


def _kinds_in_hand(view: Json, say: Language) -> Iterator[str]:
    """Yield what each kind of card in the hand does."""
    bright, splendid = (need[1] for need in CARDS.birth_needs.values() if need)
    for card in {KIND_OF[copy].id: copy for copy in reversed(view["hand"])}.values():
        name, kind = card_name(card, say.locale), KIND_OF[card]
        if kind.type == GEBURT:
            yield say.gettext(
                "%(card)s: places a star on a free space next to another star. A bright star needs %(bright)s dot stars "
                "next to it, a splendid star %(splendid)s bright ones.",
                card=name,
                bright=bright,
                splendid=splendid,
            )
        elif kind.type == WANDERUNG:
            yield say.gettext(
                "%(card)s: moves a dot star or a bright star along exactly %(steps)s lines, across free spaces only.",
                card=name,
                steps=" / ".join(map(str, kind.steps)),
            )
        elif kind.type == LOCH and CARDS.scenarios[view["scenario"]].card_points:
            yield say.gettext(
                "%(card)s: removes a dot star or a bright star. You score the best of its patterns that fits.",
                card=name,
            )
        elif kind.type == LOCH:
            yield say.gettext("%(card)s: removes a dot star or a bright star.", card=name)


def usual_turns(players: int) -> int:
    """Return a typical number of turns. In all scenarios, bots needed about this many, with any number of players."""
    return 12


def usual_minutes(players: int) -> int:
    """Return an estimate: four minutes a turn, for reading the email and choosing two or three actions and a card."""
    return 4 * usual_turns(players)


def figure_in_words(figure: str, say: Language) -> list[str]:
    return [punctuated(it, say.locale) for it in patterns(say.locale)] if figure == "hole" else []


def _numbers(say: Language) -> str:
    return say.gettext("The number after # tells apart cards of the same kind.")


def legend(say: Language) -> str:
    return " ".join([_numbers(say), *(f"{it}." for it in patterns(say.locale))])


def notation(say: Language) -> str:
    lines = {name: write_spoken(read_move(line), say.locale) for name, line in NOTATION_LINES.items()}
    return say.gettext(NOTATION, **lines)


SENTENCES: Mapping[str, Sentence] = {
    "hand-dealt": _hand_dealt,
    "sternbild-drawn": _sternbild_drawn,
    "sternbild-turned-up": _sternbild_turned_up,
    "cards-chosen": _cards_chosen,
    "choices-shown": _choices_shown,
    "turn-began": _turn_began,
    "star-laid": _star_laid,
    "star-removed": _star_removed,
    "star-moved": _star_moved,
    "supernova-laid": _supernova_laid,
    "action-lapsed": _action_lapsed,
    "sternbild-completed": _sternbild_completed,
    "supernova-granted": _supernova_granted,
    "act-finished": _act_finished,
    "cards-shifted": _cards_shifted,
    "cards-laid": _cards_laid,
    "discards-shuffled": _discards_shuffled,
    "cards-drawn": _cards_drawn,
    "game-decided": _game_decided,
}
