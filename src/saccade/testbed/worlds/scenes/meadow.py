"""Grass and flowers."""

from __future__ import annotations

import numpy as np

from saccade.testbed.worlds import buildings, plants, things
from saccade.testbed.worlds.canvas import Canvas, ellipse
from saccade.testbed.worlds.palettes import Colour, Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Grass to the horizon, flowers by the hundred, the nearest ones large."""
    rng, width = canvas.rng, canvas.aspect
    horizon = 0.5 - 0.22 * traits.openness
    things.sky(canvas, mood, horizon)
    things.sun(canvas, mood, (rng.uniform(0.1, 0.9) * width, horizon * 0.4), 0.04)
    things.clouds(canvas, mood, 2, 0.06, horizon - 0.04)
    grass = mix(mood.leaf, (120.0, 164.0, 84.0), 0.4)
    for part in np.linspace(0.0, 1.0, 2 + round(3 * traits.depth)):
        tone = mix(mix(grass, mood.low, 0.55), grass, part)
        canvas.fill(
            things.ridge(canvas, horizon + 0.02 + 0.16 * part, 0.06, 2), lighter(tone, 0.15), tone
        )
    for x in rng.uniform(0, width, round(5 + 9 * (1.0 - traits.openness))):
        plants.tree(
            canvas,
            (float(x), horizon + 0.04),
            rng.uniform(0.07, 0.16),
            mix(grass, mood.dark, 0.5),
            mood.dark,
            mood.trunk,
            touches=14,
        )
    if traits.naturalness < 0.9:
        foot = rng.uniform(0.2, 0.8) * width, horizon + 0.1
        size = 0.1 + 0.3 * (0.9 - traits.naturalness)
        buildings.house(
            canvas,
            foot,
            size,
            size * 0.5,
            mood.cloud,
            mood.accents[0],
            window=mood.dark,
            floors=1,
            columns=3,
        )
    canvas.gradient(0.66, 1.0, [grass, darker(grass, 0.18)])
    plants.tufts(
        canvas,
        330,
        horizon + 0.14,
        1.05,
        [grass, lighter(grass, 0.22), darker(grass, 0.2), mood.dark],
        0.085,
    )
    petals = mood.accents[:2] if traits.clutter < 0.5 else mood.accents
    for part in np.sort(rng.random(60 + traits.count(150))):
        spot = rng.uniform(0, width), horizon + 0.1 + (0.86 - horizon) * part
        tone = jitter(rng, petals[int(rng.integers(len(petals)))])
        plants.flower(canvas, spot, 0.006 + 0.026 * part, tone, mood.sun, petals=5)
    _bunch(canvas, mood, petals[0])


def _bunch(canvas: Canvas, mood: Mood, petal: Colour) -> None:
    """Three tall flowers right before us: the main object."""
    rng, width = canvas.rng, canvas.aspect
    middle = rng.uniform(0.25, 0.75) * width
    with canvas.subject():
        for shift in (-0.13, 0.14, 0.0):
            x, y, size = (
                middle + shift + rng.normal(0, 0.02),
                rng.uniform(0.48, 0.62),
                rng.uniform(0.09, 0.12),
            )
            canvas.stroke(
                [(x, y), (x + rng.normal(0, 0.02), 0.8), (middle + shift * 0.4, 1.05)],
                darker(mood.leaf, 0.2),
                0.013,
            )
            leaf = ellipse((x + 0.05, 0.82), 0.07, 0.02, -35)
            canvas.fill(leaf, mood.leaf, darker(mood.leaf, 0.2))
            plants.flower(canvas, (x, y), size, jitter(rng, petal), mood.sun, petals=9)
