"""Rate limits across all processes. Postgres counts the uses by each subject in fixed time windows. Settings define the
bounds (`config.BOUNDS`). If limits are off, nothing is counted.

Some bounds apply to the whole installation. Each network or player may use a fraction of the remainder, such as a
twentieth, but at least `LEAST_SHARE`. These shares shrink with use, so a few greedy networks leave room for others. For
example, of 5,000 guests a day, 250 greedy networks get 4,620, and another network still gets 18.
"""

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from math import ceil
from typing import NamedTuple

from flask import current_app, g
from sqlalchemy import delete, select
from sqlalchemy.dialects.postgresql import insert

from server.clock import clock
from server.config import Bound
from server.errors import TooMany
from server.store.tables import RateLimit, db
from server.translations import noted

ALL = "all"
OF_ONE, OF_MANY = (20, 4)  # divisors of a shared bound's remainder: per customer, per provider
LEAST_SHARE = 2
_PREFIXES = {4: (24, 16), 6: (48, 32)}  # prefix lengths of a customer's network, and of a provider's
_WITH_PORT = re.compile(r"\[([^\]]*)\](?::\d*)?|([\d.]+):\d*", re.ASCII)
_UNREADABLE = "unreadable"  # all such addresses share one count
_WHEN_THERE_IS_ROOM = 3600  # Retry-After, in seconds, for bounds without a window, such as open games
_FOR_A_STREAM = 30  # the same for streams; the streams of a killed web process count for that long
_REACHED = {  # error text of each bound
    "sign-ins": noted("Too many sign-in requests from your network (limit: %(most)s). Try again later."),
    "guests": noted("Too many guests from your network (limit: %(most)s). Try again later, or sign in."),
    "guests-in-all": noted("This server has reached its daily limit on new guests. Try again later, or sign in."),
    "guest-games": noted("You've created %(most)s games as a guest. Sign in to create more."),
    "codes-daily": noted("You've requested %(most)s codes today. Try again tomorrow."),
    "codes-in-all": noted("This server has reached its hourly limit on codes. Try again later."),
    "codes": noted("You've requested %(most)s codes. Try again later."),
    "wrong-codes": noted("Too many wrong codes for this address (limit: %(most)s). Try again later."),
    "push-subscriptions": noted("You've subscribed %(most)s browsers. Unsubscribe one first."),
    "tokens": noted("You have %(most)s tokens. Revoke one first."),
    "apps": noted("You've authorized %(most)s apps. Revoke one first."),
    "app-registrations": noted("Too many app registrations from your network (limit: %(most)s). Try again later."),
    "app-registrations-in-all": noted("This server has reached its daily limit on new apps. Try again later."),
    "games": noted("You've created %(most)s games. Try again later."),
    "program-games": noted("Your account's program has joined %(most)s games. Try again later."),
    "waiting-games": noted(
        "You have %(most)s open games waiting for players. Create another once one of them has started."
    ),
    "invitations": noted("You've sent %(most)s invitations. Try again later."),
    "invitations-to": noted("This address has been invited %(most)s times. Try again later."),
    "invitations-in-all": noted("This server has sent %(most)s invitations. Try again later."),
    "messages": noted("You've sent %(most)s messages in a short time. Try again in a moment."),
    "messages-hourly": noted("You've sent %(most)s messages. Try again later."),
    "reports": noted("You've sent %(most)s reports. Try again later."),
    "hints": noted("You've asked for %(most)s hints. You can get the next one in %(minutes)s min."),
    "reviews": noted("You've asked for %(most)s reviews. Try again later."),
    "waiting-reviews": noted(
        "%(most)s of your reviews are still being computed. Request another once one of them is complete."
    ),
    "streams": noted("You have %(most)s open event streams. Close one first."),
    "streams-of-address": noted("Your network has %(most)s open event streams. Close one, or send a token."),
    "webhook-tries": noted("You've requested %(most)s tests and retries. Try again later."),
    "mails": noted("Too many emails for this seat (limit: %(most)s). Try again later."),
    "desk-mails": noted("Too many emails to the post desk (limit: %(most)s). Try again later."),
    "desk-replies": noted("Too many replies to the post desk (limit: %(most)s). Try again later."),
    "returned-mails": noted("Too many bounced emails (limit: %(most)s). Try again later."),
    "returned-mails-in-all": noted("Too many bounced emails (limit: %(most)s). Try again later."),
    "postmaster-mails": noted("Too many emails to the postmaster (limit: %(most)s). Try again later."),
}
_SHARE_USED_UP = {
    "guests-in-all": noted("Too many guests from your network. Try again later, or sign in."),
    "codes-in-all": noted("Too many code requests from your network. Try again later."),
    "app-registrations-in-all": noted("Too many app registrations from your network. Try again later."),
    "invitations-in-all": noted(
        "You've sent many invitations, and this server is close to its limit. Try again later."
    ),
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
    "hints",
    "reviews",
    "webhook-tries",
}  # bounds of the caller, reported in response headers


class Use(NamedTuple):
    """A use that counts against a bound, and its subject. With `parts`, the subject may use that fraction of a shared
    bound's remainder."""

    bound: str
    by: object
    parts: int = 0


class Level(NamedTuple):
    """The state of a caller's bound: uses left, and seconds until the window ends."""

    bound: Bound
    left: int
    full_in: int


def bound_of(name: str) -> Bound | None:
    """Return a bound, or None if limits are off."""
    return most_of(name) if current_app.config["LIMITS"] else None


def most_of(name: str) -> Bound:
    """Return a bound, even if limits are off."""
    found: Bound = current_app.config["BOUNDS"][name]
    return found


def expect_within(*uses: Use) -> None:
    """Count uses in the current transaction. Above a bound, roll the transaction back and raise TooMany."""
    expect_not_above(count(*uses))


def expect_not_above(counted: Mapping[Use, int]) -> None:
    """Roll the current transaction back and raise TooMany if one of these counts is above its bound."""
    for use, left in counted.items():
        if left < 0:
            db.session.rollback()
            raise reached(use.bound, is_share=use.parts > 0)


def share_of(bound: Bound, used: int, parts: int) -> int:
    """Return how many uses of a shared bound one network or player may have when there were `used` uses in total."""
    return max(LEAST_SHARE, (bound.most - used) // parts)


def network_shares(name: str, address: str) -> list[Use]:
    """Return the uses that a request from this network address counts against a shared bound."""
    near, wide = _networks_of(address)
    return [Use(name, ALL), Use(name, near, OF_ONE), Use(name, wide, OF_MANY)]


def count(*uses: Use) -> Mapping[Use, int]:
    """Count uses in the current transaction. Return how many uses are left: a negative number if a bound is
    exceeded."""
    if not uses or not current_app.config["LIMITS"]:
        return {}
    now = clock.now()
    used = add({it: uses.count(it) for it in uses}, now)
    found = {use: _most_for(use, used) - used[use] for use in used}
    for use, left in found.items():
        if use.bound in _TOLD:
            g.setdefault("levels", {})[use.bound] = Level(most_of(use.bound), max(0, left), _full_in(use.bound, now))
    return found


def _most_for(use: Use, used: Mapping[Use, int]) -> int:
    bound = most_of(use.bound)
    return share_of(bound, used[Use(use.bound, ALL)], use.parts) if use.parts else bound.most


def add(times: Mapping[Use, int], now: datetime) -> Mapping[Use, int]:
    """Add these numbers of uses to the counts, in the current transaction. Return the totals of the current windows."""
    by_key = {_key(use): use for use in times}
    rows = [  # sorted, to avoid deadlocks
        {"key": key, "since": window_of(use.bound, now), "used": times[use]} for key, use in sorted(by_key.items())
    ]
    row = insert(RateLimit).values(rows)
    counted = row.on_conflict_do_update(
        index_elements=["key", "since"], set_={"used": RateLimit.used + row.excluded.used}
    ).returning(RateLimit.key, RateLimit.used)
    return {by_key[it.key]: it.used for it in db.session.execute(counted)}


def expect_left(use: Use) -> None:
    """Raise TooMany if no use is left. Count nothing."""
    if not has_left(use):
        raise reached(use.bound)


def has_left(use: Use) -> bool:
    """Return whether a use is left. Count nothing."""
    bound = bound_of(use.bound)
    if bound is None:
        return True
    this = (RateLimit.key == _key(use)) & (RateLimit.since == window_of(use.bound, clock.now()))
    return (db.session.scalar(select(RateLimit.used).where(this)) or 0) < bound.most


def expect_room(name: str, present: int) -> None:
    """Raise TooMany if `present`, the current number of tokens, open streams or the like, has reached the bound."""
    bound = bound_of(name)
    if bound is not None and present >= bound.most:
        raise reached(name)


def reached(name: str, is_share: bool = False) -> TooMany:
    """Return the error for a reached bound, or for a used-up share of it."""
    bound = most_of(name)
    at_a_time = _FOR_A_STREAM if name.startswith("streams") else _WHEN_THERE_IS_ROOM
    wait = _full_in(name, clock.now()) if bound.seconds else at_a_time
    return TooMany((_SHARE_USED_UP if is_share else _REACHED)[name], wait, most=bound.most, minutes=ceil(wait / 60))


@lru_cache(10_000)
def network_of(address: str) -> str:
    """Return the network that an address counts as: an IPv4 address itself, the /64 of an IPv6 address."""
    found = _read_address(address)
    if found is None:
        return _UNREADABLE
    return str(found) if isinstance(found, IPv4Address) else str(ip_network((found.packed, 64), strict=False))


def _networks_of(address: str) -> tuple[str, str]:
    """Return a pair: the network around this address that typically belongs to one customer, and the one that typically
    belongs to a provider."""
    found = _read_address(address)
    if found is None:
        return _UNREADABLE, f"{_UNREADABLE}, provider"
    near, wide = (str(ip_network((found.packed, it), strict=False)) for it in _PREFIXES[found.version])
    return near, wide


def _read_address(text: str) -> IPv4Address | IPv6Address | None:
    """Parse an address as proxies write it: with port, brackets or zone, IPv4 mapped to IPv6, in any case."""
    text = text.strip().strip('"')
    if parts := _WITH_PORT.fullmatch(text):
        text = parts[1] or parts[2] or ""
    try:
        found = ip_address(text)
    except ValueError:
        return None
    return (found.ipv4_mapped or found) if isinstance(found, IPv6Address) else found


def keys_of(*people: object) -> list[str]:
    """Return the keys of all counts of these subjects."""
    return [_key(Use(name, by)) for name in current_app.config["BOUNDS"] for by in people]


def forget_old_counts() -> None:
    """Delete the counts of past windows, in the current transaction."""
    longest = max(bound.seconds for bound in current_app.config["BOUNDS"].values())
    db.session.execute(delete(RateLimit).where(RateLimit.since < clock.now() - timedelta(seconds=longest)))


def _key(use: Use) -> str:
    return f"{use.bound} {use.by}"


def window_of(name: str, now: datetime) -> datetime:
    """Return the start of the current window."""
    seconds = most_of(name).seconds
    return datetime.fromtimestamp(int(now.timestamp()) // seconds * seconds, UTC)


def window_end(name: str, now: datetime) -> datetime:
    """Return the end of the current window."""
    return window_of(name, now) + timedelta(seconds=most_of(name).seconds)


def _full_in(name: str, now: datetime) -> int:
    seconds = most_of(name).seconds
    return seconds - int(now.timestamp()) % seconds
