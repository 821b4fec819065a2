"""From 1280 values at a position to 256 numbers of 4 and 2 bits, and back to any direction's score.

    x_p = m_p / ‖mean of m‖                           a position, on the scale of the embedding
    z_p = P (x_p − centre),   level_k = ⌊z_k⌋ + half,  clipped to 4 bits (the first 64) or 2
    w · x_p ≈ w · centre + (R' w) · (level_p − half + ½)

P and R are of the least expected squared error of w · x over positions x and directions w: with
C_w = Σ w w' and C_x the covariance of positions, the best rank of C_w^½ C_x^½ (its first singular
vectors). Directions are of three kinds, each counted by its share of the trace: the classifier's
rows around their mean (twice), those of a diagonal discriminant between pictures (the embeddings'
covariance divided by their variances on both sides), and any (the unit matrix).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from quantise import open_model

Floats = NDArray[np.float64]

FINE, COARSE = 64, 192
"""Numbers of 4 bits, then of 2: 80 bytes a position."""
_SHARES = (2.0, 1.0, 1.0)
_RIDGE = 0.1
_STEPS = np.linspace(0.2, 1.6, 71)
_SAMPLE = 20_000


def maps(model: bytes, pictures: NDArray[np.uint8]) -> NDArray[np.uint8]:
    """The levels of every position, [n, 49, 1280]."""
    session = open_model(model)
    found = np.empty((len(pictures), 49, 1280), np.uint8)
    for start in range(0, len(pictures), 4):
        part = np.ascontiguousarray(pictures[start : start + 4])
        (levels,) = session.run(["map"], {"image": part})
        found[start : start + len(part)] = levels.reshape(len(part), 49, 1280)
    return found


def projection(levels: NDArray[np.uint8], head: Floats) -> dict[str, NDArray[Any]]:
    """`encoder` [256, 1280], `decoder` [1280, 256] as halves, `centre` [1280], `steps` [256]."""
    centre, between, within = _statistics(levels)
    rows = head - head.mean(axis=0)
    variance = np.diag(between)
    lift = 1 / (variance + _RIDGE * variance.mean())
    kinds = (rows.T @ rows, lift[:, None] * between * lift, np.eye(len(variance)))
    directions = sum(s * k / np.trace(k) for s, k in zip(_SHARES, kinds, strict=True))
    root, inverse = _roots(np.asarray(directions))
    spread, _ = _roots(between + within)
    vectors = np.linalg.svd(root @ spread)[0][:, : FINE + COARSE]
    encoder, decoder = vectors.T @ root, inverse @ vectors
    # Two positions drawn at random lie 2 apart, squared, on average: a scale to learn on.
    size = np.sqrt(np.trace(encoder @ (between + within) @ encoder.T))
    encoder, decoder = encoder / size, decoder * size
    steps = _steps(encoder, centre, levels)
    return {
        "encoder": (encoder / steps[:, None]).astype(np.float16),
        "decoder": (decoder * steps).astype(np.float16),
        "centre": centre.astype(np.float32),
        "steps": steps.astype(np.float32),
    }


def scaled(levels: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Positions on the scale of the embedding: each picture's mean has length 1."""
    values = levels.astype(np.float32)
    lengths = np.linalg.norm(values.mean(axis=1), axis=1)
    return values / np.maximum(lengths, 1e-9)[:, None, None]


def _statistics(levels: NDArray[np.uint8]) -> tuple[Floats, Floats, Floats]:
    """Mean and covariance of pictures' means, and covariance of positions around them."""
    total = np.zeros(levels.shape[2])
    between, within = (np.zeros((len(total), len(total))) for _ in range(2))
    for start in range(0, len(levels), 50):
        values = scaled(levels[start : start + 50])
        means = values.mean(axis=1)
        gaps = (values - means[:, None]).reshape(-1, len(total))
        total += means.sum(axis=0, dtype=np.float64)
        between += means.T @ means
        within += gaps.T @ gaps
    centre = total / len(levels)
    covariance = between / len(levels) - np.outer(centre, centre)
    return centre, covariance, within / (len(levels) * levels.shape[1])


def _roots(matrix: Floats) -> tuple[Floats, Floats]:
    """The symmetric square root and its inverse."""
    values, vectors = np.linalg.eigh(matrix)
    sizes = np.sqrt(np.maximum(values, values.max() * 1e-9))
    return (vectors * sizes) @ vectors.T, (vectors / sizes) @ vectors.T


def _steps(encoder: Floats, centre: Floats, levels: NDArray[np.uint8]) -> Floats:
    """For each number the width of a level that costs the least squares over a sample."""
    per = max(1, len(levels) * levels.shape[1] // _SAMPLE)
    values = scaled(levels).reshape(-1, levels.shape[2])[::per].astype(np.float64)
    numbers = (values - centre) @ encoder.T
    steps = np.empty(len(encoder))
    for k, own in enumerate(numbers.T):
        half = 8 if k < FINE else 2
        tried = own.std() * _STEPS * (0.5 if half == 8 else 1.0)
        read = np.clip(np.floor(own / tried[:, None]), -half, half - 1) + 0.5
        steps[k] = tried[np.argmin(((read * tried[:, None] - own) ** 2).sum(axis=1))]
    return steps
