"""Regions described one by one: colour correlogram, colour moments and Gabor texture.

    v(region) = [ correlogram / 1.7 | moments / 2.7 | Gabor texture / 3.8 ]

over the region's own pixels: 144 + 9 + 48 = 201 signed values a region. The divisors are the
typical distance of two regions in each family, so that none of the three drowns the others in a
kernel over the whole vector. In the correlogram what lies outside the region is another colour.
Strengths of a filter are weighed by how much of the region each sample sees.

Source: the three families are those of Hu, Li & Yu, Multiple-instance ranking, 2008.
"""

from __future__ import annotations

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.contracts import Picture
from saccade.descriptors import color_correlogram, color_moments, gabor_texture
from saccade.errors import InvalidInput
from saccade.types import Vectors

DIMENSION = 144 + 9 + 48
_CORRELOGRAM, _MOMENTS, _GABOR = 1.7, 2.7, 3.8
_OUTSIDE = 255
_SIDE = 256


def describe_regions(picture: Picture, labels: NDArray[np.int32]) -> Vectors:
    """One row a region 0, 1, … of `labels` [h, w], which has the picture's size; [regions, 201].

    Raises:
        InvalidInput: the label map has another size, negative numbers, or a number without pixels.
    """
    count = _checked(picture, labels)
    answers = gabor_texture.answers(picture)
    named = color_correlogram.codes(picture)
    lab = picture.fit(_SIDE).lab
    vectors = np.empty((count, DIMENSION), np.float32)
    for label in range(count):
        mask = (labels == label).astype(np.float32)
        own = np.where(_inside(mask, named.shape), named, _OUTSIDE).astype(np.uint8)
        correlogram = color_correlogram.correlogram(own).ravel()
        moments = _moments(lab[_inside(mask, lab.shape[:2])])
        texture = gabor_texture.scaled(_strengths(answers, mask))
        vectors[label] = np.concatenate(
            [correlogram / _CORRELOGRAM, moments / _MOMENTS, texture / _GABOR]
        )
    return vectors


def _checked(picture: Picture, labels: NDArray[np.int32]) -> int:
    size = picture.rgb.shape[:2]
    if labels.shape != size:
        raise InvalidInput(f"a label map of {labels.shape} does not fit a picture of {size}")
    numbers = np.unique(labels)
    if numbers[0] != 0 or numbers[-1] != len(numbers) - 1:
        raise InvalidInput("regions must be numbered 0, 1, 2, … without gaps")
    return len(numbers)


def _shares(mask: NDArray[np.float32], shape: tuple[int, ...]) -> NDArray[np.float32]:
    """How much of each pixel at another size the region covers, 0..1."""
    resized = cv2.resize(mask, (shape[1], shape[0]), interpolation=cv2.INTER_AREA)
    return np.asarray(resized, np.float32)


def _inside(mask: NDArray[np.float32], shape: tuple[int, ...]) -> NDArray[np.bool_]:
    """The pixels at another size that the region mostly covers; its best ones if it is tiny."""
    shares = _shares(mask, shape)
    covered: NDArray[np.bool_] = shares >= min(0.5, float(shares.max()))
    return covered


def _moments(colours: NDArray[np.float32]) -> NDArray[np.float64]:
    """Mean, deviation and lean of each channel of [n, 3], scaled as in `color-moments`, [9]."""
    exact = colours.astype(np.float64)
    mean = exact.mean(axis=0)
    gaps = exact - mean
    moments = np.stack([mean, np.sqrt((gaps**2).mean(axis=0)), np.cbrt((gaps**3).mean(axis=0))])
    return color_moments.scaled(moments).ravel()


def _strengths(
    answers: list[NDArray[np.float32]], mask: NDArray[np.float32]
) -> NDArray[np.float64]:
    """Mean and deviation of each answer over the region, [24, 2]."""
    weights: dict[int, NDArray[np.float32]] = {}
    strengths = np.empty((len(answers), 2))
    for i, answer in enumerate(answers):
        side = answer.shape[0]
        if side not in weights:
            shares = _shares(mask, answer.shape)
            weights[side] = shares / shares.sum(dtype=np.float64)
        mean = float((weights[side] * answer).sum(dtype=np.float64))
        spread = float((weights[side] * (answer - np.float32(mean)) ** 2).sum(dtype=np.float64))
        strengths[i] = mean, np.sqrt(spread)
    return strengths
