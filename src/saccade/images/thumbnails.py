"""Small JPEGs for pages: the longer side at most `side` pixels, the same bytes every time."""

from __future__ import annotations

from io import BytesIO

from PIL import Image

from saccade.contracts import Picture

QUALITY = 82
"""JPEG quality: no blocks to be seen at this size, and about 15 kB a picture."""


def thumbnail(picture: Picture, side: int = 480) -> bytes:
    """The picture as a JPEG whose longer side is at most `side`; never enlarged."""
    out = BytesIO()
    Image.fromarray(picture.fit(side).rgb).save(out, "JPEG", quality=QUALITY, optimize=True)
    return out.getvalue()
