"""What a session's marks say about every image, along the neighbour graph.

    toward  = spread of the query (`QUERY`) and of each like (`LIKE`)
    against = spread of each dislike (1 each)

    spread    asinh((toward − m · against) / ε)      m = min(½, all that is meant / dislikes)
    contrast  asinh(toward / ε) − ln(1 + against / b)

A spread of one source is about 0.1 at the source, 0.01 among its nearest and 1 / n on average, so
ε = 1e-5 · QUERY is out of sight of everything and b = 0.1 is what a dislike holds itself.

`spread` counts: a ✓ and a ✕ on the same spot leave half a ✓, so a wrong answer among right ones
is outvoted; but dislikes together never weigh more than what is meant, or ten of them on a
bad first page would turn the query itself into something not wanted. `contrast` divides: a ✕ cuts
down what is near it to a share, and leaves all else as it was. Without marks both are the
logarithm of the query's own spread, so nothing moves before something is said.

Two spreads serve both. Of two pictures compared, one better than the other, what sets them apart
counts as half a mark: the spread of the better less that of the worse goes to `toward` where it is
above 0, to `against` where it is below. What the two have in common cancels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade.types import Scores

Spread = NDArray[np.float64]  # [n] what reaches each row

QUERY = 2.0
LIKE = 1.0
DISLIKE = 0.5
COMPARED = 0.5
MOST_AGAINST = 1.0
FAINT = 1e-5
BACKGROUND = 0.1


def spread_scores(toward: Spread, against: Spread, *, likes: int, dislikes: int) -> Scores:
    """Likes and dislikes counted against each other, on a scale of likeness, [n].

    >>> near, far = np.array([0.1, 0.01, 0.0]), np.zeros(3)
    >>> [round(float(s), 1) for s in spread_scores(near, far, likes=0, dislikes=0)]
    [9.2, 6.9, 0.0]
    """
    share = share_against(likes, dislikes)
    return np.arcsinh((toward - share * against) / (FAINT * QUERY)).astype(np.float32)


def share_against(likes: int, dislikes: int) -> float:
    """What one dislike takes away, where a like adds 1.

    >>> share_against(3, 3), share_against(0, 8)
    (0.5, 0.25)
    """
    return min(DISLIKE, MOST_AGAINST * (QUERY + LIKE * likes) / max(1, dislikes))


def contrast_scores(toward: Spread, against: Spread) -> Scores:
    """What is meant, cut down where it is like what is not meant, [n].

    >>> near = np.array([0.1, 0.01, 0.0])
    >>> bool((contrast_scores(near, np.zeros(3)) >= contrast_scores(near, near)).all())
    True
    """
    meant = np.arcsinh(toward / (FAINT * QUERY))
    return (meant - np.log1p(np.maximum(against, 0.0) / BACKGROUND)).astype(np.float32)
