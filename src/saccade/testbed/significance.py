"""Is one run better than another on the same queries, or is it luck.

    randomisation   the share of sign flips of the differences whose mean is at least as far from 0
                    as the observed one: (hits + 1) / (flips + 1), or all 2^n flips where few
    t-test          mean / (deviation / sqrt(n)) against Student's t with n - 1 degrees of freedom

Both are two-sided and paired (Smucker, Allan & Carterette 2007 compare them for retrieval).

    interval        of a mean, 95%: the percentiles of its bootstrap, or for few values Student's,
                    since a bootstrap of few is too narrow
    share           of so many cases, 95%: Clopper and Pearson's, with the exact binomial test
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.errors import InvalidInput

EXACT_UP_TO = 14  # pairs: 16,384 flips are listed rather than drawn
FLIPS_FROM = 6  # values: with fewer no flip of signs can have a p below .05
BOOTSTRAP_FROM = 20  # values
RESAMPLES = 2_000
LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class Estimate:
    """A mean of so many values with its 95% interval, and the p-value of its being nought."""

    effect: float
    low: float
    high: float
    p: float
    n: int

    @property
    def sign(self) -> int:
        """+1 or −1 where both the interval and p say that the mean is not nought, else 0."""
        if self.p >= LEVEL or self.low <= 0.0 <= self.high:
            return 0
        return 1 if self.effect > 0 else -1


def estimate(values: ArrayLike, *, seed: int = 0) -> Estimate:
    """Of values that are independent of each other: differences of queries, folds, rounds.

    >>> found = estimate([0.1, 0.2, 0.15, 0.12, 0.18, 0.16])
    >>> round(found.effect, 3), found.sign, found.n
    (0.152, 1, 6)
    """
    numbers = np.asarray(values, np.float64)
    numbers = numbers[np.isfinite(numbers)]
    if len(numbers) < 2:
        raise InvalidInput(f"{len(numbers)} values: an interval needs two or more")
    low, high = _interval(numbers, seed)
    # Where all are equal Student's t is infinite: flips alone say how much their number tells.
    few = len(numbers) < FLIPS_FROM and np.ptp(numbers) > 0
    p = t_test(numbers) if few else randomisation(numbers, seed=seed)
    return Estimate(float(numbers.mean()), low, high, p, len(numbers))


def share_below(hits: int, cases: int, bar: float) -> Estimate:
    """By how much a share of cases lies below a bar: 0 of 60 is no proof of less than 1%.

    >>> share_below(0, 60, 0.01).sign, share_below(0, 60, 0.10).sign
    (0, 1)
    """
    if cases < 2:
        raise InvalidInput(f"{cases} cases: a share needs two or more")
    from scipy import stats

    test = stats.binomtest(hits, cases, bar)
    interval = test.proportion_ci(1 - LEVEL)
    return Estimate(bar - hits / cases, bar - interval.high, bar - interval.low, test.pvalue, cases)


def _interval(values: NDArray[np.float64], seed: int) -> tuple[float, float]:
    n, mean = len(values), float(values.mean())
    if n < BOOTSTRAP_FROM:
        from scipy import stats

        reach = float(stats.t.ppf(1 - LEVEL / 2, n - 1) * values.std(ddof=1) / np.sqrt(n))
        return mean - reach, mean + reach
    rng = np.random.default_rng(seed)
    means = [values[rng.integers(n, size=(100, n))].mean(axis=1) for _ in range(RESAMPLES // 100)]
    low, high = np.quantile(np.concatenate(means), [LEVEL / 2, 1 - LEVEL / 2])
    return float(low), float(high)


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """One run against another: mean difference, both p-values, and how queries fared."""

    difference: float
    p_randomisation: float
    p_t: float
    wins: int
    ties: int
    losses: int

    @property
    def queries(self) -> int:
        """Queries compared.

        >>> PairedComparison(0.1, 0.04, 0.03, wins=5, ties=2, losses=1).queries
        8
        """
        return self.wins + self.ties + self.losses


def compare(
    run: ArrayLike, other: ArrayLike, *, seed: int, flips: int = 10_000
) -> PairedComparison:
    """Per-query values of two runs, query by query; queries without a value (NaN) are left out.

    >>> comparison = compare(np.array([.6, .7, .8, .9]), np.array([.5, .5, .5, .5]), seed=0)
    >>> round(comparison.difference, 2), comparison.wins, comparison.p_randomisation
    (0.25, 4, 0.125)
    """
    ours, theirs = np.asarray(run, np.float64), np.asarray(other, np.float64)
    if ours.shape != theirs.shape or ours.ndim != 1:
        raise InvalidInput(
            f"runs of {ours.shape} and {theirs.shape} values: both need one value per query"
        )
    gaps = (ours - theirs)[~np.isnan(ours - theirs)]
    if len(gaps) == 0:
        raise InvalidInput("no query has a value in both runs: there is nothing to compare")
    return PairedComparison(
        difference=float(gaps.mean()),
        p_randomisation=randomisation(gaps, seed=seed, flips=flips),
        p_t=t_test(gaps),
        wins=int((gaps > 0).sum()),
        ties=int((gaps == 0).sum()),
        losses=int((gaps < 0).sum()),
    )


def randomisation(gaps: NDArray[np.float64], *, seed: int, flips: int = 10_000) -> float:
    """Two-sided p-value of differences under random signs.

    >>> randomisation(np.array([0.1, 0.2, 0.1, 0.3, 0.2, 0.1]), seed=0) < 0.05
    True
    """
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
    """Two-sided p-value of Student's paired t-test; 1 for equal runs, 0 for a constant gap.

    >>> t_test(np.array([0.1, 0.2, 0.1, 0.3])) < 0.05, t_test(np.zeros(4))
    (True, 1.0)
    """
    from scipy import stats

    n = len(gaps)
    spread = float(gaps.std(ddof=1)) if n > 1 else 0.0
    if spread <= 1e-12 * float(np.abs(gaps).max(initial=0.0)):
        # Without spread t is 0/0 or infinite; one query alone never decides.
        return 1.0 if n < 2 or not gaps.any() else 0.0
    t = float(gaps.mean()) / (spread / np.sqrt(n))
    return float(2.0 * stats.t.sf(abs(t), n - 1))
