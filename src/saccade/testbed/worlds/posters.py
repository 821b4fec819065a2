"""Views of one object: posters photographed on a cluttered table.

A poster is flat and full of detail, so two views of it differ by a homography and by light alone,
which is what local features are made for. Every view has its own crop, turn, perspective, light and
clutter; all of them are drawn from (seed, object, view).
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Iterator

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput
from saccade.testbed.worlds import noise, plants, things
from saccade.testbed.worlds.canvas import Canvas, ellipse
from saccade.testbed.worlds.palettes import DAYLIGHT, Mood, darker, jitter, lighter, mix, pick
from saccade.testbed.worlds.world import CLASSES, Drawn, World, check_seed, check_size
from saccade.types import Pixels

_POSTER = (420, 560)  # pixels, wide and high
_SYLLABLES = (
    "ka",
    "lo",
    "mi",
    "ra",
    "ten",
    "sol",
    "ve",
    "nu",
    "bri",
    "da",
    "fo",
    "gal",
    "or",
    "pa",
)


def views(
    count: int,
    per_object: int,
    seed: int = 0,
    *,
    size: tuple[int, int] = (384, 288),
    clutter: float | None = None,
) -> Iterator[Drawn]:
    """`per_object` views of each of `count` posters, object by object.

    View 0 is nearly frontal, later ones are turned, tilted and cut off. `clutter` fixes the mess
    around (0 none, 1 much); by default every view has its own.

    >>> [(one.object_id, one.view) for one in views(1, 2, size=(96, 72))]
    [('poster-0000', 0), ('poster-0000', 1)]
    """
    check_seed(seed)
    size = check_size(size)
    if count < 0 or per_object < 0:
        raise InvalidInput(f"views({count}, {per_object}): counts cannot be negative")
    if clutter is not None and not 0.0 <= clutter <= 1.0:
        raise InvalidInput(f"clutter {clutter}: give a strength between 0 and 1")
    for number in range(count):
        art = poster(number, seed)
        for view in range(per_object):
            yield _photograph(art, number, view, seed, size, clutter)


def view_of(number: int, view: int, seed: int = 0, *, size: tuple[int, int] = (384, 288)) -> Drawn:
    """View `view` of poster `number`: the one that `views` gives among others.

    >>> view_of(0, 1, size=(96, 72)).pixels.shape
    (72, 96, 3)
    """
    art = poster(number, check_seed(seed))
    return _photograph(art, number, view, seed, check_size(size), None)


def poster(number: int, seed: int = 0) -> Pixels:
    """The print itself, seen straight on: a picture, a title, an emblem and a patterned edge.

    >>> poster(0).ndim
    3
    """
    rng = np.random.default_rng([seed, zlib.crc32(b"poster"), number])
    mood = pick(rng, DAYLIGHT, float(rng.random()))
    wide, high = _POSTER
    paper = lighter(mood.accents[2], 0.35)
    art = np.empty((high, wide, 3), np.uint8)
    art[:] = np.round(paper).astype(np.uint8)
    name = CLASSES[int(rng.integers(len(CLASSES)))]
    scene = World(int(rng.integers(2**31)), (wide - 60, high - 200)).draw(name, number).pixels
    top = 40 if rng.random() < 0.5 else 150
    art[top : top + scene.shape[0], 30 : wide - 30] = scene
    text_top = top + scene.shape[0] + 20 if top == 40 else 40
    _edge(art, rng, mood)
    _title(art, rng, mood, text_top)
    return art


def _edge(art: Pixels, rng: np.random.Generator, mood: Mood) -> None:
    """A running pattern of small shapes along the four sides."""
    high, wide = art.shape[:2]
    tones = [darker(tone, 0.1) for tone in mood.accents]
    kinds = rng.integers(0, 3, 5)
    for step, along in enumerate(range(14, wide + high, 20)):
        tone, kind = tones[int(rng.integers(5))], kinds[step % 5]
        spots = [(along, 12), (along, high - 13)] if along < wide - 8 else []
        spots += [(13, along), (wide - 14, along)] if 24 < along < high - 20 else []
        for x, y in spots:
            if kind == 0:
                cv2.circle(art, (x, y), 7, tone, -1, cv2.LINE_AA)
            elif kind == 1:
                cv2.rectangle(art, (x - 6, y - 6), (x + 6, y + 6), tone, -1)
            else:
                cv2.fillPoly(art, [np.array([(x, y - 8), (x + 8, y + 6), (x - 8, y + 6)])], tone)


def _title(art: Pixels, rng: np.random.Generator, mood: Mood, top: int) -> None:
    """An invented title in two lines, and an emblem beside it."""
    ink = darker(mood.accents[3], 0.75)
    for line, (scale, thick) in enumerate(((1.5, 4), (0.8, 2))):
        picks = rng.integers(0, len(_SYLLABLES), 3 if line == 0 else 6)
        words = "".join(_SYLLABLES[int(i)] for i in picks[:3])
        rest = "".join(_SYLLABLES[int(i)] for i in picks[3:])
        text = words.upper() if line == 0 else f"{words} {rest}"
        font = cv2.FONT_HERSHEY_DUPLEX if line == 0 else cv2.FONT_HERSHEY_COMPLEX
        place = (36, top + 36 + 34 * line)
        cv2.putText(art, text[:16], place, font, scale * 0.8, ink, thick, cv2.LINE_AA)
    centre = (art.shape[1] - 66, top + 44)
    for ring in range(4):
        tone = mood.accent(rng)
        spikes = int(rng.integers(5, 12))
        angles = np.linspace(0, 2 * math.pi, spikes * 2, endpoint=False) + rng.uniform(0, 1)
        reach = np.where(np.arange(spikes * 2) % 2, 0.7, 1.0) * (36 - 9 * ring)
        star = np.stack([centre[0] + reach * np.cos(angles), centre[1] + reach * np.sin(angles)], 1)
        cv2.fillPoly(art, [np.round(star).astype(np.int32)], tone, cv2.LINE_AA)


def _photograph(
    art: Pixels, number: int, view: int, seed: int, size: tuple[int, int], clutter: float | None
) -> Drawn:
    rng = np.random.default_rng([seed, zlib.crc32(b"view"), number, view])
    strengths = {
        "brightness": round(float(rng.uniform(0.3, 1.0)), 4),
        "clutter": round(float(rng.uniform(0.0, 1.0)), 4),
        "warmth": round(float(rng.uniform(0.1, 0.9)), 4),
    }
    if clutter is not None:
        strengths["clutter"] = float(clutter)
    mood = pick(rng, DAYLIGHT, strengths["warmth"])
    canvas = Canvas(size, rng)
    _tabletop(canvas, mood)
    corners = _pose(rng, canvas.aspect, view)
    _mess(canvas, mood, round(34 * strengths["clutter"]))
    canvas.soft(corners + 0.012, mood.dark, alpha=0.5, blur=0.015)
    fall = noise.plane(rng, (art.shape[0] // 16, art.shape[1] // 16), (2, 2), octaves=1)
    light = cv2.resize(fall, (art.shape[1], art.shape[0])) * np.float32(0.5) + np.float32(0.65)
    with canvas.subject():
        canvas.paste(art, corners, shade=light)
    _mess(canvas, mood, round(9 * strengths["clutter"]))
    pixels, mask = canvas.finish(
        brightness=strengths["brightness"], warmth=strengths["warmth"], wobble=0.15
    )
    return Drawn(pixels, "poster", strengths, mask, f"poster-{number:04d}", view)


def _pose(rng: np.random.Generator, aspect: float, view: int) -> NDArray[np.float64]:
    """Where the poster's corners are seen: turned, tilted, moved; gently so in view 0."""
    bold = 0.12 if view == 0 else 1.0
    high = rng.uniform(0.8, 0.9) if view == 0 else rng.uniform(0.6, 1.15)
    wide = high * _POSTER[0] / _POSTER[1]
    flat = np.array([[-wide, -high], [wide, -high], [wide, high], [-wide, high]]) / 2
    turn = math.radians(rng.uniform(-50, 50) * bold)
    cosine, sine = math.cos(turn), math.sin(turn)
    turned = flat @ np.array([[cosine, sine], [-sine, cosine]])
    # A pinhole camera at distance 2 over a table tilted in both directions.
    tilt = rng.uniform(-0.55, 0.55, 2) * bold
    away = 1.0 + turned @ tilt
    moved = rng.uniform(-0.16, 0.16, 2) * bold
    seen = turned / away[:, None] + np.array([aspect / 2, 0.5]) + moved
    return np.asarray(seen, np.float64)


def _tabletop(canvas: Canvas, mood: Mood) -> None:
    rng, width = canvas.rng, canvas.aspect
    wood = jitter(rng, mix(mood.trunk, mood.sand, rng.uniform(0.1, 0.9)), amount=2.0)
    canvas.gradient(0.0, 1.0, [lighter(wood, 0.18), darker(wood, 0.08)])
    for y in np.linspace(0.0, 1.0, 20) + rng.uniform(-0.02, 0.02, 20):
        grain = np.stack([np.linspace(0, width, 30), y + 0.015 * noise.line(rng, 30, 5)], 1)
        canvas.stroke(grain, darker(wood, rng.uniform(0.05, 0.2)), rng.uniform(0.002, 0.006))


def _mess(canvas: Canvas, mood: Mood, count: int) -> None:
    """Pencils, buttons, pebbles, leaves and blossoms, lying about."""
    rng, width = canvas.rng, canvas.aspect
    for _ in range(count):
        # Around the middle rather than in it, so that even much clutter leaves the poster seen.
        angle, out = rng.uniform(0, 2 * math.pi), rng.uniform(0.34, 0.75)
        spot = width / 2 + out * width * 0.7 * math.cos(angle), 0.5 + out * 0.85 * math.sin(angle)
        tone, kind = jitter(rng, mood.accent(rng), amount=2), int(rng.integers(5))
        size = rng.uniform(0.025, 0.05)
        canvas.soft(
            ellipse((spot[0] + 0.008, spot[1] + 0.012), size, size), mood.dark, alpha=0.4, blur=0.01
        )
        if kind == 0:
            canvas.ball(spot, size, lighter(tone, 0.3), darker(tone, 0.3))
        elif kind == 1:
            plants.flower(canvas, spot, size * 1.2, tone, mood.sun)
        elif kind == 2:
            things.rock(canvas, spot, size, mood.stone)
        elif kind == 3:
            canvas.fill(
                ellipse(spot, size * 1.6, size * 0.6, math.degrees(angle)),
                lighter(mood.leaf, 0.1),
                mood.dark,
            )
        else:
            tip = spot[0] + 0.24 * math.cos(angle * 3), spot[1] + 0.24 * math.sin(angle * 3)
            canvas.stroke([spot, tip], tone, 0.018)
            canvas.stroke([spot, tip], lighter(tone, 0.4), 0.006)
