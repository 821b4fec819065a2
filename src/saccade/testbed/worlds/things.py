"""Things that many scenes share: sky, sun, clouds, hills, water, birds, rocks, a table."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from saccade.testbed.worlds import noise
from saccade.testbed.worlds.canvas import Canvas, Point, box, ellipse
from saccade.testbed.worlds.palettes import Colour, Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


def sky(canvas: Canvas, mood: Mood, horizon: float) -> None:
    """The sky down to the horizon, a little beyond it so that no gap shows."""
    canvas.gradient(0.0, horizon + 0.02, [mood.sky, mix(mood.sky, mood.low, 0.55), mood.low])


def sun(canvas: Canvas, mood: Mood, centre: Point, radius: float) -> None:
    """A pale disc in its glow."""
    canvas.glow(centre, radius * 5.5, mood.sun, 0.55)
    canvas.fill(ellipse(centre, radius, radius), mood.sun, pigment=0.2)


def clouds(canvas: Canvas, mood: Mood, count: int, low: float, high: float) -> None:
    """Flat-bottomed heaps of cloud between two heights, smaller towards the lower one."""
    rng = canvas.rng
    for _ in range(count):
        x, y = rng.uniform(-0.1, canvas.aspect + 0.1), rng.uniform(low, high)
        size = rng.uniform(0.05, 0.11) * (1.3 - 0.8 * (y - low) / max(high - low, 0.01))
        shade = mix(mood.cloud, mood.sky, 0.35)
        for tone, shift in ((shade, 0.25), (mood.cloud, 0.0)):
            for part in np.linspace(-1.0, 1.0, 5):
                lump = size * (0.75 - 0.42 * abs(part)) * rng.uniform(0.8, 1.2)
                top = ellipse((x + part * size * 1.7, y + shift * size * 0.5), lump * 1.25, lump)
                top[:, 1] = np.minimum(top[:, 1], y + size * (0.18 + shift * 0.6))
                canvas.fill(top, tone, pigment=0.6, alpha=0.88)


def ridge(
    canvas: Canvas,
    base: float,
    height: float,
    cells: float,
    *,
    sharp: bool = False,
    points: int = 90,
) -> NDArray[np.float64]:
    """The outline of hills across the picture, closed along its lower edge."""
    x = np.linspace(-0.03, canvas.aspect + 0.03, points)
    y = base - height * (0.5 + 0.5 * noise.line(canvas.rng, points, cells, octaves=4, sharp=sharp))
    return np.concatenate([np.stack([x, y], axis=1), [[x[-1], 1.05], [x[0], 1.05]]])


def swell(canvas: Canvas, mood: Mood, top: float, bottom: float, count: int) -> None:
    """Streaks of light on water, longer the nearer."""
    rng = canvas.rng
    for part in np.sort(rng.random(count)) ** 1.5:
        y, x = top + 0.01 + (bottom - top) * part, rng.uniform(-0.05, canvas.aspect)
        long, thick = 0.02 + 0.11 * part * rng.random(), 0.0015 + 0.0045 * part
        tone = lighter(mood.shallow, 0.45) if rng.random() < 0.55 else darker(mood.water, 0.12)
        canvas.fill(ellipse((x, y), long, thick), tone, pigment=0, alpha=0.65)


def birds(canvas: Canvas, colour: Colour, count: int, high: float, low: float) -> None:
    """A loose flight of birds."""
    rng = canvas.rng
    x0, y0 = rng.uniform(0.15, 0.85) * canvas.aspect, rng.uniform(high, low)
    for _ in range(count):
        x, y = x0 + rng.normal(0, 0.13), y0 + rng.normal(0, 0.05)
        size = rng.uniform(0.01, 0.02)
        wings = [
            (x - size, y - size * 0.5),
            (x - size * 0.4, y - size * 0.55),
            (x, y),
            (x + size * 0.4, y - size * 0.55),
            (x + size, y - size * 0.5),
        ]
        canvas.stroke(wings, colour, 0.0035)


def rock(canvas: Canvas, centre: Point, size: float, colour: Colour) -> None:
    """A boulder with a lit side."""
    rng = canvas.rng
    angles = np.sort(rng.uniform(0, 2 * math.pi, 9))
    reach = size * rng.uniform(0.75, 1.1, 9)
    points = np.stack(
        [
            centre[0] + reach * np.cos(angles) * 1.3,
            np.minimum(centre[1] + reach * np.sin(angles) * 0.8, centre[1] + size * 0.4),
        ],
        1,
    )
    canvas.fill(points, lighter(colour, 0.25), darker(colour, 0.35), towards=55, pigment=1.6)


def table(canvas: Canvas, traits: Traits, mood: Mood) -> float:
    """A wall and a table top, with a window when the view is deep; the table edge's height."""
    rng, width = canvas.rng, canvas.aspect
    wall = lighter(jitter(rng, mood.accents[3], amount=2), 0.45)
    edge = rng.uniform(0.6, 0.68)
    canvas.gradient(0.0, edge, [lighter(wall, 0.15), darker(wall, 0.1)])
    if traits.depth > 0.5:
        left, size = rng.uniform(0.08, 0.6) * width, 0.2 + 0.2 * traits.depth
        frame = box(left, 0.06, left + size, 0.06 + size)
        canvas.fill(frame, mood.sky, mood.low, mix(mood.far, mood.leaf, 0.5))
        canvas.stroke(frame, lighter(wall, 0.6), 0.018, closed=True)
        canvas.stroke(
            [(left + size / 2, 0.06), (left + size / 2, 0.06 + size)], lighter(wall, 0.6), 0.01
        )
    wood = mix(mood.trunk, mood.sand, rng.uniform(0.3, 0.7))
    canvas.gradient(edge, 1.0, [lighter(wood, 0.2), wood])
    for y in np.linspace(edge + 0.02, 1.0, 12):
        x = np.linspace(0, width, 30)
        canvas.stroke(
            np.stack([x, y + 0.008 * noise.line(rng, 30, 5)], 1), darker(wood, 0.1), 0.003
        )
    if traits.naturalness < 0.5:
        _runner(canvas, mood, edge, 0.5 - traits.naturalness)
    return edge


def _runner(canvas: Canvas, mood: Mood, edge: float, artifice: float) -> None:
    """A checked cloth on the table, broader the less natural the picture is."""
    middle, half, cloth = canvas.aspect / 2, 0.25 + 0.9 * artifice, lighter(mood.accents[2], 0.3)
    canvas.fill(
        [
            (middle - half, edge + 0.03),
            (middle + half, edge + 0.03),
            (middle + half * 1.25, 1.02),
            (middle - half * 1.25, 1.02),
        ],
        cloth,
    )
    for part in np.linspace(-1.0, 1.0, 9):
        canvas.stroke(
            [(middle + half * part, edge + 0.03), (middle + half * 1.25 * part, 1.02)],
            mood.accents[0],
            0.008,
        )
    for part in np.geomspace(0.06, 0.4, 6):
        canvas.stroke(
            [
                (middle - half * (1 + part * 0.5), edge + part),
                (middle + half * (1 + part * 0.5), edge + part),
            ],
            mood.accents[0],
            0.004 + 0.012 * part,
        )
