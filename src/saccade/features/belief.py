"""How far what a person called wrong is to be believed: as far as their marks bear each other out.

    s_i     2 k(query, i) + Σ_{j ≠ i} w_j k(j, i)       w of a ✓ is 1, of a ✕ −m; k ≥ 0 is likeness
    A       share of pairs (✓, ✕) with s_✓ > s_✕, ties half: each mark foretold by the others
    A'      (n A + PATIENCE) / (n + PATIENCE)           n marks of the rarer kind
    belief  A' on a line from NOTHING (0) to ALL (1)

Somebody who means something calls wrong what is unlike what they call right, and A is near 1;
slips among many true answers lower it little. Of marks made at random A is about one half, and less
where most are ✕. Those ✕ would take away good pictures all around them, so they count for less:
each still sinks itself. A ✓ is believed always: at the top of a page a picture is more
often right than wrong, whoever clicks.

The numbers were chosen on simulated sessions of osr and Corel-1K (ten judged, five times; right,
10% and 30% wrong, at random) and checked on pubfig.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade.features.marks import LIKE, QUERY, share_against

Likeness = NDArray[np.floating]

PATIENCE = 4.0
NOTHING, ALL = 0.45, 0.65
FEWEST = 2
"""Marks of each kind before they can bear each other out; fewer are believed."""


def belief(asked: Likeness, marks: Likeness, likes: int) -> float:
    """0..1: `asked` [n] likeness of the query to each mark, `marks` [n, n] of each to each.

    The first `likes` marks are ✓, the others ✕.

    >>> apart = np.kron(np.eye(2), np.ones((3, 3)))
    >>> belief(np.zeros(6), apart, 3)
    1.0
    >>> round(belief(np.zeros(6), np.ones((6, 6)), 3), 2)
    0.61
    """
    dislikes = len(asked) - likes
    fewer = min(likes, dislikes)
    if fewer < FEWEST:
        return 1.0
    weights = np.full(len(asked), LIKE)
    weights[likes:] = -share_against(likes, dislikes)
    others = np.asarray(marks, np.float64).copy()
    np.fill_diagonal(others, 0.0)
    foretold = QUERY * asked + weights @ others
    gaps = foretold[:likes, None] - foretold[None, likes:]
    agreed = float(((gaps > 0.0) + 0.5 * (gaps == 0.0)).mean())
    patient = (fewer * agreed + PATIENCE) / (fewer + PATIENCE)
    return float(np.clip((patient - NOTHING) / (ALL - NOTHING), 0.0, 1.0))
