"""What the online learners share: weights, counters, averaging, fitting, dump and load.

    score(φ) = w·φ        mean weights over pairs 1..T = w − Σ_t (t − 1) Δ_t / T

where Δ_t is the change at pair t: so averaging costs one more pass over the columns only when the
weights move. The learners themselves stand in `saccade.rankers.online`.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.kernels import online as kernel
from saccade.rankers.batch import Watch
from saccade.rankers.bounds import loss_bound
from saccade.rankers.checked import Training, matrix, refuse, refuse_pair, training
from saccade.rankers.pairs import pairs
from saccade.types import Phi, Scores, State

_CHUNK = 65_536  # pairs gathered at a time in `fit`


class OnlineLinear:
    """A weight a column, moved pair by pair in a fixed order, with counters of what it met.

    Args:
        start: the weight of every column before learning, a number or an array [m].
        average: score with the mean of the weights after each pair instead of the last ones.
        width: number of columns; by default that of the first rows seen.
        passes: how often `fit` goes over its pairs, in a new order each time.
        limit: how many pairs `fit` learns from at most; above it, that many are drawn.
        seed: of the order, and of the draw.
        measure, patience: with validation rows, `fit` keeps the weights of the pass that ranks them
            best, and stops after `patience` passes without a better one.

    Before any learning with `start` 0 every weight is 0 and says nothing: the score is then the
    mean of φ, as `uniform` has it.
    """

    name: ClassVar[str]
    rule: ClassVar[int]  # of the kernel
    step: ClassVar[str]  # what the constructor calls the rule's parameter, "" where it has none

    def __init__(
        self,
        rate: float,
        /,
        *,
        start: Any = 0.0,
        average: bool = False,
        width: int | None = None,
        passes: int = 5,
        limit: int = 1_000_000,
        seed: int = 0,
        measure: str = "ndcg@10",
        patience: int = 3,
    ) -> None:
        if not (np.isfinite(rate) and rate > 0):
            raise InvalidInput(f"{self.name}: the step must be a number above 0, not {rate}")
        if passes < 1 or limit < 1:
            raise InvalidInput(f"{self.name}: passes and limit must be 1 or more")
        self.average, self.passes, self.limit, self.seed = bool(average), passes, limit, seed
        self.measure, self.patience = measure, patience
        self._rate = float(rate)
        self._start = np.array(start, dtype=np.float32)
        if self._start.ndim > 1 or not np.isfinite(self._start).all():
            raise InvalidInput(f"{self.name}: start must be a finite number or one a column")
        if self._start.ndim == 1:
            if width not in (None, len(self._start)):
                raise InvalidInput(f"{self.name}: start has {len(self._start)} values, not {width}")
            width = len(self._start)
        self._own_width = width
        self._begin()

    def _begin(self) -> None:
        """As if nothing had been learned."""
        self._weights: NDArray[np.float32] | None = None
        self._origin: NDArray[np.float32] | None = None
        self._drift = np.empty(0)
        self._unbroken = True
        self._statistics = np.zeros(kernel.FIELDS)
        self._statistics[[kernel.SMALLEST_STEP, kernel.SMALLEST_LOSS]] = np.inf
        if self._own_width is not None:
            self._widen(self._own_width)

    def _widen(self, width: int) -> NDArray[np.float32]:
        """Settle the number of columns."""
        self._origin = np.broadcast_to(self._start, width).copy()
        self._weights = self._origin.copy()
        self._drift = np.zeros(width if self.average else 0)
        return self._weights

    @property
    def width(self) -> int | None:
        """Number of columns, or None while it is open."""
        return None if self._weights is None else len(self._weights)

    @property
    def last_weights(self) -> NDArray[np.float32]:
        """The weights after the last pair, which the next one meets."""
        if self._weights is None:
            raise InvalidInput(f"{self.name} has no weights yet: give it width=… or a pair")
        return self._weights.copy()

    @property
    def weights(self) -> NDArray[np.float32]:
        """The weights `score` uses: the last ones, or with `average` their mean over all pairs.

        Setting them moves the last weights there; the counters go on.
        """
        last = self.last_weights
        if self.average and self.seen:
            mean: NDArray[np.float32] = (last - self._drift / self.seen).astype(np.float32)
            return mean
        return last

    @weights.setter
    def weights(self, values: Any) -> None:
        new = np.array(values, dtype=np.float32)
        if new.ndim != 1 or self.width not in (None, len(new)):
            raise InvalidInput(
                f"{self.name}: weights of shape {new.shape}, expected [{self.width}]"
            )
        if not np.isfinite(new).all():
            raise InvalidInput(f"{self.name}: weight {int(np.argmin(np.isfinite(new)))} not finite")
        if self._weights is None:
            self._widen(len(new))
        if self.seen:
            self._unbroken = False
            if self.average:
                self._drift += self.seen * (new.astype(np.float64) - self.last_weights)
        else:
            self._origin = new.copy()
        self._weights = new

    @property
    def seen(self) -> int:
        """Pairs met so far; a pair of equal rows is not counted."""
        return int(self._statistics[kernel.SEEN])

    @property
    def mistakes(self) -> int:
        """Pairs that the weights of their moment did not order rightly (w·z ≤ 0)."""
        return int(self._statistics[kernel.MISTAKES])

    @property
    def updates(self) -> int:
        """Pairs that moved the weights."""
        return int(self._statistics[kernel.UPDATES])

    @property
    def loss(self) -> float:
        """Cumulative hinge loss: Σ max(0, 1 − w·z), each with the weights of its moment."""
        return float(self._statistics[kernel.LOSS])

    def score(self, phi: Phi) -> Scores:
        """w·φ for each row; the mean of φ while every weight is zero."""
        rows = matrix(phi, self.width)
        width = rows.shape[1]
        weights = np.broadcast_to(self._start, width) if self._weights is None else self.weights
        if not weights.any():
            weights = np.full(width, 1.0 / width, np.float32)
        out = np.empty(len(rows), np.float32)
        kernel.scores(np.ascontiguousarray(weights), rows, out)
        if not np.isfinite(out).all():
            refuse(rows, "phi")
            raise InvalidInput("phi: values too large, their score is not finite")
        return out

    def learn(self, winners: Phi, losers: Phi) -> None:
        """Take in `winners[i]` before `losers[i]`, in order; a refused batch changes nothing."""
        better = matrix(winners, self.width, "winners")
        worse = matrix(losers, better.shape[1], "losers")
        if len(better) != len(worse):
            raise InvalidInput(
                f"{len(better)} winners and {len(worse)} losers: pair them row by row"
            )
        self._learn(better, worse)

    def learn_differences(self, differences: Phi) -> None:
        """The same from z = winners − losers, where that is at hand."""
        self._learn(matrix(differences, self.width, "differences"), None)

    def _learn(self, better: Phi, worse: Phi | None) -> None:
        weights = self._weights
        if weights is None:
            weights = np.broadcast_to(self._start, better.shape[1])
        # The kernel works on copies, so that a refused batch leaves the model as it was.
        weights, statistics = weights.copy(), self._statistics.copy()
        drift = self._drift.copy() if len(self._drift) else np.zeros(self.average * len(weights))
        bad = kernel.learn(
            weights, drift, statistics, better, worse, self.rule, self._rate, self.average
        )
        if bad >= 0:
            raise refuse_pair(better, worse, bad)
        if self._weights is None:
            self._widen(len(weights))
        self._weights, self._drift, self._statistics = weights, drift, statistics

    def fit(
        self, phi: Phi, grades: Any, groups: Any, *, validation: Training | None = None
    ) -> None:
        """Start afresh and learn the pairs of all queries, in several shuffled passes."""
        rng = np.random.default_rng(self.seed)
        queries = training(phi, grades, groups, self._own_width)
        winners, losers = pairs(queries, limit=self.limit, rng=rng)
        self._begin()
        watch = Watch(
            validation, measure=self.measure, patience=self.patience, width=queries.phi.shape[1]
        )
        for _ in range(self.passes):
            order = rng.permutation(len(winners))
            for first in range(0, len(order), _CHUNK):
                some = order[first : first + _CHUNK]
                self._learn(queries.phi[winners[some]], queries.phi[losers[some]])
            scores = None if watch.phi is None else self.score(watch.phi)
            if watch.stop(scores, (self._weights, self._drift, self._statistics)):
                break
        self._weights, self._drift, self._statistics = watch.best

    def bound(
        self, weights: Any, losses: Any, *, relevant: int = 1, lists: int | None = None
    ) -> float:
        """Lower bound on the mean average precision of the run so far (theorems 1 to 3).

        `weights` is any fixed comparator and `losses` [seen] its hinge losses on the same pairs in
        the same order (`pair_losses`). `relevant` is the number of relevant images a ranked list
        has, `lists` the number of ranked lists; by default each pair is a list of its own. See
        `saccade.rankers.bounds` for what the printed theorems need to hold.
        """
        return 1.0 - self.loss_bound(weights, losses) / (relevant * (lists or max(1, self.seen)))

    def loss_bound(self, weights: Any, losses: Any) -> float:
        """Upper bound on the cumulative loss of the run so far, by a comparator and its losses."""
        if not self._unbroken:
            raise InvalidInput(
                f"{self.name}: weights were set after learning began; the bound needs one whole run"
            )
        comparator = np.asarray(weights, np.float64)
        origin = np.zeros(1) if self._origin is None else self._origin.astype(np.float64)
        gaps = np.asarray(losses, np.float64)
        if gaps.shape != (self.seen,):
            raise InvalidInput(f"losses has shape {gaps.shape}: expected [{self.seen}], one a pair")
        distance = float(((comparator - origin) ** 2).sum())
        return loss_bound(self.name, self._rate, self._statistics, distance, gaps)

    def _parameters(self) -> dict[str, Any]:
        """What the constructor was given, `start` left out: that is an array."""
        own = {self.step: self._rate} if self.step else {}
        return own | {
            "average": self.average, "width": self._own_width, "passes": self.passes,
            "limit": self.limit, "seed": self.seed, "measure": self.measure,
            "patience": self.patience,
        }  # fmt: skip

    def dump(self) -> State:
        """Parameters and counters, weights as they are, bit for bit."""
        arrays: dict[str, NDArray[Any]] = {
            "start": self._start.copy(),
            "statistics": self._statistics.copy(),
        }
        if self._weights is not None and self._origin is not None:
            arrays |= {"weights": self._weights.copy(), "origin": self._origin.copy()}
            arrays |= {"drift": self._drift.copy()}
        spec = {"parameters": self._parameters(), "unbroken": self._unbroken}
        return State(kind=self.name, spec=spec, arrays=arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The learner that was dumped."""
        make: Any = cls  # every learner takes its own step by name
        model = make(start=np.asarray(state.arrays["start"]), **state.spec["parameters"])
        model._statistics = np.array(state.arrays["statistics"], np.float64)
        model._unbroken = bool(state.spec["unbroken"])
        if "weights" in state.arrays:
            model._weights = np.array(state.arrays["weights"], np.float32)
            model._origin = np.array(state.arrays["origin"], np.float32)
            model._drift = np.array(state.arrays["drift"], np.float64)
        loaded: Self = model
        return loaded
