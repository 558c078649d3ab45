"""Features that operators can close temporarily, such as sign-ups. Each check reads the database, so a change needs no
restart."""

from collections.abc import Mapping
from datetime import datetime
from typing import Final

from sqlalchemy import delete
from sqlalchemy.dialects.postgresql import insert

from server.accounts.players import player_at
from server.clock import clock
from server.errors import Closed
from server.store import announcements
from server.store.database_retry import with_retries
from server.store.tables import Setting, db
from server.translations import noted

SIGN_UPS: Final = "sign-ups"
GUESTS: Final = "guests"
APPS: Final = "apps"
MAIL_IN: Final = "mail-in"
CLOSABLE: Final = {
    SIGN_UPS: noted(
        "This server isn't accepting new players right now. If you have an account, sign in with its email address."
    ),
    GUESTS: noted("This server isn't accepting guests right now. Sign in to play."),
    APPS: noted("This server isn't accepting new apps right now. Registered apps still work."),
    MAIL_IN: noted("This server isn't accepting email right now. Send it again later."),
}


@with_retries
def close(what: str) -> None:
    """Close one of the features in `CLOSABLE` until it is opened again."""
    row = insert(Setting).values(name=announcements.CLOSED + what, value=clock.now().isoformat())
    db.session.execute(row.on_conflict_do_nothing(index_elements=["name"]))
    db.session.commit()
    announcements.forget()


@with_retries
def open_again(what: str) -> None:
    db.session.execute(delete(Setting).where(Setting.name == announcements.CLOSED + what))
    db.session.commit()
    announcements.forget()


def closed(rows: Mapping[str, str] | None = None) -> dict[str, datetime]:
    """Return which features are closed, and since when. `rows` are the announcements, if already loaded."""
    rows = announcements.announced() if rows is None else rows
    names = {announcements.CLOSED + what: what for what in CLOSABLE}
    return {names[name]: datetime.fromisoformat(at) for name, at in rows.items() if name in names}


def is_open(what: str) -> bool:
    return what not in closed()


def expect_open(what: str) -> None:
    """Raise Closed if operators have closed the feature `what`."""
    if not is_open(what):
        raise Closed(CLOSABLE[what])


def expect_known_or_open(email: str) -> None:
    """Raise Closed for an address without an account while sign-ups are closed."""
    if player_at(email) is None:
        expect_open(SIGN_UPS)
