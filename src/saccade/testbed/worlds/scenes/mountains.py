"""Ridges behind ridges and one great peak."""

from __future__ import annotations

import numpy as np

from saccade.testbed.worlds import buildings, noise, plants, things
from saccade.testbed.worlds.canvas import Canvas, Point, box
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
    """The main mountain, with a shoulder: a lit and a shaded side, snow from the top."""
    rng, width = canvas.rng, canvas.aspect
    x, top = rng.uniform(0.3, 0.7) * width, rng.uniform(0.1, 0.18) + 0.08 * openness
    aside = rng.choice([-1.0, 1.0])
    with canvas.subject():
        _cone(canvas, mood, (x + aside * rng.uniform(0.2, 0.34), top + 0.13), base + 0.12, 0.36)
        _cone(canvas, mood, (x, top), base + 0.12, rng.uniform(0.46, 0.64))


def _cone(canvas: Canvas, mood: Mood, tip: Point, foot: float, half: float) -> None:
    rng, (x, top) = canvas.rng, tip
    steps = np.linspace(0.0, 1.0, 40)
    down = top + (foot - top) * steps
    flanks = []
    for side in (-1.0, 1.0):
        jag = 0.05 * noise.line(rng, 40, 6, octaves=4, sharp=True) * np.sqrt(steps)
        flanks.append(np.stack([x + side * half * steps**1.12 + jag, down], 1))
    crest = np.stack([x + 0.12 * noise.line(rng, 40, 4, octaves=3, sharp=True) * steps, down], 1)
    rock = mix(mood.far, mood.near, 0.45)
    snow = lighter(mood.cloud, 0.5)
    tones = (lighter(rock, 0.22), darker(rock, 0.2))
    whites = (snow, mix(snow, mood.far, 0.42))
    line = int(rng.integers(12, 19))
    for flank, tone, white in zip(flanks, tones, whites, strict=True):
        shape = np.vstack([flank, crest[::-1]])
        canvas.fill(shape, tone, mix(tone, mood.low, 0.35), pigment=1.8)
        # The snow line: ragged fingers running down from a slanting edge, each of its own length.
        edge = np.linspace(flank[line], crest[line], 26)
        fingers = 0.5 + 0.5 * noise.line(rng, 26, 9, octaves=2, sharp=True)
        edge[1:-1, 1] += 0.1 * (fingers[1:-1] - 0.35)
        canvas.fill(
            np.vstack([flank[: line + 1], edge, crest[: line + 1][::-1]]), white, pigment=0.6
        )
