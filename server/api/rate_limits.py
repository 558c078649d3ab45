"""Rate limits of requests: every player has a bucket of units, and so has every network that sends no token; requests
take from it, and it fills up again steadily.

Each process of the web counts in its memory, so that no request waits for it. Once a second it tells the others, by what
is counted in Postgres, of those who take much, and learns what they have taken there: over all webs together somebody may
get more for that second only, and from then on no more than from one. What is counted for all processes at once is told
here as well.
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

LONG = 9  # units for what takes long to make, beside the one of every request
ROWS = 20  # rows of a list, or
KIB = 4  # kibibytes of a body, that come with the first unit; each as many more take another
OF_PLAYER, OF_ADDRESS, OF_PAGES, OF_MAIL_IN = "player", "address", "pages", "mail-in"
_FREE = ("watching", "sandbox")  # blueprints for operators, and for tests
_MOST = 20_000  # buckets of a kind
SHARED_EVERY = 1  # seconds
_MUCH = 20  # of what comes back in that time, whoever takes less than a 20th is not told of
_REACHED = {
    OF_PLAYER: noted("Too many requests. Your limit is %(most)s units per %(seconds)s seconds."),
    OF_ADDRESS: noted(
        "Too many requests without a token from your network. The limit is %(most)s units per %(seconds)s seconds."
    ),
    OF_PAGES: noted("Too many requests from your network. Try again in a moment."),
    OF_MAIL_IN: noted("Too many emails from your network. Try again in a moment."),
}


class Level(NamedTuple):
    """How a bucket stands: units left, seconds until it is full, and seconds until it has what was asked for; with 0
    that has been taken."""

    left: int
    full_in: int
    wait: int


class Buckets:
    """All of one bound, whose units are in a full bucket; an empty one is full again after its seconds. Of each it is
    known when it will be full: one that is full is as good as none. When there are too many, those make room that were
    not used for the longest time."""

    def __init__(self, bound: Bound) -> None:
        self.bound = bound
        self._each = bound.seconds * 1000 // bound.most
        self._full_at: OrderedDict[Hashable, int] = OrderedDict()
        self._taken = Counter[Hashable]()  # units, since the others were told
        self._known: dict[Hashable, tuple[datetime, int]] = {}  # a window, and the units taken in it everywhere
        self._lock = Lock()

    def take(self, key: Hashable, units: int, now: int) -> Level:
        """Take so many units, or give them back, unless there are fewer. Times are in milliseconds."""
        whole, asked = self.bound.most * self._each, units * self._each
        with self._lock:
            full_at = self._full_at.get(key, now)
            if not now <= full_at <= now + whole:  # it is full, or the clock has been put back
                full_at = now
            wait = full_at + asked - now - whole
            if wait <= 0:
                full_at += asked
                self._taken[key] += units
                if len(self._taken) > _MOST:  # nobody has asked for a while
                    self._taken.clear()
            self._full_at[key] = full_at
            self._full_at.move_to_end(key)
            if len(self._full_at) > _MOST:
                self._full_at.popitem(last=False)
        lacking = max(0, full_at - now)
        return Level((whole - lacking) // self._each, ceil(lacking / 1000), max(0, ceil(wait / 1000)))

    def taken(self) -> Mapping[Hashable, int]:
        """Of those who took much since the last time, how many units."""
        with self._lock:
            taken, self._taken = self._taken, Counter()
        least = self.bound.most * SHARED_EVERY // self.bound.seconds // _MUCH
        return {key: units for key, units in taken.items() if units > least}

    def learn(self, taken: Mapping[Hashable, tuple[int, int]], window: datetime, now: datetime) -> None:
        """Of each how many units were taken here, as told just now, and everywhere in this window."""
        moment = _milliseconds(now)
        whole = self.bound.most * self._each
        with self._lock:
            known = self._known
            self._known = {key: (window, everywhere) for key, (_, everywhere) in taken.items()}
            self._known |= {key: it for key, it in known.items() if it[0] == window and key not in taken}
            for key, (here, everywhere) in taken.items():
                began, before = known.get(key, (None, 0))
                if began != window:  # the others may have begun long ago, and some has come back since
                    before = (moment - _milliseconds(window)) // self._each
                if (elsewhere := everywhere - here - before) > 0:
                    full_at = max(self._full_at.get(key, moment), moment) + elsewhere * self._each
                    self._full_at[key] = min(full_at, moment + whole)


class _Account:
    """The bucket from which a request takes."""

    def __init__(self, name: str, buckets: Buckets, key: Hashable) -> None:
        self.name = name
        self.bound = buckets.bound
        self._buckets = buckets
        self._key = key

    def take(self, units: int) -> int:
        """Seconds to wait; 0 if they have been taken."""
        self.level = self._buckets.take(self._key, units, _milliseconds(clock.now()))
        return self.level.wait


def _milliseconds(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def register(app: Flask) -> None:
    """After `auth`, which knows whose request it is; before whatever makes a 304."""
    app.extensions["limits"] = full_buckets(app)
    app.before_request(_begin)
    app.after_request(_tell)


def full_buckets(app: Flask) -> dict[str, Buckets]:
    return {name: Buckets(app.config["BOUNDS"][name]) for name in _REACHED}


def share() -> None:
    """Tell the other webs what was taken here, and learn what was taken there."""
    limits: dict[str, Buckets] = current_app.extensions["limits"]
    taken = {name: buckets.taken() for name, buckets in limits.items()}
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
    """Take so many units from the bucket of this request's sender. Raises TooMany."""
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
    """By draft-ietf-httpapi-ratelimit-headers. What has not changed is free, but for what it took to find that out."""
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
