"""LocalBinaryPatterns: 58 uniform patterns and the rest."""

from __future__ import annotations

import numpy as np

from saccade.descriptors.lbp import BINS, LocalBinaryPatterns
from saccade.images.picture import ArrayPicture


def picture(gray: np.ndarray) -> ArrayPicture:
    return ArrayPicture(np.repeat(gray.astype(np.uint8)[:, :, None], 3, axis=2))


def noise(seed: int, low: int = 0, high: int = 200) -> np.ndarray:
    return np.random.default_rng(seed).integers(low, high, (50, 70))


def changes(pattern: int) -> int:
    bits = [pattern >> i & 1 for i in range(8)]
    return sum(bits[i] != bits[i - 1] for i in range(8))


def test_uniform_patterns_have_a_bin_each_and_the_rest_share_one():
    """58 patterns change at most twice around the circle."""
    uniform = [p for p in range(256) if changes(p) <= 2]
    assert sorted(BINS[uniform]) == list(range(58))
    assert {BINS[p] for p in range(256) if changes(p) > 2} == {58}


def test_adding_light_changes_nothing():
    """Only the order of neighbours counts."""
    gray = noise(1)
    describe = LocalBinaryPatterns().describe
    np.testing.assert_array_equal(describe([picture(gray)]), describe([picture(gray + 50)]))


def test_mirroring_moves_patterns_within_their_number_of_lit_neighbours():
    """A mirrored pattern has as many lit neighbours, starting elsewhere."""
    gray = noise(2)
    first, second = LocalBinaryPatterns().describe([picture(gray), picture(gray[:, ::-1])])
    for lit in range(1, 8):
        part = np.s_[1 + 8 * (lit - 1) : 1 + 8 * lit]
        np.testing.assert_allclose(np.sort(first[part]), np.sort(second[part]), atol=1e-5)
    np.testing.assert_allclose(first[[0, 57, 58]], second[[0, 57, 58]], atol=1e-5)


def test_a_flat_picture_has_one_pattern():
    """Every neighbour is as bright as the centre: all eight are lit, everywhere."""
    vector = LocalBinaryPatterns().describe([picture(np.full((9, 9), 128))])[0]
    assert vector.argmax() == 57
    assert np.delete(vector, 57).max() < 0


def test_a_picture_without_inner_pixels_is_described():
    """One row of pixels has no pixel with eight neighbours: the row is repeated."""
    vectors = LocalBinaryPatterns().describe([picture(noise(3)[:1]), picture(noise(3)[:2, :2])])
    assert np.isfinite(vectors).all()
