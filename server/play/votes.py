"""What takes the consent of everybody at the table: pausing, going on, giving up the game, most moves taken back, and offering seats."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from psycopg import Connection
from sqlalchemy import delete, exists, select
from sqlalchemy.dialects.postgresql import insert

from server.clock import clock
from server.errors import HandedOver, NotRunning, PlayError, TooLate
from server.games import Json, Seat
from server.play.commits import commit_of, load_within, record_within, whole_log
from server.play.events import HOUSE_EVENTS, GameAbandoned, GamePaused, GameResumed
from server.play.game import Game
from server.play.mail.letters import take_back_asked
from server.play.table import TAKEN_BACK
from server.play.turns.going_back import WayBack, last_move, take_backs_of, way_back
from server.play.views import own_seat, played_seat, seen_by, you
from server.store import outbox
from server.store.connections import in_transaction
from server.store.database_retry import committing, in_doubt, tried_again
from server.store.log import moment_text
from server.store.notify import notifier
from server.store.tables import EventRow, GameRow, Vote, db
from server.translations import noted

TAKE_BACK = "take-back"
ON_THE_GAME: Mapping[str, tuple[frozenset[str], type[Any]]] = {  # in which status, and what it comes to
    "pause": (frozenset({"running"}), GamePaused),
    "resume": (frozenset({"paused"}), GameResumed),
    "abandon": (frozenset({"running", "paused"}), GameAbandoned),
}
OFFER = "offer"  # the seats that bots keep for persons are offered to others while all who play themselves want it
WISHES = (*ON_THE_GAME, TAKE_BACK, OFFER)

_IN_VAIN = {
    "pause": noted("Only a running game can be paused."),
    "resume": noted("Only a paused game can be resumed."),
    "abandon": noted("Only a running or paused game can be abandoned."),
    OFFER: noted("Seats can be offered only in a running or paused game."),
}
_ASKED_FOR = timedelta(days=2)  # silence is no


class TakenBack(NamedTuple):
    """What somebody gets who takes a move back: the table, or a vote of the others."""

    answer: Json
    is_done: bool


@tried_again
def vote(game_id: UUID, player_id: UUID, wish: str, consents: bool) -> None:
    """Consent to a wish, or take one's consent back; it comes true when nobody is missing but bots and the absent.

    Raises NotFound, NotSeated, NotRunning, HandedOver, TooLate.
    """
    seat = played_seat(seen_by(game_id, player_id), player_id)
    with _holding(game_id) as connection:
        _vote(connection, load_within(connection, game_id), seat, wish, consents)


def _vote(connection: Connection[Any], game: Game, seat: Seat, wish: str, consents: bool) -> None:
    game_id, now = game.game_id, clock.now()
    asked = _asked_of(game_id, now) if wish == TAKE_BACK else None
    statuses = ON_THE_GAME["abandon" if wish == OFFER else wish][0] if wish != TAKE_BACK else ()
    if not asked and game.table.status not in statuses:
        if in_doubt() == wish:  # that vote has made it come true
            db.session.rollback()
            return
        if wish == TAKE_BACK:
            raise TooLate(noted("No take-back vote is open."))
        raise NotRunning(_IN_VAIN[wish])
    if game.bot_at(seat):
        raise HandedOver("A bot plays your seat. Take your seat back first.")
    own = (Vote.game_id == game_id) & (Vote.wish == wish) & (Vote.seat == seat)
    if consents:
        row = insert(Vote).values(game_id=game_id, wish=wish, seat=seat, made_at=now, **(asked or {}))
        db.session.execute(row.on_conflict_do_nothing())
    elif asked and asked["mover"] == seat:
        _forget(game_id, TAKE_BACK)
    else:
        db.session.execute(delete(Vote).where(own))
    _count(connection, game, now)
    with committing(wish):
        db.session.commit()


def way_back_of(game_id: UUID, player_id: UUID) -> Json:
    """Where the game would go back to if the player took his last move back (`to`, null where he cannot), and whether
    that is `free`, or the others are asked. Raises NotFound, NotSeated."""
    game, now = seen_by(game_id, player_id), clock.now()
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


@tried_again
def take_back(game_id: UUID, player_id: UUID, to: int) -> TakenBack:
    """Take the player's move back that followed version `to`: at once where it is free, or by a vote, which he opens.

    Raises NotFound, NotSeated, NotRunning, HandedOver, NotAllowed, TooLate.
    """
    seat = played_seat(seen_by(game_id, player_id), player_id)
    with _holding(game_id) as connection:
        return _take_back(connection, load_within(connection, game_id), seat, to)


def _take_back(connection: Connection[Any], game: Game, seat: Seat, to: int) -> TakenBack:
    game_id, now = game.game_id, clock.now()
    if (lost := in_doubt()) and _has_gone_back(game_id, seat, lost):
        db.session.rollback()
        return TakenBack(_table(game, seat), True)
    way = way_back(game, seat, to)
    is_free = way.is_free(now)
    if not is_free and take_backs_of(game) == "free":
        raise TooLate(noted("Another player has moved since, the move showed you something new, or its time is over."))
    after = way.go(connection, now, is_free) if is_free else _asked(connection, way, now)
    if after:
        _forget(game_id, TAKE_BACK)
    answer = _table(after, seat) if after else {"vote": votes_of(game_id, now)[TAKE_BACK]}
    with committing(game.version + 1):
        db.session.commit()
    return TakenBack(answer, after is not None)


def _asked(connection: Connection[Any], way: WayBack, now: datetime) -> Game | None:
    """Open a vote, unless it is open already; what comes of it at once, where nobody else plays himself. Raises TooLate."""
    game, wanted = way.game, {"mover": way.seat, "to_version": way.move.before.version}
    way.drawn_before()  # or the others would be asked in vain
    asked = _asked_of(game.game_id, now)
    if not asked or not wanted.items() <= asked.items():
        _forget(game.game_id, TAKE_BACK)
        more = wanted | {"at_version": game.version, "ends_at": now + _ASKED_FOR}
        row = insert(Vote).values(game_id=game.game_id, wish=TAKE_BACK, seat=way.seat, made_at=now, **more)
        db.session.execute(row)
        others = sorted(_present(game) - {way.seat})
        outbox.put(game.game_id, take_back_asked(game, votes_of(game.game_id, now)[TAKE_BACK], others, now))
        notifier.changed(game.game_id)
    return _count(connection, game, now)


def _table(game: Game, seat: Seat) -> Json:
    table = game.table
    return {"version": table.version, "view": table.rules.view(table.state, seat), "you": you(table, seat)}


def _has_gone_back(game_id: UUID, seat: Seat, version: int) -> bool:
    return any((row.version, row.type, row.seat) == (version, TAKEN_BACK, seat) for row in whole_log(game_id))


@tried_again
def count_votes(game_id: UUID) -> None:
    """Look at the votes again because somebody left: what only he had not wished for comes true."""
    with _holding(game_id) as connection:
        _count(connection, load_within(connection, game_id), clock.now())
        db.session.commit()


@contextmanager
def _holding(game_id: UUID) -> Iterator[Connection[Any]]:
    """The connection of a transaction that holds the game's head, until it ends or something is refused."""
    db.session.execute(select(GameRow.game_id).where(GameRow.game_id == game_id).with_for_update())
    try:
        yield in_transaction(db.session.connection())
    except PlayError:
        db.session.rollback()
        raise


def _forget(game_id: UUID, *wishes: str) -> None:
    db.session.execute(delete(Vote).where(Vote.game_id == game_id, Vote.wish.in_(wishes)))


def _count(connection: Connection[Any], game: Game, now: datetime) -> Game | None:
    """Do what all who are present wish for, within the transaction that holds the game's head; None if there is nothing."""
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
        except TooLate:  # whoever consented or left did nothing wrong
            return None
    return None


def offered_seats(game: Game) -> list[Seat]:
    """Those that bots keep for persons, if all who play themselves want them offered, and somebody does."""
    wanted = set(votes_of(game.game_id)[OFFER])
    if not wanted or not _present(game) <= wanted:
        return []
    return [row.seat for row in game.seats if row.stand_in]


def _present(game: Game) -> set[Seat]:
    """The seats whose persons play themselves."""
    return {row.seat for row in game.seats if not game.bot_at(row.seat)}


def votes_of(game_id: UUID, now: datetime | None = None) -> Json:
    """Who consents to what at present; of a take-back also whose move it is, where it goes back to, and when that ends."""
    found = db.session.execute(select(Vote.wish, Vote.seat).where(Vote.game_id == game_id).order_by(Vote.seat)).all()
    seats = {wish: [seat for wished, seat in found if wished == wish] for wish in WISHES}
    asked = _asked_of(game_id, now or clock.now())
    return seats | {TAKE_BACK: asked and _take_back_vote(asked, seats[TAKE_BACK])}


def _take_back_vote(asked: Json, consents: list[Seat]) -> Json:
    return {
        "on": TAKE_BACK,
        "seat": asked["mover"],
        "to": asked["to_version"],
        "ends_at": moment_text(asked["ends_at"]),
        "consents": consents,
    }


def _asked_of(game_id: UUID, now: datetime) -> Json | None:
    """The take-back that is asked for, until its end or the next move: whoever moves on does not consent."""
    moved = exists().where(
        EventRow.game_id == Vote.game_id, EventRow.version > Vote.at_version, EventRow.type.not_in(HOUSE_EVENTS)
    )
    wanted = (Vote.game_id == game_id) & (Vote.wish == TAKE_BACK) & (Vote.seat == Vote.mover) & (Vote.ends_at > now)
    columns = (Vote.mover, Vote.to_version, Vote.at_version, Vote.ends_at)
    row = db.session.execute(select(*columns).where(wanted, ~moved)).one_or_none()
    return row and row._asdict()
