"""The page: files from `web/`, sent as they are."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Response
from fastapi.responses import FileResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

WEB = Path(__file__).resolve().parent.parent / "web"

router = APIRouter(include_in_schema=False)


class Assets(StaticFiles):
    """Static files that a browser asks about again, so that an upgrade shows at once."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, or 304 when the browser has this version."""
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response


@router.get("/")
def index() -> FileResponse:
    """The page."""
    return FileResponse(WEB / "index.html", headers={"Cache-Control": "no-cache"})


@router.get("/favicon.ico")
def favicon() -> FileResponse:
    """The icon under the name that browsers ask for unasked."""
    return FileResponse(WEB / "favicon.svg", media_type="image/svg+xml")
