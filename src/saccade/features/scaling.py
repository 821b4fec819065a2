"""Similarities made comparable: how unusual is this one for this query?

    z = (s - mean_a s(q, a)) / std_a s(q, a)        over a fixed sample of anchors a
    t = (z - 3) / 5
    φ = 1/2 + 1/2 · t / sqrt(1 + t^2)               in (0, 1), strictly increasing in s

Raw similarities live on different scales (two LBP histograms are rarely below 0.9, two embeddings
rarely above 0.7), and a query in a dense corner of one descriptor is close to everything there. The
uniform sum of raw values is the sum of the widest; measured against anchors every scheme has the
same say. The anchors belong to the collection, so the parts of a collection agree on φ.

A typical image has φ about 0.24, one that stands out by three standard deviations 0.5. The bend
keeps φ in range without ties, and gives differences among the similar more room than among the
rest.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from saccade.features.similarities import SIMILARITIES
from saccade.types import Phi, Rows, Scheme

ANCHORS = 512
SHIFT, SPREAD = 3.0, 5.0

# Below this, a scheme says the same about every anchor: there is nothing to measure against.
_FLAT = 1e-7


def choose_anchors(alive: NDArray[np.bool_], *, seed: int = 0) -> Rows:
    """A sample of the living rows, the same for the same collection."""
    rows: Rows = np.flatnonzero(alive).astype(np.int64)
    if len(rows) <= ANCHORS:
        return rows
    return np.sort(np.random.default_rng(seed).choice(rows, ANCHORS, replace=False))


def standard(raw: Phi, schemes: Sequence[Scheme]) -> dict[str, NDArray[np.float32]]:
    """Offset and slope of t for every similarity of every descriptor, from anchors' raw values."""
    if not len(raw):  # the query is the only image there is
        raw = np.zeros((1, len(schemes)), np.float32)
    mean, spread = raw.mean(0, dtype=np.float64), raw.std(0, dtype=np.float64)
    slope = np.where(spread > _FLAT, 1.0 / (SPREAD * np.maximum(spread, _FLAT)), 0.0)
    scale: dict[str, NDArray[np.float32]] = {}
    for column, scheme in enumerate(schemes):
        slots = scale.setdefault(scheme.descriptor, np.zeros((4, 2), np.float32))
        place = SIMILARITIES.index(scheme.similarity)
        slots[place] = (-mean[column] * slope[column] - SHIFT / SPREAD, slope[column])
    return scale


def bend(values: NDArray[np.float32], factors: NDArray[np.float32]) -> NDArray[np.float32]:
    """φ of raw values of one scheme by its (offset, slope): what the dense kernel does inside."""
    t = factors[0] + factors[1] * values
    return np.asarray(0.5 + 0.5 * t / np.sqrt(1.0 + t * t), np.float32)
