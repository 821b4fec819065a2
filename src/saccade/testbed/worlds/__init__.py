"""Worlds: pictures drawn by code, with every truth known.

    world = World(seed=0)
    picture = world.draw("harbour", 3)      pixels, class_name, attributes, mask, object_id, view
    write("pictures", images=240)           one folder a class and labels.csv; skips what is there
    views(20, 5)                            five views of each of twenty posters, for recognition

The same seed gives the same bytes, whatever was drawn before. Eighteen classes; six attributes
with true strengths in [0, 1]; the mask of the main object. Demo, tests and studies all use them.
"""

from __future__ import annotations

from saccade.testbed.worlds.posters import poster, view_of, views
from saccade.testbed.worlds.traits import ATTRIBUTES
from saccade.testbed.worlds.world import CLASSES, Drawn, World
from saccade.testbed.worlds.writing import Manifest, WrittenPicture, write

__all__ = [
    "ATTRIBUTES",
    "CLASSES",
    "Drawn",
    "Manifest",
    "World",
    "WrittenPicture",
    "poster",
    "view_of",
    "views",
    "write",
]
