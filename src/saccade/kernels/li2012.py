"""Twelve bag-of-words ranking features of one field, for one query and every image, in one pass.

Formulas are in `saccade.features.li2012`. Postings come word by word: those of the query word i are
`images[starts[i]:ends[i]]` and `counts[...]`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

MEASURES = 12


@njit(cache=True, nogil=True)
def add_shared_words(
    starts: Any,
    ends: Any,
    images: Any,
    counts: Any,
    query: Any,
    idf: Any,
    share: Any,
    saturation: Any,
    lengths: Any,
    distinct: Any,
    weight: Any,
    mass: Any,
    discount: Any,
    out: Any,
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
    query_norm: Any,
    query_length: Any,
    norms: Any,
    lengths: Any,
    distinct: Any,
    weight: Any,
    mass: Any,
    discount: Any,
    out: Any,
) -> None:
    """Turn the sums into features: norms for the cosine, the parts of absent words, the length."""
    for image in range(out.shape[0]):
        size = query_norm * norms[image]
        out[image, 0] = out[image, 0] / size if size > 0.0 else 0.0
        length = max(lengths[image], 1.0)
        kept = discount * max(distinct[image], 1.0) / length
        out[image, 2] += query_length * np.log(weight)
        out[image, 3] += query_length * np.log(mass / (lengths[image] + mass))
        out[image, 4] += query_length * np.log(kept)
        out[image, 11] = lengths[image]
