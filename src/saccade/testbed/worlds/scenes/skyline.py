"""A city from afar."""

from __future__ import annotations

from saccade.testbed.worlds import plants, things
from saccade.testbed.worlds.canvas import Canvas, box
from saccade.testbed.worlds.palettes import Colour, Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Towers in rows, the farther the paler; trees before them where it is greener."""
    rng, width = canvas.rng, canvas.aspect
    things.sky(canvas, mood, 0.92)
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
        plants.tree(
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
