"""Exp3-IX: a bandit whose regret is small with high probability, not only on average.

    p_n ∝ exp(−η · L_n)       L_c += l_c / (p_c + η / 2)

    rate η          fixed
    "decreasing"    η = √(ln N / (N t)) in round t
    "doubling"      a fresh start in rounds 1, 2, 4, 8 …, η = √(2 ln N / (N · length))

Neu (2015), "Explore no more", algorithm 1 and theorem 1: exploration is implicit in the small term
added to the chance, which keeps any one estimate from being huge. For a late reaction p_c is the
chance of its page, and η that of the round in which it arrives.
"""

from __future__ import annotations

import math

from saccade.choosers import checked
from saccade.choosers.base import Bandit
from saccade.choosers.checked import Present
from saccade.choosers.steady import Floats, log, softmax


class Exp3IX(Bandit):
    """Exponential weights with implicit exploration.

    >>> bandit = Exp3IX(experts=2, rate=0.5)
    >>> bandit.update(1, 1.0, probability=0.5)
    >>> bandit.weights.round(3)
    array([0.661, 0.339])
    """

    name = "exp3-ix"
    settings = ("rate",)
    columns = (*Bandit.columns, "damped", "start")

    def __init__(
        self, *, experts: int, rate: float | str | None = None, history: int = 256
    ) -> None:
        super().__init__(experts=experts, history=history)
        self.rate = checked.rate(rate, most=math.inf)
        self._log_experts = log(self.experts)

    def _step(self) -> float:
        """η of the next round."""
        if isinstance(self.rate, float):
            return self.rate
        if self.rate == "decreasing":
            return math.sqrt(self._log_experts / (self.experts * (self.rounds + 1)))
        return math.sqrt(2.0 * self._log_experts / (self.experts * checked.stretch(self.rounds)))

    def _chances(self, present: Present | None) -> Floats:
        return softmax(-self._step() * (self._sums["damped"] - self._sums["start"]), present)

    def _learn(self, arm: int, loss: float, chance: float) -> None:
        self._sums["damped"][arm] += loss / (chance + self._step() / 2.0)
        if self.rate == "doubling" and checked.stretch(self.rounds + 1) != checked.stretch(
            self.rounds
        ):
            self._sums["start"] = self._sums["damped"].copy()

    def bound(self, failure: float = 0.05) -> float:
        """The regret so far is at most this with a chance of 1 − `failure`."""
        arms, rounds, logs = self.experts, self.rounds, self._log_experts
        if arms == 1 or rounds == 0:
            return 0.0
        tail = math.log(2.0 / failure)
        if isinstance(self.rate, float):
            # Neu's proof with η = 2γ fixed: ln N / η + η N T + (1 / η) ln(2/δ) + ln(2/δ)
            return (logs + tail) / self.rate + self.rate * arms * rounds + tail
        if self.rate == "decreasing":
            return (
                4.0 * math.sqrt(arms * rounds * logs)
                + (2.0 * math.sqrt(arms * rounds / logs) + 1.0) * tail
            )
        lengths = [2.0**epoch for epoch in range(rounds.bit_length())]
        tail = math.log(2.0 * len(lengths) / failure)  # each stretch may fail
        return sum(
            2.0 * math.sqrt(2.0 * arms * n * logs) + (math.sqrt(2.0 * arms * n / logs) + 1.0) * tail
            for n in lengths
        )
