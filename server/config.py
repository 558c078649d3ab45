"""Settings, read from the environment once."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

CHECKOUT = Path(__file__).parents[1]


class BadSetting(ValueError):
    """A variable holds what it cannot mean; the text is one sentence for the operator."""


class Secret(str):
    """A setting that is shown to nobody."""

    __slots__ = ()


class Bound(NamedTuple):
    """A rate limit: at most so many within so many seconds or, with 0, at a time."""

    most: int
    seconds: int = 0

    def __str__(self) -> str:
        if not self.seconds:
            return str(self.most)
        unit, length = next((it, length) for it, length in reversed(_UNITS.items()) if self.seconds % length == 0)
        return f"{self.most}/{self.seconds // length}{unit}"


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True)
class Settings:
    """What an operator chooses; `VARIABLES` has the meanings."""

    database_url: str | None
    database_url_direct: str | None
    smtp_url: tuple[str, ...] | None
    mail_in: tuple[str, ...] | None
    mail_in_secret: Secret | None
    reply_domain: str | None
    dkim_key: Path | None
    dkim_selector: str
    port: int
    data: Path
    shelf: Path | None
    base_url: str
    limits: bool
    proxies: int
    sandbox: bool
    metrics_token: Secret | None
    keep_deliveries: timedelta
    keep_answers: timedelta
    bounds: Mapping[str, Bound]  # by their names in `BOUNDS`

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Raises BadSetting. An empty variable counts as one that is not set."""
        read: dict[str, Any] = {}
        for field, variable in VARIABLES.items():
            read[field] = variable.of(environment, read.get("port"))
        return cls(**read, bounds={name: variable.of(environment) for name, variable in BOUNDS.items()})

    def listed(self) -> list[tuple[str, str, str, str]]:
        """Of each variable its name, default, present value (passwords masked) and meaning."""
        values = [(variable, getattr(self, field)) for field, variable in VARIABLES.items()]
        values += [(variable, self.bounds[name]) for name, variable in BOUNDS.items()]
        return [(it.name, it.default_at(self.port), _written(value), it.meaning) for it, value in values]


def masked(url: str) -> str:
    """A URL without its password, even if it is not quite one."""
    before = "//" if "//" in url else "^"
    url = re.sub(f"({before}[^:/@]*):.*@", r"\1:***@", url)
    return re.sub(r"(password=)[^&\s]*", r"\1***", url)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Secret):
        return "***"
    if isinstance(value, timedelta):
        return str(value.days)
    if type(value) is tuple:
        return ",".join(map(masked, value))
    return "" if value is None else masked(str(value))


def _database(text: str) -> str:
    url = urlsplit(text)
    hosts = url.netloc.rpartition("@")[2].split(",")  # the one that is the first now, and those that may take its place
    if url.scheme not in ("postgres", "postgresql", "postgresql+psycopg") or 0 in [
        urlsplit(f"//{it}").port for it in hosts
    ]:
        raise ValueError
    if re.search(r"\s|%(?!(?!00)[0-9A-Fa-f]{2})", text):  # libpq would quote it, be it a password
        raise ValueError
    return f"postgresql://{text.partition('://')[2]}"


def _mail_servers(text: str) -> tuple[str, ...]:
    """A password may have a comma in it."""
    servers = tuple(re.split(r"\s*,\s*(?=smtps?://)", text))
    for url in map(urlsplit, servers):
        if url.scheme not in ("smtp", "smtps") or not url.hostname or url.port == 0:
            raise ValueError
    return servers


def _ways_in(text: str) -> tuple[str, ...]:
    return tuple(_way_in(way.strip()) for way in text.split(","))


def _way_in(text: str) -> str:
    """As a URL; `host:port` alone is one of SMTP."""
    url = urlsplit(text if "://" in text else f"smtp://{text}")
    is_mailbox = url.scheme == "imaps" and url.username and url.password and url.port != 0
    is_listener = url.scheme in ("smtp", "lmtp") and url.port and not (url.path or "@" in url.netloc)
    if not url.hostname or not (is_mailbox or is_listener) or url.query or url.fragment:
        raise ValueError
    return url.geturl()


def _days(least: int, text: str) -> timedelta:
    if not least <= int(text) <= 36500:
        raise ValueError
    return timedelta(days=int(text))


def _token(text: str) -> Secret:
    if not re.fullmatch(r"[A-Za-z0-9._~+/-]{16,}=*", text):  # RFC 6750, 2.1
        raise ValueError
    return Secret(text)


def _label(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?", text):
        raise ValueError
    return text.lower()


def _domain(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*", text):
        raise ValueError
    return text.lower()


def _port(text: str) -> int:
    if not 1 <= int(text) <= 65535:
        raise ValueError
    return int(text)


def _path(text: str) -> Path:
    return Path(text).expanduser().absolute()


def _same_everywhere(text: str) -> Path:
    """Each process has a directory that it is in, and a home."""
    if not Path(text).is_absolute():
        raise ValueError
    return Path(text)


def _web_address(text: str) -> str:
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment:
        raise ValueError
    return text.rstrip("/")


def _switch(text: str) -> bool:
    if text.lower() not in ("on", "off", "1", "0"):
        raise ValueError
    return text.lower() in ("on", "1")


def _rate(text: str) -> Bound:
    """`50/1h`. At most a thousand a second, since buckets count in milliseconds."""
    parts = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,4})([smhd])", text)
    if parts is None:
        raise ValueError
    bound = Bound(int(parts[1]), int(parts[2]) * _UNITS[parts[3]])
    if not 1 <= bound.most <= 1000 * bound.seconds:
        raise ValueError
    return bound


def _at_a_time(text: str) -> Bound:
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) < 1:
        raise ValueError
    return Bound(int(text))


class _Variable(NamedTuple):
    name: str
    default: str
    form: str
    meaning: str
    read: Callable[[str], Any]

    def default_at(self, port: int | None) -> str:
        return self.default.replace("{port}", str(port))

    def of(self, environment: Mapping[str, str], port: int | None = None) -> Any:
        """What it is set to; None if to nothing. Raises BadSetting."""
        text = environment.get(self.name, "").strip() or self.default_at(port)
        try:
            return self.read(text) if text else None
        except ValueError:
            shown = "***" if self.read is _token else masked(text)
            raise BadSetting(f"{self.name} should be {self.form}, not {shown}.") from None


# Root's checkout may be closed to `nobody`, who runs Postgres for root.
_DATA = Path("/var/lib/sternenpost") if os.geteuid() == 0 else CHECKOUT / ".data"

VARIABLES = {
    "database_url": _Variable(
        "DATABASE_URL", "", "like postgresql://user:password@host/name", "Postgres; unset: the embedded one", _database
    ),
    "database_url_direct": _Variable(
        "DATABASE_URL_DIRECT",
        "",
        "like postgresql://user:password@host/name",
        "Postgres itself where DATABASE_URL is a pooler, or one node for all where there are several, to tell and hear at "
        "once of what changes; unset: DATABASE_URL is asked",
        _database,
    ),
    "smtp_url": _Variable(
        "SMTP_URL",
        "",
        "like smtp://user:password@host:587, smtp://host?starttls=1 or smtps://host, or a list of such by commas",
        "who carries mail, by TLS wherever a password is sent; of several, the next is asked for whom one refuses; unset: "
        "letters are kept, the sandbox shows them",
        _mail_servers,
    ),
    "mail_in": _Variable(
        "STERNENPOST_MAIL_IN",
        "",
        "a list by commas of host:port, smtp://host:port, lmtp://host:port or imaps://user:password@host/INBOX",
        "the ways in for replies: where each worker takes them by SMTP and LMTP (workers on one machine share the port), "
        "and mailboxes that they read; unset: none, but `up` takes them on the loopback, 25 above the web's port",
        _ways_in,
    ),
    "mail_in_secret": _Variable(
        "STERNENPOST_MAIL_IN_SECRET",
        "",
        "at least 16 letters and digits",
        "what mail providers prove themselves by who bring replies to /mail-in/...; of Mailgun its key for webhooks; "
        "unset: none may",
        _token,
    ),
    "reply_domain": _Variable(
        "STERNENPOST_REPLY_DOMAIN",
        "",
        "like reply.stars.example",
        "the domain of the addresses for replies; unset: the host of the base URL, from workers that take replies",
        _domain,
    ),
    "dkim_key": _Variable(
        "STERNENPOST_DKIM_KEY",
        "",
        "a file",
        "an RSA key in PEM that signs all letters for the host of the base URL (DKIM); unset: nobody signs, or whoever "
        "carries mail does",
        _path,
    ),
    "dkim_selector": _Variable(
        "STERNENPOST_DKIM_SELECTOR",
        "sternenpost",
        "a word of letters, digits and hyphens",
        "where the public half of that key is found: this word before ._domainkey and the host",
        _label,
    ),
    "port": _Variable(
        "STERNENPOST_PORT", "8000", "a port between 1 and 65535", "where the web listens on the loopback", _port
    ),
    "data": _Variable(
        "STERNENPOST_DATA", str(_DATA), "a directory", "where the embedded Postgres keeps its data", _path
    ),
    "shelf": _Variable(
        "STERNENPOST_SHELF",
        "",
        "a directory by its whole path",
        "where `shelve` puts the events of games that are long over, and every web and worker reads them; unset: they stay "
        "in the database",
        _same_everywhere,
    ),
    "base_url": _Variable(
        "STERNENPOST_BASE_URL",
        "http://127.0.0.1:{port}",
        "like https://stars.example",
        "the address that links in mails begin with",
        _web_address,
    ),
    "limits": _Variable(
        "STERNENPOST_LIMITS", "on", "on or off", "rate limits; off for load tests only: then none below counts", _switch
    ),
    "proxies": _Variable(
        "STERNENPOST_PROXIES",
        "0",
        "a number",
        "trusted proxies before the web, each of which names its client; they may name the request, too (X-Request-Id)",
        int,
    ),
    "sandbox": _Variable(
        "STERNENPOST_SANDBOX",
        "off",
        "on or off",
        "mailbox, sandbox game, movable clock; `up` opens it unless database and mail are real",
        _switch,
    ),
    "keep_deliveries": _Variable(
        "STERNENPOST_KEEP_DELIVERIES",
        "90",
        "a number of days, at least 14",
        "how many days players can see what became of their letters",
        partial(_days, 14),  # bounces are looked up for so long
    ),
    "keep_answers": _Variable(
        "STERNENPOST_KEEP_ANSWERS",
        "7",
        "a number of days, at least 7",
        "how many days a request with the same Idempotency-Key gets its first answer again; clients are promised seven",
        partial(_days, 7),
    ),
    "metrics_token": _Variable(
        "STERNENPOST_METRICS_TOKEN",
        "",
        "at least 16 letters and digits",
        "whoever sends it as `Authorization: Bearer ...` may read /metrics; unset: nobody",
        _token,
    ),
}


def _bound(name: str, default: str, meaning: str) -> _Variable:
    form, read = ("like 50/1h", _rate) if "/" in default else ("a number from 1 on", _at_a_time)
    return _Variable(f"STERNENPOST_LIMIT_{name.upper().replace('-', '_')}", default, form, meaning, read)


# By the names that answers call them by, where they are told.
BOUNDS = {
    name: _bound(name, default, meaning)
    for name, default, meaning in (
        ("player", "12000/1m", "units of requests by one player; a request takes one, what is expensive more"),
        ("address", "6000/1m", "units of requests without a token from one address, or one /64 of IPv6"),
        ("sign-ins", "30/1h", "sign-ins asked for from one address, or one /64 of IPv6"),
        ("guests", "20/1h", "guests from one address, or one /64 of IPv6"),
        ("guests-in-all", "5000/1d", "guests of this installation"),
        ("guest-games", "10/1d", "games opened by one guest"),
        ("codes", "5/1h", "codes mailed to one address, or asked for in one player's settings"),
        ("codes-daily", "20/1d", "the same within a day"),
        ("wrong-codes", "20/1d", "wrong codes tried for one address; afterwards right ones are refused, too"),
        ("tokens", "100", "tokens of one player; a sign-in makes one in any case"),
        ("apps", "50", "apps that one player allows something"),
        ("app-registrations", "30/1h", "apps that make themselves known from one address, or one /64 of IPv6"),
        ("app-registrations-in-all", "2000/1d", "apps that make themselves known to this installation"),
        ("games", "200/1d", "games opened by one player"),
        ("program-games", "100/1d", "games to which one program's account comes: opened by it, or a seat taken there"),
        ("waiting-games", "10", "games of one player that wait for others"),
        ("invitations", "50/1d", "addresses invited by one player, in all ways together"),
        ("invitations-to", "5/1d", "invitations to one mailbox, by whomever; what stands after a plus makes no other"),
        ("invitations-in-all", "2000/1d", "invitations by this installation"),
        ("messages", "30/1m", "messages at tables by one player"),
        ("messages-hourly", "200/1h", "the same within an hour"),
        ("reports", "10/1d", "reports of others by one player"),
        ("streams", "30", "event streams of one player"),
        ("streams-of-address", "30", "event streams without a token of one address, or one /64 of IPv6"),
        ("streams-of-strangers", "500", "all without a token in one web process, which keeps 1,000"),
        ("push-subscriptions", "20", "browsers in which one player is told"),
        ("webhooks", "10", "webhooks of one player"),
        ("webhook-tries", "60/1h", "pings and further tries of webhooks by one player"),
        ("mails", "300/1h", "mails for one seat"),
        ("postmaster-mails", "30/1h", "mails to the postmaster"),
        ("answers", "20/1h", "answers to mails for one seat that played nothing"),
        ("answers-to-sender", "60/1h", "the same to one sender"),
    )
}
