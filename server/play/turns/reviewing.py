"""Reviews of finished games. A review is requested once per seat, and computed move by move by the processes that also
compute moves for bots.
"""

import logging
import random
from collections.abc import Callable, Iterator, Sequence
from functools import reduce
from random import Random
from typing import Any, Final, NamedTuple
from uuid import UUID

from flask import current_app

from server.accounts.rate_limits import Use, expect_within
from server.bots.review import can_review, result_of, verdict
from server.bots.search import Seen, standing
from server.clock import clock
from server.errors import NotFound
from server.games import Json, Outcome, Rules, Seat
from server.games.presentation import write_move
from server.play import archive
from server.play.commits import load, whole_log
from server.play.game import Game
from server.play.story.line import Link
from server.play.table import parse_event, story_item
from server.play.views import load_visible, own_seat
from server.store import reviews
from server.store.tables import db
from server.translations import noted

_AT_ONCE: Final = 20  # as for turns, a process picks one of so many reviews

log = logging.getLogger(__name__)


class _Played(NamedTuple):
    """A move, with the version before its commit and what its seat saw."""

    version: int
    seen: Seen
    move: Any


def review(game_id: UUID, player_id: UUID, seat: Seat | None, locale: str) -> tuple[Json, bool]:
    """Return the review of a seat, by default the player's, and whether it is complete. Request it if it is new.

    A finished game's secrets are public, so everybody who may see the game may read its reviews. Raise NotFound,
    NotSeated, TooMany.
    """
    game = load_visible(game_id, player_id)
    seat = own_seat(game, player_id) if seat is None else seat
    _expect_reviewable(game, seat)
    found = reviews.find(game_id, seat)
    if found is None:
        expect_within(Use("reviews", player_id))
        db.session.commit()
        try:
            total = len([*_moves_of(game, seat)])
        except archive.Flaw as flaw:
            log.error("The log of game %s does not replay: %s", game_id, flaw)
            raise NotFound(noted("This review could not be computed.")) from None
        reviews.ask(game_id, seat, clock.now(), total)
        found = reviews.find(game_id, seat) or reviews.StoredReview(total, [], 0)
    if found.has_failed:
        raise NotFound(noted("This review could not be computed."))
    is_complete = len(found.moves) == found.total
    return {
        "seat": seat,
        "total": found.total,
        "done": len(found.moves),
        **(_figures(game, seat, found.moves) if is_complete else {"result": None, "choices": None, "luck": None}),
        "margin": _margin(found.moves) if is_complete else None,
        "moves": [_told(game.table.rules, it, locale) for it in found.moves] if is_complete else [],
    }, is_complete


def clearly_better(moves: Sequence[Json]) -> list[Json]:
    """Return the reviewed moves for which a move was found that is better beyond its margin of error, largest gain
    first."""
    found = [it for it in moves if it["better"] and it["better"]["gain"] > max(0.5, it["better"]["margin"])]
    return sorted(found, key=lambda it: -it["better"]["gain"])


def _expect_reviewable(game: Game, seat: Seat) -> None:
    if game.table.status != "finished":
        raise NotFound(noted("Only games that were played to the end have reviews."))
    if not can_review(game.table.rules):
        raise NotFound(noted("This game has no reviews."))
    if not current_app.config["THINKERS"]:
        raise NotFound(noted("This server computes no reviews."))
    if not 0 <= seat < len(game.seats):
        raise NotFound(noted("This game has no seat %(seat)s."), seat=seat)


def _figures(game: Game, seat: Seat, moves: Sequence[Json]) -> Json:
    """Return the result, and its parts in hundredths of a point, which add up exactly."""
    outcome = game.table.outcome
    assert outcome is not None
    result = round(result_of(Outcome(tuple(outcome["scores"]), tuple(outcome["places"])), seat), 2)
    choices = round(sum(it["choice"] for it in moves), 2)
    return {"result": result, "choices": choices, "luck": round(result - choices, 2)}


def _margin(moves: Sequence[Json]) -> float:
    """Return the margin of the sum of all choices."""
    return float(round(sum(it["margin"] ** 2 for it in moves) ** 0.5, 2))


def _told(rules: Rules, it: Json, locale: str) -> Json:
    """Return a move with both moves in the reader's words."""

    def words(move: Json) -> str:
        return write_move(rules, rules.move_from_json(move), locale)

    better = it["better"] and it["better"] | {"words": words(it["better"]["move"])}
    return it | {"words": words(it["move"]), "better": better}


# Computing


def review_due(seconds: float, between: Callable[[], object]) -> bool:
    """Compute the rest of a review that waits. Return False if none waits.

    `seconds`: CPU time for the adviser per move. `between` is called often, so that bots needn't wait for their moves.
    """
    waiting = reviews.waiting(_AT_ONCE)
    if not waiting:
        return False
    game_id, seat = random.choice(waiting)
    try:
        _compute(game_id, seat, seconds, between)
    except Exception:
        log.exception("Seat %s of game %s could not be reviewed", seat, game_id)
    return True


def _compute(game_id: UUID, seat: Seat, seconds: float, between: Callable[[], object]) -> None:
    index = reviews.begin(game_id, seat)
    for played in [*_moves_of(load(game_id), seat)][index:]:
        rng = Random(f"{game_id} {seat} {index}")
        if not reviews.add(game_id, seat, index, _reviewed(played, seconds, rng, between)):
            return  # another process is ahead
        index = reviews.begin(game_id, seat)


def _reviewed(played: _Played, seconds: float, rng: Random, between: Callable[[], object]) -> Json:
    found = verdict(played.seen, played.move, seconds, rng, between)
    rules = played.seen.rules
    better = {
        "move": rules.move_to_json(found.better),
        "gain": round(found.gain.points, 2),
        "margin": round(found.gain.margin, 2),
    }
    return {
        "version": played.version,
        "move": rules.move_to_json(played.move),
        "choice": round(found.choice.points, 2),
        "margin": round(found.choice.margin, 2),
        "better": better if found.gain.points > 0 else None,
    }


def _moves_of(game: Game, seat: Seat) -> Iterator[_Played]:
    """Yield the moves of a seat, one step at a time, without those that had no alternative."""
    rules, rows = game.table.rules, whole_log(game.game_id)
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
