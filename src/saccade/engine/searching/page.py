"""An expert's ranking into a page."""

from __future__ import annotations

import uuid
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from saccade.engine.choice import Choice, Places
from saccade.engine.evidence import Opinions
from saccade.engine.learning.fold import Models
from saccade.engine.searching import verifying
from saccade.engine.searching.configured import Configured, by_choice
from saccade.engine.searching.experts import Ranking, Round, expert
from saccade.engine.searching.experts.seen import found
from saccade.engine.searching.session import Session
from saccade.engine.sources import graph
from saccade.errors import InvalidInput
from saccade.feedback.preferences import Judged
from saccade.kernels.topk import top
from saccade.types import Hit, Page, Rows

MOST = 10_000
"""Largest page."""


def check_k(k: int) -> int:
    """A page size that can be served."""
    if not isinstance(k, int) or isinstance(k, bool) or not 1 <= k <= MOST:
        raise InvalidInput(f"k is {k!r}; a page has 1 to {MOST} pictures")
    return k


class Ranked(NamedTuple):
    """A page; what each of several experts says of it, or where a configuration had its images."""

    page: Page
    opinions: Opinions | None
    places: Places | None


def ranked(
    session: Session,
    models: Models,
    *,
    k: int,
    round: int,
    judged: Judged,
    fits: NDArray[np.bool_] | None = None,
) -> Ranked:
    """The page a session's expert or its configuration gives.

    Rows that do not fit what is asked of attributes stay away, or come last.
    """
    for example in (*session.query.like, *session.query.unlike):
        example.memo[graph.LENGTH] = max(k, session.verify)
    asked = Round(session, models, judged)
    ranking, failed = _ranking(asked)
    configured = isinstance(ranking, Configured)
    choice = session.choice
    rows = best_rows(ranking, max(k, session.verify), session.excluded, fits)
    inliers: dict[int, int] = {}
    likes = session.query.like
    if session.verify > 0:
        rows, inliers = verifying.verified(likes, session.collection, rows, session.verify)
    elif session.verify == verifying.AUTOMATIC and not judged.anything:
        # What a person says goes before what geometry says.
        rows, inliers = verifying.recognised(likes, session.collection, rows)
    rows = _fitting_first(rows, session, fits)[:k]
    page = Page(
        page_id=uuid.uuid4().hex,
        session=session.session_id,
        user=session.user,
        round=round,
        hits=_hits(session, ranking, rows, inliers),
        schemes=session.names,
        ranker=session.ranker,
        model=str(models.event_id),
        searched=len(session.collection),
        like=tuple(e.image_id for e in session.query.like if e.image_id),
        unlike=tuple(e.image_id for e in session.query.unlike if e.image_id),
        liked=frozenset(judged.liked),
        disliked=frozenset(judged.disliked),
        preferred=judged.preferred,
        leading=ranking.leading,
        believed=found(asked),
        dropped=(*ranking.dropped, *failed),
        configuration=ranking.leading if configured else "",
        unconfigured="" if configured else _unconfigured(choice),
        explored=configured and choice is not None and choice.explored,
        propensity=session.propensity,
        more=dict(session.traits.more),
        less=dict(session.traits.less),
    )
    places = ranking.places(rows) if isinstance(ranking, Configured) else None
    return Ranked(page, ranking.opinions(rows), places)


def _ranking(round: Round) -> tuple[Ranking, tuple[str, ...]]:
    """By the configuration that was chosen; by the usual expert where it fails, with its name."""
    session, choice = round.session, round.session.choice
    usual = expert(session.ranker)
    if choice is None:
        return usual.rank(round), ()
    if not choice.asked:
        return usual.rank(round), choice.dropped
    try:
        found = by_choice(round, choice)
        if np.isfinite(found.scores).all():
            return found, ()
    # A vocabulary may be gone or damaged since the session began: the page is served without it.
    except Exception:
        pass
    return usual.rank(round), (*choice.dropped, choice.configuration)


def _unconfigured(choice: Choice | None) -> str:
    """Why no configuration ranks a page, in words; nothing where none was asked for."""
    if choice is None:
        return ""
    if choice.asked:  # it could when the session began
        return f"{choice.configuration} failed"
    if not choice.dropped:
        return "no configuration can compare a picture without visual words"
    number = len(choice.dropped)
    return f"all {number} configurations failed" if number > 1 else f"{choice.dropped[0]} failed"


def best_rows(
    ranking: Ranking, k: int, excluded: Rows, fits: NDArray[np.bool_] | None = None
) -> Rows:
    """The k best rows, best first; ties go to the lower row. Those that fit go before others."""
    scores = ranking.scores
    scores[excluded] = -np.inf
    if fits is None:
        rows: Rows = top(scores, min(k, len(scores)))
        return rows
    first: Rows = top(np.where(fits, scores, -np.inf), min(k, len(scores)))
    rest: Rows = top(np.where(fits, -np.inf, scores), min(k, len(scores)) - len(first))
    return np.concatenate([first, rest])


def _fitting_first(rows: Rows, session: Session, fits: NDArray[np.bool_] | None) -> Rows:
    """Geometry may have moved a row up; what does not fit stays behind, or away."""
    if fits is None:
        return rows
    inside = fits[rows]
    return np.concatenate([rows[inside], rows[~inside] if session.traits.prefer else rows[:0]])


def _hits(
    session: Session, ranking: Ranking, rows: Rows, inliers: dict[int, int]
) -> tuple[Hit, ...]:
    listing = session.collection.listing
    parts, names = ranking.parts(rows), ranking.names
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
        )
        for i, (row, score, (width, height)) in enumerate(
            zip(rows.tolist(), exact.tolist(), listing.sizes[rows].tolist(), strict=True)
        )
    )
