"""φ and weights into a page."""

from __future__ import annotations

import uuid

import numpy as np
from numpy.typing import NDArray

from saccade.engine.session import Session
from saccade.errors import InvalidInput
from saccade.feedback.preferences import Judged
from saccade.types import Hit, Page, Phi, Rows, Scores

MOST = 10_000
"""Largest page."""


def check_k(k: int) -> int:
    """A page size that can be served."""
    if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= MOST:
        raise InvalidInput(f"k is {k!r}; a page has 1 to {MOST} pictures")
    return k


def best_rows(
    phi: Phi, weights: NDArray[np.float64], k: int, excluded: Rows
) -> tuple[Rows, Scores]:
    """The k best rows and their scores, best first; ties go to the lower row."""
    from saccade.kernels.topk import top

    scores = phi @ weights.astype(np.float32)
    scores[excluded] = -np.inf
    rows = top(scores, min(k, len(scores)))
    return rows, scores[rows]


def page_of(
    session: Session,
    rows: Rows,
    weights: NDArray[np.float64],
    *,
    round: int,
    judged: Judged,
    inliers: dict[int, int] | None = None,
) -> Page:
    """The records of a page."""
    listing = session.collection.listing
    names = tuple(str(scheme) for scheme in session.schemes)
    picked = session.phi[rows]
    exact = picked.astype(np.float64) @ weights  # what the shares add up to
    hits = tuple(
        Hit(
            image_id=listing.ids[row],
            path=listing.first_path.get(row, ""),
            score=score,
            width=width,
            height=height,
            schemes=names,
            phi=picked[i],
            weights=weights,
            inliers=None if inliers is None else inliers.get(row),
        )
        for i, (row, score, (width, height)) in enumerate(
            zip(rows.tolist(), exact.tolist(), listing.sizes[rows].tolist(), strict=True)
        )
    )
    return Page(
        page_id=uuid.uuid4().hex,
        session=session.session,
        user=session.user,
        round=round,
        hits=hits,
        schemes=names,
        ranker=session.ranker,
        model="",
        searched=len(session.collection),
        like=tuple(e.image_id for e in session.query.like if e.image_id),
        unlike=tuple(e.image_id for e in session.query.unlike if e.image_id),
        liked=frozenset(judged.liked),
        disliked=frozenset(judged.disliked),
    )
