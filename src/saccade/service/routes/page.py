"""The page: files from `web/`, sent as they are."""

from __future__ import annotations

from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, HTMLResponse
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from saccade.service.reference import reference

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


@router.get("/docs")
def docs(request: Request) -> HTMLResponse:
    """The reference."""
    return HTMLResponse(reference(request.app.openapi()))


@router.get("/saccade-grid.js")
def element() -> FileResponse:
    """The element for other sites' pages: a file that says nothing of this store."""
    headers = {"Cache-Control": "no-cache", "Cross-Origin-Resource-Policy": "cross-origin"}
    # A module is asked for by the rules of CORS, whoever asks; it is the same for everybody.
    headers["Access-Control-Allow-Origin"] = "*"
    return FileResponse(
        WEB / "element" / "saccade-grid.js", media_type="text/javascript", headers=headers
    )


@router.get("/favicon.ico")
def favicon() -> FileResponse:
    """The icon under the name that browsers ask for unasked."""
    return FileResponse(WEB / "favicon.svg", media_type="image/svg+xml")
