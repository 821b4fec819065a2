"""Scenes without walls: seaside, mountains, forest, desert, night, meadow."""

from __future__ import annotations

import numpy as np

from saccade.testbed.worlds import noise, things
from saccade.testbed.worlds.canvas import Canvas, box, ellipse
from saccade.testbed.worlds.palettes import Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


def seaside(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Sea, surf and sand; a parasol where people are, a palm where they are not."""
    rng, width = canvas.rng, canvas.aspect
    horizon = rng.uniform(0.34, 0.44)
    things.sky(canvas, mood, horizon)
    things.sun(canvas, mood, (rng.uniform(0.15, 0.85) * width, rng.uniform(0.1, 0.24)), 0.05)
    things.clouds(canvas, mood, 2 + traits.count(3), 0.1, horizon - 0.06)
    canvas.gradient(horizon, 0.85, [mix(mood.water, mood.low, 0.35), mood.water, mood.shallow])
    _headlands(canvas, mood, horizon, (1.0 - traits.openness) * 0.36, traits.depth)
    swell(canvas, mood, horizon, 0.7, 90)
    for _ in range(round(3 * (1.0 - traits.naturalness))):
        sail = mood.accent(rng)
        spot = rng.uniform(0.1, 0.9) * width, horizon + rng.uniform(0.03, 0.12)
        things.sailboat(
            canvas, spot, 0.05 + 0.25 * (spot[1] - horizon), mood.trunk, mood.cloud, sail
        )
    shore = rng.uniform(0.62, 0.72)
    _beach(canvas, mood, shore)
    _beach_life(canvas, traits, mood, shore)


def _headlands(canvas: Canvas, mood: Mood, horizon: float, rise: float, depth: float) -> None:
    """Capes at either side, the farther the paler."""
    rng, width = canvas.rng, canvas.aspect
    for side, part in ((rng.choice([-1, 1]), 0.7), (rng.choice([-1, 1]), 0.0)):
        x = np.linspace(0.0, 1.0, 40)
        fall = (1.0 - x) ** 0.7 * (1.0 + 0.35 * noise.line(rng, 40, 5))
        reach = width * rng.uniform(0.3, 0.55)
        at = x * reach if side < 0 else width - x * reach
        y = horizon - (0.03 + rise) * fall * (1.0 - 0.4 * part) + 0.004
        tone = mix(mood.near, mood.low, 0.25 + part * (0.3 + 0.4 * depth))
        outline = np.concatenate(
            [np.stack([at, y], 1), [[at[-1], horizon + 0.006], [at[0], horizon + 0.006]]]
        )
        canvas.fill(outline, lighter(tone, 0.15), darker(tone, 0.1))


def swell(canvas: Canvas, mood: Mood, top: float, bottom: float, count: int) -> None:
    """Streaks of light on water, longer the nearer."""
    rng = canvas.rng
    for part in np.sort(rng.random(count)) ** 1.5:
        y, x = top + 0.01 + (bottom - top) * part, rng.uniform(-0.05, canvas.aspect)
        long, thick = 0.02 + 0.11 * part * rng.random(), 0.0015 + 0.0045 * part
        tone = lighter(mood.shallow, 0.45) if rng.random() < 0.55 else darker(mood.water, 0.12)
        canvas.fill(ellipse((x, y), long, thick), tone, pigment=0, alpha=0.65)


def _beach(canvas: Canvas, mood: Mood, shore: float) -> None:
    width = canvas.aspect
    x = np.linspace(-0.02, width + 0.02, 80)
    slope = canvas.rng.uniform(-0.12, 0.12)
    edge = shore + slope * (x / width - 0.5) + 0.03 * noise.line(canvas.rng, 80, 4)
    wet = mix(mood.sand, darker(mood.water, 0.1), 0.4)
    tones = (mood.cloud, mix(mood.shallow, mood.cloud, 0.3), mood.cloud, wet, mood.sand)
    for tone, shift in zip(tones, (-0.035, -0.022, -0.002, 0.016, 0.055), strict=True):
        ragged = edge + shift + 0.006 * noise.line(canvas.rng, 80, 16)
        outline = np.concatenate([np.stack([x, ragged], 1), [[width + 0.02, 1.05], [-0.02, 1.05]]])
        canvas.fill(outline, tone, darker(tone, 0.06), pigment=1.2)


def _beach_life(canvas: Canvas, traits: Traits, mood: Mood, shore: float) -> None:
    rng, width = canvas.rng, canvas.aspect
    spots = np.stack([rng.uniform(0, width, 46), rng.uniform(shore + 0.12, 1.0, 46)], 1)
    canvas.dabs(spots, [darker(mood.sand, 0.16), lighter(mood.sand, 0.4)], 0.004)
    for _ in range(traits.count(16)):
        spot = rng.uniform(0, width), rng.uniform(shore + 0.13, 0.98)
        tone = mood.accent(rng)
        if rng.random() < 0.5:
            things.flower(canvas, spot, 0.018, tone, darker(tone, 0.2), petals=5)
        else:
            things.rock(canvas, spot, rng.uniform(0.01, 0.03), mood.stone)
    at = (rng.uniform(0.22, 0.78) * width, rng.uniform(0.84, 0.93))
    if traits.naturalness > 0.55:
        canvas.soft(ellipse((at[0] + 0.08, at[1]), 0.16, 0.02), mood.dark, alpha=0.35, blur=0.02)
        with canvas.subject():
            things.palm(canvas, at, rng.uniform(0.5, 0.66), mood.leaf, mood.trunk)
        things.tufts(canvas, 60, at[1] - 0.02, 1.04, [mood.leaf, mood.dark], 0.08)
    else:
        _parasol(canvas, at, rng.uniform(0.2, 0.27), mood)


def _parasol(canvas: Canvas, foot: tuple[float, float], size: float, mood: Mood) -> None:
    x, y = foot
    cloth, other = mood.accents[0], lighter(mood.accents[2], 0.5)
    canvas.soft(ellipse((x + 0.05, y + 0.01), size * 0.9, 0.03), mood.dark, alpha=0.4, blur=0.015)
    with canvas.subject():
        towel = [
            (x + size * 0.2, y),
            (x + size * 1.2, y - 0.01),
            (x + size * 1.3, y + 0.05),
            (x + size * 0.1, y + 0.06),
        ]
        canvas.fill(towel, mood.accents[1], darker(mood.accents[1], 0.1), towards=0)
        canvas.stroke([(x, y + 0.02), (x - size * 0.12, y - size * 1.25)], mood.trunk, 0.009)
        angles = np.linspace(np.pi, 2 * np.pi, 8)
        middle = (x - size * 0.12, y - size * 0.85)
        for i in range(7):
            ends = [
                (middle[0] + size * np.cos(a), middle[1] + size * 0.62 * np.sin(a))
                for a in np.linspace(angles[i], angles[i + 1], 5)
            ]
            tone = cloth if i % 2 else other
            base = (middle[0] + size * 0.55 * np.cos((angles[i] + angles[i + 1]) / 2), middle[1])
            canvas.fill(
                [(middle[0], middle[1] - size * 0.62), *ends, base],
                lighter(tone, 0.1),
                darker(tone, 0.12),
            )


def mountains(canvas: Canvas, traits: Traits, mood: Mood) -> None:
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
        things.pine(
            canvas,
            foot,
            0.09 + 0.7 * (foot[1] - floor),
            mix(mood.dark, mood.near, 0.4 * rng.random()),
            mood.trunk,
        )
    for _ in range(round(4 * (1.0 - traits.naturalness))):
        foot = rng.uniform(0.1, 0.9) * width, rng.uniform(floor + 0.03, 0.97)
        things.house(
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


def forest(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Trunks behind trunks, light falling through; the gaps widen with openness."""
    rng, width = canvas.rng, canvas.aspect
    glade = mix(mood.low, mood.leaf, 0.35)
    canvas.gradient(
        0.0,
        1.0,
        [
            mix(mood.dark, mood.leaf, 0.4),
            glade,
            mix(glade, mood.sun, 0.5),
            mix(mood.leaf, mood.dark, 0.3),
        ],
    )
    canvas.glow((rng.uniform(0.3, 0.7) * width, 0.45), 0.6, mood.sun, 0.5)
    ground = 0.72
    layers = 3 + round(2 * traits.depth)
    for layer in range(layers):
        part = (layer + 1) / layers
        tone = mix(mix(glade, mood.dark, 0.25), darker(mood.trunk, 0.15), part)
        count = round((9 - 5 * part) * (1.5 - 1.6 * traits.openness)) + 1
        foot = ground - 0.1 + 0.22 * part
        canvas.fill(
            things.ridge(canvas, foot, 0.05, 3),
            mix(glade, mood.dark, 0.15 + 0.5 * part),
            mix(mood.leaf, mood.dark, part),
            pigment=1.5,
        )
        for x in rng.uniform(-0.02, width + 0.02, count):
            _trunk(canvas, float(x), foot + 0.02, 0.012 + 0.028 * part, tone, mood)
        spots = np.stack(
            [rng.uniform(0, width, 120), 0.3 * rng.random(120) ** 1.6 * (1.2 - 0.4 * part)], 1
        )
        leaf = mix(glade, mood.leaf, part)
        canvas.dabs(
            spots, [leaf, mix(leaf, mood.dark, 0.4), lighter(leaf, 0.2)], 0.012 + 0.02 * part
        )
    _forest_floor(canvas, traits, mood)


def _trunk(
    canvas: Canvas, x: float, foot: float, wide: float, tone: tuple[float, float, float], mood: Mood
) -> None:
    lean = canvas.rng.normal(0, 0.03)
    canvas.fill(
        [
            (x - wide * 1.5, foot + 0.02),
            (x - wide, foot - 0.1),
            (x + lean - wide * 0.7, -0.02),
            (x + lean + wide * 0.7, -0.02),
            (x + wide, foot - 0.1),
            (x + wide * 1.5, foot + 0.02),
        ],
        lighter(tone, 0.3),
        tone,
        darker(tone, 0.25),
        towards=0,
        pigment=2.0,
    )


def _forest_floor(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    rng, width = canvas.rng, canvas.aspect
    if traits.naturalness < 0.85:
        middle = rng.uniform(0.35, 0.65) * width
        broad = 0.08 + 0.5 * (0.85 - traits.naturalness)
        canvas.fill(
            [
                (middle - 0.015, 0.74),
                (middle + 0.015, 0.74),
                (middle + broad * 1.6, 1.02),
                (middle - broad, 1.02),
            ],
            mood.sand,
            darker(mood.sand, 0.2),
            pigment=1.4,
        )
    things.tufts(canvas, 150, 0.8, 1.04, [mood.leaf, mood.dark, lighter(mood.leaf, 0.2)], 0.075)
    for _ in range(traits.count(22)):
        spot = rng.uniform(0, width), rng.uniform(0.82, 0.99)
        if rng.random() < 0.5:
            _mushroom(canvas, spot, rng.uniform(0.02, 0.04), mood)
        else:
            things.flower(canvas, spot, 0.018, mood.accents[1], mood.accents[2], petals=5)
    foot = rng.uniform(0.2, 0.8) * width, 0.95
    with canvas.subject():
        _trunk(canvas, foot[0], foot[1], 0.055, mix(mood.trunk, mood.stone, 0.2), mood)
        spots = np.stack([foot[0] + rng.normal(0, 0.25, 170), 0.14 + rng.normal(0, 0.09, 170)], 1)
        canvas.dabs(
            spots, [mood.leaf, lighter(mood.leaf, 0.2), mix(mood.leaf, mood.dark, 0.5)], 0.032
        )


def _mushroom(canvas: Canvas, foot: tuple[float, float], size: float, mood: Mood) -> None:
    x, y = foot
    canvas.fill(box(x - size * 0.2, y - size, x + size * 0.2, y), mood.cloud)
    cap = ellipse((x, y - size * 0.9), size * 0.8, size * 0.7)
    cap[:, 1] = np.minimum(cap[:, 1], y - size * 0.8)
    canvas.fill(cap, mood.accents[0])
    canvas.dabs(
        [(x - size * 0.3, y - size * 1.15), (x + size * 0.25, y - size * 1.2)],
        [mood.cloud],
        size * 0.13,
    )


def desert(canvas: Canvas, traits: Traits, mood: Mood) -> None:
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
    ripples(canvas, sand)
    for _ in range(traits.count(18)):
        things.rock(
            canvas,
            (rng.uniform(0, width), rng.uniform(0.72, 1.0)),
            rng.uniform(0.008, 0.026),
            darker(sand, 0.2),
        )
    at = rng.uniform(0.2, 0.8) * width, rng.uniform(0.82, 0.92)
    _cactus(canvas, at, rng.uniform(0.26, 0.4), mood)


def _dune(
    canvas: Canvas, mood: Mood, sand: tuple[float, float, float], base: float, part: float
) -> None:
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


def ripples(canvas: Canvas, sand: tuple[float, float, float]) -> None:
    """Wind marks in the sand before us."""
    rng, width = canvas.rng, canvas.aspect
    for y in np.linspace(0.84, 1.0, 13):
        x = np.linspace(0, width, 40)
        bend = y + 0.012 * noise.line(rng, 40, 6, octaves=2)
        canvas.stroke(np.stack([x, bend], 1), darker(sand, 0.13), 0.003 + 0.004 * (y - 0.84) / 0.16)


def _mesa(
    canvas: Canvas, x: float, base: float, size: float, tone: tuple[float, float, float]
) -> None:
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


def _cactus(canvas: Canvas, foot: tuple[float, float], height: float, mood: Mood) -> None:
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


def night(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Stars and a moon over dark hills; lit windows where people live."""
    rng, width = canvas.rng, canvas.aspect
    horizon = 0.62 + 0.22 * traits.openness
    things.sky(canvas, mood, horizon)
    for _ in range(3):
        x, y = rng.uniform(0, width), rng.uniform(0.05, 0.5)
        canvas.soft(
            ellipse((x, y), 0.4, 0.08, -30),
            mix(mood.accents[0], mood.low, 0.6),
            alpha=0.25,
            blur=0.08,
        )
    stars = np.stack([rng.uniform(0, width, 240), horizon * rng.random(240)], 1)
    canvas.dabs(stars, [mood.sun, mood.cloud, mood.sun], 0.0026, squash=1.0)
    for _ in range(4 + traits.count(14)):
        x, y, size = rng.uniform(0, width), rng.uniform(0, horizon * 0.8), rng.uniform(0.008, 0.016)
        canvas.glow((x, y), size * 2, mood.sun, 0.6)
        canvas.stroke([(x - size, y), (x + size, y)], mood.sun, 0.0025)
        canvas.stroke([(x, y - size), (x, y + size)], mood.sun, 0.0025)
    centre, radius = (
        (rng.uniform(0.2, 0.8) * width, rng.uniform(0.16, 0.3)),
        rng.uniform(0.07, 0.11),
    )
    _moon(canvas, mood, centre, radius)
    layers = 2 + round(2 * traits.depth)
    for layer in range(layers):
        part = (layer + 1) / layers
        tone = mix(mood.far, darker(mood.near, 0.3), part)
        canvas.fill(
            things.ridge(canvas, horizon + 0.12 * part, 0.12, 2.5),
            lighter(tone, 0.08),
            darker(tone, 0.2),
        )
    for x in rng.uniform(0, width, round(8 + 14 * (1.0 - traits.openness))):
        things.pine(
            canvas,
            (float(x), rng.uniform(0.94, 1.02)),
            rng.uniform(0.12, 0.26),
            darker(mood.dark, 0.2),
            mood.trunk,
        )
    for _ in range(round(9 * (1.0 - traits.naturalness))):
        foot = rng.uniform(0.05, 0.95) * width, rng.uniform(0.9, 0.99)
        things.house(
            canvas,
            foot,
            0.12,
            0.07,
            mood.near,
            mood.dark,
            window=mood.accents[1],
            floors=1,
            columns=3,
        )


def _moon(canvas: Canvas, mood: Mood, centre: tuple[float, float], radius: float) -> None:
    canvas.glow(centre, radius * 3.6, mood.sun, 0.4)
    with canvas.subject():
        canvas.ball(centre, radius, lighter(mood.sun, 0.4), darker(mood.sun, 0.12))
        for _ in range(5):
            angle, out = canvas.rng.uniform(0, 6.28), canvas.rng.uniform(0, 0.7) * radius
            spot = centre[0] + out * np.cos(angle), centre[1] + out * np.sin(angle)
            size = radius * canvas.rng.uniform(0.08, 0.2)
            canvas.fill(ellipse(spot, size, size * 0.9), darker(mood.sun, 0.16))


def meadow(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Grass to the horizon, flowers by the hundred, the nearest ones large."""
    rng, width = canvas.rng, canvas.aspect
    horizon = 0.5 - 0.22 * traits.openness
    things.sky(canvas, mood, horizon)
    things.sun(canvas, mood, (rng.uniform(0.1, 0.9) * width, horizon * 0.4), 0.04)
    things.clouds(canvas, mood, 2, 0.06, horizon - 0.04)
    grass = mix(mood.leaf, (120.0, 164.0, 84.0), 0.4)
    for part in np.linspace(0.0, 1.0, 2 + round(3 * traits.depth)):
        tone = mix(mix(grass, mood.low, 0.55), grass, part)
        canvas.fill(
            things.ridge(canvas, horizon + 0.02 + 0.16 * part, 0.06, 2), lighter(tone, 0.15), tone
        )
    for x in rng.uniform(0, width, round(5 + 9 * (1.0 - traits.openness))):
        things.tree(
            canvas,
            (float(x), horizon + 0.04),
            rng.uniform(0.07, 0.16),
            mix(grass, mood.dark, 0.5),
            mood.dark,
            mood.trunk,
            touches=14,
        )
    if traits.naturalness < 0.9:
        foot = rng.uniform(0.2, 0.8) * width, horizon + 0.1
        size = 0.1 + 0.3 * (0.9 - traits.naturalness)
        things.house(
            canvas,
            foot,
            size,
            size * 0.5,
            mood.cloud,
            mood.accents[0],
            window=mood.dark,
            floors=1,
            columns=3,
        )
    canvas.gradient(0.66, 1.0, [grass, darker(grass, 0.18)])
    things.tufts(
        canvas,
        330,
        horizon + 0.14,
        1.05,
        [grass, lighter(grass, 0.22), darker(grass, 0.2), mood.dark],
        0.085,
    )
    petals = mood.accents[:2] if traits.clutter < 0.5 else mood.accents
    for part in np.sort(rng.random(60 + traits.count(150))):
        spot = rng.uniform(0, width), horizon + 0.1 + (0.86 - horizon) * part
        tone = jitter(rng, petals[int(rng.integers(len(petals)))])
        things.flower(canvas, spot, 0.006 + 0.026 * part, tone, mood.sun, petals=5)
    _bunch(canvas, mood, petals[0])


def _bunch(canvas: Canvas, mood: Mood, petal: tuple[float, float, float]) -> None:
    """Three tall flowers right before us: the main object."""
    rng, width = canvas.rng, canvas.aspect
    middle = rng.uniform(0.25, 0.75) * width
    with canvas.subject():
        for shift in (-0.13, 0.14, 0.0):
            x, y, size = (
                middle + shift + rng.normal(0, 0.02),
                rng.uniform(0.48, 0.62),
                rng.uniform(0.09, 0.12),
            )
            canvas.stroke(
                [(x, y), (x + rng.normal(0, 0.02), 0.8), (middle + shift * 0.4, 1.05)],
                darker(mood.leaf, 0.2),
                0.013,
            )
            leaf = ellipse((x + 0.05, 0.82), 0.07, 0.02, -35)
            canvas.fill(leaf, mood.leaf, darker(mood.leaf, 0.2))
            things.flower(canvas, (x, y), size, jitter(rng, petal), mood.sun, petals=9)
