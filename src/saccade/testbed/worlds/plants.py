"""Plants that grow in many scenes: trees, grass, flowers."""

from __future__ import annotations

import math

import numpy as np

from saccade.testbed.worlds.canvas import Canvas, Point, box, ellipse
from saccade.testbed.worlds.palettes import Colour, darker, jitter, lighter, mix


def pine(canvas: Canvas, foot: Point, height: float, colour: Colour, trunk: Colour) -> None:
    """A conifer: tiers of boughs, light on the left."""
    rng = canvas.rng
    x, y = foot
    canvas.fill(box(x - height * 0.025, y - height * 0.2, x + height * 0.025, y), trunk)
    tiers = 5
    for tier in range(tiers):
        top = y - height * (0.3 + 0.7 * (tier + 1) / tiers)
        bottom = y - height * (0.12 + 0.62 * tier / tiers)
        half = height * 0.25 * (1.0 - 0.78 * tier / tiers) * rng.uniform(0.9, 1.1)
        canvas.fill(
            [
                (x, top),
                (x + half, bottom),
                (x + half * 0.3, bottom - height * 0.02),
                (x, bottom + height * 0.015),
                (x - half * 0.4, bottom - height * 0.02),
                (x - half, bottom),
            ],
            lighter(colour, 0.12),
            darker(colour, 0.22),
            towards=20,
        )


def crown(
    canvas: Canvas, centre: Point, radius: float, leaf: Colour, dark: Colour, *, touches: int = 60
) -> None:
    """A leafy crown: overlapping lumps, then touches of light."""
    rng = canvas.rng
    x, y = centre
    for _ in range(7):
        angle, out = rng.uniform(0, 2 * math.pi), radius * rng.uniform(0.2, 0.55)
        lump = (x + out * math.cos(angle), y + out * math.sin(angle) * 0.8)
        canvas.ball(lump, radius * rng.uniform(0.5, 0.65), leaf, dark, squash=0.9)
    spread = rng.normal(0.0, 0.42, (touches, 2)) * radius
    spots = spread * [1.0, 0.85] + [x - radius * 0.12, y - radius * 0.15]
    tones = [lighter(leaf, 0.25), leaf, mix(leaf, dark, 0.4), jitter(rng, leaf, amount=2.0)]
    canvas.dabs(spots, tones, radius * 0.085)


def tree(
    canvas: Canvas,
    foot: Point,
    height: float,
    leaf: Colour,
    dark: Colour,
    trunk: Colour,
    *,
    touches: int = 60,
) -> None:
    """A broad-leaved tree."""
    x, y = foot
    wide = height * 0.045
    canvas.fill(
        [
            (x - wide, y),
            (x - wide * 0.6, y - height * 0.6),
            (x + wide * 0.6, y - height * 0.6),
            (x + wide, y),
        ],
        lighter(trunk, 0.1),
        darker(trunk, 0.25),
        towards=0,
    )
    crown(canvas, (x, y - height * 0.66), height * 0.36, leaf, dark, touches=touches)


def palm(canvas: Canvas, foot: Point, height: float, leaf: Colour, trunk: Colour) -> None:
    """A palm leaning a little."""
    rng = canvas.rng
    lean = rng.uniform(-0.25, 0.25) * height
    steps = np.linspace(0.0, 1.0, 12)
    x, y = foot[0] + lean * steps**2, foot[1] - height * steps
    wide = height * 0.03 * (1.25 - 0.6 * steps)
    left, right = np.stack([x - wide, y], axis=1), np.stack([x + wide, y], axis=1)
    canvas.fill(np.vstack([left, right[::-1]]), lighter(trunk, 0.15), darker(trunk, 0.2), towards=0)
    for angle in np.linspace(-200, 20, 9) + rng.uniform(-8, 8, 9):
        reach = height * rng.uniform(0.36, 0.46)
        along = np.linspace(0.0, 1.0, 9)
        bend = along**2 * reach * 0.55
        cosine, sine = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        spine_x, spine_y = (
            x[-1] + along * reach * cosine,
            y[-1] + along * reach * sine * 0.75 + bend,
        )
        blade = np.sin(along * math.pi) * reach * 0.1
        upper = np.stack([spine_x + sine * blade * 0.4, spine_y - blade], axis=1)
        under = np.stack([spine_x, spine_y + blade * 0.5], axis=1)
        tone = jitter(rng, mix(leaf, darker(leaf, 0.4), float(rng.random())))
        canvas.fill(np.vstack([upper, under[::-1]]), tone)


def tufts(
    canvas: Canvas, count: int, top: float, bottom: float, colours: list[Colour], size: float
) -> None:
    """Blades of grass, higher the nearer."""
    rng = canvas.rng
    down = np.sort(rng.random(count))
    for part in down:
        x, y = rng.uniform(0, canvas.aspect), top + (bottom - top) * part
        reach = size * (0.35 + 0.65 * part)
        lean = rng.normal(0, 0.35) * reach
        canvas.fill(
            [(x - reach * 0.08, y), (x + lean, y - reach), (x + reach * 0.08, y)],
            colours[int(rng.integers(len(colours)))],
        )


def flower(
    canvas: Canvas, centre: Point, size: float, petal: Colour, heart: Colour, *, petals: int = 7
) -> None:
    """A flower seen a little from above."""
    turn = canvas.rng.uniform(0, 360)
    x, y = centre
    for part in range(petals):
        angle = math.radians(turn + 360.0 * part / petals)
        spot = (x + size * 0.55 * math.cos(angle), y + size * 0.45 * math.sin(angle))
        tone = mix(petal, lighter(petal, 0.35), 0.5 - 0.5 * math.sin(angle))
        canvas.fill(ellipse(spot, size * 0.46, size * 0.25, math.degrees(angle) * 0.95), tone)
    canvas.fill(ellipse(centre, size * 0.26, size * 0.22), heart)
