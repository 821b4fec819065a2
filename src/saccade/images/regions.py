"""Regions: a picture cut into 4 to 12 parts by normalised cuts over superpixels.

    Ncut(A, B) = cut(A, B) / assoc(A, V) + cut(A, B) / assoc(B, V)
    w_ij = exp( −‖f_i − f_j‖² / σ_f² − ‖x_i − x_j‖² / σ_x² )

Nodes are superpixels as SLIC makes them, here of colour and roughness, so that a border between
rough and smooth is one too; f is their mean L*a*b* and spread of lightness, x their middle.
Nodes that do not touch are tied too, the less the farther: so a wide even area is dear to cut
through, and what lies on both sides of a mast is still one sky. A part is cut where the second
eigenvector of (D − W) y = λ D y gives the smallest Ncut. The part with the cheapest cut goes
first, until the cheapest is dear or there are 12 parts. Nothing here is left to chance: the same
picture gives the same regions.

Sources: Shi & Malik, Normalized cuts and image segmentation, 2000; Achanta et al., SLIC
superpixels compared to state-of-the-art superpixel methods, 2012.
"""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.images.spectral import second_eigenvector
from saccade.kernels import superpixels as kernel
from saccade.types import Pixels

Labels = NDArray[np.int32]
Floats = NDArray[np.float64]

FEWEST, MOST = 4, 12
_SIDE = 256
_SUPERPIXELS = 240
_COMPACT = 0.08
_ROUNDS = 6
_SMOOTH, _ROUGH = 0.8, 1.2
_SIGMA_FEATURE = 13.0
# From .45 on a mast leaves the sky in one piece.
_SIGMA_PLACE = 0.45
# A cut dearer than this is not made once there are enough parts. At .55 the paper's ranker lost .04
# of its average precision on Corel-1K and .01 on 30 kinds of things.
_DEAR = 0.48
# No part is smaller than this share of the picture.
_SMALLEST = 0.02
_CUTS_TRIED = 24


@dataclass(frozen=True, slots=True)
class LabelledRegion:
    """One part of a picture: its number in the label map, where it lies, and how large it is."""

    label: int
    box: tuple[int, int, int, int]  # top, left, bottom, right in pixels; the last two exclusive
    area: float  # share of the picture, 0..1


def segment(picture: Picture) -> Labels:
    """The number of the region each pixel belongs to, [h, w] int32; 0 is the largest.

    A picture of fewer than 4 pixels at working size has as many regions as pixels.
    """
    height, width = picture.rgb.shape[:2]
    working = picture.fit(_SIDE)
    patches = superpixels(working.lab)
    parts = _cut(patches, working.lab)
    labels = _by_size(parts[patches])
    large = cv2.resize(labels, (width, height), interpolation=cv2.INTER_NEAREST)
    return np.asarray(large, np.int32)


def regions(picture: Picture) -> tuple[LabelledRegion, ...]:
    """The regions of a picture, largest first."""
    return regions_of(segment(picture))


def regions_of(labels: Labels) -> tuple[LabelledRegion, ...]:
    """What a label map holds, one region a number.

    >>> regions_of(np.array([[0, 0, 1], [0, 0, 1]], np.int32))[1]
    LabelledRegion(label=1, box=(0, 2, 2, 3), area=0.3333333333333333)
    """
    parts = []
    for label in range(int(labels.max()) + 1):
        rows, columns = np.nonzero(labels == label)
        if len(rows):
            box = (rows.min(), columns.min(), rows.max() + 1, columns.max() + 1)
            top, left, bottom, right = (int(edge) for edge in box)
            parts.append(LabelledRegion(label, (top, left, bottom, right), len(rows) / labels.size))
    return tuple(parts)


def render_regions(picture: Picture, labels: Labels | None = None) -> Pixels:
    """The picture with each region washed in its mean colour and outlined.

    `labels` are those of `segment`, where they are at hand already.
    """
    if labels is None:
        labels = segment(picture)
    count = int(labels.max()) + 1
    sizes = np.bincount(labels.ravel(), minlength=count)
    means = np.stack(
        [
            np.bincount(labels.ravel(), weights=picture.rgb[:, :, c].ravel(), minlength=count)
            for c in range(3)
        ],
        axis=1,
    )
    washed = 0.3 * picture.rgb + 0.7 * (means / np.maximum(sizes, 1)[:, None])[labels]
    border = np.zeros(labels.shape, np.uint8)
    border[:, 1:] |= labels[:, 1:] != labels[:, :-1]
    border[1:] |= labels[1:] != labels[:-1]
    thickness = max(2, max(labels.shape) // 240)
    border = np.asarray(cv2.dilate(border, np.ones((thickness, thickness), np.uint8)), np.uint8)
    washed[border > 0] = (255, 255, 255)
    return np.rint(washed).astype(np.uint8)


def superpixels(lab: NDArray[np.float32]) -> Labels:
    """About 240 connected patches of even size, colour and roughness, numbered from 0, [h, w].

    `lab` is L*a*b* [h, w, 3]. What a step of colour weighs against a step of place follows the
    range of the picture's values, so that a pale picture is cut along its edges too.
    """
    height, width = lab.shape[:2]
    across = np.sqrt(height * width / _SUPERPIXELS)
    rows = min(height, max(1, round(height / across)))
    columns = min(width, max(1, round(_SUPERPIXELS / rows)))
    step = max(height / rows, width / columns)
    features = np.empty((height, width, 6), np.float32)
    features[:, :, :3] = _blurred(lab, _SMOOTH)
    features[:, :, 3] = _roughness(lab[:, :, 0])
    features[:, :, :4] /= _COMPACT * max(float(np.ptp(lab)), 1.0)
    features[:, :, 4] = (np.arange(height) / step)[:, None]
    features[:, :, 5] = np.arange(width) / step
    nearest = kernel.nearest_means(features, rows, columns, _ROUNDS)
    patches: Labels = kernel.in_one_piece(nearest, height * width // (4 * rows * columns))
    return patches


def _roughness(light: NDArray[np.float32]) -> NDArray[np.float32]:
    """The spread of lightness around each pixel, where more than a line is rough."""
    variance = _blurred(light * light, _ROUGH) - _blurred(light, _ROUGH) ** 2
    spread = np.sqrt(np.maximum(variance, 0))
    # The edge between two even areas is a ridge a few pixels wide: opened, it is gone.
    return np.asarray(cv2.morphologyEx(spread, cv2.MORPH_OPEN, np.ones((7, 7), np.uint8)))


def _blurred(plane: NDArray[np.float32], sigma: float) -> NDArray[np.float32]:
    return np.asarray(cv2.GaussianBlur(plane, (0, 0), sigma, borderType=cv2.BORDER_REFLECT))


def _cut(patches: Labels, lab: NDArray[np.float32]) -> Labels:
    """The part of each superpixel, [s]."""
    weights = _graph(patches, lab)
    areas = np.bincount(patches.ravel()) / patches.size
    parts = np.zeros(len(areas), np.int32)
    whole = np.arange(len(areas))
    waiting = [(*_best_cut(whole, weights, areas), whole)]
    for part in range(1, MOST):
        waiting = [entry for entry in waiting if len(entry[1])]
        if not waiting:
            break
        cheapest = min(range(len(waiting)), key=lambda i: (waiting[i][0], waiting[i][2][0]))
        cost, aside, members = waiting.pop(cheapest)
        if cost > _DEAR and part >= FEWEST:
            break
        parts[aside] = part
        for half in (np.setdiff1d(members, aside), aside):
            waiting.append((*_best_cut(half, weights, areas), half))
    return parts


def _graph(patches: Labels, lab: NDArray[np.float32]) -> Floats:
    """Similarity of each pair of superpixels, [s, s]."""
    flat = patches.ravel()
    sizes = np.bincount(flat).astype(np.float64)
    colours = lab.reshape(-1, 3).astype(np.float64)
    means = np.stack([np.bincount(flat, weights=c) / sizes for c in colours.T], axis=1)
    squares = np.bincount(flat, weights=colours[:, 0] ** 2) / sizes
    spread = np.sqrt(np.maximum(squares - means[:, 0] ** 2, 0))
    features = np.column_stack([0.7 * means[:, 0], means[:, 1:], spread])
    height, width = patches.shape
    places = np.indices(patches.shape).reshape(2, -1) / max(height, width)
    middles = np.stack([np.bincount(flat, weights=axis) / sizes for axis in places], axis=1)
    exponent = _gaps(features) / _SIGMA_FEATURE**2 + _gaps(middles) / _SIGMA_PLACE**2
    # Each tie counts the pixels at both ends; none is zero, so that the graph is in one piece.
    similar: Floats = np.outer(sizes, sizes) * np.exp(-np.minimum(exponent, 30.0))
    return similar


def _gaps(points: Floats) -> Floats:
    """Squared distance of each pair, [n, n]."""
    gaps: Floats = ((points[:, None] - points[None]) ** 2).sum(axis=2)
    return gaps


def _best_cut(
    members: NDArray[np.int64], weights: Floats, areas: Floats
) -> tuple[float, NDArray[np.int64]]:
    """The smallest Ncut of `members` and one side of it; no side when they cannot be cut."""
    nothing = np.empty(0, np.int64)
    if len(members) < 2:
        return np.inf, nothing
    inside = weights[np.ix_(members, members)]
    degrees = inside.sum(axis=1)
    order = np.argsort(second_eigenvector(inside), kind="stable")
    areas_before = np.cumsum(areas[members][order])
    total = areas_before[-1]
    least = min(_SMALLEST, total / 4)
    allowed = np.flatnonzero((areas_before >= least) & (total - areas_before >= least))
    allowed = allowed[allowed < len(members) - 1]
    if not len(allowed):
        return np.inf, nothing
    tried = np.unique(allowed[np.linspace(0, len(allowed) - 1, _CUTS_TRIED).round().astype(int)])
    sorted_weights = inside[np.ix_(order, order)]
    sorted_degrees = degrees[order]
    costs = []
    for last in tried:
        across = sorted_weights[: last + 1, last + 1 :].sum()
        costs.append(
            across / sorted_degrees[: last + 1].sum() + across / sorted_degrees[last + 1 :].sum()
        )
    best = int(np.argmin(costs))
    return float(costs[best]), np.sort(members[order[tried[best] + 1 :]])


def _by_size(parts: Labels) -> Labels:
    """The same parts numbered from the largest; of equal ones the one that comes first."""
    _, first, inverse, counts = np.unique(
        parts, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(counts), np.int32)
    rank[np.lexsort((first, -counts))] = np.arange(len(counts), dtype=np.int32)
    return rank[inverse.reshape(parts.shape)]
