"""Who asks: what a page or a program may do here, and the way in."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Request, Response

from saccade.engine import GUEST
from saccade.service.access import Kept
from saccade.service.askers import asking
from saccade.service.problems import documented
from saccade.service.schemas import Me
from saccade.service.token import asking_page, welcome

router = APIRouter(tags=["profiles"])


@router.get("/api/v1/me", responses=documented(503), summary="Who asks")
def me() -> Me:
    """The name and the role of whoever asks, as the server knows them.

    Where the server asks for no token, everybody owns it and has no name yet.
    """
    asker = asking()
    return Me(user=asker.user or GUEST, role=asker.role, named=bool(asker.user))


@router.post("/token", include_in_schema=False)
def enter(request: Request, keeper: Kept, token: Annotated[str, Form(max_length=500)]) -> Response:
    """Keep a token in the browser that sends it, where it opens."""
    if keeper.known(token.strip()) is None:
        return asking_page("This token is not known here: it was taken back, or has expired.")
    return welcome(token.strip(), secure=request.url.scheme == "https")
