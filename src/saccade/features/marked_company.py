"""What tells right from wrong by company: who keeps it with what was liked, and who does not.

    kept = (c₀ + ½ Σ b c_liked) / (1 + ½ Σ b) − ⅕ Σ b c_disliked / (1 + likes + dislikes)
    line = argmin Σ v_i (w·x_i + b − y_i)² + λ |w|²

c₀ is how far each picture keeps the query's company, c_i that of a mark, b_i how far that mark is
believed (`features.belief`). The line has for each
picture x, how far it keeps the company of some others that stand in for all (`landmarks`); y = 1
for the query and what was liked, −1 for what was called wrong, and −1 for a background of pictures
that the start puts below its middle: together they weigh as much as what is right.

Averages are safe from the first mark on. A line finds what they cannot, which of the kinds around
a query is meant; but from a few likes it takes what they have by chance for the kind. So it speaks
up with them: (likes / (likes + 20))². Chosen on simulated sessions of one to five rounds on
things30, pubfig and Corel-1K, judged on osr and buildings (results/guard.md).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade.types import Scores, Vectors

LANDMARKS = 128
BACKGROUND = 512
BELOW = 0.5
"""Standard deviations over the start's mean: what stands below is background."""
_LIKE, _DISLIKE = 0.5, 0.2
_WRONG = 6.0
"""What one dislike weighs against one like: there are few, and they say what is not meant."""
_RIDGE = 30.0
_LIKES = 20


def evenly(rows: NDArray[np.int64], count: int) -> NDArray[np.int64]:
    """So many of the rows, spread over all of them.

    >>> evenly(np.arange(10), 3).tolist(), evenly(np.arange(2), 3).tolist()
    ([0, 4, 9], [0, 1])
    """
    if len(rows) <= count:
        return rows
    return rows[np.linspace(0, len(rows) - 1, count).astype(np.int64)]


def kept_company(
    asked: Scores, liked: Vectors, disliked: Vectors, believed: NDArray[np.float64]
) -> Scores:
    """How far each row keeps the company that is meant; `liked` and `disliked` are [rows, marks].

    `believed` [marks] is of both, likes first.

    >>> asked, mark = np.array([0.5, 0.1], np.float32), np.array([[0.0], [0.4]], np.float32)
    >>> kept_company(asked, mark, mark[:, :0], np.ones(1)).round(2).tolist()
    [0.33..., 0.2...]
    """
    likes = liked.shape[1]
    toward, against = believed[:likes], believed[likes:]
    scores = (asked + _LIKE * (liked @ toward)) / (1.0 + _LIKE * toward.sum())
    scores = scores - _DISLIKE * (disliked @ against) / (1.0 + len(believed))
    return np.asarray(scores, np.float32)


def line(right: Vectors, wrong: Vectors, background: Vectors) -> NDArray[np.float64]:
    """The direction that tells right from wrong; `right` begins with the query.

    >>> line(np.eye(2)[:1], np.eye(2)[1:], np.zeros((1, 2))).round(3).tolist()
    [0.056, -0.046]
    """
    points = np.vstack([right, wrong, background]).astype(np.float64)
    sides = np.repeat([1.0, -1.0], [len(right), len(points) - len(right)])
    counts = len(right), len(wrong), len(background)
    weights = np.repeat([1.0, _WRONG, len(right) / max(1, len(background))], counts)
    # The constant is not held back: it says how many are right, not which.
    level = np.average(points, axis=0, weights=weights), np.average(sides, weights=weights)
    centred = points - level[0]
    gram = (centred * weights[:, None]).T @ centred + _RIDGE * np.eye(points.shape[1])
    return np.asarray(np.linalg.solve(gram, centred.T @ (weights * (sides - level[1]))))


def loudness(likes: int) -> float:
    """How far the line is listened to, 0..1.

    >>> [round(loudness(likes), 2) for likes in (0, 1, 10, 45)]
    [0.0, 0.0, 0.11, 0.48]
    """
    return (likes / (likes + _LIKES)) ** 2
