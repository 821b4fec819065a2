"""Do the matched features of two images lie in the same arrangement? The geometric check.

    inliers(q, p) = max over T of #{places of q that T maps onto their match in p}

T is a similarity or an affine map. Every match proposes one (two SIFT frames fix a similarity), the
one with most support is fitted again to its supporters: LO-RANSAC with the draw replaced by a try
of all, as the frames allow (Philbin et al., CVPR 2007, section 4). So it needs no seed.

Two features match when they have the same word and their descriptors are near; of several, the
nearest is taken. Without words, a feature matches its nearest descriptor when the second nearest is
clearly further (Lowe's ratio test).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput, UnknownName
from saccade.types import Rows
from saccade.words.local_features import LocalFeatures
from saccade.words.training import plain

MODELS = ("similarity", "affine")
LEAST = 10
"""Inliers from which two images are taken to show the same thing."""
AGREED = 6
"""Inliers from which a match of words is confirmed, if not beyond doubt; with fewer it is refuted.
Of 1,800 pairs of photographs that had so many, on four sets, 1,790 were of one kind
(results/start.md)."""
TOLERANCE = 0.015
"""How far a match may lie from where it should, as a share of the picture's longer side."""

_NEAR = (
    0.8 * 512
)  # largest distance of two descriptors that match; the mean of unrelated ones is 1.0
_RATIO = 0.8
_MOST = 512  # matches tried of one image, those of the strongest features


@dataclass(frozen=True, slots=True, eq=False)
class Placed:
    """An image as the check sees it: its features and the word of each, or None for no words."""

    features: LocalFeatures
    words: NDArray[np.int32] | None = None


def verify(
    query: Placed, candidates: Sequence[Placed], *, model: str = "affine"
) -> NDArray[np.int32]:
    """How many places of the query each candidate shares with it in one arrangement, int32 [n]."""
    from saccade.kernels import geometry

    if model not in MODELS:
        raise UnknownName("transform", model, MODELS)
    inliers = np.zeros(len(candidates), np.int32)
    for i, candidate in enumerate(candidates):
        left, right = match(query, candidate)
        size = max(candidate.features.width, candidate.features.height)
        inliers[i] = geometry.agree(
            plain(query.features.frames),
            plain(candidate.features.frames),
            left[:_MOST],
            right[:_MOST],
            TOLERANCE * size,
            model == "affine",
            np.zeros(min(_MOST, len(left)), np.bool_),
        )
    return inliers


def match(query: Placed, candidate: Placed) -> tuple[Rows, Rows]:
    """Features of the query [m] and the feature of the candidate that each matches [m]."""
    for side in (query, candidate):
        if side.words is not None and len(side.words) != len(side.features):
            raise InvalidInput(
                f"{len(side.words)} words for {len(side.features)} features: there must be one each"
            )
    if query.words is None or candidate.words is None:
        return _by_descriptor(query.features, candidate.features)
    from saccade.kernels import geometry

    left = np.empty(len(query.words), np.int64)
    right = np.empty(len(query.words), np.int64)
    count = geometry.match_words(
        plain(query.words),
        plain(query.features.descriptors),
        plain(candidate.words),
        plain(candidate.features.descriptors),
        np.argsort(candidate.words, kind="stable"),
        _NEAR**2,
        left,
        right,
    )
    return left[:count], right[:count]


def reorder(rows: Rows, inliers: NDArray[np.int32], *, least: int = LEAST) -> Rows:
    """The rows with those confirmed first, most inliers first; all else keeps its order.

    >>> reorder(np.array([4, 9, 2]), np.array([0, 3, 20], np.int32)).tolist()
    [2, 4, 9]
    """
    confirmed = np.where(inliers >= least, inliers, 0)
    return rows[np.argsort(-confirmed, kind="stable")]


def _by_descriptor(query: LocalFeatures, candidate: LocalFeatures) -> tuple[Rows, Rows]:
    if len(query) == 0 or len(candidate) < 2:
        return np.empty(0, np.int64), np.empty(0, np.int64)
    one, other = query.descriptors.astype(np.float32), candidate.descriptors.astype(np.float32)
    gaps = (one**2).sum(1)[:, None] + (other**2).sum(1)[None] - 2 * one @ other.T
    nearest = gaps.argmin(axis=1)
    two = np.partition(gaps, 1, axis=1)[:, :2]
    left = np.flatnonzero((two[:, 0] <= _RATIO**2 * two[:, 1]) & (two[:, 0] <= _NEAR**2))
    return left, nearest[left]
