"""Multiple-instance ranking: pictures are bags of regions, preferences are between pictures.

    f(x) = Σ_s α_s K(x_s, x)          a region's score, learned without any label on a region
    g(B)                              a picture's score, from those of its regions:

    mi-average   mean f               every region counts the same
    mi-max       max f                the best region is the picture
    mi-softmax   log(mean e^(ηf)) / η  in between: better regions count more

    minimise 1/2 |f|² + C · mean over pairs of max(0, 1 − g(better) + g(worse))

Hu, Li & Yu, "Multiple-Instance Ranking: Learning to Rank Images for Image Retrieval" (CVPR 2008);
how the programs are solved, and where the print is left, stands in `saccade.rankers.bag_program`.
With one region in every bag all three are the ranking SVM with that kernel.

    gaussian   K(a, b) = exp(−gamma |a − b|²)          linear   K(a, b) = a·b
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Self, TypedDict, Unpack

import numpy as np
from numpy.typing import ArrayLike

from saccade.errors import InvalidInput, UnknownName
from saccade.kernels import bags as kernel
from saccade.kernels import ranksvm as functions
from saccade.rankers import bag_program
from saccade.rankers.bag_program import BagProgram, BagSolution, Floats
from saccade.rankers.bags import Bags, checked_bags, checked_pairs, relative
from saccade.rankers.batch import Standard, settings_of
from saccade.types import Phi, Scores, State

KERNELS = ("gaussian", "linear")


class InstanceSettings(TypedDict, total=False):
    """What every one of them takes; `MultipleInstance` says what each means."""

    C: float
    kernel: str
    gamma: float
    standardise: bool
    tolerance: float
    rounds: int


class MultipleInstance:
    """Fit, score, show which region counts, dump and load; a subclass says how scores are pooled.

    Args:
        C: weight of the mean loss of a pair.
        kernel: `gaussian` or `linear`.
        gamma: of the Gaussian; 0 means a tenth over the number of columns, which makes typical
            regions fairly alike (K = e^−0.2 on standard scores). C and this were chosen on drawn
            bags of 10 to 200 columns.
        standardise: use standard scores of the columns, by all regions given to `fit_bags`.
        tolerance: relative duality gap of each program, and least fall of the objective by a round.
        rounds: of `mi-max` and `mi-softmax`, at most.

    After fitting, `objectives` holds the objective after each round, which never rises, and `gap`
    the relative duality gap of the last program.
    """

    name: ClassVar[str]
    pooling: ClassVar[int]
    own: ClassVar[tuple[str, ...]] = ()

    def __init__(
        self,
        *,
        C: float = 100.0,
        kernel: str = "gaussian",
        gamma: float = 0.0,
        standardise: bool = True,
        tolerance: float = 1e-4,
        rounds: int = 30,
    ) -> None:
        if kernel not in KERNELS:
            raise UnknownName(f"kernel of {self.name}", kernel, KERNELS)
        if not (C > 0 and np.isfinite(C) and gamma >= 0 and tolerance > 0 and rounds >= 1):
            raise InvalidInput(
                f"{self.name}: C and tolerance must be above 0, gamma 0 or more, rounds 1 or more"
            )
        self.C, self.kernel, self.gamma = float(C), kernel, float(gamma)
        self.standardise, self.tolerance = bool(standardise), float(tolerance)
        self.rounds = int(rounds)
        self.objectives: tuple[float, ...] = ()
        self.gap = 0.0
        self._support: Floats | None = None
        self._coefficients: Floats = np.zeros(0)
        self._standard = Standard(np.zeros(0), np.zeros(0))

    def solved(self, program: BagProgram) -> BagSolution:
        """The program solved by this ranker's way of pooling."""
        raise TypeError(f"{type(self).__name__} has no program")

    @property
    def sharpness(self) -> float:
        """η of the softmax; of no matter to the others."""
        return 1.0

    # -- the verbs -----------------------------------------------------------------------------

    def fit_bags(self, bags: Sequence[ArrayLike], pairs: ArrayLike) -> Self:
        """Start afresh from preferences; bags that are in none of them play no part."""
        stack = checked_bags(bags)
        winners, losers = checked_pairs(pairs, len(stack))
        width = stack.rows.shape[1]
        standard = Standard(np.zeros(width), np.ones(width))
        if self.standardise:
            standard = Standard.of(stack.rows)
        used, places = np.unique(np.concatenate([winners, losers]), return_inverse=True)
        named, starts = stack.places(used)
        rows = standard.apply(stack.rows[named])
        winners, losers = places[: len(winners)], places[len(winners) :]
        cap = self.C / len(winners)
        gram = self.gram(rows)
        solution = self.solved(
            BagProgram(gram, starts, winners, losers, cap, self.tolerance, self.rounds)
        )
        nonzero = solution.coefficients != 0.0
        self._support, self._coefficients = rows[nonzero], solution.coefficients[nonzero]
        self._standard = standard
        self.objectives, self.gap = solution.objectives, solution.gap
        return self

    def score_bags(self, bags: Sequence[ArrayLike]) -> Scores:
        """Score of each bag, higher is better; 0 before any learning."""
        stack = checked_bags(bags, self._width)
        return self._pooled(stack, self._scores(stack.rows))

    def region_scores(self, bag: ArrayLike) -> Scores:
        """Score f of each region of one bag, comparable from bag to bag."""
        return self._scores(checked_bags([bag], self._width).rows).astype(np.float32)

    def relevance(self, bag: ArrayLike) -> Scores:
        """How much each region counts within its bag: 0 the least, 1 the most, all 1 when equal.

        >>> model = MIMax(kernel="linear").fit_bags([[[0.0], [1.0]], [[0.0], [0.1]]], [(0, 1)])
        >>> model.relevance([[0.0], [3.0], [6.0]]).tolist()
        [0.0, 0.5, 1.0]
        """
        return relative(self.region_scores(bag))

    # -- inside --------------------------------------------------------------------------------

    @property
    def _width(self) -> int | None:
        return None if self._support is None else self._support.shape[1]

    def _gamma(self, width: int) -> float:
        return self.gamma or 0.1 / width

    def gram(self, rows: Floats) -> Floats:
        """Kernel values of every row with every row, [n, n]."""
        values: Floats
        if self.kernel == "linear":
            values = np.einsum("ik,jk->ij", rows, rows)
        else:
            values = functions.gram(functions.RBF, self._gamma(rows.shape[1]), 1, rows)
        return values

    def _scores(self, rows: Phi) -> Floats:
        out: Floats = np.zeros(len(rows))
        if self._support is None:
            return out
        scaled = self._standard.apply(rows)
        if self.kernel == "linear":
            weights = np.einsum("k,kj->j", self._coefficients, self._support)
            return np.asarray(np.einsum("ij,j->i", scaled, weights))
        functions.kernel_scores(
            functions.RBF, self._gamma(scaled.shape[1]), 1, scaled, self._support,
            self._coefficients, out,
        )  # fmt: skip
        return out

    def _pooled(self, bags: Bags, scores: Floats) -> Scores:
        pooled, shares = np.empty(len(bags)), np.empty(len(scores))
        kernel.pool(self.pooling, self.sharpness, scores, bags.starts, pooled, shares)
        return pooled.astype(np.float32)

    def dump(self) -> State:
        """Settings, and the support regions with their coefficients."""
        names = ("C", "kernel", "gamma", "standardise", "tolerance", "rounds", *self.own)
        spec: dict[str, object] = {"settings": settings_of(self, *names)}
        if self._support is None:
            return State(self.name, spec, {})
        arrays = {
            "support": self._support.copy(),
            "coefficients": self._coefficients.copy(),
            "mean": self._standard.mean.copy(),
            "spread": self._standard.spread.copy(),
            "objectives": np.array(self.objectives),
            "gap": np.array(self.gap),
        }
        return State(self.name, spec, arrays)

    @classmethod
    def load(cls, state: State) -> Self:
        """The ranker that was dumped."""
        model = cls(**dict(state.spec["settings"]))
        if "support" in state.arrays:
            arrays = {key: np.array(value, np.float64) for key, value in state.arrays.items()}
            model._support, model._coefficients = arrays["support"], arrays["coefficients"]
            model._standard = Standard(arrays["mean"], arrays["spread"])
            model.objectives = tuple(arrays["objectives"].tolist())
            model.gap = float(arrays["gap"])
            if arrays["coefficients"].shape != arrays["support"].shape[:1]:
                raise InvalidInput(f"state of ranker {cls.name!r}: a coefficient per support row")
        return model


class MIAverage(MultipleInstance):
    """A picture is the mean of its regions."""

    name = "mi-average"
    pooling = kernel.AVERAGE

    def solved(self, program: BagProgram) -> BagSolution:
        """The program solved for it."""
        return bag_program.average(program)


class MIMax(MultipleInstance):
    """A picture is its best region."""

    name = "mi-max"
    pooling = kernel.MAX

    def solved(self, program: BagProgram) -> BagSolution:
        """The program solved for it."""
        return bag_program.maximum(program)


class MISoftmax(MultipleInstance):
    """Better regions count more; `eta` → 0 is the mean, `eta` → ∞ the best region."""

    name = "mi-softmax"
    pooling = kernel.SOFTMAX
    own = ("eta",)

    def __init__(self, *, eta: float = 4.0, **shared: Unpack[InstanceSettings]) -> None:
        if not (eta > 0 and np.isfinite(eta)):
            raise InvalidInput(f"mi-softmax: eta must be a number above 0, not {eta}")
        self.eta = float(eta)
        super().__init__(**shared)

    @property
    def sharpness(self) -> float:
        """η."""
        return self.eta

    def solved(self, program: BagProgram) -> BagSolution:
        """The program solved for it."""
        return bag_program.softmax(program, self.eta)
