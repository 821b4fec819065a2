"""An expert's ranking into a page."""

from __future__ import annotations

import uuid
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.engine.loop import verifying
from saccade.engine.loop.experts import Moment, Ranking
from saccade.engine.loop.session import Session
from saccade.engine.request import where_json
from saccade.engine.sources import copies
from saccade.kernels.topk import top
from saccade.types import Hit, Page, Rows

CONFIRMED, FIRST = "confirmed by geometry", "what should come first"
"""What puts a picture above others with a higher score."""
ROUNDING = 1e-4
"""Scores are ranked in single precision and told in double."""

Fits = NDArray[np.bool_]  # [rows]


@dataclass(frozen=True, slots=True)
class Narrowed:
    """What learned things leave of a page: rows that must fit, and rows that should come first."""

    strict: Fits | None = None
    preferred: Fits | None = None

    def first(self, scores: NDArray[np.float32], k: int) -> Rows:
        """The k best rows; those that should come first go before the others."""
        if self.strict is not None:
            scores = np.where(self.strict, scores, -np.inf)
        if self.preferred is None:
            return _top(scores, k)
        first = _top(np.where(self.preferred, scores, -np.inf), k)
        rest = _top(np.where(self.preferred, -np.inf, scores), k - len(first))
        return np.concatenate([first, rest])

    def again(self, rows: Rows) -> Rows:
        """Rows with those first that should be: geometry may have moved another one up."""
        if self.preferred is None:
            return rows
        fits = self.preferred[rows]
        return np.concatenate([rows[fits], rows[~fits]])


def made(
    moment: Moment, ranking: Ranking, narrowed: Narrowed, *, k: int, number: int
) -> tuple[Page, Rows]:
    """A session's page as one ranking has it, and its rows."""
    session, judged = moment.session, moment.judged
    scores = ranking.scores
    scores[session.excluded] = -np.inf
    rows = narrowed.first(scores, min(max(k, session.verify), len(scores)))
    inliers: dict[int, int] = {}
    likes = session.query.like
    if session.verify > 0:
        rows, inliers = verifying.verified(likes, session.collection, rows, session.verify)
    elif session.verify == verifying.AUTOMATIC and not judged.anything:
        # What a person says goes before what geometry says.
        rows, inliers = verifying.recognised(likes, session.collection, rows)
    rows = narrowed.again(rows)[:k]
    page = Page(
        page_id=uuid.uuid4().hex,
        session=session.session_id,
        user=session.user,
        round=number,
        hits=_hits(session, ranking, rows, inliers),
        schemes=session.names,
        expert=session.expert,
        model=str(moment.models.event_id),
        searched=len(session.collection),
        like=tuple(e.image_id for e in session.query.like if e.image_id),
        unlike=tuple(e.image_id for e in session.query.unlike if e.image_id),
        liked=frozenset(judged.liked),
        disliked=frozenset(judged.disliked),
        preferred=judged.preferred,
        where=tuple(where_json(session.where)),
        leading=ranking.leading,
        believed=ranking.believed,
        dropped=ranking.dropped,
    )
    return page, rows


def _top(scores: NDArray[np.float32], k: int) -> Rows:
    """The k best rows, best first; ties go to the lower row."""
    rows: Rows = top(scores, min(k, len(scores)))
    return rows


def _hits(
    session: Session, ranking: Ranking, rows: Rows, inliers: dict[int, int]
) -> tuple[Hit, ...]:
    listing = session.collection.listing
    first = copies.stacks(session.collection, rows)
    parts, names = _in_order(ranking.parts(rows), ranking.names, confirmed=bool(inliers))
    exact = parts.sum(axis=1)  # what the parts add up to
    return tuple(
        Hit(
            image_id=listing.ids[row],
            path=listing.first_path.get(row, ""),
            score=score,
            width=width,
            height=height,
            names=names,
            parts=parts[i],
            inliers=inliers.get(row),
            stack=listing.ids[first[row]] if row in first else "",
        )
        for i, (row, score, (width, height)) in enumerate(
            zip(rows.tolist(), exact.tolist(), listing.sizes[rows].tolist(), strict=True)
        )
    )


def _in_order(
    parts: NDArray[np.float64], names: tuple[str, ...], *, confirmed: bool
) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Parts whose sums fall, best first: what puts a picture above a higher score is a part, too.

    >>> parts, names = _in_order(np.array([[1.0], [3.0], [2.0]]), ("a",), confirmed=True)
    >>> names[1], parts.sum(axis=1).tolist()
    ('confirmed by geometry', [3.0, 3.0, 2.0])
    """
    scores = parts.sum(axis=1)
    raised = np.maximum.accumulate(scores[::-1])[::-1] - scores
    if not (raised > ROUNDING).any():
        return parts, names
    return np.concatenate([parts, raised[:, None]], axis=1), (
        *names,
        CONFIRMED if confirmed else FIRST,
    )
