"""Butterflies, free or in a cabinet."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from saccade.testbed.worlds import plants
from saccade.testbed.worlds.canvas import Canvas, Point, box, ellipse
from saccade.testbed.worlds.palettes import Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Butterflies over leaves and blossom, or over plain paper as in a cabinet."""
    rng, width = canvas.rng, canvas.aspect
    ground = lighter(mix(mood.sand, mood.leaf, traits.naturalness * 0.6), 0.25)
    canvas.gradient(0.0, 1.0, [lighter(ground, 0.2), ground])
    leaves = round(60 * traits.naturalness)
    for part in np.sort(rng.random(leaves)):
        spot, size = (
            (rng.uniform(0, width), rng.uniform(0, 1)),
            rng.uniform(0.05, 0.1) * (0.6 + 0.4 * part),
        )
        green = jitter(rng, mix(mood.leaf, (112.0, 160.0, 92.0), 0.35), amount=1.5)
        tone = mix(
            mix(green, ground, 0.6 * (1 - part)), mood.dark, 0.5 * traits.depth * rng.random()
        )
        turn = rng.uniform(0, 180)
        canvas.fill(ellipse(spot, size, size * 0.36, turn), lighter(tone, 0.1), tone, towards=turn)
    if traits.naturalness < 0.5:
        canvas.stroke(box(0.05, 0.05, width - 0.05, 0.95), mood.trunk, 0.02, closed=True)
    for _ in range(traits.count(16)):
        spot = rng.uniform(0.05, width - 0.05), rng.uniform(0.05, 0.95)
        plants.flower(canvas, spot, rng.uniform(0.02, 0.045), mood.accent(rng), mood.sun)
    for _ in range(traits.count(5)):
        _butterfly(
            canvas,
            (rng.uniform(0.08, 0.92) * width, rng.uniform(0.12, 0.88)),
            rng.uniform(0.07, 0.1),
            mood,
        )
    centre = rng.uniform(0.4, 0.6) * width, rng.uniform(0.46, 0.56)
    size = 0.4 - 0.14 * traits.openness
    canvas.soft(
        ellipse((centre[0] + 0.03, centre[1] + 0.04), size * 0.85, size * 0.6),
        mood.dark,
        alpha=0.35,
        blur=0.03,
    )
    with canvas.subject():
        _butterfly(canvas, centre, size, mood)


def _butterfly(canvas: Canvas, centre: Point, size: float, mood: Mood) -> None:
    """Two pairs of wings, mirrored, with a dark border, cells and eye spots."""
    rng, (x, y) = canvas.rng, centre
    turn = math.radians(rng.uniform(-28, 28))
    cosine, sine = math.cos(turn), math.sin(turn)
    first, second = (jitter(rng, mood.accents[int(i)], amount=1.5) for i in rng.permutation(5)[:2])
    border = darker(first, 0.7)
    upper, lower = rng.uniform(0.85, 1.1), rng.uniform(0.6, 0.8)
    spots = int(rng.integers(2, 5))

    def at(across: NDArray[np.float64], down: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.stack(
            [
                x + size * (across * cosine - down * sine),
                y + size * (across * sine + down * cosine),
            ],
            1,
        )

    around = np.linspace(0.0, 2 * math.pi, 40, endpoint=False)
    petal = 0.5 + 0.5 * np.cos(around)
    for side in (-1.0, 1.0):
        for angle, reach, broad in ((0.75, lower, 0.42), (-0.62, upper, 0.36)):
            long, wide = reach * petal**0.8, broad * np.sin(around) * petal**0.35
            across = side * (long * math.cos(angle) - wide * math.sin(angle))
            down = long * math.sin(angle) + wide * math.cos(angle)
            canvas.fill(at(across, down), border)
            near = side * 0.05 + across * 0.84, 0.02 * np.sign(angle) + down * 0.84
            canvas.fill(
                at(*near), lighter(first, 0.25), mix(first, second, 0.5), towards=90 - side * 60
            )
            canvas.fill(at(across * 0.45, down * 0.45), second, pigment=0.8)
            if size > 0.1:
                for part in np.linspace(-0.24, 0.24, spots):
                    tip = (
                        np.array([side * reach * 0.88 * math.cos(angle + part)]),
                        np.array([reach * 0.88 * math.sin(angle + part)]),
                    )
                    middle = at(*tip)[0]
                    canvas.fill(
                        ellipse((middle[0], middle[1]), size * 0.045, size * 0.045),
                        lighter(second, 0.7),
                    )
                for part in np.linspace(-0.35, 0.35, 5):
                    vein = np.array([0.1, 0.75])
                    canvas.stroke(
                        at(
                            side * reach * vein * math.cos(angle + part),
                            reach * vein * math.sin(angle + part),
                        ),
                        border,
                        size * 0.012,
                    )
    for side in (-1.0, 1.0):
        canvas.stroke(
            at(np.array([0.0, side * 0.08, side * 0.2]), np.array([-0.2, -0.42, -0.52])),
            border,
            size * 0.018,
        )
    along = np.linspace(0.0, 2 * math.pi, 24)
    canvas.fill(at(0.05 * np.cos(along), 0.06 + 0.32 * np.sin(along)), border)
