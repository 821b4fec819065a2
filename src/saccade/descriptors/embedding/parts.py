"""The positions of EfficientNet-Lite0's map as a store keeps them: 80 bytes each, 3,920 a picture.

    x_p                     a position, 1280 values; their mean is the embedding u
    z_p = P (x_p − centre)  256 numbers, each cut to a level: 16 for the first 64, 4 for the rest
    w · x_p ≈ w · u + (R' w) · (level_p − mean of the levels)

for any direction w. The mean over positions is w · u itself, whatever P and its levels leave out:
what is lost is where in the picture, never how much. P, R and the centre were made once by
`tools/encoder`, which says how much is lost; they are part of a column's version.

Bytes lie by byte first and position second, [80, 49]: one byte of all positions at a time is how
kernels read them. Byte b < 32 holds numbers 2b and 2b + 1, the first in its low bits; byte b ≥ 32
holds four, from 64 + 4 (b − 32).
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from saccade.types import Vectors

DATA = Path(__file__).resolve().parent.parent / "data"
FILE = DATA / "efficientnet-lite0-parts.npz"
DIGEST = "99f28de6"
"""The first of the file's SHA-256."""
SPACE = "efficientnet-lite0"
"""Whose positions these are: no other encoder's can be kept so."""
SIDE = 7
POSITIONS = SIDE * SIDE
FINE, COARSE = 64, 192
"""Numbers with 16 levels, and with 4."""
NUMBERS = FINE + COARSE
BYTES = FINE // 2 + COARSE // 4

Codes = NDArray[np.uint8]  # [n, BYTES, POSITIONS]
Floats = NDArray[np.float32]


def encode(positions: Floats) -> Codes:
    """Positions [n, 49, 1280] on the embedding's scale as bytes [n, 80, 49]."""
    encoder, _, centre = _matrices()
    # One product of all pictures' positions: a fifth faster than one a picture.
    numbers = (positions - centre).reshape(-1, len(centre)) @ encoder.T
    numbers = numbers.reshape(*positions.shape[:2], NUMBERS)
    halves = np.repeat(np.array([8, 2], np.float32), [FINE, COARSE])
    levels = np.clip(np.floor(numbers) + halves, 0, 2 * halves - 1).astype(np.uint8)
    fine, coarse = levels[..., :FINE], levels[..., FINE:]
    bytes_ = [
        fine[..., 0::2] | fine[..., 1::2] << 4,
        coarse[..., 0::4]
        | coarse[..., 1::4] << 2
        | coarse[..., 2::4] << 4
        | coarse[..., 3::4] << 6,
    ]
    return np.ascontiguousarray(np.concatenate(bytes_, axis=2).transpose(0, 2, 1))


def levels_of(codes: Codes) -> Floats:
    """The numbers that bytes [n, 80, 49] stand for, around 0, [n, 49, 256]."""
    turned = codes.transpose(0, 2, 1)
    fine, coarse = turned[..., : FINE // 2], turned[..., FINE // 2 :]
    levels = np.empty((*turned.shape[:2], NUMBERS), np.float32)
    for place in range(2):
        levels[..., place:FINE:2] = (fine >> 4 * place & 15).astype(np.float32) - 7.5
    for place in range(4):
        levels[..., FINE + place :: 4] = (coarse >> 2 * place & 3).astype(np.float32) - 1.5
    return levels


def weights_of(directions: Vectors) -> Floats:
    """What each number counts for directions [..., 1280] in the embedding's space, [..., 256]."""
    decoder = _matrices()[1]
    return np.asarray(directions @ decoder, np.float32)


def score_positions(codes: Codes, embeddings: Vectors, direction: Vectors) -> Floats:
    """A direction's score at each position, [n, 49]; their mean is that of the embedding."""
    scores = levels_of(codes) @ weights_of(direction)
    scores -= scores.mean(axis=1, keepdims=True)
    return np.asarray(scores + (embeddings @ direction)[:, None], np.float32)


def positions_of(codes: Codes, embeddings: Vectors) -> Floats:
    """Positions as far as the bytes tell them, [n, 49, 1280]; their mean is the embedding."""
    levels = levels_of(codes)
    levels -= levels.mean(axis=1, keepdims=True)
    return np.asarray(embeddings[:, None] + levels @ _matrices()[1].T, np.float32)


def part_of(codes: Codes, embeddings: Vectors, weights: Floats) -> Floats:
    """A weighted mean of each picture's positions by weights [49] that sum to 1, [n, 1280]."""
    levels = levels_of(codes)
    departed = weights @ levels - levels.mean(axis=1)
    return np.asarray(embeddings + departed @ _matrices()[1].T, np.float32)


def projected(codes: Codes, embeddings: Vectors) -> Floats:
    """Positions in 256 numbers of their true size, [n, 49, 256].

    Their mean is P (u − centre) to rounding, so the mean of a linear score over positions is a
    linear score of the embedding. Directions that people are likely to mean were given equal room
    when P was made: here a plain product knows already which values matter.
    """
    levels = levels_of(codes)
    levels -= levels.mean(axis=1, keepdims=True)
    return np.asarray((levels + wholes_of(embeddings)[:, None]) * steps(), np.float32)


def wholes_of(embeddings: Vectors) -> Floats:
    """Wholes in the numbers of positions, in units of levels and not cut to any, [n, 256]."""
    encoder, _, centre = _matrices()
    return np.asarray((np.asarray(embeddings, np.float32) - centre) @ encoder.T, np.float32)


def direction_of(weights: Floats) -> Floats:
    """The direction in the embedding's space that weights [256] of `projected` numbers stand for.

    w · (u − centre) = weights · mean of the projected positions.
    """
    return np.asarray((weights * steps()) @ _matrices()[0], np.float32)


def cover(box: tuple[float, float, float, float]) -> Floats:
    """How much of a box (top, left, bottom, right as shares) lies in each position; sums to 1.

    >>> cover((0.0, 0.0, 1.0, 1 / 7)).reshape(7, 7)[0, :2].round(3)
    array([0.143, 0.   ], dtype=float32)
    """
    edges = np.arange(SIDE + 1) / SIDE

    def shares(low: float, high: float) -> NDArray[np.float64]:
        inside = np.minimum(edges[1:], high) - np.maximum(edges[:-1], low)
        return np.asarray(np.maximum(inside, 0.0), np.float64)

    areas = np.outer(shares(box[0], box[2]), shares(box[1], box[3])).ravel()
    return np.asarray(areas / areas.sum(), np.float32)


def centre() -> Floats:
    """What positions are taken around, [1280]."""
    return _matrices()[2]


@lru_cache(maxsize=1)
def _matrices() -> tuple[Floats, Floats, Floats]:
    """P [256, 1280] and R [1280, 256] in units of levels, and the centre [1280]."""
    with np.load(FILE, allow_pickle=False) as arrays:
        encoder, decoder = (arrays[n].astype(np.float32) for n in ("encoder", "decoder"))
        # By column: every picture is multiplied by its transpose, a fifth faster so.
        return np.asfortranarray(encoder), decoder, arrays["centre"].astype(np.float32)


@lru_cache(maxsize=1)
def steps() -> Floats:
    """How wide a level of each number is, [256]."""
    with np.load(FILE, allow_pickle=False) as arrays:
        return np.asarray(arrays["steps"], np.float32)
