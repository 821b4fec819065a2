"""The key to a server that others can reach: a secret that programs send and browsers keep.

    Authorization: Bearer TOKEN       programs
    GET /?token=TOKEN                 a person, once: the browser keeps it as a cookie
    POST /token                       the same from the page that asks for it

The cookie goes to this host only, no script can read it, and no other site's form carries it.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
import secrets
from pathlib import Path
from urllib.parse import parse_qs

from starlette.responses import HTMLResponse, RedirectResponse, Response

from saccade.errors import InvalidInput
from saccade.hints import Hint
from saccade.service.doorkeeper import COOKIE, Doorkeeper

NEW = "new"
"""Said in place of a token: make one up."""

_SHORTEST = 16
_PAGE = Path(__file__).resolve().parent / "web" / "token.html"


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


def let_in(keeper: Doorkeeper, query: bytes, *, secure: bool) -> Response | None:
    """The answer to somebody who brings a token in the address; None where it opens nothing."""
    sent = parse_qs(query.decode("latin-1")).get("token", [])
    keys = [key for key in sent if keeper.known(key) is not None]
    return welcome(keys[0], secure=secure) if keys else None


def welcome(token: str, *, secure: bool) -> Response:
    """The answer to somebody who brought a token that opens: a cookie, and the page."""
    answer = RedirectResponse("/", 303)
    answer.set_cookie(COOKIE, token, httponly=True, samesite="lax", secure=secure)
    return answer


def asking_page(message: str = "") -> Response:
    """A page that asks for a token; `message` is what was wrong with the one before."""
    text = _PAGE.read_text(encoding="utf-8").replace("<!-- said -->", html.escape(message))
    style = re.findall(r"<style>(.*?)</style>", text, re.DOTALL)[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    # It loads nothing at all, and nothing else of the server is shown without a token.
    policy = (
        f"default-src 'none'; style-src 'sha256-{digest}'; form-action 'self'; base-uri 'none'; "
        "frame-ancestors 'none'"
    )
    headers = {
        "Content-Security-Policy": policy,
        "Cache-Control": "no-store",
        "WWW-Authenticate": "Bearer",
    }
    return HTMLResponse(text, 401, headers)
