"""Image → its local features: RootSIFT descriptors and where they were found.

    r = sqrt(s / sum(s))          s: the 128 SIFT values of one spot; so |r| = 1 and 0 <= r_i <= 1
    d = min(255, round(512 r))    one byte a value
    c = which of four levels      what is kept: two bits a value, 32 bytes a spot

The dot product of two r is the Hellinger kernel of two s (Arandjelović & Zisserman, CVPR 2012), so
plain Euclidean distance on them suits k-means. Of the picture, shrunk to 448 px, the strongest
spots are kept; ties go to the upper, then the left one. Two bits are enough: a vocabulary can be
trained and changed later without reading a pixel again, and more pairs of photographs of one
building are confirmed than with spots of a byte a value at 640 px, in a third of the room
(results/indexing.md). Columns that were made so before are read and go on as they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.errors import InvalidInput
from saccade.kernels.ragged import offsets_of
from saccade.types import Array, Arrays, Rows

DIMENSION = 128
SIDE = 448
"""Longer side of the picture that is searched for features."""
CAP = 600
"""Features kept of one picture, the strongest first."""
VERSION = "rootsift-1"
"""Changes whenever values cannot be compared with those from before."""
LEVELS, EDGES = (6, 28, 55, 93), (17, 42, 74)
"""The four values that are told apart, and where one ends and the next begins: those that leave the
least squared error (8% of the variance) on book covers."""

_SCALE = 512.0
_VALUES = np.array(
    [[LEVELS[code >> shift & 3] for shift in (0, 2, 4, 6)] for code in range(256)], np.uint8
)  # the four values of a byte, the first in its low bits

Descriptors = NDArray[np.uint8]  # [n, 128]
Frames = NDArray[np.float32]  # [n, 4]: x, y, scale, angle


@dataclass(frozen=True, slots=True, eq=False)
class LocalFeatures:
    """The local features of one image, strongest first.

    `frames` holds x, y and scale (the diameter of the spot) in pixels of the shrunk picture, whose
    size is `width` × `height`, and the angle in degrees, 0 <= angle < 360.
    """

    descriptors: Descriptors
    frames: Frames
    width: int
    height: int

    def __len__(self) -> int:
        return len(self.descriptors)


def extract(picture: Picture, *, cap: int = CAP, side: int = SIDE) -> LocalFeatures:
    """The strongest `cap` features of a picture; none of a blank one."""
    import cv2

    if cap < 1:
        raise InvalidInput(f"cap {cap}: at least one feature per image must be allowed")
    gray = picture.fit(side).gray
    keypoints, values = cv2.SIFT.create(nfeatures=cap).detectAndCompute(gray, None)
    height, width = gray.shape
    if not keypoints:
        return empty(width, height)
    points = np.array(
        [(*point.pt, point.size, point.angle, point.response) for point in keypoints], np.float32
    )
    x, y, scale, angle, response = points.T
    # OpenCV keeps every point as strong as the last one, in an order of its threads' making.
    order = np.lexsort((angle, scale, x, y, -response))[:cap]
    frames = np.ascontiguousarray(points[order, :4])
    frames[:, 3] %= 360.0
    # As they will be read back: a query is compared as it would be from the store.
    rounded = frames.astype(np.float16).astype(np.float32)
    return LocalFeatures(decoded(coded(root(values[order]))), rounded, width, height)


def empty(width: int, height: int) -> LocalFeatures:
    """A picture in which nothing was found."""
    return LocalFeatures(
        np.zeros((0, DIMENSION), np.uint8), np.zeros((0, 4), np.float32), width, height
    )


def root(sift: NDArray[np.float32]) -> Descriptors:
    """SIFT values [n, 128] as RootSIFT bytes.

    >>> root(np.eye(1, 128, dtype=np.float32) + np.eye(1, 128, 1, dtype=np.float32))[0, :3].tolist()
    [255, 255, 0]
    >>> root(np.ones((1, 128), np.float32))[0, :3].tolist()
    [45, 45, 45]
    """
    mass = np.maximum(sift.sum(axis=1, keepdims=True), np.finfo(np.float32).tiny)
    values: Descriptors = np.minimum(np.rint(_SCALE * np.sqrt(sift / mass)), 255).astype(np.uint8)
    return values


def coded(descriptors: Descriptors) -> NDArray[np.uint8]:
    """Descriptors [n, 128] as their levels, four values a byte, [n, 32].

    >>> coded(np.repeat(np.array([[0, 20, 50, 255]], np.uint8), 32, axis=0).reshape(1, 128))[0, 0]
    np.uint8(228)
    """
    levels = np.zeros(descriptors.shape, np.uint8)
    for edge in EDGES:
        levels += descriptors >= edge
    four = levels.reshape(len(levels), DIMENSION // 4, 4)
    codes = four[:, :, 0] | four[:, :, 1] << 2 | four[:, :, 2] << 4 | four[:, :, 3] << 6
    return codes.astype(np.uint8, copy=False)


def decoded(codes: NDArray[np.uint8]) -> Descriptors:
    """The descriptors [n, 128] of codes [n, 32]: decoded again they stay the same."""
    whole: Descriptors = _VALUES.view(np.uint32)[:, 0][codes].view(np.uint8)
    return whole


def count(arrays: Arrays) -> int:
    """How many features there are in packed arrays."""
    return len(arrays["frames"])


def descriptors_of(arrays: Arrays, which: slice | Rows) -> Descriptors:
    """Some descriptors of packed arrays; those made before there were codes are as they were."""
    if "codes" in arrays:
        return decoded(np.asarray(arrays["codes"][which]))
    return np.asarray(arrays["descriptors"][which])


def pack(features: Sequence[LocalFeatures]) -> dict[str, Array]:
    """Many images as plain arrays: values end to end, image i at offsets[i]:offsets[i + 1].

    codes uint8 [total, 32], frames float16 [total, 4], sizes uint16 [total, 2] (width and
    height, the same for every feature of an image), offsets int64 [n + 1]. One row per feature in
    every array: the layout in which the store keeps what is ragged.
    """
    none = empty(0, 0)
    counts = np.array([len(one) for one in features], np.int64)
    sizes = np.array([(one.width, one.height) for one in features], np.uint16).reshape(-1, 2)
    return {
        "codes": coded(np.concatenate([none.descriptors, *(one.descriptors for one in features)])),
        "frames": np.concatenate([none.frames, *(one.frames for one in features)]).astype(
            np.float16
        ),
        "sizes": np.repeat(sizes, counts, axis=0),
        "offsets": offsets_of(counts),
    }


def unpack(arrays: Arrays, i: int) -> LocalFeatures:
    """Image `i` of packed arrays; one without features has size 0 × 0 here."""
    offsets = arrays["offsets"]
    if not 0 <= i < len(offsets) - 1:
        raise InvalidInput(f"image {i} of packed features: there are {len(offsets) - 1}")
    start, stop = int(offsets[i]), int(offsets[i + 1])
    width, height = arrays["sizes"][start].tolist() if stop > start else (0, 0)
    frames = np.asarray(arrays["frames"][start:stop], np.float32)
    return LocalFeatures(descriptors_of(arrays, slice(start, stop)), frames, width, height)
