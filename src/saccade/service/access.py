"""How a route gets at the engine it serves (`engine: Served`), and whose turn it is."""

from __future__ import annotations

from typing import Annotated, cast

from anyio import CapacityLimiter, Semaphore
from fastapi import Depends, Header, Path, Request
from pydantic import AfterValidator

from saccade.engine import GUEST, Engine
from saccade.scale.processes import cores
from saccade.service.askers import acting_as
from saccade.service.doorkeeper import Doorkeeper
from saccade.service.metrics import Metrics
from saccade.service.places import set_places
from saccade.service.schemas import UserName


class Turns:
    """How many requests of a kind are worked on at once; the others wait without a thread.

    bodies    uploads until they are described: each may hold a megabyte, the rest is on disk
    imports   profiles until they are learned from: each is in memory
    importing profiles being parsed and learned from
    pictures  uploads being described: they keep a core busy
    searches  by pictures that are known: a few at once keep every core busy, and who waits for a
              thread rather than for the interpreter is answered in the order of asking
    health    whether the server answers: never behind the others
    """

    def __init__(self) -> None:
        self.bodies = Semaphore(64)
        self.imports = Semaphore(8)
        self.importing = CapacityLimiter(2)
        self.pictures = Semaphore(cores())
        self.searches = CapacityLimiter(2 * cores())
        self.health = CapacityLimiter(2)


# Asynchronous, although nothing is waited for: the framework would send each to a thread and back.


async def _engine(request: Request) -> Engine:
    engine = cast(Engine, request.app.state.engine)
    set_places(engine)
    return engine


async def _roots(request: Request) -> tuple[str, ...]:
    return cast(tuple[str, ...], request.app.state.roots)


async def _metrics(request: Request) -> Metrics:
    return cast(Metrics, request.app.state.metrics)


async def _turns(request: Request) -> Turns:
    return cast(Turns, request.app.state.turns)


async def _keeper(request: Request) -> Doorkeeper:
    return cast(Doorkeeper, request.app.state.keeper)


async def _whose(user: UserName = GUEST) -> str:
    return acting_as(user)


Served = Annotated[Engine, Depends(_engine)]
Roots = Annotated[tuple[str, ...], Depends(_roots)]
"""Folders that pictures may be put from, beside those of the collection."""
Counted = Annotated[Metrics, Depends(_metrics)]
Ordered = Annotated[Turns, Depends(_turns)]
Kept = Annotated[Doorkeeper, Depends(_keeper)]
Whose = Annotated[str, Depends(_whose)]
"""The person that `?user=` names; whoever asks, unless it is given."""
Named = Annotated[
    str, AfterValidator(acting_as), Path(max_length=100, description="The person's name.")
]
"""The person that an address names."""
Key = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        max_length=200,
        description="A name that you make up: what is sent again under it counts once.",
    ),
]
