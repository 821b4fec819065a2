"""Woven and printed cloth: tartan, scallops, terrazzo.

These share their palettes and their make-up, a cloth on a table: only texture tells them apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.testbed.worlds import noise
from saccade.testbed.worlds.canvas import Canvas, Point, ellipse
from saccade.testbed.worlds.palettes import Mood, darker, jitter, lighter, mix
from saccade.testbed.worlds.traits import Traits
from saccade.types import Pixels

_SIDE = 640  # pixels of the cloth before it is laid on the table

Weave = Callable[[np.random.Generator, NDArray[np.float32]], Pixels]


def tartan(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Bands crossing bands."""
    _lay(canvas, traits, mood, _tartan)


def scallops(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Rows of overlapping fans."""
    _lay(canvas, traits, mood, _scallops)


def terrazzo(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """Chips of every shape, strewn."""
    _lay(canvas, traits, mood, _terrazzo)


def _lay(canvas: Canvas, traits: Traits, mood: Mood, weave: Weave) -> None:
    """A cloth on a table: its margin grows with openness, its tilt with depth."""
    rng, width = canvas.rng, canvas.aspect
    wood = mix(mood.trunk, mood.sand, rng.uniform(0.2, 0.8))
    canvas.gradient(0.0, 1.0, [lighter(wood, 0.15), wood])
    for y in np.linspace(0.0, 1.0, 14):
        x = np.linspace(0, width, 30)
        canvas.stroke(
            np.stack([x, y + 0.012 * noise.line(rng, 30, 5)], 1), darker(wood, 0.1), 0.003
        )
    tones = [mood.accents[int(i)] for i in rng.permutation(5)]
    colours = np.array(
        [lighter(tones[0], 0.1), tones[1], lighter(tones[2], 0.3), darker(tones[3], 0.1)],
        np.float32,
    )
    cloth = weave(rng, colours)
    margin = 0.02 + 0.16 * traits.openness
    pinch = 0.26 * traits.depth
    turn = rng.uniform(-0.06, 0.06)
    corners = np.array(
        [
            [margin + pinch * 0.5, margin + pinch * 0.4 + turn],
            [width - margin - pinch * 0.5, margin + pinch * 0.4 - turn],
            [width - margin + 0.1 * pinch, 1 - margin - turn * 0.5],
            [margin - 0.1 * pinch, 1 - margin + turn * 0.5],
        ]
    )
    canvas.soft(corners + 0.015, mood.dark, alpha=0.5, blur=0.02)
    folds = noise.plane(rng, (_SIDE // 8, _SIDE // 8), (2, 5), octaves=2)
    shade = cv2.resize(folds, (_SIDE, _SIDE), interpolation=cv2.INTER_CUBIC) * np.float32(
        0.36
    ) + np.float32(0.8)
    with canvas.subject():
        canvas.paste(cloth, corners, shade=shade)
    _trifles(canvas, traits, mood)


def _trifles(canvas: Canvas, traits: Traits, mood: Mood) -> None:
    """A sprig where it is natural; buttons where it is cluttered."""
    rng, width = canvas.rng, canvas.aspect
    for _ in range(round(5 * traits.naturalness)):
        _sprig(canvas, (rng.uniform(0.12, 0.88) * width, rng.uniform(0.15, 0.85)), mood)
    for _ in range(traits.count(16)):
        spot, size = (rng.uniform(0, width), rng.uniform(0, 1)), rng.uniform(0.018, 0.032)
        tone = jitter(rng, mood.accent(rng))
        canvas.soft(
            ellipse((spot[0] + 0.006, spot[1] + 0.008), size, size),
            mood.dark,
            alpha=0.5,
            blur=0.006,
        )
        canvas.ball(spot, size, lighter(tone, 0.3), darker(tone, 0.2))
        canvas.stroke(ellipse(spot, size * 0.7, size * 0.7), darker(tone, 0.25), 0.003, closed=True)
        canvas.dabs(
            np.array(spot) + np.array([[-1, -1], [1, -1], [-1, 1], [1, 1]]) * size * 0.22,
            [darker(tone, 0.7)],
            size * 0.13,
            squash=1.0,
        )


def _sprig(canvas: Canvas, foot: Point, mood: Mood) -> None:
    turn = canvas.rng.uniform(0.0, 2.0 * math.pi)
    cosine, sine = math.cos(turn), math.sin(turn)
    canvas.stroke(
        [foot, (foot[0] + 0.26 * cosine, foot[1] + 0.26 * sine)], darker(mood.leaf, 0.3), 0.006
    )
    for step in range(9):
        side, along = (-1.0, 1.0)[step % 2], 0.03 + 0.027 * step
        angle = turn + side * 0.9
        spot = (
            foot[0] + along * cosine + 0.035 * math.cos(angle),
            foot[1] + along * sine + 0.035 * math.sin(angle),
        )
        leaf = ellipse(spot, 0.042, 0.016, math.degrees(angle))
        canvas.fill(leaf, lighter(mood.leaf, 0.12), darker(mood.leaf, 0.25))


def _tartan(rng: np.random.Generator, colours: NDArray[np.float32]) -> Pixels:
    """A sett of bands, mirrored and repeated, woven with itself over and under."""
    widths = rng.integers(4, 26, 7)
    sett = np.repeat(rng.integers(0, 4, 7), widths)
    sett = np.concatenate([sett, sett[::-1]])
    thread = np.resize(sett, _SIDE)
    twill = (np.arange(_SIDE)[:, None] + np.arange(_SIDE)[None, :]) // 2 % 4 < 2
    warp, weft = colours[thread][None, :, :], colours[thread][:, None, :]
    mixed = np.where(twill[:, :, None], warp * 0.75 + weft * 0.25, warp * 0.25 + weft * 0.75)
    return np.clip(mixed, 0, 255).astype(np.uint8)


def _scallops(rng: np.random.Generator, colours: NDArray[np.float32]) -> Pixels:
    """Fans in rows, each row half a fan aside, rings within each fan."""
    out = np.empty((_SIDE, _SIDE, 3), np.uint8)
    out[:] = colours[0].astype(np.uint8)
    radius = int(rng.integers(34, 62))
    rings = [(1.0, 3), (0.9, 0), (0.68, 2), (0.5, 1), (0.3, 2), (0.16, 3)]
    for row in range(-1, 2 * _SIDE // radius + 3):
        for column in range(-1, _SIDE // (2 * radius) + 2):
            centre = column * 2 * radius + (row % 2) * radius, round(row * radius * 0.5)
            for part, tone in rings:
                cv2.circle(
                    out, centre, round(radius * part), colours[tone].tolist(), -1, cv2.LINE_AA
                )
    return out


def _terrazzo(rng: np.random.Generator, colours: NDArray[np.float32]) -> Pixels:
    """Angular chips on a speckled ground."""
    out = np.empty((_SIDE, _SIDE, 3), np.uint8)
    out[:] = colours[2].astype(np.uint8)
    size = rng.uniform(15, 26)
    for number in range(int(170000 / size**2)):
        centre = rng.uniform(0, _SIDE, 2)
        angles = np.sort(rng.uniform(0, 2 * np.pi, 6))
        reach = size * rng.uniform(0.5, 1.25, 6)
        chip = centre + np.stack([np.cos(angles) * reach, np.sin(angles) * reach], 1)
        cv2.fillPoly(
            out,
            [np.round(chip).astype(np.int32)],
            colours[(0, 1, 3)[number % 3]].tolist(),
            cv2.LINE_AA,
        )
    return out
