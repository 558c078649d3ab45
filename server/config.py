"""Settings, read from the environment once."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from ipaddress import IPv6Address
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

import idna

CHECKOUT = Path(__file__).parents[1]


class BadSetting(ValueError):
    """An invalid value of an environment variable. The text is one sentence for the operator."""


class Secret(str):
    """A setting that is never shown."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "***"


class Bound(NamedTuple):
    """A rate limit: at most `most` uses within `seconds`, or at the same time if `seconds` is 0."""

    most: int
    seconds: int = 0

    def __str__(self) -> str:
        if not self.seconds:
            return str(self.most)
        unit, length = next((it, length) for it, length in reversed(_UNITS.items()) if self.seconds % length == 0)
        return f"{self.most}/{self.seconds // length}{unit}"


_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


@dataclass(frozen=True, repr=False)
class Settings:
    """The operator's settings. `VARIABLES` and `BOUNDS` describe them."""

    database_url: str | None
    database_url_direct: str | None
    smtp_url: tuple[str, ...] | None
    mail_in: tuple[str, ...] | None
    mail_in_secret: Secret | None
    reply_domain: str | None
    desk: str
    dkim_key: Path | None
    dkim_selector: str
    port: int
    data: Path
    shelf: Path | None
    base_url: str
    limits: bool
    proxies: int
    sandbox: bool
    thinkers: int
    thinking: int
    metrics_token: Secret | None
    keep_deliveries: timedelta
    keep_answers: timedelta
    bounds: Mapping[str, Bound]  # keys are names in `BOUNDS`

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Read the settings. An empty variable counts as unset. Raise BadSetting for an invalid value."""
        read: dict[str, Any] = {}
        for field, variable in VARIABLES.items():
            read[field] = variable.of(environment, read.get("port"))
        return cls(**read, bounds={name: variable.of(environment) for name, variable in BOUNDS.items()})

    @property
    def inbound_domain(self) -> str | None:
        """Return the domain for replies and bounces, or None if the server receives no email."""
        if self.reply_domain or not (self.mail_in or self.mail_in_secret):
            return self.reply_domain
        host = urlsplit(self.base_url).hostname or ""
        return host if any(char.isalpha() for char in host) and ":" not in host else "localhost"

    @property
    def desk_address(self) -> str | None:
        """Return the address to which players email commands, or None if the server receives no email."""
        return f"{self.desk}@{self.inbound_domain}" if self.inbound_domain else None

    def listed(self) -> list[tuple[str, str, str, str]]:
        """Return the name, default, value (with passwords masked) and meaning of each variable."""
        values = [(variable, getattr(self, field)) for field, variable in VARIABLES.items()]
        values += [(variable, self.bounds[name]) for name, variable in BOUNDS.items()]
        return [(it.name, it.default_at(self.port), _written(value), it.meaning) for it, value in values]

    def __repr__(self) -> str:
        return f"Settings({', '.join(f'{name}={value}' for name, _, value, _ in self.listed())})"


_NAMED_PASSWORD = re.compile(  # of libpq, as in `?password=` and `host=db password='...'`
    r"((?:password|secret|scram_\w{1,20}_key)\s{0,9}=\s{0,9})(?:'(?:\\.|[^'\\])*'(?=\s|$)|.*?)(?=&\w{1,40}=|\s\w{1,40}\s{0,9}=|$)",
    re.IGNORECASE | re.DOTALL,
)
_SCHEME = re.compile(r"((?:^|,)\s*[A-Za-z][A-Za-z0-9+]*://)")
_NO_PORT = re.compile(r"(\[[0-9A-Fa-f:.]*\])|:(?![0-9]*(?:[,/?#\s]|$)).*", re.DOTALL)


def mask_passwords(text: str) -> str:
    """Return a URL, a list of URLs or a connection string of libpq without its passwords.

    The text may be malformed. If password and host can't be separated, both are hidden.
    """
    return "".join(map(_masked_after_scheme, _SCHEME.split(_NAMED_PASSWORD.sub(r"\1***", text))))


def _masked_after_scheme(text: str) -> str:
    if text.endswith("://"):
        return text
    user, at, hosts = text.rpartition("@")  # the last @, since one in a password is often not encoded
    name, has_password, _ = user.partition(":")
    hosts = _NO_PORT.sub(lambda found: found[1] or ":***", hosts)  # smtp://user:password, where the host is missing
    return name + (":***" if has_password else "") + at + hosts


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Secret):
        return "***"
    if isinstance(value, timedelta):
        return str(value.days)
    if type(value) is tuple:
        return ",".join(map(mask_passwords, value))
    if isinstance(value, Path):
        return str(value)
    return "" if value is None else mask_passwords(str(value))


_DATABASE = re.compile(
    r"(?:postgres|postgresql|postgresql\+psycopg)://"
    r"((?:[^:@/?#\s]*(?::[^@/?#\s]*)?@)?[^@/?#\s]*(?:/[^@/?#\s]*(?:\?[^#\s]*)?|\?[^@#\s]*)?)"
)


def _database(text: str) -> str:
    """Accept only URLs that libpq and SQLAlchemy parse in the same way. Otherwise one of them could mistake the
    password for a host, and quote it in an error message."""
    from psycopg import ProgrammingError
    from psycopg.conninfo import conninfo_to_dict

    parts = _DATABASE.fullmatch(text)
    if parts is None or re.search("%(?!(?!00)[0-9A-Fa-f]{2})", text):
        raise ValueError
    hosts = urlsplit(f"//{parts[1]}").netloc.rpartition("@")[2].split(",")  # the primary, and its replicas
    if 0 in [urlsplit(f"//{it}").port for it in hosts]:
        raise ValueError
    try:
        conninfo_to_dict(url := f"postgresql://{parts[1]}")
    except ProgrammingError:
        raise ValueError from None
    return url


def _mail_servers(text: str) -> tuple[str, ...]:
    """Split at commas, except those within a password."""
    servers = tuple(re.split(r"(?<!\s)\s*,\s*(?=smtps?://)", text))
    for url in map(urlsplit, servers):
        if url.scheme not in ("smtp", "smtps") or not url.hostname or url.port == 0:
            raise ValueError
    return servers


def _inbound_routes(text: str) -> tuple[str, ...]:
    """Split at commas, except those within a password."""
    return tuple(
        map(
            read_inbound_route, re.split(r"(?<!\s)\s*,\s*(?=[a-z]{1,9}://|[^,@]{1,255}:[0-9]{1,5}\s{0,9}(?:,|$))", text)
        )
    )


def read_inbound_route(text: str) -> str:
    """Return the URL of an inbound route. `host:port` alone means SMTP.

    Raise ValueError for an invalid route. The error's text may contain a password.
    """
    url = urlsplit(text if "://" in text else f"smtp://{text}")
    is_mailbox = url.scheme == "imaps" and url.username and url.password and url.port != 0
    is_listener = url.scheme in ("smtp", "lmtp") and url.port and not (url.path or "@" in url.netloc)
    if not url.hostname or not (is_mailbox or is_listener) or url.query or url.fragment:
        raise ValueError
    return url.geturl()


def _days(least: int, text: str) -> timedelta:
    days = _whole_number(text)
    if not least <= days <= 36500:
        raise ValueError
    return timedelta(days=days)


def _token(text: str) -> Secret:
    if not re.fullmatch(r"[A-Za-z0-9._~+/-]{16,}=*", text):  # RFC 6750, 2.1
        raise ValueError
    return Secret(text)


def _label(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?", text):
        raise ValueError
    return text.lower()


def _local_part(text: str) -> str:
    """Return a local part in lower case. The postmaster's addresses are reserved, and so are addresses as long as our
    signed ones."""
    if not re.fullmatch(r"[a-z0-9](?:[a-z0-9._-]{0,30}[a-z0-9])?", text := text.lower()) or text in (
        "postmaster",
        "abuse",
    ):
        raise ValueError
    return text


_LONGEST_DOMAIN = 189  # characters: an address has at most 254, up to 64 of them before the @ (RFC 5321, 4.5.3.1)


def _domain(text: str) -> str:
    """Return the domain in ASCII and lower case, as in the DNS and in email addresses."""
    ascii_text = text if text.isascii() else idna.encode(text, uts46=True).decode()
    domain = ".".join(map(_label, ascii_text.removesuffix(".").split(".")))
    if len(domain) > _LONGEST_DOMAIN:
        raise ValueError
    return domain


def _whole_number(text: str) -> int:
    if not re.fullmatch("[0-9]{1,9}", text):
        raise ValueError
    return int(text)


def _port(text: str) -> int:
    port = _whole_number(text)
    if not 1 <= port <= 65535:
        raise ValueError
    return port


def _path(text: str) -> Path:
    return Path(text).expanduser().absolute()


def _same_everywhere(text: str) -> Path:
    """Accept absolute paths only, since processes may have different working directories and homes."""
    if not Path(text).is_absolute():
        raise ValueError
    return Path(text)


def _web_address(text: str) -> str:
    """Return the origin. A path is rejected, since the page and the links in emails only work at the root of a site."""
    url = urlsplit(text)
    scheme, port = url.scheme.lower(), url.port
    is_origin = not (url.path.strip("/") or set("?#@%\\") & set(text))
    if scheme not in ("http", "https") or not url.hostname or port == 0 or not is_origin:
        raise ValueError
    host = f"[{IPv6Address(url.hostname)}]" if url.netloc.startswith("[") else _domain(url.hostname)
    return f"{scheme}://{host}" + (f":{port}" if port else "")


def _switch(text: str) -> bool:
    if text.lower() not in ("on", "off", "1", "0"):
        raise ValueError
    return text.lower() in ("on", "1")


def _rate(text: str) -> Bound:
    """Parse a rate such as `50/1h`. The maximum is a thousand per second, since buckets count in milliseconds."""
    parts = re.fullmatch(r"([0-9]{1,9})/([0-9]{1,4})([smhd])", text)
    if parts is None:
        raise ValueError
    bound = Bound(int(parts[1]), int(parts[2]) * _UNITS[parts[3]])
    if not 1 <= bound.most <= 1000 * bound.seconds:
        raise ValueError
    return bound


def _at_a_time(text: str) -> Bound:
    most = _whole_number(text)
    if most < 1:
        raise ValueError
    return Bound(most)


class _Variable(NamedTuple):
    name: str
    default: str
    form: str
    meaning: str
    read: Callable[[str], Any]

    def default_at(self, port: int | None) -> str:
        return self.default.replace("{port}", str(port))

    def of(self, environment: Mapping[str, str], port: int | None = None) -> Any:
        """Return the parsed value, or None if the variable is unset. Raise BadSetting for an invalid value."""
        text = environment.get(self.name, "").strip() or self.default_at(port)
        try:
            return self.read(text) if text else None
        except ValueError:
            shown = "***" if self.read is _token else mask_passwords(text)
            raise BadSetting(f"{self.name} must be {self.form}, not {shown}.") from None


# If root starts Postgres, it runs as `nobody`, who may be unable to read root's checkout.
_DATA = Path("/var/lib/sternenpost") if os.geteuid() == 0 else CHECKOUT / ".data"

VARIABLES = {
    "database_url": _Variable(
        "DATABASE_URL",
        "",
        "like postgresql://user:password@host/name",
        "Postgres database. Unset: the embedded Postgres.",
        _database,
    ),
    "database_url_direct": _Variable(
        "DATABASE_URL_DIRECT",
        "",
        "like postgresql://user:password@host/name",
        "Direct connection to Postgres for notifications. It is needed if DATABASE_URL points to a pooler or to one of "
        "several Citus nodes. Use the same node for all processes. Unset: DATABASE_URL is used.",
        _database,
    ),
    "smtp_url": _Variable(
        "SMTP_URL",
        "",
        "like smtp://user:password@host:587, smtp://host?starttls=1 or smtps://host, or several, separated by commas",
        "Outbound mail servers, with TLS if a password is given. If a server rejects a recipient, the next one is tried. "
        "Unset: emails stay on this machine, and the sandbox shows them.",
        _mail_servers,
    ),
    "mail_in": _Variable(
        "STERNENPOST_MAIL_IN",
        "",
        "host:port, smtp://host:port, lmtp://host:port or imaps://user:password@host/INBOX, or several, separated by commas",
        "Inbound routes for replies: addresses where workers listen for SMTP or LMTP (workers on one machine share a port), "
        "and mailboxes that they read. Unset: none, except that `up` listens on loopback port STERNENPOST_PORT + 25.",
        _inbound_routes,
    ),
    "mail_in_secret": _Variable(
        "STERNENPOST_MAIL_IN_SECRET",
        "",
        "at least 16 letters and digits",
        "Secret that mail providers send with inbound mail (/mail-in/...). For Mailgun, use its webhook signing key. "
        "Unset: inbound mail over HTTP is off.",
        _token,
    ),
    "reply_domain": _Variable(
        "STERNENPOST_REPLY_DOMAIN",
        "",
        "like reply.stars.example",
        "Domain of the reply addresses. Unset: the base URL's host, if the worker accepts replies.",
        _domain,
    ),
    "desk": _Variable(
        "STERNENPOST_DESK",
        "post",
        "a local part of at most 32 letters, digits, dots and hyphens, such as post",
        "Local part of the post desk's address at the reply domain. Anyone can write to this address and play by email alone.",
        _local_part,
    ),
    "dkim_key": _Variable(
        "STERNENPOST_DKIM_KEY",
        "",
        "a file",
        "RSA key (PEM) that signs all outgoing emails with DKIM for the base URL's host. Unset: signing is left to "
        "the mail server.",
        _path,
    ),
    "dkim_selector": _Variable(
        "STERNENPOST_DKIM_SELECTOR",
        "sternenpost",
        "a word of letters, digits and hyphens",
        "DKIM selector. The public key's DNS record is at SELECTOR._domainkey.HOST.",
        _label,
    ),
    "port": _Variable(
        "STERNENPOST_PORT", "8000", "a port between 1 and 65535", "Loopback port on which web listens.", _port
    ),
    "data": _Variable("STERNENPOST_DATA", str(_DATA), "a directory", "Data directory of the embedded Postgres.", _path),
    "shelf": _Variable(
        "STERNENPOST_SHELF",
        "",
        "the absolute path of a directory",
        "Directory to which `shelve` moves the events of old games, and from which web and worker read them. Unset: events stay "
        "in the database.",
        _same_everywhere,
    ),
    "base_url": _Variable(
        "STERNENPOST_BASE_URL",
        "http://127.0.0.1:{port}",
        "like https://stars.example, without a path",
        "Start of every link in emails. International names such as münchen.example are converted to ASCII.",
        _web_address,
    ),
    "limits": _Variable(
        "STERNENPOST_LIMITS",
        "on",
        "on or off",
        "Whether rate limits apply. `off` ignores all limits below. Use it for load tests only.",
        _switch,
    ),
    "proxies": _Variable(
        "STERNENPOST_PROXIES",
        "0",
        "a number",
        "Number of trusted proxies in front of web. Each adds its client's address to X-Forwarded-For and may set X-Request-Id.",
        _whole_number,
    ),
    "sandbox": _Variable(
        "STERNENPOST_SANDBOX",
        "off",
        "on or off",
        "Whether to offer a sandbox: mailbox, example games and a movable clock. `up` turns it on unless both DATABASE_URL and "
        "SMTP_URL are set.",
        _switch,
    ),
    "thinkers": _Variable(
        "STERNENPOST_THINKERS",
        "1",
        "a number",
        "Number of processes per worker that compute moves for bots with a level (such as level-1), and reviews. They "
        "run at the lowest priority and use at most one core each. `0`: these bots play like greedy, and there are no "
        "reviews.",
        _whole_number,
    ),
    "thinking": _Variable(
        "STERNENPOST_THINKING",
        "2",
        "a number of seconds",
        "CPU time that a bot may use per move. If its move has not been computed after a minute, the bot plays like `greedy`.",
        _whole_number,
    ),
    "keep_deliveries": _Variable(
        "STERNENPOST_KEEP_DELIVERIES",
        "90",
        "a number of days, at least 14",
        "Number of days for which players can see the delivery status of their emails.",
        partial(_days, 14),  # bounces may arrive, and need the delivery result, for that long
    ),
    "keep_answers": _Variable(
        "STERNENPOST_KEEP_ANSWERS",
        "7",
        "a number of days, at least 7",
        "Number of days for which an Idempotency-Key returns its first response. Clients rely on at least seven.",
        partial(_days, 7),
    ),
    "metrics_token": _Variable(
        "STERNENPOST_METRICS_TOKEN",
        "",
        "at least 16 letters and digits",
        "Token that gives access to /metrics (`Authorization: Bearer ...`). Unset: /metrics is off.",
        _token,
    ),
}


def _bound(name: str, default: str, meaning: str) -> _Variable:
    form, read = ("like 50/1h", _rate) if "/" in default else ("a number of at least 1", _at_a_time)
    return _Variable(f"STERNENPOST_LIMIT_{name.upper().replace('-', '_')}", default, form, meaning, read)


# Default and meaning by the names that responses use.
_LIMITS = {
    "player": ("12000/1m", "Request units per player. Most requests cost one unit, expensive ones more."),
    "address": ("6000/1m", "Request units for requests without a token, per IPv4 address or IPv6 /64."),
    "pages": ("12000/1m", "Request units for pages and files, per network. A file costs one unit, a page ten."),
    "mail-in": ("6000/1m", "Requests to /mail-in per network."),
    "sign-ins": ("30/1h", "Sign-in requests per IPv4 address or IPv6 /64."),
    "guests": ("20/1h", "New guests per IPv4 address or IPv6 /64."),
    "guests-in-all": ("5000/1d", "New guests in this installation. One network can use only part of this limit."),
    "guest-games": ("10/1d", "Games opened per guest."),
    "codes": ("5/1h", "Codes sent by email, per mailbox; codes requested in the settings, per player."),
    "codes-daily": ("20/1d", "Per day: codes sent by email, per mailbox; codes requested in the settings, per player."),
    "codes-in-all": (
        "1000/1h",
        (
            "Codes emailed by this installation. One network can use only part of this limit. Beyond the limit, "
            "only players with an account get codes."
        ),
    ),
    "wrong-codes": ("20/1d", "Wrong codes per email address. Beyond the limit, correct codes are rejected, too."),
    "tokens": ("100", "Tokens per player. Signing in creates a token even when this limit has been reached."),
    "apps": ("50", "Authorized apps per player."),
    "app-registrations": ("30/1h", "App registrations per IPv4 address or IPv6 /64."),
    "app-registrations-in-all": (
        "2000/1d",
        "App registrations in this installation. One network can use only part of this limit.",
    ),
    "games": ("200/1d", "Games opened per player."),
    "program-games": ("100/1d", "Games opened or joined per program account."),
    "waiting-games": ("10", "Open games per player that are waiting for other players."),
    "invitations": ("50/1d", "Email addresses invited per player, by any means."),
    "invitations-to": (
        "5/1d",
        "Invitations per mailbox, from all players. Anything after a plus sign in the address is ignored.",
    ),
    "invitations-in-all": ("2000/1d", "Invitations by this installation. One player can use only part of this limit."),
    "messages": ("30/1m", "Chat messages per player, per minute."),
    "messages-hourly": ("200/1h", "Chat messages per player, per hour."),
    "reports": ("10/1d", "Reports about other players, per player."),
    "hints": ("120/1h", "Hints per player. Each takes up to a second of CPU time."),
    "reviews": (
        "30/1d",
        "Reviews of finished games per player. Each takes up to half a minute of CPU time at low priority.",
    ),
    "waiting-reviews": ("5", "Reviews per player that are still being computed."),
    "streams": ("30", "Event streams per player."),
    "streams-of-address": ("30", "Event streams opened without a token, per IPv4 address or IPv6 /64."),
    "streams-of-strangers": (
        "500",
        "Event streams opened without a token, per web process. Each process serves at most 1,000 streams in total.",
    ),
    "push-subscriptions": ("20", "Push subscriptions per player."),
    "webhooks": ("10", "Webhooks per player."),
    "webhook-tries": ("60/1h", "Webhook pings and manual retries per player."),
    "mails": ("300/1h", "Inbound emails per seat."),
    "postmaster-mails": ("30/1h", "Inbound emails to the postmaster, in this installation."),
    "returned-mails": ("120/1h", "Bounced emails per player, and bounced invitations per game."),
    "returned-mails-in-all": ("6000/1h", "Bounces and complaints in this installation."),
    "desk-mails": ("6000/1h", "Inbound emails to the post desk's public address, in this installation."),
    "desk-replies": (
        "300/1h",
        "Inbound replies to the post desk, per player, or per email address without an account.",
    ),
    "desk-letters": (
        "1/1d",
        (
            "Emails that the post desk sends to an address that hasn't been confirmed yet. "
            "A reply to such an email confirms the address. "
            "For this limit and the next two, emails that pass DMARC or DKIM count apart."
        ),
    ),
    "desk-letters-domain": (
        "100/1d",
        "Emails that the post desk sends to addresses that haven't been confirmed yet, per domain.",
    ),
    "desk-letters-in-all": (
        "2000/1d",
        "Emails that the post desk sends to addresses that haven't been confirmed yet, in this installation.",
    ),
    "desk-letters-further": (
        "9/1d",
        (
            "Further emails that the post desk sends to a player's address before it is confirmed. "
            "Emails that pass DMARC or DKIM count apart."
        ),
    ),
    "desk-answers": (
        "60/1h",
        "Replies from the post desk, per player. Replies to new commands count toward `answers-daily` instead.",
    ),
    "desk-unclear": ("10/1d", "Replies from the post desk to emails without a command, per player."),
    "desk-same": (
        "3/1d",
        (
            "Replies from the post desk to emails with the same text, per player. "
            "Beyond the limit, an email that begins with a command counts as one without. Any other gets no reply."
        ),
    ),
    "answers-daily": (
        "200/1d",
        (
            "Replies to a player's emails that contain a new move or command, per player. These replies count toward "
            "the next two limits only once this one is reached."
        ),
    ),
    "answers-same": ("1/1d", "Emails with the same text about the same turn that count as new, per seat."),
    "answers": ("20/1h", "Replies to emails that didn't result in a move, per seat."),
    "answers-to-sender": ("60/1h", "Replies to emails that didn't result in a move, per address that gets them."),
}
BOUNDS = {name: _bound(name, *it) for name, it in _LIMITS.items()}
