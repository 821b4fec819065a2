"""Pictures to calibrate on: photographs from folders, and drawn ones."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray

from saccade.descriptors.embedding.efficientnet import SIZE
from saccade.errors import NotAnImage
from saccade.images.decode import decode
from saccade.images.picture import ArrayPicture
from saccade.images.scan import scan
from saccade.testbed.worlds import CLASSES, World
from saccade.types import Skipped

SEED = 5


def photographs(folders: Sequence[Path], each: int) -> NDArray[np.uint8]:
    """Up to `each` pictures of every folder, taken evenly by their names, [n, 224, 224, 3]."""
    found = []
    for folder in folders:
        paths = [item.path for item in scan(folder) if not isinstance(item, Skipped)]
        chosen = (
            [paths[i * len(paths) // each] for i in range(each)] if each < len(paths) else paths
        )
        for path in chosen:
            try:
                found.append(decode(path.read_bytes()).picture.square(SIZE).rgb)
            except NotAnImage as error:
                print(f"left out: {path}: {error}")
    return np.stack(found) if found else np.zeros((0, SIZE, SIZE, 3), np.uint8)


def drawn(count: int) -> NDArray[np.uint8]:
    """Scenes drawn by code, every class in turn, [n, 224, 224, 3]."""
    cv2.setNumThreads(1)
    world = World(seed=SEED)
    every = (world.draw(CLASSES[i % len(CLASSES)], i).pixels for i in range(count))
    return np.stack([ArrayPicture(np.asarray(pixels)).square(SIZE).rgb for pixels in every])
