"""Rate limits for requests. Each player has a token bucket, and so does each network for requests without a token.

Each process counts in memory, so no request waits for the database. Once a second it shares heavy use with the other
processes through Postgres. Clients can exceed a limit for that second only, even across processes. Responses also
report the bounds that `accounts.rate_limits` counts.
"""

from collections import Counter, OrderedDict
from collections.abc import Hashable, Mapping
from datetime import datetime
from math import ceil
from threading import Lock
from typing import NamedTuple

from flask import Flask, Response, current_app, g, request

from server.accounts.rate_limits import Level as CountedLevel
from server.accounts.rate_limits import Use, add, network_of, window_of
from server.api.auth import is_for_api, known_sender
from server.clock import clock
from server.config import Bound
from server.errors import TooMany
from server.store.tables import db
from server.translations import noted

LONG = 9  # additional units of an expensive request
ROWS = 20  # rows of a list per unit
KIB = 4  # KiB of a body per unit
OF_PLAYER, OF_ADDRESS, OF_PAGES, OF_MAIL_IN = "player", "address", "pages", "mail-in"
_FREE = ("watching", "sandbox")  # blueprints for operators and tests
_MOST = 20_000  # buckets of each kind
SHARED_EVERY = 1  # seconds
_MUCH = 20  # use is shared only if it is more than 1/20 of what refills in that time
_REACHED = {
    OF_PLAYER: noted("Too many requests. Your limit is %(most)s request units per %(seconds)s seconds."),
    OF_ADDRESS: noted(
        "Too many requests without a token from your network. The limit is %(most)s request units per %(seconds)s "
        "seconds."
    ),
    OF_PAGES: noted("Too many requests from your network. Try again in a moment."),
    OF_MAIL_IN: noted("Too many emails from your network. Try again in a moment."),
}


class Level(NamedTuple):
    """The state of a bucket: units left, seconds until it is full, and seconds until it has the units requested. If the
    wait is 0, the units have been taken."""

    left: int
    full_in: int
    wait: int


class Buckets:
    """The buckets of one bound, which refill steadily. A bucket is stored as the time when it will be full. A full
    bucket needs no entry. Above `_MOST`, the least recently used buckets are dropped."""

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self._each = bound.seconds * 1000 // bound.most
        self._full_at: OrderedDict[Hashable, int] = OrderedDict()
        self._taken = Counter[Hashable]()  # units taken since the last exchange
        self._known: dict[Hashable, tuple[datetime, int]] = {}  # window, and the units taken in it by all processes
        self._lock = Lock()

    def take(self, key: Hashable, units: int, now: int) -> Level:
        """Take units unless there are too few. A negative number puts units back. `now` is in milliseconds."""
        whole, asked = self.bound.most * self._each, units * self._each
        with self._lock:
            full_at = self._full_at.get(key, now)
            if not now <= full_at <= now + whole:  # it is full, or the clock went back
                full_at = now
            wait = full_at + asked - now - whole
            if wait <= 0:
                full_at += asked
                self._taken[key] += units
                if len(self._taken) > _MOST:  # no exchange for a while
                    self._taken.clear()
            self._full_at[key] = full_at
            self._full_at.move_to_end(key)
            if len(self._full_at) > _MOST:
                self._full_at.popitem(last=False)
        lacking = max(0, full_at - now)
        return Level((whole - lacking) // self._each, ceil(lacking / 1000), max(0, ceil(wait / 1000)))

    @property
    def is_any_taken(self) -> bool:
        return bool(self._taken)

    def drain(self) -> Mapping[Hashable, int]:
        """Return the units that each heavy user has taken since the last call."""
        with self._lock:
            taken, self._taken = self._taken, Counter()
        least = self.bound.most * SHARED_EVERY // self.bound.seconds // _MUCH
        return {key: units for key, units in taken.items() if units > least}

    def learn(self, taken: Mapping[Hashable, tuple[int, int]], window: datetime, now: datetime) -> None:
        """Subtract the units that other processes took. `taken` has the units that this process took since the last
        exchange, and those that all processes took in this window."""
        moment = _milliseconds(now)
        whole = self.bound.most * self._each
        with self._lock:
            known = self._known
            self._known = {key: (window, everywhere) for key, (_, everywhere) in taken.items()}
            self._known |= {key: it for key, it in known.items() if it[0] == window and key not in taken}
            for key, (here, everywhere) in taken.items():
                began, before = known.get(key, (None, 0))
                if began != window:  # others may have begun long ago, and units have refilled since
                    before = (moment - _milliseconds(window)) // self._each
                if (elsewhere := everywhere - here - before) > 0:
                    full_at = max(self._full_at.get(key, moment), moment) + elsewhere * self._each
                    self._full_at[key] = min(full_at, moment + whole)


class _Account:
    """The bucket of a request."""

    def __init__(self, name: str, buckets: Buckets, key: Hashable) -> None:
        self.name = name
        self.bound = buckets.bound
        self._buckets = buckets
        self._key = key

    def take(self, units: int) -> int:
        """Take units. Return 0, or the seconds to wait for them."""
        self.level = self._buckets.take(self._key, units, _milliseconds(clock.now()))
        return self.level.wait


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def register(app: Flask) -> None:
    """Register the handlers. Call this after `auth`, which identifies the caller, and before handlers that respond with
    304."""
    app.extensions["limits"] = full_buckets(app)
    app.before_request(_begin)
    app.after_request(_tell)


def full_buckets(app: Flask) -> dict[str, Buckets]:
    return {name: Buckets(app.config["BOUNDS"][name]) for name in _REACHED}


def is_any_taken(app: Flask) -> bool:
    """Return whether any units were taken since the last exchange with the other processes."""
    limits: dict[str, Buckets] = app.extensions["limits"]
    return any(buckets.is_any_taken for buckets in limits.values())


def share() -> None:
    """Report the units taken in this process to the other processes, and subtract the units taken in those."""
    limits: dict[str, Buckets] = current_app.extensions["limits"]
    taken = {name: buckets.drain() for name, buckets in limits.items()}
    uses = {Use(name, key): units for name, by_key in taken.items() for key, units in by_key.items()}
    if not uses:
        return
    now = clock.now()
    everywhere = add(uses, now)
    db.session.commit()
    for name, by_key in taken.items():
        told = {key: (units, everywhere[Use(name, key)]) for key, units in by_key.items()}
        limits[name].learn(told, window_of(name, now), now)


def spend(units: int) -> None:
    """Take units from the caller's bucket. Raise TooMany if there are too few."""
    account: _Account | None = g.account
    if units and account is not None and (wait := account.take(min(units, account.bound.most))):
        raise TooMany(_REACHED[account.name], wait, most=account.bound.most, seconds=account.bound.seconds)


def _begin() -> None:
    g.account, g.levels = None, {}
    if not current_app.config["LIMITS"] or request.blueprint in _FREE:
        return
    sender = known_sender() if is_for_api() else None
    name = OF_PLAYER if sender else _of_strangers()
    key = sender.player_id if sender else network_of(request.remote_addr or "")
    g.account = _Account(name, current_app.extensions["limits"][name], key)
    is_drawn = name == OF_PAGES and not (request.endpoint or "page.").startswith(("page.", "pages.static"))
    spend(1 + LONG if is_drawn else 1)


def _of_strangers() -> str:
    if is_for_api():
        return OF_ADDRESS
    return OF_MAIL_IN if request.blueprint == "mail_in" else OF_PAGES


def _tell(response: Response) -> Response:
    """Add the headers of draft-ietf-httpapi-ratelimit-headers. For a 304, put the request's base unit back."""
    account: _Account | None = g.pop("account", None)
    if account is not None and response.status_code == 304:
        account.take(-1)
    if account is not None and is_for_api():
        counted: dict[str, CountedLevel] = g.pop("levels")
        levels = {account.name: CountedLevel(account.bound, account.level.left, account.level.full_in), **counted}
        response.headers["RateLimit-Policy"] = ", ".join(
            f'"{name}";q={it.bound.most};w={it.bound.seconds}' for name, it in levels.items()
        )
        response.headers["RateLimit"] = ", ".join(f'"{name}";r={it.left};t={it.full_in}' for name, it in levels.items())
    return response
