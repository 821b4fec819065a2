"""Which answer would teach an attribute most: expected information about its direction.

After labels with vectors V the direction is known in their span and open outside it. With the prior
w ~ N(ŵ, I) and noise λ on every label the scores of candidates X have the covariance

    R = X X' − X V' (V V' + λ I)⁻¹ V X'

A pair (i, j) has the mean μ = (f_i − f_j) / ρ and the variance σ² = R_ii + R_jj − 2 R_ij; a
picture, against the nearest threshold b, μ = (f_i − b) / ρ and σ² = R_ii. An answer then tells

    h(Φ(μ / √(1 + σ²))) − c / √(σ² + c²) · exp(−μ² / 2(σ² + c²))   bits,   c² = π ln 2 / 2

(Houlsby et al., "Bayesian active learning for classification and preference learning", 2011): high
where the order is open *and* the pair is unlike those already asked about.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from saccade.rankers.checked import finite

Floats = NDArray[np.float64]

_C2 = 0.5 * np.pi * np.log(2.0)


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """A question by positions among the candidates: a pair, or a picture where `second` is None."""

    first: int
    second: int | None
    bits: float


def information(mean: ArrayLike, variance: ArrayLike) -> Floats:
    """Bits that a yes-or-no answer is expected to tell about w, for normal margins.

    >>> information([0.0, 0.0, 5.0], [9.0, 0.0, 1.0]).round(3)
    array([0.671, 0.   , 0.001])
    """
    from scipy.special import entr, ndtr

    mu, spread = np.asarray(mean, np.float64), np.asarray(variance, np.float64)
    p = ndtr(mu / np.sqrt(1.0 + spread))
    open_question = (entr(p) + entr(1.0 - p)) / np.log(2.0)
    noise = np.sqrt(_C2 / (spread + _C2)) * np.exp(-0.5 * mu**2 / (spread + _C2))
    bits: Floats = np.maximum(0.0, open_question - noise)
    return bits


def uncertainty(rows: ArrayLike, labelled: ArrayLike, *, noise: float = 0.1) -> Floats:
    """Covariance of the candidates' scores given the vectors of the labels so far, [m, m]."""
    from scipy.linalg import cholesky, solve_triangular

    X = finite(rows).astype(np.float64)
    covariance: Floats = X @ X.T
    V = np.asarray(labelled, np.float64)
    if len(V):
        lower = cholesky(V @ V.T + noise * np.eye(len(V)), lower=True)
        explained = solve_triangular(lower, V @ X.T, lower=True)
        covariance = covariance - explained.T @ explained
    return covariance


def suggest(
    rows: ArrayLike,
    scores: ArrayLike,
    labelled: ArrayLike,
    *,
    margin: float = 4.0,
    thresholds: ArrayLike | None = None,
    pairs: bool = True,
    avoid: Collection[tuple[int, int | None]] = (),
    count: int = 1,
) -> tuple[OpenQuestion, ...]:
    """The `count` questions about candidates that would tell most, best first.

    `rows` [m, d] and `scores` [m] are the candidates' vectors and their scores so far, `labelled`
    the vectors of the labels so far (pictures, and differences of pairs), `margin` the learner's ρ,
    the unit in which scores are read. With `thresholds` pictures are asked about too ("has it or
    not?"). Questions to `avoid` are those skipped before; a pair either way round.
    """
    values = np.asarray(scores, np.float64) / margin
    covariance = uncertainty(rows, labelled)
    own = np.diag(covariance)
    candidates: list[tuple[Floats, NDArray[np.int64], NDArray[np.int64]]] = []
    if pairs:
        first, second = np.triu_indices(len(values), 1)
        variance = own[first] + own[second] - 2.0 * covariance[first, second]
        pair_bits = information(values[first] - values[second], np.maximum(0.0, variance))
        candidates.append((pair_bits, first, second))
    edges = np.asarray([] if thresholds is None else thresholds, np.float64) / margin
    if len(edges):
        away = values[:, None] - edges
        nearest = np.take_along_axis(away, np.abs(away).argmin(axis=1)[:, None], axis=1)[:, 0]
        every = np.arange(len(values))
        candidates.append(
            (information(nearest, np.maximum(0.0, own)), every, np.full_like(every, -1))
        )
    shunned = {(min(pair), max(pair)) for pair in map(_positions, avoid)}
    questions: list[OpenQuestion] = []
    if not candidates:
        return ()
    bits, firsts, seconds = (np.concatenate(part) for part in zip(*candidates, strict=True))
    for at in np.argsort(-bits, kind="stable"):
        one, other = int(firsts[at]), int(seconds[at])
        if len(questions) == count:
            break
        if (min(one, other), max(one, other)) not in shunned:
            questions.append(OpenQuestion(one, None if other < 0 else other, float(bits[at])))
    return tuple(questions)


def _positions(question: tuple[int, int | None]) -> tuple[int, int]:
    first, second = question
    return first, -1 if second is None else second
