"""Draws `seen.jpg`: pictures of the drawn world, what stands out in them, and their parts.

python docs/images/seen.py
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

from saccade.images.picture import ArrayPicture
from saccade.images.regions import render_regions
from saccade.images.saliency import render_saliency
from saccade.testbed.worlds import World

SHOWN = (("harbour", 2), ("fruit", 1), ("balloons", 3))


def main() -> None:
    """One row a picture: as it is, its saliency, its regions."""
    world = World(seed=0)
    rows = []
    for name, index in SHOWN:
        picture = ArrayPicture(world.draw(name, index).pixels)
        row = [picture.rgb, render_saliency(picture), render_regions(picture)]
        rows.append(np.concatenate(row, axis=1))
    Image.fromarray(np.concatenate(rows)).save(
        Path(__file__).with_name("seen.jpg"), quality=85, optimize=True
    )


if __name__ == "__main__":
    main()
