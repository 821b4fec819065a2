"""Any of Pillow's modes → 8-bit RGB as a viewer shows it.

1-bit, palette        their colours
16-bit grey           v · 255 / 65535
32-bit and float      0 to the least of 1, 255, 65535 that holds them; all else least to most
alpha                 over white
CMYK, L*a*b*, profile through the colour profile to sRGB, where it has a usable one
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from io import BytesIO

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from saccade import trace

log = logging.getLogger(__name__)

Convert = Callable[[Image.Image], Image.Image]

# Deep pictures are worked on a million pixels at a time: eight bytes each, a few times over.
_PIXELS_A_BLOCK = 2**20


def is_plain(image: Image.Image) -> bool:
    """Whether the image can be resized as it is: 8-bit channels, nothing transparent."""
    return image.mode in ("L", "RGB", "CMYK") and "transparency" not in image.info


def eight_bit(image: Image.Image) -> Image.Image:
    """The image in a mode of 8-bit channels that can be resized: L, LA, RGB, RGBA or CMYK."""
    return image if is_plain(image) else _by_blocks(image, (1, 1), _eight_bits_of(image))


def reduced(image: Image.Image, factors: tuple[int, int]) -> Image.Image:
    """Averages over blocks of `factors` pixels, in 8-bit channels; alpha is multiplied in."""
    convert = _eight_bits_of(image)

    def small(block: Image.Image) -> Image.Image:
        return _multiplied(convert(block)).reduce(factors)

    return _by_blocks(image, factors, small)


def unmultiplied(image: Image.Image) -> Image.Image:
    """The image with its alpha taken out of the colours again, where it was multiplied in."""
    return image.convert(image.mode.upper()) if image.mode in ("La", "RGBa") else image


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
    except (ImageCms.PyCMSError, OSError, ValueError) as error:
        trace.swallowed(log, error, doing="applying a colour profile", mode=bare.mode)
        return None
    if moved is not None and image.mode in ("LA", "RGBA"):
        moved.putalpha(image.getchannel("A"))
    return moved


def _lab_to_srgb() -> Convert:
    from PIL import ImageCms

    lab, srgb = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
    transform = ImageCms.buildTransform(lab, srgb, "LAB", "RGB")

    def moved(block: Image.Image) -> Image.Image:
        result = ImageCms.applyTransform(block, transform)
        assert result is not None  # it is None only when converting in place
        return result

    return moved


def _multiplied(image: Image.Image) -> Image.Image:
    return image.convert({"LA": "La", "RGBA": "RGBa"}.get(image.mode, image.mode))


def _eight_bits_of(image: Image.Image) -> Convert:
    """What turns a block of this image into 8-bit channels."""
    mode = image.mode
    if mode in ("L", "RGB") and "transparency" in image.info:
        return lambda block: block.convert("RGBA")
    if mode in ("L", "LA", "RGB", "RGBA", "CMYK"):
        return lambda block: block
    if mode == "LAB":
        return _lab_to_srgb()  # its a and b are signed, so averaging them would go wrong
    if mode == "1":
        return lambda block: block.convert("L")
    if mode.startswith("I;16"):
        return lambda block: Image.fromarray(_scaled(np.asarray(block), 0, 65535))
    if mode in ("I", "F"):
        low, high = _range(image)
        return lambda block: Image.fromarray(_scaled(_finite(block), low, high))
    # Palettes, premultiplied alpha, padded RGB, YCbCr.
    shown = "RGBA" if image.has_transparency_data else "RGB"
    return lambda block: block.convert(shown)


def _by_blocks(image: Image.Image, factors: tuple[int, int], change: Convert) -> Image.Image:
    """The image put together from its changed blocks, each side divided by its factor."""
    whole: Image.Image | None = None
    for box in _blocks(image.size, factors):
        part = change(image.crop(box))
        if whole is None:
            columns, rows = (-(-n // f) for n, f in zip(image.size, factors, strict=True))
            whole = Image.new(part.mode, (columns, rows))
        whole.paste(part, (box[0] // factors[0], box[1] // factors[1]))
    assert whole is not None  # a picture has at least one pixel
    return whole


def _blocks(
    size: tuple[int, int], factors: tuple[int, int] = (1, 1)
) -> Iterator[tuple[int, int, int, int]]:
    """Boxes that cover an image; each starts at multiples of the factors."""
    wide = _multiple(min(size[0], _PIXELS_A_BLOCK), factors[0])
    high = _multiple(max(1, _PIXELS_A_BLOCK // wide), factors[1])
    for top in range(0, size[1], high):
        for left in range(0, size[0], wide):
            yield left, top, min(left + wide, size[0]), min(top + high, size[1])


def _multiple(length: int, factor: int) -> int:
    """The least multiple of `factor` that is no less than `length`."""
    return -(-length // factor) * factor


def _range(image: Image.Image) -> tuple[float, float]:
    """What is shown black and what white."""
    least, most = float("inf"), float("-inf")
    for box in _blocks(image.size):
        values = _finite(image.crop(box))
        least, most = min(least, float(values.min())), max(most, float(values.max()))
    if least >= 0:
        for white in (1, 255, 65535):
            if most <= white:
                return 0, white
    return least, most if most > least else least + 1


def _finite(block: Image.Image) -> NDArray[np.generic]:
    values: NDArray[np.generic] = np.asarray(block)
    # A sum is finite when all its parts are, and far quicker to ask for; one that overflows is not.
    if values.dtype.kind == "f" and not np.isfinite(values.sum(dtype=np.float64)):
        values = np.nan_to_num(values, nan=0, posinf=0, neginf=0)
    return values


def _scaled(values: NDArray[np.generic], black: float, white: float) -> NDArray[np.uint8]:
    bright: NDArray[np.float64] = np.subtract(values, black, dtype=np.float64)
    bright *= 255 / (white - black)
    np.rint(bright, out=bright)
    return bright.astype(np.uint8)
