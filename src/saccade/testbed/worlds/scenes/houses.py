"""A row of painted houses."""

from __future__ import annotations

import contextlib

import numpy as np

from saccade.testbed.worlds import buildings, plants, things
from saccade.testbed.worlds.canvas import Canvas, Point
from saccade.testbed.worlds.palettes import Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """A row of painted houses, gables side by side, behind a quay or a garden."""
    rng, width = canvas.rng, canvas.aspect
    things.sky(canvas, mood, 0.8)
    things.clouds(canvas, mood, 2 + traits.count(2), 0.06, 0.3)
    canvas.fill(
        things.ridge(canvas, 0.62, 0.2 * traits.depth, 2), mix(mood.far, mood.low, 0.3), mood.mid
    )
    for x in rng.uniform(0, width, round(14 * traits.depth)):
        wall = mix(mood.accent(rng), mood.low, 0.55)
        far = (float(x), 0.66)
        buildings.house(
            canvas, far, 0.13, rng.uniform(0.14, 0.3), wall, darker(wall, 0.2), window=wall
        )
    ground = 0.82
    count = round(6 - 3 * traits.openness)
    wide = width / count
    main = int(rng.integers(1, max(2, count - 1)))
    for order in [*(i for i in range(count) if i != main), main]:
        wall = lighter(jitter(rng, mood.accent(rng), amount=2), 0.2)
        roof = darker(mix(mood.accents[0], mood.trunk, rng.uniform(0.2, 0.8)), 0.1)
        tall = rng.uniform(0.3, 0.5) * (1.15 - 0.35 * traits.openness)
        house = wide * rng.uniform(0.82, 0.98) * (1.0 - 0.25 * traits.openness)
        foot = wide * (order + 0.5), ground
        with canvas.subject() if order == main else contextlib.nullcontext():
            buildings.house(
                canvas,
                foot,
                house,
                tall,
                wall,
                roof,
                window=darker(mood.sky, 0.35),
                floors=int(rng.integers(2, 4)),
                columns=int(rng.integers(2, 4)),
                gable=order == main or bool(rng.random() < 0.7),
            )
    path = mix(mood.stone, mood.sand, 0.5)
    canvas.gradient(ground, 1.0, [lighter(path, 0.1), darker(path, 0.15)])
    for y in np.geomspace(0.02, 0.17, 5):
        canvas.stroke([(0, ground + y), (width, ground + y)], darker(path, 0.14), 0.003)
    for x in rng.uniform(0, width, round(2 + 12 * traits.naturalness)):
        plants.crown(
            canvas,
            (float(x), rng.uniform(ground - 0.03, ground + 0.04)),
            rng.uniform(0.04, 0.075),
            mood.leaf,
            mood.dark,
            touches=22,
        )
    for _ in range(traits.count(14)):
        foot = rng.uniform(0, width), rng.uniform(ground + 0.05, 0.98)
        if rng.random() < 0.5:
            buildings.walker(canvas, foot, 0.14, mood)
        else:
            _flowerpot(canvas, foot, 0.04, mood)


def _flowerpot(canvas: Canvas, foot: Point, size: float, mood: Mood) -> None:
    rng, (x, y) = canvas.rng, foot
    canvas.fill(
        [
            (x - size * 0.5, y - size),
            (x + size * 0.5, y - size),
            (x + size * 0.35, y),
            (x - size * 0.35, y),
        ],
        mood.accents[0],
        darker(mood.accents[0], 0.2),
        towards=0,
    )
    canvas.dabs(
        np.array([x, y - size * 1.3]) + rng.normal(0, size * 0.35, (14, 2)),
        [mood.leaf, mood.dark, mood.accents[1]],
        size * 0.25,
    )
