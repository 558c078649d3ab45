"""The picture of a table of Sternenglanz, drawn from a view.

Groups have ids: `field-c4` for a field, `slot-0-1` for a slot (seat, slot), `card-geburt-3` for a card of the hand.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from math import hypot

from server.games.contract import Json
from server.games.sternenglanz.cards import (
    BILD,
    CARD,
    CARD_HEIGHT,
    CARD_WIDTH,
    action_card,
    back,
    frame,
    permanent_action,
    sternbild,
)
from server.games.sternenglanz.material import CARDS, FIELDS, FIRMAMENT, NOVA, SHARED_OPEN, SLOTS, Field
from server.games.sternenglanz.names import bild_name, piece_name, scenario_name, short_name
from server.games.sternenglanz.pieces import COLOURS, is_performed, label, lone_piece, piece, pieces_in
from server.render.picture_parts import (
    LEGIBLE,
    MARGIN,
    PANEL,
    SEAT_COLOURS,
    WIDTH,
    Box,
    Colours,
    Line,
    Part,
    Picture,
    Sprite,
    Theme,
    around,
    clearest,
    corners,
    fitted,
    news_mark,
    placed,
    seat_mark,
    sheet,
)
from server.render.text_layout import captioned, punctuated

_HEAD = 78
_FULL = WIDTH - 2 * MARGIN
_SKY = 664  # size of the Firmament's square; its outermost fields stay on the card
_IS_ROUND = all(hypot(field.x - 0.5, field.y - 0.5) <= 0.46 for field in FIELDS.values())
_FREE = 27  # radius of a free field
_PIECE = 1.2  # scale of a piece on the Firmament
_TABLEAU = 72  # distance of the slots from a panel's top
_NAME = 236  # width of a player's name, beside the points
_MINI = 46  # size of a completed Sternbild
_TALL = 780  # height of a thumbnail
_BESIDE = 0.08  # room beside the outermost piece of a thumbnail, as a part of the Firmament
_PARTS = (0.4, 0.6, 0.8, 1.0, 1.1)  # widths of a thumbnail, as parts of the Firmament


def draw(view: Json, names: Sequence[str], theme: Theme, locale: str) -> Picture:
    """Draw the Firmament, the supplies, the seats in two columns and the viewer's hand. The hand fills the gap left by
    an odd number of seats."""
    parts: list[Part] = [*_head(view, names, theme, locale), *placed(MARGIN, _HEAD, _firmament(view, theme, locale))]
    top = _HEAD + _FULL + MARGIN
    parts += placed(MARGIN, top, _supplies(view, theme, locale))
    top += 92 + (BILD + MARGIN if _is_shared(view) else 0)
    has_hand, is_odd = view["hand"] is not None, len(names) % 2 == 1
    row = _panel_height(view) + MARGIN
    second = WIDTH - MARGIN - PANEL
    for seat in range(len(names)):
        left = second if seat % 2 else MARGIN
        parts += placed(left, top + seat // 2 * row, _seat(view, seat, names, theme, locale))
    height = top + (len(names) + 1) // 2 * row
    if has_hand and is_odd:
        parts += placed(second, height - row, _hand(view, theme, locale, 3))
        height += max(0, 300 + MARGIN - row)
    elif has_hand:
        parts += placed(MARGIN, height, _hand(view, theme, locale, 6))
        height += 170 + MARGIN
    return sheet(height, _spoken(view, names, locale), Colours(theme, COLOURS), parts)


def thumbnail(view: Json, names: Sequence[str], theme: Theme, locale: str) -> Picture:
    """Draw the part of the Firmament where pieces lie, without labels."""
    near = [FIELDS[it] for it in view["board"]] or list(FIELDS.values())
    left, right = (pick(it.x for it in near) for pick in (min, max))
    top, bottom = (pick(it.y for it in near) for pick in (min, max))
    size = max(right - left, bottom - top)
    scale = round(WIDTH / next((it for it in _PARTS if it >= size + 2 * _BESIDE), _PARTS[-1]))

    def at(field: Field) -> tuple[int, int]:
        x, y = field.x - (left + right) / 2, field.y - (top + bottom) / 2
        return round(WIDTH / 2 + x * scale), round(_TALL / 2 + y * scale)

    ends = [(at(FIELDS[one]), at(FIELDS[other])) for one, other in FIRMAMENT.lines if one < other]
    ways = "".join(f"M{x1} {y1}L{x2} {y2}" for (x1, y1), (x2, y2) in ends)
    dots = "".join(f"M{x} {y}h0" for x, y in map(at, FIELDS.values()))
    style = f'stroke="{theme.line}" fill="none" stroke-linecap="round"'
    empty = f'<path d="{ways}" {style} stroke-width="4"/><path d="{dots}" {style} stroke-width="{scale // 55}"/>'
    parts: list[Part] = [Sprite(empty, Box(0, 0, WIDTH, _TALL), theme.sky)]
    for field, kind in view["board"].items():
        parts += placed(*at(FIELDS[field]), [lone_piece(kind, _PIECE * scale / _SKY, theme, theme.sky)])
    return sheet(_TALL, _spoken(view, names, locale), Colours(theme, COLOURS), parts)


def with_news(view: Json, before: Json) -> Json:
    """Return the view with the fields on which other pieces lie than in the earlier view."""
    return view | {"news": [field for field, kind in view["board"].items() if before["board"].get(field) != kind]}


def with_result(view: Json, final: Json) -> Json:
    """Return the final view with the stars of an earlier one."""
    return final | {"board": view["board"], "log": view["log"]}


def fullness(view: Json) -> int:
    """Return how much a picture shows: the number of stars on the Firmament."""
    return len(view["board"])


def _spoken(view: Json, names: Sequence[str], locale: str) -> str:
    points = ", ".join(f"{name} {each}" for name, each in zip(names, view["points"], strict=True))
    return punctuated(
        f"Sternenglanz: {scenario_name(view['scenario'], locale)}. {_WORDS[locale]['points']}: {points}", locale
    )


def _is_shared(view: Json) -> bool:
    return CARDS.scenarios[view["scenario"]].sternbild == SHARED_OPEN


def _head(view: Json, names: Sequence[str], theme: Theme, locale: str) -> Iterator[Line]:
    say, result, right = _WORDS[locale], view["result"], WIDTH - MARGIN - 4
    yield Line(MARGIN + 4, 36, scenario_name(view["scenario"], locale), theme.ink, 28, theme.sky, bold=True)
    yield Line(MARGIN + 4, 64, _goal(view["scenario"], locale), theme.faint, 21, theme.sky)
    if result is not None:
        winners = ", ".join(names[seat] for seat in result["winners"])
        won, size = fitted(captioned(f"{say['won']}: {winners}", locale), _FULL // 2, 21)
        yield Line(right, 36, say["over"], theme.ink, LEGIBLE, theme.sky, anchor="end", bold=True)
        yield Line(right, 64, won, theme.gold, size, theme.sky, anchor="end", bold=True, keeps_width=True)
    elif view["turn"]:
        yield Line(right, 36, f"{say['turn']} {view['turn']}", theme.ink, LEGIBLE, theme.sky, anchor="end")


def _goal(scenario: int, locale: str) -> str:
    say, goal = _WORDS[locale], CARDS.scenarios[scenario]
    points = [] if goal.goal_points is None else [f"{goal.goal_points} {say['points']}"]
    bilder = [f"{goal.goal_bilder} {say['sternbild']}"] if goal.goal_bilder else []
    return captioned(f"{say['goal']}: {' + '.join(points + bilder)}", locale)


# The Firmament


def _firmament(view: Json, theme: Theme, locale: str) -> Iterator[Part]:
    """Yield the Firmament. This turn's actions are marked in the active seat's colour."""
    colour = theme.ink if view["next"] is None else SEAT_COLOURS[view["next"]]
    has_bonus = CARDS.scenarios[view["scenario"]].bonus_points and view["result"] is None
    laid = {where for where, _ in view["log"]["laid"]}
    news = {*view.get("news", ())} - laid
    yield '<g id="firmament">'
    yield _empty(theme)
    for passed in view["log"]["lines"]:
        yield from _passed(passed, colour, theme)
    for field in FIELDS.values():
        removed = [star for where, star in view["log"]["removed"] if where == field.id]
        done = [*_done(field.id in laid, removed, colour, theme), *(news_mark(34, theme) if field.id in news else ())]
        lying, bonus = view["board"].get(field.id), field.bonus if has_bonus else 0
        what = f'id="field-{field.id}" data-field="{field.id}" '
        yield from placed(*_at(field), [*_field(field.id, lying, bonus, theme, locale), *done], what)
    if has_bonus:
        yield from _bonuses(theme)
    yield "</g>"


def _at(field: Field) -> tuple[int, int]:
    """Return the position of a field in whole pixels, so that all fields look alike and compress well."""
    edge = (_FULL - _SKY) / 2
    return round(edge + field.x * _SKY), round(edge + field.y * _SKY)


@cache
def _empty(theme: Theme) -> Sprite:
    corner = _FULL / 2 if _IS_ROUND else 14
    ends = [(_at(FIELDS[one]), _at(FIELDS[other])) for one, other in FIRMAMENT.lines if one < other]
    ways = "".join(f"M{x1} {y1}L{x2} {y2}" for (x1, y1), (x2, y2) in ends)
    card = f'<rect width="{_FULL}" height="{_FULL}" rx="{corner:g}" fill="{theme.card}"/>'
    drawn = f'<path d="{ways}" stroke="{theme.line}" stroke-width="1.6" fill="none"/>'
    return Sprite(card + drawn, Box(0, 0, _FULL, _FULL), theme.sky, covers=True)


def _passed(ends: str, colour: str, theme: Theme) -> Iterator[Part]:
    """Yield a line along which a star moved, such as `c1-d1`."""
    (x1, y1), (x2, y2) = (_at(FIELDS[end]) for end in ends.split("-"))
    return placed(x1, y1, [_way(x2 - x1, y2 - y1, colour, theme)])


@cache
def _way(x: int, y: int, colour: str, theme: Theme) -> Sprite:
    box = Box(min(x, 0) - 3, min(y, 0) - 3, max(x, 0) + 3, max(y, 0) + 3)
    return Sprite(f'<path d="M0 0L{x} {y}" stroke="{colour}" stroke-width="5"/>', box, theme.card)


@cache
def _field(field: str, lying: str | None, bonus: int, theme: Theme, locale: str) -> list[Part]:
    what = [field, piece_name(lying, locale) if lying else _WORDS[locale]["free"]] + ([f"+{bonus}"] if bonus else [])
    parts: list[Part] = [f"<title>{', '.join(what)}</title>"]
    if lying is None:
        edge = f'stroke="{theme.gold}" stroke-width="3"' if bonus else f'stroke="{theme.line}" stroke-width="1.6"'
        free = f'<circle r="{_FREE}" fill="{theme.sky}" {edge}/>'
        parts.append(Sprite(free, around(0, 0, _FREE + 2), theme.card))
        parts.append(Line(0, 8, field, theme.faint, LEGIBLE, theme.sky, anchor="middle"))
    else:
        parts += [lone_piece(lying, _PIECE, theme, theme.card, has_label=True), label(lying, field)]
    return parts


@cache
def _bonuses(theme: Theme) -> list[Line]:
    """Return the labels of the bonus fields, each beside its field and far from the others."""
    lines = []
    for field in FIELDS.values():
        if field.bonus:
            left, top = _at(field)
            others = [(x - left, y - top) for x, y in map(_at, FIELDS.values()) if (x, y) != (left, top)]
            inside = [
                (x, y)
                for x, y in corners(28)
                if max(abs(left + x - _FULL / 2), abs(top + y - _FULL / 2)) < _FULL / 2 - 16
            ]
            x, y = clearest(inside, others)
            lines.append(Line(left + x, top + y + 7, f"+{field.bonus}", theme.gold, 20, theme.card, "middle", True))
    return lines


def _done(is_laid: bool, removed: Sequence[str], colour: str, theme: Theme) -> Iterator[Part]:
    """Yield the marks on a field where stars were placed or removed this turn."""
    if is_laid:
        yield Sprite(f'<circle r="34" fill="none" stroke="{colour}" stroke-width="4"/>', around(0, 0, 37), theme.card)
    for star in removed:
        cross = f'<path d="M-10 -10L10 10M10 -10L-10 10" stroke="{colour}" stroke-width="4"/>'
        crossed_out = Sprite(piece(star, (0, 0), 0.4, theme) + cross, around(0, 0, 16), theme.card)
        yield from placed(-24, 24, [crossed_out])


# The supplies


def _supplies(view: Json, theme: Theme, locale: str) -> Iterator[Part]:
    say, bilder = _WORDS[locale], view["sternbilder"]
    yield '<g id="supplies">'
    for i, kind in enumerate(pieces_in(view)):
        x = 24 + 86 * i
        yield from placed(x, 24, [lone_piece(kind, 0.6, theme, theme.sky)])
        yield Line(x + 24, 33, str(view["supply"][kind]), theme.ink, LEGIBLE, theme.sky)
    decks = [f"{say['deck']} {view['deck']}"]
    if CARDS.scenarios[view["scenario"]].supernova:
        decks.append(f"{say['reserve']} {view['reserve']}")
    if bilder["deck"]:
        decks.append(f"{say['sternbilder']} {bilder['deck']}")
    yield Line(4, 70, " · ".join(decks), theme.faint, 21, theme.sky)
    if _is_shared(view) and bilder["open"] is not None:
        yield from placed(0, 88, _named_bild(bilder["open"], theme, locale, theme.sky))
    yield "</g>"


def _named_bild(bild: str, theme: Theme, locale: str, ground: str) -> Iterator[Part]:
    yield sternbild(bild, theme, locale)._replace(ground=ground)
    yield Line(BILD + 12, 30, bild_name(bild, locale), theme.ink, 18, ground, bold=True)
    points = CARDS.sternbilder[bild].points
    yield Line(BILD + 12, 54, f"{points} {_WORDS[locale]['points']}", theme.faint, 16, ground)


# The seats


def _panel_height(view: Json) -> int:
    """Return the height of all panels, which fits the seat with the most Sternbilder, so that the panels line up."""
    bilder = view["sternbilder"]
    own = BILD + 12 if any(bilder["own"]) else 0
    done = _MINI + 12 if any(bilder["done"]) else 0
    return _TABLEAU + CARD_HEIGHT + 14 + own + done


def _seat(view: Json, seat: int, names: Sequence[str], theme: Theme, locale: str) -> Iterator[Part]:
    say, card, right = _WORDS[locale], theme.card, PANEL - 12
    waited_for = _is_waited_for(view, seat)
    yield f'<g id="seat-{seat}">'
    yield _panel(_panel_height(view), SEAT_COLOURS[seat] if waited_for else None, theme)
    yield from placed(22, 25, [seat_mark(seat, 13, theme, card)])
    name, size = fitted(names[seat], _NAME, 23)
    yield Line(44, 32, name, theme.ink, size, card, bold=waited_for, keeps_width=True)
    yield Line(right, 34, str(view["points"][seat]), theme.ink, 30, card, anchor="end", bold=True)
    held = f"{say['hand']} {view['hand_sizes'][seat]} · {say['discard']} {view['discards'][seat]}"
    yield Line(44, 59, held, theme.faint, 19, card)
    if waited_for:
        yield Line(right, 60, say["next"], theme.ink, 19, card, anchor="end", bold=True)
    elif view["granted"][seat]:
        yield from placed(PANEL - 24, 53, [lone_piece(NOVA, 0.3, theme, card)])
    for slot in SLOTS:
        x = 7 + (slot - 1) * (CARD_WIDTH + 7)
        yield from placed(x, _TABLEAU, _slot(view, seat, slot, theme, locale))
    top = _TABLEAU + CARD_HEIGHT + 12
    own = view["sternbilder"]["own"][seat]
    if own is not None:
        bild = own["sternbild"]
        shown = back(BILD, BILD, theme) if bild is None else _named_bild(bild, theme, locale, card)
        yield from placed(8, top, shown)
        top += BILD + 12
    for i, bild in enumerate(view["sternbilder"]["done"][seat]):
        yield from placed(8 + i * (_MINI + 8), top, [sternbild(bild, theme, locale, _MINI)])
    yield "</g>"


@cache
def _panel(height: int, colour: str | None, theme: Theme) -> Sprite:
    edge = f' stroke="{colour}" stroke-width="3"' if colour else ""
    rect = f'<rect width="{PANEL}" height="{height}" rx="14" fill="{theme.card}"{edge}/>'
    return Sprite(rect, Box(-2, -2, PANEL + 2, height + 2), theme.sky, covers=True)


def _is_waited_for(view: Json, seat: int) -> bool:
    if view["phase"] == "choose":
        return not view["chosen"][seat]
    return bool(view["next"] == seat)


def _slot(view: Json, seat: int, slot: int, theme: Theme, locale: str) -> Iterator[Part]:
    """Yield a slot with its card, and a tick if it was performed this turn."""
    card = view["slots"][seat][slot - 1]
    yield f'<g id="slot-{seat}-{slot}" data-slot="{slot}">'
    if card is not None:
        yield from action_card(card, theme, locale, theme.card)
    elif slot == 1:
        yield from permanent_action(theme)
    elif view["chosen"][seat]:
        yield from back(CARD_WIDTH, CARD_HEIGHT, theme)
    else:
        yield Sprite(frame(CARD_WIDTH, CARD_HEIGHT, theme, is_dashed=True), CARD, theme.card)
    if is_performed(view, seat, slot):
        tick = f'<path d="M74 66L82 76L100 52" fill="none" stroke="{theme.gold}" stroke-width="6"/>'
        yield Sprite(tick, Box(70, 48, 104, 82), theme.sky)
    yield "</g>"


def _hand(view: Json, theme: Theme, locale: str, columns: int) -> Iterator[Part]:
    yield '<g id="hand">'
    yield Line(4, 22, _WORDS[locale]["your hand"], theme.faint, 21, theme.sky)
    for i, card in enumerate(view["hand"]):
        left, top = i % columns * (CARD_WIDTH + 12), 34 + i // columns * (CARD_HEIGHT + 52)
        yield f'<g id="card-{card.replace("#", "-")}" data-card="{card}">'
        yield from placed(left, top, action_card(card, theme, locale, theme.sky))
        for row, words in enumerate(short_name(card, locale)):
            under = top + CARD_HEIGHT + 20 + 20 * row
            yield Line(left + CARD_WIDTH // 2, under, words, theme.faint, 17, theme.sky, anchor="middle")
        yield "</g>"
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
        "sternbild": "constellation",
        "goal": "Goal",
        "turn": "Turn",
        "over": "Game over",
        "won": "Won",
        "free": "free",
        "deck": "Cards",
        "reserve": "Supernovae",
        "sternbilder": "Constellations",
        "hand": "hand",
        "discard": "discard",
        "next": "to move",
        "your hand": "Your cards",
    },
    "fr": {
        "points": "points",
        "sternbild": "constellation",
        "goal": "Objectif",
        "turn": "Tour",
        "over": "Fin de partie",
        "won": "Victoire",
        "free": "libre",
        "deck": "Cartes",
        "reserve": "Supernovae",
        "sternbilder": "Constellations",
        "hand": "main",
        "discard": "défausse",
        "next": "à jouer",
        "your hand": "Tes cartes",
    },
    "it": {
        "points": "punti",
        "sternbild": "costellazione",
        "goal": "Obiettivo",
        "turn": "Turno",
        "over": "Fine della partita",
        "won": "Vittoria",
        "free": "libero",
        "deck": "Carte",
        "reserve": "Supernovae",
        "sternbilder": "Costellazioni",
        "hand": "mano",
        "discard": "scarti",
        "next": "di turno",
        "your hand": "Le tue carte",
    },
}
