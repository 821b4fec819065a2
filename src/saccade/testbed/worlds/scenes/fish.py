"""Fish under water."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from saccade.testbed.worlds import things
from saccade.testbed.worlds.canvas import Canvas, Point, box, ellipse
from saccade.testbed.worlds.palettes import Colour, Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
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
