"""Dunes, mesas and a cactus."""

from __future__ import annotations

import numpy as np

from saccade.testbed.worlds import noise, things
from saccade.testbed.worlds.canvas import Canvas, Point, ellipse
from saccade.testbed.worlds.palettes import Colour, Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Dunes with a sharp crest between light and shade; a cactus, or tents and a pyramid."""
    rng, width = canvas.rng, canvas.aspect
    things.sky(canvas, mood, 0.55)
    things.sun(canvas, mood, (rng.uniform(0.15, 0.85) * width, rng.uniform(0.12, 0.3)), 0.06)
    things.clouds(canvas, mood, traits.count(2), 0.1, 0.3)
    sand = jitter(rng, mix(mood.sand, (226.0, 160.0, 96.0), 0.55))
    for _ in range(round(3 * (1.0 - traits.openness) + 1)):
        _mesa(
            canvas,
            rng.uniform(0, width),
            0.56,
            rng.uniform(0.06, 0.16),
            mix(darker(sand, 0.25), mood.low, 0.4),
        )
    for _ in range(round(3 * (1.0 - traits.naturalness))):
        x, size = rng.uniform(0.15, 0.85) * width, rng.uniform(0.08, 0.16)
        stone = mix(sand, mood.low, 0.3)
        canvas.fill(
            [(x, 0.56 - size), (x - size * 0.9, 0.58), (x + size * 0.25, 0.58)],
            lighter(stone, 0.15),
        )
        canvas.fill(
            [(x, 0.56 - size), (x + size * 0.25, 0.58), (x + size * 0.9, 0.58)], darker(stone, 0.2)
        )
    layers = 3 + round(2 * traits.depth)
    for layer in range(layers):
        _dune(canvas, mood, sand, 0.52 + 0.36 * layer / layers, layer / layers)
    _ripples(canvas, sand)
    for _ in range(traits.count(18)):
        things.rock(
            canvas,
            (rng.uniform(0, width), rng.uniform(0.72, 1.0)),
            rng.uniform(0.008, 0.026),
            darker(sand, 0.2),
        )
    at = rng.uniform(0.2, 0.8) * width, rng.uniform(0.82, 0.92)
    _cactus(canvas, at, rng.uniform(0.26, 0.4), mood)


def _dune(canvas: Canvas, mood: Mood, sand: Colour, base: float, part: float) -> None:
    rng, width = canvas.rng, canvas.aspect
    x = np.linspace(-0.05, width + 0.05, 90)
    y = base + 0.1 * (0.4 + part) * noise.line(rng, 90, 1.6 + rng.random(), octaves=1)
    tone = mix(mix(sand, mood.low, 0.45), sand, part)
    close = [[width + 0.05, 1.05], [-0.05, 1.05]]
    canvas.fill(
        np.concatenate([np.stack([x, y], 1), close]), lighter(tone, 0.2), tone, darker(tone, 0.08)
    )
    slope = np.gradient(y, x)
    shade = y + np.clip(slope * 0.9 + 0.02, 0.0, None) * (0.35 + 0.5 * part)
    under = np.concatenate([np.stack([x, y], 1), np.stack([x, shade], 1)[::-1]])
    canvas.fill(under, darker(tone, 0.3), darker(tone, 0.16), pigment=0.8)


def _ripples(canvas: Canvas, sand: Colour) -> None:
    """Wind marks in the sand before us."""
    rng, width = canvas.rng, canvas.aspect
    for y in np.linspace(0.84, 1.0, 13):
        x = np.linspace(0, width, 40)
        bend = y + 0.012 * noise.line(rng, 40, 6, octaves=2)
        canvas.stroke(np.stack([x, bend], 1), darker(sand, 0.13), 0.003 + 0.004 * (y - 0.84) / 0.16)


def _mesa(canvas: Canvas, x: float, base: float, size: float, tone: Colour) -> None:
    canvas.fill(
        [
            (x - size * 1.3, base + 0.02),
            (x - size * 0.8, base - size * 0.5),
            (x - size * 0.7, base - size),
            (x + size * 0.75, base - size * 0.97),
            (x + size * 0.8, base - size * 0.45),
            (x + size * 1.4, base + 0.02),
        ],
        lighter(tone, 0.2),
        darker(tone, 0.15),
        towards=10,
    )


def _cactus(canvas: Canvas, foot: Point, height: float, mood: Mood) -> None:
    x, y = foot
    green, wide = mix(mood.dark, (70.0, 130.0, 84.0), 0.6), height * 0.085
    canvas.soft(
        ellipse((x + height * 0.3, y), height * 0.4, 0.018), mood.dark, alpha=0.4, blur=0.012
    )
    with canvas.subject():
        for side, low, high in ((-1, 0.35, 0.72), (1, 0.48, 0.86)):
            out = x + side * height * 0.24
            elbow = [(x, y - height * low), (out, y - height * low), (out, y - height * high)]
            canvas.stroke(elbow, darker(green, 0.12), wide * 1.3)
            canvas.fill(
                ellipse((out, y - height * high), wide * 0.66, wide * 0.66), darker(green, 0.12)
            )
        canvas.stroke([(x, y), (x, y - height)], green, wide * 2)
        canvas.fill(ellipse((x, y - height), wide, wide), green)
        for shift in (-0.5, 0.0, 0.5):
            canvas.stroke(
                [(x + wide * shift, y - 0.01), (x + wide * shift, y - height * 0.98)],
                lighter(green, 0.25),
                0.004,
            )
