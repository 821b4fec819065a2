"""Things seen close: fruit, vases, balloons, fish, butterflies."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from saccade.testbed.worlds import noise, things
from saccade.testbed.worlds.canvas import Canvas, Point, box, ellipse
from saccade.testbed.worlds.palettes import Colour, Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


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


def _runner(canvas: Canvas, mood: Mood, edge: float, made: float) -> None:
    """A checked cloth on the table, broader the less natural the picture is."""
    middle, half, cloth = canvas.aspect / 2, 0.25 + 0.9 * made, lighter(mood.accents[2], 0.3)
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


def fruit(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """A bowl of fruit on a table, more fruit lying round it when cluttered."""
    rng, width = canvas.rng, canvas.aspect
    table(canvas, traits, mood)
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


def vases(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """A vase on a table, painted with bands; flowers in it when the picture is natural."""
    rng, width = canvas.rng, canvas.aspect
    table(canvas, traits, mood)
    for _ in range(traits.count(4)):
        x = rng.uniform(0.05, 0.95) * width
        _vase(
            canvas,
            (x, rng.uniform(0.7, 0.76)),
            rng.uniform(0.16, 0.26),
            jitter(rng, mood.accent(rng), amount=2),
            mood,
        )
    for _ in range(traits.count(5)):
        spot = rng.uniform(0.05, 0.95) * width, rng.uniform(0.84, 0.95)
        things.flower(canvas, spot, 0.03, mood.accents[1], mood.sun, petals=6)
    foot = rng.uniform(0.36, 0.64) * width, rng.uniform(0.86, 0.92)
    tall = 0.6 - 0.2 * traits.openness
    canvas.soft(
        ellipse((foot[0] + 0.06, foot[1]), tall * 0.4, 0.03), mood.dark, alpha=0.5, blur=0.02
    )
    with canvas.subject():
        _bouquet(canvas, (foot[0], foot[1] - tall), 0.34 * traits.naturalness, mood)
        _vase(canvas, foot, tall, jitter(rng, mood.accent(rng), amount=2), mood)


def _bouquet(canvas: Canvas, mouth: Point, reach: float, mood: Mood) -> None:
    rng, (x, y) = canvas.rng, mouth
    for angle in np.radians(rng.uniform(-150, -30, round(30 * reach))):
        long = reach * rng.uniform(0.6, 1.1)
        tip = x + long * math.cos(angle) * 0.8, y + long * math.sin(angle)
        canvas.stroke([(x, y + 0.03), tip], darker(mood.leaf, 0.15), 0.007)
        middle = (x + tip[0]) / 2, (y + tip[1]) / 2
        canvas.fill(ellipse(middle, 0.045, 0.015, math.degrees(angle) + 30), mood.leaf)
        things.flower(
            canvas, tip, rng.uniform(0.035, 0.06), mood.accents[int(rng.integers(3))], mood.sun
        )


def _vase(canvas: Canvas, foot: Point, tall: float, glaze: Colour, mood: Mood) -> None:
    """A turned body: its half-width is a smooth curve of the height."""
    rng, (x, y) = canvas.rng, foot
    up = np.linspace(0.0, 1.0, 40)
    knots = rng.uniform([0.11, 0.24, 0.2, 0.07, 0.12], [0.2, 0.4, 0.36, 0.14, 0.22])
    half = tall * _smooth(up, knots)
    left, right = np.stack([x - half, y - tall * up], 1), np.stack([x + half, y - tall * up], 1)
    canvas.shaded(
        np.vstack([left, right[::-1]]),
        (x - tall * 0.15, y - tall * 0.6),
        tall * 0.75,
        lighter(glaze, 0.4),
        darker(glaze, 0.3),
    )
    paint = lighter(mood.accent(rng), 0.15)
    style = int(rng.integers(3))
    for band in (8, 14, 20, 26)[: int(rng.integers(2, 5))]:
        row = np.stack(
            [np.linspace(x - half[band], x + half[band], 25), np.full(25, y - tall * up[band])], 1
        )
        row[:, 1] += tall * 0.03 * np.sqrt(np.clip(1 - np.linspace(-1, 1, 25) ** 2, 0, 1))
        if style == 0:
            canvas.stroke(row, paint, tall * 0.03)
        elif style == 1:
            canvas.dabs(row[2:-2:3], [paint], tall * 0.022, squash=1.0)
        else:
            row[1::2, 1] += tall * 0.04
            canvas.stroke(row, paint, tall * 0.014)
    canvas.fill(ellipse((x, y - tall), half[-1], half[-1] * 0.22), darker(glaze, 0.5))


def _smooth(at: NDArray[np.float64], knots: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values between evenly spaced knots, with level tangents at each."""
    spot = at * (len(knots) - 1)
    left = np.minimum(spot.astype(np.int64), len(knots) - 2)
    part = spot - left
    part = part * part * (3.0 - 2.0 * part)
    values: NDArray[np.float64] = knots[left] * (1.0 - part) + knots[left + 1] * part
    return values


def balloons(canvas: Canvas, traits: Traits, mood: Mood) -> None:
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
        things.tree(
            canvas,
            (float(x), rng.uniform(0.93, 1.02)),
            rng.uniform(0.08, 0.14),
            mood.leaf,
            mood.dark,
            mood.trunk,
            touches=8,
        )
    for x in rng.uniform(0, width, round(7 * (1.0 - traits.naturalness))):
        things.house(
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


def fish(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Fish under water among weed and bubbles; wrecked crates where people were."""
    rng, width = canvas.rng, canvas.aspect
    canvas.gradient(
        0.0,
        1.0,
        [
            lighter(mood.shallow, 0.15),
            mood.water,
            darker(mood.water, 0.3),
            darker(mood.water, 0.45),
        ],
    )
    for _ in range(4):
        x, spread = rng.uniform(0, width), rng.uniform(0.05, 0.14)
        canvas.soft(
            [(x, -0.1), (x + spread, -0.1), (x + spread * 3 + 0.2, 0.9), (x + 0.15, 0.9)],
            lighter(mood.shallow, 0.6),
            alpha=0.16,
            blur=0.02,
        )
    for layer in range(1 + round(2 * traits.depth)):
        tone = mix(mix(mood.water, mood.shallow, 0.2), darker(mood.sand, 0.35), (layer + 1) / 3)
        canvas.fill(things.ridge(canvas, 0.84 + 0.06 * layer, 0.1, 2.5), lighter(tone, 0.12), tone)
    for _ in range(round(4 + 16 * (1.0 - traits.openness) + 6 * traits.naturalness)):
        _weed(
            canvas,
            rng.uniform(0, width),
            rng.uniform(0.15, 0.45),
            jitter(rng, mix(mood.leaf, mood.water, 0.25), amount=2),
        )
    for _ in range(round(4 * (1.0 - traits.naturalness))):
        x, size = rng.uniform(0.1, 0.9) * width, rng.uniform(0.07, 0.12)
        canvas.fill(box(x, 0.95 - size, x + size * 1.2, 0.95), mood.trunk, darker(mood.trunk, 0.3))
        canvas.stroke([(x, 0.95), (x + size * 1.2, 0.95 - size)], lighter(mood.trunk, 0.2), 0.01)
    bubbles = np.stack([rng.uniform(0, width, 34), rng.random(34)], 1)
    canvas.dabs(bubbles, [lighter(mood.shallow, 0.5), mood.shallow], 0.006, squash=1.0)
    for _ in range(1 + traits.count(10)):
        tone = jitter(rng, mood.accent(rng), amount=2)
        _fish(
            canvas,
            (rng.uniform(0, width), rng.uniform(0.1, 0.8)),
            rng.uniform(0.04, 0.08),
            mix(tone, mood.water, 0.3),
            mood,
        )
    with canvas.subject():
        _fish(
            canvas,
            (rng.uniform(0.36, 0.64) * width, rng.uniform(0.4, 0.58)),
            0.27 - 0.08 * traits.openness,
            mood.accents[int(rng.integers(3))],
            mood,
        )


def _weed(canvas: Canvas, x: float, tall: float, tone: Colour) -> None:
    up = np.linspace(0.0, 1.0, 14)
    sway = 0.03 * np.sin(up * 7 + canvas.rng.uniform(0, 6)) * up
    wide = 0.013 * (1.05 - up)
    left, right = (
        np.stack([x + sway - wide, 1.0 - tall * up], 1),
        np.stack([x + sway + wide, 1.0 - tall * up], 1),
    )
    canvas.fill(np.vstack([left, right[::-1]]), lighter(tone, 0.2), darker(tone, 0.2))


def _fish(canvas: Canvas, centre: Point, size: float, tone: Colour, mood: Mood) -> None:
    rng, (x, y) = canvas.rng, centre
    facing, deep = rng.choice([-1.0, 1.0]), rng.uniform(0.42, 0.72)
    fin = darker(mix(tone, mood.accents[1], 0.4), 0.1)

    def at(
        across: NDArray[np.float64] | float, down: NDArray[np.float64] | float
    ) -> NDArray[np.float64]:
        return np.stack(
            np.broadcast_arrays(
                x + facing * size * np.asarray(across), y + size * np.asarray(down)
            ),
            -1,
        )

    canvas.fill(
        at(np.array([-0.8, -1.35, -1.2, -1.35]), np.array([0.0, -0.5, 0.0, 0.5])),
        fin,
        lighter(fin, 0.2),
    )
    canvas.fill(
        at(
            np.array([-0.45, -0.15, 0.35, 0.3]),
            np.array([-deep * 0.8, -deep * 1.35, -deep * 1.2, -deep * 0.7]),
        ),
        fin,
    )
    along = np.linspace(-1.0, 1.0, 36)
    body = deep * (1 - along**2) ** 0.62 * (0.85 + 0.25 * along)
    outline = np.vstack([at(along * 0.95, -body), at(along[::-1] * 0.95, body[::-1])])
    canvas.fill(outline, darker(tone, 0.12), tone, lighter(tone, 0.55))
    for stripe in rng.uniform(-0.5, 0.4, 3) if rng.random() < 0.5 else ():
        reach = deep * 0.8 * (1 - stripe**2) ** 0.7
        canvas.stroke(
            at(np.array([stripe, stripe + 0.06, stripe]), np.array([-reach, 0.0, reach])),
            lighter(mood.accents[2], 0.4),
            size * 0.09,
        )
    if size > 0.1:
        for column in np.arange(-0.55, 0.35, 0.14):
            for row in np.arange(-0.24, 0.3, 0.13):
                arc = np.linspace(-1.2, 1.2, 6)
                canvas.stroke(
                    at(column - 0.05 * np.cos(arc), row + 0.06 * np.sin(arc)),
                    darker(tone, 0.2),
                    size * 0.016,
                )
    canvas.fill(at(np.array([0.15, -0.2, -0.1]), np.array([0.1, 0.36, 0.02])), fin)
    canvas.fill(
        ellipse((x + facing * size * 0.62, y - size * 0.1), size * 0.11, size * 0.11),
        (250, 250, 245),
    )
    canvas.fill(
        ellipse((x + facing * size * 0.64, y - size * 0.1), size * 0.06, size * 0.06), (24, 24, 36)
    )


def butterflies(canvas: Canvas, traits: Traits, mood: Mood) -> None:
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
        things.flower(canvas, spot, rng.uniform(0.02, 0.045), mood.accent(rng), mood.sun)
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
