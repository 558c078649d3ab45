"""Hints: the moves that a search prefers, for a player whose opponents are all bots.

A web process computes a hint within the request. The worker, which also runs the sweep, has a hint computed by another
process. A hint is short, one at a time per process, and limited per player, so it needs no queue.
"""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from functools import reduce
from math import hypot, isfinite
from statistics import fmean
from threading import Lock
from typing import Any, Final, NamedTuple
from uuid import UUID

from server.accounts.rate_limits import Use, expect_within
from server.bots import advice
from server.bots.advice import suggested
from server.bots.search import Compared, Seen, can_compare, has_won
from server.errors import NoHints, TooMany
from server.games import Json, Rules, Seat
from server.games.contract import Effort, Reason
from server.games.presentation import counted, reasons, score_unit, telling, whole_points, write_move
from server.play.game import Game
from server.play.turns.thinking import shown_to
from server.play.views import load_visible, played_seat, turn_of
from server.store.tables import db
from server.translations import language, noted

PATIENCE: Final = 1.0  # seconds to wait for another hint; waiting requests occupy the threads that serve moves
RETRY: Final = 5  # seconds until a refused player may try again

_one_at_a_time = Lock()

Suggest = Callable[[Seen, Effort, float], Sequence[Compared]]


def count_hint(player_id: UUID) -> None:
    """Count a hint against the player's limit, in the current transaction. Raise TooMany."""
    expect_within(Use("hints", player_id))


def suggested_here(seen: Seen, effort: Effort, seconds: float) -> Sequence[Compared]:
    """Compare moves in this process, one hint at a time. Raise TooMany."""
    if not _one_at_a_time.acquire(timeout=PATIENCE):
        raise TooMany(noted("Too many hints are being computed. Try again in a few seconds."), RETRY)
    try:
        return suggested(seen, effort, seconds)
    finally:
        _one_at_a_time.release()


class Ways(NamedTuple):
    """How a process counts the hints of a player, and where it computes them."""

    counts: Callable[[UUID], object] = count_hint
    suggests: Suggest = suggested_here


_HERE = Ways()


def hint(game_id: UUID, player_id: UUID, locale: str, begun: Sequence[Any] = (), ways: Ways = _HERE) -> Json:
    """Return the best moves for the player's present turn after the steps in `begun`. Return none if it isn't their
    turn, or if no step can follow.

    It depends only on the seat's view and story. Raise NotFound, NotSeated, HandedOver, NoHints, TooMany,
    MalformedMove, IllegalMove.
    """
    game = load_visible(game_id, player_id)
    seat = played_seat(game, player_id)
    _expect_bots_only(game, seat)
    turn = turn_of(game.table, seat)
    if turn is None:
        return {"turn": None, "moves": []}
    rules, state = game.table.rules, game.table.state
    steps = [rules.move_from_json(it) for it in begun]
    moves = rules.legal_moves(state, seat, steps)
    if not moves:
        return {"turn": turn, "moves": []}
    ways.counts(player_id)
    db.session.commit()
    seen = Seen(rules, seat, rules.view(state, seat), shown_to(game, seat), moves)
    for nr in range(len(steps)):  # they reveal nothing, or no step could follow
        seen, state = _after(seen, state, game, steps[: nr + 1])
    compared = ways.suggests(seen, advice.effort(rules), advice.SECONDS)
    found = lines(seen, state, game, steps, compared, ways.suggests)
    whys = _whys(seen, found, compared, game.names, locale)
    return {
        "turn": turn,
        "moves": [
            {
                **_told(rules, move, locale),
                "why": language(locale).gettext("Wins the game.") if _wins(seen, line.end) else why,
                "behind": round(line.behind, 2),
                "margin": round(line.margin, 2) if isfinite(line.margin) else None,
                "scores": _scores(seen, _foreseen(seen, state, move, game)),
                "then": [_told(rules, it, locale) for _, it in then],
                "scores_with_then": _scores(seen, line.end),
                "wins": _wins(seen, line.end),
            }
            for line, why in zip(found, whys, strict=True)
            for (_, move), *then in [line.steps]
        ],
    }


class _Line(NamedTuple):
    """A plan for the rest of a turn: its steps, with what the seat sees before each, and the state that it foresees after
    them. It is `behind` the best by this many points. `scores` are those that the search expects later, or empty."""

    steps: Sequence[tuple[Seen, Any]]
    end: Any
    behind: float
    margin: float
    scores: Sequence[float]

    @property
    def key(self) -> frozenset[Any]:
        return frozenset(advice.effect(seen.rules, move) for seen, move in self.steps)

    def after(self, first: Compared, best: Compared) -> "_Line":
        """Return the line behind the best by what its first step is, too."""
        return self._replace(
            behind=self.behind + best.gain - first.gain,
            margin=hypot(self.margin, first.margin),
            scores=self.scores or first.scores,
        )


def lines(
    seen: Seen, state: Any, game: Game, begun: Sequence[Any], compared: Sequence[Compared], suggests: Suggest
) -> Sequence[_Line]:
    """Return plans for the rest of the turn that begin with these moves, best first, without those that are much worse. A
    plan that wins the game is the best, and the shorter the better."""
    found = dict[Any, _Line]()  # by their steps, since another order is no other plan
    for it in compared:
        if len(found) < advice.MOVES:
            line = _line(seen, state, game, [*begun, it.move], suggests)
            if line.key in found:
                line = _line(seen, state, game, [*begun, it.move], suggests, frozenset().union(*found))
            found.setdefault(line.key, line.after(it, compared[0]))
    won = {it.key for it in found.values() if _wins(seen, it.end)}
    told = [it._replace(behind=0.0, margin=0.0) if it.key in won else it for it in found.values()]

    def rank(it: _Line) -> tuple[bool, int, bool, float]:
        is_won = it.key in won
        return not is_won, len(it.steps) * is_won, advice.is_clear(it.behind, it.margin), it.behind

    return [it for it in sorted(told, key=rank) if not advice.is_much_worse(seen.rules, it.behind, it.margin)]


def _whys(
    seen: Seen, lines: Sequence[_Line], compared: Sequence[Compared], names: Sequence[str], locale: str
) -> Sequence[str]:
    """Return for each line what it achieves, and then how it compares with the others."""
    told = achievements([reasons_of(it.steps, locale, names) for it in lines])
    points = [_scores(seen, it.end) or 0 for it in lines]
    balances = _balances(seen, lines, points, locale)
    lead = _lead(seen, compared, locale) if len(lines) == 1 else ""
    costs = [
        lead,
        *(_cost(seen, it, lines[0], locale, is_told=bool(balances[nr])) for nr, it in enumerate(lines[1:], 1)),
    ]
    return [" ".join(filter(None, its)) for its in zip(told, balances, costs, strict=True)]


def achievements(given: Sequence[Sequence[Reason]]) -> Sequence[str]:
    """Return for each move what it achieves: what only it does, if possible, or else its most important reason."""
    firsts = (min(its, key=lambda it: it.is_aside).text if its else "" for its in given)
    return [told or first for told, first in zip(telling(given), firsts, strict=True)]


_WINNING: Final = 5  # points by which a move is behind beyond scores; from here on, by chances to win

_COSTS = noted("This move brings about %(points)s less than suggestion 1.")
_MAY_COST = noted("This move may bring about %(points)s less than suggestion 1.")
_COSTS_BY_ONE = noted("This move brings about %(points)s less than suggestion 1: your opponent gets more.")
_COSTS_BY_OTHERS = noted("This move brings about %(points)s less than suggestion 1: the others get more.")
_COSTS_BOTH_ONE = noted(
    "This move brings about %(points)s less than suggestion 1: you get %(less)s less, your opponent %(more)s more."
)
_COSTS_BOTH_OTHERS = noted(
    "This move brings about %(points)s less than suggestion 1: you get %(less)s less, the others %(more)s more on average."
)
_MORE_NEXT_TURN = noted(
    "%(fewer)s less now than suggestion %(number)s, but probably about %(points)s more in your next turn."
)
_MORE_LATER = noted("%(fewer)s less now than suggestion %(number)s, but probably about %(points)s more later.")
_LESS_FOR_ONE = noted(
    "%(fewer)s less now than suggestion %(number)s, but your opponent probably gets about %(points)s less."
)
_LESS_FOR_OTHERS = noted(
    "%(fewer)s less now than suggestion %(number)s, but the others probably get about %(points)s less on average."
)
_UNSURE = noted("%(fewer)s less now than suggestion %(number)s, and it may not pay off.")
_LEADS = noted("The next best move brings about %(points)s less.")
_LEADS_TO_WIN = noted("With the next best move, you're less likely to win.")
_WINS_LESS = noted("With this move, you're less likely to win than with suggestion 1.")
_PAYS_LATER = noted("%(fewer)s less now than suggestion %(number)s, but it probably pays off later.")


def _lead(seen: Seen, compared: Sequence[Compared], locale: str) -> str:
    """Return how far the best move is ahead of the others if they are no suggestions, or "" if it isn't clearly ahead."""
    best, *others = compared
    if not others or not advice.is_clear(ahead := best.gain - others[0].gain, others[0].margin):
        return ""
    if _is_about_winning(seen, others[0].scores, best.scores, ahead):
        return language(locale).gettext(_LEADS_TO_WIN)
    return language(locale).gettext(_LEADS, points=_counted(seen, ahead, locale))


def _is_about_winning(seen: Seen, scores: Sequence[float], best: Sequence[float], behind: float) -> bool:
    """Return whether a move is behind the best mostly by chances to win, which have no points of their own."""
    if not scores or not best:
        return False
    less, more = (-one for one in _later(seen, scores, best, 0))
    # A search that stops early also adds what the seats may score later, but a win is worth much more there.
    least = _WINNING if hasattr(seen.rules, "assess") else advice.LEAST
    return behind - less - more > max(least, behind / 2)


def _cost(seen: Seen, line: _Line, best: _Line, locale: str, is_told: bool = False) -> str:
    """Return what a line costs against the best, and which part the others gain, or "" if it is about as good. A doubtful
    cost isn't named if the line `is_told` to cost points now."""
    say, is_duel = language(locale), len(best.scores) == 2
    whole = whole_points(line.behind)
    is_about_winning = _is_about_winning(seen, line.scores, best.scores, line.behind)
    if not advice.is_clear(line.behind, line.margin):
        is_named = advice.is_behind(line.behind, line.margin) and not is_told and not is_about_winning
        return say.gettext(_MAY_COST, points=_counted(seen, whole, locale)) if is_named else ""
    if is_about_winning:
        return say.gettext(_WINS_LESS)
    less, more = (-one for one in _later(seen, line.scores, best.scores, 0))
    facts: dict[str, Any] = {"points": _counted(seen, whole, locale)}
    is_split = abs(less + more - line.behind) < 1  # chances to win count, too
    if not is_split or more < advice.LEAST or less <= -advice.LEAST:
        return say.gettext(_COSTS, **facts)
    own = min(whole_points(less), whole - 1)
    if own < 1:
        return say.gettext(_COSTS_BY_ONE if is_duel else _COSTS_BY_OTHERS, **facts)
    return say.gettext(_COSTS_BOTH_ONE if is_duel else _COSTS_BOTH_OTHERS, less=own, more=whole - own, **facts)


def _balances(seen: Seen, lines: Sequence[_Line], points: Sequence[int], locale: str) -> Sequence[str]:
    """Return for each line what balances that another one scores more at once, or "" if nothing has to."""
    most, say = max(points, default=0), language(locale)
    place = min((nr for nr, its in enumerate(points) if its == most), key=lambda nr: lines[nr].behind)
    top = lines[place]
    found = list[str]()
    for line, its in zip(lines, points, strict=True):
        if its == most or (advice.is_clear(line.behind, line.margin) and line.behind > top.behind):
            found.append("")
            continue
        more, less = _later(seen, line.scores, top.scores, most - its)
        facts = {"fewer": _counted(seen, most - its, locale), "number": place + 1}
        if max(more, less) < advice.LEAST:
            found.append(say.gettext(_UNSURE, **facts) if line.behind > top.behind + advice.LEAST else "")
            continue
        if more + less < most - its - advice.LEAST and line.behind < top.behind:
            text = _PAYS_LATER  # by chances, which these figures leave out
        elif more >= less:
            text = _MORE_NEXT_TURN if hasattr(seen.rules, "assess") else _MORE_LATER
        else:
            text = _LESS_FOR_ONE if len(line.scores) == 2 else _LESS_FOR_OTHERS
        found.append(say.gettext(text, points=max(1, whole_points(max(more, less))), **facts))
    return found


def _counted(seen: Seen, points: float, locale: str) -> str:
    return counted(language(locale), max(1, whole_points(points)), score_unit(seen.rules.NAME))


def _later(seen: Seen, scores: Sequence[float], others: Sequence[float], fewer: int) -> tuple[float, float]:
    """Return how many points more than by the other line the seat expects later, and how many fewer its opponents do on
    average. The line itself scores this many points `fewer`."""
    if not scores or not others:
        return 0.0, 0.0
    gains = [one - another for one, another in zip(scores, others, strict=True)]
    mine = gains.pop(seen.seat)
    return mine + fewer, -fmean(gains)


def reasons_of(steps: Sequence[tuple[Seen, Any]], locale: str, names: Sequence[str]) -> Sequence[Reason]:
    """Return the reasons for these steps together."""
    (seen, move), *then = steps
    return reasons(seen.rules, seen.view, move, locale, names, then=[it for _, it in then])


def _told(rules: Rules, move: Any, locale: str) -> Json:
    return {"move": rules.move_to_json(move), "words": write_move(rules, move, locale)}


def _after(seen: Seen, state: Any, game: Game, steps: Sequence[Any]) -> tuple[Seen, Any]:
    """Return what the seat sees after the last of these steps of its turn, and the state."""
    rules, seat = seen.rules, seen.seat
    moved = rules.decide(state, seat, steps[-1], game.dice())
    state = reduce(rules.apply, moved, state)
    story = [*seen.story, *(it for event in moved if (it := rules.tell(event, seat)) is not None)]
    moves = rules.legal_moves(game.table.state, seat, steps)
    return Seen(rules, seat, rules.view(state, seat), story, moves), state


def _line(
    seen: Seen, state: Any, game: Game, steps: Sequence[Any], suggests: Suggest, known: Collection[Any] = ()
) -> _Line:
    """Return the last of these steps and the best ones after it, if possible other than those with the effects in `known`.

    They end with the turn, or with a step that reveals something. Return fewer steps while too many hints are being
    computed.
    """
    begun, line, behind, margin = list(steps), [(seen, steps[-1])], 0.0, 0.0
    scores: Sequence[float] = ()
    with suppress(TooMany):
        while seen.rules.legal_moves(game.table.state, seen.seat, begun):
            following = _after(seen, state, game, begun)
            best, *others = suggests(following[0], advice.effort(seen.rules), advice.SECONDS)
            one = next((it for it in (best, *others) if advice.effect(seen.rules, it.move) not in known), best)
            behind, margin = behind + best.gain - one.gain, hypot(margin, one.margin)
            scores = one.scores or scores
            seen, state = following
            begun.append(one.move)
            line.append((seen, one.move))
    return _Line(line, _foreseen(seen, state, begun[-1], game), behind, margin, scores)


def _foreseen(seen: Seen, state: Any, move: Any, game: Game) -> Any:
    """Return the state after a move, as far as the seat can foresee it."""
    rules, seat = seen.rules, seen.seat
    events, _ = rules.preview(state, seat, rules.decide(state, seat, move, game.dice()))
    return reduce(rules.apply, events, state)


def _scores(seen: Seen, foreseen: Any) -> int | None:
    """Return how much the seat's score has grown in a foreseen state."""
    rules, seat, unit = seen.rules, seen.seat, score_unit(seen.rules.NAME)
    if unit is None:
        return None
    scores: int = rules.view(foreseen, seat)[unit][seat] - seen.view[unit][seat]
    return scores


def _wins(seen: Seen, foreseen: Any) -> bool:
    """Return whether the seat alone has won in a foreseen state."""
    return has_won(seen.rules.outcome(foreseen), seen.seat)


def has_hints(game: Game, seat: Seat) -> bool:
    """Return whether the player of a seat can get hints on their turns."""
    try:
        _expect_bots_only(game, seat)
    except NoHints:
        return False
    return True


def _expect_bots_only(game: Game, seat: Seat) -> None:
    """Raise NoHints if a person has or had another seat, or if the seat's player is a stand-in."""
    others = [row for row in game.seats if row.seat != seat]
    if game.seats[seat].owner_id is not None or any(row.kind != "bot" for row in others):
        raise NoHints(noted("You can get hints only in games in which all other players are bots."))
    if not can_compare(game.table.rules):
        raise NoHints(noted("This game has no hints."))
