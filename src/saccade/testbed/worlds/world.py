"""A world: pictures drawn by code, with every truth known.

    picture = f(seed, class, index)

and nothing else: no clock, no global state, no neighbour. So the same three give the same bytes,
and a small world is the beginning of a larger one.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field

import numpy as np
from numpy.typing import NDArray

from saccade.errors import InvalidInput, UnknownName
from saccade.testbed.worlds.canvas import Canvas
from saccade.testbed.worlds.palettes import pick
from saccade.testbed.worlds.scenes import SCENES
from saccade.testbed.worlds.traits import ATTRIBUTES, Traits
from saccade.types import Pixels

CLASSES = tuple(SCENES)


@dataclass(frozen=True, slots=True)
class Drawn:
    """One picture and what is true of it."""

    pixels: Pixels = field(repr=False, compare=False)
    class_name: str
    attributes: Mapping[str, float]  # strengths in [0, 1]
    mask: NDArray[np.bool_] = field(repr=False, compare=False)  # [h, w]: where the main object is
    object_id: str
    view: int = 0


class World:
    """Pictures of every class, as many as wanted.

    >>> picture = World(seed=1, size=(96, 72)).draw("seaside", 0)
    >>> picture.pixels.shape, picture.object_id
    ((72, 96, 3), 'seaside-0000')
    """

    classes: tuple[str, ...] = CLASSES
    attributes: tuple[str, ...] = ATTRIBUTES

    def __init__(self, seed: int = 0, size: tuple[int, int] = (384, 288)) -> None:
        self.seed = check_seed(seed)
        self.size = check_size(size)

    def strengths(self, class_name: str, index: int) -> dict[str, float]:
        """The attributes of a picture, without drawing it.

        >>> sorted(World(seed=1).strengths("seaside", 0))[:2]
        ['brightness', 'clutter']
        """
        return asdict(self._begin(class_name, index)[1])

    def draw(self, class_name: str, index: int) -> Drawn:
        """Picture `index` (0, 1, …) of a class."""
        rng, traits = self._begin(class_name, index)
        scene = SCENES[class_name]
        mood = pick(rng, scene.moods, traits.warmth)
        medium = scene.media[int(rng.integers(len(scene.media)))]
        canvas = Canvas(self.size, rng)
        scene.paint(canvas, traits, mood)
        pixels, mask = canvas.finish(
            brightness=traits.brightness,
            warmth=traits.warmth,
            frame=scene.frame,
            medium=medium,
        )
        return Drawn(pixels, class_name, asdict(traits), mask, f"{class_name}-{index:04d}")

    def _begin(self, class_name: str, index: int) -> tuple[np.random.Generator, Traits]:
        if class_name not in SCENES:
            raise UnknownName("class of pictures", class_name, SCENES)
        if index < 0:
            raise InvalidInput(f"picture {index} of {class_name!r}: count from 0")
        # The name's checksum, not its place in the table: a new class leaves the others alone.
        rng = np.random.default_rng([self.seed, zlib.crc32(class_name.encode()), index])
        return rng, SCENES[class_name].draw_traits(rng)


def check_seed(seed: int) -> int:
    """The seed, when a random generator can take it."""
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidInput(f"seed {seed!r}: give a whole number from 0 up")
    return seed


def check_size(size: tuple[int, int]) -> tuple[int, int]:
    """The size, when a picture can have it."""
    width, height = size
    if not (32 <= width <= 4096 and 32 <= height <= 4096):
        raise InvalidInput(
            f"size {width}x{height}: a drawn picture has between 32 and 4096 pixels a side"
        )
    return width, height
