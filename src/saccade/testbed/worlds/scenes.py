"""The table of classes: what tells each from the others is in its drawing, not in its colours.

`seaside`, `harbour`, `skyline`, `balloons` share skies; `fruit` and `vases` share a table; the
cloths share all but the texture; `desert`, `night`, `fish`, `meadow` have colours of their own.
"""

from __future__ import annotations

from saccade.testbed.worlds import cloth, land, still, town
from saccade.testbed.worlds.traits import Scene

_GREEN = ("overcast", "noon", "mint", "autumn", "golden")
_BLUE = ("overcast", "noon", "mint", "rose")

SCENES = {
    "seaside": Scene(
        land.seaside,
        {"naturalness": (0.3, 0.9), "openness": (0.6, 1), "depth": (0.5, 1), "warmth": (0, 0.8)},
    ),
    "mountains": Scene(
        land.mountains, {"naturalness": (0.55, 1), "openness": (0.4, 0.9), "depth": (0.5, 1)}
    ),
    "forest": Scene(
        land.forest,
        {"naturalness": (0.7, 1), "openness": (0, 0.35), "brightness": (0.2, 0.8)},
        _GREEN,
    ),
    "desert": Scene(
        land.desert,
        {"naturalness": (0.6, 1), "openness": (0.7, 1), "warmth": (0.4, 1), "depth": (0.5, 1)},
    ),
    "night": Scene(
        land.night,
        {"naturalness": (0.4, 1), "openness": (0.4, 1), "brightness": (0, 0.2), "warmth": (0, 0.2)},
        ("moonlit",),
    ),
    "meadow": Scene(land.meadow, {"naturalness": (0.7, 1), "openness": (0.5, 1)}),
    "skyline": Scene(town.skyline, {"naturalness": (0, 0.35), "openness": (0.1, 0.6)}),
    "street": Scene(
        town.street, {"naturalness": (0, 0.35), "openness": (0, 0.4), "depth": (0.3, 1)}
    ),
    "houses": Scene(
        town.houses, {"naturalness": (0.1, 0.55), "openness": (0, 0.5), "depth": (0, 0.6)}
    ),
    "harbour": Scene(town.harbour, {"naturalness": (0.1, 0.6), "openness": (0.3, 0.8)}),
    "fruit": Scene(still.fruit, {"naturalness": (0.2, 0.9), "openness": (0, 0.5)}),
    "vases": Scene(still.vases, {"naturalness": (0, 0.8), "openness": (0, 0.5)}),
    "balloons": Scene(still.balloons, {"naturalness": (0.2, 0.7), "openness": (0.5, 1)}),
    "fish": Scene(
        still.fish,
        {
            "naturalness": (0.4, 1),
            "openness": (0.1, 0.7),
            "warmth": (0, 0.6),
            "brightness": (0.2, 0.8),
        },
        _BLUE,
    ),
    "butterflies": Scene(still.butterflies, {"naturalness": (0.2, 1), "openness": (0, 0.6)}),
    "tartan": Scene(cloth.tartan, {"naturalness": (0, 0.5), "openness": (0, 0.4)}),
    "scallops": Scene(cloth.scallops, {"naturalness": (0, 0.5), "openness": (0, 0.4)}),
    "terrazzo": Scene(cloth.terrazzo, {"naturalness": (0, 0.5), "openness": (0, 0.4)}),
}
