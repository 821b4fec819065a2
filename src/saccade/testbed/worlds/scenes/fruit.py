"""A bowl of fruit."""

from __future__ import annotations

import math

import numpy as np

from saccade.testbed.worlds import things
from saccade.testbed.worlds.canvas import Canvas, Point, ellipse
from saccade.testbed.worlds.palettes import Colour, Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """A bowl of fruit on a table, more fruit lying round it when cluttered."""
    rng, width = canvas.rng, canvas.aspect
    things.table(canvas, traits, mood)
    size = 0.4 - 0.13 * traits.openness
    x, y = rng.uniform(0.42, 0.58) * width, rng.uniform(0.8, 0.88)
    for _ in range(traits.count(9)):
        spot = x + rng.choice([-1, 1]) * rng.uniform(size, size + 0.35), rng.uniform(0.78, 0.95)
        canvas.soft(
            ellipse((spot[0] + 0.02, spot[1] + 0.05), 0.08, 0.02), mood.dark, alpha=0.4, blur=0.012
        )
        _one_fruit(canvas, spot, rng.uniform(0.05, 0.07), mood)
    canvas.soft(ellipse((x + 0.05, y + 0.02), size * 0.9, 0.04), mood.dark, alpha=0.5, blur=0.02)
    bowl = jitter(rng, mood.accents[int(rng.integers(2, 5))])
    with canvas.subject():
        rim = y - size * 0.5
        canvas.fill(ellipse((x, rim), size, size * 0.13), darker(bowl, 0.4))
        for level, count, reach in ((0.02, 5, 0.72), (0.2, 4, 0.5), (0.36, 2, 0.2)):
            for part in np.linspace(-1.0, 1.0, count):
                spot = x + part * reach * size, rim - level * size
                _one_fruit(canvas, spot, size * rng.uniform(0.2, 0.25), mood)
        curve = np.linspace(0.0, math.pi, 30)
        front = np.stack([x + size * np.cos(curve), rim + size * 0.13 * np.sin(curve)], 1)
        under = np.stack(
            [
                x + size * np.cos(curve) * (1 - 0.25 * np.sin(curve)),
                rim + size * 0.55 * np.sin(curve) ** 0.8,
            ],
            1,
        )
        canvas.shaded(
            np.vstack([front, under[::-1]]),
            (x - size * 0.4, rim + size * 0.1),
            size * 1.3,
            lighter(bowl, 0.35),
            darker(bowl, 0.25),
        )
        band = np.stack(
            [x + size * 0.93 * np.cos(curve), rim + size * 0.22 * np.sin(curve) + size * 0.06], 1
        )
        canvas.stroke(band, lighter(bowl, 0.7), 0.012)
        if traits.naturalness > 0.4:
            for side in (-1, 1):
                leaf = ellipse(
                    (x + side * size * 0.5, rim - size * 0.5),
                    size * 0.24 * traits.naturalness,
                    size * 0.08,
                    side * -35,
                )
                canvas.fill(leaf, lighter(mood.leaf, 0.1), mood.dark, towards=30)


def _one_fruit(canvas: Canvas, centre: Point, radius: float, mood: Mood) -> None:
    """An apple, orange, lemon, plum, or a small bunch of grapes."""
    rng, (x, y) = canvas.rng, centre
    kind = int(rng.integers(5))
    tones: tuple[Colour, ...] = (
        (206, 62, 48),
        (238, 146, 44),
        (244, 208, 76),
        (112, 62, 116),
        (148, 176, 74),
    )
    tone = jitter(rng, mix(tones[kind], mood.accents[0], 0.12), amount=1.5)
    if kind == 4 and rng.random() < 0.6:
        for shift_x, shift_y in (
            (-0.5, -0.3),
            (0.1, -0.45),
            (0.55, -0.2),
            (-0.25, 0.2),
            (0.35, 0.25),
            (0.05, 0.6),
        ):
            canvas.ball(
                (x + shift_x * radius, y + shift_y * radius),
                radius * 0.38,
                lighter(tone, 0.4),
                darker(tone, 0.35),
            )
        return
    canvas.ball(
        centre, radius, lighter(tone, 0.35), darker(tone, 0.35), squash=0.85 if kind == 2 else 0.96
    )
    if kind in (0, 3, 4):
        canvas.stroke(
            [(x, y - radius * 0.8), (x + radius * 0.15, y - radius * 1.2)], mood.trunk, radius * 0.1
        )
        canvas.fill(
            ellipse((x + radius * 0.4, y - radius * 1.05), radius * 0.3, radius * 0.12, -25),
            mood.leaf,
        )
    canvas.fill(
        ellipse((x - radius * 0.4, y - radius * 0.45), radius * 0.14, radius * 0.09, -35),
        lighter(tone, 0.75),
    )
