"""Thompson sampling: serve each expert as often as it is probably the best.

    gain of n ~ Beta(1 + Σ (1 − l), 1 + Σ l)       p_n = P(n's gain is the largest)

Thompson (1933); Chapelle & Li (2011) for how well it does in practice. It assumes that an expert's
losses come from one distribution, so it has no bound against an adversary: the peer to measure the
others by. The chance p_n is computed, not sampled: with the weights' grid x_0 < x_1 < …,

    p_n = Σ_i (F_n(x_{i+1}) − F_n(x_i)) · mean of Π_{m≠n} F_m at both ends

right to about a thousandth; the draw is from these chances, so a page carries its probability as
with the other bandits. Losses between 0 and 1 count in parts.
"""

from __future__ import annotations

import math

import numpy as np

from saccade.choosers.base import Bandit
from saccade.choosers.checked import Present
from saccade.choosers.steady import Floats, total

_NODES = 400  # of the grid, shared among the experts: together they cover where any belief lies


class Thompson(Bandit):
    """Posterior sampling with Beta beliefs, the chances computed.

    >>> bandit = Thompson(experts=2)
    >>> bandit.update(1, 1.0, probability=0.5)
    >>> bandit.weights.round(3)
    array([0.667, 0.333])
    """

    name = "thompson"
    settings = ()

    def __init__(self, *, experts: int, history: int = 256) -> None:
        super().__init__(experts=experts, history=history)

    def _chances(self, present: Present | None) -> Floats:
        there = np.arange(self.experts) if present is None else np.flatnonzero(present)
        seen, pulls = self._sums["seen"][there], self._sums["pulls"][there]
        weights = np.zeros(self.experts)
        weights[there] = chance_of_best(1.0 + (pulls - seen), 1.0 + seen)
        return weights

    def bound(self) -> float:
        """There is none: it trusts that losses come from one distribution."""
        return math.inf


def chance_of_best(gained: Floats, lost: Floats) -> Floats:
    """P(the n-th Beta(gained, lost) variable is the largest of all), [n], sum 1.

    >>> chance_of_best(np.array([2.0, 1.0, 1.0]), np.array([1.0, 1.0, 2.0])).round(3)
    array([0.6, 0.3, 0.1])
    """
    from scipy.special import betainc  # late: importing saccade must stay quick

    mean = gained / (gained + lost)
    spread = np.sqrt(mean * (1.0 - mean) / (gained + lost + 1.0))
    reach = np.linspace(-6.0, 6.0, max(15, _NODES // len(mean)))
    around = np.clip(mean[:, None] + spread[:, None] * reach, 0.0, 1.0)
    nodes = np.unique(np.concatenate([around.ravel(), np.linspace(0.0, 1.0, 33)]))
    below = betainc(gained[:, None], lost[:, None], nodes)  # F_n at every node
    with np.errstate(divide="ignore"):
        logs = np.log(below)
    # The product over the others, by leaving one out of a sum of logarithms; -inf − -inf where
    # several are 0 is 0 as well, since one of the others is.
    zeros = np.isneginf(logs)
    finite = np.where(zeros, 0.0, logs)
    others = np.exp(finite.sum(axis=0) - finite)
    others[(zeros.sum(axis=0) - zeros) > 0] = 0.0
    steps = np.diff(below, axis=1) * (others[:, 1:] + others[:, :-1]) / 2.0
    shares = steps.sum(axis=1)
    return np.asarray(shares / total(shares))
