"""Who may ask, and how much they may send.

The server trusts whoever sits at its machine, and on a network whoever has its token. A browser
also runs other sites' scripts, so the gate refuses what those could send:

    host      a name that is not ours (another site that points its own name at this address)
    token     missing or wrong, where one is asked for (`doorkeeper`)
    origin    a change (POST, DELETE, …) that another site's page started, unless it is a named one
    rate      more requests than a token or an address may send, where that is limited (`rates`)
    body      one that is too long or too slow, or two lengths of one (`bodies`)

and tells the browser, by headers, that the page loads nothing from elsewhere.
"""

from __future__ import annotations

import math
from collections.abc import Collection

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from saccade.errors import InvalidInput, StoreError
from saccade.hints import hint_for
from saccade.service.askers import Asker, set_asker
from saccade.service.bodies import Body, Bounds, Freight, bounds
from saccade.service.doorkeeper import Doorkeeper, bearer, visitor_cookie
from saccade.service.hosts import LOOPBACK, parse_host, same_origin
from saccade.service.problems import REFUSED, problem
from saccade.service.rates import Rates
from saccade.service.roles import OPEN, VIEWER
from saccade.service.token import asking_page, let_in

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

_PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST, PUT, DELETE",
    "Access-Control-Allow-Headers": (
        "Authorization, Content-Type, Idempotency-Key, Saccade-Visitor, X-Request-Id"
    ),
    "Access-Control-Max-Age": "600",
}

Refusal = tuple[int, str, str, str, dict[str, str]]


class Gate:
    """ASGI middleware: the checks above, before anything else sees the request."""

    def __init__(
        self,
        app: ASGIApp,
        *,
        hosts: Collection[str] | None,
        body_limit: int,
        keeper: Doorkeeper,
        rates: Rates | None = None,
        origins: Collection[str] = (),
    ) -> None:
        self.app, self.hosts, self.body_limit, self.keeper = app, hosts, body_limit, keeper
        self.rates, self.origins = rates or Rates(), frozenset(origins)
        self.freight = Freight()
        # Names that the person who started the server gave: pages under them are our own.
        self.named = frozenset(hosts or ()) - LOOPBACK

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or pass on with a counted body and the headers set."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        headers, asker = Headers(scope=scope), Asker(VIEWER)

        async def dressed(message: Message) -> None:
            if message["type"] == "http.response.start":
                sent = MutableHeaders(scope=message)
                for name, value in {**_HEADERS, **self._shared(headers)}.items():
                    sent.setdefault(name, value)
                if asker.secret:
                    sent.append("Set-Cookie", visitor_cookie(asker, _secure(scope)))
            elif message.get("more_body") and not self.keeper.stays(asker, headers):
                # A token that was taken back while something long is told: it ends here.
                message = {**message, "body": b"", "more_body": False}
            await send(message)

        if scope["method"] == "OPTIONS" and self._shared(headers):
            # A browser asks, before a page of another site does, whether it may.
            await Response(status_code=204, headers=_PREFLIGHT)(scope, receive, dressed)
            return
        limit = bounds(scope["path"], headers, self.body_limit)
        refusal = self._strange(scope["method"], headers) or _odd(headers, limit)
        if refusal is not None:
            await problem(*refusal)(scope, receive, dressed)
            return
        if scope["path"] in OPEN:
            await self._passed(scope, receive, dressed, limit, asker)
            return
        try:
            caller = self.keeper.asker(scope, headers)
        except StoreError as error:
            refused = problem(error.status, error.code, error.message, hint_for(error.hint, "http"))
            await refused(scope, receive, dressed)
            return
        late = self.rates.wait(_who(caller, scope))
        if late:
            await _too_often(late)(scope, receive, dressed)
        elif caller is None:
            await self._closed(scope, headers)(scope, receive, dressed)
        else:
            asker = caller
            await self._passed(scope, receive, dressed, limit, asker)

    async def _passed(
        self, scope: Scope, receive: Receive, send: Send, limit: Bounds, asker: Asker
    ) -> None:
        """Pass a request on with its body counted, and JSON looked at before anybody parses it."""
        set_asker(asker)
        body = Body(scope, receive, limit, self.freight)
        try:
            refusal: ASGIApp | None = None
            if _is_json(scope):
                refusal = await _refusal(body, limit)
                if refusal is None and not self.keeper.stays(asker, Headers(scope=scope)):
                    refusal = self._closed(scope, Headers(scope=scope))  # while it was sent
            await (refusal or self.app)(scope, body.next, send)
        except ClientDisconnect:
            pass  # nobody reads an answer
        finally:
            body.done()

    def _closed(self, scope: Scope, headers: Headers) -> ASGIApp:
        """The answer to somebody without a token, or with one that opens nothing."""
        if scope["path"] == "/" and scope["method"] == "GET":
            brought = let_in(self.keeper, scope["query_string"], secure=_secure(scope))
            if brought is not None:
                return brought
        shown = bearer(headers) is not None or b"token=" in scope["query_string"]
        wrong = "this token is not known here: it was taken back, or has expired" if shown else ""
        if scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
            return asking_page(wrong and f"{wrong[0].upper()}{wrong[1:]}.")
        return problem(
            401,
            "token-unknown" if wrong else "token-needed",
            wrong or "this server asks for its token",
            "open the address with ?token=… once, or send it as Authorization: Bearer",
            {"WWW-Authenticate": "Bearer"},
        )

    def _shared(self, headers: Headers) -> dict[str, str]:
        """What is told to a page of another site that may use this server; nothing to others."""
        origin = headers.get("origin", "")
        if origin not in self.origins:
            return {}
        return {
            "Access-Control-Allow-Origin": origin,
            "Access-Control-Expose-Headers": "X-Request-Id, Retry-After",
            "Cross-Origin-Resource-Policy": "cross-origin",
            "Vary": "Origin",
        }

    def _strange(self, method: str, headers: Headers) -> Refusal | None:
        written = headers.get("host", "")
        host = parse_host(written)
        if host is None or (self.hosts is not None and host.name not in self.hosts):
            return (
                403,
                "unknown-host",
                f"this server does not answer for the host {written!r}",
                "use the address that the server printed, or start it with --allow-host NAME",
                {},
            )
        # Programs send neither header; browsers send at least one with every request that can
        # change something, and scripts cannot forge them.
        if self._shared(headers):
            return None
        site = headers.get("sec-fetch-site", "none")
        ours = all(same_origin(o, host, self.named) for o in headers.getlist("origin"))
        if method not in _SAFE and not (ours and site in ("same-origin", "none")):
            return (
                403,
                "cross-site",
                "a page of another site may not change anything here",
                "send the request from this server's own page, or from a program",
                {},
            )
        return None


def _odd(headers: Headers, limit: Bounds) -> Refusal | None:
    """A body that is announced too long, or in two ways that a proxy could read otherwise."""
    announced = headers.get("content-length", "")
    if announced and "transfer-encoding" in headers:
        return (
            400,
            "two-lengths",
            "a request has a Content-Length or a Transfer-Encoding, not both",
            "send one of them",
            {"Connection": "close"},  # what follows may be another request, or none
        )
    if announced.isdigit() and int(announced) > limit.most:
        return 413, "too-large", limit.message, limit.smaller, {}
    return None


async def _refusal(body: Body, limit: Bounds) -> ASGIApp | None:
    """What to answer to JSON that is not passed on."""
    try:
        await body.check_json()
    except InvalidInput as error:
        return problem(error.status, error.code, error.message, hint_for(error.hint, "http"))
    except HTTPException as error:
        hint = limit.smaller if error.status_code == 413 else "try again"
        code = REFUSED.get(error.status_code, "bad-request")
        return problem(error.status_code, code, error.detail, hint, error.headers)
    return None


def _is_json(scope: Scope) -> bool:
    """Whether the framework will parse a body as one document."""
    if scope["method"] in _SAFE or scope["path"].endswith("/import"):
        return False
    kind = Headers(scope=scope).get("content-type", "").partition(";")[0].strip().lower()
    return kind == "application/json" or kind.endswith("+json") or not kind


def _secure(scope: Scope) -> bool:
    return scope.get("scheme") == "https"


def _who(asker: Asker | None, scope: Scope) -> str:
    """Whose bucket a request is taken from: a token's, a person's, or an address'."""
    if asker is not None and asker.token_id:
        return f"token {asker.token_id}"
    if asker is not None and asker.user and not asker.secret:
        return f"user {asker.user}"
    client = scope.get("client")
    return f"address {client[0] if client else ''}"


def _too_often(seconds: float) -> ASGIApp:
    return problem(
        429,
        "too-often",
        "too many requests in a short time",
        f"try again in {seconds:.1f} seconds",
        {"Retry-After": str(math.ceil(seconds))},
    )
