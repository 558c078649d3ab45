"""Reviews of finished games. A review is requested once per seat, and computed move by move by the processes that also
compute moves for bots."""

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import timedelta
from functools import reduce
from itertools import islice
from random import Random
from typing import Any, Final, NamedTuple
from uuid import UUID

import psycopg
import sqlalchemy.exc
from flask import current_app
from orjson import dumps

from server.accounts.rate_limits import Use, expect_room, expect_within
from server.bots.advice import LEAST
from server.bots.review import can_review, stands_out, verdict
from server.bots.search import Seen, result_of
from server.clock import clock
from server.errors import NotFound
from server.games import Json, Outcome, Rules, Seat, standing
from server.games.presentation import counted, reasons, score_unit, telling, whole_points, write_move
from server.play import archive
from server.play.commits import at_version, load, whole_log
from server.play.game import Game
from server.play.story.line import Line, Link, line_of
from server.play.table import OVER, Table, parse_event, story_item
from server.play.views import load_visible, own_seat
from server.store import reviews
from server.store.database_retry import Unavailable, is_passing, with_retries
from server.store.log import Recorded
from server.store.tables import db
from server.translations import LOCALES, Language, language, noted

_LEASE: Final = timedelta(minutes=2)  # also the pause after an error
_STUCK: Final = timedelta(days=7)  # reviews that take longer wait for something that may never come

log = logging.getLogger(__name__)


class _Lost(Exception):
    """An expired lease. Another process has the review."""


class _Played(NamedTuple):
    """A move, with the version before its commit and what its seat saw."""

    version: int
    seen: Seen
    move: Any


def review(game_id: UUID, player_id: UUID, seat: Seat | None, locale: str) -> tuple[Json, bool]:
    """Return the review of a seat, by default the player's, and whether it is complete. Request it if it is new. Until
    it is complete, it has the moves reviewed so far, without figures.

    A finished game's secrets are public, so everybody who may see the game may read its reviews. Raise NotFound,
    NotSeated, TooMany.
    """
    game = load_visible(game_id, player_id)
    seat = own_seat(game, player_id) if seat is None else seat
    _expect_reviewable(game, seat)
    found = reviews.find(game_id, seat)
    if found is None:
        expect_room("waiting-reviews", reviews.number_unfinished(player_id, clock.now() - _STUCK))
        expect_within(Use("reviews", player_id))
        db.session.commit()
        try:
            total = len([*_moves_of(game, whole_log(game_id), seat)])
        except archive.Flaw as flaw:
            log.error("The log of game %s does not replay: %s", game_id, flaw)
            raise NotFound(noted("This review could not be computed.")) from None
        reviews.ask(game_id, seat, player_id, clock.now(), total)
        found = reviews.find(game_id, seat) or reviews.StoredReview(total, [], 0, None)
    if found.has_failed(clock.real()):
        raise NotFound(noted("This review could not be computed."))
    is_complete = len(found.moves) == found.total
    moves = [_told(game.table.rules, it, locale) for it in _without_later_steps(found.moves)]
    figures = _figures(game, seat, found.moves) if is_complete else {"result": None, "choices": None, "luck": None}
    margin = round(sum(it["margin"] ** 2 for it in found.moves) ** 0.5, 2)  # of the sum
    return {
        "seat": seat,
        "total": found.total,
        "done": len(found.moves),
        **figures,
        "margin": margin if is_complete else None,
        "summary": _summary(game, seat, figures | {"margin": margin}, moves, locale) if is_complete else [],
        "moves": moves,
    }, is_complete


def hand_over(game_id: UUID, seat: Seat) -> None:
    """Make the emails due that wait for this review, if it is complete."""
    found = reviews.find(game_id, seat)
    if found and len(found.moves) == found.total:
        reviews.hand_over(game_id, seat, clock.now())


def clearly_better(moves: Sequence[Json]) -> list[Json]:
    """Return the reviewed moves for which a clearly better one was found, largest gain first."""
    return sorted((it for it in moves if it["better"]), key=lambda it: -it["better"]["gain"])


def has_reviews(game: Game) -> bool:
    return game.table.status == "finished" and can_review(game.table.rules) and current_app.config["THINKERS"] > 0


def _expect_reviewable(game: Game, seat: Seat) -> None:
    if game.table.status not in OVER:
        raise NotFound(noted("This game isn't over yet."))
    if game.table.status != "finished":
        raise NotFound(noted("Only games that were played to the end have reviews."))
    if not can_review(game.table.rules):
        raise NotFound(noted("This game has no reviews."))
    if not current_app.config["THINKERS"]:
        raise NotFound(noted("This server doesn't offer game reviews."))
    if not 0 <= seat < len(game.seats):
        raise NotFound(noted("This game has no seat %(seat)s."), seat=seat)


def _figures(game: Game, seat: Seat, moves: Sequence[Json]) -> Json:
    """Return the result, and its parts in hundredths of a point, which add up exactly."""
    outcome = game.table.outcome
    assert outcome is not None
    result = round(result_of(Outcome(tuple(outcome["scores"]), tuple(outcome["places"])), seat), 2)
    choices = round(sum(it["choice"] for it in moves), 2)
    return {"result": result, "choices": choices, "luck": round(result - choices, 2)}


def _summary(game: Game, seat: Seat, figures: Json, moves: Sequence[Json], locale: str) -> list[str]:
    """Return a few sentences: the result and where it comes from, the most important move, and those of the others. A bot
    may have played for the seat's player."""
    say, unit = language(locale), score_unit(game.head.rules)
    line = line_of(game.head.rules, whole_log(game.game_id))
    by_bot = line.moves_of_bot(seat)

    def points(number: float) -> str:
        return counted(say, max(1, whole_points(abs(number))), unit)

    found = [*_parts(game, figures, bool(moves), bool(by_bot), say, points)]
    if by_bot:
        version = by_bot[0].before.version
        is_to_the_end = all(it.before.version < version for it in line.moves_of(seat))
        text = _BOT_TO_THE_END if is_to_the_end else _BOT_AT_TIMES
        found.insert(0, say.gettext(text, turn=turn_in_words(game, version, locale)))
    clear = [(it["better"]["gain"], _COSTLIEST, it["version"]) for it in moves if it["better"]]
    clear += [(it["choice"], _FINEST, it["version"]) for it in moves if stands_out(it["choice"], it["margin"])]
    if clear:
        gain, text, version = max(clear)
        found.append(say.gettext(text, turn=turn_in_words(game, version, locale), points=points(gain)))
    if unit and not by_bot and (swing := _largest_swing(game, line, seat, unit)):
        version, gain = swing
        texts = _BY_OPPONENT if len(game.seats) == 2 else _BY_OTHERS
        found.append(say.gettext(texts[gain > 0], turn=turn_in_words(game, version, locale), points=points(gain)))
    return found


def _parts(
    game: Game, figures: Json, has_moves: bool, by_bot: bool, say: Language, points: Callable[[float], str]
) -> Iterator[str]:
    """Yield sentences about the result, the part of the player's moves, and the rest, in figures that add up. If a bot has
    played for the player, the rest says little."""
    result, choices, margin = (whole_points(figures[it]) for it in ("result", "choices", "margin"))
    rest, others = result - choices, len(game.seats) > 2
    place = _AHEAD if result > 0 else _BEHIND if result else _LEVEL
    yield say.gettext(place[others], points=points(result))
    if not has_moves:
        return
    yield say.gettext(
        _NO_DIFFERENCE if not choices else _BOT_LESS if choices > 0 else _BOT_MORE, points=points(choices)
    )
    if rest and not by_bot:
        yield say.gettext((_BROUGHT if rest > 0 else _COST)[others], points=points(rest))
    if margin >= 1:
        yield say.gettext(_MARGIN if margin < max(abs(choices), abs(rest)) else _UNCLEAR, points=points(margin))


# For one opponent, and for several
_AHEAD = (
    noted("You finished %(points)s ahead of your opponent."),
    noted("You finished %(points)s ahead of the others' average."),
)
_BEHIND = (
    noted("You finished %(points)s behind your opponent."),
    noted("You finished %(points)s behind the others' average."),
)
_LEVEL = noted("You finished level with your opponent."), noted("You finished level with the others' average.")
_BROUGHT = (
    noted("The cards, your seat and your opponent's play brought you about %(points)s."),
    noted("The cards, your seat and the others' play brought you about %(points)s."),
)
_COST = (
    noted("The cards, your seat and your opponent's play cost you about %(points)s."),
    noted("The cards, your seat and the others' play cost you about %(points)s."),
)
_BOT_LESS = noted("A simple bot that doesn't look ahead would have got about %(points)s less in your place.")
_BOT_MORE = noted("A simple bot that doesn't look ahead would have got about %(points)s more in your place.")
_NO_DIFFERENCE = noted("A simple bot that doesn't look ahead would have done about as well in your place.")
_MARGIN = noted("These estimates can be off by about %(points)s.")
_UNCLEAR = noted("These estimates can be off by about %(points)s, so they prove little.")
_BOT_TO_THE_END = noted("A bot played for you from here on: %(turn)s. This review leaves its moves out.")
_BOT_AT_TIMES = noted("A bot played some of your turns. The first: %(turn)s. This review leaves its moves out.")
_COSTLIEST = noted("Your costliest move: %(turn)s. Another would have brought about %(points)s more.")
_FINEST = noted("Your best move: %(turn)s, about %(points)s more than a simple bot's.")
_BY_OPPONENT = (
    noted("Your opponent's moves cost you most here: %(turn)s, %(points)s."),
    noted("Your opponent's moves helped you most here: %(turn)s, %(points)s."),
)
_BY_OTHERS = (
    noted("The others' moves cost you most here: %(turn)s, %(points)s."),
    noted("The others' moves helped you most here: %(turn)s, %(points)s."),
)


def _largest_swing(game: Game, line: Line, seat: Seat, unit: str) -> tuple[int, float] | None:
    """Return the version before the turn of another seat that changed this seat's lead over the others' average most, and
    the change. Return None if no turn changed it."""
    rules = game.table.rules

    def lead(table: Table) -> float:
        scores = rules.view(table.state, None)[unit]
        return result_of(Outcome(tuple(scores), ()), seat)

    swings = dict[tuple[Seat, int], tuple[int, float]]()
    for other in range(len(game.seats)):
        for before, _, after, _ in line.moves_of(other) if other != seat else ():
            turn = other, rules.view(before.state, None).get("turn", before.version)
            version, change = swings.get(turn, (before.version, 0.0))
            swings[turn] = version, change + lead(after) - lead(before)
    version, change = max(swings.values(), key=lambda it: abs(it[1]), default=(0, 0.0))
    return (version, change) if abs(change) >= LEAST else None


def turn_in_words(game: Game, version: int, locale: str) -> str:
    """Return the name of a turn as on the page. A game that doesn't number its turns has one for each version."""
    rules, say = game.table.rules, language(locale)
    turn = rules.view(at_version(game, version).state, None).get("turn")
    if turn is None:
        return say.gettext("Move %(version)s", version=version)
    return say.gettext("Turn %(turn)s", turn=turn) if turn else say.gettext("Start")


def _without_later_steps(moves: Sequence[Json]) -> list[Json]:
    """Return the moves without better ones that the player made later in the same commit, since their order matters little."""
    made = {(it["version"], dumps(it["move"])): nr for nr, it in enumerate(moves)}

    def is_later(nr: int, it: Json) -> bool:
        return it["better"] is not None and made.get((it["version"], dumps(it["better"]["move"])), nr) > nr

    return [it | {"better": None} if is_later(nr, it) else it for nr, it in enumerate(moves)]


def _told(rules: Rules, it: Json, locale: str) -> Json:
    """Return a move with both moves in the reader's words. A move that may be as good is no better one."""

    def words(move: Json) -> str:
        return write_move(rules, rules.move_from_json(move), locale)

    better = it["better"] if it["better"] and stands_out(it["better"]["gain"], it["better"]["margin"]) else None
    better = better and better | {
        "words": words(better["move"]),
        "why": better.get("why", {}).get(locale, ""),  # earlier releases stored none
    }
    return it | {"words": words(it["move"]), "better": better}


# Computing


def review_due(between: Callable[[], object]) -> bool:
    """Compute the next move of a review that waits. Return False if none waits, or after an error.

    `between` is called often, so that bots needn't wait for their moves. After an error, the review waits until its
    lease has expired. Raise temporary errors of the database.
    """
    now, salt = clock.real(), random.getrandbits(63)  # a random one each time, so that many don't delay a single one
    claim = reviews.claim(now, now + _LEASE, salt)
    if claim is None:
        return False
    try:
        _compute(claim, between)
    except Exception as error:
        if is_passing(error):
            raise
        if isinstance(error, Unavailable):
            log.warning("The review of seat %s of game %s has to wait: %s", claim.seat, claim.game_id, error)
        else:
            log.exception("Seat %s of game %s could not be reviewed", claim.seat, claim.game_id)
        return False
    return True


def _compute(claim: reviews.Claim, between: Callable[[], object]) -> None:
    """Compute a move, and renew the lease meanwhile. A try counts unless it ends with an error that says nothing about
    the move."""

    def renew() -> None:
        nonlocal claim
        between()
        if (now := clock.real()) > claim.until - _LEASE / 2:
            renewed = reviews.renew(claim, now + _LEASE)
            if renewed is None:
                raise _Lost
            claim = renewed

    try:
        game, rows = load(claim.game_id), whole_log(claim.game_id)
        played = next(islice(_moves_of(game, rows, claim.seat), claim.done, None))
        move = _reviewed(played, Random(f"{claim.game_id} {claim.seat} {claim.done}"), renew)
        if not with_retries(reviews.add)(claim, move):
            raise _Lost
        with_retries(hand_over)(claim.game_id, claim.seat)
    except _Lost:
        reviews.take_back(claim)
    except Exception as error:
        if is_passing(error) or isinstance(error, Unavailable):
            with suppress(psycopg.Error, sqlalchemy.exc.SQLAlchemyError):  # the database may still be down
                reviews.take_back(claim)
        raise


def _reviewed(played: _Played, rng: Random, between: Callable[[], object]) -> Json:
    found = verdict(played.seen, played.move, rng, between)
    rules = played.seen.rules

    def why(locale: str) -> str:
        view, later = played.seen.view, _NEXT_TURN if hasattr(rules, "assess") else _AT_THE_END
        told, _ = telling([reasons(rules, view, it, locale, (), is_past=True) for it in (found.better, played.move)])
        return told or language(locale).gettext(later)

    better = {
        "move": rules.move_to_json(found.better),
        "gain": round(found.gain.points, 2),
        "margin": round(found.gain.margin, 2),
        "why": {locale: why(locale) for locale in LOCALES},
    }
    return {
        "version": played.version,
        "move": rules.move_to_json(played.move),
        "choice": round(found.choice.points, 2),
        "margin": round(found.choice.margin, 2),
        "better": better if found.gain.points > 0 else None,
    }


# What is true of each better move
_NEXT_TURN = noted("It would have paid off by the end of your next turn.")
_AT_THE_END = noted("It would have paid off by the end of the game.")


def _moves_of(game: Game, rows: Sequence[Recorded], seat: Seat) -> Iterator[_Played]:
    """Yield the moves of a seat, one step at a time, without those that had no alternative. `rows`: the whole log."""
    rules = game.table.rules
    told = [it for row in rows if (it := story_item(rules, row, parse_event(rules, row), seat)) is not None]
    line, _, _ = archive.replayed_line(archive.start(game.head, game.seats), rows)
    for link in line.moves_of(seat):
        version = link.before.version
        story = standing([it for it in told if it["version"] <= version])
        for state, move, moved in _steps(game, link, seat):
            legal = rules.legal_moves(state, seat)
            if len(legal) > 1:
                yield _Played(version, Seen(rules, seat, rules.view(state, seat), story, legal), move)
            story = [*story, *(it for event in moved if (it := rules.tell(event, seat)) is not None)]


def _steps(game: Game, link: Link, seat: Seat) -> Iterator[tuple[Any, Any, Sequence[Any]]]:
    """Yield the steps of a commit, which may contain a whole turn: the state before, the move and its events."""
    rules, state, dice = game.table.rules, link.before.state, game.dice()
    dice.drawn = link.drawn
    events = [parse_event(rules, row) for row in link.commit if row.type in rules.EVENTS]
    while events:
        move = rules.move_of(events[:1])
        moved = rules.decide(state, seat, move, dice)
        yield state, move, moved
        state, events = reduce(rules.apply, moved, state), events[len(moved) :]
