"""The table of Sternenhimmel as text."""

from collections.abc import Mapping, Sequence

from server.games.contract import Json
from server.games.sternenhimmel.material import BOARDS, named
from server.render.text_layout import page


def table(view: Json, names: Sequence[str], locale: str) -> str:
    """Return the boards in play, the coins and the reader's hand as text."""
    say = _WORDS[locale]
    seats = [
        f"{name}: {say['coins']} {coins}, {say['stars in hand']} {stars}"
        for name, coins, stars in zip(names, view["coins"], view["hand_sizes"], strict=True)
    ]
    facts = [f"{say['boards in the stack']}: {view['stack']}"]
    if view["hand"] is not None:
        facts.append(f"{say['your hand']}: {' '.join(view['hand']) or say['no star']}")
    facts.append(say["game over"] if view["next"] is None else f"{say['on turn']}: {names[view['next']]}")
    legend = [say["legend"]] if view["boards"] else []
    blocks = [*(_board(it, names, locale) for it in view["boards"]), seats, facts, legend]
    return page(blocks, locale)


def _board(shown: Json, names: Sequence[str], locale: str) -> list[str]:
    say = _WORDS[locale]
    board = BOARDS[shown["board"]]
    lines = [f"{named(board.id, locale)}: {say['prizes']} {board.first}, {board.second}"]
    for space, lying in shown["spaces"].items():
        size = board.spaces[space].size
        neighbours = ", ".join(board.neighbours[space]) or say["nothing"]
        lines.append(f"  {space} {say[size]}: {_star(lying, size, names, say)} - {say['next to']} {neighbours}")
    return lines


def _star(lying: Json | None, size: str, names: Sequence[str], say: Mapping[str, str]) -> str:
    if lying is None:
        return say["empty"]
    kind = [lying["star"]] if lying["star"] else []
    hidden = [say["face down"]] if size == "large" else []
    return f"{names[lying['seat']]}, {', '.join(kind + hidden)}"


_WORDS: Mapping[str, Mapping[str, str]] = {
    "de": {
        "prizes": "Preise",
        "large": "groß",
        "small": "klein",
        "empty": "leer",
        "face down": "verdeckt",
        "next to": "neben",
        "nothing": "nichts",
        "coins": "Münzen",
        "stars in hand": "Sterne auf der Hand",
        "boards in the stack": "Sternbilder im Stapel",
        "your hand": "Deine Hand",
        "no star": "kein Stern",
        "on turn": "Am Zug",
        "game over": "Die Partie ist zu Ende.",
        "legend": "B ist ein schwarzes Loch, D ein Doppelstern.",
    },
    "en": {
        "prizes": "prizes",
        "large": "large",
        "small": "small",
        "empty": "empty",
        "face down": "face down",
        "next to": "next to",
        "nothing": "nothing",
        "coins": "coins",
        "stars in hand": "stars in hand",
        "boards in the stack": "Constellations in the stack",
        "your hand": "Your hand",
        "no star": "no star",
        "on turn": "To move",
        "game over": "The game is over.",
        "legend": "B is a black hole, D a double star.",
    },
    "fr": {
        "prizes": "prix",
        "large": "grande",
        "small": "petite",
        "empty": "vide",
        "face down": "face cachée",
        "next to": "à côté de",
        "nothing": "rien",
        "coins": "pièces",
        "stars in hand": "étoiles en main",
        "boards in the stack": "Constellations dans la pile",
        "your hand": "Ta main",
        "no star": "aucune étoile",
        "on turn": "À jouer",
        "game over": "La partie est terminée.",
        "legend": "B est un trou noir, D une étoile double.",
    },
    "it": {
        "prizes": "premi",
        "large": "grande",
        "small": "piccola",
        "empty": "vuota",
        "face down": "coperta",
        "next to": "accanto a",
        "nothing": "niente",
        "coins": "monete",
        "stars in hand": "stelle in mano",
        "boards in the stack": "Costellazioni nella pila",
        "your hand": "La tua mano",
        "no star": "nessuna stella",
        "on turn": "Tocca a",
        "game over": "La partita è finita.",
        "legend": "B è un buco nero, D una stella doppia.",
    },
}
