"""A small album: photographs with what cameras write into them, in folders of years and places."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from PIL import Image

ALBUM = {
    "2019/rome/a.jpg": ("2019:05:01 10:00:00", "Canon", "Canon EOS 5D", (160, 120)),
    "2019/rome/b.jpg": ("2019:05:31 23:59:59", "Canon", "Canon EOS 5D Mark II", (120, 160)),
    "2019/oslo/c.jpg": ("2019:06:01 00:00:00", "Apple", "iPhone X", (120, 120)),
    "2020/rome/d.jpg": ("2020:01:02 03:04:05", "Apple", "iPhone X", (320, 100)),
    "2020/e.png": (None, None, None, (160, 120)),
}
"""Path → when, maker, model, size; the last one says nothing of itself."""
FILED = datetime(2021, 7, 9, tzinfo=UTC)
"""When every file was changed."""


def draw(folder: Path) -> Path:
    """Write the album below a folder."""
    for number, (name, (taken, maker, model, size)) in enumerate(ALBUM.items()):
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        noise = np.random.default_rng(number).integers(0, 255, (size[1], size[0], 3))
        image = Image.fromarray(noise.astype(np.uint8))
        exif = Image.Exif()
        if taken is not None:
            exif[0x010F], exif[0x0110] = maker, model
            exif.get_ifd(0x8769)[0x9003] = taken
        image.save(file, exif=exif)
        os.utime(file, (FILED.timestamp(),) * 2)
    return folder
