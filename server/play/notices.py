"""Notices to players, and the check whether a notice is still relevant."""

from datetime import datetime
from typing import NamedTuple
from uuid import UUID

from server.accounts.notice_kinds import ANSWER, NOTICE_KINDS, NoticeKind, Until
from server.clock import clock
from server.games import Json, Seat
from server.play.game import Game
from server.play.seating.seats import is_asked
from server.play.table import OVER
from server.play.turns.first_answers import present_turn
from server.play.votes import TAKE_BACK, is_asked_to_vote, is_refused, refusals_of, votes_of
from server.store.outbox import PUSH
from server.store.rows import SeatState
from server.store.tables import LetterRow


class Notice(NamedTuple):
    """A notice to a player, sent by email, push or webhook."""

    kind: NoticeKind
    reader: UUID | None
    data: Json  # data about the notice, such as the turn


def notice_in(row: LetterRow) -> Notice:
    """Return the notice contained in a queued email or push."""
    return Notice(NOTICE_KINDS[row.data["kind"] if row.kind == PUSH else row.kind], row.player_id, row.data)


def ends_at(notice: Notice, seat: SeatState | None) -> datetime | None:
    """Return the time until which the player in this seat can act on the notice."""
    match notice.kind.until:
        case Until.CONSENTED:
            return datetime.fromisoformat(notice.data["ends_at"])
        case Until.GAME_BEGUN:
            return datetime.fromisoformat(notice.data["closes_at"])
        case _:
            return seat.due_at if seat else None


def still_matters(game: Game, seat: Seat, notice: Notice, now: datetime) -> bool:
    """Return whether the notice still concerns the player in this seat, and what it asks for is still open."""
    kind, reader, data = notice
    row = game.seats[seat]
    readers = (row.player_id, row.owner_id) if kind is ANSWER else (row.player_id,)
    if not kind.to_anyone and reader not in readers:
        return False
    waits = game.table.status == "running" and game.bot_at(seat) is None
    # The reminder of a ready check isn't about a turn.
    match Until.READY if kind.is_about_turn and "turn" not in data else kind.until:
        case Until.TURN_BEGUN:
            return waits and game.table.turns[seat] == data["turn"]
        case Until.TURN_OVER:
            return waits and present_turn(game, seat, data["turn"]) is not None
        case Until.READY:
            return is_asked(game, seat)
        case Until.CONSENTED:
            return game.bot_at(seat) is None and _is_consent_wanted(game, seat, data, now)
        case Until.VOTED:
            return is_asked_to_vote(game, seat, data["on"])
        case Until.REFUSAL_OVER:
            return is_refused(game, seat, data)
        case Until.NEXT_TURN:
            return game.table.turns[seat] is None and game.table.status not in OVER
        case Until.GAME_BEGUN:
            closes_at = datetime.fromisoformat(data["closes_at"])
            return game.table.status == "open" and game.head.closes_at == closes_at
        case _:
            return True


def is_outdated(row: LetterRow, game: Game) -> bool:
    """Return whether a queued email no longer concerns its reader."""
    return not still_matters(game, row.seat, notice_in(row), clock.now())


def _is_consent_wanted(game: Game, seat: Seat, data: Json, now: datetime) -> bool:
    vote = votes_of(game.game_id, now)[TAKE_BACK]
    wanted = {"seat": data["by"], "to": data["to_version"], "ends_at": data["ends_at"]}
    return (
        vote is not None
        and wanted.items() <= vote.items()
        and seat not in vote["consents"]
        and seat not in refusals_of(game, now)[TAKE_BACK]
    )
