"""Things that stand in many scenes: sun, clouds, trees, houses, boats, birds, flowers."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from saccade.testbed.worlds import noise
from saccade.testbed.worlds.canvas import Canvas, Point, box, ellipse
from saccade.testbed.worlds.palettes import Colour, Mood, darker, jitter, lighter, mix


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


def house(
    canvas: Canvas,
    foot: Point,
    width: float,
    height: float,
    wall: Colour,
    roof: Colour,
    *,
    window: Colour,
    floors: int = 2,
    columns: int = 2,
    gable: bool = True,
) -> None:
    """A house seen from the front; `foot` is the middle of its lower edge."""
    x, y = foot
    left, right, top = x - width / 2, x + width / 2, y - height
    canvas.fill(box(left, top, right, y), lighter(wall, 0.12), darker(wall, 0.12), towards=40)
    if gable:
        canvas.fill(
            [(left - width * 0.06, top), (x, top - width * 0.5), (right + width * 0.06, top)],
            lighter(roof, 0.1),
            darker(roof, 0.15),
            towards=20,
        )
    else:
        canvas.fill(
            [
                (left - width * 0.05, top),
                (left + width * 0.12, top - width * 0.28),
                (right - width * 0.12, top - width * 0.28),
                (right + width * 0.05, top),
            ],
            lighter(roof, 0.1),
            darker(roof, 0.2),
        )
    cell_x, cell_y = width / columns, height / (floors + 0.35)
    for floor in range(floors):
        for column in range(columns):
            middle = left + cell_x * (column + 0.5)
            up = top + cell_y * (floor + 0.28)
            if floor == floors - 1 and column == columns // 2:
                door = box(middle - cell_x * 0.2, up, middle + cell_x * 0.2, y)
                canvas.fill(door, darker(roof, 0.3))
                continue
            pane = box(middle - cell_x * 0.22, up, middle + cell_x * 0.22, up + cell_y * 0.55)
            canvas.fill(pane, window, darker(window, 0.2))
            canvas.stroke(pane, lighter(wall, 0.6), width * 0.018, closed=True)
            canvas.stroke(
                [(middle, up), (middle, up + cell_y * 0.55)], lighter(wall, 0.6), width * 0.014
            )


def sailboat(
    canvas: Canvas, waterline: Point, size: float, hull: Colour, sail: Colour, stripe: Colour
) -> None:
    """A sailing boat with a mainsail and a jib."""
    x, y = waterline
    lean = canvas.rng.uniform(-0.05, 0.05) * size
    mast = (x + lean, y - size * 1.25)
    canvas.stroke([(x, y - size * 0.1), mast], darker(hull, 0.5), size * 0.03)
    canvas.fill(
        [
            (x + size * 0.04 + lean, y - size * 1.2),
            (x + size * 0.55, y - size * 0.26),
            (x + size * 0.04, y - size * 0.24),
        ],
        lighter(sail, 0.2),
        darker(sail, 0.12),
        towards=0,
    )
    canvas.fill(
        [
            (x - size * 0.05 + lean, y - size * 1.1),
            (x - size * 0.45, y - size * 0.24),
            (x - size * 0.05, y - size * 0.24),
        ],
        stripe,
        darker(stripe, 0.12),
        towards=0,
    )
    canvas.fill(
        [
            (x - size * 0.55, y - size * 0.18),
            (x + size * 0.62, y - size * 0.2),
            (x + size * 0.42, y + size * 0.05),
            (x - size * 0.4, y + size * 0.05),
        ],
        lighter(hull, 0.15),
        darker(hull, 0.25),
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
