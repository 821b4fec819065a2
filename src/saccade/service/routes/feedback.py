"""Feedback: what was right and wrong on a page, and one picture before another."""

from __future__ import annotations

from fastapi import APIRouter, Response

from saccade.service.access import Served
from saccade.service.problems import documented
from saccade.service.schemas import FeedbackRequest, Page, PreferenceRequest, page_of

router = APIRouter(prefix="/api/v1", tags=["feedback"])

_ERRORS = documented(400, 403, 404, 409, 413, 422, 503)


@router.post(
    "/feedback", response_model=Page, responses=_ERRORS, summary="Say what is right and wrong"
)
def feedback(wanted: FeedbackRequest, engine: Served) -> Response:
    """Learn from judgements on a page; the answer is the page ranked anew.

    The judgement is safely stored before the answer is sent. A larger `k` asks for a longer page.
    Marks can be changed, or taken off with `cleared`, from any page of the session.
    """
    marks = {"liked": wanted.liked, "disliked": wanted.disliked, "cleared": wanted.cleared}
    return page_of(engine.react(wanted.page_id, **marks, k=wanted.k))


@router.post(
    "/preferences", response_model=Page, responses=_ERRORS, summary="Say which of two is better"
)
def preferences(wanted: PreferenceRequest, engine: Served) -> Response:
    """Learn that `better` belongs before `worse`; the answer is the page ranked anew."""
    said = {"better": wanted.better, "worse": wanted.worse}
    return page_of(engine.prefer(wanted.page_id, **said, k=wanted.k))
