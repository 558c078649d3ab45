"""Votes, in which all present players must agree: to pause, resume or abandon the game, to take a move back unless that
is free, and to offer seats to other players."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Connection
from sqlalchemy import ColumnElement, delete, exists, func, select, update
from sqlalchemy.dialects.postgresql import insert

from server.clock import clock
from server.errors import HandedOver, NotRunning, PlayError, TooLate
from server.games import Json, Seat
from server.play.commits import commit_of, load_within, record_within, whole_log
from server.play.events import HOUSE_EVENTS, GameAbandoned, GamePaused, GameResumed
from server.play.game import Game
from server.play.mail.letters import refusal_letters, take_back_letters, vote_letters
from server.play.table import TAKEN_BACK
from server.play.turns.going_back import WayBack, last_move, take_backs_of, way_back
from server.play.views import load_visible, own_seat, played_seat, you
from server.store import outbox
from server.store.connections import in_transaction
from server.store.database_retry import committing, in_doubt, with_retries
from server.store.log import moment_text
from server.store.notify import notifier
from server.store.tables import Delivery, EventRow, GameRow, Vote, db
from server.translations import noted

TAKE_BACK = "take-back"
ON_THE_GAME: Mapping[str, tuple[frozenset[str], type[Any]]] = {  # the required status, and the event
    "pause": (frozenset({"running"}), GamePaused),
    "resume": (frozenset({"paused"}), GameResumed),
    "abandon": (frozenset({"running", "paused"}), GameAbandoned),
}
OFFER = "offer"  # offer the seats that bots play, as long as all present players want to
WISHES = (*ON_THE_GAME, TAKE_BACK, OFFER)

_IN_VAIN = {
    "pause": noted("Only a running game can be paused."),
    "resume": noted("Only a paused game can be resumed."),
    "abandon": noted("Only a running or paused game can be abandoned."),
    OFFER: noted("You can offer seats only in a running or paused game."),
}
REQUESTS: Mapping[str, str] = {  # what a player asks the others to agree to
    "pause": noted("%(who)s asks for a pause."),
    "resume": noted("%(who)s asks to resume the game."),
    "abandon": noted("%(who)s asks to abandon the game."),
    OFFER: noted("%(who)s asks to offer the bots' seats to other players."),
}
REFUSALS: Mapping[str, str] = {  # how another player answers with "not now"
    "pause": noted("%(who)s doesn't want to pause now."),
    "resume": noted("%(who)s doesn't want to resume the game now."),
    "abandon": noted("%(who)s doesn't want to abandon the game now."),
    TAKE_BACK: noted("%(who)s doesn't agree to your take-back."),
    OFFER: noted("%(who)s doesn't want to offer the bots' seats now."),
}
_ASKED_FOR = timedelta(days=2)  # without an answer, the vote fails


class TakenBack(NamedTuple):
    """The result of a request to take a move back: either the table, or a vote among the other players."""

    answer: Json
    is_done: bool


@with_retries
def vote(game_id: UUID, player_id: UUID, wish: str, consents: bool) -> None:
    """Vote for a wish, or withdraw the vote. The wish is carried out when all present players agree. If there is no vote
    to withdraw, refuse the other players' request, which stays open.

    Raise NotFound, NotSeated, NotRunning, HandedOver, TooLate.
    """
    seat = played_seat(load_visible(game_id, player_id), player_id)
    with _holding(game_id) as connection:
        _vote(connection, load_within(connection, game_id), seat, wish, consents)


def _vote(connection: Connection[Any], game: Game, seat: Seat, wish: str, consents: bool) -> None:
    game_id, now, withdrawal = game.game_id, clock.now(), f"no {wish}"
    asked = _open_take_back(game_id, now) if wish == TAKE_BACK else None
    if not asked and (wish == TAKE_BACK or not _may_pass(game, wish)):
        if in_doubt() in (wish, withdrawal):  # an earlier try committed this vote and carried out the wish
            db.session.rollback()
            return
        if wish == TAKE_BACK:
            raise TooLate(noted("No take-back vote is open."))
        raise NotRunning(_IN_VAIN[wish])
    if game.bot_at(seat):
        raise HandedOver("A bot is playing for you. Take your seat back first.")
    consenting = _consenting(game_id, wish, now)
    is_new = consents and wish in REQUESTS and not consenting
    withdraws = not consents and (seat in consenting or in_doubt() == withdrawal)
    if consents:
        row = insert(Vote).values(game_id=game_id, wish=wish, seat=seat, made_at=now, **(asked or {}))
        db.session.execute(row.on_conflict_do_nothing())
        _change_refusals(game_id, wish, func.array_remove(Vote.refused_by, seat))
    elif asked and asked["mover"] == seat:
        _forget(game_id, TAKE_BACK)
    elif withdraws:
        db.session.execute(delete(Vote).where(_is(game_id, wish), Vote.seat == seat))
    elif consenting and seat not in refusals_of(game, now)[wish]:
        _change_refusals(game_id, wish, func.array_append(Vote.refused_by, seat))
        by_time = select(Vote.seat).where(_is(game_id, wish)).order_by(Vote.made_at, Vote.seat).limit(1)
        asking = asked["mover"] if asked else db.session.scalars(by_time).one()
        _send_once(game, refusal_letters(game, asking, {"by": seat, "on": wish}, now))
    if _count(connection, game, now) is None and is_new:
        _send_once(game, vote_letters(game, seat, wish, sorted(_present(game) - {seat}), now))
    with committing(withdrawal if withdraws else wish):
        db.session.commit()
    notifier.note_change(game_id)


def _is(game_id: UUID, wish: str) -> ColumnElement[bool]:
    return (Vote.game_id == game_id) & (Vote.wish == wish)


def _consenting(game_id: UUID, wish: str, now: datetime) -> list[Seat]:
    votes = votes_of(game_id, now)[wish]
    seats: list[Seat] = votes["consents"] if wish == TAKE_BACK and votes else votes or []
    return seats


def _change_refusals(game_id: UUID, wish: str, refused_by: Any) -> None:
    db.session.execute(update(Vote).where(_is(game_id, wish)).values(refused_by=refused_by))


def _may_pass(game: Game, wish: str) -> bool:
    """Return whether the game's status allows this wish, which must not be a take-back."""
    return game.table.status in ON_THE_GAME["abandon" if wish == OFFER else wish][0]


def _send_once(game: Game, letters: Sequence[Json]) -> None:
    """Queue emails about a request, within the current transaction.

    A player can withdraw a request or an answer and repeat it at the same version. That sends no second email.
    """
    ids = [it["letter_id"] for it in letters]
    own = (Delivery.game_id == game.game_id) & Delivery.letter_id.in_(ids)
    written = set(db.session.scalars(select(Delivery.letter_id).where(own)))
    outbox.put(game.game_id, [it for it in letters if it["letter_id"] not in written])


def is_asked_to_vote(game: Game, seat: Seat, wish: str) -> bool:
    """Return whether an open request still needs this player's vote, which they haven't refused."""
    return _is_asked(game, seat, wish, votes_of(game.game_id)) and seat not in refusals_of(game)[wish]


def _is_asked(game: Game, seat: Seat, wish: str, votes: Json) -> bool:
    seats = votes[wish]
    return bool(seats) and seat not in seats and game.bot_at(seat) is None and _may_pass(game, wish)


def request_to(game: Game, seat: Seat) -> str | None:
    """Return the wish of the open request that still needs this player's vote, or None if there is none or several."""
    found = requests_to(game, seat)
    return found[0] if len(found) == 1 else None


def requests_to(game: Game, seat: Seat) -> list[str]:
    """Return the wishes of the open requests that still need this player's vote."""
    votes = votes_of(game.game_id)
    found = [wish for wish in REQUESTS if _is_asked(game, seat, wish, votes)]
    if (asked := votes[TAKE_BACK]) and seat not in asked["consents"] and game.bot_at(seat) is None:
        found.append(TAKE_BACK)
    return found


def agreed_to(game: Game, seat: Seat) -> list[str]:
    """Return the wishes of the open requests to which this player has agreed. Their own take-back isn't one of them."""
    votes = votes_of(game.game_id)
    found = [wish for wish in REQUESTS if seat in votes[wish] and _may_pass(game, wish)]
    if (asked := votes[TAKE_BACK]) and seat in asked["consents"] and seat != asked["seat"]:
        found.append(TAKE_BACK)
    return found


def way_back_of(game_id: UUID, player_id: UUID) -> Json:
    """Return the version before the player's last move (`to`, null if they can't take the move back), and whether they
    can take it back without asking (`free`). Raise NotFound, NotSeated."""
    game, now = load_visible(game_id, player_id), clock.now()
    seat = own_seat(game, player_id)
    to = last_move(game, seat, now)
    is_free = False
    try:
        played_seat(game, player_id)
        if to is not None and not (is_free := way_back(game, seat, to).is_free(now)) and take_backs_of(game) == "free":
            to = None
    except PlayError:
        to = None
    return {"to": to, "free": is_free}


@with_retries
def take_back(game_id: UUID, player_id: UUID, to: int) -> TakenBack:
    """Take back the player's move after version `to`: immediately if the take-back is free, otherwise by a new vote.

    Raise NotFound, NotSeated, NotRunning, HandedOver, NotAllowed, TooLate.
    """
    seat = played_seat(load_visible(game_id, player_id), player_id)
    with _holding(game_id) as connection:
        return _take_back(connection, load_within(connection, game_id), seat, to)


def _take_back(connection: Connection[Any], game: Game, seat: Seat, to: int) -> TakenBack:
    game_id, now = game.game_id, clock.now()
    lost = in_doubt()
    if lost and any((it.version, it.type, it.seat) == (lost, TAKEN_BACK, seat) for it in whole_log(game_id)):
        db.session.rollback()
        return TakenBack(_table(game, seat), True)
    way = way_back(game, seat, to)
    is_free = way.is_free(now)
    if not is_free and take_backs_of(game) == "free":
        raise TooLate(
            noted(
                "Another player has moved since, the move revealed hidden information to you, or the time "
                "for the turn has run out."
            )
        )
    after = way.go(connection, now, is_free) if is_free else _ask_for_consent(connection, way, now)
    if after:
        _forget(game_id, TAKE_BACK)
    answer = _table(after, seat) if after else {"vote": votes_of(game_id, now)[TAKE_BACK]}
    with committing(game.version + 1):
        db.session.commit()
    return TakenBack(answer, after is not None)


def _ask_for_consent(connection: Connection[Any], way: WayBack, now: datetime) -> Game | None:
    """Open a vote unless one is already open. If no other player is present, carry the take-back out and return the
    game. Raise TooLate if the move can no longer be taken back."""
    game, wanted = way.game, {"mover": way.seat, "to_version": way.move.before.version}
    way.drawn_before()  # if this fails, no vote opens
    asked = _open_take_back(game.game_id, now)
    if not asked or not wanted.items() <= asked.items():
        _forget(game.game_id, TAKE_BACK)
        more = wanted | {"at_version": game.version, "ends_at": now + _ASKED_FOR}
        row = insert(Vote).values(game_id=game.game_id, wish=TAKE_BACK, seat=way.seat, made_at=now, **more)
        db.session.execute(row)
        others = sorted(_present(game) - {way.seat})
        outbox.put(game.game_id, take_back_letters(game, votes_of(game.game_id, now)[TAKE_BACK], others, now))
        notifier.note_change(game.game_id)
    return _count(connection, game, now)


def _table(game: Game, seat: Seat) -> Json:
    table = game.table
    return {"version": table.version, "view": table.rules.view(table.state, seat), "you": you(table, seat)}


@with_retries
def count_votes(game_id: UUID) -> None:
    """Count the votes again after a player has left, since the remaining players may now all agree."""
    with _holding(game_id) as connection:
        _count(connection, load_within(connection, game_id), clock.now())
        db.session.commit()


@contextmanager
def _holding(game_id: UUID) -> Iterator[Connection[Any]]:
    """Lock the game's row and yield the connection. Commit at the end, or roll back after an error."""
    db.session.execute(select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update())
    try:
        yield in_transaction(db.session.connection())
    except PlayError:
        db.session.rollback()
        raise


def _forget(game_id: UUID, *wishes: str) -> None:
    db.session.execute(delete(Vote).where(Vote.game_id == game_id, Vote.wish.in_(wishes)))


def _count(connection: Connection[Any], game: Game, now: datetime) -> Game | None:
    """Carry out the request to which all present players agree, within the transaction that locks the game's row.
    Return None if there is no such request."""
    present, wished = _present(game), votes_of(game.game_id, now)
    for wish, (statuses, event) in ON_THE_GAME.items():
        if present and present <= set(wished[wish]) and game.table.status in statuses:
            _forget(game.game_id, *ON_THE_GAME, TAKE_BACK)
            return record_within(connection, commit_of(game, [event()], now))
    asked = wished[TAKE_BACK]
    if asked and asked["seat"] in present <= set(asked["consents"]) and game.table.status == "running":
        _forget(game.game_id, TAKE_BACK)
        try:
            return way_back(game, asked["seat"], asked["to"]).go(connection, now, is_free=False)
        except TooLate:  # the player who voted or left did nothing wrong
            return None
    return None


def offered_seats(game: Game) -> list[Seat]:
    """Return the seats of absent players that bots play, if all present players want to offer these seats."""
    wanted = set(votes_of(game.game_id)[OFFER])
    if not wanted or not _present(game) <= wanted:
        return []
    return [row.seat for row in game.seats if row.stand_in]


def _present(game: Game) -> set[Seat]:
    """Return the seats that aren't played by a bot."""
    return {row.seat for row in game.seats if not game.bot_at(row.seat)}


def votes_of(game_id: UUID, now: datetime | None = None) -> Json:
    """Return the current votes. For a take-back, also return the player who wants it, the version to return to, and
    when the vote ends."""
    found = db.session.execute(
        select(Vote.wish, Vote.seat).where(Vote.game_id == game_id).order_by(Vote.made_at, Vote.seat)
    ).all()
    seats = {wish: [seat for wished, seat in found if wished == wish] for wish in WISHES}
    asked = _open_take_back(game_id, now or clock.now())
    return seats | {TAKE_BACK: asked and _take_back_vote(asked, seats[TAKE_BACK])}


def refusals_of(game: Game, now: datetime | None = None) -> dict[str, list[Seat]]:
    """Return the seats whose players have refused each open request. They can still agree to it."""
    found = db.session.execute(select(Vote.wish, Vote.refused_by).where(Vote.game_id == game.game_id)).all()
    is_open = {TAKE_BACK: _open_take_back(game.game_id, now or clock.now())}
    refused = {(wish, seat) for wish, seats in found for seat in seats if is_open.get(wish, True)}
    return {wish: [seat for seat in sorted(_present(game)) if (wish, seat) in refused] for wish in WISHES}


def is_refused(game: Game, seat: Seat, refusal: Json) -> bool:
    """Return whether a player's request is still open, and the player in seat `by` still refuses it."""
    wish, now = refusal["on"], clock.now()
    is_open = wish == TAKE_BACK or _may_pass(game, wish)
    return is_open and seat in _consenting(game.game_id, wish, now) and refusal["by"] in refusals_of(game, now)[wish]


def _take_back_vote(asked: Json, consents: list[Seat]) -> Json:
    return {
        "on": TAKE_BACK,
        "seat": asked["mover"],
        "to": asked["to_version"],
        "ends_at": moment_text(asked["ends_at"]),
        "consents": consents,
    }


def ended_by(game: Game, seat: Seat) -> Seat | None:
    """Return the seat whose move ended the vote on this player's take-back. Return None if there is none, or if the
    player has moved since."""
    asked = (Vote.game_id == game.game_id) & (Vote.wish == TAKE_BACK) & (Vote.seat == seat) & (Vote.mover == seat)
    begun = db.session.scalars(select(Vote.at_version).where(asked)).one_or_none()
    if begun is None:
        return None
    later = (it for it in whole_log(game.game_id) if begun < it.version <= game.version and it.type not in HOUSE_EVENTS)
    movers = [it.seat for it in later if it.seat is not None]
    return movers[0] if movers and seat not in movers else None


def _open_take_back(game_id: UUID, now: datetime) -> Json | None:
    """Return the take-back that is being voted on. The vote ends when its time is over, or with the next move, which
    counts as a refusal."""
    moved = exists().where(
        EventRow.game_id == Vote.game_id, EventRow.version > Vote.at_version, EventRow.type.not_in(HOUSE_EVENTS)
    )
    wanted = (Vote.game_id == game_id) & (Vote.wish == TAKE_BACK) & (Vote.seat == Vote.mover) & (Vote.ends_at > now)
    columns = (Vote.mover, Vote.to_version, Vote.at_version, Vote.ends_at)
    row = db.session.execute(select(*columns).where(wanted, ~moved)).one_or_none()
    return row and row._asdict()
