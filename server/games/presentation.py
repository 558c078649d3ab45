"""The presentation of games: pictures, tables, sentences and refusals, with defaults where a game has none."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache
from itertools import chain, product
from math import floor
from typing import Any

from server.games.contract import (
    Draw,
    FigureInWords,
    Json,
    Reason,
    Rules,
    Seat,
    Sentence,
    TellMove,
    Terms,
    WithNews,
    WithResult,
    WriteDecision,
    WriteFirstTurn,
    WriteLegend,
    WriteReasons,
    WriteRestOfTurn,
)
from server.games.errors import BadOption, IllegalMove, MalformedMove, RuleError
from server.games.registry import GAMES
from server.games.standing import standing
from server.render.picture_parts import DARK, LIGHT, MARGIN, Colours, Line, Picture, Theme, sheet
from server.render.text_layout import page
from server.translations import Language, language, noted

# Pictures


def draw(rules_name: str, view: Json, names: Sequence[str], dark: bool = True, locale: str = "en") -> Picture:
    """Return the picture of a table. `names` has the name of each seat. Equal views give equal pictures. A picture
    shows only what the view contains. Each space that a move can name is a group with an id, so that a front end can
    make it clickable. Names are escaped. There are no scripts or external references."""
    drawn: Draw = getattr(GAMES[rules_name], "draw", _draw_text)
    return drawn(view, names, DARK if dark else LIGHT, locale)


def with_news(rules_name: str, view: Json, before: Json) -> Json:
    """Return a view in which `draw` marks what has come since an earlier view, if the game can do this."""
    marked: WithNews | None = getattr(GAMES[rules_name], "with_news", None)
    return marked(view, before) if marked else view


def with_result(rules_name: str, view: Json, final: Json) -> Json:
    """Return an earlier view of a finished game with the standings of the final one, or the final one if the game
    can't do this."""
    joined: WithResult | None = getattr(GAMES[rules_name], "with_result", None)
    return joined(view, final) if joined else final


def draw_thumbnail(rules_name: str, view: Json, names: Sequence[str], dark: bool, locale: str) -> Picture:
    """Return a picture of a table that is legible at a tenth of its size, or the whole picture if the game has none."""
    drawn: Draw | None = getattr(GAMES[rules_name], "thumbnail", None)
    return drawn(view, names, DARK if dark else LIGHT, locale) if drawn else draw(rules_name, view, names, dark, locale)


def draw_end(rules_name: str, view: Json, story: Sequence[Json], names: Sequence[str], locale: str) -> Picture:
    """Return the picture of a finished game. `story` contains all events that this viewer saw."""
    final = getattr(GAMES[rules_name], "final_view", None)
    return draw(rules_name, final(view, standing(story)) if final else view, names, locale=locale)


_LINE_HEIGHT, _SIZE = 26, 18


def _draw_text(view: Json, names: Sequence[str], theme: Theme, locale: str) -> Picture:
    lines = _write_view(view, names, locale).splitlines()
    parts = [
        Line(MARGIN, MARGIN + _LINE_HEIGHT * (row + 1), line, theme.ink, _SIZE, theme.sky)
        for row, line in enumerate(lines)
    ]
    return sheet(2 * MARGIN + _LINE_HEIGHT * (len(lines) + 1), ", ".join(names), Colours(theme), parts)


# Tables as text


def table(rules_name: str, view: Json, names: Sequence[str], locale: str = "en") -> str:
    """Return a view as plain text, one fact per line, at most 72 columns wide. `names` has the name of each seat."""
    write = getattr(GAMES[rules_name], "table", _write_view)
    text: str = write(view, names, locale)
    return text


def final_table(rules_name: str, view: Json, story: Sequence[Json], names: Sequence[str], locale: str) -> str:
    """Return the table of a finished game as text. `story` contains all events that this viewer saw."""
    final = getattr(GAMES[rules_name], "final_table", None)
    return final(view, standing(story), names, language(locale)) if final else table(rules_name, view, names, locale)


def own_result(rules_name: str, view: Json, story: Sequence[Json], seat: Seat, locale: str) -> str:
    """Return where the score of a seat in a finished game comes from, a sentence, or "" if the game can't tell."""
    write = getattr(GAMES[rules_name], "own_result", None)
    return write(view, standing(story), seat, language(locale)) if write else ""


def decision(
    rules_name: str, view: Json, story: Sequence[Json], names: Sequence[str], reader: Seat | None, locale: str
) -> str:
    """Return what decided a finished game, in a sentence or two, or "" if the game can't tell. The seat `reader` is told
    as "you"."""
    write: WriteDecision | None = getattr(GAMES[rules_name], "decision", None)
    return write(view, standing(story), names, reader, language(locale)) if write else ""


def _write_view(view: Json, names: Sequence[str], locale: str) -> str:
    return page([(f"{key}: {_written(value)}" for key, value in view.items())], locale)


def _written(value: Any) -> str:
    match value:
        case None:
            return "-"
        case dict():
            return "; ".join(f"{key} {_written(it)}" for key, it in value.items())
        case list():
            return ", ".join(map(_written, value))
    return str(value)


# Sentences


def score_unit(rules_name: str) -> str | None:
    """Return what the scores of a running game count, which is also their field in a view: `coins` or `points`. Return
    None if a game has no scores until its end."""
    return getattr(GAMES[rules_name], "SCORE", None)


def counted(say: Language, score: int, unit: str | None) -> str:
    """Return a score with its unit (see `score_unit`), such as "31 points"."""
    if unit == "coins":
        return say.ngettext("%(num)s coin", "%(num)s coins", score)
    return say.ngettext("%(num)s point", "%(num)s points", score)


def whole_points(points: float) -> int:
    """Round points as the page does: halves up."""
    return floor(points + 0.5)


def sentence(
    item: Json, names: Sequence[str], locale: str = "en", reader: Seat | None = None, rules_name: str = ""
) -> str | None:
    """Return a sentence about an event of a story, or None if the event isn't worth a sentence. `names` has the name of
    each seat. The seat `reader` is told as "you", except in moves that a bot or a stand-in made for it. With the name of
    the game, the sentence about its end says what the score counts."""
    if item["type"] == "game-ended" and rules_name in GAMES:
        return _game_ended(item, names, language(locale), score_unit(rules_name))
    tell = sentences().get(item["type"])
    is_own = reader is not None and item.get("seat") == reader and item.get("by") not in ("bot", "stand-in")
    if reader is not None:
        item = {**item, "reader": reader}
        if item.get("seat") is None:  # about all seats
            you = language(locale).gettext("You")
            names = [you if seat == reader else name for seat, name in enumerate(names)]
    return tell and tell(item, names, language(locale), is_own)


@cache
def sentences() -> Mapping[str, Sentence]:
    """Return the function that writes a sentence about each type of event, for all games."""
    return dict(chain(*map(_sentences_of, GAMES.values()), COMMON_SENTENCES.items()))


def _sentences_of(game: Any) -> Iterator[tuple[str, Sentence]]:
    own: Mapping[str, Sentence] = getattr(game, "SENTENCES", {})
    return ((type_, own.get(type_, _name_event)) for type_ in game.EVENT_SCHEMAS)


def _name_event(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    what = item["type"].replace("-", " ")
    facts = {
        key: value
        for key, value in item.items()
        if key not in ("type", "seat", "seq", "version", "recorded_at", "reader")
    }
    who = "" if item["seat"] is None else f"{names[item['seat']]}: "
    return f"{who}{what} ({_written(facts)})." if facts else f"{who}{what}."


def legend(rules_name: str, locale: str) -> str:
    """Return what letters and numbers in the names of pieces mean, or "" if the game doesn't say."""
    write: WriteLegend | None = getattr(GAMES[rules_name], "legend", None)
    return write(language(locale)) if write else ""


def figure_in_words(rules_name: str, figure: str, locale: str) -> list[str]:
    """Return the lines that replace a picture of the rules in emails, if the rules need them."""
    write: FigureInWords | None = getattr(GAMES[rules_name], "figure_in_words", None)
    return write(figure, language(locale)) if write else []


def fullest(rules: Rules, views: Sequence[Json]) -> int:
    """Return the index of the last view of those whose pictures show most. Without `fullness`, that is the last view."""
    fullness = getattr(rules, "fullness", lambda view: 0)
    return max(range(len(views)), key=lambda at: (fullness(views[at]), at))


def bot_name(bot: str) -> str:
    """Return a bot's name as players read it: `Greedy`, `Level 3`."""
    return bot.replace("-", " ").capitalize()


def _time_ran_out(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    name, bot = names[item["seat"]], item["bot"]
    if bot:
        return say.addressed(
            is_own,
            "You ran out of time. The bot %(bot)s moved instead.",
            "%(name)s ran out of time. The bot %(bot)s moved instead.",
            name=name,
            bot=bot_name(bot),
        )
    return say.addressed(is_own, "You ran out of time.", "%(name)s ran out of time.", name=name)


def _handed_over(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    name, bot = names[item["seat"]], bot_name(item["bot"])
    if item.get("why") == "resigned":
        return say.addressed(
            is_own,
            "You resigned. The bot %(bot)s took over.",
            "%(name)s resigned. The bot %(bot)s took over.",
            name=name,
            bot=bot,
        )
    return say.addressed(
        is_own,
        "The bot %(bot)s is now playing for you.",
        "The bot %(bot)s is now playing for %(name)s.",
        name=name,
        bot=bot,
    )


def _stand_in_began(item: Json, names: Sequence[str], say: Language, is_own: bool) -> str:
    name = names[item["seat"]]
    if "by" in item:
        return say.gettext("You're now playing for %(name)s.", name=name)
    return say.addressed(
        is_own, "A stand-in is now playing for you.", "A stand-in is now playing for %(name)s.", name=name
    )


def _game_ended(item: Json, names: Sequence[str], say: Language, unit: str | None) -> str:
    winners = [name for name, place in zip(names, item["places"], strict=True) if place == 1]
    score = max(item["scores"])
    if unit is None:
        return say.ngettext(
            "The game is over: %(names)s won with a score of %(score)s.",
            "The game is over: %(names)s won together with a score of %(score)s.",
            len(winners),
            names=say.listed(winners),
            score=score,
        )
    one, many = ("%(num)s coin", "%(num)s coins") if unit == "coins" else ("%(num)s point", "%(num)s points")
    return say.ngettext(
        "The game is over: %(names)s won with %(score)s.",
        "The game is over: %(names)s won together with %(score)s.",
        len(winners),
        names=say.listed(winners),
        score=say.ngettext(one, many, score),
    )


def _of_seat(you: str, other: str) -> Sentence:
    """Return the function that writes one of two sentences, for the reader or about another seat."""
    return lambda item, names, say, is_own: say.addressed(is_own, you, other, name=names[item["seat"]])


COMMON_SENTENCES: Mapping[str, Sentence] = {
    "game-started": lambda item, names, say, is_own: say.gettext("The game started."),
    "time-extended": _of_seat(noted("You got extra time."), noted("%(name)s got extra time.")),
    "time-ran-out": _time_ran_out,
    "seat-handed-over": _handed_over,
    "stand-in-began": _stand_in_began,
    "stand-in-ended": _of_seat(
        noted("The stand-in is no longer playing for you."), noted("The stand-in is no longer playing for %(name)s.")
    ),
    "seat-taken-over": _of_seat(
        noted("You took over the seat from the bot."), noted("%(name)s took over the seat from the bot.")
    ),
    "seat-taken-back": _of_seat(noted("You're back."), noted("%(name)s is back.")),
    "move-taken-back": _of_seat(noted("You took a move back."), noted("%(name)s took a move back.")),
    "game-paused": lambda item, names, say, is_own: say.gettext("The game was paused."),
    "game-resumed": lambda item, names, say, is_own: say.gettext("The game was resumed."),
    "game-ended": lambda item, names, say, is_own: _game_ended(item, names, say, None),
    "game-abandoned": lambda item, names, say, is_own: say.gettext("The game was abandoned."),
}


# Moves

_COMPARED = 8  # reasons of each move
_TWO_LINES = 90  # characters on a phone


def read_move(rules: Rules, text: str, locale: str) -> Any:
    """Parse a move in the game's notation, or in the reader's language. Raise MalformedMove for any other string."""
    try:
        return rules.read_move(text)
    except MalformedMove:
        read = getattr(rules, "read_spoken", None)
        if read is None:
            raise
        with suppress(MalformedMove):
            return read(text, locale)
        raise


def meant_moves(rules: Rules, text: str, locale: str, legal: Sequence[Any]) -> list[Any]:
    """Return the moves that a text without notation fits, empty if the game knows no such texts."""
    find = getattr(rules, "meant_moves", None)
    found: list[Any] = find(text, locale, legal) if find and legal else []
    return found


def named_moves(rules: Rules, text: str, locale: str, legal: Sequence[Any]) -> list[Any]:
    """Return the moves that a text names, even an illegal one. By default, those of `meant_moves`."""
    find = getattr(rules, "named_moves", None)
    found: list[Any] = find(text, locale, legal) if find and legal else meant_moves(rules, text, locale, legal)
    return found


def later_moves(rules: Rules, state: Any, seat: int) -> list[Any]:
    """Return the steps that a seat may name beside the legal ones, since they can follow in the same turn."""
    find = getattr(rules, "later_moves", None)
    found: list[Any] = find(state, seat) if find else []
    return found


def fitting_moves(rules: Rules, text: str, locale: str, legal: Sequence[Any]) -> list[Any]:
    """Return the legal moves of which a text names only a part, empty if the game can't tell."""
    find = getattr(rules, "fitting_moves", None)
    found: list[Any] = find(text, locale, legal) if find else []
    return found


def strange_word(rules: Rules, text: str, locale: str) -> str:
    """Return the word because of which a text that seems to name a move can't be read, or ""."""
    find = getattr(rules, "strange_word", None)
    word: str = find(text, locale) if find else ""
    return word


def fault(rules: Rules, text: str, view: Json, locale: str) -> str:
    """Return what is wrong with a text that seems to name a move, a sentence, or "" if the game can't tell. `view` is
    that of the seat."""
    find = getattr(rules, "fault", None)
    told: str = find(text, view, locale) if find else ""
    return told


def known_words(rules: Rules, locale: str) -> Collection[str]:
    """Return the words that may occur in a text that names a move, empty if the game knows no such texts."""
    words = getattr(rules, "known_words", None)
    return words(locale) if words else ()


def example(rules: Rules, view: Json) -> Any:
    """Return a move with what is in play in a seat's view, for a seat that isn't on turn. Return None if there is none."""
    find = getattr(rules, "example", None)
    return find(view) if find else None


def write_move(rules: Rules, move: Any, locale: str) -> str:
    """Return a move as emails show it: in the reader's language, or in notation if the game has no words for its
    moves."""
    write = getattr(rules, "write_spoken", None)
    return write(move, locale) if write else rules.write_move(move)


def move_in_words(rules: Rules, move: Any, locale: str) -> str:
    """Return a move as a reader would say it, without a full stop, or as `write_move` if the game has no such words."""
    tell: TellMove | None = getattr(rules, "tell_move", None)
    return tell(move, language(locale)) if tell else write_move(rules, move, locale)


def without_needless(rules: Rules, state: Any, seat: int, move: Any) -> Any:
    """Return a move without steps that do nothing, which players may write."""
    leave_out = getattr(rules, "without_needless", None)
    return leave_out(state, seat, move) if leave_out else move


def whole_turn(rules: Rules, state: Any, seat: int, locale: str) -> str:
    """Return the steps of a possible turn, as `write_move`, up to one that may reveal something."""
    begun: list[Any] = []
    while steps := rules.legal_moves(state, seat, begun):
        begun.append(steps[len(steps) // 2])
    return "; ".join(write_move(rules, it, locale) for it in begun)


def reasons(
    rules: Rules,
    view: Json,
    move: Any,
    locale: str,
    names: Sequence[str],
    is_past: bool = False,
    then: Sequence[Any] = (),
) -> Sequence[Reason]:
    """Return what a move achieves besides points, the most important first, together with the moves in `then`, which
    follow in the same turn. `view` is that of the seat on turn. With `is_past`, another move was played, and the sentences
    say what this one would have achieved."""
    write: WriteReasons | None = getattr(rules, "reasons", None)
    return write(view, move, language(locale), names, is_past, then) if write else ()


def telling(reasons: Sequence[Sequence[Reason]]) -> Sequence[str]:
    """Return for each move why to play it rather than the others: one reason, or two short ones, or "". A reason
    that comes first is always given. Of the others, no two moves get the same, and none gets one that all of several
    moves share. The first gets its most important one, and the others get reasons of different kinds if they can."""
    shared = set[Reason]().union(*reasons).intersection(*reasons) if len(reasons) > 1 else set[Reason]()
    own = [[it for it in dict.fromkeys(given) if it not in shared][:_COMPARED] for given in reasons]

    def faults(chosen: Sequence[Reason | None]) -> tuple[int, ...]:
        found = [it for it in chosen if it]
        places = [given.index(it) if it in given else 0 for it, given in zip(chosen, own, strict=True)]
        kinds = {it.kind for it in found}
        same = len(found) - len({it.text for it in found})
        return same, -len(found), places[0], len(found) - len(kinds), sum(places)

    def choices(given: Sequence[Reason], own: Sequence[Reason]) -> Sequence[Reason | None]:
        first = [it for it in given if it.comes_first][:1]
        return first or [*(it for it in own if not it.is_aside), None]

    chosen = min(product(*map(choices, reasons, own)), key=faults)
    told = {it.text for it in chosen if it}
    found = list[str]()
    for first, given in zip(chosen, own, strict=True):
        fits = [it for it in given if first and it.text not in told and len(first.text) + len(it.text) < _TWO_LINES]
        more = next((it for it in fits if first and it.kind != first.kind), None)
        told |= {more.text} if more else set()
        found.append(" ".join(it.text for it in (first, more) if it))
    return found


def in_words(rules: Rules, line: str, locale: str) -> str:
    """Return a line of the game's notation as emails show it. Any other line stays unchanged."""
    try:
        return write_move(rules, rules.read_move(line), locale)
    except MalformedMove:
        return line


def spoken_words(rules: Rules, locale: str) -> Collection[str]:
    """Return the words in `write_move` by which a misspelt move is recognised."""
    words = getattr(rules, "spoken_words", None)
    return words(locale) if words else ()


# Refusals


def notation(rules_name: str, locale: str) -> str:
    """Return how to write a move of this game, in a few sentences."""
    game = GAMES[rules_name]
    write = getattr(game, "notation", None)
    text: str = write(language(locale)) if write else game.describe()["notation"]["text"]
    return text


def introduction(rules_name: str, locale: str) -> tuple[str, str]:
    """Return a pair: two sentences that say what players do in this game, and the rest of the introduction. Both are ""
    if the game has no introduction."""
    write = getattr(GAMES[rules_name], "introduction", None)
    words: tuple[str, str] = write(language(locale)) if write else ("", "")
    return words


def first_turn(rules_name: str, view: Json, locale: str) -> str:
    """Return how the player with this view wins, and what to do in the first turn. Further lines say what the player's
    pieces do. By default, return what players do in this game."""
    write: WriteFirstTurn | None = getattr(GAMES[rules_name], "first_turn", None)
    return write(view, language(locale)) if write else introduction(rules_name, locale)[0]


def rest_of_turn(rules: Rules, state: Any, seat: Seat, locale: str) -> str:
    """Return what a seat within its turn does next, or "" if the game doesn't say."""
    write: WriteRestOfTurn | None = getattr(rules, "rest_of_turn", None)
    return write(state, seat, language(locale)) if write else ""


def rule_values(rules_name: str, locale: str) -> Mapping[str, str]:
    """Return the figures in the text of the rules by name, and the names of editions by `edition.` and id."""
    compute = getattr(GAMES[rules_name], "rule_values", None)
    values: Mapping[str, str] = compute(language(locale)) if compute else {}
    return values


def terms(rules_name: str) -> Terms:
    """Return the names of pieces, cards and places by id of the section of the rules that explains them."""
    found: Terms = getattr(GAMES[rules_name], "TERMS", {})
    return found


def edition_options(rules_name: str) -> dict[str, Json]:
    """Return by id the option that chooses each edition: `{"scenario-1": {"scenario": 1}}`. The result is empty if the
    game has no editions."""
    game = GAMES[rules_name]
    preset = getattr(game, "PRESET", None)
    if preset is None:
        return {}
    return {it: {preset: values.get(preset, it)} for it, values in game.describe()["editions"].items()}


def edition_of(rules_name: str, options: Json) -> str:
    """Return the id of the edition that these options choose, or "" if there is none."""
    found = (it for it, chosen in edition_options(rules_name).items() if chosen.items() <= options.items())
    return next(found, "")


def usual_turns(rules_name: str, players: int) -> int | None:
    """Return about how many turns each player takes in a game, or None if the game doesn't say."""
    count = getattr(GAMES[rules_name], "usual_turns", None)
    return int(count(players)) if count else None


def usual_minutes(rules_name: str, players: int) -> int | None:
    """Return about how many minutes each player needs for all turns together, or None if the game doesn't say."""
    count = getattr(GAMES[rules_name], "usual_minutes", None)
    return int(count(players)) if count else None


def refused(error: RuleError, locale: str) -> str:
    """Return why the rules refused a move or an option."""
    return error.said(locale)


def refusal(rules_name: str, error: RuleError, locale: str) -> str:
    """Return why the rules refused a line that a player wrote. If it helps, explain the notation as well."""
    if error.code not in getattr(GAMES[rules_name], "NOTATION_HELPS", ()):
        return refused(error, locale)
    return f"{language(locale).gettext(refusals()[error.code])} {notation(rules_name, locale)}"


@cache
def refusals(kind: type[RuleError] | None = None) -> Mapping[str, str]:
    """Return the English sentence for each code of this kind of refusal, or of all kinds, for all games."""
    tables = [COMMON_REFUSALS, *(getattr(game, "REFUSALS", {}) for game in GAMES.values())]
    return {code: words for it in tables for of, own in it.items() if kind in (None, of) for code, words in own.items()}


PLANNED = frozenset(  # reasons why a legal move can't be planned
    {"game-over", "board-not-in-play", "unknown-space", "space-taken", "star-not-in-hand", "bad-cards", "reveals"}
)
COMMON_REFUSALS: Mapping[type[RuleError], Mapping[str, str]] = {
    IllegalMove: {"game-over": noted("The game is over."), "not-your-turn": noted("It's not your turn.")},
    MalformedMove: {
        "not-a-move": noted("This can't be read as a move."),
        "not-an-object": noted("A move must be a JSON object. See the move schema in GET /v1/rules/{name}."),
        "missing-field": noted("The move lacks a field. See the move schema in GET /v1/rules/{name}."),
        "unknown-field": noted("The move has an unknown field. See the move schema in GET /v1/rules/{name}."),
        "wrong-type": noted("A field of the move has the wrong type. See the move schema in GET /v1/rules/{name}."),
    },
    BadOption: {
        "bad-seats": noted("This game can't be played with this number of players."),
        "unknown-option": noted("The game has no such option. See the options schema in GET /v1/rules/{name}."),
        "bad-option": noted("An option can't have this value. See the options schema in GET /v1/rules/{name}."),
    },
}
