"""How a route gets at the engine it serves: `engine: Served` among its parameters."""

from __future__ import annotations

from typing import Annotated, cast

from fastapi import Depends, Request

from saccade.engine import Engine
from saccade.service.metrics import Metrics


def _engine(request: Request) -> Engine:
    return cast(Engine, request.app.state.engine)


def _metrics(request: Request) -> Metrics:
    return cast(Metrics, request.app.state.metrics)


Served = Annotated[Engine, Depends(_engine)]
Counted = Annotated[Metrics, Depends(_metrics)]
