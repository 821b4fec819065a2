"""Pictures of a field with a red disc, of the field alone, and one of a single pixel."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from PIL import Image

WITH, WITHOUT = 7, 6


def draw(folder: Path) -> Path:
    """`things/disc-N.png`, `things/plain-N.png`, `things/dot.png`, and two pictures elsewhere."""
    rng = np.random.default_rng(4)
    for number in range(WITH + WITHOUT + 2):
        place = folder / ("things" if number < WITH + WITHOUT else "others")
        place.mkdir(parents=True, exist_ok=True)
        disc = number < WITH
        name = f"disc-{number}" if disc else f"plain-{number - WITH}"
        Image.fromarray(field(rng, disc=disc)[0]).save(place / f"{name}.png")
    Image.fromarray(np.full((1, 1, 3), 90, np.uint8)).save(folder / "things" / "dot.png")
    return folder


def field(rng: np.random.Generator, *, disc: bool) -> tuple[np.ndarray, np.ndarray]:
    """Pixels of a green and blue field, and where the disc is."""
    rows, columns = np.indices((72, 96))
    pixels = np.zeros((72, 96, 3))
    pixels[:] = (60, 120, 70)
    pixels[rows < rng.integers(20, 40)] = (110, 150, 210)
    top, left = rng.integers(18, 54), rng.integers(20, 76)
    inside = (rows - top) ** 2 + (columns - left) ** 2 < 15**2
    if disc:
        pixels[inside] = (210, 40, 30)
    noisy = pixels + rng.normal(0, 6, pixels.shape)
    return np.clip(noisy, 0, 255).astype(np.uint8), inside
