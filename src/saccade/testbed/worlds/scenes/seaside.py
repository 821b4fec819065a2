"""Sea, surf and sand."""

from __future__ import annotations

import numpy as np

from saccade.testbed.worlds import buildings, noise, plants, things
from saccade.testbed.worlds.canvas import Canvas, Point, ellipse
from saccade.testbed.worlds.palettes import Mood, darker, lighter, mix
from saccade.testbed.worlds.traits import Traits


def paint(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Sea, surf and sand; a parasol where people are, a palm where they are not."""
    rng, width = canvas.rng, canvas.aspect
    horizon = rng.uniform(0.42, 0.48) - 0.14 * traits.depth
    things.sky(canvas, mood, horizon)
    things.sun(canvas, mood, (rng.uniform(0.15, 0.85) * width, rng.uniform(0.1, 0.24)), 0.05)
    things.clouds(canvas, mood, 2 + traits.count(3), 0.1, horizon - 0.06)
    canvas.gradient(horizon, 0.85, [mix(mood.water, mood.low, 0.35), mood.water, mood.shallow])
    _headlands(canvas, mood, horizon, (1.0 - traits.openness) * 0.36, traits.depth)
    things.swell(canvas, mood, horizon, 0.7, 90)
    for _ in range(round(3 * (1.0 - traits.naturalness))):
        sail = mood.accent(rng)
        spot = rng.uniform(0.1, 0.9) * width, horizon + rng.uniform(0.03, 0.12)
        buildings.sailboat(
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
            plants.flower(canvas, spot, 0.018, tone, darker(tone, 0.2), petals=5)
        else:
            things.rock(canvas, spot, rng.uniform(0.01, 0.03), mood.stone)
    at = (rng.uniform(0.22, 0.78) * width, rng.uniform(0.84, 0.93))
    if traits.naturalness > 0.55:
        canvas.soft(ellipse((at[0] + 0.08, at[1]), 0.16, 0.02), mood.dark, alpha=0.35, blur=0.02)
        with canvas.subject():
            plants.palm(canvas, at, rng.uniform(0.5, 0.66), mood.leaf, mood.trunk)
        plants.tufts(canvas, 60, at[1] - 0.02, 1.04, [mood.leaf, mood.dark], 0.08)
    else:
        _parasol(canvas, at, rng.uniform(0.2, 0.27), mood)


def _parasol(canvas: Canvas, foot: Point, size: float, mood: Mood) -> None:
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
