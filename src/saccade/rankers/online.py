"""Online pairwise learners: one pass, one weight per scheme, a small step per violated pair.

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

from typing import ClassVar, Unpack

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput
from saccade.kernels import online as kernel
from saccade.rankers.bounds import loss_bound
from saccade.rankers.checked import matrix
from saccade.rankers.linear import Learned, OnlineLinear, OnlineSettings
from saccade.types import Phi


class FirstOrder(OnlineLinear):
    """A learner that moves along z by a step of its rule, with the paper's bounds."""

    rule: ClassVar[int]

    def _run(self, learned: Learned, better: Phi, worse: Phi | None) -> int:
        bad: int = kernel.learn(
            learned["weights"], learned["drift"], learned["statistics"], better, worse,
            self.rule, self._rate, self._averaging,
        )  # fmt: skip
        return bad

    def bound(
        self, weights: ArrayLike, losses: ArrayLike, *, relevant: int = 1, lists: int | None = None
    ) -> float:
        """Lower bound on the mean average precision of the run so far (theorems 1 to 3).

        `weights` is any fixed comparator and `losses` [seen] its hinge losses on the same pairs
        (`pair_losses`). By default each pair is a list of its own, with one relevant image. Where
        the pairs are all pairs of whole lists, `lists` is their number and `relevant` the fewest
        relevant images that one of them has. What the printed theorems need to be true stands in
        `saccade.rankers.bounds`.

        Raises:
            InvalidInput: more than one relevant image without a number of lists: a pair has one.
        """
        if lists is None and relevant != 1:
            raise InvalidInput(
                f"{self.name}: relevant={relevant} without lists; a pair alone has one relevant",
                hint="give lists=, the number of ranked lists that the pairs come from",
            )
        if relevant < 1 or (lists is not None and lists < 1):
            raise InvalidInput(f"{self.name}: relevant and lists must be 1 or more")
        return 1.0 - self.loss_bound(weights, losses) / (relevant * (lists or max(1, self.seen)))

    def loss_bound(self, weights: ArrayLike, losses: ArrayLike) -> float:
        """Upper bound on the cumulative loss of the run so far, by a comparator and its losses.

        For `opr` the loss is that of its mistaken pairs alone (w·z ≤ 0), and so the bound is one on
        `mistakes` too, but not on `loss`: where 0 < w·z < 1 it stands still and pays for ever.
        """
        if not self._unbroken:
            raise InvalidInput(
                f"{self.name}: weights were set after learning began; the bound needs one whole run"
            )
        gaps = np.asarray(losses, np.float64)
        if gaps.shape != (self.seen,):
            raise InvalidInput(
                f"losses has shape {gaps.shape}: expected [{self.seen}], one per pair"
            )
        if self._learned is None:
            return 0.0
        away = np.asarray(weights, np.float64) - self._learned["origin"]
        statistics = self._learned["statistics"]
        return loss_bound(self.name, self._rate, statistics, float((away**2).sum()), gaps)


class OPR(FirstOrder):
    """Online perceptron ranking; its weights have no scale, so it has no parameter of its own."""

    name = "opr"
    rule = kernel.PERCEPTRON
    step = ""

    def __init__(self, **shared: Unpack[OnlineSettings]) -> None:
        super().__init__(1.0, **shared)


class OPAR1(FirstOrder):
    """Online passive-aggressive ranking I: λ is at most `C`.

    >>> model = OPAR1(C=0.5)
    >>> model.learn([[1.0, 0.0]], [[0.0, 0.0]])
    >>> model.weights, model.loss
    (array([0.5, 0. ], dtype=float32), 1.0)
    """

    name = "opar1"
    rule = kernel.PASSIVE_1
    step = "C"

    def __init__(self, *, C: float = 0.1, **shared: Unpack[OnlineSettings]) -> None:
        super().__init__(C, **shared)


class OPAR2(FirstOrder):
    """Online passive-aggressive ranking II: λ shrinks smoothly as `C` falls."""

    name = "opar2"
    rule = kernel.PASSIVE_2
    step = "C"

    def __init__(self, *, C: float = 0.1, **shared: Unpack[OnlineSettings]) -> None:
        super().__init__(C, **shared)


class OGDR(FirstOrder):
    """Online gradient descent ranking: λ is always `rate`."""

    name = "ogdr"
    rule = kernel.GRADIENT
    step = "rate"

    def __init__(self, *, rate: float = 0.1, **shared: Unpack[OnlineSettings]) -> None:
        super().__init__(rate, **shared)


def pair_losses(winners: Phi, losers: Phi, weights: ArrayLike) -> NDArray[np.float64]:
    """Hinge loss of fixed weights on each pair, [n]; pairs of equal rows are left out.

    >>> pair_losses(np.eye(2), np.zeros((2, 2)), [0.25, 3.0])
    array([0.75, 0.  ])
    """
    better = matrix(winners, None, "winners")
    gaps = better - matrix(losers, better.shape[1], "losers")
    gaps = gaps[(gaps * gaps != 0.0).any(axis=1)]  # the kernel's idea of a zero difference
    losses: NDArray[np.float64] = np.maximum(0.0, 1.0 - gaps @ np.asarray(weights, np.float64))
    return losses
