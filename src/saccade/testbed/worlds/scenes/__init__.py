"""The table of classes: what tells each from the others is in its drawing, not in its colours.

`seaside`, `harbour`, `skyline`, `balloons` share skies; `fruit` and `vases` share a table; the
cloths share all but the texture; `desert`, `night`, `fish`, `meadow` have colours of their own.
"""

from __future__ import annotations

from saccade.testbed.worlds.framing import Frame
from saccade.testbed.worlds.media import MEDIA, ink
from saccade.testbed.worlds.scenes import (
    balloons,
    butterflies,
    cloth,
    desert,
    fish,
    forest,
    fruit,
    harbour,
    houses,
    meadow,
    mountains,
    night,
    seaside,
    skyline,
    street,
    vases,
)
from saccade.testbed.worlds.traits import Scene

_GREEN = ("overcast", "noon", "mint", "autumn", "golden")
_BLUE = ("overcast", "noon", "mint", "rose")
_CLOTH = {"naturalness": (0.0, 0.5), "openness": (0.0, 0.4)}
_CLOSE = Frame(zoom=1.8, tilt=30.0)

SCENES = {
    "seaside": Scene(
        seaside.paint,
        {"naturalness": (0.3, 0.9), "openness": (0.6, 1), "depth": (0.5, 1), "warmth": (0, 0.8)},
    ),
    "mountains": Scene(
        mountains.paint, {"naturalness": (0.55, 1), "openness": (0.4, 0.9), "depth": (0.5, 1)}
    ),
    "forest": Scene(
        forest.paint,
        {"naturalness": (0.7, 1), "openness": (0, 0.35), "brightness": (0.2, 0.8)},
        _GREEN,
    ),
    "desert": Scene(
        desert.paint,
        {"naturalness": (0.6, 1), "openness": (0.7, 1), "warmth": (0.4, 1), "depth": (0.5, 1)},
    ),
    "night": Scene(
        night.paint,
        {"naturalness": (0.4, 1), "openness": (0.4, 1), "brightness": (0, 0.2), "warmth": (0, 0.2)},
        ("moonlit",),
        # No ink: outlines would ring every star in black.
        media=tuple(medium for medium in MEDIA if medium is not ink),
    ),
    "meadow": Scene(meadow.paint, {"naturalness": (0.7, 1), "openness": (0.5, 1)}),
    "skyline": Scene(skyline.paint, {"naturalness": (0, 0.35), "openness": (0.1, 0.6)}),
    "street": Scene(
        street.paint, {"naturalness": (0, 0.35), "openness": (0, 0.4), "depth": (0.3, 1)}
    ),
    "houses": Scene(
        houses.paint, {"naturalness": (0.1, 0.55), "openness": (0, 0.5), "depth": (0, 0.6)}
    ),
    "harbour": Scene(harbour.paint, {"naturalness": (0.1, 0.6), "openness": (0.3, 0.8)}),
    "fruit": Scene(fruit.paint, {"naturalness": (0.2, 0.9), "openness": (0, 0.5)}),
    "vases": Scene(vases.paint, {"naturalness": (0, 0.8), "openness": (0, 0.5)}),
    "balloons": Scene(balloons.paint, {"naturalness": (0.2, 0.7), "openness": (0.5, 1)}),
    "fish": Scene(
        fish.paint,
        {
            "naturalness": (0.4, 1),
            "openness": (0.1, 0.7),
            "warmth": (0, 0.6),
            "brightness": (0.2, 0.8),
        },
        _BLUE,
    ),
    "butterflies": Scene(butterflies.paint, {"naturalness": (0.2, 1), "openness": (0, 0.6)}),
    "tartan": Scene(cloth.tartan, _CLOTH, frame=_CLOSE),
    "scallops": Scene(cloth.scallops, _CLOTH, frame=_CLOSE),
    "terrazzo": Scene(cloth.terrazzo, _CLOTH, frame=_CLOSE),
}
