"""The service: the engine over HTTP, and the page that people use.

    create_app(engine)                     the FastAPI application
    serve(engine, host=…, port=…)          run it until SIGINT or SIGTERM

A route parses, calls the engine, shapes the answer. Routes are plain functions, so the framework
runs them in its thread pool and a slow search never holds up a thumbnail. Every error is JSON with
`code`, `message` and `hint`; nothing here is a global, so one process can serve two engines.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from saccade.service.app import create_app
    from saccade.service.server import serve

__all__ = ["create_app", "serve"]

_PARTS = {"create_app": "saccade.service.app", "serve": "saccade.service.server"}


def __getattr__(name: str) -> object:
    if name in _PARTS:
        part: object = getattr(importlib.import_module(_PARTS[name]), name)
        return part
    raise AttributeError(f"module 'saccade.service' has no attribute {name!r}")
