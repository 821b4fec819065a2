"""Who may ask, and how much they may send.

The server has no passwords: it trusts whoever sits at its machine. A browser on that machine also
runs other sites' scripts, so the gate refuses what those could send:

    host      a name that is not ours (another site that points its own name at this address)
    origin    a change (POST, DELETE, …) that another site's page started
    size      a body above the limit, announced or streamed

and tells the browser, by headers, that the page loads nothing from elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade.service.problems import problem

LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
"""The names a browser on the same machine calls us by."""

_SMALLER = "send a smaller version of the picture"
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})

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


class Gate:
    """ASGI middleware: the checks above, before anything else sees the request."""

    def __init__(self, app: ASGIApp, *, hosts: Collection[str] | None, body_limit: int) -> None:
        self.app, self.hosts, self.body_limit = app, hosts, body_limit

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

        refusal = self._refusal(scope["method"], Headers(scope=scope))
        if refusal is None:
            await self.app(scope, self._counted(receive), dressed)
        else:
            await problem(*refusal)(scope, receive, dressed)

    def _refusal(self, method: str, headers: Headers) -> tuple[int, str, str, str] | None:
        host = headers.get("host", "")
        if self.hosts is not None and _hostname(host) not in self.hosts:
            return (
                403,
                "unknown-host",
                f"this server does not answer for the host {host!r}",
                "use the address that the server printed when it started",
            )
        if method not in _SAFE and not _same_origin(headers, host):
            return (
                403,
                "cross-site",
                "a page of another site may not change anything here",
                "send the request from this server's own page, or from a program",
            )
        announced = headers.get("content-length", "")
        if announced.isdigit() and int(announced) > self.body_limit:
            return 413, "too-large", self._too_large(), _SMALLER
        return None

    def _too_large(self) -> str:
        return f"the upload is larger than {self.body_limit / 2**20:.3g} MiB"

    def _counted(self, receive: Receive) -> Receive:
        """`receive`, but a body that streams past the limit ends the request."""
        taken = 0

        async def counted() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self.body_limit:
                # Of all exceptions the framework lets only this one through while it reads a body.
                raise HTTPException(413, self._too_large())
            return message

        return counted


def _hostname(host: str) -> str:
    """The host without its port, as the header or an origin writes it; empty when malformed.

    >>> _hostname("127.0.0.1:8000"), _hostname("[::1]:8000"), _hostname("LocalHost")
    ('127.0.0.1', '::1', 'localhost')
    """
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def _same_origin(headers: Headers, host: str) -> bool:
    """Whether the browser says that our own page, or no page at all, started this request.

    Programs send neither header; browsers send at least one with every request that can change
    something, and scripts cannot forge them.
    """
    site = headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    # Compared as text: an origin is scheme://host[:port] and a browser writes Host the same way.
    return origin is None or origin in (f"http://{host}", f"https://{host}")
