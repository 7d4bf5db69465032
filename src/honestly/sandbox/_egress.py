"""Which addresses the code inside may reach: an allow-list of names, and no way from a name to a private address.

A name is resolved on this machine, once; what it resolves to is checked, and connected to as it was checked, so that a
name cannot be one address for the check and another for the connection. Addresses that are not public (loopback,
private and link-local ranges, where clouds keep their machines' credentials) are reached only if the list names the
address itself.
"""

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass

_NAME = re.compile(r"(?!-)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*")
_DEFAULT_PORTS = (80, 443)
_NAT64 = ipaddress.ip_network("64:ff9b::/96")
_UNICAST_6 = ipaddress.ip_network("2000::/3")
_NOT_PUBLIC = tuple(  # what `is_global` takes for public, in some versions of Python or in all
    ipaddress.ip_network(text)
    for text in ("192.0.0.0/24", "192.88.99.0/24", "168.63.129.16/32", "2001::/23", "3fff::/20")
)  # protocol assignments, old 6to4 relays, the wire server of Azure, Teredo and others, documentation


@dataclass(frozen=True, slots=True)
class EgressRequest:
    """One request from the sandbox to the outside, with its result."""

    time: float
    """When it began, in seconds since 1970."""
    method: str
    """`CONNECT` for an encrypted connection; empty if the request was malformed."""
    host: str
    """Name or address that it asked for."""
    port: int
    """0 if it named none."""
    allowed: bool
    """Whether a connection was made for it."""
    reason: str
    """Why not, or why it ended early; empty if all went well."""
    sent: int
    """Bytes that went out."""
    received: int
    """Bytes that came in."""
    seconds: float
    """From its beginning to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Egress:
    """The hosts that code in the sandbox may reach, through a proxy in the usual variables.

    It sees HTTP, and HTTPS as encrypted connections of which it knows host, port and number of bytes. Everything else
    stays unreachable. Where a host serves several names, code that may reach one reaches the others too.
    """

    allow: tuple[str, ...]
    """Names and ports: `example.com` (ports 80 and 443), `example.com:8443`, `*.example.org` (below it), `*` (anything
    public); addresses, also private ones, as `127.0.0.1:8000` and `[::1]:8000`."""
    log: Callable[[EgressRequest], object]
    """Called for each request when it has ended, one at a time, in a thread of the proxy's. An error that it raises
    ends the proxy, and is raised when the sandbox is closed."""
    max_bytes: int = 1 << 30
    """Bytes in both directions together, as long as the sandbox is open."""
    max_connections: int = 64
    """Connections at once."""
    max_requests: int = 10_000
    """Requests, as long as the sandbox is open."""
    idle_s: float = 60.0
    """Seconds without a byte in either direction after which a connection ends."""

    def __post_init__(self) -> None:
        for pattern in self.allow:
            _split_pattern(pattern)
        for name in ("max_bytes", "max_connections", "max_requests", "idle_s"):
            if not 0 < getattr(self, name) < 1 << 50:
                raise ValueError(f"Egress.{name} is {getattr(self, name)!r}; expected a positive number")

    def allows_host(self, host: str, port: int) -> bool:
        """Whether the list names a host, as the code inside spells it."""
        return any(_matches(pattern, host) and port in ports for pattern, ports in map(_split_pattern, self.allow))

    def allows_address(self, address: str, port: int) -> bool:
        """Whether a name that the list allows may be at an address."""
        return is_public(address) or self.allows_host(_plain_host(address), port)


def is_public(address: str) -> bool:
    """Whether an address belongs to the public network, and so do the addresses that it may contain."""
    ip = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(ip, ipaddress.IPv6Address):
        inner = ip.ipv4_mapped or ip.sixtofour
        if ip in _NAT64:
            inner = ipaddress.IPv4Address(int(ip) & 0xFFFFFFFF)
        if inner:
            return is_public(str(inner))
        if ip not in _UNICAST_6:
            return False
    if any(ip in network for network in _NOT_PUBLIC if network.version == ip.version):
        return False
    return ip.is_global and not (ip.is_multicast or ip.is_reserved or ip.is_unspecified)


def normal_host(host: str) -> str:
    """A host as patterns spell it: lower case, no brackets, no dot at the end, addresses in their shortest form.

    Raises:
        ValueError: It is neither a name nor an address.
    """
    if host.startswith("[") and host.endswith("]"):
        return str(ipaddress.IPv6Address(host[1:-1]))
    name = host.lower().removesuffix(".")
    if not _NAME.fullmatch(name) or len(name) > 253:
        raise ValueError(f"{host[:80]!r} is not a host")
    return _plain_host(name)


def _split_pattern(pattern: str) -> tuple[str, tuple[int, ...]]:
    """A pattern's host and ports; ValueError where it is none."""
    host, colon, port = pattern.rpartition(":")
    if not colon or pattern.endswith("]"):
        host, port = pattern, ""
    star = "*." if host.startswith("*.") else ""
    try:
        known = "*" if host == "*" else star + normal_host(host.removeprefix(star))
        ports = (int(port),) if port else _DEFAULT_PORTS
    except ValueError:
        known, ports = "", (0,)
    if not known or not all(0 < number < 1 << 16 for number in ports):
        raise ValueError(f"{pattern!r} is not a host to allow; expected one such as a.com, *.example.org or [::1]:8000")
    return known, ports


def _matches(pattern: str, host: str) -> bool:
    if pattern == "*":
        return not _is_address(host) or is_public(host)
    return host == pattern or (pattern.startswith("*.") and host.endswith(pattern[1:]) and not _is_address(host))


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _plain_host(host: str) -> str:
    return str(ipaddress.ip_address(host)) if _is_address(host) else host
