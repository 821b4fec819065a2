"""A street in perspective."""

from __future__ import annotations

import numpy as np

from saccade.testbed.worlds import buildings, plants, things
from saccade.testbed.worlds.canvas import Canvas, Point, box, ellipse
from saccade.testbed.worlds.palettes import Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
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
            plants.tree(canvas, (x, y), 0.5 * near, mood.leaf, mood.dark, mood.trunk, touches=24)
    _tram(canvas, vanish, mood)
    for _ in range(traits.count(16)):
        x, y = _seen(
            vanish,
            rng.choice([-1, 1]) * rng.uniform(0.5, 0.8) * (1 + gap),
            0.48,
            rng.uniform(0.2, 0.95),
        )
        buildings.walker(canvas, (x, y), 0.22 * (y - vanish[1]) / 0.5, mood)


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
