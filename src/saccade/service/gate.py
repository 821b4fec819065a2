"""Who may ask, and how much they may send.

The server trusts whoever sits at its machine, and on a network whoever has its token. A browser
also runs other sites' scripts, so the gate refuses what those could send:

    host      a name that is not ours (another site that points its own name at this address)
    token     missing or wrong, where there is one
    origin    a change (POST, DELETE, …) that another site's page started
    size      a body above the limit, announced or streamed
    time      a body that stops arriving, or takes for ever

and tells the browser, by headers, that the page loads nothing from elsewhere.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection

import anyio
from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade.service.hosts import LOOPBACK, parse_host, same_origin
from saccade.service.problems import problem
from saccade.service.token import knows, let_in

log = logging.getLogger("saccade.service")

IDLE_SECONDS = 20.0
"""The longest that a body may pause."""
BODY_SECONDS = 300.0
"""The longest that we wait for a body in all."""

_SMALLER = "send a smaller version of the picture"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# Everything but a picture and an exported profile is short.
_SHORT_BODY = 2 * 2**20

_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'self'; img-src 'self' blob: data:; base-uri 'none'; form-action 'self'; "
        "frame-ancestors 'none'; object-src 'none'"
    ),
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}

Refusal = tuple[int, str, str, str]


class Gate:
    """ASGI middleware: the checks above, before anything else sees the request."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str] | None,
        body_limit: int,
        token: str | None = None,
    ) -> None:
        self.app, self.hosts, self.body_limit, self.token = app, hosts, body_limit, token
        # Names that the person who started the server gave: pages under them are our own.
        self.named = frozenset(hosts or ()) - LOOPBACK

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with a counted body and the headers set."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
            await send(message)

        headers = Headers(scope=scope)
        limit = self._limit(scope["path"], headers)
        refusal = self._strange(scope["method"], headers) or self._too_much(headers, limit)
        if refusal is not None:
            await problem(*refusal)(scope, receive, dressed)
        elif self.token is not None and not self._has_token(scope, headers):
            secure = scope.get("scheme") == "https"
            arrived = scope["path"] == "/" and scope["method"] == "GET"
            welcome = let_in(self.token, scope["query_string"], secure=secure) if arrived else None
            await (welcome or _closed())(scope, receive, dressed)
        else:
            await self.app(scope, _counted(scope, receive, limit), dressed)

    def _has_token(self, scope: Scope, headers: Headers) -> bool:
        # Whoever watches over the server asks whether it answers, and learns no more.
        return scope["path"] == "/healthz" or knows(self.token or "", headers)

    def _limit(self, path: str, headers: Headers) -> int:
        large = path.endswith("/import") or headers.get("content-type", "").startswith("multipart/")
        return self.body_limit if large else min(self.body_limit, _SHORT_BODY)

    def _strange(self, method: str, headers: Headers) -> Refusal | None:
        written = headers.get("host", "")
        host = parse_host(written)
        if host is None or (self.hosts is not None and host.name not in self.hosts):
            return (
                403,
                "unknown-host",
                f"this server does not answer for the host {written!r}",
                "use the address that the server printed, or start it with --allow-host NAME",
            )
        # Programs send neither header; browsers send at least one with every request that can
        # change something, and scripts cannot forge them.
        site = headers.get("sec-fetch-site", "none")
        ours = all(same_origin(o, host, self.named) for o in headers.getlist("origin"))
        if method not in _SAFE and not (ours and site in ("same-origin", "none")):
            return (
                403,
                "cross-site",
                "a page of another site may not change anything here",
                "send the request from this server's own page, or from a program",
            )
        return None

    def _too_much(self, headers: Headers, limit: int) -> Refusal | None:
        announced = headers.get("content-length", "")
        if announced.isdigit() and int(announced) > limit:
            return 413, "too-large", _too_large(limit), _SMALLER
        return None


def _closed() -> ASGIApp:
    return problem(
        401,
        "token-needed",
        "this server asks for its token",
        "open the address with ?token=… once, or send it as Authorization: Bearer",
        {"WWW-Authenticate": "Bearer"},
    )


def _too_large(limit: int) -> str:
    return f"the upload is larger than {limit / 2**20:.3g} MiB"


def _counted(scope: Scope, receive: Receive, limit: int) -> Receive:
    """`receive`, but a body that is too long, or too long in coming, ends the request.

    Only the time that we wait for the client counts: not the time that it waits for us.
    """
    taken, waited, complete = 0, 0.0, False

    async def counted() -> Message:
        nonlocal taken, waited, complete
        if complete:
            return await receive()
        started = time.monotonic()
        try:
            with anyio.fail_after(min(IDLE_SECONDS, BODY_SECONDS - waited)):
                message = await receive()
        except TimeoutError:
            log.warning("%s %s: the body stopped arriving", scope["method"], scope["path"])
            # Of all exceptions the framework lets only this one through while it reads a body.
            raise HTTPException(
                408, "the upload stopped arriving", {"Connection": "close"}
            ) from None
        waited += time.monotonic() - started
        taken += len(message.get("body", b""))
        if taken > limit:
            raise HTTPException(413, _too_large(limit))
        gone = message["type"] == "http.disconnect"
        if gone:
            log.warning("%s %s: the client left", scope["method"], scope["path"])
        complete = gone or not message.get("more_body", False)
        return message

    return counted
