"""The table of Sternenglanz, drawn from a view.

Every field is a group with the id `field-c4`, every slot one with the id `slot-0-1` (the seat, the slot), every card of
the viewer's hand one with the id `card-geburt-3`.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import hypot

from server.render.sternenglanz.cards import (
    BILD,
    CARD_HEIGHT,
    CARD_WIDTH,
    action_card,
    back,
    frame,
    permanent_action,
    sternbild,
)
from server.render.sternenglanz.names import bild_name, piece_name, scenario_name
from server.render.sternenglanz.pieces import piece, pieces_in
from server.render.svg_parts import MARGIN, PANEL, SEAT_COLOURS, WIDTH, Theme, placed, seat_mark, sheet, short, text
from server.rules import Json
from server.rules.sternenglanz.material import CARDS, FIELDS, FIRMAMENT, NOVA, SHARED_OPEN, SLOTS, Field

_HEAD = 70
_FULL = WIDTH - 2 * MARGIN
_SKY = 684  # the square in which the Firmament is drawn
_IS_ROUND = all(hypot(field.x - 0.5, field.y - 0.5) <= 0.46 for field in FIELDS.values())
_FREE = 20  # radius of a free field
_TABLEAU = 64  # where the slots begin below a panel's edge
_MINI = 46  # a completed Sternbild


def draw(view: Json, names: Sequence[str], theme: Theme, locale: str) -> str:
    """The Firmament, the supplies, the seats in two columns and the viewer's hand, which fills a gap if there is one."""
    parts = [*_head(view, names, theme, locale), *placed(MARGIN, _HEAD, _firmament(view, theme, locale))]
    top = _HEAD + _FULL + MARGIN
    parts += placed(MARGIN, top, _supplies(view, theme, locale))
    top += 60 + (BILD + MARGIN if _is_shared(view) else 0)
    has_hand, is_odd = view["hand"] is not None, len(names) % 2 == 1
    row = max(_panel_height(view), 240 if has_hand and is_odd else 0) + MARGIN
    second = WIDTH - MARGIN - PANEL
    for seat in range(len(names)):
        left = second if seat % 2 else MARGIN
        parts += placed(left, top + seat // 2 * row, _seat(view, seat, names, theme, locale))
    height = top + (len(names) + 1) // 2 * row
    if has_hand and is_odd:
        parts += placed(second, height - row, _hand(view, theme, locale, 3))
    elif has_hand:
        parts += placed(MARGIN, height, _hand(view, theme, locale, 6))
        height += 144 + MARGIN
    return sheet(height, _spoken(view, names, locale), theme, parts)


def _spoken(view: Json, names: Sequence[str], locale: str) -> str:
    points = ", ".join(f"{short(name)} {each}" for name, each in zip(names, view["points"], strict=True))
    return f"Sternenglanz: {scenario_name(view['scenario'], locale)}. {_WORDS[locale]['points']}: {points}"


def _is_shared(view: Json) -> bool:
    return CARDS.scenarios[view["scenario"]].sternbild == SHARED_OPEN


def _head(view: Json, names: Sequence[str], theme: Theme, locale: str) -> Iterator[str]:
    say, result = _WORDS[locale], view["result"]
    yield text(MARGIN + 4, 36, scenario_name(view["scenario"], locale), theme.ink, 23, bold=True)
    yield text(MARGIN + 4, 58, _goal(view["scenario"], locale), theme.faint, 16)
    if result is not None:
        winners = ", ".join(short(names[seat]) for seat in result["winners"])
        yield text(WIDTH - MARGIN - 4, 36, say["over"], theme.ink, 19, anchor="end", bold=True)
        yield text(WIDTH - MARGIN - 4, 58, f"{say['won']}: {winners}", theme.gold, 16, anchor="end", bold=True)
    elif view["turn"]:
        yield text(WIDTH - MARGIN - 4, 36, f"{say['turn']} {view['turn']}", theme.ink, 19, anchor="end")


def _goal(scenario: int, locale: str) -> str:
    say, goal = _WORDS[locale], CARDS.scenarios[scenario]
    points = [] if goal.goal_points is None else [f"{goal.goal_points} {say['points']}"]
    bilder = [f"{goal.goal_bilder} {say['sternbild']}"] if goal.goal_bilder else []
    return f"{say['goal']}: {' + '.join(points + bilder)}"


# The Firmament


def _firmament(view: Json, theme: Theme, locale: str) -> Iterator[str]:
    colour = theme.ink if view["next"] is None else SEAT_COLOURS[view["next"]]
    corner = _FULL / 2 if _IS_ROUND else 14
    yield f'<g id="firmament"><rect width="{_FULL}" height="{_FULL}" rx="{corner:g}" fill="{theme.card}"/>'
    yield f'<path d="{_ways(FIRMAMENT.lines)}" stroke="{theme.line}" stroke-width="1.6" fill="none"/>'
    passed = [ends for ends, line in FIRMAMENT.lines.items() if line in view["log"]["lines"]]
    if passed:
        yield f'<path d="{_ways(passed)}" stroke="{colour}" stroke-width="5" fill="none"/>'
    has_bonus = CARDS.scenarios[view["scenario"]].bonus_points
    for field in FIELDS.values():
        yield from _field(field, view, colour, field.bonus if has_bonus else 0, theme, locale)
    yield "</g>"


def _at(field: Field) -> tuple[float, float]:
    edge = (_FULL - _SKY) / 2
    return edge + field.x * _SKY, edge + field.y * _SKY


def _ways(lines: Iterator[tuple[str, str]] | Mapping[tuple[str, str], str] | list[tuple[str, str]]) -> str:
    ends = [(_at(FIELDS[one]), _at(FIELDS[other])) for one, other in lines if one < other]
    return "".join(f"M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" for (x1, y1), (x2, y2) in ends)


def _field(field: Field, view: Json, colour: str, bonus: int, theme: Theme, locale: str) -> Iterator[str]:
    """A field with what lies on it; what was done there in this turn is marked in the colour of the seat on turn."""
    (x, y), lying = _at(field), view["board"].get(field.id)
    what = [field.id, piece_name(lying, locale) if lying else _WORDS[locale]["free"]]
    yield f'<g id="field-{field.id}" data-field="{field.id}">'
    yield f"<title>{', '.join(what + ([f'+{bonus}'] if bonus else []))}</title>"
    if lying is None:
        line = f'stroke="{theme.gold}" stroke-width="3"' if bonus else f'stroke="{theme.line}" stroke-width="1.6"'
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{_FREE}" fill="{theme.sky}" {line}/>'
        yield text(x, y + 5.5, field.id, theme.faint, 16, anchor="middle")
    else:
        yield piece(lying, x, y, 1, theme, field.id)
    if bonus:
        yield text(x + 17, y - 16, f"+{bonus}", theme.gold, 17, bold=True)
    if any(field.id == where for where, _ in view["log"]["laid"]):
        yield f'<circle cx="{x:.1f}" cy="{y:.1f}" r="32" fill="none" stroke="{colour}" stroke-width="4"/>'
    for where, star in view["log"]["removed"]:
        if where == field.id:
            yield _crossed_out(star, x - 20, y + 20, colour, theme)
    yield "</g>"


def _crossed_out(star: str, x: float, y: float, colour: str, theme: Theme) -> str:
    cross = f"M{x - 10:.1f} {y - 10:.1f}L{x + 10:.1f} {y + 10:.1f}M{x + 10:.1f} {y - 10:.1f}L{x - 10:.1f} {y + 10:.1f}"
    return piece(star, x, y, 0.4, theme) + f'<path d="{cross}" stroke="{colour}" stroke-width="4"/>'


# The supplies


def _supplies(view: Json, theme: Theme, locale: str) -> Iterator[str]:
    say, bilder = _WORDS[locale], view["sternbilder"]
    yield '<g id="supplies">'
    for i, kind in enumerate(pieces_in(view)):
        x = 24 + 86 * i
        yield piece(kind, x, 24, 0.6, theme)
        yield text(x + 24, 31, str(view["supply"][kind]), theme.ink, 19)
    decks = [f"{say['deck']} {view['deck']}"]
    if CARDS.scenarios[view["scenario"]].supernova:
        decks.append(f"{say['reserve']} {view['reserve']}")
    if bilder["deck"]:
        decks.append(f"{say['sternbilder']} {bilder['deck']}")
    yield text(_FULL - 4, 31, " · ".join(decks), theme.faint, 16, anchor="end")
    if _is_shared(view) and bilder["open"] is not None:
        yield from placed(0, 56, _named_bild(bilder["open"], theme, locale))
    yield "</g>"


def _named_bild(bild: str, theme: Theme, locale: str) -> Iterator[str]:
    yield from sternbild(bild, theme, locale)
    yield text(BILD + 12, 30, bild_name(bild, locale), theme.ink, 18, bold=True)
    points = CARDS.sternbilder[bild].points
    yield text(BILD + 12, 54, f"{points} {_WORDS[locale]['points']}", theme.faint, 16)


# The seats


def _panel_height(view: Json) -> int:
    """Tall enough for everybody's Sternbilder, so that the panels stand in line."""
    bilder = view["sternbilder"]
    own = BILD + 12 if any(bilder["own"]) else 0
    done = _MINI + 12 if any(bilder["done"]) else 0
    return _TABLEAU + CARD_HEIGHT + 14 + own + done


def _seat(view: Json, seat: int, names: Sequence[str], theme: Theme, locale: str) -> Iterator[str]:
    say, height = _WORDS[locale], _panel_height(view)
    waited_for = _is_waited_for(view, seat)
    edge = f' stroke="{SEAT_COLOURS[seat]}" stroke-width="3"' if waited_for else ""
    yield f'<g id="seat-{seat}"><rect width="{PANEL}" height="{height}" rx="14" fill="{theme.card}"{edge}/>'
    yield seat_mark(seat, 22, 24, 11, theme)
    yield text(42, 30, short(names[seat]), theme.ink, 18, bold=waited_for)
    yield text(PANEL - 12, 32, str(view["points"][seat]), theme.ink, 25, anchor="end", bold=True)
    held = f"{say['hand']} {view['hand_sizes'][seat]} · {say['discard']} {view['discards'][seat]}"
    yield text(42, 51, held, theme.faint, 15)
    if waited_for:
        yield text(PANEL - 12, 52, say["next"], theme.ink, 15, anchor="end", bold=True)
    elif view["granted"][seat]:
        yield piece(NOVA, PANEL - 24, 47, 0.3, theme)
    for slot in SLOTS:
        x = 7 + (slot - 1) * (CARD_WIDTH + 7)
        yield from placed(x, _TABLEAU, _slot(view, seat, slot, theme, locale))
    top = _TABLEAU + CARD_HEIGHT + 12
    own = view["sternbilder"]["own"][seat]
    if own is not None:
        bild = own["sternbild"]
        yield from placed(8, top, back(BILD, BILD, theme) if bild is None else _named_bild(bild, theme, locale))
        top += BILD + 12
    for i, bild in enumerate(view["sternbilder"]["done"][seat]):
        yield from placed(8 + i * (_MINI + 8), top, sternbild(bild, theme, locale, _MINI))
    yield "</g>"


def _is_waited_for(view: Json, seat: int) -> bool:
    if view["phase"] == "choose":
        return not view["chosen"][seat]
    return bool(view["next"] == seat)


def _slot(view: Json, seat: int, slot: int, theme: Theme, locale: str) -> Iterator[str]:
    """A slot with its card; a tick says that it was performed in this turn."""
    card = view["slots"][seat][slot - 1]
    yield f'<g id="slot-{seat}-{slot}" data-slot="{slot}">'
    if card is not None:
        yield from action_card(card, theme, locale)
    elif slot == 1:
        yield from permanent_action(theme)
    elif view["chosen"][seat]:
        yield from back(CARD_WIDTH, CARD_HEIGHT, theme)
    else:
        yield frame(CARD_WIDTH, CARD_HEIGHT, theme, is_dashed=True)
    if seat == view["next"] and any(slot == done["slot"] for done in view["log"]["performed"]):
        yield f'<path d="M74 66L82 76L100 52" fill="none" stroke="{theme.gold}" stroke-width="6"/>'
    yield "</g>"


def _hand(view: Json, theme: Theme, locale: str, columns: int) -> Iterator[str]:
    yield '<g id="hand">' + text(4, 22, _WORDS[locale]["your hand"], theme.faint, 16)
    for i, card in enumerate(view["hand"]):
        left, top = i % columns * (CARD_WIDTH + 12), 34 + i // columns * (CARD_HEIGHT + 24)
        yield f'<g id="card-{card.replace("#", "-")}" data-card="{card}">'
        yield from placed(left, top, action_card(card, theme, locale))
        yield text(left + CARD_WIDTH / 2, top + CARD_HEIGHT + 15, card, theme.faint, 14, anchor="middle") + "</g>"
    yield "</g>"


_WORDS: Mapping[str, Mapping[str, str]] = {
    "de": {
        "points": "Punkte",
        "sternbild": "Sternbild",
        "goal": "Ziel",
        "turn": "Zug",
        "over": "Spielende",
        "won": "Gewonnen",
        "free": "frei",
        "deck": "Karten",
        "reserve": "Supernovae",
        "sternbilder": "Sternbilder",
        "hand": "Hand",
        "discard": "Ablage",
        "next": "am Zug",
        "your hand": "Deine Karten",
    },
    "en": {
        "points": "points",
        "sternbild": "Sternbild",
        "goal": "Goal",
        "turn": "Turn",
        "over": "Game over",
        "won": "Won",
        "free": "free",
        "deck": "Cards",
        "reserve": "Supernovae",
        "sternbilder": "Sternbilder",
        "hand": "hand",
        "discard": "discard",
        "next": "to move",
        "your hand": "Your cards",
    },
    "fr": {
        "points": "points",
        "sternbild": "constellation",
        "goal": "But",
        "turn": "Tour",
        "over": "Fin de partie",
        "won": "Gagné",
        "free": "libre",
        "deck": "Cartes",
        "reserve": "Supernovæ",
        "sternbilder": "Constellations",
        "hand": "main",
        "discard": "défausse",
        "next": "à jouer",
        "your hand": "Vos cartes",
    },
    "it": {
        "points": "punti",
        "sternbild": "costellazione",
        "goal": "Obiettivo",
        "turn": "Turno",
        "over": "Fine della partita",
        "won": "Vince",
        "free": "libero",
        "deck": "Carte",
        "reserve": "Supernove",
        "sternbilder": "Costellazioni",
        "hand": "mano",
        "discard": "scarti",
        "next": "di turno",
        "your hand": "Le tue carte",
    },
}
