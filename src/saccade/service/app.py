"""The application: routes, errors, gate and metrics around one engine."""

from __future__ import annotations

from collections.abc import Collection
from functools import partial

from fastapi import Depends, FastAPI

import saccade
from saccade.engine import Engine
from saccade.engine import operations as operations_of
from saccade.service import problems
from saccade.service.access import Turns
from saccade.service.described import describe
from saccade.service.doorkeeper import Doorkeeper, TrustedProxy
from saccade.service.gate import Gate
from saccade.service.hosts import LOOPBACK, checked_origin
from saccade.service.keeper import JobKeeper
from saccade.service.metrics import Measured, Metrics
from saccade.service.rates import Rates
from saccade.service.roles import check_role
from saccade.service.routes import (
    archive,
    attributes,
    choosers,
    collection,
    concepts,
    events,
    facets,
    feedback,
    fields,
    images,
    jobs,
    maps,
    operations,
    page,
    people,
    pictures,
    profiles,
    rerank,
    saved,
    search,
    tags,
    text,
    uploads,
)

BODY_LIMIT = 64 * 2**20
"""Bytes of the largest request, a photograph; whatever else is sent has smaller limits."""

_ABOUT = """An image search engine that learns what you mean.

Search by words or by example, say what is right and what is wrong, and the ranking follows at once.
A search returns a *page*; feedback names the page by its `page_id` and returns it ranked anew.
Every error is JSON with `code`, `message` and `hint`."""

_TAGS = [
    {"name": "search", "description": "Find pictures by words or by example."},
    {"name": "candidates", "description": "What another engine found, in a taught order."},
    {"name": "words", "description": "Words to type, and words that people taught."},
    {"name": "feedback", "description": "Teach: right, wrong, this one before that one."},
    {"name": "images", "description": "Records, thumbnails and originals."},
    {"name": "profiles", "description": "What was learned from a person; undo, forget, export."},
    {"name": "saved searches", "description": "Sessions under names, with their marks."},
    {"name": "concepts", "description": "Pictures of a keyword in a taught order."},
    {"name": "tags", "description": "Names that people give to pictures."},
    {"name": "maps", "description": "What of a picture counts, as a glow over it."},
    {"name": "choosers", "description": "Retrieval configurations, chosen from feedback."},
    {"name": "attributes", "description": "Named directions that people teach."},
    {"name": "collection", "description": "What is indexed, and how it is compared."},
    {"name": "jobs", "description": "Long work, done behind."},
    {"name": "operations", "description": "Health and metrics."},
]


GROUPS = (
    search,
    uploads,
    text,
    rerank,
    feedback,
    events,
    images,
    pictures,
    archive,
    profiles,
    people,
    saved,
    choosers,
    attributes,
    concepts,
    tags,
    facets,
    fields,
    maps,
    collection,
    jobs,
    operations,
    page,
)
"""Every group of routes, in the order in which they are described."""


def create_app(
    engine: Engine,
    *,
    hosts: Collection[str] | None = LOOPBACK,
    token: str | None = None,
    tokens: bool = False,
    visitors: bool = False,
    proxy: TrustedProxy | None = None,
    origins: Collection[str] = (),
    rate: float | None = None,
    roots: Collection[str] = (),
    body_limit: int = BODY_LIMIT,
) -> FastAPI:
    """The engine as an ASGI application.

    `hosts` are the names this server answers for; None answers under any name, and is for a server
    that asks who comes: `token` is its owner's own, `tokens` are the store's (`engine.tokens`),
    `visitors` lets in whoever has none, each as themselves alone, and `proxy` says who is who.
    Pages of the `origins` (`https://shop.example`) may use it, and everybody at most `rate` times a
    second. Pictures may be put by their paths from the collection's folders, and from the `roots`.
    """
    app = FastAPI(
        title="Saccade",
        summary="An image search engine that learns what you mean.",
        description=_ABOUT,
        version=saccade.__version__,
        license_info={"name": "Apache-2.0", "identifier": "Apache-2.0"},
        openapi_tags=_TAGS,
        # The framework's own documentation pages load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        # What the gate and the store may answer to anything; routes add what is their own.
        responses=problems.documented(400, 401, 403, 408, 413, 422, 429, 503),
        # An address is what it is: another one, be it with a slash behind it, is not found.
        redirect_slashes=False,
        dependencies=[Depends(check_role)],
    )
    keeper = Doorkeeper(
        engine.tokens.find, token=token, tokens=tokens, visitors=visitors, proxy=proxy
    )
    metrics = Metrics(
        engine.library.report,
        partial(engine.candidates.guard, user=None),
        operations_of(engine).failures,
    )
    app.state.keeper, app.state.jobs = keeper, JobKeeper(engine)
    app.state.engine, app.state.metrics, app.state.turns = engine, metrics, Turns()
    app.state.roots = tuple(roots)
    problems.install(app)
    for group in GROUPS:
        app.include_router(group.router)
    app.mount("/assets", page.Assets(directory=page.WEB), name="assets")
    describe(app)
    app.add_middleware(
        Gate,
        hosts=hosts,
        keeper=keeper,
        body_limit=body_limit,
        rates=Rates(rate),
        origins=[checked_origin(origin) for origin in origins],
    )
    app.add_middleware(Measured, metrics=metrics)
    return app
