"""Choosers: which retrieval configuration feedback has found best, and what that has cost."""

from __future__ import annotations

from fastapi import APIRouter

from saccade.service.access import Served
from saccade.service.problems import documented
from saccade.service.schemas import Choosers

router = APIRouter(prefix="/api/v1", tags=["choosers"])


@router.get("/choosers", responses=documented(503), summary="Configurations and their choosers")
def choosers(engine: Served) -> Choosers:
    """What the collection can be ranked by; weights, losses and regret of each chooser over time.

    Empty where the collection has no visual words.
    """
    return engine.configurations.show()
