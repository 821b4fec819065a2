"""A picture cut into regions, as numbers: what they look like, where they are, how large.

    vectors  [r, 201]      colour correlogram, moments and Gabor texture (the paper's features)
    masks    [r, 64, 64]   where it is; a cell belongs to the region that has most of it
    boxes    [r, 4]        top, left, bottom, right as shares of the picture
    areas    [r]           share of the picture

A picture that is one even field has one region at least: every picture can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.kernels.ragged import offsets_of
from saccade.types import Array, Arrays

SIDE = 64
"""Cells of a mask a side, whatever the picture's shape."""
WIDTH = 201
"""Columns of the features."""

Floats = NDArray[np.float32]
Masks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """The regions of one picture, largest first."""

    vectors: Floats
    masks: Masks
    boxes: Floats
    areas: Floats

    def __len__(self) -> int:
        return len(self.areas)


def cut(picture: Picture) -> Cut:
    """Cut a picture into regions and describe them."""
    import cv2

    from saccade.descriptors.regions import describe_regions
    from saccade.images.regions import regions_of, segment

    cv2.setNumThreads(1)  # one picture is one worker's
    labels = segment(picture)
    height, width = labels.shape
    regions = regions_of(labels)
    boxes = np.array([region.box for region in regions], np.float32)
    return Cut(
        vectors=describe_regions(picture, labels),
        masks=_masks(labels, len(regions)),
        boxes=np.asarray(boxes / [height, width, height, width], np.float32),
        areas=np.array([region.area for region in regions], np.float32),
    )


def pack(some: Sequence[Cut]) -> dict[str, Array]:
    """Several pictures' regions as a column keeps them."""
    nothing = blank()
    out: dict[str, Array] = {"offsets": offsets_of([len(one) for one in some])}
    for name in ("vectors", "boxes", "areas"):
        out[name] = np.concatenate([nothing[name], *(getattr(one, name) for one in some)])
    flat = [np.packbits(one.masks.reshape(len(one), SIDE * SIDE), axis=1) for one in some]
    out["masks"] = np.concatenate([nothing["masks"], *flat])
    return out


def unpack(arrays: Arrays, number: int) -> Cut:
    """One picture's regions out of what `pack` gave."""
    own = slice(int(arrays["offsets"][number]), int(arrays["offsets"][number + 1]))
    bits = np.unpackbits(np.asarray(arrays["masks"][own]), axis=1)
    return Cut(
        vectors=np.asarray(arrays["vectors"][own]),
        masks=bits.reshape(-1, SIDE, SIDE).astype(np.bool_),
        boxes=np.asarray(arrays["boxes"][own]),
        areas=np.asarray(arrays["areas"][own]),
    )


def blank() -> dict[str, Array]:
    """The arrays of no region at all."""
    return {
        "offsets": np.zeros(1, np.int64),
        "vectors": np.zeros((0, WIDTH), np.float32),
        "masks": np.zeros((0, SIDE * SIDE // 8), np.uint8),
        "boxes": np.zeros((0, 4), np.float32),
        "areas": np.zeros(0, np.float32),
    }


def _masks(labels: NDArray[np.int32], count: int) -> Masks:
    import cv2

    size = (SIDE, SIDE)
    shares = np.stack(
        [
            cv2.resize((labels == i).astype(np.float32), size, interpolation=cv2.INTER_AREA)
            for i in range(count)
        ]
    )
    masks: Masks = shares.argmax(axis=0)[None] == np.arange(count)[:, None, None]
    for number in np.flatnonzero(~masks.any(axis=(1, 2))):
        # Thinner than a cell everywhere: it has the cell it fills best.
        place = np.unravel_index(int(shares[number].argmax()), size)
        masks[:, place[0], place[1]] = False
        masks[number, place[0], place[1]] = True
    return masks
