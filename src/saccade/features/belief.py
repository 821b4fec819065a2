"""How far marks are to be believed: all as they bear each other out, and each by its own.

Together, what a person called wrong:

    s_i     2 k(query, i) + Σ_{j ≠ i} w_j k(j, i)       w of a ✓ is 1, of a ✕ −m; k ≥ 0 is likeness
    A       share of pairs (✓, ✕) with s_✓ > s_✕, ties half: each mark foretold by the others
    A'      (n A + PATIENCE) / (n + PATIENCE)           n marks of the rarer kind
    belief  A' on a line from NOTHING (0) to ALL (1)

Somebody who means something calls wrong what is unlike what they call right, and A is near 1;
slips among many true answers lower it little. Of marks made at random A is about one half, and less
where most are ✕. Those ✕ would take away good pictures all around them, so they count for less:
each still sinks itself.

Each by its own, as far as those around it agree with it:

    b_i     (1 + for_i) / (1 + for_i + against_i)
            for: Σ c(j, i) over marks of its kind; against: over those of the other kind; the query
            is as `QUERY` ✓. c in [0, 1]: how far two keep the same company

A ✕ in the middle of what is looked for may be a slip, and would take away much: a third of it
is heard there, more as others say the same, and all where the query itself does not reach. Once
marks of both kinds bear each other out, all are believed wholly; the less they do (A' below
`SOUND`), the more each is left to its own b. A ✓ is believed before that, too: at the top of a
page a picture is more often right than wrong, whoever clicks.

The numbers of the first were chosen on simulated sessions of osr and Corel-1K (ten judged, five
times; right, 10% and 30% wrong, at random) and checked on pubfig; those of the second on osr and
buildings (results/marks.md, with who judges them).
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
SOUND = 0.9


def belief(asked: Likeness, marks: Likeness, likes: int) -> float:
    """0..1: `asked` [n] likeness of the query to each mark, `marks` [n, n] of each to each.

    The first `likes` marks are ✓, the others ✕.

    >>> apart = np.kron(np.eye(2), np.ones((3, 3)))
    >>> belief(np.zeros(6), apart, 3)
    1.0
    >>> round(belief(np.zeros(6), np.ones((6, 6)), 3), 2)
    0.61
    """
    return float(np.clip((agreement(asked, marks, likes) - NOTHING) / (ALL - NOTHING), 0.0, 1.0))


def agreement(asked: Likeness, marks: Likeness, likes: int) -> float:
    """A': how often a ✓ and a ✕ are foretold in their order by the other marks; 1 of too few."""
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
    return (fewer * agreed + PATIENCE) / (fewer + PATIENCE)


def each(asked: Likeness, marks: Likeness, likes: int) -> NDArray[np.float64]:
    """0..1 of every mark by those around it, [n]; given as to `belief`, by the company they keep.

    A ✕ beside the query, and one that the query does not reach:

    >>> each(np.array([0.9, 0.0]), np.eye(2), 0).round(2).tolist()
    [0.36, 1.0]
    """
    right = np.arange(len(asked)) < likes
    others = np.asarray(marks, np.float64).copy()
    np.fill_diagonal(others, 0.0)
    liked, disliked = others[:, :likes].sum(1) + QUERY * asked, others[:, likes:].sum(1)
    support, against = np.where(right, (liked, disliked), (disliked, liked))
    believed = (1.0 + support) / (1.0 + support + against)
    sound = np.clip((agreement(asked, marks, likes) - ALL) / (SOUND - ALL), 0.0, 1.0)
    # Of few marks only a ✓ is taken for true.
    tested = right | (min(likes, len(asked) - likes) >= FEWEST)
    return np.asarray(np.where(tested, 1.0 - (1.0 - sound) * (1.0 - believed), believed))
