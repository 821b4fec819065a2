from __future__ import annotations

import cv2
import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.images.picture import ArrayPicture
from saccade.words import local_features
from saccade.words.local_features import LocalFeatures


def textured(seed: int = 0, width: int = 200, height: int = 150) -> ArrayPicture:
    """Blobs of several sizes on grey: corners and blobs enough for a few dozen features."""
    rng = np.random.default_rng(seed)
    canvas = np.full((height, width, 3), 128, np.uint8)
    for _ in range(60):
        centre = (int(rng.integers(width)), int(rng.integers(height)))
        colour = tuple(int(value) for value in rng.integers(0, 256, 3))
        corner = (centre[0] + int(rng.integers(4, 25)), centre[1] + int(rng.integers(4, 25)))
        cv2.rectangle(canvas, centre, corner, colour, -1)
    return ArrayPicture(canvas)


def same(one: LocalFeatures, other: LocalFeatures) -> bool:
    return np.array_equal(one.descriptors, other.descriptors) and np.array_equal(
        one.frames, other.frames
    )


def test_a_textured_picture_has_features_inside_it():
    """Every feature lies in the picture and has a scale above nought and an angle below 360."""
    found = local_features.extract(textured())
    x, y, scale, angle = found.frames.T
    assert len(found) > 20
    assert (found.width, found.height) == (200, 150)
    assert ((x >= 0) & (x < 200) & (y >= 0) & (y < 150)).all()
    assert (scale > 0).all()
    assert ((angle >= 0) & (angle < 360)).all()


def test_descriptors_have_unit_length_times_512():
    """RootSIFT has length one, and a byte is 1/512, so lengths are close to 512."""
    sift = np.random.default_rng(0).gamma(0.7, 30.0, (50, 128)).astype(np.float32)
    lengths = np.linalg.norm(local_features.root(sift).astype(float), axis=1)
    assert np.abs(lengths - 512).max() < 12


def test_what_is_kept_of_a_descriptor_is_near_it():
    """Two bits a value: less than an eighth of what drawn values vary by is lost, and only once."""
    sift = np.random.default_rng(0).gamma(0.7, 30.0, (50, 128)).astype(np.float32)
    whole = local_features.root(sift)
    codes = local_features.coded(whole)
    assert codes.shape == (50, 32)
    kept = local_features.decoded(codes)
    lost = ((kept.astype(float) - whole) ** 2).mean() / whole.astype(float).var()
    assert lost < 1 / 8
    assert np.array_equal(local_features.coded(kept), codes)


def test_columns_of_a_byte_a_value_are_read_as_they_are():
    """A store made before there were codes goes on with its descriptors and frames."""
    values = np.random.default_rng(1).integers(0, 256, (3, 128)).astype(np.uint8)
    frames = np.array([[1.3, 2.7, 4.1, 359.9]] * 3, np.float32)
    before = {
        "descriptors": values, "frames": frames,
        "sizes": np.full((3, 2), 640, np.uint16), "offsets": np.array([0, 2, 3]),
    }  # fmt: skip
    one = local_features.unpack(before, 1)
    assert np.array_equal(one.descriptors, values[2:])
    assert np.array_equal(one.frames, frames[2:])
    assert local_features.count(before) == 3
    assert np.array_equal(local_features.descriptors_of(before, slice(0, 2)), values[:2])


def test_a_blank_picture_has_no_features_and_raises_nothing():
    """Nothing to find is an answer, not an error."""
    found = local_features.extract(ArrayPicture(np.full((40, 60, 3), 77, np.uint8)))
    assert len(found) == 0
    assert found.descriptors.shape == (0, 128)
    assert (found.width, found.height) == (60, 40)


def test_a_single_pixel_has_no_features():
    """The smallest picture there is goes through."""
    assert len(local_features.extract(ArrayPicture(np.zeros((1, 1, 3), np.uint8)))) == 0


def test_a_smaller_cap_keeps_the_strongest():
    """The first ten of all features are the features of a cap of ten."""
    picture = textured()
    every = local_features.extract(picture, cap=10_000)
    few = local_features.extract(picture, cap=10)
    assert len(few) == 10
    assert np.array_equal(few.descriptors, every.descriptors[:10])
    assert np.array_equal(few.frames, every.frames[:10])


def test_the_same_picture_twice_gives_the_same_bytes():
    """Extraction is a function of the pixels, whatever OpenCV's threads did."""
    assert same(local_features.extract(textured(3)), local_features.extract(textured(3)))


def test_a_large_picture_is_searched_at_448_pixels():
    """Frames are in pixels of the shrunk picture, whose size is kept beside them."""
    found = local_features.extract(textured(1, width=1280, height=640))
    assert (found.width, found.height) == (448, 224)
    assert found.frames[:, 0].max() < 448


def test_a_cap_of_zero_is_refused():
    """A cap that keeps nothing would make every image blank."""
    with pytest.raises(InvalidInput, match="cap 0"):
        local_features.extract(textured(), cap=0)


def test_packed_features_come_back_image_by_image():
    """Pack and unpack are inverse, with a blank image between two others."""
    first, blank, last = (
        local_features.extract(textured(1)),
        local_features.empty(30, 20),
        local_features.extract(textured(2)),
    )
    arrays = local_features.pack([first, blank, last])
    assert same(local_features.unpack(arrays, 0), first)
    assert len(local_features.unpack(arrays, 1)) == 0
    back = local_features.unpack(arrays, 2)
    assert same(back, last)
    assert (back.width, back.height) == (last.width, last.height)


def test_packing_nothing_gives_empty_arrays():
    """A batch of no images is a batch."""
    arrays = local_features.pack([])
    assert arrays["offsets"].tolist() == [0]
    assert arrays["codes"].shape == (0, 32)


def test_every_packed_array_has_one_row_a_feature():
    """The store gives image i the rows offsets[i]:offsets[i + 1] of every array."""
    arrays = local_features.pack([local_features.extract(textured(1)), local_features.empty(3, 3)])
    total = arrays["offsets"][-1]
    assert {len(array) for name, array in arrays.items() if name != "offsets"} == {total}


def test_unpacking_an_image_that_is_not_there_is_refused():
    """The message says how many there are."""
    with pytest.raises(InvalidInput, match="there are 0"):
        local_features.unpack(local_features.pack([]), 0)
