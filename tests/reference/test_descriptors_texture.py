"""Texture and shape descriptors against slow, obvious numpy and against other libraries."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
from skimage.feature import local_binary_pattern

from saccade.descriptors.edge_directions import CENTRE, EdgeDirections
from saccade.descriptors.lbp import BINS, LocalBinaryPatterns
from saccade.images.picture import ArrayPicture
from saccade.kernels.lbp import pattern_counts


def photo(seed: int, height: int = 48, width: int = 66) -> ArrayPicture:
    """Smooth shapes with some noise, flat in places."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 256, (height // 8 + 1, width // 8 + 1, 3)).astype(np.uint8)
    pixels = cv2.resize(coarse, (width, height), interpolation=cv2.INTER_CUBIC)
    noisy = np.clip(pixels + rng.integers(-15, 15, pixels.shape), 0, 255).astype(np.uint8)
    noisy[: height // 3] = pixels[: height // 3]
    noisy[:4, :9] = 128
    return ArrayPicture(noisy)


@pytest.mark.parametrize("seed", range(4))
def test_patterns_are_those_of_scikit_image(seed):
    """Bin by bin, up to their order, the counts of `nri_uniform` in the inner pixels."""
    gray = photo(seed).gray
    theirs = local_binary_pattern(gray, 8, 1, "nri_uniform")[1:-1, 1:-1].astype(int)
    plain = local_binary_pattern(gray, 8, 1, "default")[1:-1, 1:-1].astype(int)
    # The two numberings of the same pixels say which of their bins is which of ours.
    ours_by_theirs = np.full(59, -1)
    ours_by_theirs[theirs] = BINS[plain]
    counts = np.bincount(BINS, weights=pattern_counts(gray), minlength=59)
    present = np.unique(theirs)
    assert len(set(ours_by_theirs[present])) == len(present)
    np.testing.assert_array_equal(
        counts[ours_by_theirs[present]], np.bincount(theirs.ravel(), minlength=59)[present]
    )


def test_the_vector_grows_with_the_share_of_its_pattern():
    """Within a group of patterns, a larger share gives a larger value."""
    picture = photo(9)
    counts = np.bincount(BINS, weights=pattern_counts(picture.gray), minlength=59)
    vector = LocalBinaryPatterns().describe([picture])[0]
    for lit in range(7):
        part = np.s_[1 + 8 * lit : 9 + 8 * lit]
        np.testing.assert_array_equal(
            np.argsort(counts[part], kind="stable"), np.argsort(vector[part], kind="stable")
        )


@pytest.mark.parametrize("seed", range(3))
def test_edge_shares_are_those_of_opencv_filters(seed):
    """The five filters applied by OpenCV, the strongest counted in 3 × 3 cells."""
    picture = photo(seed, 46, 70)
    kernels = [
        [[1, -1], [1, -1]],
        [[1, 1], [-1, -1]],
        [[2**0.5, 0], [0, -(2**0.5)]],
        [[0, 2**0.5], [-(2**0.5), 0]],
        [[2, -2], [-2, 2]],
    ]
    gray = picture.gray.astype(np.float32)
    responses = np.stack(
        [
            np.abs(cv2.filter2D(gray, -1, np.array(kernel, np.float32), anchor=(0, 0)))[:-1, :-1]
            for kernel in kernels
        ]
    )
    kinds = np.where(responses.max(axis=0) >= 8, responses.argmax(axis=0), 5)
    vector = EdgeDirections().describe([picture])[0].astype(np.float64)
    cells = (2 * vector[30:].reshape(3, 3, 5) + CENTRE) ** 2
    for i, band in enumerate(np.split(kinds, 3)):
        for j, cell in enumerate(np.split(band, 3, axis=1)):
            expected = [(cell == kind).mean() for kind in range(5)]
            np.testing.assert_allclose(cells[i, j], expected, atol=1e-5)
