"""Scenes people built: skyline, street, houses, harbour."""

from __future__ import annotations

import contextlib

import numpy as np

from saccade.testbed.worlds import things
from saccade.testbed.worlds.canvas import Canvas, Point, box, ellipse
from saccade.testbed.worlds.land import swell
from saccade.testbed.worlds.palettes import Colour, Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


def skyline(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Towers in rows, the farther the paler; trees before them where it is greener."""
    rng, width = canvas.rng, canvas.aspect
    things.sky(canvas, mood, 0.8)
    things.sun(canvas, mood, (rng.uniform(0.1, 0.9) * width, rng.uniform(0.1, 0.3)), 0.05)
    things.clouds(canvas, mood, traits.count(4), 0.08, 0.4)
    rows = 2 + round(2 * traits.depth)
    ground = 0.9
    for row in range(rows):
        part = (row + 1) / rows
        tone = mix(mix(mood.far, mood.low, 0.45), darker(mood.mid, 0.15), part)
        tall = (0.62 - 0.2 * part) * (1.25 - 0.75 * traits.openness)
        x = -0.05
        while x < width:
            wide = rng.uniform(0.07, 0.14)
            _tower(
                canvas,
                x,
                ground,
                wide,
                tall * rng.uniform(0.45, 1.0),
                jitter(rng, tone),
                mood,
                part,
            )
            x += wide + rng.uniform(0.0, 0.06)
    with canvas.subject():
        x = rng.uniform(0.25, 0.65) * width
        tall = rng.uniform(0.62, 0.74) * (1.1 - 0.25 * traits.openness)
        _tower(canvas, x, ground, 0.15, tall, mix(mood.accents[3], mood.near, 0.35), mood, 1.0)
        canvas.stroke(
            [(x + 0.075, ground - tall), (x + 0.075, ground - tall - 0.1)],
            darker(mood.near, 0.2),
            0.008,
        )
    canvas.gradient(ground, 1.0, [mix(mood.stone, mood.near, 0.4), darker(mood.near, 0.2)])
    for _ in range(round(2 + 40 * traits.naturalness)):
        foot = rng.uniform(0, width), rng.uniform(0.93, 1.02)
        things.tree(
            canvas, foot, rng.uniform(0.1, 0.2), mood.leaf, mood.dark, mood.trunk, touches=14
        )
    things.birds(canvas, darker(mood.near, 0.3), traits.count(9), 0.12, 0.35)


def _tower(
    canvas: Canvas,
    left: float,
    ground: float,
    wide: float,
    tall: float,
    tone: Colour,
    mood: Mood,
    part: float,
) -> None:
    """One tower: a lit front, a shaded side, windows in a grid, some of them lit."""
    rng = canvas.rng
    top = ground - tall
    canvas.fill(box(left, top, left + wide, ground), lighter(tone, 0.12), mix(tone, mood.low, 0.25))
    canvas.fill(
        box(left + wide * 0.78, top, left + wide, ground),
        darker(tone, 0.2),
        mix(tone, mood.low, 0.1),
    )
    if rng.random() < 0.35:
        canvas.fill(
            [(left, top), (left + wide * 0.5, top - wide * 0.45), (left + wide, top)],
            darker(tone, 0.1),
        )
    columns, rows = int(rng.integers(3, 5)), max(3, int(tall / rng.uniform(0.035, 0.05)))
    glass = mix(mix(tone, mood.low, 0.5), lighter(mood.sky, 0.3), 0.4)
    lit, dim = mix(glass, mood.sun, 0.75), darker(tone, 0.22 * part + 0.08)
    step = wide * 0.74 / columns
    for row in range(rows):
        y = top + 0.02 + row * (tall - 0.03) / rows
        for column in range(columns):
            x = left + wide * 0.04 + column * step
            pane = lit if rng.random() < 0.3 else (glass if rng.random() < 0.3 else dim)
            canvas.fill(
                box(x + step * 0.18, y, x + step * 0.82, y + (tall - 0.03) / rows * 0.55), pane
            )


def street(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """A street running to its vanishing point between two rows of houses, and a tram on it."""
    rng, width = canvas.rng, canvas.aspect
    vanish = rng.uniform(0.4, 0.6) * width, rng.uniform(0.46, 0.54)
    things.sky(canvas, mood, 0.7)
    things.clouds(canvas, mood, 1 + traits.count(2), 0.08, 0.3)
    canvas.gradient(
        vanish[1], 1.0, [mix(mood.stone, mood.low, 0.4), mix(mood.stone, mood.near, 0.35)]
    )
    gap = 0.35 + 0.75 * traits.openness
    for side in (-1.0, 1.0):
        _street_side(canvas, vanish, side, gap, traits, mood)
    pavement = mix(mood.sand, mood.stone, 0.4)
    for side in (-1.0, 1.0):
        inner, outer = vanish[0] + side * 0.42 * (1 + gap), vanish[0] + side * 0.9 * (1 + gap)
        canvas.fill(
            [vanish, (inner, 1.02), (outer, 1.02)], lighter(pavement, 0.05), pavement, pigment=1.2
        )
    canvas.fill(
        [vanish, (vanish[0] - 0.02, 1.02), (vanish[0] + 0.02, 1.02)], lighter(mood.sand, 0.4)
    )
    for near in np.linspace(0.12, 0.9, round(2 + 14 * traits.naturalness)):
        for side in (-1.0, 1.0):
            x, y = _seen(vanish, side * 0.62 * (1 + gap), 0.48, float(near))
            things.tree(canvas, (x, y), 0.5 * near, mood.leaf, mood.dark, mood.trunk, touches=24)
    _tram(canvas, vanish, mood)
    for _ in range(traits.count(16)):
        x, y = _seen(
            vanish,
            rng.choice([-1, 1]) * rng.uniform(0.5, 0.8) * (1 + gap),
            0.48,
            rng.uniform(0.2, 0.95),
        )
        _walker(canvas, (x, y), 0.22 * (y - vanish[1]) / 0.5, mood)


def _seen(vanish: Point, across: float, down: float, near: float) -> Point:
    """Where a point of the ground plan is seen; `near` is 0 at the horizon, 1 at our feet."""
    return vanish[0] + across * near, vanish[1] + down * near


def _street_side(
    canvas: Canvas, vanish: Point, side: float, gap: float, traits: Traits, mood: Mood
) -> None:
    """Fronts from far to near: each a slanted quadrilateral with windows in perspective."""
    rng = canvas.rng
    edges = np.geomspace(0.1 + 0.12 * (1.0 - traits.depth), 1.6, 7)
    for i in range(len(edges) - 1):
        far, near = float(edges[i]), float(edges[i + 1])
        tall = rng.uniform(0.75, 1.1)
        wall = jitter(rng, mood.accent(rng), amount=2)
        wall = mix(mix(wall, mood.sand, 0.35), mood.low, 0.45 * (1 - i / 6))
        wall = darker(wall, 0.12) if side > 0 else lighter(wall, 0.1)
        across = side * 0.8 * (1 + gap) * 0.75

        def corner(
            along: float, up: float, far: float = far, near: float = near, across: float = across
        ) -> Point:
            part = far + (near - far) * along
            return vanish[0] + across * part, vanish[1] + (0.42 - up) * part

        canvas.fill(
            [corner(0, tall), corner(1, tall), corner(1, 0), corner(0, 0)], lighter(wall, 0.1), wall
        )
        canvas.fill(
            [corner(0, tall + 0.08), corner(1, tall + 0.08), corner(1, tall), corner(0, tall)],
            darker(mood.accents[0], 0.25),
        )
        for up in np.arange(0.28, tall - 0.1, 0.22):
            for along in (0.12, 0.4, 0.68):
                pane = [
                    corner(along, up + 0.14),
                    corner(along + 0.18, up + 0.14),
                    corner(along + 0.18, up),
                    corner(along, up),
                ]
                canvas.fill(pane, darker(wall, 0.45) if rng.random() < 0.7 else mood.sun)
        if rng.random() < 0.8:
            cloth = mood.accent(rng)
            canvas.fill(
                [corner(0.1, 0.22), corner(0.9, 0.22), corner(0.95, 0.16), corner(0.05, 0.16)],
                cloth,
            )
            canvas.fill(
                [corner(0.15, 0.16), corner(0.85, 0.16), corner(0.85, 0.0), corner(0.15, 0.0)],
                darker(wall, 0.5),
            )


def _tram(canvas: Canvas, vanish: Point, mood: Mood) -> None:
    rng = canvas.rng
    size, side = rng.uniform(0.1, 0.15), rng.choice([-1.0, 1.0])
    x, y = vanish[0] + side * size * 0.9, vanish[1] + size * 2.3
    tone = mood.accents[0]
    canvas.soft(ellipse((x, y), size * 0.8, size * 0.12), mood.dark, alpha=0.5, blur=0.01)
    with canvas.subject():
        back = [
            (x - size * 0.6 * side, y - size * 1.6),
            (vanish[0] - 0.01 * side, vanish[1] - 0.02),
            (vanish[0] - 0.01 * side, vanish[1] + 0.05),
            (x - size * 0.6 * side, y - size * 0.1),
        ]
        canvas.fill(back, darker(tone, 0.25))
        canvas.fill(
            box(x - size * 0.6, y - size * 1.65, x + size * 0.6, y - size * 0.05),
            lighter(tone, 0.1),
            darker(tone, 0.1),
        )
        canvas.fill(
            box(x - size * 0.6, y - size * 0.75, x + size * 0.6, y - size * 0.62), mood.cloud
        )
        canvas.fill(
            box(x - size * 0.5, y - size * 1.4, x + size * 0.5, y - size * 0.85),
            mix(mood.sky, mood.cloud, 0.5),
            darker(mood.sky, 0.3),
        )
        canvas.stroke([(x, y - size * 1.4), (x, y - size * 0.85)], darker(tone, 0.3), size * 0.05)
        for lamp in (-0.38, 0.38):
            canvas.fill(
                ellipse((x + lamp * size, y - size * 0.35), size * 0.1, size * 0.1), mood.sun
            )
        canvas.fill(ellipse((x, y - size * 1.75), size * 0.22, size * 0.12), darker(tone, 0.4))


def _walker(canvas: Canvas, foot: Point, size: float, mood: Mood) -> None:
    """A small figure with a coat."""
    rng, (x, y) = canvas.rng, foot
    coat = mood.accent(rng)
    for leg in (-0.07, 0.07):
        canvas.stroke(
            [(x, y - size * 0.4), (x + leg * size * 1.4, y)], darker(mood.near, 0.4), size * 0.07
        )
    canvas.fill(
        [
            (x - size * 0.09, y - size * 0.8),
            (x + size * 0.09, y - size * 0.8),
            (x + size * 0.17, y - size * 0.32),
            (x - size * 0.17, y - size * 0.32),
        ],
        coat,
    )
    canvas.fill(
        ellipse((x, y - size * 0.9), size * 0.085, size * 0.1), mix(mood.sand, mood.trunk, 0.3)
    )


def houses(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """A row of painted houses, gables side by side, behind a quay or a garden."""
    rng, width = canvas.rng, canvas.aspect
    things.sky(canvas, mood, 0.8)
    things.clouds(canvas, mood, 2 + traits.count(2), 0.06, 0.3)
    canvas.fill(
        things.ridge(canvas, 0.62, 0.2 * traits.depth, 2), mix(mood.far, mood.low, 0.3), mood.mid
    )
    ground = 0.82
    count = round(6 - 3 * traits.openness)
    wide = width / count
    main = int(rng.integers(1, max(2, count - 1)))
    for order in [*(i for i in range(count) if i != main), main]:
        wall = lighter(jitter(rng, mood.accent(rng), amount=2), 0.2)
        roof = darker(mix(mood.accents[0], mood.trunk, rng.uniform(0.2, 0.8)), 0.1)
        tall = rng.uniform(0.3, 0.5) * (1.15 - 0.35 * traits.openness)
        house = wide * rng.uniform(0.82, 0.98) * (1.0 - 0.25 * traits.openness)
        foot = wide * (order + 0.5), ground
        with canvas.subject() if order == main else contextlib.nullcontext():
            things.house(
                canvas,
                foot,
                house,
                tall,
                wall,
                roof,
                window=darker(mood.sky, 0.35),
                floors=int(rng.integers(2, 4)),
                columns=int(rng.integers(2, 4)),
                gable=order == main or bool(rng.random() < 0.7),
            )
    path = mix(mood.stone, mood.sand, 0.5)
    canvas.gradient(ground, 1.0, [lighter(path, 0.1), darker(path, 0.15)])
    for y in np.geomspace(0.02, 0.17, 5):
        canvas.stroke([(0, ground + y), (width, ground + y)], darker(path, 0.14), 0.003)
    for x in rng.uniform(0, width, round(2 + 12 * traits.naturalness)):
        things.crown(
            canvas,
            (float(x), rng.uniform(ground - 0.03, ground + 0.04)),
            rng.uniform(0.04, 0.075),
            mood.leaf,
            mood.dark,
            touches=22,
        )
    for _ in range(traits.count(14)):
        foot = rng.uniform(0, width), rng.uniform(ground + 0.05, 0.98)
        if rng.random() < 0.5:
            _walker(canvas, foot, 0.14, mood)
        else:
            _flowerpot(canvas, foot, 0.04, mood)


def _flowerpot(canvas: Canvas, foot: Point, size: float, mood: Mood) -> None:
    rng, (x, y) = canvas.rng, foot
    canvas.fill(
        [
            (x - size * 0.5, y - size),
            (x + size * 0.5, y - size),
            (x + size * 0.35, y),
            (x - size * 0.35, y),
        ],
        mood.accents[0],
        darker(mood.accents[0], 0.2),
        towards=0,
    )
    canvas.dabs(
        np.array([x, y - size * 1.3]) + rng.normal(0, size * 0.35, (14, 2)),
        [mood.leaf, mood.dark, mood.accents[1]],
        size * 0.25,
    )


def harbour(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Boats at anchor, their reflections, a quay with houses behind."""
    rng, width = canvas.rng, canvas.aspect
    shore = rng.uniform(0.42, 0.5)
    things.sky(canvas, mood, shore)
    things.clouds(canvas, mood, 2, 0.06, shore - 0.14)
    canvas.fill(
        things.ridge(canvas, shore - 0.02, 0.26 * (1.1 - traits.openness), 2.5),
        mix(mood.far, mood.low, 0.4 * traits.depth),
        mood.mid,
    )
    for _ in range(round(3 + 14 * traits.naturalness)):
        things.tree(
            canvas,
            (rng.uniform(0, width), shore),
            rng.uniform(0.08, 0.16),
            mood.leaf,
            mood.dark,
            mood.trunk,
            touches=10,
        )
    for x in np.sort(rng.uniform(0, width, round(12 * (1.0 - traits.naturalness)))):
        wall = lighter(mood.accent(rng), 0.35)
        things.house(
            canvas,
            (float(x), shore),
            rng.uniform(0.08, 0.12),
            rng.uniform(0.07, 0.15),
            wall,
            darker(mood.accents[0], 0.15),
            window=darker(mood.sky, 0.4),
        )
    canvas.gradient(
        shore, 1.0, [mix(mood.water, mood.low, 0.3), mood.water, darker(mood.water, 0.2)]
    )
    canvas.fill(
        box(0, shore - 0.005, width, shore + 0.022),
        lighter(mood.stone, 0.1),
        darker(mood.stone, 0.2),
    )
    swell(canvas, mood, shore + 0.02, 1.0, 60)
    boats = sorted(rng.uniform(shore + 0.06, 0.76, 2 + traits.count(8)))
    for y in boats:
        _moored(canvas, (rng.uniform(0.05, 0.95) * width, float(y)), 0.1 + 0.32 * (y - shore), mood)
    with canvas.subject():
        _moored(
            canvas,
            (rng.uniform(0.3, 0.7) * width, rng.uniform(0.8, 0.87)),
            rng.uniform(0.3, 0.36),
            mood,
        )
    swell(canvas, mood, 0.88, 1.0, 26)
    things.birds(canvas, mood.cloud, traits.count(8), 0.1, 0.3)


def _moored(canvas: Canvas, waterline: Point, size: float, mood: Mood) -> None:
    """A fishing boat: hull with a stripe, cabin, mast, and its reflection."""
    rng, (x, y) = canvas.rng, waterline
    hull, cabin = (mood.accent(rng) for _ in range(2))
    canvas.soft(
        ellipse((x, y + size * 0.12), size * 0.6, size * 0.1),
        darker(mix(hull, mood.water, 0.5), 0.3),
        alpha=0.7,
        blur=0.012,
    )
    facing = rng.choice([-1.0, 1.0])

    def at(across: float, up: float) -> Point:
        return x + facing * across * size, y - up * size

    canvas.stroke([at(0.05, 0.2), at(0.05, 1.25)], darker(mood.trunk, 0.2), size * 0.03)
    canvas.stroke([at(0.05, 1.2), at(0.62, 0.34)], darker(mood.trunk, 0.2), size * 0.012)
    canvas.stroke([at(0.05, 1.2), at(-0.58, 0.3)], darker(mood.trunk, 0.2), size * 0.012)
    canvas.fill([at(0.07, 1.25), at(0.3, 1.17), at(0.07, 1.08)], mood.accents[0])
    canvas.fill(
        [at(-0.42, 0.2), at(-0.42, 0.55), at(-0.05, 0.55), at(-0.02, 0.2)],
        lighter(cabin, 0.5),
        lighter(cabin, 0.2),
    )
    canvas.fill([at(-0.47, 0.55), at(-0.47, 0.6), at(0.0, 0.6), at(0.0, 0.55)], darker(cabin, 0.25))
    for window in (-0.36, -0.2):
        canvas.fill(
            [at(window, 0.36), at(window, 0.48), at(window + 0.1, 0.48), at(window + 0.1, 0.36)],
            darker(mood.sky, 0.45),
        )
    canvas.fill(
        [at(-0.6, 0.28), at(0.2, 0.22), at(0.7, 0.36), at(0.5, 0.0), at(-0.5, 0.0)],
        lighter(hull, 0.1),
        darker(hull, 0.25),
    )
    canvas.fill(
        [
            at(-0.58, 0.22),
            at(0.2, 0.16),
            at(0.66, 0.29),
            at(0.62, 0.24),
            at(0.2, 0.11),
            at(-0.57, 0.17),
        ],
        lighter(hull, 0.65),
    )
