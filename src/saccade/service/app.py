"""The application: routes, errors, gate and metrics around one engine."""

from __future__ import annotations

from collections.abc import Collection

from fastapi import FastAPI

import saccade
from saccade.engine import Engine
from saccade.service import problems
from saccade.service.access import Turns
from saccade.service.gate import Gate
from saccade.service.hosts import LOOPBACK
from saccade.service.metrics import Measured, Metrics
from saccade.service.routes import (
    attributes,
    choosers,
    collection,
    concepts,
    feedback,
    images,
    operations,
    page,
    profiles,
    saved,
    search,
)

BODY_LIMIT = 64 * 2**20
"""Bytes of one request: any photograph, and an exported profile of years."""

_ABOUT = """An image search engine that learns what you mean.

Search by example, say what is right and what is wrong, and the ranking follows at once. A search
returns a *page*; feedback names the page by its `page_id` and returns it ranked anew. Every error
is JSON with `code`, `message` and `hint`."""

_TAGS = [
    {"name": "search", "description": "Find pictures by example."},
    {"name": "feedback", "description": "Teach: right, wrong, this one before that one."},
    {"name": "images", "description": "Records, thumbnails and originals."},
    {"name": "profiles", "description": "What was learned from a person; undo, forget, export."},
    {"name": "saved searches", "description": "Sessions under names, with their marks."},
    {"name": "concepts", "description": "Pictures of a keyword in a taught order; their regions."},
    {"name": "choosers", "description": "Retrieval configurations, chosen from feedback."},
    {"name": "attributes", "description": "Named directions that people teach."},
    {"name": "collection", "description": "What is indexed, and how it is compared."},
    {"name": "operations", "description": "Health and metrics."},
]


def create_app(
    engine: Engine,
    *,
    hosts: Collection[str] | None = LOOPBACK,
    token: str | None = None,
    body_limit: int = BODY_LIMIT,
) -> FastAPI:
    """The engine as an ASGI application.

    `hosts` are the names this server answers for; None answers under any name, and is for a server
    with a `token`: whoever has it may come in, nobody else.
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
    )
    metrics = Metrics(engine.report, engine.failures)
    app.state.engine, app.state.metrics, app.state.turns = engine, metrics, Turns()
    problems.install(app)
    for group in (
        search,
        feedback,
        images,
        profiles,
        saved,
        choosers,
        attributes,
        concepts,
        collection,
        operations,
        page,
    ):
        app.include_router(group.router)
    app.mount("/assets", page.Assets(directory=page.WEB), name="assets")
    app.add_middleware(Gate, hosts=hosts, token=token, body_limit=body_limit)
    app.add_middleware(Measured, metrics=metrics)
    return app
