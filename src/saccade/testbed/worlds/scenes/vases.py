"""Vases, with flowers or without."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from saccade.testbed.worlds import plants, things
from saccade.testbed.worlds.canvas import Canvas, Point, ellipse
from saccade.testbed.worlds.palettes import Colour, Mood, darker, jitter, lighter
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """A vase on a table, painted with bands; flowers in it when the picture is natural."""
    rng, width = canvas.rng, canvas.aspect
    things.table(canvas, traits, mood)
    for _ in range(traits.count(4)):
        x = rng.uniform(0.05, 0.95) * width
        _vase(
            canvas,
            (x, rng.uniform(0.7, 0.76)),
            rng.uniform(0.16, 0.26),
            jitter(rng, mood.accent(rng), amount=2),
            mood,
        )
    for _ in range(traits.count(5)):
        spot = rng.uniform(0.05, 0.95) * width, rng.uniform(0.84, 0.95)
        plants.flower(canvas, spot, 0.03, mood.accents[1], mood.sun, petals=6)
    foot = rng.uniform(0.36, 0.64) * width, rng.uniform(0.86, 0.92)
    tall = 0.6 - 0.2 * traits.openness
    canvas.soft(
        ellipse((foot[0] + 0.06, foot[1]), tall * 0.4, 0.03), mood.dark, alpha=0.5, blur=0.02
    )
    with canvas.subject():
        _bouquet(canvas, (foot[0], foot[1] - tall), 0.34 * traits.naturalness, mood)
        _vase(canvas, foot, tall, jitter(rng, mood.accent(rng), amount=2), mood)


def _bouquet(canvas: Canvas, mouth: Point, reach: float, mood: Mood) -> None:
    rng, (x, y) = canvas.rng, mouth
    for angle in np.radians(rng.uniform(-150, -30, round(30 * reach))):
        long = reach * rng.uniform(0.6, 1.1)
        tip = x + long * math.cos(angle) * 0.8, y + long * math.sin(angle)
        canvas.stroke([(x, y + 0.03), tip], darker(mood.leaf, 0.15), 0.007)
        middle = (x + tip[0]) / 2, (y + tip[1]) / 2
        canvas.fill(ellipse(middle, 0.045, 0.015, math.degrees(angle) + 30), mood.leaf)
        plants.flower(
            canvas, tip, rng.uniform(0.035, 0.06), mood.accents[int(rng.integers(3))], mood.sun
        )


def _vase(canvas: Canvas, foot: Point, tall: float, glaze: Colour, mood: Mood) -> None:
    """A turned body: its half-width is a smooth curve of the height."""
    rng, (x, y) = canvas.rng, foot
    up = np.linspace(0.0, 1.0, 40)
    knots = rng.uniform([0.11, 0.24, 0.2, 0.07, 0.12], [0.2, 0.4, 0.36, 0.14, 0.22])
    half = tall * _smooth(up, knots)
    left, right = np.stack([x - half, y - tall * up], 1), np.stack([x + half, y - tall * up], 1)
    canvas.shaded(
        np.vstack([left, right[::-1]]),
        (x - tall * 0.15, y - tall * 0.6),
        tall * 0.75,
        lighter(glaze, 0.4),
        darker(glaze, 0.3),
    )
    paint = lighter(mood.accent(rng), 0.15)
    style = int(rng.integers(3))
    for band in (8, 14, 20, 26)[: int(rng.integers(2, 5))]:
        row = np.stack(
            [np.linspace(x - half[band], x + half[band], 25), np.full(25, y - tall * up[band])], 1
        )
        row[:, 1] += tall * 0.03 * np.sqrt(np.clip(1 - np.linspace(-1, 1, 25) ** 2, 0, 1))
        if style == 0:
            canvas.stroke(row, paint, tall * 0.03)
        elif style == 1:
            canvas.dabs(row[2:-2:3], [paint], tall * 0.022, squash=1.0)
        else:
            row[1::2, 1] += tall * 0.04
            canvas.stroke(row, paint, tall * 0.014)
    canvas.fill(ellipse((x, y - tall), half[-1], half[-1] * 0.22), darker(glaze, 0.5))


def _smooth(at: NDArray[np.float64], knots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values between evenly spaced knots, with level tangents at each."""
    spot = at * (len(knots) - 1)
    left = np.minimum(spot.astype(np.int64), len(knots) - 2)
    part = spot - left
    part = part * part * (3.0 - 2.0 * part)
    values: NDArray[np.float64] = knots[left] * (1.0 - part) + knots[left + 1] * part
    return values
