"""Hedge: exponential weights over experts whose losses are all seen.

    w_n ∝ prior_n · exp(−η · L_n)       L_n = Σ l_n, its own losses

    rate ε          η = −ln(1 − ε), so that w_n ← w_n · (1 − ε)^l_n
    "decreasing"    η = 2 √(ln N / t) in round t: no horizon to know
    "doubling"      a fresh start in rounds 1, 2, 4, 8 …, η = √(8 ln N / length)

Freund & Schapire (1997), figure 1; Aly (2011), algorithm 1, where the print charges everyone with
the chosen expert's loss: it is each one's own. An expert that has no answer in a round ("asleep")
is charged what the mixture of the others lost (Freund, Schapire, Singer & Warmuth 1997; Chernov &
Vovk 2009), so that its weight neither gains nor falls by staying away, and the regret against it is
over the rounds in which it was there.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from saccade.choosers import checked
from saccade.choosers.base import ChooserBase
from saccade.choosers.checked import Present
from saccade.choosers.steady import Floats, log, softmax, total


class Hedge(ChooserBase):
    """No-regret weights from every expert's loss.

    >>> chooser = Hedge(experts=2, rate=0.1, prior=[3, 1])
    >>> chooser.update([1.0, 0.0])
    >>> chooser.weights, round(chooser.regret, 3)
    (array([0.72972973, 0.27027027]), 0.75)
    """

    name = "hedge"
    sees = "all"
    settings = ("rate", "prior")
    columns = ("losses", "own", "awake", "start")

    def __init__(
        self, *, experts: int, rate: float | str | None = None, prior: ArrayLike | None = None,
        history: int = 256,
    ) -> None:  # fmt: skip
        super().__init__(experts=experts, history=history)
        self.rate = checked.rate(rate, most=1.0)
        first = checked.prior(prior, self.experts)
        self.prior = None if first is None else first.tolist()
        self._log_experts = log(self.experts)
        self._fixed = -log(1.0 - self.rate) if isinstance(self.rate, float) else 0.0
        self._log_prior = (
            np.full(self.experts, -self._log_experts)
            if first is None
            else np.array([log(share) for share in first.tolist()])
        )

    @property
    def own(self) -> Floats:
        """Losses of each over the rounds in which it was there, [experts].

        `losses` adds, for the rounds in which it was not, what was served instead.
        """
        return self._sums["own"].copy()

    @property
    def awake(self) -> Floats:
        """In how many rounds each was there, [experts]."""
        return self._sums["awake"].copy()

    def _step(self) -> float:
        """η of the next round."""
        if isinstance(self.rate, float):
            return self._fixed
        if self.rate == "decreasing":
            return 2.0 * math.sqrt(self._log_experts / (self.rounds + 1))
        return math.sqrt(8.0 * self._log_experts / checked.stretch(self.rounds))

    def _chances(self, present: Present | None) -> Floats:
        lost = self._sums["losses"] - self._sums["start"]
        return softmax(self._log_prior - self._step() * lost, present)

    def update(self, losses: ArrayLike, *, present: ArrayLike | None = None) -> None:
        """Take in a round: a loss in 0..1 of each one `present`; with nobody there, nothing."""
        mask = checked.present(present, self.experts)
        lost = checked.losses(losses, self.experts, mask)
        if mask is not None and not mask.any():
            return
        served = total(self.among(mask) * lost)
        there = np.ones(self.experts, np.bool_) if mask is None else mask
        self._sums["losses"] += np.where(there, lost, served)
        self._sums["own"] += lost
        self._sums["awake"] += there
        if self.rate == "doubling" and checked.stretch(self.rounds + 1) != checked.stretch(
            self.rounds
        ):
            self._sums["start"] = self._sums["losses"].copy()
        self._served(served)

    def bound(self) -> float:
        """The regret so far is at most this, whatever the losses were."""
        penalty = -self._log_prior
        losses = self._sums["losses"]
        if self.experts == 1 or self.rounds == 0:
            return 0.0
        if isinstance(self.rate, float):
            promised = (penalty + self._step() * losses) / self.rate
        elif self.rate == "decreasing":
            root = math.sqrt(self.rounds)
            scale = math.sqrt(self._log_experts)
            promised = losses + root * scale / 2.0 + penalty * root / (2.0 * scale)
        else:
            lengths = [2.0**epoch for epoch in range(self.rounds.bit_length())]
            steps = [math.sqrt(8.0 * self._log_experts / length) for length in lengths]
            drift = total([step * n / 8.0 for step, n in zip(steps, lengths, strict=True)])
            promised = losses + drift + penalty * total([1.0 / step for step in steps])
        return float(promised.min() - losses.min())
