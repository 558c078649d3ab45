"""Rate limits: every token has a bucket of units, and so has every address without one; requests take from it, and it
fills up again steadily.

Each process of the web counts for itself, in its memory: no request waits for that, and where two processes share the
work, somebody may get up to twice as much.
"""

from collections import OrderedDict
from collections.abc import Hashable
from ipaddress import IPv6Address, IPv6Network, ip_address
from math import ceil
from threading import Lock
from typing import NamedTuple

from flask import Flask, Response, current_app, g, request

from server.api.auth import is_for_api, known_sender
from server.play.clock import clock
from server.play.errors import TooMany

LONG = 9  # units for what takes long to make, beside the one of every request
_MOST = 20_000  # buckets of a kind


class Policy(NamedTuple):
    """`quota` units are in a full bucket; an empty one is full again after `window` seconds. A unit comes back in a
    whole number of milliseconds."""

    name: str
    quota: int
    window: int

    def __str__(self) -> str:
        return f'"{self.name}";q={self.quota};w={self.window}'


OF_TOKEN, OF_ADDRESS = Policy("token", 12_000, 60), Policy("address", 6_000, 60)


class Level(NamedTuple):
    """How a bucket stands: units left, seconds until it is full, and seconds until it has what was asked for; with 0
    that has been taken."""

    left: int
    full_in: int
    wait: int


class Buckets:
    """All of one policy. Of each it is known when it will be full: one that is full is as good as none. When there are
    too many, those make room that were not used for the longest time."""

    def __init__(self, policy: Policy) -> None:
        self.policy = policy
        self._each = policy.window * 1000 // policy.quota
        self._full_at: OrderedDict[Hashable, int] = OrderedDict()
        self._lock = Lock()

    def take(self, key: Hashable, units: int, now: int) -> Level:
        """Take so many units, or give them back, unless there are fewer. Times are in milliseconds."""
        whole, asked = self.policy.quota * self._each, units * self._each
        with self._lock:
            full_at = self._full_at.get(key, now)
            if not now <= full_at <= now + whole:  # it is full, or the clock has been put back
                full_at = now
            wait = full_at + asked - now - whole
            if wait <= 0:
                full_at += asked
            self._full_at[key] = full_at
            self._full_at.move_to_end(key)
            if len(self._full_at) > _MOST:
                self._full_at.popitem(last=False)
        lacking = max(0, full_at - now)
        return Level((whole - lacking) // self._each, ceil(lacking / 1000), max(0, ceil(wait / 1000)))


class _Account:
    """The bucket from which a request takes."""

    def __init__(self, buckets: Buckets, key: Hashable) -> None:
        self.buckets = buckets
        self._key = key

    def take(self, units: int) -> int:
        """Seconds to wait; 0 if they have been taken."""
        self.level = self.buckets.take(self._key, units, int(clock.now().timestamp() * 1000))
        return self.level.wait


def register(app: Flask) -> None:
    """After `auth`, which knows whose request it is; before whatever makes a 304."""
    app.extensions["limits"] = full_buckets()
    app.before_request(_begin)
    app.after_request(_tell)


def full_buckets() -> dict[Policy, Buckets]:
    return {policy: Buckets(policy) for policy in (OF_TOKEN, OF_ADDRESS)}


def spend(units: int) -> None:
    """Take so many units from the bucket of this request's sender. Raises TooMany."""
    account: _Account | None = g.account
    if account is not None and (wait := account.take(units)):
        raise TooMany("You ask too much at once.", wait)


def _begin() -> None:
    g.account = None
    if current_app.config["LIMITS"] and is_for_api():
        sender = known_sender()
        policy, key = (OF_TOKEN, sender.token_hash) if sender else (OF_ADDRESS, _network(request.remote_addr or ""))
        g.account = _Account(current_app.extensions["limits"][policy], key)
        spend(1)


def _network(address: str) -> Hashable:
    """Of IPv6, what one customer has."""
    try:
        found = ip_address(address)
    except ValueError:
        return address
    return IPv6Network((found, 64), strict=False).network_address if isinstance(found, IPv6Address) else address


def _tell(response: Response) -> Response:
    """By draft-ietf-httpapi-ratelimit-headers. What has not changed is free, but for what it took to find that out."""
    account: _Account | None = g.pop("account", None)
    if account is not None:
        if response.status_code == 304:
            account.take(-1)
        policy, level = account.buckets.policy, account.level
        response.headers["RateLimit-Policy"] = str(policy)
        response.headers["RateLimit"] = f'"{policy.name}";r={level.left};t={level.full_in}'
    return response
