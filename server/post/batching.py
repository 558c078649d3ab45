"""Batching of emails: the reader's preference at the time of sending decides whether an email is sent, bundled or
dropped."""

from datetime import datetime, timedelta
from uuid import UUID

from sqlalchemy import select, true

from server.accounts import notice_kinds
from server.accounts.bans import is_welcome
from server.accounts.notice_kinds import NOTICE_KINDS
from server.accounts.preferences import mail_choice, next_bundle
from server.accounts.strangers import may_be_written_to
from server.clock import clock
from server.games import Json
from server.play.game import Game
from server.play.notices import ends_at, notice_in
from server.store import outbox
from server.store.rows import SeatState
from server.store.tables import Delivery, LetterRow, Player, PlayerLetterRow, db
from server.translations import noted

_LATE = timedelta(minutes=10)  # an email that is later than this is dropped if a newer one exists


def recipient(row: LetterRow | PlayerLetterRow) -> Player | None:
    """Return the player who receives this email, or None if it goes to an address without an account."""
    player_id = outbox.reader_of(row)
    return None if player_id is None else db.session.get(Player, player_id)


def set_aside(row: LetterRow | PlayerLetterRow, player: Player | None, game: Game | None) -> tuple[str, str] | None:
    """Drop an email, or put it into its reader's next bundle. Return the result and the reason for it, or None if the
    email must be sent now.

    `game` is the game that the email is about.
    """
    if player is None:
        return _keep_from_stranger(row)
    if not is_welcome(player):
        return "dropped", noted("The account is banned or deleted.")
    if player.guest_until is not None:
        return "dropped", noted("Guests have no email address.")
    if is_overtaken(row):
        return "dropped", noted("A later email about this game has newer information.")
    if row.kind not in notice_kinds.MAIL_KINDS:
        return None
    if player.unreachable_since:
        why = noted("Our emails to you bounced. Sign in with an emailed code to receive emails again.")
        return "dropped", why
    seat = _own_seat(row, game)
    match mail_choice(row.kind, player.notifications, seat.mails if seat else None):
        case notice_kinds.OFF:
            return "dropped", noted("You've turned these emails off.")
        case notice_kinds.BUNDLED if isinstance(row, LetterRow):
            at = next_bundle(player.notifications, player.zone, clock.now())
            if (end := ends_at(notice_in(row), seat)) and end <= at:
                return None  # the time would run out before the bundle
            is_in_it = NOTICE_KINDS[row.kind].is_in_bundle and "turn" in row.data
            news = {} if is_in_it else {str(row.letter_id): _noted(row)}
            outbox.put_into_bundle(player.player_id, at, clock.now(), news)
            db.session.commit()
            return "bundled", noted("Included in your next digest.")
    return None


def is_overtaken(row: LetterRow | PlayerLetterRow) -> bool:
    """Return whether this email is late, and a newer email with the current standings is queued or was sent to the same
    reader. This happens after an outage."""
    if isinstance(row, PlayerLetterRow) or NOTICE_KINDS[row.kind].lasts:
        return False
    if row.tries == 1 and clock.now() - row.made_at < _LATE:
        return False
    queries = []
    for table in (LetterRow, Delivery):
        to_him = (table.game_id == row.game_id) & (table.seat == row.seat) & (table.player_id == row.player_id)
        later = (table.version > row.version) & table.kind.in_(notice_kinds.OVERTAKING)
        arrived = Delivery.result == "sent" if table is Delivery else true()
        queries.append(select(table.letter_id).where(to_him, later, arrived).limit(1))
    return any(db.session.execute(query).first() for query in queries)


def _keep_from_stranger(row: LetterRow | PlayerLetterRow) -> tuple[str, str] | None:
    if isinstance(row, PlayerLetterRow) or row.kind != notice_kinds.INVITATION.name:
        return None
    if may_be_written_to(row.data["to"], row):
        return None
    return "dropped", noted("An address without an account gets only one invitation.")


def _own_seat(row: LetterRow | PlayerLetterRow, game: Game | None) -> SeatState | None:
    """Return the reader's seat in the game that the email is about, or None for invited and removed players."""
    if isinstance(row, PlayerLetterRow) or game is None or row.kind == notice_kinds.INVITATION.name:
        return None
    seat = game.seats[row.seat]
    return seat if seat.player_id == row.player_id else None


def put_into_newer(bundle: PlayerLetterRow) -> bool:
    """Move the news in a bundle into a newer bundle of the same reader that is already due. Return whether there was
    such a bundle.

    This happens after an outage.
    """
    at = PlayerLetterRow.data["at"].astext
    due = (at > bundle.data["at"]) & (at <= clock.now().isoformat())
    own = (PlayerLetterRow.player_id == bundle.player_id) & (PlayerLetterRow.kind == notice_kinds.BUNDLE.name)
    newer = db.session.scalars(select(PlayerLetterRow).where(own, due).order_by(at).limit(1)).one_or_none()
    if newer is not None:
        newer.data = bundle.data | newer.data
        db.session.commit()
    return newer is not None


def _noted(row: LetterRow) -> Json:
    return {
        "game_id": str(row.game_id),
        "kind": row.kind,
        "version": row.version,
        "seat": row.seat,
        "data": row.data,
        "made_at": row.made_at.isoformat(),
    }


def letters_in(bundle: PlayerLetterRow) -> list[LetterRow]:
    """Return the emails that a bundle contains, oldest first."""
    noted = sorted((it["made_at"], letter_id, it) for letter_id, it in bundle.data.items() if letter_id != "at")
    return [
        LetterRow(
            **it
            | {"game_id": UUID(it["game_id"]), "letter_id": UUID(letter_id), "player_id": bundle.player_id}
            | {"made_at": datetime.fromisoformat(made_at)}
        )
        for made_at, letter_id, it in noted
    ]
