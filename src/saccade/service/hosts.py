"""Hosts and origins as browsers write them, parsed strictly: what is odd is nobody's.

    host    = name [":" port]                 the Host header
    origin  = scheme "://" name [":" port]    the Origin header

No user names, no paths, no spaces: `evil.example@localhost` is not `localhost`.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from saccade.errors import InvalidInput

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""The names a browser on the same machine calls us by."""

_HOST = re.compile(r"(?:\[(?P<six>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::(?P<port>[0-9]{1,5}))?")
_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Host:
    """A name or address in its shortest form, and the port where one was written."""

    name: str
    port: int | None = None


def parse_host(text: str) -> Host | None:
    """The host that a Host header names; None when it is not well formed.

    >>> parse_host("LocalHost:8000")
    Host(name='localhost', port=8000)
    >>> parse_host("[0:0::1]"), parse_host("evil.example@localhost"), parse_host("localhost:x")
    (Host(name='::1', port=None), None, None)
    """
    match = _HOST.fullmatch(text.lower())
    if match is None:
        return None
    name, six, port = match["name"], match["six"], match["port"]
    if six is not None:
        try:
            name = ipaddress.IPv6Address(six).compressed
        except ValueError:
            return None
    return Host(name, int(port) if port else None)


def same_origin(origin: str, host: Host, also: frozenset[str] = frozenset()) -> bool:
    """Whether an Origin header is of the host that was asked, or of a name in `also`.

    >>> same_origin("https://a.example", Host("a.example"))
    True
    >>> same_origin("http://localhost:3000", Host("localhost", 8000))
    False
    """
    scheme, _, rest = origin.partition("://")
    asker = parse_host(rest)
    if scheme not in _PORTS or asker is None:
        return False
    if asker.name in also:
        return True
    # Behind a proxy the scheme is the proxy's; a port left out is that scheme's own.
    usual = _PORTS[scheme]
    return (asker.name, asker.port or usual) == (host.name, host.port or usual)


def checked_name(text: str) -> str:
    """A host name that a person gave, in the form that headers have it.

    Raises:
        InvalidInput: no name of a host, or one with a port.
    """
    try:
        written = text if text.isascii() else text.encode("idna").decode("ascii")
    except UnicodeError:
        written = ""
    host = parse_host(f"[{written}]" if written.count(":") > 1 else written)
    if host is None or host.port is not None:
        raise InvalidInput(
            f"{text!r} is no name of a host", hint="write it as in the address, without the port"
        )
    return host.name


def checked_origin(text: str) -> str:
    """The origin of another site's pages, as browsers write it.

    >>> checked_origin("https://Shop.example")
    'https://shop.example'

    Raises:
        InvalidInput: no origin: a scheme, a host and perhaps a port, and nothing behind them.
    """
    scheme, _, rest = text.strip().lower().partition("://")
    host = parse_host(rest)
    if scheme not in _PORTS or host is None:
        raise InvalidInput(
            f"{text!r} is no origin of a page", hint="write it as https://shop.example"
        )
    port = "" if host.port in (None, _PORTS[scheme]) else f":{host.port}"
    name = f"[{host.name}]" if ":" in host.name else host.name
    return f"{scheme}://{name}{port}"
