"""What the online learners share: weights, counters, averaging, fitting, dump and load.

    score(φ) = w·φ        mean weights over pairs 1..T = w − Σ_t (t − 1) Δ_t / T

where Δ_t is the change at pair t: so averaging costs one more pass over the columns only when the
weights move. The learners themselves stand in `saccade.rankers.online` and `second_order`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Self, TypedDict

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.contracts import Training
from saccade.errors import InvalidInput
from saccade.kernels import online as kernel
from saccade.rankers.batch import Watch
from saccade.rankers.checked import matrix, refuse, refuse_pair, training
from saccade.rankers.pairs import pairs
from saccade.types import Array, Phi, Scores, State

_CHUNK = 65_536  # pairs gathered at a time in `fit`

Learned = dict[str, Array]


class OnlineSettings(TypedDict, total=False):
    """What every online learner takes besides its step; `OnlineLinear` says what each means."""

    prior: ArrayLike
    average: bool | None
    width: int | None
    passes: int
    limit: int
    seed: int
    measure: str
    patience: int


class OnlineLinear:
    """A weight per column, moved pair by pair in a fixed order, with counters of what it met.

    Args:
        prior: the weight of every column before learning, a number or an array [m].
        average: score with the mean of the weights after each pair (True) or with the last ones
            (False). By default `learn` goes by the last ones, so that an answer moves the ranking
            at once, and `fit` ends with the mean of its passes, which forgets their order.
        width: number of columns; by default that of the first pairs.
        passes: how often `fit` goes over its pairs, in a new order each time.
        limit: how many pairs `fit` learns from at most; above it, that many are drawn.
        seed: of the order, and of the draw.
        measure, patience: with validation rows, `fit` keeps the weights of the pass that ranks them
            best, and stops after `patience` passes without a better one.

    Before any learning with `prior` 0 every weight is 0 and says nothing: the score is then the
    mean of φ, as `uniform` has it.
    """

    name: ClassVar[str]
    step: ClassVar[str]  # what the constructor calls the step's parameter, "" where it has none

    def __init__(
        self,
        rate: float,
        /,
        *,
        prior: ArrayLike = 0.0,
        average: bool | None = None,
        width: int | None = None,
        passes: int = 5,
        limit: int = 1_000_000,
        seed: int = 0,
        measure: str = "ndcg@10",
        patience: int = 3,
    ) -> None:
        if not (np.isfinite(rate) and rate > 0):
            raise InvalidInput(f"{self.name}: {self.step} must be a number above 0, not {rate}")
        if passes < 1 or limit < 1 or (width is not None and width < 1):
            raise InvalidInput(f"{self.name}: passes, limit and width must be 1 or more")
        self.average, self.passes, self.limit, self.seed = average, passes, limit, seed
        self.measure, self.patience = measure, patience
        self._rate = float(rate)
        self._prior = np.array(prior, dtype=np.float32)
        if self._prior.ndim > 1 or not np.isfinite(self._prior).all():
            raise InvalidInput(f"{self.name}: prior must be a finite number, or one per column")
        if self._prior.ndim == 1:
            if width not in (None, len(self._prior)):
                raise InvalidInput(f"{self.name}: prior has {len(self._prior)} values, not {width}")
            width = len(self._prior)
        self._own_width = width
        self._begin()

    # -- what one learner has and another has not ----------------------------------------------

    def _fresh(self, width: int) -> Learned:
        """The arrays of a learner that has met nothing."""
        weights = np.broadcast_to(self._prior, width).copy()
        statistics = np.zeros(kernel.FIELDS)
        statistics[[kernel.SMALLEST_STEP, kernel.SMALLEST_LOSS]] = np.inf
        drift = np.zeros(width * self._averaging)
        return {"weights": weights, "origin": weights, "drift": drift, "statistics": statistics}

    def _run(self, learned: Learned, better: Phi, worse: Phi | None) -> int:
        """Learn in place; give the first pair that cannot be taken, or −1."""
        raise TypeError(f"{type(self).__name__} has no rule")

    def _own_parameters(self) -> dict[str, object]:
        """Parameters that the constructor of this learner alone takes."""
        return {self.step: self._rate} if self.step else {}

    # -- weights and counters ------------------------------------------------------------------

    def _begin(self) -> None:
        """As if nothing had been learned."""
        self._unbroken = True
        self._averaging = bool(self.average)
        self._learned = None if self._own_width is None else self._fresh(self._own_width)

    @property
    def width(self) -> int | None:
        """Number of columns, or None while it is open."""
        return None if self._learned is None else len(self._learned["weights"])

    @property
    def last_weights(self) -> NDArray[np.float32]:
        """The weights after the last pair, which the next one meets."""
        if self._learned is None:
            raise InvalidInput(f"{self.name} has no weights yet: give it width=… or a pair")
        return self._learned["weights"].copy()

    @property
    def weights(self) -> NDArray[np.float32]:
        """The weights `score` uses: the last ones, or with `average` their mean over all pairs.

        Setting them moves the last weights there; the counters go on.
        """
        last = self.last_weights
        if self._averaging and self._learned is not None and self.seen:
            mean: NDArray[np.float32] = (last - self._learned["drift"] / self.seen).astype(
                last.dtype
            )
            return mean
        return last

    @weights.setter
    def weights(self, values: ArrayLike) -> None:
        new = np.array(values, dtype=np.float32)
        if new.ndim != 1 or self.width not in (None, len(new)):
            raise InvalidInput(
                f"{self.name}: weights of shape {new.shape}, expected [{self.width}]"
            )
        if not np.isfinite(new).all():
            raise InvalidInput(f"{self.name}: weight {int(np.argmin(np.isfinite(new)))} not finite")
        learned = self._fresh(len(new)) if self._learned is None else dict(self._learned)
        if self.seen:
            self._unbroken = False
            if self._averaging:
                jump = new.astype(np.float64) - learned["weights"]
                learned["drift"] = learned["drift"] + self.seen * jump
        else:
            learned["origin"] = new
        self._learned = learned | {"weights": new}

    def _counter(self, field: int) -> float:
        return 0.0 if self._learned is None else float(self._learned["statistics"][field])

    @property
    def seen(self) -> int:
        """Pairs met so far; a pair of equal rows is not counted."""
        return int(self._counter(kernel.SEEN))

    @property
    def mistakes(self) -> int:
        """Pairs that the weights of their moment did not order rightly (w·z ≤ 0)."""
        return int(self._counter(kernel.MISTAKES))

    @property
    def updates(self) -> int:
        """Pairs that moved the weights."""
        return int(self._counter(kernel.UPDATES))

    @property
    def loss(self) -> float:
        """Cumulative hinge loss: Σ max(0, 1 − w·z), each with the weights of its moment."""
        return self._counter(kernel.LOSS)

    # -- the ranker's verbs --------------------------------------------------------------------

    def score(self, phi: Phi) -> Scores:
        """w·φ for each row; the mean of φ while every weight is zero."""
        rows = matrix(phi, self.width)
        width = rows.shape[1]
        weights = self._fresh(width)["weights"] if self._learned is None else self.weights
        if not weights.any():
            weights = np.full(width, 1.0 / width, np.float32)
        out = np.empty(len(rows), np.float32)
        kernel.scores(weights, rows, out)
        if not np.isfinite(out).all():
            refuse(rows, "phi")
            raise InvalidInput("phi: values too large, their score is not finite")
        return out

    def learn(self, winners: Phi, losers: Phi) -> None:
        """Take in `winners[i]` before `losers[i]`, in order; a refused batch changes nothing."""
        better = matrix(winners, self.width, "winners")
        worse = matrix(losers, better.shape[1], "losers")
        if len(better) != len(worse):
            raise InvalidInput(f"{len(better)} winners and {len(worse)} losers: pair them by row")
        self._learn(better, worse)

    def learn_differences(self, differences: Phi) -> None:
        """The same from z = winners − losers, where that is at hand."""
        self._learn(matrix(differences, self.width, "differences"), None)

    def _learn(self, better: Phi, worse: Phi | None) -> None:
        # The kernel works on copies, so that a refused batch leaves the model as it was.
        before = self._fresh(better.shape[1]) if self._learned is None else self._learned
        learned = {key: array.copy() for key, array in before.items()}
        if self._averaging and not len(learned["drift"]):
            learned["drift"] = np.zeros(better.shape[1])
        bad = self._run(learned, better, worse)
        if bad >= 0:
            raise refuse_pair(better, worse, bad)
        self._learned = learned

    def grow(self, prior: ArrayLike) -> None:
        """Add columns on the right, one per value of `prior` [k], their weights before learning.

        What was learned about the others stays, bit for bit. The new ones are as if they had been
        there from the first pair on and never told two rows apart: counters, bounds and mean
        weights go on. A learner without columns yet has those given.

        >>> from saccade.rankers import make
        >>> model = make("opar1", C=0.5)
        >>> model.learn([[1.0]], [[0.0]])
        >>> model.grow([0.25, 2.0])
        >>> model.weights
        array([0.5 , 0.25, 2.  ], dtype=float32)
        """
        new = np.array(prior, dtype=np.float32)
        if new.ndim != 1 or not np.isfinite(new).all():
            raise InvalidInput(
                f"{self.name}: prior of new columns must be finite numbers, one per column"
            )
        if not len(new):
            return
        before = {} if self._learned is None else self._learned
        self._prior = np.concatenate([np.broadcast_to(self._prior, self.width or 0), new])
        self._own_width = len(self._prior)
        wider = {key: array.copy() for key, array in self._fresh(self._own_width).items()}
        for key, array in before.items():
            if key != "drift" or self._averaging:
                wider[key][tuple(slice(side) for side in array.shape)] = array
        self._learned = wider

    def fit(
        self, phi: Phi, grades: ArrayLike, groups: ArrayLike, *, validation: Training | None = None
    ) -> Self:
        """Start afresh and learn the pairs of all queries, in several shuffled passes."""
        rng = np.random.default_rng(self.seed)
        queries = training(phi, grades, groups, self._own_width)
        winners, losers = pairs(queries, limit=self.limit, rng=rng)
        width = queries.phi.shape[1]
        watch = Watch[Learned](
            validation, measure=self.measure, patience=self.patience, width=width
        )
        self._begin()
        self._averaging = self.average is not False
        for _ in range(self.passes):
            order = rng.permutation(len(winners))
            for first in range(0, len(order), _CHUNK):
                some = order[first : first + _CHUNK]
                self._learn(queries.phi[winners[some]], queries.phi[losers[some]])
            scores = None if watch.phi is None else self.score(watch.phi)
            assert self._learned is not None  # a query that orders something has a pair
            if watch.stop(scores, self._learned):
                break
        self._learned = watch.best
        if self.average is None:
            mean = self.weights
            self._averaging, self._learned["drift"] = False, np.zeros(0)
            self.weights = mean
        return self

    def dump(self) -> State:
        """Parameters, counters and weights as they are, bit for bit."""
        parameters = self._own_parameters() | {
            "average": self.average, "width": self._own_width, "passes": self.passes,
            "limit": self.limit, "seed": self.seed, "measure": self.measure,
            "patience": self.patience,
        }  # fmt: skip
        arrays = {key: array.copy() for key, array in (self._learned or {}).items()}
        arrays["start"] = self._prior.copy()  # the name it has had on disk from the first store on
        return State(self.name, {"parameters": parameters, "unbroken": self._unbroken}, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The learner that was dumped."""
        make: Callable[..., Self] = cls  # every learner takes its own step by name
        model = make(prior=np.asarray(state.arrays["start"]), **state.spec["parameters"])
        model._unbroken = bool(state.spec["unbroken"])
        if "weights" in state.arrays:
            model._learned = model._checked(state)
        return model

    def _checked(self, state: State) -> Learned:
        """The learned arrays of a state; the kernels trust their shapes."""
        width = len(state.arrays["weights"])
        learned = {}
        for key, fresh in self._fresh(width).items():
            learned[key] = np.array(state.arrays[key], fresh.dtype)
            allowed = {fresh.shape, (0,), (width,)} if key == "drift" else {fresh.shape}
            if learned[key].shape not in allowed:
                raise InvalidInput(
                    f"state of ranker {self.name!r}: {key} has shape {learned[key].shape}, "
                    f"expected {fresh.shape}"
                )
        return learned
