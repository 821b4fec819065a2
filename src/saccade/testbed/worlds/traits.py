"""Attributes of a picture: continuous, in [0, 1], and true, because they steer the drawing.

naturalness   grown against made by people
openness      how far the view goes before something stands in the way
brightness    mean level of light
clutter       how many small things lie about
depth         distance between the nearest and the farthest thing
warmth        colour temperature of the light
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields

import numpy as np

from saccade.testbed.worlds.canvas import Canvas, Medium
from saccade.testbed.worlds.framing import SCENIC, Frame
from saccade.testbed.worlds.media import MEDIA
from saccade.testbed.worlds.palettes import DAYLIGHT, Mood

Range = tuple[float, float]

_DAY: Range = (0.45, 1.0)  # by day no picture is darker than this


@dataclass(frozen=True, slots=True)
class Traits:
    """The strengths one picture is drawn with."""

    naturalness: float
    openness: float
    brightness: float
    clutter: float
    depth: float
    warmth: float

    def count(self, most: float, least: float = 0.0) -> int:
        """How many small things to scatter: `least` without clutter, `most` with all of it."""
        return round(least + (most - least) * self.clutter)


ATTRIBUTES = tuple(one.name for one in fields(Traits))

Paint = Callable[[Canvas, Traits, Mood], None]


@dataclass(frozen=True, slots=True)
class Scene:
    """A class of pictures: how to paint one, its attributes' ranges, and its lights."""

    paint: Paint
    ranges: Mapping[str, Range]
    moods: tuple[str, ...] = DAYLIGHT
    frame: Frame = SCENIC
    media: tuple[Medium, ...] = MEDIA

    def draw_traits(self, rng: np.random.Generator) -> Traits:
        """Strengths for one picture, even over this class's ranges ([0, 1] by default)."""
        values = {}
        for name in ATTRIBUTES:
            low, high = self.ranges.get(name, _DAY if name == "brightness" else (0.0, 1.0))
            values[name] = round(float(rng.uniform(low, high)), 4)
        return Traits(**values)
