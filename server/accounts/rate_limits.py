"""Rate limits that all processes share: uses counted in Postgres, for each bound by whom it bounds, in windows of a
fixed length. The bounds are settings (`config.BOUNDS`); where limits are switched off nothing is counted."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from ipaddress import IPv4Address, IPv6Network, ip_address
from typing import NamedTuple

from flask import current_app, g
from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from server.clock import clock
from server.config import Bound
from server.errors import TooMany
from server.store.tables import RateLimit, db
from server.translations import noted

_WHEN_THERE_IS_ROOM = 3600  # seconds until it is worth asking again for what is bounded at a time
_FOR_A_STREAM = 30  # the same of streams, which are closed sooner; those of a web that was killed count for so long
_REACHED = {  # what whoever reaches a bound is told
    "sign-ins": noted("From your address %(most)s sign-ins were asked for. Try again later."),
    "guests": noted("From your address %(most)s guests have come. Try again later, or sign in."),
    "guests-in-all": noted("This server has as many guests as it takes in a day. Try again later, or sign in."),
    "guest-games": noted("As a guest you have opened %(most)s games. Sign in for more."),
    "codes": noted("You have asked for %(most)s codes. Try again later."),
    "wrong-codes": noted("Too many wrong codes were tried for this address: %(most)s. Try again later."),
    "push-subscriptions": noted("You are told in %(most)s browsers; take one of them off first."),
    "tokens": noted("You have %(most)s tokens; revoke one of them first."),
    "apps": noted("You have allowed %(most)s apps something; end one of them first."),
    "app-registrations": noted("From your address %(most)s apps have come. Try again later."),
    "app-registrations-in-all": noted("This server has as many new apps as it takes in a day. Try again later."),
    "games": noted("You have opened %(most)s games. Try again later."),
    "program-games": noted("With your account a program has come to %(most)s games. Try again later."),
    "waiting-games": noted("%(most)s games of yours wait for others. Open another when one of them has begun."),
    "invitations": noted("You have sent %(most)s invitations. Try again later."),
    "invitations-to": noted("This address has been invited %(most)s times. Try again later."),
    "invitations-in-all": noted("This server has sent %(most)s invitations. Try again later."),
    "messages": noted("You have said %(most)s things in a short time. Try again in a moment."),
    "messages-hourly": noted("You have said %(most)s things. Try again later."),
    "reports": noted("You have reported %(most)s times. Try again later."),
    "streams": noted("You have %(most)s event streams open here; close one of them first."),
    "streams-of-address": noted("Your address has %(most)s event streams open here; close one, or send a token."),
    "webhook-tries": noted("You have asked for %(most)s pings and further tries. Try again later."),
    "mails": noted("For this seat %(most)s mails have come. Try again later."),
    "postmaster-mails": noted("To the postmaster %(most)s mails have come. Try again later."),
}
_TOLD = {
    "sign-ins",
    "guests",
    "games",
    "guest-games",
    "program-games",
    "invitations",
    "messages",
    "messages-hourly",
    "webhook-tries",
}  # the caller's own


class Use(NamedTuple):
    """What counts against a bound, and whom it bounds."""

    bound: str
    by: object


class Level(NamedTuple):
    """How a bound of the caller's stands: uses left, and seconds until all are there again."""

    bound: Bound
    left: int
    full_in: int


def bound_of(name: str) -> Bound | None:
    """None where limits are switched off."""
    return most_of(name) if current_app.config["LIMITS"] else None


def most_of(name: str) -> Bound:
    """Also where limits are switched off."""
    found: Bound = current_app.config["BOUNDS"][name]
    return found


def expect_within(*uses: Use) -> None:
    """Count uses as part of the transaction under way; above a bound it is rolled back. Raises TooMany."""
    for use, left in count(*uses).items():
        if left < 0:
            db.session.rollback()
            raise reached(use.bound)


def count(*uses: Use) -> Mapping[Use, int]:
    """Count uses as part of the transaction under way; how many more there may be of each, below 0 above its bound."""
    if not uses or not current_app.config["LIMITS"]:
        return {}
    now = clock.now()
    found = {use: most_of(use.bound).most - used for use, used in add({it: uses.count(it) for it in uses}, now).items()}
    for use, left in found.items():
        if use.bound in _TOLD:
            g.setdefault("levels", {})[use.bound] = Level(most_of(use.bound), max(0, left), _full_in(use.bound, now))
    return found


def add(times: Mapping[Use, int], now: datetime) -> Mapping[Use, int]:
    """Count each so many times as part of the transaction under way; how often each was used in its window by now."""
    by_key = {_key(use): use for use in times}
    rows = [  # in one order: no deadlock
        {"key": key, "since": window_of(use.bound, now), "used": times[use]} for key, use in sorted(by_key.items())
    ]
    row = insert(RateLimit).values(rows)
    counted = row.on_conflict_do_update(
        index_elements=["key", "since"], set_={"used": RateLimit.used + row.excluded.used}
    ).returning(RateLimit.key, RateLimit.used)
    return {by_key[it.key]: it.used for it in db.session.execute(counted)}


def expect_left(use: Use) -> None:
    """Look whether there may be one more, and count none. Raises TooMany."""
    bound = bound_of(use.bound)
    if bound is not None:
        this = (RateLimit.key == _key(use)) & (RateLimit.since == window_of(use.bound, clock.now()))
        if (db.session.scalar(select(RateLimit.used).where(this)) or 0) >= bound.most:
            raise reached(use.bound)


def expect_room(name: str, present: int) -> None:
    """Raises TooMany if there are as many at a time as there may be."""
    bound = bound_of(name)
    if bound is not None and present >= bound.most:
        raise reached(name)


def reached(name: str) -> TooMany:
    """What is raised at a bound."""
    bound = most_of(name)
    at_a_time = _FOR_A_STREAM if name.startswith("streams") else _WHEN_THERE_IS_ROOM
    wait = _full_in(name, clock.now()) if bound.seconds else at_a_time
    return TooMany(_REACHED[name], wait, most=bound.most)


def network_of(address: str) -> str:
    """Whom an address stands for: of IPv6 the /64 that one customer has, and IPv4 written as IPv6 for itself."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    if isinstance(found, IPv4Address):
        return str(found)
    return str(found.ipv4_mapped or IPv6Network((found.packed, 64), strict=False))


def keys_of(*people: object) -> list[str]:
    """Of all counts that bound one of them."""
    return [_key(Use(name, by)) for name in current_app.config["BOUNDS"] for by in people]


def forget_old_counts() -> None:
    """Drop, as part of the transaction under way, counts of windows that are over."""
    longest = max(bound.seconds for bound in current_app.config["BOUNDS"].values())
    db.session.execute(delete(RateLimit).where(RateLimit.since < clock.now() - timedelta(seconds=longest)))


def _key(use: Use) -> str:
    return f"{use.bound} {use.by}"


def window_of(name: str, now: datetime) -> datetime:
    """When the window began that is under way."""
    seconds = most_of(name).seconds
    return datetime.fromtimestamp(int(now.timestamp()) // seconds * seconds, UTC)


def _full_in(name: str, now: datetime) -> int:
    seconds = most_of(name).seconds
    return seconds - int(now.timestamp()) % seconds
