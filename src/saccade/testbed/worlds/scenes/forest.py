"""Trunks behind trunks."""

from __future__ import annotations

import numpy as np

from saccade.testbed.worlds import plants, things
from saccade.testbed.worlds.canvas import Canvas, Point, box, ellipse
from saccade.testbed.worlds.palettes import Colour, Mood, darker, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Trunks behind trunks, light falling through; the gaps widen with openness."""
    rng, width = canvas.rng, canvas.aspect
    glade = mix(mood.low, mood.leaf, 0.35)
    canvas.gradient(
        0.0,
        1.0,
        [
            mix(mood.dark, mood.leaf, 0.4),
            glade,
            mix(glade, mood.sun, 0.5),
            mix(mood.leaf, mood.dark, 0.3),
        ],
    )
    canvas.glow((rng.uniform(0.3, 0.7) * width, 0.45), 0.6, mood.sun, 0.5)
    ground = 0.72
    layers = 3 + round(2 * traits.depth)
    for layer in range(layers):
        part = (layer + 1) / layers
        tone = mix(mix(glade, mood.dark, 0.25), darker(mood.trunk, 0.15), part)
        count = round((9 - 5 * part) * (1.5 - 1.6 * traits.openness)) + 1
        foot = ground - 0.1 + 0.22 * part
        canvas.fill(
            things.ridge(canvas, foot, 0.05, 3),
            mix(glade, mood.dark, 0.15 + 0.5 * part),
            mix(mood.leaf, mood.dark, part),
            pigment=1.5,
        )
        for x in rng.uniform(-0.02, width + 0.02, count):
            _trunk(canvas, float(x), foot + 0.02, 0.012 + 0.028 * part, tone, mood)
        spots = np.stack(
            [rng.uniform(0, width, 120), 0.3 * rng.random(120) ** 1.6 * (1.2 - 0.4 * part)], 1
        )
        leaf = mix(glade, mood.leaf, part)
        canvas.dabs(
            spots, [leaf, mix(leaf, mood.dark, 0.4), lighter(leaf, 0.2)], 0.012 + 0.02 * part
        )
    _forest_floor(canvas, traits, mood)


def _trunk(canvas: Canvas, x: float, foot: float, wide: float, tone: Colour, mood: Mood) -> None:
    lean = canvas.rng.normal(0, 0.03)
    canvas.fill(
        [
            (x - wide * 1.5, foot + 0.02),
            (x - wide, foot - 0.1),
            (x + lean - wide * 0.7, -0.02),
            (x + lean + wide * 0.7, -0.02),
            (x + wide, foot - 0.1),
            (x + wide * 1.5, foot + 0.02),
        ],
        lighter(tone, 0.3),
        tone,
        darker(tone, 0.25),
        towards=0,
        pigment=2.0,
    )


def _forest_floor(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    rng, width = canvas.rng, canvas.aspect
    if traits.naturalness < 0.85:
        middle = rng.uniform(0.35, 0.65) * width
        broad = 0.08 + 0.5 * (0.85 - traits.naturalness)
        canvas.fill(
            [
                (middle - 0.015, 0.74),
                (middle + 0.015, 0.74),
                (middle + broad * 1.6, 1.02),
                (middle - broad, 1.02),
            ],
            mood.sand,
            darker(mood.sand, 0.2),
            pigment=1.4,
        )
    plants.tufts(canvas, 150, 0.8, 1.04, [mood.leaf, mood.dark, lighter(mood.leaf, 0.2)], 0.075)
    for _ in range(traits.count(22)):
        spot = rng.uniform(0, width), rng.uniform(0.82, 0.99)
        if rng.random() < 0.5:
            _mushroom(canvas, spot, rng.uniform(0.02, 0.04), mood)
        else:
            plants.flower(canvas, spot, 0.018, mood.accents[1], mood.accents[2], petals=5)
    foot = rng.uniform(0.2, 0.8) * width, 0.95
    with canvas.subject():
        _trunk(canvas, foot[0], foot[1], 0.055, mix(mood.trunk, mood.stone, 0.2), mood)
        spots = np.stack([foot[0] + rng.normal(0, 0.25, 170), 0.14 + rng.normal(0, 0.09, 170)], 1)
        canvas.dabs(
            spots, [mood.leaf, lighter(mood.leaf, 0.2), mix(mood.leaf, mood.dark, 0.5)], 0.032
        )


def _mushroom(canvas: Canvas, foot: Point, size: float, mood: Mood) -> None:
    x, y = foot
    canvas.fill(box(x - size * 0.2, y - size, x + size * 0.2, y), mood.cloud)
    cap = ellipse((x, y - size * 0.9), size * 0.8, size * 0.7)
    cap[:, 1] = np.minimum(cap[:, 1], y - size * 0.8)
    canvas.fill(cap, mood.accents[0])
    canvas.dabs(
        [(x - size * 0.3, y - size * 1.15), (x + size * 0.25, y - size * 1.2)],
        [mood.cloud],
        size * 0.13,
    )
