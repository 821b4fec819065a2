"""The regions of one picture as numbers: what they look like, where they are, how large.

    vectors  [r, 201]      colour correlogram, moments and Gabor texture (the paper's features)
    crops    [r, d]        an embedding of each region's box; d is 0 in a store without one
    masks    [r, 64, 64]   where it is; a cell belongs to the region that has most of it
    boxes    [r, 4]        top, left, bottom, right as shares of the picture
    areas    [r]           share of the picture

A picture that is one even field has one region at least: every picture can be compared.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.kernels.ragged import offsets_of
from saccade.types import Arrays, Phi, Pixels

PAPER = "paper"
"""The features of Hu, Li & Yu 2008; others are called by the name of their embedding."""
SIDE = 64
"""Cells of a mask a side, whatever the picture's shape."""
WIDTH = 201
"""Columns of the paper's features."""

Floats = NDArray[np.float32]
Masks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """The regions of one picture, largest first."""

    vectors: Floats
    crops: Floats
    masks: Masks
    boxes: Floats
    areas: Floats

    def __len__(self) -> int:
        return len(self.areas)

    def features(self, kind: str) -> Phi:
        """One row a region on a scale that no collection changes, so that lessons last."""
        if kind == PAPER:
            return np.ascontiguousarray(self.vectors, np.float32)
        lengths = np.sqrt(np.square(self.crops, dtype=np.float32).sum(axis=1, keepdims=True))
        return np.asarray(self.crops / np.maximum(lengths, np.float32(1e-9)), np.float32)


def parts_of(picture: Picture, embedding: str = "") -> Parts:
    """Cut a picture into regions and describe them."""
    import cv2

    from saccade.descriptors.regions import describe_regions
    from saccade.images.regions import regions_of, segment

    cv2.setNumThreads(1)  # one picture is one worker's
    labels = segment(picture)
    height, width = labels.shape
    found = regions_of(labels)
    boxes = np.array([region.box for region in found], np.float32)
    return Parts(
        vectors=describe_regions(picture, labels),
        crops=crops_of(picture, [region.box for region in found], embedding),
        masks=_masks(labels, len(found)),
        boxes=np.asarray(boxes / [height, width, height, width], np.float32),
        areas=np.array([region.area for region in found], np.float32),
    )


def rectangle(picture: Picture, box: tuple[float, float, float, float], embedding: str) -> Parts:
    """One part of a picture that a person drew: top, left, bottom, right as shares of it."""
    from saccade.descriptors.regions import describe_regions
    from saccade.images.picture import ArrayPicture

    height, width = picture.rgb.shape[:2]
    top, left = int(box[0] * height), int(box[1] * width)
    bottom, right = max(top + 1, round(box[2] * height)), max(left + 1, round(box[3] * width))
    pixels: Pixels = np.ascontiguousarray(picture.rgb[top:bottom, left:right])
    whole = np.zeros(pixels.shape[:2], np.int32)
    masks = np.zeros((1, SIDE, SIDE), np.bool_)
    masks[0, int(box[0] * SIDE) : int(np.ceil(box[2] * SIDE))][
        :, int(box[1] * SIDE) : int(np.ceil(box[3] * SIDE))
    ] = True
    return Parts(
        vectors=describe_regions(ArrayPicture(pixels), whole),
        crops=crops_of(picture, [(top, left, bottom, right)], embedding),
        masks=masks,
        boxes=np.array([box], np.float32),
        areas=np.array([(box[2] - box[0]) * (box[3] - box[1])], np.float32),
    )


def crops_of(
    picture: Picture, boxes: Sequence[tuple[int, int, int, int]], embedding: str
) -> Floats:
    """The embedding of each box, [r, d]; no columns without an embedding."""
    from saccade.engine.sources.dense import descriptor_of
    from saccade.images.picture import ArrayPicture

    if not embedding:
        return np.zeros((len(boxes), 0), np.float32)
    pieces = [ArrayPicture(np.ascontiguousarray(picture.rgb[a:c, b:d])) for a, b, c, d in boxes]
    return np.asarray(descriptor_of(embedding).describe(pieces), np.float32)


def pack(some: Sequence[Parts], width: int) -> dict[str, NDArray[Any]]:
    """Several pictures' regions as a column keeps them; `width` of their embeddings."""
    nothing = blank(width)
    out: dict[str, NDArray[Any]] = {"offsets": offsets_of([len(parts) for parts in some])}
    for name in ("vectors", "boxes", "areas"):
        out[name] = np.concatenate([nothing[name], *(getattr(parts, name) for parts in some)])
    out["crops"] = np.concatenate(
        [nothing["crops"], *(parts.crops.astype(np.float16) for parts in some)]
    )
    flat = [np.packbits(p.masks.reshape(len(p), SIDE * SIDE), axis=1) for p in some]
    out["masks"] = np.concatenate([nothing["masks"], *flat])
    return out


def unpack(arrays: Arrays, number: int) -> Parts:
    """One picture's regions out of what `pack` gave."""
    own = slice(int(arrays["offsets"][number]), int(arrays["offsets"][number + 1]))
    bits = np.unpackbits(np.asarray(arrays["masks"][own]), axis=1)
    return Parts(
        vectors=np.asarray(arrays["vectors"][own]),
        crops=np.asarray(arrays["crops"][own], np.float32),
        masks=bits.reshape(-1, SIDE, SIDE).astype(np.bool_),
        boxes=np.asarray(arrays["boxes"][own]),
        areas=np.asarray(arrays["areas"][own]),
    )


def blank(width: int) -> dict[str, NDArray[Any]]:
    """The arrays of no region at all."""
    return {
        "offsets": np.zeros(1, np.int64),
        "vectors": np.zeros((0, WIDTH), np.float32),
        "crops": np.zeros((0, width), np.float16),
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
