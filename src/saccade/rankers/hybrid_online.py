"""Hybrid ranking, label by label: passes over a pool of points, orders and likenesses.

    F(w, b) = ½|w − w₀|² + ½|b / B|²
              + C c₁ τ₁ Σ_points hinge + C c₂ τ₂ Σ_ordered max(0, ρ − w·(x_p − x_q))
              + C c₂ τ₃ Σ_alike |w·(x_p − x_q)|                        τ_i = n_i / (n₁ + n₂ + n₃)

(Chen, Zhang & Li 2015, eq. 2.) A pass meets every label once, in a random order. Three schedules:

    dual      each label moves its own multiplier to its best; passes until the gap between primal
              and dual is below `tolerance`: F is then within that of its optimum, whatever C is.
              Where the passes end before, `gap` says what F is within
    pegasos   w ← w − (1/t) ∂F(w; mini-batch), a number of passes; served is the mean of the last
    printed   the same by the letter of algorithm 1

`dual` is what the product learns by: steps of 1/t from w₀ = 0 are C long at first, and with a large
C a few passes end above where they began. Where the paper misprints or is silent:

- its step *adds* sgn(w·x)·x for an alike pair, which drives alike ones apart; here it subtracts.
- its step size is 1/(violators · t) and its weights are shares of the violators; such steps do not
  go down its own objective (they end near twice its minimum). `pegasos` has η = 1/t and the shares
  of the pool.
- it has no threshold between *has it* and *has it not*. Here each threshold is the weight of a
  constant column of value B (`bias`); B = 0 gives the paper's form, and suits ±1 only.
- w₀ = 0 in the paper. Here a learner may start elsewhere, and is drawn back there where the labels
  are silent: a session's direction, or an attribute that others have taught.

All sums have one order and chance comes from a seed: the same labels give the same bits anywhere.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.contracts import Given
from saccade.errors import InvalidInput, UnknownName
from saccade.kernels import hybrid as kernel
from saccade.rankers.label_pool import MOST, Pool, mixed, worth_products
from saccade.rankers.labels import Balance, Floats, attribute_scores, direction, labels
from saccade.types import Array, Phi, Scores, State

SCHEDULES = {"dual": 4000, "pegasos": 20, "printed": 20}
"""Ways to learn, with the passes that each makes at most, unless told otherwise."""
ROUNDING = 1e-7  # of float32 vectors, by the sum of what they are multiplied with
USUAL = 20  # passes that most labels need: what products are weighed against


class HybridOnline:
    """Learns an attribute from any mix of labels, cheaply, in any order of arrival.

    Args:
        C, c1, c2, rho: see `saccade.rankers.labels.Balance`.
        bias: value of the constant column whose weights are the thresholds.
        start: the weights before learning, a vector [m]; none means zeros.
        schedule: see the module; `passes` over the labels, or as many as it needs at most.
        tolerance: of the dual, how far F may be from its optimum, as a share of it.
        batch: labels of one step in the primal.
        seed: of the orders.

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
        start: ArrayLike | None = None,
        schedule: str = "dual",
        passes: int | None = None,
        tolerance: float = 0.005,
        batch: int = 1,
        seed: int = 0,
    ) -> None:
        self.balance = Balance(float(C), float(c1), float(c2), float(rho))
        self.balance.check(self.name)
        if schedule not in SCHEDULES:
            raise UnknownName(f"schedule of {self.name}", schedule, SCHEDULES)
        if not (np.isfinite(bias) and bias >= 0):
            raise InvalidInput(f"{self.name}: bias must be a number of 0 or more, not {bias}")
        passes = SCHEDULES[schedule] if passes is None else passes
        if min(batch, passes) < 1:
            raise InvalidInput(f"{self.name}: batch and passes must be 1 or more")
        if not 0 < tolerance < 1:
            raise InvalidInput(f"{self.name}: tolerance must lie between 0 and 1, not {tolerance}")
        self.bias, self.schedule, self.seed = float(bias), schedule, int(seed)
        self.passes, self.tolerance, self.batch = passes, float(tolerance), batch
        self.start: Floats | None = None if start is None else direction(start, self.name)
        self.skipped = 0
        self.history: tuple[float, ...] = ()  # F after each pass of the last call, in the dual
        self.gap = float("nan")  # how far F may be from its optimum, as a share; of the dual alone
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
        learned = np.zeros(self.width)
        if self._pool is not None:
            kernel.combine(self._pool.vectors, self._pool.coefficients, learned)
            # Answers in a circle cancel out: what rounding leaves of them is no direction.
            parts = float(np.abs(self._pool.coefficients).sum())
            if np.abs(learned).max(initial=0.0) <= ROUNDING * parts:
                learned[:] = 0.0
        total = learned if self.start is None else self.start + learned
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
        label_set = labels(points, ordered, similar, width=start)
        self._pool, self.skipped, self.history = None, label_set.skipped, ()
        if len(label_set):
            pool = Pool.of(label_set, self.start)
            passes = min(self.passes, USUAL)
            if worth_products(len(pool), pool.width, passes * len(pool)):
                pool = pool.with_products()
            self._pool = self._learned(pool, first=1)
        return self

    def learn_labels(
        self, points: Given = None, ordered: Given = None, similar: Given = None
    ) -> None:
        """Add labels to those before, points first; many at once equal the same one by one."""
        label_set = labels(points, ordered, similar, width=self.width)
        self.skipped += label_set.skipped
        if not len(label_set):
            return
        new = Pool.of(label_set, self.start)
        whole = new if self._pool is None else self._pool.joined(new)
        whole = whole.with_products(most=MOST)
        for size in range(len(self) + 1, len(whole) + 1):
            # Each label is about 1/size of the objective: so is the first step that it gets.
            self._pool = self._learned(whole.first(size, learned=self._pool), first=size)

    def _learned(self, pool: Pool, *, first: int) -> Pool:
        """Passes over the labels from where the pool stands; steps in the primal count on."""
        pool, seed = pool.levelled(), mixed(self.seed, len(pool))
        if self.schedule == "dual":
            pool, history = pool.ascended(
                self.balance, self.bias, passes=self.passes, tolerance=self.tolerance, seed=seed
            )
            self.history = tuple(history[:, 0].tolist())
            primal, dual = history[-1].tolist()
            self.gap = (primal - dual) / dual if dual > 0 else primal - dual
            return pool
        pool = pool.descended(
            self.balance, self.bias, first=first, passes=self.passes, batch=self.batch,
            printed=self.schedule == "printed", seed=seed,
        )  # fmt: skip
        self.history, self.gap = (), float("nan")
        return pool

    # -- at rest -------------------------------------------------------------------------------

    def dump(self) -> State:
        """Parameters, every label and what was learned, bit for bit."""
        own = ("bias", "schedule", "passes", "tolerance", "batch", "seed")
        settings = asdict(self.balance) | {key: getattr(self, key) for key in own}
        arrays: dict[str, Array] = {}
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
