"""The key to a server that others can reach: a secret that programs send and browsers keep.

    Authorization: Bearer TOKEN       programs
    GET /?token=TOKEN                 a person, once: the browser keeps it as a cookie

The cookie goes to this host only, no script can read it, and no other site's form carries it.
"""

from __future__ import annotations

import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers
from starlette.responses import RedirectResponse, Response

from saccade.errors import InvalidInput
from saccade.hints import Hint

COOKIE = "saccade-token"
NEW = "new"
"""Said in place of a token: make one up."""

_SHORTEST = 16


def checked_token(text: str) -> str:
    """The token to use; `new` makes one up."""
    if text == NEW:
        return secrets.token_urlsafe(24)
    if len(text) < _SHORTEST or not text.isascii() or not text.isprintable() or " " in text:
        raise InvalidInput(
            f"a token has at least {_SHORTEST} letters, digits or signs and no spaces",
            hint=Hint(f"token={NEW!r} makes one up", command=f"--token {NEW} makes one up"),
        )
    return text


def knows(token: str, headers: Headers) -> bool:
    """Whether a request carries the token."""
    scheme, _, sent = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and _equal(sent.strip(), token):
        return True
    try:
        cookies = SimpleCookie("; ".join(headers.getlist("cookie")))
    except CookieError:
        return False
    return COOKIE in cookies and _equal(cookies[COOKIE].value, token)


def let_in(token: str, query: bytes, *, secure: bool) -> Response | None:
    """The answer to somebody who brings the token in the address: a cookie, and the page."""
    sent = parse_qs(query.decode("latin-1")).get("token", [])
    if not any(_equal(value, token) for value in sent):
        return None
    answer = RedirectResponse("/", 303)
    answer.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=secure)
    return answer


def _equal(sent: str, token: str) -> bool:
    return hmac.compare_digest(sent.encode("utf-8", "surrogateescape"), token.encode())
