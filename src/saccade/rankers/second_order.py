"""Second-order online learners: each weight has a confidence, and unsure weights move more.

    z = φ(winner) − φ(loser)     w ← w + α S z     S ← S − β (Sz)(Sz)ᵀ     S starts as the identity

    arow   on w·z < 1              β = 1 / (zᵀSz + r)     α = (1 − w·z) β
    scw    on w·z < k √(zᵀSz)      α ≤ C, k the normal quantile of `confidence` (SCW-I)

Crammer, Kulesza & Dredze, "Adaptive Regularization of Weight Vectors" (2009); Wang, Zhao & Hoi,
"Exact Soft Confidence-Weighted Learning" (2012); Wan et al. 2015 name them as the next step. Every
pair has the label +1. `covariance` is `diagonal` (one variance per column) or `full` ([m, m]).
"""

from __future__ import annotations

from statistics import NormalDist
from typing import ClassVar, Unpack

import numpy as np

from saccade.errors import InvalidInput, UnknownName
from saccade.kernels import second_order as kernel
from saccade.rankers.linear import Learned, OnlineLinear, OnlineSettings
from saccade.types import Phi


class SecondOrder(OnlineLinear):
    """Weights and their covariance."""

    rule: ClassVar[int]

    def __init__(
        self, rate: float, covariance: str, quantile: float, /, **shared: Unpack[OnlineSettings]
    ) -> None:
        if covariance not in ("diagonal", "full"):
            raise UnknownName(f"covariance of {self.name}", covariance, ("diagonal", "full"))
        self.covariance = covariance
        self._quantile = quantile
        super().__init__(rate, **shared)

    def _fresh(self, width: int) -> Learned:
        start = np.ones(width) if self.covariance == "diagonal" else np.eye(width)
        return super()._fresh(width) | {"covariance": start}

    def _run(self, learned: Learned, better: Phi, worse: Phi | None) -> int:
        bad: int = kernel.learn(
            learned["weights"], learned["covariance"], learned["drift"], learned["statistics"],
            _sealed(better), None if worse is None else _sealed(worse),
            self.rule, self._rate, self._quantile, self._averaging,
        )  # fmt: skip
        return bad

    def _own_parameters(self) -> dict[str, object]:
        return super()._own_parameters() | {"covariance": self.covariance}


def _sealed(rows: Phi) -> Phi:
    """A read-only view: the kernel is compiled for that alone, and not again for mutable rows."""
    view = rows.view()
    view.setflags(write=False)
    return view


class AROW(SecondOrder):
    """Adaptive regularisation of weights; a smaller `r` trusts each pair more.

    >>> model = AROW(r=1.0)
    >>> model.learn([[1.0, 0.0]], [[0.0, 0.0]])
    >>> model.weights
    array([0.5, 0. ], dtype=float32)
    """

    name = "arow"
    rule = kernel.AROW
    step = "r"

    def __init__(
        self, *, r: float = 10.0, covariance: str = "diagonal", **shared: Unpack[OnlineSettings]
    ) -> None:
        super().__init__(r, covariance, 0.0, **shared)

    def learn(self, winners: Phi, losers: Phi, *, weight: float = 1.0) -> None:
        """Take in `winners[i]` before `losers[i]`; of a smaller `weight`, each with r / weight.

        >>> model = AROW(r=1.0)
        >>> model.learn([[1.0, 0.0]], [[0.0, 0.0]], weight=0.25)
        >>> model.weights
        array([0.2, 0. ], dtype=float32)
        """
        if not (np.isfinite(weight) and weight > 0):
            raise InvalidInput(f"arow: the weight of a pair must be above 0, not {weight}")
        rate = self._rate
        self._rate = rate / weight
        try:
            super().learn(winners, losers)
        finally:
            self._rate = rate


class SCW(SecondOrder):
    """Soft confidence-weighted learning I: order each pair rightly with `confidence`."""

    name = "scw"
    rule = kernel.SCW
    step = "C"

    def __init__(
        self,
        *,
        C: float = 0.001,
        confidence: float = 0.55,
        covariance: str = "diagonal",
        **shared: Unpack[OnlineSettings],
    ) -> None:
        if not 0.5 < confidence < 1.0:
            raise InvalidInput(f"scw: confidence must lie between 0.5 and 1, not {confidence}")
        self.confidence = float(confidence)
        super().__init__(C, covariance, NormalDist().inv_cdf(confidence), **shared)

    def _own_parameters(self) -> dict[str, object]:
        return super()._own_parameters() | {"confidence": self.confidence}
