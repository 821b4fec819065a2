"""Any of Pillow's modes → 8-bit RGB as a viewer shows it.

1-bit, palette        their colours
16-bit grey           v · 255 / 65535
32-bit and float      0 to the least of 1, 255, 65535 that holds them; all else least to most
alpha                 over white
CMYK, L*a*b*, profile through the colour profile to sRGB, where it has a usable one
"""

from __future__ import annotations

from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image


def eight_bit(image: Image.Image) -> Image.Image:
    """The image in a mode of 8-bit channels that can be resized: L, LA, RGB, RGBA or CMYK."""
    mode = image.mode
    if mode in ("L", "RGB") and "transparency" in image.info:
        return image.convert("RGBA")
    if mode in ("L", "LA", "RGB", "RGBA", "CMYK"):
        return image
    if mode == "LAB":
        return _lab_to_srgb(image)  # its a and b are signed, so averaging them would go wrong
    if mode == "1":
        return image.convert("L")
    if mode.startswith("I;16"):
        return Image.fromarray(_scaled(np.asarray(image), 65535))
    if mode in ("I", "F"):
        return Image.fromarray(_stretched(np.asarray(image, np.float64)))
    # Palettes, premultiplied alpha, padded RGB, YCbCr.
    return image.convert("RGBA" if image.has_transparency_data else "RGB")


def to_srgb(image: Image.Image, profile: object) -> Image.Image:
    """The image in L, LA, RGB or RGBA, its colours moved to sRGB by `profile` where that works."""
    if isinstance(profile, bytes) and profile:
        converted = _through_profile(image, profile)
        if converted is not None:
            return converted
    return image.convert("RGB") if image.mode == "CMYK" else image


def over_white(image: Image.Image) -> Image.Image:
    """The image in RGB, what is transparent showing white."""
    if image.mode not in ("LA", "RGBA"):
        return image.convert("RGB")
    image = image.convert("RGBA")
    return Image.alpha_composite(Image.new("RGBA", image.size, "white"), image).convert("RGB")


def _through_profile(image: Image.Image, profile: bytes) -> Image.Image | None:
    """The image moved to sRGB, or None where nothing is to be done or the profile is unusable."""
    from PIL import ImageCms

    bare = image.convert(image.mode.removesuffix("A")) if image.mode in ("LA", "RGBA") else image
    try:
        source = ImageCms.ImageCmsProfile(BytesIO(profile))
        if bare.mode == "RGB" and "sRGB" in ImageCms.getProfileDescription(source):
            return None
        # Built anew each time: a transform may not be shared by two threads.
        moved = ImageCms.profileToProfile(
            bare, source, ImageCms.createProfile("sRGB"), outputMode="RGB"
        )
    # A broken profile, or one for another number of channels: viewers ignore it too.
    except (ImageCms.PyCMSError, OSError, ValueError):
        return None
    if moved is not None and image.mode in ("LA", "RGBA"):
        moved.putalpha(image.getchannel("A"))
    return moved


def _lab_to_srgb(image: Image.Image) -> Image.Image:
    from PIL import ImageCms

    lab, srgb = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
    moved = ImageCms.profileToProfile(image, lab, srgb, outputMode="RGB")
    assert moved is not None  # it is None only when converting in place
    return moved


def _stretched(values: NDArray[np.float64]) -> NDArray[np.uint8]:
    values = np.nan_to_num(values, nan=0, posinf=0, neginf=0)
    least, most = float(values.min()), float(values.max())
    if least >= 0:
        for white in (1, 255, 65535):
            if most <= white:
                return _scaled(values, white)
    return _scaled(values - least, most - least or 1)


def _scaled(values: NDArray[np.generic], white: float) -> NDArray[np.uint8]:
    return np.rint(values.astype(np.float64) * (255 / white)).astype(np.uint8)
