"""Which role each route takes: one table, and whoever asks is held to it.

Everybody is themselves (`askers`): a teacher marks, reads, exports and forgets under their own name
alone, an owner under anybody's. A route that is not in the table is the owner's.
"""

from __future__ import annotations

from collections.abc import Mapping

from fastapi import Request

from saccade.service.askers import RoleTooSmall, asking

VIEWER, TEACHER, CURATOR, OWNER = "viewer", "teacher", "curator", "owner"
ANYBODY = ""
"""Whoever reaches the server, without a token."""

_API = "/api/v1"
_PROFILE, _SAVED = f"{_API}/profiles/{{user}}", f"{_API}/profiles/{{user}}/saved"
_IMAGE, _ATTRIBUTE = f"{_API}/images/{{image_id}}", f"{_API}/attributes/{{name}}"
_CONCEPT = f"{_API}/concepts/{{name}}"

ROUTES: Mapping[str, Mapping[str, str]] = {
    # Finding
    f"{_API}/search": {"POST": VIEWER},
    f"{_API}/search/upload": {"POST": VIEWER},
    f"{_API}/show": {"POST": VIEWER},
    f"{_API}/uploads": {"GET": VIEWER, "POST": VIEWER},
    f"{_API}/uploads/{{image_id}}": {"DELETE": VIEWER},
    f"{_API}/rerank": {"POST": VIEWER},
    f"{_API}/suggest": {"GET": VIEWER},
    f"{_API}/facets": {"GET": VIEWER},
    f"{_API}/me": {"GET": VIEWER},
    # Pictures
    f"{_API}/images": {"GET": VIEWER, "POST": CURATOR},
    f"{_API}/images/sample": {"GET": VIEWER},
    _IMAGE: {"GET": VIEWER, "PUT": CURATOR, "DELETE": CURATOR},
    f"{_IMAGE}/neighbours": {"GET": VIEWER},
    f"{_IMAGE}/around": {"GET": VIEWER},
    f"{_IMAGE}/together": {"GET": VIEWER},
    f"{_IMAGE}/words": {"GET": VIEWER},
    f"{_IMAGE}/thumb": {"GET": VIEWER},
    f"{_IMAGE}/file": {"GET": VIEWER},
    f"{_API}/originals.zip": {"POST": VIEWER},
    f"{_IMAGE}/map": {"GET": VIEWER},
    f"{_IMAGE}/map.png": {"GET": VIEWER},
    f"{_API}/images/{{name}}/fields": {"PUT": CURATOR},
    f"{_API}/external/{{name}}": {"GET": VIEWER},
    # Teaching
    f"{_API}/feedback": {"POST": TEACHER},
    f"{_API}/preferences": {"POST": TEACHER},
    f"{_API}/events": {"POST": TEACHER},
    # People
    f"{_API}/profiles": {"GET": OWNER},
    _PROFILE: {"GET": VIEWER, "DELETE": TEACHER},
    f"{_PROFILE}/events": {"GET": VIEWER},
    f"{_PROFILE}/worth": {"GET": VIEWER},
    f"{_PROFILE}/taught": {"GET": VIEWER},
    f"{_PROFILE}/taught/{{session}}": {"DELETE": TEACHER},
    f"{_PROFILE}/words": {"GET": VIEWER},
    f"{_PROFILE}/undo": {"POST": TEACHER},
    f"{_PROFILE}/export": {"GET": VIEWER},
    f"{_PROFILE}/import": {"POST": TEACHER},
    _SAVED: {"GET": VIEWER, "POST": TEACHER},
    f"{_SAVED}/{{name}}": {"DELETE": TEACHER},
    f"{_SAVED}/{{name}}/open": {"POST": VIEWER},
    # Attributes and concepts
    f"{_API}/attributes": {"GET": VIEWER, "POST": CURATOR},
    f"{_API}/attributes/classify": {"POST": VIEWER},
    _ATTRIBUTE: {"GET": VIEWER, "DELETE": TEACHER},
    f"{_ATTRIBUTE}/restore": {"POST": TEACHER},
    f"{_ATTRIBUTE}/labels": {"POST": TEACHER},
    f"{_ATTRIBUTE}/comparisons": {"POST": TEACHER},
    f"{_ATTRIBUTE}/undo": {"POST": TEACHER},
    f"{_ATTRIBUTE}/order": {"GET": VIEWER},
    f"{_ATTRIBUTE}/question": {"GET": VIEWER},
    f"{_API}/concepts": {"GET": VIEWER},
    _CONCEPT: {"GET": VIEWER},
    f"{_CONCEPT}/preferences": {"POST": TEACHER},
    f"{_CONCEPT}/grades": {"POST": TEACHER},
    f"{_CONCEPT}/question": {"GET": VIEWER},
    f"{_API}/tags": {"GET": VIEWER},
    f"{_API}/tags/{{tag}}": {"POST": CURATOR, "DELETE": CURATOR},
    f"{_IMAGE}/tags": {"GET": VIEWER},
    # The collection and the server
    f"{_API}/jobs": {"GET": VIEWER, "POST": OWNER},
    f"{_API}/jobs/{{job_id}}": {"GET": VIEWER, "DELETE": OWNER},
    f"{_API}/jobs/{{job_id}}/stream": {"GET": VIEWER},
    f"{_API}/choosers": {"GET": VIEWER},
    f"{_API}/collection": {"GET": VIEWER},
    f"{_API}/collection/duplicates": {"GET": VIEWER},
    f"{_API}/collection/gone": {"GET": VIEWER},
    f"{_API}/collection/size": {"GET": VIEWER},
    f"{_API}/schemes": {"GET": VIEWER},
    "/": {"GET": VIEWER},
    "/favicon.ico": {"GET": VIEWER},
    "/openapi.json": {"GET": VIEWER},
    "/docs": {"GET": VIEWER},
    "/metrics": {"GET": OWNER},
    "/healthz": {"GET": ANYBODY},
    "/readyz": {"GET": ANYBODY},
    "/saccade-grid.js": {"GET": ANYBODY},
    "/token": {"POST": ANYBODY},
}
"""By the address as routes write it, and by method. HEAD is as GET."""

OPEN = frozenset(path for path, methods in ROUTES.items() if ANYBODY in methods.values())
"""Where nobody is asked who they are."""


def role_of(method: str, path: str) -> str:
    """What a route takes.

    >>> role_of("HEAD", "/api/v1/images"), role_of("POST", "/api/v1/new")
    ('viewer', 'owner')
    """
    methods = ROUTES.get(path, {})
    return methods.get("GET" if method == "HEAD" else method, OWNER)


async def check_role(request: Request) -> None:
    """Raise RoleTooSmall where whoever asks may not use a route; a dependency of every one."""
    needed = role_of(request.method, request.scope["route"].path)
    asker = asking()
    if needed != ANYBODY and not asker.may(needed):
        raise RoleTooSmall(asker.role, needed)
