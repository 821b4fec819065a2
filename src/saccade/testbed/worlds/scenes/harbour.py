"""Boats at anchor."""

from __future__ import annotations

import numpy as np

from saccade.testbed.worlds import buildings, plants, things
from saccade.testbed.worlds.canvas import Canvas, Point, box, ellipse
from saccade.testbed.worlds.palettes import Mood, darker, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Boats at anchor, their reflections, a quay with houses behind."""
    rng, width = canvas.rng, canvas.aspect
    shore = rng.uniform(0.42, 0.5)
    things.sky(canvas, mood, shore)
    things.clouds(canvas, mood, 2, 0.06, shore - 0.14)
    canvas.fill(
        things.ridge(canvas, shore - 0.02, 0.26 * (1.1 - traits.openness), 2.5),
        mix(mood.far, mood.low, 0.4 * traits.depth),
        mood.mid,
    )
    for _ in range(round(3 + 14 * traits.naturalness)):
        plants.tree(
            canvas,
            (rng.uniform(0, width), shore),
            rng.uniform(0.08, 0.16),
            mood.leaf,
            mood.dark,
            mood.trunk,
            touches=10,
        )
    for x in np.sort(rng.uniform(0, width, round(12 * (1.0 - traits.naturalness)))):
        wall = lighter(mood.accent(rng), 0.35)
        buildings.house(
            canvas,
            (float(x), shore),
            rng.uniform(0.08, 0.12),
            rng.uniform(0.07, 0.15),
            wall,
            darker(mood.accents[0], 0.15),
            window=darker(mood.sky, 0.4),
        )
    canvas.gradient(
        shore, 1.0, [mix(mood.water, mood.low, 0.3), mood.water, darker(mood.water, 0.2)]
    )
    canvas.fill(
        box(0, shore - 0.005, width, shore + 0.022),
        lighter(mood.stone, 0.1),
        darker(mood.stone, 0.2),
    )
    things.swell(canvas, mood, shore + 0.02, 1.0, 60)
    boats = sorted(rng.uniform(shore + 0.06, 0.76, 2 + traits.count(8)))
    for y in boats:
        _moored(canvas, (rng.uniform(0.05, 0.95) * width, float(y)), 0.1 + 0.32 * (y - shore), mood)
    with canvas.subject():
        _moored(
            canvas,
            (rng.uniform(0.3, 0.7) * width, rng.uniform(0.8, 0.87)),
            rng.uniform(0.3, 0.36),
            mood,
        )
    things.swell(canvas, mood, 0.88, 1.0, 26)
    things.birds(canvas, mood.cloud, traits.count(8), 0.1, 0.3)


def _moored(canvas: Canvas, waterline: Point, size: float, mood: Mood) -> None:
    """A fishing boat: hull with a stripe, cabin, mast, and its reflection."""
    rng, (x, y) = canvas.rng, waterline
    hull, cabin = (mood.accent(rng) for _ in range(2))
    canvas.soft(
        ellipse((x, y + size * 0.12), size * 0.6, size * 0.1),
        darker(mix(hull, mood.water, 0.5), 0.3),
        alpha=0.7,
        blur=0.012,
    )
    facing = rng.choice([-1.0, 1.0])

    def at(across: float, up: float) -> Point:
        return x + facing * across * size, y - up * size

    canvas.stroke([at(0.05, 0.2), at(0.05, 1.25)], darker(mood.trunk, 0.2), size * 0.03)
    canvas.stroke([at(0.05, 1.2), at(0.62, 0.34)], darker(mood.trunk, 0.2), size * 0.012)
    canvas.stroke([at(0.05, 1.2), at(-0.58, 0.3)], darker(mood.trunk, 0.2), size * 0.012)
    canvas.fill([at(0.07, 1.25), at(0.3, 1.17), at(0.07, 1.08)], mood.accents[0])
    canvas.fill(
        [at(-0.42, 0.2), at(-0.42, 0.55), at(-0.05, 0.55), at(-0.02, 0.2)],
        lighter(cabin, 0.5),
        lighter(cabin, 0.2),
    )
    canvas.fill([at(-0.47, 0.55), at(-0.47, 0.6), at(0.0, 0.6), at(0.0, 0.55)], darker(cabin, 0.25))
    for window in (-0.36, -0.2):
        canvas.fill(
            [at(window, 0.36), at(window, 0.48), at(window + 0.1, 0.48), at(window + 0.1, 0.36)],
            darker(mood.sky, 0.45),
        )
    canvas.fill(
        [at(-0.6, 0.28), at(0.2, 0.22), at(0.7, 0.36), at(0.5, 0.0), at(-0.5, 0.0)],
        lighter(hull, 0.1),
        darker(hull, 0.25),
    )
    canvas.fill(
        [
            at(-0.58, 0.22),
            at(0.2, 0.16),
            at(0.66, 0.29),
            at(0.62, 0.24),
            at(0.2, 0.11),
            at(-0.57, 0.17),
        ],
        lighter(hull, 0.65),
    )
