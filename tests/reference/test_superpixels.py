"""Superpixels against slow, obvious code, and against scikit-image's SLIC."""

from __future__ import annotations

from collections.abc import Callable

import cv2
import numpy as np
import pytest
from scipy import ndimage
from skimage.segmentation import slic

from saccade.images.picture import ArrayPicture
from saccade.images.regions import superpixels
from saccade.kernels.superpixels import in_one_piece, nearest_means
from saccade.testbed import worlds


def test_each_pixel_goes_to_the_nearest_mean_of_its_nine_cells() -> None:
    """As a loop over pixels and cells finds it, round after round."""
    features = np.random.default_rng(0).random((23, 31, 6), dtype=np.float32)
    rows, columns, rounds = 4, 5, 3
    row = np.arange(23) * rows // 23
    column = np.arange(31) * columns // 31
    cell = row[:, None] * columns + column
    labels = cell.copy()
    for _ in range(rounds):
        means = np.array([features[labels == k].mean(axis=0) for k in range(rows * columns)])
        for y, x in np.ndindex(23, 31):
            around = [
                k
                for k in range(rows * columns)
                if abs(k // columns - row[y]) <= 1 and abs(k % columns - column[x]) <= 1
            ]
            gaps = ((means[around] - features[y, x]) ** 2).sum(axis=1)
            labels[y, x] = around[int(np.argmin(gaps))]
    np.testing.assert_array_equal(nearest_means(features, rows, columns, rounds), labels)


@pytest.mark.parametrize("least", [1, 6, 40])
def test_every_patch_is_one_piece_and_large_enough(least: int) -> None:
    """Connected by its sides, no smaller than asked for, numbered from 0 as it is met."""
    labels = np.random.default_rng(1).integers(0, 3, (40, 50)).astype(np.int32)
    patches = in_one_piece(labels, least)
    numbers, first = np.unique(patches, return_index=True)
    assert numbers.tolist() == list(range(len(numbers)))
    assert (np.diff(first) > 0).all()
    assert np.bincount(patches.ravel()).min() >= least
    assert all(ndimage.label(patches == number)[1] == 1 for number in numbers)


def test_what_is_large_enough_stays_as_it_was() -> None:
    """With a least size of one pixel, patches are the connected areas of each label."""
    labels = np.random.default_rng(2).integers(0, 2, (20, 30)).astype(np.int32)
    patches = in_one_piece(labels, 1)
    areas = sum(ndimage.label(labels == value)[1] for value in (0, 1))
    assert patches.max() + 1 == areas
    assert all(len(np.unique(labels[patches == k])) == 1 for k in range(areas))


def test_a_small_piece_joins_the_neighbour_along_most_of_its_border() -> None:
    """Three sides of the speck touch the right half, one the left."""
    labels = np.zeros((6, 8), np.int32)
    labels[:, 4:] = 1
    labels[2, 4] = 2
    expected = labels.copy()
    expected[2, 4] = 1
    np.testing.assert_array_equal(in_one_piece(labels, 2), expected)


def test_small_pieces_that_touch_only_each_other_end_in_a_large_one() -> None:
    """A speck inside a ring that is too small itself: both join what is around."""
    labels = np.zeros((9, 9), np.int32)
    labels[3:6, 3:6] = 1
    labels[4, 4] = 2
    assert (in_one_piece(labels, 20) == 0).all()


def test_a_picture_smaller_than_a_patch_is_one_patch() -> None:
    """There is nobody to join."""
    assert (in_one_piece(np.zeros((2, 3), np.int32), 50) == 0).all()


def edges(labels: np.ndarray) -> np.ndarray:
    """Pixels with a neighbour below or to the right of another label."""
    found = np.zeros(labels.shape, bool)
    found[:, :-1] |= labels[:, 1:] != labels[:, :-1]
    found[:-1] |= labels[1:] != labels[:-1]
    return found


def by_skimage(lab: np.ndarray) -> np.ndarray:
    """SLIC as scikit-image has it, with settings that give about as many patches as ours."""
    found = slic(
        lab.astype(np.float64), n_segments=300, compactness=0.08, max_num_iter=6, sigma=0.8,
        convert2lab=False, start_label=0, channel_axis=-1,
    )  # fmt: skip
    return np.asarray(np.unique(found, return_inverse=True)[1].reshape(found.shape))


def judged(cut: Callable[[np.ndarray], np.ndarray]) -> tuple[float, float, float]:
    """Over drawn objects: how much of their outline is found, what leaks over it, patches."""
    world = worlds.World(seed=61)
    found, leaked, counts = [], [], []
    for class_name in worlds.CLASSES:
        drawn = world.draw(class_name, 0)
        picture = ArrayPicture(drawn.pixels).fit(256)
        size = picture.rgb.shape[1::-1]
        mask = cv2.resize(drawn.mask.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
        patches = cut(picture.lab)
        near = cv2.dilate(edges(patches).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0
        inside = np.bincount(patches.ravel(), weights=mask.ravel())
        sizes = np.bincount(patches.ravel())
        found.append(near[edges(mask)].mean())
        leaked.append(np.minimum(inside, sizes - inside).sum() / mask.size)
        counts.append(len(sizes))
    return float(np.mean(found)), float(np.mean(leaked)), float(np.mean(counts))


def test_outlines_are_found_as_well_as_by_a_trusted_library() -> None:
    """With about as many patches, more of the outline of drawn objects and less over it."""
    found, leaked, patches = judged(superpixels)
    their_found, their_leaked, their_patches = judged(by_skimage)
    assert patches <= 1.1 * their_patches
    assert found >= their_found
    assert leaked <= their_leaked
