"""Players: creating them, and their profiles."""

import re
import secrets
from collections.abc import Callable
from datetime import date, datetime
from typing import Any
from uuid import UUID, uuid4

from psycopg.rows import namedtuple_row
from sqlalchemy import select, update
from sqlalchemy.dialects.postgresql import insert

from server.accounts import calendars
from server.accounts.bounces import unreachable
from server.accounts.calendars import keep_vacations, time_zone
from server.accounts.preferences import check_notifications, next_bundle, stored_notifications
from server.accounts.tokens import SCOPES, new_token
from server.clock import clock
from server.errors import BadField, Unfit
from server.sanitize import clean
from server.store.connections import autocommit
from server.store.locks import hold
from server.store.outbox import move_bundle
from server.store.rows import Json
from server.store.tables import Player, db
from server.stored_data import read_or, warn_of
from server.translations import LOCALES

_LONGEST_NAME = 40
_NO_ZONE = "UTC"  # stored until the player chooses a time zone, or signs in with a browser
_CHOSEN_UTC = "Etc/UTC"  # stored for players who have chosen UTC
STARS = ("Altair", "Antares", "Bellatrix", "Capella", "Deneb", "Mira", "Polaris", "Pollux", "Rigel", "Spica", "Vega")


def player_token(email: str, name: str | None = None) -> str:
    """Return a token with all scopes for the player of this address. If there is no such player, create one with this
    name. For operators and tests."""
    token = new_token(player_of(email, "en", name), "operator", SCOPES)
    db.session.commit()
    return token.text


def player_of(email: str, locale: str, name: str | None = None, zone: str = "UTC", likely_name: str = "") -> UUID:
    """Return the player of this address, or create them, in the current transaction.

    The other parameters apply to a new player. `zone` also applies to a player who has chosen no time zone. Without a
    name, the player gets the likely one or a made-up one until they choose.
    """
    name = clean(name or "", _LONGEST_NAME)
    new = insert(Player).values(
        player_id=uuid4(),
        email=email,
        name=name or clean(likely_name, _LONGEST_NAME) or made_up_name(),
        named=bool(name),
        locale=locale,
        zone=zone,
        calendar={},
        notifications={},
        made_at=clock.now(),
    )
    db.session.execute(new.on_conflict_do_nothing(index_elements=["email"]))
    if zone != _NO_ZONE:
        unchosen = (Player.email == email) & (Player.zone == _NO_ZONE)
        db.session.execute(update(Player).where(unchosen).values(zone=zone))
    return db.session.execute(select(Player.player_id).where(Player.email == email)).scalar_one()


def address_of(player_id: UUID | None) -> str | None:
    return db.session.scalars(select(Player.email).where(Player.player_id == player_id)).one_or_none()


def player_at(email: str) -> UUID | None:
    return db.session.execute(select(Player.player_id).where(Player.email == email.lower())).scalar_one_or_none()


def program_since(player_id: UUID) -> datetime | None:
    """Return when this player declared that a program uses the account, or None."""
    return db.session.scalars(select(Player.program_since).where(Player.player_id == player_id)).one()


def made_up_name() -> str:
    """Return a star's name and a number, for players without a name. The name need not be unique."""
    return f"{secrets.choice(STARS)} {1000 + secrets.randbelow(9000)}"


def suggested_name(email: str) -> str:
    """Return a name made of the words before the `@` and before a `+`, or "" if there are none."""
    return clean(" ".join(re.findall(r"[^\W\d_]+", email.partition("@")[0].partition("+")[0])).title(), _LONGEST_NAME)


# Columns only: an ORM object would cost more than the rest of the response.
_PROFILE = """\
SELECT player_id, email, guest_until, name, named, locale, zone, calendar, notifications, shares_games, program_since,
    unreachable_since, unreachable_why
  FROM players WHERE player_id = %s"""


def profile(player_id: UUID) -> Json:
    """Return a player's own profile."""
    with autocommit() as connection, connection.cursor(row_factory=namedtuple_row) as cursor:
        rows: list[Any] = cursor.execute(_PROFILE, (player_id,)).fetchall()
    [player] = rows
    return {
        "id": player.player_id,
        "email": player.email if player.guest_until is None else "",
        "guest": player.guest_until is not None,
        "name": player.name,
        "named": player.named,
        "locale": stored_locale(player.locale),
        "zone": _NO_ZONE if player.zone == _CHOSEN_UTC else player.zone,
        "calendar": _stored_calendar(player.calendar),
        "notifications": stored_notifications(player.notifications),
        "shares_games": player.shares_games,
        "program": player.program_since is not None,
        "unreachable": unreachable(player.unreachable_since, player.unreachable_why),
    }


def stored_locale(locale: str) -> str:
    """Return a player's language, or English if this installation doesn't have that language."""
    if locale in LOCALES:
        return locale
    warn_of("locale")
    return "en"


def _stored_calendar(calendar: Json) -> Json:
    """Return a calendar as the player entered it, or an empty one if it can't be read."""

    def read() -> Json:
        calendars.calendar(calendar, "UTC")
        return calendar

    return read_or({}, "calendar", read)


def change_profile(player_id: UUID, changes: Json) -> Json:
    """Update fields of a profile. A new calendar applies from the next turn. Raise BadField for an invalid value."""
    change_profile_within(player_id, changes)
    db.session.commit()
    return profile(player_id)


def change_profile_within(player_id: UUID, changes: Json) -> None:
    """Update fields of a profile in the current transaction. Raise BadField for an invalid value."""
    player = db.session.get_one(Player, player_id)
    new: dict[str, Any] = dict(changes)
    if "name" in new:
        new["name"], new["named"] = clean(new["name"], _LONGEST_NAME), True
        if not new["name"]:
            raise BadField("name", "A name needs at least one visible character.")
    for field, check in (
        ("zone", time_zone),
        (
            "calendar",
            lambda calendar: _check_calendar(player, calendar, new.get("zone", calendars.stored_zone(player.zone).key)),
        ),
        ("notifications", check_notifications),
    ):
        if field in new:
            try:
                check(new[field])
            except Unfit as error:
                raise BadField(field, error.words) from None
    if new.get("zone") == _NO_ZONE:
        new["zone"] = _CHOSEN_UTC
    if new:
        db.session.execute(update(Player).where(Player.player_id == player_id).values(**new))
    if "notifications" in new or "zone" in new:
        now = clock.now()
        at = next_bundle(new.get("notifications", player.notifications), new.get("zone", player.zone), now)
        move_bundle(player_id, at, now)


def adapt_profile(player_id: UUID, field: str, change: Callable[[Json], Json]) -> None:
    """Replace a field of a profile, such as the calendar, by what `change` makes of it. Processes do this one at a
    time, so no change is lost. Raise BadField for an invalid value."""
    hold(player_id)
    try:
        change_profile(player_id, {field: change(profile(player_id)[field])})
    finally:
        db.session.rollback()


def add_vacation(player_id: UUID, first: date, last: date) -> None:
    """Add a vacation to a calendar, unless it has this vacation. Raise BadField if there are too many days."""
    days = {"from": first.isoformat(), "to": last.isoformat()}

    def add(calendar: Json) -> Json:
        others = [it for it in calendar.get("vacations", []) if it != days]
        return {**calendar, "vacations": [*others, days]}

    adapt_profile(player_id, "calendar", add)


def _check_calendar(player: Player, data: Json, zone: str) -> None:
    before, after = calendars.stored_calendar(player.calendar, player.zone), calendars.calendar(data, zone)
    keep_vacations(before, after, clock.now())
