"""Hybrid ranking, label by label: Pegasos-like steps on a pool of points, orders and likenesses.

    F(w, b) = ½|w − w₀|² + ½|b / B|²
              + C c₁ τ₁ Σ_points hinge + C c₂ τ₂ Σ_ordered max(0, ρ − w·(x_p − x_q))
              + C c₂ τ₃ Σ_alike |w·(x_p − x_q)|                        τ_i = n_i / (n₁ + n₂ + n₃)

    w ← w − (1/t) ∂F(w; mini-batch)

(Chen, Zhang & Li 2015, eq. 2 and algorithm 1.) Where the paper misprints or is silent:

- its step *adds* sgn(w·x)·x for an alike pair, which drives alike ones apart; here it subtracts.
- its step size is 1/(violators · t) and its weights are shares of the violators; such steps do not
  go down its own objective (they end near twice its minimum). Here η = 1/t and the shares are those
  of the pool, as in Pegasos, so that the iterates tend to the minimum. `schedule="printed"` takes
  the letter instead.
- it has no threshold between *has it* and *has it not*. Here each threshold is the weight of a
  constant column of value B (`bias`); B = 0 gives the paper's form, and suits ±1 only.
- w₀ = 0 in the paper. Here a learner may start elsewhere, and is drawn back there where the labels
  are silent: a session's direction, or an attribute that others have taught.
- what is served is the average iterate of the best window of steps, so F never rises from one
  window to the next.

All sums have one order and chance comes from a seed: the same labels give the same bits anywhere.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Given
from saccade.errors import InvalidInput, UnknownName
from saccade.kernels import hybrid as kernel
from saccade.rankers.label_pool import MOST, Pool, mixed, worth_products
from saccade.rankers.labels import Balance, Floats, attribute_scores, direction, labels
from saccade.types import Phi, Scores, State

SCHEDULES = ("pegasos", "printed")


class HybridOnline:
    """Learns an attribute from any mix of labels, cheaply, in any order of arrival.

    Args:
        C, c1, c2, rho: see `saccade.rankers.labels.Balance`.
        bias: value of the constant column whose weights are the thresholds.
        start: the weights before learning, a vector [m]; none means zeros.
        batch: labels drawn for one step.
        steps: of a `fit_labels`, in windows of `window`.
        burst: steps that `learn_labels` takes for each label it adds.
        seed: of the draws.

    >>> more, alike = ([[4.0, 0.0]], [[0.0, 0.0]]), ([[0.0, 1.0]], [[0.0, 0.0]])
    >>> model = HybridOnline().fit_labels(ordered=more, similar=alike)
    >>> model.weights.round(2)
    array([1., 0.], dtype=float32)
    """

    name: ClassVar[str] = "hybrid-online"
    hears: ClassVar[frozenset[str]] = frozenset({"points", "ordered", "similar"})

    def __init__(
        self,
        *,
        C: float = 1.0,
        c1: float = 1.0,
        c2: float = 3.0,
        rho: float = 4.0,
        bias: float = 1.0,
        start: Any = None,
        batch: int = 32,
        steps: int = 1000,
        window: int = 100,
        burst: int = 100,
        schedule: str = "pegasos",
        seed: int = 0,
    ) -> None:
        self.balance = Balance(float(C), float(c1), float(c2), float(rho))
        self.balance.check(self.name)
        if schedule not in SCHEDULES:
            raise UnknownName(f"schedule of {self.name}", schedule, SCHEDULES)
        if not (np.isfinite(bias) and bias >= 0):
            raise InvalidInput(f"{self.name}: bias must be a number of 0 or more, not {bias}")
        if min(batch, steps, window, burst) < 1:
            raise InvalidInput(f"{self.name}: batch, steps, window and burst must be 1 or more")
        self.bias, self.schedule, self.seed = float(bias), schedule, int(seed)
        self.batch, self.steps, self.window, self.burst = batch, steps, window, burst
        self.start: Floats | None = None if start is None else direction(start, self.name)
        self.skipped = 0
        self.history: tuple[float, ...] = ()  # F after each window of the last call
        self._pool: Pool | None = None

    # -- what is learned -----------------------------------------------------------------------

    def __len__(self) -> int:
        return 0 if self._pool is None else len(self._pool)

    @property
    def width(self) -> int | None:
        """Number of columns, or None while it is open."""
        if self._pool is not None:
            return int(self._pool.vectors.shape[1])
        return None if self.start is None else len(self.start)

    @property
    def weights(self) -> NDArray[np.float32]:
        """w, [m]; there are none before the first label, unless it starts from some."""
        if self.width is None:
            raise InvalidInput(f"{self.name} has no weights yet: give it a label or start=…")
        total = np.zeros(self.width) if self.start is None else self.start.copy()
        if self._pool is not None:
            kernel.combine(self._pool.vectors, self._pool.coefficients, total)
        return total.astype(np.float32)

    @property
    def thresholds(self) -> Floats:
        """Where one grade ends and the next begins, on the scale of the scores."""
        return np.empty(0) if self._pool is None else self._pool.thresholds.copy()

    @property
    def objective(self) -> float:
        """F on all labels so far; 0 before the first."""
        return 0.0 if self._pool is None else self._pool.objective(self.balance, self.bias)

    def score(self, phi: Phi) -> Scores:
        """w·x for each row; zero for all before anything is known."""
        return attribute_scores(phi, None if self.width is None else self.weights)

    # -- learning ------------------------------------------------------------------------------

    def fit_labels(
        self, points: Given = None, ordered: Given = None, similar: Given = None
    ) -> Self:
        """Start afresh and learn all labels at once."""
        start = None if self.start is None else len(self.start)
        given = labels(points, ordered, similar, width=start)
        self._pool, self.skipped, self.history = None, given.skipped, ()
        if len(given):
            pool = Pool.of(given, self.start)
            if worth_products(len(pool), pool.width, self.steps * self.batch):
                pool = pool.with_products()
            self._descend(pool, first=1, steps=self.steps)
        return self

    def learn_labels(
        self, points: Given = None, ordered: Given = None, similar: Given = None
    ) -> None:
        """Add labels to those before, points first; many at once equal the same one by one."""
        given = labels(points, ordered, similar, width=self.width)
        self.skipped += given.skipped
        if not len(given):
            return
        new = Pool.of(given, self.start)
        whole = new if self._pool is None else self._pool.joined(new)
        whole = whole.with_products(most=MOST)
        self.history = ()
        for size in range(len(self) + 1, len(whole) + 1):
            # Each label is about 1/size of the objective: so is the first step that it gets.
            pool = whole.first(size, learned=self._pool)
            self._descend(pool, first=size, steps=self.burst)

    def _descend(self, pool: Pool, *, first: int, steps: int) -> None:
        """Windows of steps from where the pool stands; keep the best window's average."""
        pool = pool.levelled()
        self._pool, lowest = pool, pool.objective(self.balance, self.bias)
        state = pool
        for done in range(0, steps, self.window):
            state, found = state.stepped(
                self.balance, self.bias, first=first + done, batch=self.batch,
                steps=min(self.window, steps - done), printed=self.schedule == "printed",
                seed=mixed(self.seed, len(pool), done),
            )  # fmt: skip
            value = found.objective(self.balance, self.bias)
            if value < lowest:
                self._pool, lowest = found, value
            self.history = (*self.history, value)

    # -- at rest -------------------------------------------------------------------------------

    def dump(self) -> State:
        """Parameters, every label and what was learned, bit for bit."""
        own = ("bias", "batch", "steps", "window", "burst", "schedule", "seed")
        settings = asdict(self.balance) | {key: getattr(self, key) for key in own}
        arrays: dict[str, NDArray[Any]] = {}
        if self.start is not None:
            arrays["start"] = self.start.copy()
        if self._pool is not None:
            arrays |= self._pool.arrays()
        return State(self.name, {"settings": settings, "skipped": self.skipped}, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The learner that was dumped; the products of its labels are computed again."""
        model = cls(start=state.arrays.get("start"), **dict(state.spec["settings"]))
        model.skipped = int(state.spec["skipped"])
        if "vectors" in state.arrays:
            model._pool = Pool.load(state.arrays, model.start)
        return model
