"""Twelve bag-of-words ranking features of one field, for one query and every image, in one pass.

Formulas are in `saccade.features.li2012`. Postings come word by word: those of the query word i are
`images[starts[i]:ends[i]]` and `counts[...]`.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

MEASURES = 12


@njit(cache=True, nogil=True)
def add_shared_words(
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
    images: NDArray[np.int32],
    counts: NDArray[np.int32],
    query: NDArray[np.float64],
    idf: NDArray[np.float64],
    share: NDArray[np.float64],
    saturation: NDArray[np.float64],
    lengths: NDArray[np.float64],
    distinct: NDArray[np.float64],
    weight: float,
    mass: float,
    discount: float,
    out: NDArray[np.float64],
) -> None:
    """Sum over the words that query and image share, into `out` [n, 12], which starts at zero."""
    for i in range(starts.shape[0]):
        q, rarity, common = query[i], idf[i], share[i]
        for j in range(starts[i], ends[i]):
            image, count = images[j], np.float64(counts[j])
            sums = out[image]
            sums[0] += q * rarity * rarity * count
            sums[1] += q * rarity * count / (count + saturation[image])
            blend = (1.0 - weight) * count / (weight * lengths[image] * common)
            sums[2] += q * np.log1p(blend)
            sums[3] += q * np.log1p(count / (mass * common))
            sums[4] += q * np.log1p((count - discount) / (discount * distinct[image] * common))
            sums[5] += 1.0
            sums[6] += count
            sums[7] += rarity
            sums[8] += count * rarity
            sums[9] = max(sums[9], count)
            sums[10] = max(sums[10], rarity)


@njit(cache=True, nogil=True)
def finish(
    query_norm: float,
    query_length: float,
    norms: NDArray[np.float64],
    lengths: NDArray[np.float64],
    distinct: NDArray[np.float64],
    weight: float,
    mass: float,
    discount: float,
    out: NDArray[np.float64],
) -> None:
    """Turn the sums into features: norms for the cosine, the parts of absent words, the length."""
    for image in range(out.shape[0]):
        size = query_norm * norms[image]
        out[image, 0] = out[image, 0] / size if size > 0.0 else 0.0
        length = max(lengths[image], 1.0)
        unseen = discount * max(distinct[image], 1.0) / length
        out[image, 2] += query_length * np.log(weight)
        out[image, 3] += query_length * np.log(mass / (lengths[image] + mass))
        out[image, 4] += query_length * np.log(unseen)
        out[image, 11] = lengths[image]
