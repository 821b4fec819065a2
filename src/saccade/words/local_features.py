"""Image → its local features: RootSIFT descriptors and where they were found.

    r = sqrt(s / sum(s))          s: the 128 SIFT values of one spot; so |r| = 1 and 0 <= r_i <= 1
    d = min(255, round(512 r))    what is kept, one byte a value

The dot product of two r is the Hellinger kernel of two s (Arandjelović & Zisserman, CVPR 2012), so
plain Euclidean distance on them suits k-means. Of the picture, shrunk to 640 px, the strongest
spots are kept; ties go to the upper, then the left one. Bytes are enough: a vocabulary can be
trained and changed later without reading a pixel again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.errors import InvalidInput
from saccade.kernels.ragged import offsets_of
from saccade.types import Arrays

DIMENSION = 128
SIDE = 640
"""Longer side of the picture that is searched for features."""
CAP = 600
"""Features kept of one picture, the strongest first."""
VERSION = "rootsift-1"
"""Changes whenever the values change."""

_SCALE = 512.0

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
    found = np.array(
        [(*point.pt, point.size, point.angle, point.response) for point in keypoints], np.float32
    )
    x, y, scale, angle, response = found.T
    # OpenCV keeps every point as strong as the last one, in an order of its threads' making.
    order = np.lexsort((angle, scale, x, y, -response))[:cap]
    frames = np.ascontiguousarray(found[order, :4])
    frames[:, 3] %= 360.0
    return LocalFeatures(root(values[order]), frames, width, height)


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


def pack(features: Sequence[LocalFeatures]) -> dict[str, NDArray[Any]]:
    """Many images as plain arrays: values end to end, image i at offsets[i]:offsets[i + 1].

    descriptors uint8 [total, 128], frames float32 [total, 4], sizes uint16 [total, 2] (width and
    height, the same for every feature of an image), offsets int64 [n + 1]. One row per feature in
    every array: the layout in which the store keeps what is ragged.
    """
    none = empty(0, 0)
    counts = np.array([len(one) for one in features], np.int64)
    sizes = np.array([(one.width, one.height) for one in features], np.uint16).reshape(-1, 2)
    return {
        "descriptors": np.concatenate([none.descriptors, *(one.descriptors for one in features)]),
        "frames": np.concatenate([none.frames, *(one.frames for one in features)]),
        "sizes": np.repeat(sizes, counts, axis=0),
        "offsets": offsets_of(counts),
    }


def unpack(arrays: Arrays, i: int) -> LocalFeatures:
    """Image `i` of packed arrays, as views of them; one without features has size 0 × 0 here."""
    offsets = arrays["offsets"]
    if not 0 <= i < len(offsets) - 1:
        raise InvalidInput(f"image {i} of packed features: there are {len(offsets) - 1}")
    start, stop = int(offsets[i]), int(offsets[i + 1])
    width, height = arrays["sizes"][start].tolist() if stop > start else (0, 0)
    return LocalFeatures(
        arrays["descriptors"][start:stop], arrays["frames"][start:stop], width, height
    )
