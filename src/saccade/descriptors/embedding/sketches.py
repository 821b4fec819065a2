"""A picture's positions in 544 bytes: enough to say which pictures are worth a closer look.

    m      P (u − centre), its whole                  256 numbers, a byte each
    v_i    mean of levels in a window − mean of all    the 32 finest numbers, a byte each
           nine windows of 3 × 3 positions, each two positions from the next

    best position of a picture ≈ w · centre + (R' w) · m + ABOVE · max_i (R' w) · v_i

m is of the embedding itself: the mean of the levels, which are cut off at both ends, says less of
it. What is pointed at covers several positions, so a window around the best one is known by few
numbers where a position by itself is not. `tools/encoder/README.md` says how much is lost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from saccade.descriptors.embedding import parts
from saccade.descriptors.embedding.parts import Codes, Floats
from saccade.types import Vectors

VERSION = 1
WINDOWS, WIDTH = 9, 32
ABOVE = 1.5
"""How much more than its window the best position adds."""
_MOST = 127
_STEPS = np.repeat(np.array([1 / 16, 1 / 40], np.float32), [parts.FINE, parts.COARSE])
"""What one of a byte is worth. Of 6,000 pictures no whole went beyond ±5.4 and ±3.0."""
_ROWS = 256


@dataclass(frozen=True, slots=True, eq=False)
class Sketches:
    """Some pictures' sketches."""

    wholes: NDArray[np.int8]  # [n, 256]
    windows: NDArray[np.int8]  # [n, 9, 32]


def sketch(codes: Codes, embeddings: Vectors) -> Sketches:
    """The sketches of pictures by their positions [n, 80, 49] and embeddings [n, 1280]."""
    wholes = np.empty((len(codes), parts.NUMBERS), np.int8)
    windows = np.empty((len(codes), WINDOWS, WIDTH), np.int8)
    for start in range(0, len(codes), _ROWS):
        here = slice(start, start + _ROWS)
        wholes[here] = _bytes(parts.wholes_of(np.asarray(embeddings[here])), _STEPS)
        windows[here] = _bytes(_within(np.asarray(codes[here])), _STEPS[:WIDTH])
    return Sketches(wholes, windows)


def counts_of(weights: Floats) -> Floats:
    """What a byte of each number counts for weights [256] of levels, [256]."""
    return np.asarray(weights * _STEPS, np.float32)


def _within(codes: Codes) -> Floats:
    """What the mean of each window departs from that of its picture by, [n, 9, 32]."""
    levels = parts.levels_of(codes)[..., :WIDTH]
    levels -= levels.mean(axis=1, keepdims=True)
    laid = levels.reshape(-1, parts.SIDE, parts.SIDE, WIDTH)
    down = np.stack([laid[:, i : i + 3].mean(axis=1) for i in (0, 2, 4)], axis=1)
    across = np.stack([down[:, :, i : i + 3].mean(axis=2) for i in (0, 2, 4)], axis=2)
    return np.asarray(across.reshape(-1, WINDOWS, WIDTH), np.float32)


def _bytes(numbers: Floats, steps: Floats) -> NDArray[np.int8]:
    whole = np.clip(np.rint(numbers / steps), -_MOST, _MOST)
    return np.asarray(whole, np.int8)
