"""Settings, read from the environment once."""

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Self
from urllib.parse import urlsplit

CHECKOUT = Path(__file__).parents[1]


class BadSetting(ValueError):
    """A variable holds what it cannot mean; the text is one sentence for the operator."""


class Secret(str):
    """A setting that is shown to nobody."""

    __slots__ = ()


@dataclass(frozen=True)
class Settings:
    """What an operator chooses; `VARIABLES` has the meanings."""

    database_url: str | None
    smtp_url: str | None
    mail_in: str | None
    reply_domain: str | None
    dkim_key: Path | None
    dkim_selector: str
    port: int
    data: Path
    base_url: str
    limits: bool
    proxies: int
    sandbox: bool
    metrics_token: Secret | None

    @classmethod
    def from_environment(cls, environment: Mapping[str, str] = os.environ) -> Self:
        """Raises BadSetting. An empty variable counts as one that is not set."""
        read: dict[str, Any] = {}
        for field, variable in VARIABLES.items():
            text = environment.get(variable.name, "").strip() or variable.default_at(read.get("port"))
            try:
                read[field] = variable.read(text) if text else None
            except ValueError:
                shown = "***" if variable.read is _token else masked(text)
                raise BadSetting(f"{variable.name} should be {variable.form}, not {shown}.") from None
        return cls(**read)

    def listed(self) -> list[tuple[str, str, str, str]]:
        """Of each variable its name, default, present value (passwords masked) and meaning."""
        return [
            (variable.name, variable.default_at(self.port), _written(getattr(self, field)), variable.meaning)
            for field, variable in VARIABLES.items()
        ]


def masked(url: str) -> str:
    """The same without its password, even if it is not quite a URL."""
    before = "//" if "//" in url else "^"
    url = re.sub(f"({before}[^:/@]*):.*@", r"\1:***@", url)
    return re.sub(r"(password=)[^&\s]*", r"\1***", url)


def _written(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Secret):
        return "***"
    return "" if value is None else masked(str(value))


def _database(text: str) -> str:
    url = urlsplit(text)
    if url.scheme not in ("postgres", "postgresql", "postgresql+psycopg") or url.port == 0:
        raise ValueError
    return f"postgresql://{text.partition('://')[2]}"


def _mail_server(text: str) -> str:
    url = urlsplit(text)
    if url.scheme not in ("smtp", "smtps") or not url.hostname or url.port == 0:
        raise ValueError
    return text


def _listener(text: str) -> str:
    url = urlsplit(f"//{text}")
    if not url.hostname or not url.port or url.netloc != text:
        raise ValueError
    return text


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


def _web_address(text: str) -> str:
    url = urlsplit(text)
    if url.scheme not in ("http", "https") or not url.hostname or url.query or url.fragment:
        raise ValueError
    return text.rstrip("/")


def _switch(text: str) -> bool:
    if text.lower() not in ("on", "off", "1", "0"):
        raise ValueError
    return text.lower() in ("on", "1")


class _Variable(NamedTuple):
    name: str
    default: str
    form: str
    meaning: str
    read: Callable[[str], Any]

    def default_at(self, port: int | None) -> str:
        return self.default.replace("{port}", str(port))


# Root's checkout may be closed to `nobody`, who runs Postgres for root.
_DATA = Path("/var/lib/sternenpost") if os.geteuid() == 0 else CHECKOUT / ".data"

VARIABLES = {
    "database_url": _Variable(
        "DATABASE_URL", "", "like postgresql://user:password@host/name", "Postgres; unset: the embedded one", _database
    ),
    "smtp_url": _Variable(
        "SMTP_URL",
        "",
        "like smtp://user:password@host:587, smtp://host?starttls=1 or smtps://host",
        "who carries mail, by TLS wherever a password is sent; unset: letters are kept, the sandbox shows them",
        _mail_server,
    ),
    "mail_in": _Variable(
        "STERNENPOST_MAIL_IN",
        "",
        "like 127.0.0.1:8025",
        "where each worker takes replies by SMTP and LMTP; workers on one machine share the port; unset: nowhere, but "
        "`up` takes them on the loopback, 25 above the web's port",
        _listener,
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
    "base_url": _Variable(
        "STERNENPOST_BASE_URL",
        "http://127.0.0.1:{port}",
        "like https://stars.example",
        "the address that links in mails begin with",
        _web_address,
    ),
    "limits": _Variable("STERNENPOST_LIMITS", "on", "on or off", "rate limits; off for load tests only", _switch),
    "proxies": _Variable(
        "STERNENPOST_PROXIES", "0", "a number", "trusted proxies before the web, each of which names its client", int
    ),
    "sandbox": _Variable(
        "STERNENPOST_SANDBOX",
        "off",
        "on or off",
        "mailbox, sandbox game, movable clock; `up` opens it unless database and mail are real",
        _switch,
    ),
    "metrics_token": _Variable(
        "STERNENPOST_METRICS_TOKEN",
        "",
        "at least 16 letters and digits",
        "whoever sends it as `Authorization: Bearer ...` may read /metrics; unset: nobody",
        _token,
    ),
}
