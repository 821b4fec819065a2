"""Every error leaves as {code, message, hint}: one sentence, what to do next, no traceback.

What went wrong says itself what helps, where it knows; `NEXT` is for what does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect

from saccade.errors import SaccadeError, StoreError
from saccade.hints import hint_for
from saccade.service.places import hidden
from saccade.service.schemas import Problem

Responses = dict[int | str, dict[str, Any]]

REFUSED = {408: "too-slow", 413: "too-large", 503: "busy"}
"""What bodies are refused for, by status."""

_MEANING = {
    400: "The request cannot be read.",
    401: "The server asks for a token.",
    403: "The role is too small, the name is somebody else's, or another site's page asks.",
    404: "The thing named is not there.",
    405: "The address is there, the method is not.",
    408: "The body stopped arriving.",
    409: "The state does not allow this, for instance nothing is left to undo.",
    413: "The upload is larger than this server takes.",
    415: "The body is of a type this address does not take.",
    422: "A field is missing, out of range, or names something unknown.",
    429: "Too many requests in a short time.",
    503: "The store cannot be read or written, or the server is stopping.",
}

_FIELDS = "/openapi.json describes every field"
NEXT: Mapping[int | str, str] = {
    "not-an-image": "send another file, or the same saved anew as JPEG or PNG",
    400: _FIELDS,
    404: "the lists under /api/v1 name what is there",
    408: "send it again, without a pause",
    409: "look at it as it is now, then try again",
    413: "send it in smaller parts",
    415: "/openapi.json names the types that an address takes",
    422: "change what it names, and send it again",
    503: "try again in a moment",
}
"""What helps, by code or else by status. People read it, too: the page shows it."""


def problem(
    status: int, code: str, message: str, hint: str = "", headers: Mapping[str, str] | None = None
) -> JSONResponse:
    """One error as a response."""
    body = Problem(code=code, message=message, hint=hint or NEXT.get(code, NEXT.get(status, "")))
    return JSONResponse(body.model_dump(), status_code=status, headers=dict(headers or {}))


def documented(*statuses: int) -> Responses:
    """What OpenAPI says about these error statuses, in the words above."""
    return {status: {"model": Problem, "description": _MEANING[status]} for status in statuses}


def install(app: FastAPI) -> None:
    """Give every kind of failure the one shape."""
    app.add_exception_handler(SaccadeError, _on_purpose)
    app.add_exception_handler(RequestValidationError, _malformed)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(ClientDisconnect, _left)
    app.add_exception_handler(Exception, _unexpected)


def _on_purpose(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, SaccadeError)
    if isinstance(error, StoreError) and request.app.state.engine.moved:
        # The server opens it anew in a moment; what was asked for is not done.
        return problem(
            503, "busy", "the catalog has just moved to another database", "try again in a moment"
        )
    hint = hint_for(error.hint, "http")
    return problem(error.status, error.code, hidden(error.message), hidden(hint))


def _malformed(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    # A place starts with where the value came from (body, query, path); people read fields.
    place = ".".join(str(part) for part in first["loc"][1:]) or "request body"
    message = f"{place}: {first['msg'][:1].lower()}{first['msg'][1:]}"
    return problem(422, "invalid-input", message, _FIELDS)


def _refused(request: Request, error: Exception) -> JSONResponse:
    assert isinstance(error, HTTPException)
    path, status = request.url.path, error.status_code
    if status == 404:
        message = f"there is nothing at {path}"
        return problem(404, "not-found", message, "/openapi.json lists every address")
    if status == 405:
        allowed = (error.headers or {}).get("Allow", "another method")
        message = f"{path} does not take {request.method}"
        return problem(405, "method-not-allowed", message, f"it takes {allowed}", error.headers)
    code = REFUSED.get(status, "bad-request")
    return problem(status, code, str(error.detail), headers=error.headers)


def _left(request: Request, error: Exception) -> Response:
    """Nobody reads this answer; the gate has written its line."""
    return Response(status_code=400)


def _unexpected(request: Request, error: Exception) -> JSONResponse:
    message = "the server met an error it did not expect; its log has the details"
    return problem(500, "internal", message, "try again; if it stays, report the log's last lines")
