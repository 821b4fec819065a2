"""Ranking SVM: a large margin between every two documents of different grade in one query.

    linear    min ½|w|² + (C / P) Σ_{pairs} max(0, 1 − w·(x_i − x_j))²        P pairs in all
    hinge     min ½|w|² + (C / P) Σ_{pairs} max(0, 1 − w·(x_i − x_j))         as the papers print it
    kernel    min ½|w|² + (C / P) Σ_{pairs} max(0, 1 − w·(φ(x_i) − φ(x_j)))   w in feature space

(Herbrich et al. 2000; Joachims 2002.) `C` weighs the *mean* loss of a pair, so that it means the
same for ten pairs and for ten million; scikit-learn's LinearSVC(C = C / P, fit_intercept=False) on
the difference vectors minimises the same function. Every pair counts once, whatever its query. The
linear form takes n log n time in the number of documents and never forms a pair
(`saccade.rankers.newton`); with the plain hinge it forms the pairs, a million at most, and leaves
them to liblinear; the kernel form learns from at most `limit` pairs with libsvm
(`saccade.rankers.kernel_svm`). All learn on standard scores of the columns, unless told not to.
"""

from __future__ import annotations

from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.contracts import Training
from saccade.errors import InvalidInput, UnknownName, need
from saccade.rankers import kernel_svm
from saccade.rankers.batch import Standard, linear_scores
from saccade.rankers.checked import Queries, finite, training
from saccade.rankers.checked import queries as checked_queries
from saccade.rankers.pairs import count, pairs
from saccade.types import Array, Phi, Scores, State

_SETTINGS = (
    "C", "kernel", "gamma", "degree", "loss", "standardise", "tolerance", "steps", "limit", "seed",
)  # fmt: skip
LOSSES = ("squared", "hinge")


class RankSVM:
    """The ranking SVM.

    Args:
        C: weight of the mean loss of a pair against ½|w|².
        kernel: `linear`, `rbf` (exp(−γ|a − b|²)) or `poly` ((γ a·b + 1)^degree).
        gamma: of the kernel; 0 means one over the number of columns.
        loss: of the linear form, `squared` or `hinge`; a kernel always has the hinge.
        standardise: learn on (x − mean) / spread of each column.
        tolerance: the linear form stops when the gradient has fallen to this part of its first
            length; `steps` limits its Newton steps.
        limit: how many pairs a form that forms them learns from at most; by default 1,500 with a
            kernel and a million with the plain hinge. `seed` is that of their draw.

    Its optimum is unique, so validation rows have nothing to stop and are only checked.

    >>> model = RankSVM().fit([[0.0, 5.0], [1.0, 5.0], [2.0, 5.0]], [0, 1, 2], [7, 7, 7])
    >>> model.score([[3.0, 5.0], [-1.0, 5.0]]).round(2)
    array([ 2.  , -0.67], dtype=float32)
    """

    name: ClassVar[str] = "ranksvm"

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: str = "linear",
        gamma: float = 0.0,
        degree: int = 3,
        loss: str = "squared",
        standardise: bool = True,
        tolerance: float = 1e-5,
        steps: int = 200,
        limit: int | None = None,
        seed: int = 0,
    ) -> None:
        if kernel != "linear" and kernel not in kernel_svm.KINDS:
            raise UnknownName("kernel of ranksvm", kernel, ["linear", *kernel_svm.KINDS])
        if loss not in LOSSES:
            raise UnknownName("loss of ranksvm", loss, LOSSES)
        if not (np.isfinite(C) and C > 0):
            raise InvalidInput(f"ranksvm: C must be a number above 0, not {C}")
        if limit is None:
            limit = 1_000_000 if kernel == "linear" else 1500
        if gamma < 0 or tolerance <= 0 or min(degree, steps, limit) < 1:
            raise InvalidInput(
                "ranksvm: gamma must be 0 or more, tolerance above 0, "
                "degree, steps and limit 1 or more"
            )
        self.C, self.kernel, self.gamma, self.degree = float(C), kernel, float(gamma), int(degree)
        self.standardise, self.tolerance, self.steps = bool(standardise), float(tolerance), steps
        self.limit, self.seed, self.loss = int(limit), int(seed), loss
        self.pairs = 0  # preference pairs of the last fit
        self.skipped = 0  # queries of the last fit that ordered nothing
        self.iterations = 0
        self._weights: NDArray[np.float64] | None = None
        self._machine: kernel_svm.PairMachine | None = None

    @property
    def packages(self) -> tuple[str, ...]:
        """What it learns with beside our own: nothing unless it has a kernel or the plain hinge."""
        return () if self.kernel == "linear" and self.loss == "squared" else ("sklearn",)

    @property
    def weights(self) -> NDArray[np.float64]:
        """Weights on the columns as they come, [m]; the kernel form has none."""
        if self._weights is None:
            raise InvalidInput("ranksvm has no weights: it is not fitted, or has a kernel")
        return self._weights.copy()

    def score(self, phi: Phi) -> Scores:
        """w·φ, or the same in feature space; higher is better, zero for all before fitting."""
        if self._machine is not None:
            return self._machine.score(finite(phi, self._machine.support.shape[1]))
        return linear_scores(phi, self._weights)

    def fit(
        self, phi: Phi, grades: ArrayLike, groups: ArrayLike, *, validation: Training | None = None
    ) -> Self:
        """Learn from every preference pair of every query."""
        need("rank", *self.packages, part=self.name)
        queries = training(phi, grades, groups)
        if validation is not None:
            checked_queries(*validation, width=queries.phi.shape[1])
        standard = Standard.of(queries.phi)
        if not self.standardise:
            width = queries.phi.shape[1]
            standard = Standard(np.zeros(width), np.ones(width))
        self.pairs, self.skipped = count(queries), queries.skipped
        if self.kernel == "linear" and self.loss == "hinge":
            self._fit_hinge(queries, standard)
        elif self.kernel == "linear":
            self._fit_linear(queries, standard)
        else:
            self._machine = kernel_svm.fit(
                queries, standard, kind=self.kernel, C=self.C, gamma=self.gamma,
                degree=self.degree, limit=self.limit, seed=self.seed,
            )  # fmt: skip
        return self

    def _fit_linear(self, queries: Queries, standard: Standard) -> None:
        from saccade.rankers.newton import PairObjective, minimise

        scaled = standard.apply(queries.phi)
        objective = PairObjective(scaled, queries, self.C / self.pairs)
        weights, self.iterations = minimise(objective, tolerance=self.tolerance, steps=self.steps)
        self._weights = standard.fold(weights)

    def _fit_hinge(self, queries: Queries, standard: Standard) -> None:
        """Difference vectors, every second one turned round, so that there are two classes."""
        import warnings

        from sklearn.exceptions import ConvergenceWarning
        from sklearn.svm import LinearSVC

        rng = np.random.default_rng(self.seed)
        winners, losers = pairs(queries, limit=self.limit, rng=rng)
        scaled = standard.apply(queries.phi)
        signs = np.where(np.arange(len(winners)) % 2, -1.0, 1.0)
        gaps = (scaled[winners] - scaled[losers]) * signs[:, None]
        if len(gaps) == 1:  # one pair is one class: its opposite says the same
            gaps, signs = np.concatenate([gaps, -gaps]), np.array([1.0, -1.0])
        machine = LinearSVC(
            C=self.C / len(gaps), loss="hinge", dual=True, fit_intercept=False,
            tol=max(self.tolerance, 1e-4), max_iter=self.steps * 5, random_state=self.seed,
        )  # fmt: skip
        with warnings.catch_warnings():
            # Stopped by `steps`: the weights are as good as that many passes make them.
            warnings.simplefilter("ignore", ConvergenceWarning)
            machine.fit(gaps, signs)
        self.iterations = int(machine.n_iter_)
        self._weights = standard.fold(machine.coef_[0].astype(np.float64))

    def dump(self) -> State:
        """Settings and weights, or the support rows and their coefficients."""
        spec: dict[str, object] = {key: getattr(self, key) for key in _SETTINGS}
        fitted = {"pairs": self.pairs, "skipped": self.skipped, "iterations": self.iterations}
        arrays: dict[str, Array] = {}
        if self._weights is not None:
            arrays["weights"] = self._weights.copy()
        if self._machine is not None:
            arrays |= self._machine.arrays()
        return State(self.name, {"parameters": spec, "fitted": fitted}, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The ranker that was dumped."""
        model = cls(**state.spec["parameters"])
        for key, value in state.spec["fitted"].items():
            setattr(model, key, value)
        if "weights" in state.arrays:
            model._weights = np.array(state.arrays["weights"], np.float64)
        if "support" in state.arrays:
            model._machine = kernel_svm.PairMachine.of(model.kernel, model.degree, state.arrays)
        return model
