"""Maps of what counts in a picture: each region as bright as it is relevant.

    shown = pixel · (dim + (1 − dim) · relevance)        dim = .12: what counts least is still seen

A label map may come from small masks; their borders are drawn smooth at any size. Source: the
region maps of Hu, Li & Yu 2008, figure 4.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.images.regions import Labels, render_regions
from saccade.types import Pixels

DIM = 0.12
_GAP = 12

Masks = NDArray[np.bool_]
Relevance = NDArray[np.float32]


def labels_at(masks: Masks, height: int, width: int) -> Labels:
    """The number of the mask at each pixel, [height, width], from small masks [r, s, s]."""
    size = (width, height)
    best: NDArray[np.float32] = np.full((height, width), -np.inf, np.float32)
    labels = np.zeros((height, width), np.int32)
    for number, mask in enumerate(masks):
        share = cv2.resize(mask.astype(np.float32), size, interpolation=cv2.INTER_CUBIC)
        labels[share > best] = number
        best = np.maximum(best, share)
    return labels


def render_relevance(picture: Picture, labels: Labels, relevance: Relevance) -> Pixels:
    """The picture with each region as bright as it is relevant; `relevance` [r] in 0..1."""
    bright = DIM + (1.0 - DIM) * relevance[labels].astype(np.float32)
    soft = cv2.GaussianBlur(bright, (0, 0), max(labels.shape) / 200)
    shown: Pixels = np.rint(picture.rgb * soft[:, :, None]).astype(np.uint8)
    return shown


def triptych(picture: Picture, masks: Masks, relevance: Relevance) -> Pixels:
    """The picture, its regions and what counts in it, side by side."""
    height, width = picture.rgb.shape[:2]
    labels = labels_at(masks, height, width)
    gap = np.full((height, _GAP, 3), 255, np.uint8)
    regions = render_regions(picture, labels)
    bright = render_relevance(picture, labels, relevance)
    return np.concatenate([picture.rgb, gap, regions, gap, bright], axis=1)
