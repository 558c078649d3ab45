"""The targets that are allowed for webhooks: public addresses, and in the sandbox also loopback addresses."""

import re
import socket
from concurrent.futures import ThreadPoolExecutor
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple
from urllib.parse import urlsplit

from server.errors import Unfit
from server.translations import noted

LONGEST_URL = 500
PATIENCE = 3.0  # seconds for looking up a host name during a request
URL_FORM = "^https?://[!-~]+$"
_LABEL = "[A-Za-z0-9]([A-Za-z0-9_-]{0,61}[A-Za-z0-9])?"
_NAME = re.compile(rf"{_LABEL}(\.{_LABEL})*")
_UNICAST = IPv6Network("2000::/3")  # global unicast; all other ranges are special
_NAT64 = IPv6Network("64:ff9b::/96")  # RFC 6052: IPv4 addresses behind a translator
_PROTOCOLS = IPv4Network("192.0.0.0/24")  # RFC 6890; older Pythons call this public, and cloud services respond there
_WITHIN = (
    *(IPv6Network("2001::/23"), IPv6Network("2002::/16")),  # tunnels, which may lead anywhere
    IPv6Network("3fff::/20"),  # RFC 9637: documentation, which older Pythons call public
)
_CLOUDS = (  # public ranges in which internal services of a cloud respond
    IPv4Network("168.63.129.16/32"),  # Azure: DNS, health probes and the agent of the host
    *(IPv4Network("161.26.0.0/16"), IPv4Network("166.8.0.0/14")),  # IBM Cloud: service endpoints
    IPv4Network("192.80.8.124/32"),  # Equinix Metal: metadata
)
_RELAYS = IPv4Network("192.88.99.0/24")  # RFC 7526: deprecated anycast addresses of tunnels
_NO_TLS = noted("The URL must begin with https.")
_PORTS = {"http": 80, "https": 443}
_lookups = ThreadPoolExecutor(4, thread_name_prefix="lookup")


class BadAddress(Unfit):
    """The error for a URL or an address that a webhook must not use."""


class Target(NamedTuple):
    """A parsed URL. `path` includes the query."""

    scheme: str
    host: str
    port: int
    path: str


def target_of(url: str) -> Target:
    """Parse a URL. Raise BadAddress unless it is an HTTP or HTTPS URL without a user, password or fragment."""
    if len(url) > LONGEST_URL or not re.fullmatch(URL_FORM, url):
        raise BadAddress(
            "Send a URL such as https://stars.example/hook, with at most %(most)s plain ASCII characters.",
            most=LONGEST_URL,
        )
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise BadAddress("This URL is invalid.") from None
    host = parts.hostname or ""
    if parts.username is not None or parts.password is not None or "#" in url or "\\" in url:
        raise BadAddress("The URL can't contain a user, password or fragment.")
    if not (_is_ipv6(host) or _NAME.fullmatch(host)) or len(host) > 253 or port == 0:
        raise BadAddress("This URL has no valid host and port.")
    query = f"?{parts.query}" if parts.query else ""
    return Target(parts.scheme, host, port or _PORTS[parts.scheme], (parts.path or "/") + query)


def _is_ipv6(host: str) -> bool:
    try:
        IPv6Address(host)
    except ValueError:
        return False
    return True


def addresses_of(target: Target, sandbox: bool) -> list[str]:
    """Return the current addresses of the host. Each of them has been checked. Connect only to these, since another
    lookup may return different addresses.

    Raise BadAddress if a webhook must not use one of them, or OSError if the name has no address.
    """
    found = list(dict.fromkeys(resolve(target.host, target.port)))
    for text in found:
        address = ip_address(text)
        if not (is_public(address) or (sandbox and address.is_loopback)):
            raise BadAddress("This host is not on the public internet.")
        if target.scheme == "http" and not address.is_loopback:
            raise BadAddress(_NO_TLS)
    return found


def look_up(target: Target, sandbox: bool, seconds: float | None = None) -> list[str]:
    """Return the same as `addresses_of`, within `seconds`, since the system's resolver has no deadline. Raise
    BadAddress, OSError. A name without an address can't be a loopback name, so it needs https."""
    lookup = _lookups.submit(addresses_of, target, sandbox)
    try:
        return lookup.result(PATIENCE if seconds is None else seconds)
    except OSError:  # this includes TimeoutError
        if target.scheme == "http":
            raise BadAddress(_NO_TLS) from None
        raise
    finally:
        lookup.cancel()  # after a time-out, the lookup may still be queued


def resolve(host: str, port: int) -> list[str]:
    """Return the addresses of a host. Raise OSError if the host has none."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except UnicodeError:  # a label of the name is empty or too long
        raise OSError("This is no name of a host.") from None
    return [str(sockaddr[0]) for *_, sockaddr in found]


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Return whether this is a unicast address on the public internet. IPv4 embedded in IPv6 is unwrapped."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address in _NAT64:
            return is_public(IPv4Address(int(address) & 0xFFFFFFFF))
        if address not in _UNICAST or any(address in special for special in _WITHIN):
            return False
    elif any(address in special for special in (_PROTOCOLS, _RELAYS, *_CLOUDS)):
        return False
    return address.is_global and not address.is_multicast
