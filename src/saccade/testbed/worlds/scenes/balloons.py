"""Hot-air balloons."""

from __future__ import annotations

import math

import numpy as np

from saccade.testbed.worlds import buildings, plants, things
from saccade.testbed.worlds.canvas import Canvas, Point, box
from saccade.testbed.worlds.palettes import Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Striped balloons over hills, the main one near."""
    rng, width = canvas.rng, canvas.aspect
    things.sky(canvas, mood, 0.9)
    things.clouds(canvas, mood, 3, 0.15, 0.6)
    for part in np.linspace(0.0, 1.0, 2 + round(2 * traits.depth)):
        tone = mix(mix(mood.far, mood.low, 0.4), mood.near, part)
        canvas.fill(
            things.ridge(canvas, 0.82 + 0.1 * part, 0.16 * (1.3 - traits.openness), 2.5),
            lighter(tone, 0.1),
            tone,
        )
    for x in rng.uniform(0, width, round(2 + 14 * traits.naturalness)):
        plants.tree(
            canvas,
            (float(x), rng.uniform(0.93, 1.02)),
            rng.uniform(0.08, 0.14),
            mood.leaf,
            mood.dark,
            mood.trunk,
            touches=8,
        )
    for x in rng.uniform(0, width, round(7 * (1.0 - traits.naturalness))):
        buildings.house(
            canvas,
            (float(x), 0.97),
            0.09,
            0.06,
            mood.cloud,
            mood.accents[0],
            window=mood.dark,
            floors=1,
            columns=3,
        )
    for _ in range(1 + traits.count(9)):
        size = rng.uniform(0.03, 0.075)
        _balloon(canvas, (rng.uniform(0.05, 0.95) * width, rng.uniform(0.1, 0.62)), size, mood)
    with canvas.subject():
        _balloon(
            canvas,
            (rng.uniform(0.3, 0.7) * width, rng.uniform(0.3, 0.4)),
            0.24 - 0.06 * traits.openness,
            mood,
        )


def _balloon(canvas: Canvas, centre: Point, radius: float, mood: Mood) -> None:
    """An envelope in gores, ropes and a basket."""
    rng, (x, y) = canvas.rng, centre
    first, second = (jitter(rng, mood.accents[int(i)]) for i in rng.permutation(5)[:2])
    down = np.linspace(-1.0, 1.0, 24)
    half = radius * np.where(
        down < 0.1,
        np.sqrt(np.clip(1 - down**2, 0, 1)),
        1 - (np.clip(down - 0.1, 0, 1) / 0.9) ** 1.6 * 0.82,
    )
    level = y + radius * np.where(down < 0.1, down, 0.1 + (down - 0.1) * 1.35)
    gores = 9
    for gore in range(gores):
        left, right = (math.sin(math.pi * (gore + side - gores / 2) / gores) for side in (0, 1))
        tone = first if gore % 2 else second
        tone = lighter(tone, 0.3 - 0.09 * gore) if gore < 3 else darker(tone, 0.06 * (gore - 3))
        canvas.fill(
            np.vstack(
                [
                    np.stack([x + half * left, level], 1),
                    np.stack([x + half * right, level], 1)[::-1],
                ]
            ),
            tone,
            pigment=0.7,
        )
    if radius > 0.1:
        for band in (8, 12):
            row = np.stack(
                [np.linspace(x - half[band], x + half[band], 21), np.full(21, level[band])], 1
            )
            row[:, 1] += radius * 0.1 * (1 - np.linspace(-1, 1, 21) ** 2)
            canvas.stroke(row, lighter(second, 0.6), radius * 0.05)
    low, basket = level[-1], y + radius * 1.75
    for side in (-1, 1):
        canvas.stroke(
            [(x + side * half[-1] * 0.9, low), (x + side * radius * 0.13, basket)],
            darker(mood.trunk, 0.2),
            radius * 0.025,
        )
    canvas.fill(
        box(x - radius * 0.15, basket, x + radius * 0.15, basket + radius * 0.22),
        lighter(mood.trunk, 0.2),
        darker(mood.trunk, 0.2),
    )
