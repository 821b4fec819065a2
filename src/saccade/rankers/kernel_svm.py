"""The ranking SVM with a kernel, by libsvm on a pair kernel.

A pair (a, b) stands for φ(a) − φ(b) in feature space, so two pairs have the inner product

    K((a, b), (c, d)) = K(a, c) − K(a, d) − K(b, c) + K(b, d)

and the learned score is f(x) = Σ_p β_p (K(a_p, x) − K(b_p, x)). libsvm wants two classes and adds
an intercept: each pair goes in both ways round, as (a, b) with +1 and as (b, a) with −1 and half
the cost, which makes the intercept zero and leaves the optimum as it is.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.kernels import ranksvm as kernel
from saccade.rankers.batch import Standard
from saccade.rankers.checked import Queries
from saccade.rankers.pairs import pairs
from saccade.types import Array, Arrays, Phi, Rows, Scores

KINDS = {"rbf": kernel.RBF, "poly": kernel.POLYNOMIAL}


@dataclass(frozen=True, slots=True, eq=False)
class PairMachine:
    """Support rows (standard scores) with their coefficients, and the kernel's parameters."""

    kind: str
    gamma: float
    degree: int
    support: NDArray[np.float64]
    coefficients: NDArray[np.float64]
    standard: Standard

    def score(self, phi: Phi) -> Scores:
        """Σ coefficient · K(support row, row)."""
        out = np.empty(len(phi))
        rows = self.standard.apply(phi)
        kernel.kernel_scores(
            KINDS[self.kind], self.gamma, self.degree, rows, self.support, self.coefficients, out
        )
        scores: Scores = out.astype(np.float32)
        return scores

    def arrays(self) -> dict[str, Array]:
        """The machine as named arrays."""
        return {
            "support": self.support.copy(),
            "coefficients": self.coefficients.copy(),
            "mean": self.standard.mean.copy(),
            "spread": self.standard.spread.copy(),
            "gamma": np.array(self.gamma),
        }

    @classmethod
    def of(cls, kind: str, degree: int, arrays: Arrays) -> PairMachine:
        """The machine that `arrays` came from."""
        support, coefficients, mean, spread = (
            np.array(arrays[key], np.float64)
            for key in ("support", "coefficients", "mean", "spread")
        )
        standard = Standard(mean, spread)
        return cls(kind, float(arrays["gamma"]), degree, support, coefficients, standard)


def pair_kernel(gram: NDArray[np.float64], winners: Rows, losers: Rows) -> NDArray[np.float64]:
    """Inner products of all pairs in feature space, [p, p]."""
    half = gram[winners] - gram[losers]
    products: NDArray[np.float64] = half[:, winners] - half[:, losers]
    return products


def fit(
    queries: Queries,
    standard: Standard,
    *,
    kind: str,
    C: float,
    gamma: float,
    degree: int,
    limit: int,
    seed: int,
) -> PairMachine:
    """Learn from at most about `limit` pairs; `C` weighs the mean loss of a pair."""
    from sklearn.svm import SVC

    winners, losers = pairs(queries, limit=limit, rng=np.random.default_rng(seed))
    used, places = np.unique(np.concatenate([winners, losers]), return_inverse=True)
    winners, losers = places[: len(winners)], places[len(winners) :]
    rows = standard.apply(queries.phi[used])
    gamma = gamma or 1.0 / rows.shape[1]
    one_way = pair_kernel(kernel.gram(KINDS[kind], gamma, degree, rows), winners, losers)
    both_ways = np.block([[one_way, -one_way], [-one_way, one_way]])
    labels = np.repeat([1, -1], len(winners))
    machine = SVC(C=0.5 * C / len(winners), kernel="precomputed", tol=1e-5)
    machine.fit(both_ways, labels)
    # dual_coef_ is label · alpha; the second way round has its sign in the kernel already.
    beta = np.zeros(2 * len(winners))
    beta[machine.support_] = machine.dual_coef_[0]
    beta = beta[: len(winners)] - beta[len(winners) :]
    coefficients = np.zeros(len(used))
    np.add.at(coefficients, winners, beta)
    np.add.at(coefficients, losers, -beta)
    nonzero = coefficients != 0.0
    return PairMachine(kind, gamma, degree, rows[nonzero], coefficients[nonzero], standard)
