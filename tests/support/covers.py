"""Pictures full of corners, and the same seen from elsewhere: what words recognise."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image


def cover(seed: int, width: int = 240, height: int = 200) -> NDArray[np.uint8]:
    """A picture of many small rectangles: no two are alike."""
    rng = np.random.default_rng(seed)
    canvas = np.full((height, width, 3), 128, np.uint8)
    for _ in range(90):
        x, y = int(rng.integers(width)), int(rng.integers(height))
        corner = (x + int(rng.integers(4, 25)), y + int(rng.integers(4, 25)))
        colour = tuple(int(value) for value in rng.integers(0, 256, 3))
        cv2.rectangle(canvas, (x, y), corner, colour, -1)
    return canvas


def seen_from(picture: NDArray[np.uint8], *, degrees: float, scale: float) -> NDArray[np.uint8]:
    """The picture turned and scaled, on a grey ground."""
    height, width = picture.shape[:2]
    turn = cv2.getRotationMatrix2D((width / 2, height / 2), degrees, scale)
    ground = (128, 128, 128)
    return np.asarray(
        cv2.warpAffine(picture, turn, (width, height), borderValue=ground), dtype=np.uint8
    )


def write_covers(folder: Path, count: int = 8) -> Path:
    """Covers `0.png`, `1.png`, …, each again from another side as `0-again.png`, and a blank."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in range(count):
        Image.fromarray(cover(seed)).save(folder / f"{seed}.png")
        again = seen_from(cover(seed), degrees=7, scale=0.9)
        Image.fromarray(again).save(folder / f"{seed}-again.png")
    Image.new("RGB", (120, 90), (10, 200, 90)).save(folder / "blank.png")
    return folder
