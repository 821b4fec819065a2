"""Feedback: what was right and wrong on a page, and one picture before another."""

from __future__ import annotations

from fastapi import APIRouter, Response

from saccade import types
from saccade.service.access import Key, Served
from saccade.service.askers import check_own
from saccade.service.problems import documented
from saccade.service.schemas import (
    CandidatePage,
    Explain,
    FeedbackRequest,
    Page,
    PreferenceRequest,
    candidates_of,
    page_of,
)

router = APIRouter(prefix="/api/v1", tags=["feedback"])

_ERRORS = documented(400, 403, 404, 409, 413, 422, 503)


@router.post(
    "/feedback",
    response_model=Page | CandidatePage,
    responses=_ERRORS,
    summary="Say what is right and wrong",
)
def feedback(
    wanted: FeedbackRequest, engine: Served, key: Key = None, explain: Explain = True
) -> Response:
    """Learn from judgements on a page; the answer is the page ranked anew.

    The judgement is safely stored before the answer is sent. A larger `k` asks for a longer page.
    Marks can be changed, or taken off with `cleared`, from any page of the session. A page of
    candidates is answered by one. What is sent again under the same `Idempotency-Key` counts once.
    """
    check_own(engine, wanted.page_id)
    marks = {"liked": wanted.liked, "disliked": wanted.disliked, "cleared": wanted.cleared}
    page = engine.react(wanted.page_id, **marks, k=wanted.k, key=key)
    if isinstance(page, types.Page):
        return page_of(page, explain=explain)
    return candidates_of(page)


@router.post(
    "/preferences", response_model=Page, responses=_ERRORS, summary="Say which of two is better"
)
def preferences(
    wanted: PreferenceRequest, engine: Served, key: Key = None, explain: Explain = True
) -> Response:
    """Learn that `better` belongs before `worse`; the answer is the page ranked anew."""
    check_own(engine, wanted.page_id)
    pair = {"better": wanted.better, "worse": wanted.worse}
    page = engine.prefer(wanted.page_id, **pair, k=wanted.k, key=key)
    return page_of(page, explain=explain)
