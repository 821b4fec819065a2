"""Online pairwise learners: one pass, one weight a scheme, one small step a violated preference.

    z = φ(winner) − φ(loser)     ℓ = max(0, 1 − w·z)     w ← w + λ z

    opr     on w·z ≤ 0    λ = 1                            perceptron
    opar1   on ℓ > 0      λ = min(C, ℓ / |z|²)             passive-aggressive I
    opar2   on ℓ > 0      λ = ℓ / (|z|² + 1 / (2C))        passive-aggressive II
    ogdr    on ℓ > 0      λ = rate                         gradient descent

Wan et al., "Online Learning to Rank for Content-Based Image Retrieval" (2015), section 3. There the
perceptron moves on w·z < 0 and so never leaves w = 0; here it moves on w·z ≤ 0. A zero z changes
nothing. All arithmetic is float32 in a fixed order (`saccade.kernels.online`): the same pairs give
the same bits on any machine, one by one or all at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.kernels import online as kernel
from saccade.rankers.checked import matrix
from saccade.rankers.linear import OnlineLinear
from saccade.types import Phi


class OPR(OnlineLinear):
    """Online perceptron ranking; its length has no scale, so it has no parameter of its own."""

    name = "opr"
    rule = kernel.PERCEPTRON
    step = ""

    def __init__(self, **shared: Any) -> None:
        super().__init__(1.0, **shared)


class OPAR1(OnlineLinear):
    """Online passive-aggressive ranking I: no step is longer than `C`.

    >>> model = OPAR1(C=0.5)
    >>> model.learn([[1.0, 0.0]], [[0.0, 0.0]])
    >>> model.weights, model.loss
    (array([0.5, 0. ], dtype=float32), 1.0)
    """

    name = "opar1"
    rule = kernel.PASSIVE_1
    step = "C"

    def __init__(self, *, C: float = 0.1, **shared: Any) -> None:
        super().__init__(C, **shared)


class OPAR2(OnlineLinear):
    """Online passive-aggressive ranking II: steps shrink smoothly as `C` falls."""

    name = "opar2"
    rule = kernel.PASSIVE_2
    step = "C"

    def __init__(self, *, C: float = 0.1, **shared: Any) -> None:
        super().__init__(C, **shared)


class OGDR(OnlineLinear):
    """Online gradient descent ranking: every step has length `rate`."""

    name = "ogdr"
    rule = kernel.GRADIENT
    step = "rate"

    def __init__(self, *, rate: float = 0.1, **shared: Any) -> None:
        super().__init__(rate, **shared)


def pair_losses(winners: Phi, losers: Phi, weights: Any) -> NDArray[np.float64]:
    """Hinge loss of fixed weights on each pair, [n]; pairs of equal rows are left out.

    >>> pair_losses(np.eye(2), np.zeros((2, 2)), [0.25, 3.0])
    array([0.75, 0.  ])
    """
    better = matrix(winners, None, "winners").astype(np.float64)
    gaps = better - matrix(losers, better.shape[1], "losers")
    gaps = gaps[(gaps != 0.0).any(axis=1)]
    losses: NDArray[np.float64] = np.maximum(0.0, 1.0 - gaps @ np.asarray(weights, np.float64))
    return losses
