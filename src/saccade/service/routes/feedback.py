"""Feedback: what was right and wrong on a page, and one picture before another."""

from __future__ import annotations

from fastapi import APIRouter

from saccade.service.access import Served
from saccade.service.problems import documented
from saccade.service.schemas import FeedbackRequest, Page, PreferenceRequest

router = APIRouter(prefix="/api/v1", tags=["feedback"])

_ERRORS = documented(400, 403, 404, 409, 413, 422, 503)


@router.post("/feedback", responses=_ERRORS, summary="Say what is right and wrong")
def feedback(wanted: FeedbackRequest, engine: Served) -> Page:
    """Learn from judgements on a page; the answer is the page ranked anew.

    The judgement is safely stored before the answer is sent. A larger `k` asks for a longer page.
    Marks can be changed, or taken off with `cleared`, from any page of the session.
    """
    return engine.react(
        wanted.page_id,
        liked=wanted.liked,
        disliked=wanted.disliked,
        cleared=wanted.cleared,
        k=wanted.k,
    )


@router.post("/preferences", responses=_ERRORS, summary="Say which of two is better")
def preferences(wanted: PreferenceRequest, engine: Served) -> Page:
    """Learn that `better` belongs before `worse`; the answer is the page ranked anew."""
    return engine.prefer(wanted.page_id, better=wanted.better, worse=wanted.worse)
