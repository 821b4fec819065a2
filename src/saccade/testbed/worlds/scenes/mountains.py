"""Ridges behind ridges and one great peak."""

from __future__ import annotations

import numpy as np

from saccade.testbed.worlds import buildings, noise, plants, things
from saccade.testbed.worlds.canvas import Canvas, box
from saccade.testbed.worlds.palettes import Mood, darker, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Ridges one behind the other, the highest one with snow; pines in the valley."""
    rng, width = canvas.rng, canvas.aspect
    things.sky(canvas, mood, 0.7)
    things.sun(canvas, mood, (rng.uniform(0.1, 0.9) * width, rng.uniform(0.08, 0.22)), 0.04)
    things.clouds(canvas, mood, 1 + traits.count(3), 0.08, 0.4)
    layers = 3 + round(3 * traits.depth)
    peak = rng.integers(0, 2)
    for layer in range(layers):
        part = layer / (layers - 1)
        tone = mix(mix(mood.far, mood.low, 0.5), mood.mid, part)
        base = 0.52 + 0.3 * part + 0.06 * traits.openness
        height = (0.3 - 0.16 * part) * (1.15 - 0.5 * traits.openness)
        canvas.fill(
            things.ridge(canvas, base, height, 3.5 + 2 * part, sharp=True),
            lighter(tone, 0.06),
            tone,
            mix(tone, mood.low, 0.4),
        )
        canvas.soft(
            box(-0.1, base + 0.02, width + 0.1, base + 0.1), mood.low, alpha=0.35, blur=0.04
        )
        if layer == peak:
            _peak(canvas, mood, base, traits.openness)
    floor = 0.84
    canvas.fill(
        things.ridge(canvas, floor, 0.06, 2),
        mix(mood.near, mood.leaf, 0.5),
        darker(mood.near, 0.2),
        pigment=1.4,
    )
    for _ in range(round(14 + 26 * (1.0 - traits.openness))):
        foot = rng.uniform(-0.02, width + 0.02), rng.uniform(floor, 1.0)
        plants.pine(
            canvas,
            foot,
            0.09 + 0.7 * (foot[1] - floor),
            mix(mood.dark, mood.near, 0.4 * rng.random()),
            mood.trunk,
        )
    for _ in range(round(4 * (1.0 - traits.naturalness))):
        foot = rng.uniform(0.1, 0.9) * width, rng.uniform(floor + 0.03, 0.97)
        buildings.house(
            canvas,
            foot,
            0.11,
            0.06,
            mood.trunk,
            mood.accents[0],
            window=mood.sun,
            floors=1,
            columns=3,
        )
    for _ in range(traits.count(14)):
        things.rock(
            canvas,
            (rng.uniform(0, width), rng.uniform(floor + 0.04, 1.0)),
            rng.uniform(0.01, 0.03),
            mood.stone,
        )


def _peak(canvas: Canvas, mood: Mood, base: float, openness: float) -> None:
    """The main mountain: a lit and a shaded side, snow from the top."""
    rng, width = canvas.rng, canvas.aspect
    x, half = rng.uniform(0.3, 0.7) * width, rng.uniform(0.36, 0.5)
    top, foot = rng.uniform(0.12, 0.2) + 0.08 * openness, base + 0.12
    steps = np.linspace(0.0, 1.0, 24)
    jag = 0.03 * noise.line(rng, 24, 7, sharp=True) * (steps > 0)
    left = np.stack([x - half * steps, top + (foot - top) * steps**0.85 + jag], 1)
    right = np.stack(
        [x + half * steps, top + (foot - top) * steps**0.9 + jag[::-1] * (steps > 0)], 1
    )
    crest = np.stack(
        [
            x + 0.06 * noise.line(rng, 24, 6, sharp=True) * steps + 0.08 * steps,
            top + (foot - top) * steps,
        ],
        1,
    )
    crest[0] = left[0] = right[0] = (x, top)
    rock = mix(mood.far, mood.near, 0.45)
    snow, cut = lighter(mood.cloud, 0.5), rng.integers(9, 13)
    with canvas.subject():
        canvas.fill(
            np.vstack([left, crest[::-1]]),
            lighter(rock, 0.22),
            mix(rock, mood.low, 0.35),
            pigment=1.8,
        )
        canvas.fill(
            np.vstack([right, crest[::-1]]),
            darker(rock, 0.18),
            mix(rock, mood.low, 0.3),
            pigment=1.8,
        )
        for side, tone in ((left, snow), (right, mix(snow, mood.far, 0.4))):
            drip = np.linspace(side[cut], crest[cut], 9)
            drip[:, 1] += np.where(np.arange(9) % 2, 0.055, -0.03) * rng.uniform(0.5, 1.2, 9)
            canvas.fill(np.vstack([side[: cut + 1], drip, crest[:cut][::-1]]), tone, pigment=0.6)
