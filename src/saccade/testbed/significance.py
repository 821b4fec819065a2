"""Is one run better than another on the same queries, or is it luck.

    randomisation   the share of sign flips of the differences whose mean is at least as far from 0
                    as the observed one: (hits + 1) / (flips + 1), or all 2^n flips where few
    t-test          mean / (deviation / sqrt(n)) against Student's t with n - 1 degrees of freedom

Both are two-sided and paired (Smucker, Allan & Carterette 2007 compare them for retrieval).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput

EXACT_UP_TO = 14  # pairs: 16,384 flips are listed rather than drawn


@dataclass(frozen=True, slots=True)
class Comparison:
    """One run against another: mean difference, both p-values, and how queries fared."""

    difference: float
    p_randomisation: float
    p_t: float
    wins: int
    ties: int
    losses: int

    @property
    def queries(self) -> int:
        """Queries compared."""
        return self.wins + self.ties + self.losses


def compare(
    run: NDArray[Any], other: NDArray[Any], *, seed: int, flips: int = 10_000
) -> Comparison:
    """Per-query values of two runs, query by query; queries without a value (NaN) are left out.

    >>> found = compare(np.array([.6, .7, .8, .9]), np.array([.5, .5, .5, .5]), seed=0)
    >>> round(found.difference, 2), found.wins, found.p_randomisation
    (0.25, 4, 0.125)
    """
    run, other = np.asarray(run, np.float64), np.asarray(other, np.float64)
    if run.shape != other.shape or run.ndim != 1:
        raise InvalidInput(
            f"runs of {run.shape} and {other.shape} values: both need one value per query"
        )
    gaps = (run - other)[~np.isnan(run - other)]
    if len(gaps) == 0:
        raise InvalidInput("no query has a value in both runs: there is nothing to compare")
    return Comparison(
        difference=float(gaps.mean()),
        p_randomisation=randomisation(gaps, seed=seed, flips=flips),
        p_t=t_test(gaps),
        wins=int((gaps > 0).sum()),
        ties=int((gaps == 0).sum()),
        losses=int((gaps < 0).sum()),
    )


def randomisation(gaps: NDArray[np.float64], *, seed: int, flips: int = 10_000) -> float:
    """Two-sided p-value of differences under random signs."""
    n = len(gaps)
    observed = abs(float(gaps.sum()))
    # Sums that differ by rounding alone are equal.
    reach = observed - 1e-12 * max(1.0, float(np.abs(gaps).sum()))
    if n <= EXACT_UP_TO:
        signs = 1 - 2 * ((np.arange(2**n)[:, None] >> np.arange(n)) & 1)
        return float(np.mean(np.abs(signs @ gaps) >= reach))
    rng = np.random.default_rng(seed)
    hits = 0
    for begin in range(0, flips, 1000):
        count = min(1000, flips - begin)
        signs = 1 - 2 * rng.integers(0, 2, size=(count, n), dtype=np.int8)
        hits += int(np.sum(np.abs(signs @ gaps) >= reach))
    return (hits + 1) / (flips + 1)


def t_test(gaps: NDArray[np.float64]) -> float:
    """Two-sided p-value of Student's paired t-test; 1 for equal runs, 0 for a constant gap."""
    from scipy import stats

    n = len(gaps)
    spread = float(gaps.std(ddof=1)) if n > 1 else 0.0
    if spread <= 1e-12 * float(np.abs(gaps).max(initial=0.0)):
        # Without spread t is 0/0 or infinite; one query alone never decides.
        return 1.0 if n < 2 or not gaps.any() else 0.0
    t = float(gaps.mean()) / (spread / np.sqrt(n))
    return float(2.0 * stats.t.sf(abs(t), n - 1))
