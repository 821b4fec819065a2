"""Stars and a moon over dark hills."""

from __future__ import annotations

import numpy as np

from saccade.testbed.worlds import buildings, plants, things
from saccade.testbed.worlds.canvas import Canvas, Point, ellipse
from saccade.testbed.worlds.palettes import Mood, darker, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Stars and a moon over dark hills; lit windows where people live."""
    rng, width = canvas.rng, canvas.aspect
    horizon = 0.62 + 0.22 * traits.openness
    things.sky(canvas, mood, horizon + 0.12)
    for _ in range(3):
        x, y = rng.uniform(0, width), rng.uniform(0.05, 0.5)
        canvas.soft(
            ellipse((x, y), 0.4, 0.08, -30),
            mix(mood.accents[0], mood.low, 0.6),
            alpha=0.25,
            blur=0.08,
        )
    stars = np.stack([rng.uniform(0, width, 240), horizon * rng.random(240)], 1)
    canvas.dabs(stars, [mood.sun, mood.cloud, mood.sun], 0.0026, squash=1.0)
    for _ in range(4 + traits.count(14)):
        x, y, size = rng.uniform(0, width), rng.uniform(0, horizon * 0.8), rng.uniform(0.008, 0.016)
        canvas.glow((x, y), size * 2, mood.sun, 0.6)
        canvas.stroke([(x - size, y), (x + size, y)], mood.sun, 0.0025)
        canvas.stroke([(x, y - size), (x, y + size)], mood.sun, 0.0025)
    centre, radius = (
        (rng.uniform(0.2, 0.8) * width, rng.uniform(0.16, 0.3)),
        rng.uniform(0.07, 0.11),
    )
    _moon(canvas, mood, centre, radius)
    layers = 2 + round(2 * traits.depth)
    for layer in range(layers):
        part = (layer + 1) / layers
        tone = mix(mood.far, darker(mood.near, 0.3), part)
        canvas.fill(
            things.ridge(canvas, horizon + 0.12 * part, 0.12, 2.5),
            lighter(tone, 0.08),
            darker(tone, 0.2),
        )
    for x in rng.uniform(0, width, round(8 + 14 * (1.0 - traits.openness))):
        plants.pine(
            canvas,
            (float(x), rng.uniform(0.94, 1.02)),
            rng.uniform(0.12, 0.26),
            darker(mood.dark, 0.2),
            mood.trunk,
        )
    for _ in range(round(9 * (1.0 - traits.naturalness))):
        foot = rng.uniform(0.05, 0.95) * width, rng.uniform(0.9, 0.99)
        buildings.house(
            canvas,
            foot,
            0.12,
            0.07,
            mood.near,
            mood.dark,
            window=mood.accents[1],
            floors=1,
            columns=3,
        )


def _moon(canvas: Canvas, mood: Mood, centre: Point, radius: float) -> None:
    canvas.glow(centre, radius * 3.6, mood.sun, 0.4)
    with canvas.subject():
        canvas.ball(centre, radius, lighter(mood.sun, 0.4), darker(mood.sun, 0.12))
        for _ in range(5):
            angle, out = canvas.rng.uniform(0, 6.28), canvas.rng.uniform(0, 0.7) * radius
            spot = centre[0] + out * np.cos(angle), centre[1] + out * np.sin(angle)
            size = radius * canvas.rng.uniform(0.08, 0.2)
            canvas.fill(ellipse(spot, size, size * 0.9), darker(mood.sun, 0.16))
