"""How a route gets at the engine it serves (`engine: Served`), and whose turn it is."""

from __future__ import annotations

from typing import Annotated, cast

from anyio import CapacityLimiter, Semaphore
from fastapi import Depends, Request

from saccade.engine import Engine
from saccade.scale.processes import cores
from saccade.service.metrics import Metrics


class Turns:
    """How many requests of a kind are worked on at once; the others wait without a thread.

    bodies    uploads being read: each may hold a megabyte in memory, the rest is on disk
    pictures  uploads being described: they keep a core busy
    searches  by pictures that are known: a few at once keep every core busy, and who waits for a
              thread rather than for the interpreter is answered in the order of asking
    health    whether the server answers: never behind the others
    """

    def __init__(self) -> None:
        self.bodies = Semaphore(64)
        self.pictures = Semaphore(cores())
        self.searches = CapacityLimiter(2 * cores())
        self.health = CapacityLimiter(2)


# Asynchronous, although nothing is waited for: the framework would send each to a thread and back.


async def _engine(request: Request) -> Engine:
    return cast(Engine, request.app.state.engine)


async def _metrics(request: Request) -> Metrics:
    return cast(Metrics, request.app.state.metrics)


async def _turns(request: Request) -> Turns:
    return cast(Turns, request.app.state.turns)


Served = Annotated[Engine, Depends(_engine)]
Counted = Annotated[Metrics, Depends(_metrics)]
Ordered = Annotated[Turns, Depends(_turns)]
