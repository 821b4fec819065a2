"""Saved searches: a person's sessions under names, with all that was marked in them."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path, Query

from saccade.service.access import Named, Served
from saccade.service.askers import check_own
from saccade.service.problems import documented
from saccade.service.schemas import Limit, Listing, Offset, Page, SavedSession, SaveRequest

router = APIRouter(prefix="/api/v1/profiles/{user}/saved", tags=["saved searches"])

Called = Annotated[str, Path(max_length=100, description="The name of the saved search.")]

_READ = documented(404, 422, 503)
_WRITE = documented(400, 403, 404, 409, 413, 422, 503)


@router.get("", responses=_READ, summary="A person's saved searches")
def saved(
    user: Named, engine: Served, offset: Offset = 0, limit: Limit = 50
) -> Listing[SavedSession]:
    """By name, each with its query and the marks that stand in it."""
    return Listing[SavedSession].cut(engine.sessions.list(user=user), offset, limit)


@router.post("", responses=_WRITE, summary="Save a search")
def save(user: Named, wanted: SaveRequest, engine: Served) -> SavedSession:
    """Keep the session of a page under a name; a name used before means this one from now on."""
    check_own(engine, wanted.page_id)
    return engine.sessions.save(wanted.page_id, wanted.name, user=user)


@router.post("/{name}/open", responses=_WRITE, summary="Open a saved search")
def open_saved(
    user: Named,
    name: Called,
    engine: Served,
    k: Annotated[int | None, Query(description="How many pictures the page holds.")] = None,
) -> Page:
    """The search as it ranks now, with its marks."""
    return engine.sessions.open(name, user=user, k=k)


@router.delete("/{name}", responses=_WRITE, summary="Give a saved search up")
def delete(user: Named, name: Called, engine: Served) -> Listing[SavedSession]:
    """Its name goes; what was learned in it stays. The answer lists those that are left."""
    engine.sessions.delete(name, user=user)
    return Listing[SavedSession].cut(engine.sessions.list(user=user), 0, 50)
