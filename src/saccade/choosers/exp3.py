"""Exp3: exponential weights for a bandit, with a share γ of chances spread evenly.

    p_n = (1 − γ) q_n + γ / N      q_n ∝ exp(γ · G_n / N)      G_c += (1 − l_c) / p_c

    rate γ          fixed
    "decreasing"    γ = min(1/2, 0.453 √(N ln N / t)) in round t
    "doubling"      Exp3.1: γ halves, and the weights start afresh, whenever the best G outgrows 4^r

Auer, Cesa-Bianchi, Freund & Schapire (2002), figures 1 and 3; Aly (2011), algorithm 2, where the
print has one γ too many. Only the served expert moves. p_c is the chance of the page that the loss
is of, so a reaction may come late. The decreasing form follows the regularised leader of the gains:
with q ≤ p / (1 − γ) and γ ≤ 1/2 its expected regret is at most
N ln N / γ_T + (2e − 3) Σ γ_t, which the constant 1 / √(2 (2e − 3)) makes smallest.
"""

from __future__ import annotations

import math

import numpy as np

from saccade.choosers import checked
from saccade.choosers.base import Bandit
from saccade.choosers.checked import Present
from saccade.choosers.steady import Floats, log, softmax
from saccade.types import State

_SPREAD = 2.0 * math.e - 3.0
_SCALE = 1.0 / math.sqrt(2.0 * _SPREAD)


class Exp3(Bandit):
    """No-regret weights from the loss of what was served.

    >>> bandit = Exp3(experts=2, rate=0.5)
    >>> bandit.update(1, 0.0, probability=0.5)
    >>> bandit.weights.round(3)
    array([0.439, 0.561])
    """

    name = "exp3"
    settings = ("rate",)
    columns = (*Bandit.columns, "gains", "start")

    def __init__(
        self, *, experts: int, rate: float | str | None = None, history: int = 256
    ) -> None:
        super().__init__(experts=experts, history=history)
        self.rate = checked.rate(rate, most=1.0)
        self._arms_log_arms = self.experts * log(self.experts)
        self.epoch = 0
        """How often a doubling rate halved; 0 with other rates."""
        self._halve()

    @property
    def exploration(self) -> float:
        """γ of the next round: the share of chances that is spread evenly."""
        if isinstance(self.rate, float):
            return self.rate
        if self.rate == "doubling":
            return 0.5**self.epoch if self.experts > 1 else 0.0
        return min(0.5, _SCALE * math.sqrt(self._arms_log_arms / (self.rounds + 1)))

    def _logits(self) -> Floats:
        scale = self.exploration / self.experts
        return np.asarray(scale * (self._sums["gains"] - self._sums["start"]))

    def _chances(self, present: Present | None) -> Floats:
        even = self.exploration / (self.experts if present is None else int(present.sum()))
        shared = (1.0 - self.exploration) * softmax(self._logits(), present) + even
        return shared if present is None else np.where(present, shared, 0.0)

    def _learn(self, arm: int, loss: float, chance: float) -> None:
        self._sums["gains"][arm] += (1.0 - loss) / chance
        self._halve()

    def _halve(self) -> None:
        """Halve a doubling rate as often as the best estimated gain asks for (Exp3.1)."""
        if self.rate != "doubling" or self.experts == 1:
            return
        best, before = float(self._sums["gains"].max()), self.epoch
        while best > self._arms_log_arms / (math.e - 1.0) * 4.0**self.epoch - (
            self.experts * 2.0**self.epoch
        ):
            self.epoch += 1
        if self.epoch > before:
            self._sums["start"] = self._sums["gains"].copy()

    def bound(self) -> float:
        """The expected regret so far is at most this, whatever the losses were."""
        rounds, scaled = self.rounds, self._arms_log_arms
        if self.experts == 1 or rounds == 0:
            return 0.0
        if isinstance(self.rate, float):
            return (math.e - 1.0) * self.rate * rounds + scaled / self.rate
        if self.rate == "doubling":
            return (
                8.0 * math.sqrt((math.e - 1.0) * rounds * scaled)
                + 8.0 * (math.e - 1.0) * self.experts
                + 2.0 * scaled
            )
        last = min(0.5, _SCALE * math.sqrt(scaled / rounds))
        return scaled / last + _SPREAD * 2.0 * _SCALE * math.sqrt(scaled * rounds)

    @classmethod
    def load(cls, state: State) -> Exp3:
        """The chooser that was dumped."""
        chooser = super().load(state)
        start = chooser._sums["start"]
        chooser._halve()  # the epoch follows from the gains; what it started from was kept
        chooser._sums["start"] = start
        return chooser
