"""A canvas for gouache: shapes with pigment in them, soft light, hand-drawn edges, film grain.

Positions are in units of the picture's height: x in [0, aspect] to the right, y in [0, 1] down. All
painting happens at twice the size asked for and is shrunk at the end, which smooths the edges.
What is painted inside `with canvas.subject():` makes up the true mask of the main object; what is
painted over it later hides it there too.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterator, Sequence

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.testbed.worlds import noise
from saccade.testbed.worlds.framing import STILL, Frame
from saccade.testbed.worlds.grading import grade
from saccade.testbed.worlds.palettes import Colour
from saccade.types import Pixels

Point = tuple[float, float]
Points = Sequence[Point] | NDArray[np.float64]
Box = tuple[int, int, int, int]
Medium = Callable[[Pixels, np.random.Generator], Pixels]

_SUPERSAMPLE = 2
_SHIFT = 4  # binary digits of a pixel that OpenCV takes for sub-pixel corners
_SMALL = 500  # pixels; below this a gradient or pigment cannot be seen


class Canvas:
    """One picture being painted."""

    def __init__(self, size: tuple[int, int], rng: np.random.Generator) -> None:
        self.rng = rng
        self.aspect = size[0] / size[1]
        self._size = size
        self._scale = float(size[1] * _SUPERSAMPLE)
        height, width = size[1] * _SUPERSAMPLE, size[0] * _SUPERSAMPLE
        self._pixels = np.zeros((height, width, 3), np.uint8)
        self._mask = np.zeros((height, width), np.uint8)
        self._marking = 0
        self._marked = False  # whether anything was ever painted as the subject
        # Texture takes as many numbers as there are pixels; from a stream of its own, so that the
        # scene is the same at every size.
        self._texture = rng.spawn(1)[0]
        self._pigment = _pigment(self._texture, height, width)

    @contextlib.contextmanager
    def subject(self) -> Iterator[None]:
        """Mark what is painted meanwhile as the main object."""
        before, self._marking, self._marked = self._marking, 255, True
        try:
            yield
        finally:
            self._marking = before

    def gradient(self, top: float, bottom: float, stops: Sequence[Colour]) -> None:
        """Fill the band between two heights, colours evenly spaced from top to bottom."""
        width = self.aspect
        self.fill([(0, top), (width, top), (width, bottom), (0, bottom)], *stops, pigment=0.5)

    def fill(
        self,
        points: Points,
        *colours: Colour,
        towards: float = 90.0,
        pigment: float = 1.0,
        alpha: float = 1.0,
    ) -> None:
        """A closed shape, its colours blending in the direction `towards` (degrees, 90 is down)."""
        corners = np.asarray(points, np.float64) * self._scale
        box = self._box(corners)
        if box is None:
            return
        left, top, right, bottom = box
        fixed = np.round(corners * (1 << _SHIFT)).astype(np.int32)
        if self._marked:
            cv2.fillPoly(self._mask, [fixed], self._marking, cv2.LINE_8, _SHIFT)
        if (right - left) * (bottom - top) < _SMALL and alpha == 1.0:
            cv2.fillPoly(self._pixels, [fixed], colours[0], cv2.LINE_AA, _SHIFT)
            return
        fixed -= np.array([left, top], np.int32) << _SHIFT
        inside = np.zeros((bottom - top, right - left), np.uint8)
        cv2.fillPoly(inside, [fixed], 255, cv2.LINE_8, _SHIFT)
        patch = _ramp(box, colours, towards) if len(colours) > 1 else _flat(box, colours[0])
        self._lay(box, patch, inside, pigment, alpha)

    def ball(
        self, centre: Point, radius: float, light: Colour, dark: Colour, *, squash: float = 1.0
    ) -> None:
        """A round body lit from the upper left, `squash` times as high as wide."""
        points = ellipse(centre, radius, radius * squash)
        self.shaded(
            points,
            (centre[0] - radius * 0.35, centre[1] - radius * squash * 0.4),
            radius * 1.5,
            light,
            dark,
        )

    def shaded(
        self, points: Points, light_at: Point, reach: float, light: Colour, dark: Colour
    ) -> None:
        """A shape whose colour goes from `light` at a point to `dark` at the distance `reach`."""
        corners = np.asarray(points, np.float64) * self._scale
        box = self._box(corners)
        if box is None:
            return
        left, top, right, bottom = box
        fixed = np.round(corners * (1 << _SHIFT)).astype(np.int32)
        cv2.fillPoly(self._mask, [fixed], self._marking, cv2.LINE_8, _SHIFT)
        inside = np.zeros((bottom - top, right - left), np.uint8)
        fixed -= np.array([left, top], np.int32) << _SHIFT
        cv2.fillPoly(inside, [fixed], 255, cv2.LINE_8, _SHIFT)
        across = (np.arange(left, right, dtype=np.float32) - light_at[0] * self._scale) ** 2
        down = (np.arange(top, bottom, dtype=np.float32) - light_at[1] * self._scale) ** 2
        far = np.sqrt(across[None, :] + down[:, None]) * np.float32(255.0 / (reach * self._scale))
        self._lay(box, _coloured(np.minimum(far, 255.0), (light, dark)), inside, 1.0, 1.0)

    def stroke(self, points: Points, colour: Colour, width: float, *, closed: bool = False) -> None:
        """A line of the given width through the points."""
        corners = np.asarray(points, np.float64) * self._scale
        fixed = np.round(corners * (1 << _SHIFT)).astype(np.int32)
        thick = max(1, round(width * self._scale))
        cv2.polylines(self._pixels, [fixed], closed, colour, thick, cv2.LINE_AA, _SHIFT)
        if self._marked:
            cv2.polylines(self._mask, [fixed], closed, self._marking, thick, cv2.LINE_8, _SHIFT)

    def glow(self, centre: Point, radius: float, colour: Colour, strength: float) -> None:
        """Soft light around a point; it lies on everything and hides nothing."""
        reach = radius * self._scale
        x, y = centre[0] * self._scale, centre[1] * self._scale
        box = self._box(np.array([[x - reach, y - reach], [x + reach, y + reach]]))
        if box is None:
            return
        left, top, right, bottom = box
        across = ((np.arange(left, right, dtype=np.float32) - x) / reach) ** 2
        down = ((np.arange(top, bottom, dtype=np.float32) - y) / reach) ** 2
        near = np.clip(1.0 - across[None, :] - down[:, None], 0.0, 1.0) ** 2 * np.float32(strength)
        self._blend(box, colour, near)

    def soft(self, points: Points, colour: Colour, *, alpha: float, blur: float) -> None:
        """A shape with melting edges: shadow, mist, cloud. It hides nothing."""
        corners = np.asarray(points, np.float64) * self._scale
        reach = blur * self._scale
        box = self._box(np.vstack([corners - 2 * reach, corners + 2 * reach]))
        if box is None:
            return
        left, top, right, bottom = box
        # Blurring at a quarter of the size looks the same and costs a sixteenth.
        small = np.zeros(((bottom - top) // 4 + 1, (right - left) // 4 + 1), np.uint8)
        fixed = np.round((corners - [left, top]) / 4 * (1 << _SHIFT)).astype(np.int32)
        cv2.fillPoly(small, [fixed], 255, cv2.LINE_AA, _SHIFT)
        small = cv2.GaussianBlur(small, (0, 0), max(0.5, reach / 4))
        cover = cv2.resize(small, (right - left, bottom - top), interpolation=cv2.INTER_LINEAR)
        self._blend(box, colour, cover.astype(np.float32) * np.float32(alpha / 255.0))

    def dabs(
        self,
        centres: Points,
        colours: Sequence[Colour],
        radius: float,
        *,
        squash: float = 0.6,
        tilt: float = 180.0,
    ) -> None:
        """Many brush touches: small ellipses of varied size, turn (within `tilt`) and colour."""
        spots = np.asarray(centres, np.float64).reshape(-1, 2) * self._scale
        count = len(spots)
        sizes = radius * self._scale * self.rng.uniform(0.5, 1.4, count)
        turns = self.rng.uniform(-tilt, tilt, count)
        picks = self.rng.integers(0, len(colours), count)
        mark = self._marked
        unit = np.round(np.array([sizes, sizes * squash]).T * (1 << _SHIFT)).astype(int).tolist()
        fixed = np.round(spots * (1 << _SHIFT)).astype(int).tolist()
        for i in range(count):
            arguments = (fixed[i], unit[i], float(turns[i]), 0, 360)
            cv2.ellipse(self._pixels, *arguments, colours[int(picks[i])], -1, cv2.LINE_AA, _SHIFT)
            if mark:
                cv2.ellipse(self._mask, *arguments, self._marking, -1, cv2.LINE_8, _SHIFT)

    def paste(
        self, patch: Pixels, corners: Points, *, shade: NDArray[np.float32] | None = None
    ) -> None:
        """Lay a picture into four corners (clockwise from its upper left), in perspective."""
        height, width = patch.shape[:2]
        source = np.array([[0, 0], [width, 0], [width, height], [0, height]], np.float32)
        target = (np.asarray(corners, np.float64) * self._scale).astype(np.float32)
        matrix = cv2.getPerspectiveTransform(source, target)
        size = (self._pixels.shape[1], self._pixels.shape[0])
        if shade is not None:
            patch = np.clip(patch * shade[:, :, None], 0, 255).astype(np.uint8)
        warped = cv2.warpPerspective(patch, matrix, size, flags=cv2.INTER_LINEAR)
        inside = np.zeros(self._mask.shape, np.uint8)
        cv2.fillConvexPoly(inside, np.round(target).astype(np.int32), 255)
        cv2.copyTo(warped, inside, self._pixels)
        self._mask[inside > 0] = self._marking

    def finish(
        self,
        *,
        brightness: float,
        warmth: float,
        frame: Frame = STILL,
        wobble: float = 1.0,
        medium: Medium | None = None,
    ) -> tuple[Pixels, NDArray[np.bool_]]:
        """The picture at its size, graded so that both strengths are true of it, and the mask."""
        x, y = frame.look(self._mask, self.rng)
        self._wobble(x, y, wobble)
        pixels = cv2.remap(self._pixels, x, y, cv2.INTER_LINEAR, borderMode=cv2.BORDER_REFLECT)
        mask = cv2.remap(self._mask, x, y, cv2.INTER_NEAREST, borderMode=cv2.BORDER_REFLECT)
        pixels = cv2.resize(pixels, self._size, interpolation=cv2.INTER_AREA)
        mask = cv2.resize(mask, self._size, interpolation=cv2.INTER_AREA)
        if medium is not None:
            pixels = medium(pixels, self._texture)
        return grade(pixels, brightness, warmth, self._texture), mask > 127

    def _box(self, corners: NDArray[np.float64]) -> Box | None:
        """The pixels a shape touches, cut to the canvas; None when it lies outside."""
        left, top = np.floor(corners.min(axis=0)).astype(int) - 1
        right, bottom = np.ceil(corners.max(axis=0)).astype(int) + 2
        height, width = self._mask.shape
        box = max(0, int(left)), max(0, int(top)), min(width, int(right)), min(height, int(bottom))
        return box if box[0] < box[2] and box[1] < box[3] else None

    def _lay(
        self, box: Box, patch: Pixels, inside: NDArray[np.uint8], pigment: float, alpha: float
    ) -> None:
        left, top, right, bottom = box
        region = self._pixels[top:bottom, left:right]
        if pigment:
            high, wide = self._pigment.shape[:2]
            row = int(self._texture.integers(0, high - (bottom - top) + 1))
            column = int(self._texture.integers(0, wide - (right - left) + 1))
            grain = self._pigment[row : row + bottom - top, column : column + right - left]
            amount = 0.16 * pigment
            patch = cv2.addWeighted(patch, 1.0, grain, amount, -128.0 * amount)
        if alpha < 1.0:
            patch = cv2.addWeighted(patch, alpha, region, 1.0 - alpha, 0.0)
        cv2.copyTo(patch, inside, region)

    def _blend(self, box: Box, colour: Colour, cover: NDArray[np.float32]) -> None:
        left, top, right, bottom = box
        region = self._pixels[top:bottom, left:right]
        for channel in range(3):
            layer = region[:, :, channel].astype(np.float32)
            layer += (np.float32(colour[channel]) - layer) * cover
            region[:, :, channel] = np.clip(layer, 0.0, 255.0)

    def _wobble(self, x: NDArray[np.float32], y: NDArray[np.float32], wobble: float) -> None:
        """Shift every place a hair's breadth, differently everywhere, as a hand would."""
        height, width = self._mask.shape
        reach = np.float32(wobble * self._scale * 0.008)
        for places in (x, y):
            small = noise.plane(self.rng, (height // 4, width // 4), (22, 30), octaves=2)
            places += cv2.resize((small - np.float32(0.5)) * reach, (width, height))


def ellipse(centre: Point, across: float, down: float, turn: float = 0.0) -> NDArray[np.float64]:
    """Corners of an ellipse, turned by `turn` degrees."""
    angles = np.linspace(0.0, 2.0 * math.pi, 44, endpoint=False)
    x, y = across * np.cos(angles), down * np.sin(angles)
    cosine, sine = math.cos(math.radians(turn)), math.sin(math.radians(turn))
    return np.stack([centre[0] + x * cosine - y * sine, centre[1] + x * sine + y * cosine], axis=1)


def box(left: float, top: float, right: float, bottom: float) -> list[Point]:
    """Corners of an upright rectangle."""
    return [(left, top), (right, top), (right, bottom), (left, bottom)]


def _pigment(rng: np.random.Generator, height: int, width: int) -> Pixels:
    """Brush marks and paper, mid-grey on average; drawn half size, since paint is soft."""
    shape = (height // 2, width // 2)
    broad = noise.plane(rng, shape, (7, 5), octaves=2)
    bristle = noise.plane(rng, shape, (height / 5, width / 26), octaves=2)
    paper = noise.plane(rng, shape, (height / 4, width / 4), octaves=1)
    luma = broad * 0.45 + bristle * 0.35 + paper * 0.2
    hue = noise.plane(rng, shape, (5, 4), octaves=2) - np.float32(0.5)
    level = 128.0 + (luma - np.float32(luma.mean())) * 230.0
    tinted = np.stack([level + hue * 70.0, level, level - hue * 70.0], axis=2)
    small = np.clip(tinted, 0, 255).astype(np.uint8)
    pigment: Pixels = cv2.resize(small, (width, height), interpolation=cv2.INTER_LINEAR)
    return pigment


def _flat(area: Box, colour: Colour) -> Pixels:
    left, top, right, bottom = area
    return np.full((bottom - top, right - left, 3), np.round(colour).astype(np.uint8), np.uint8)


def _ramp(area: Box, colours: Sequence[Colour], towards: float) -> Pixels:
    left, top, right, bottom = area
    x = math.cos(math.radians(towards)) * np.arange(right - left, dtype=np.float32)
    y = math.sin(math.radians(towards)) * np.arange(bottom - top, dtype=np.float32)
    if towards == 90.0:  # straight down, as most are: one column, repeated, is faster
        x = x[:1] * np.float32(0.0)
    low, high = x.min() + y.min(), x.max() + y.max()
    field = (x[None, :] + y[:, None] - low) * np.float32(255.0 / max(high - low, 1e-6))
    return np.broadcast_to(_coloured(field, colours), (bottom - top, right - left, 3)).copy()


def _coloured(field: NDArray[np.float32], colours: Sequence[Colour]) -> Pixels:
    """Colours along a field of 0..255."""
    stops = np.linspace(0.0, 255.0, len(colours))
    steps = np.arange(256.0)
    table = np.stack([np.interp(steps, stops, [c[i] for c in colours]) for i in range(3)], axis=1)
    level = cv2.convertScaleAbs(field)
    steps_table = np.round(table).astype(np.uint8)[None]
    coloured: Pixels = cv2.LUT(cv2.merge([level, level, level]), steps_table)
    return coloured
