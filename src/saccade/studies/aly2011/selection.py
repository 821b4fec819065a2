"""Choosing among experts whose answers to every probe are known, offline and online.

    ranks [probes, experts]     where each expert ranks the probe's own model, from 1 on
    offline   learn weights on 60% of the probes; the heaviest expert, or a weighted vote, on 40%
    online    one pass over all probes: choose an expert, learn, go on

Performance is the share of probes whose model comes first. It is given relative to that of the best
single expert on the same probes, which nobody knows beforehand.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade import choosers
from saccade.choosers.base import Bandit
from saccade.choosers.hedge import Hedge
from saccade.choosers.losses import LOSSES
from saccade.types import Rows

Floats = NDArray[np.float64]

TRAINING = 0.6
"""Share of the probes that weights are learned on, offline."""


@dataclass(frozen=True, slots=True, eq=False)
class Answers:
    """What every expert answers to every probe.

    `rows` and `scores` [probes, experts, k] are ranked lists, best first, -1 where a list ends;
    `truth` [probes] is the row of each probe's model.
    """

    experts: tuple[str, ...]
    ranks: NDArray[np.int64]
    rows: NDArray[np.int64]
    scores: NDArray[np.float32]
    truth: Rows

    def __len__(self) -> int:
        return len(self.truth)

    @property
    def right(self) -> NDArray[np.bool_]:
        """Whether the model comes first, [probes, experts]."""
        return np.asarray(self.ranks == 1)

    def losses(self, name: str) -> Floats:
        """Binary or rank losses, [probes, experts]."""
        return LOSSES[name](self.ranks)

    def lists(self, probe: int) -> list[tuple[Rows, NDArray[np.float32]]]:
        """Each expert's ranked list for a probe."""
        lists = []
        for rows, scores in zip(self.rows[probe], self.scores[probe], strict=True):
            there = rows >= 0
            lists.append((rows[there], scores[there]))
        return lists


@dataclass(frozen=True, slots=True)
class Way:
    """How experts are chosen: a chooser, its rate, and the loss it learns from.

    >>> Way.parse("hedge(0.1) rank")
    Way(chooser='hedge', rate='0.1', loss='rank')
    >>> str(Way("thompson", "", "binary"))
    'thompson binary'
    """

    chooser: str
    rate: str
    loss: str

    @classmethod
    def parse(cls, text: str) -> Way:
        """Read ``chooser(rate) loss``."""
        name, _, loss = text.rpartition(" ")
        chooser, _, rate = name.partition("(")
        return cls(chooser, rate.rstrip(")"), loss)

    def __str__(self) -> str:
        rate = f"({self.rate})" if self.rate else ""
        return f"{self.chooser}{rate} {self.loss}"

    def make(self, experts: int) -> Hedge | Bandit:
        """A fresh chooser."""
        if not self.rate:
            return choosers.make(self.chooser, experts=experts, history=0)
        try:
            rate: float | str = float(self.rate)
        except ValueError:
            rate = self.rate
        return choosers.make(self.chooser, experts=experts, rate=rate, history=0)


def teach(chooser: Hedge | Bandit, losses: Floats, rng: np.random.Generator) -> NDArray[np.int64]:
    """Let a chooser meet losses [rounds, experts] one by one; the experts it chose, [rounds].

    A bandit learns from what it chose alone.
    """
    chosen = np.empty(len(losses), np.int64)
    for step, row in enumerate(losses):
        arm, chance = chooser.choose(rng=rng)
        chosen[step] = arm
        if chooser.sees == "all":
            chooser.update(row)
        else:
            chooser.update(arm, float(row[arm]), probability=chance)
    return chosen


@dataclass(frozen=True, slots=True, eq=False)
class Offline:
    """What fixed weights from the training probes are worth on the test probes.

    `heaviest` and `votes` are shares of probes right, over that of the `best` expert there.
    """

    weights: Floats
    performance: Floats  # of each expert on the test probes
    best: float
    chosen: int
    heaviest: float
    votes: dict[str, float]

    @property
    def correlation(self) -> float:
        """Of the weights with the experts' performance; NaN where either does not vary."""
        if np.ptp(self.weights) == 0.0 or np.ptp(self.performance) == 0.0:
            return float("nan")
        return float(np.corrcoef(self.weights, self.performance)[0, 1])


def offline(answers: Answers, way: Way | None, *, seed: int) -> Offline:
    """Learn on 60% of the probes, drawn by `seed`, in random order; judge on the rest.

    Without a way all experts weigh the same: what a vote is worth that learned nothing.
    """
    rng = np.random.default_rng([seed, 0])
    order = rng.permutation(len(answers))
    cut = round(TRAINING * len(answers))
    training, test = order[:cut], np.sort(order[cut:])
    weights = np.full(len(answers.experts), 1.0 / len(answers.experts))
    if way is not None:
        chooser = way.make(len(answers.experts))
        teach(chooser, answers.losses(way.loss)[training], rng)
        weights = chooser.weights
    performance = answers.right[test].mean(axis=0)
    best = float(performance.max())
    chosen = choosers.heaviest(weights)
    votes = {
        by: _voted(answers, test, weights, by) / best if best else 0.0 for by in choosers.VOTES
    }
    heaviest = float(performance[chosen]) / best if best else 0.0
    return Offline(weights, performance, best, chosen, heaviest, votes)


def _voted(answers: Answers, probes: Rows, weights: Floats, by: str) -> float:
    """Share of probes whose model wins the vote."""
    right = 0
    for probe in probes.tolist():
        rows, _ = choosers.vote(answers.lists(probe), weights, by=by)
        right += bool(len(rows)) and int(rows[0]) == int(answers.truth[probe])
    return right / max(1, len(probes))


@dataclass(frozen=True, slots=True, eq=False)
class Online:
    """One pass: which probes were answered rightly, in the order they came, and by the best."""

    right: NDArray[np.bool_]  # [probes]
    best: NDArray[np.bool_]  # of the single expert that is best on all probes
    loss: float  # of what was served
    regret: float  # over the best expert by that loss
    bound: float

    @property
    def relative(self) -> float:
        """Share right over that of the best single expert."""
        return float(self.right.mean() / self.best.mean()) if self.best.any() else 0.0

    def along(self, steps: NDArray[np.int64]) -> Floats:
        """The same after so many probes; NaN while the best has none right."""
        mine, theirs = np.cumsum(self.right), np.cumsum(self.best)
        with np.errstate(divide="ignore", invalid="ignore"):
            shares = mine[steps - 1] / theirs[steps - 1]
        return np.where(theirs[steps - 1] > 0, shares, np.nan)


def online(answers: Answers, way: Way, *, seed: int) -> Online:
    """All probes once, in an order drawn by `seed`."""
    rng = np.random.default_rng([seed, 1])
    order = rng.permutation(len(answers))
    losses = answers.losses(way.loss)[order]
    chooser = way.make(len(answers.experts))
    chosen = teach(chooser, losses, rng)
    right = answers.right[order]
    best = int(right.mean(axis=0).argmax())
    served = float(losses[np.arange(len(order)), chosen].sum())
    return Online(
        right[np.arange(len(order)), chosen],
        right[:, best],
        served,
        served - float(losses.sum(axis=0).min()),
        float(chooser.bound()),
    )
