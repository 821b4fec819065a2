"""Who a request comes from: by a token, by a proxy that knows them, or as a visitor.

    Authorization: Bearer TOKEN     programs; the server's own token or one of the store's
    Cookie: saccade-token=TOKEN     a browser that was let in once
    a header of a proxy             where it was said which, and that it comes from that address
    Cookie: saccade-visitor=…       somebody whom nobody knows, where visitors may come

A server that asks for nothing takes whoever reaches it for its owner, as whoever sits at it is.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from http.cookies import CookieError, SimpleCookie
from typing import TYPE_CHECKING, cast

from starlette.datastructures import Headers
from starlette.types import Scope

from saccade.errors import InvalidInput, UnknownName
from saccade.service.askers import OWNER, Asker
from saccade.types import ROLES, TokenInfo

if TYPE_CHECKING:
    from http.cookies import Morsel

COOKIE = "saccade-token"
VISITOR_COOKIE = "saccade-visitor"
VISITOR_HEADER = "saccade-visitor"
"""The same from a page of another site, to which a browser gives no cookie of ours."""
FADE_DAYS = 30
"""That a visitor's name lasts after it was used last."""

Finder = Callable[[str], TokenInfo | None]

_NAME = re.compile(r"[^/\x00-\x1f\x7f]{1,100}")


@dataclass(frozen=True, slots=True)
class TrustedProxy:
    """A proxy that knows who people are, and says so in a header."""

    header: str
    address: str
    role: str = "teacher"

    @classmethod
    def of(cls, header: str, address: str, role: str = "teacher") -> TrustedProxy:
        """One that can be trusted.

        Raises:
            InvalidInput: no name of a header, no address, or no role.
        """
        if not re.fullmatch(r"[A-Za-z0-9-]{1,64}", header):
            raise InvalidInput(f"{header!r} is no name of a header", hint="say X-Remote-User")
        try:
            ipaddress.ip_network(address, strict=False)
        except ValueError:
            raise InvalidInput(
                f"{address!r} is no address of a proxy", hint="say 127.0.0.1, or 10.0.0.0/24"
            ) from None
        if role not in ROLES:
            raise UnknownName("role", role, ROLES)
        return cls(header.lower(), address, role)

    def names(self, scope: Scope, headers: Headers) -> str | None:
        """Whom it names; None where it names nobody, or where it is not it that asks."""
        client = scope.get("client")
        sent = headers.getlist(self.header)
        if client is None or len(sent) != 1 or not _NAME.fullmatch(sent[0].strip()):
            return None
        try:
            there = ipaddress.ip_address(client[0].partition("%")[0])
        except ValueError:
            return None
        here = ipaddress.ip_network(self.address, strict=False)
        return sent[0].strip() if there.version == here.version and there in here else None


class Doorkeeper:
    """Finds out who asks."""

    def __init__(
        self,
        find: Finder,
        *,
        token: str | None = None,
        tokens: bool = False,
        visitors: bool = False,
        proxy: TrustedProxy | None = None,
    ) -> None:
        self._find, self._token, self._visitors, self._proxy = find, token, visitors, proxy
        self.asks = bool(token or tokens or visitors or proxy)

    def asker(self, scope: Scope, headers: Headers) -> Asker | None:
        """Who it is; None for somebody who has to show a token first."""
        if not self.asks:
            return OWNER
        sent = bearer(headers)
        if sent is not None:
            return self.known(sent)  # who shows a wrong one is not let in as somebody else
        cookies = _cookies(headers)
        key = cookies.get(COOKIE)
        asker = None if key is None else self.known(key)
        if asker is None and self._proxy is not None:
            name = self._proxy.names(scope, headers)
            asker = None if name is None else Asker(self._proxy.role, name)
        if asker is None and self._visitors:
            asker = _visitor(headers.get(VISITOR_HEADER) or cookies.get(VISITOR_COOKIE))
        return asker

    def known(self, key: str) -> Asker | None:
        """Whose key this is."""
        if self._token is not None and _equal(key, self._token):
            return OWNER
        token = self._find(key)
        return None if token is None else Asker(token.role, token.user, token.token_id)

    def stays(self, asker: Asker, headers: Headers) -> bool:
        """Whether somebody who came in by a token of the store still may."""
        if not asker.token_id:
            return True
        key = bearer(headers) or _cookies(headers).get(COOKIE)
        return key is not None and self.known(key) == asker


def bearer(headers: Headers) -> str | None:
    """The token that a program sends."""
    scheme, _, sent = headers.get("authorization", "").partition(" ")
    return sent.strip() if scheme.lower() == "bearer" else None


def _visitor(secret: str | None) -> Asker:
    """Somebody under a name that follows from what their browser keeps, and tells nothing of it."""
    fresh = secret is None or not re.fullmatch(r"[0-9a-f]{32}", secret)
    key = secrets.token_hex(16) if fresh else cast(str, secret)
    name = "visitor:" + hashlib.sha256(key.encode()).hexdigest()[:16]
    return Asker("teacher", name, secret=key if fresh else "")


def visitor_cookie(asker: Asker, secure: bool) -> str:
    """What a browser is told to keep, so that a visitor is the same one next time."""
    jar: SimpleCookie = SimpleCookie({VISITOR_COOKIE: asker.secret})
    crumb = jar[VISITOR_COOKIE]
    crumb["path"], crumb["max-age"], crumb["samesite"] = "/", FADE_DAYS * 86_400, "Lax"
    crumb["httponly"], crumb["secure"] = True, secure
    return crumb.OutputString()


def _cookies(headers: Headers) -> dict[str, str]:
    try:
        sent: SimpleCookie = SimpleCookie("; ".join(headers.getlist("cookie")))
    except CookieError:
        return {}
    crumbs: list[tuple[str, Morsel[str]]] = list(sent.items())
    return {name: crumb.value for name, crumb in crumbs}


def _equal(sent: str, token: str) -> bool:
    return hmac.compare_digest(sent.encode("utf-8", "surrogateescape"), token.encode())
