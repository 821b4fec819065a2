"""Deep and transparent pictures are converted block by block; nobody can tell."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image, ImageCms

from saccade.images import colour, rendering

RNG = np.random.default_rng(4)
WIDTH, HEIGHT = 331, 217


def noise(*shape: int) -> np.ndarray:
    return RNG.integers(0, 256, shape, np.uint8)


def images() -> dict[str, Image.Image]:
    rgb = Image.fromarray(noise(HEIGHT, WIDTH, 3))
    rgba = rgb.copy()
    rgba.putalpha(Image.fromarray(noise(HEIGHT, WIDTH)))
    grey = Image.fromarray(noise(HEIGHT, WIDTH))
    indexed = rgb.convert("P", palette=Image.Palette.ADAPTIVE)
    keyed = rgb.copy()
    keyed.info["transparency"] = tuple(int(v) for v in np.asarray(rgb)[0, 0])
    holed = indexed.copy()
    holed.info["transparency"] = 3
    srgb, lab = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
    floats = RNG.normal(100, 300, (HEIGHT, WIDTH)).astype(np.float32)
    wild = floats.copy()
    wild[7, 9], wild[100, 3], wild[200, 300] = np.nan, np.inf, -np.inf
    return {
        "RGBA": rgba,
        "LA": rgba.convert("LA"),
        "P": indexed,
        "P with a hole": holed,
        "RGB with a key": keyed,
        "1": grey.convert("1"),
        "16-bit": Image.fromarray(RNG.integers(0, 65536, (HEIGHT, WIDTH)).astype(np.uint16)),
        "32-bit": Image.fromarray(RNG.integers(0, 10**6, (HEIGHT, WIDTH)).astype(np.int32)),
        "float": Image.fromarray(floats),
        "float with holes": Image.fromarray(wild),
        "LAB": ImageCms.profileToProfile(rgb, srgb, lab, outputMode="LAB"),
        "YCbCr": rgb.convert("YCbCr"),
    }


@pytest.mark.parametrize("name", images())
@pytest.mark.parametrize("size", [None, (83, 54), (40, 26), (9, 6), (5, 200)])
def test_blocks_leave_no_trace(
    name: str, size: tuple[int, int] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Many small blocks give the pixels of the whole at once, and of Pillow's own way."""
    image = images()[name]
    whole = np.asarray(rendering._resized(image, size, None))
    monkeypatch.setattr(colour, "_PIXELS_A_BLOCK", 1500)
    blocks = np.asarray(rendering._resized(image, size, None))
    assert np.array_equal(whole, blocks)
    plain = colour.eight_bit(image)
    if size is not None:
        plain = plain.resize(size, Image.Resampling.BICUBIC, reducing_gap=2.0)
    assert np.array_equal(blocks, np.asarray(plain))


def test_a_picture_of_one_long_row_is_cut_across() -> None:
    """A block is small, however a picture is shaped."""
    boxes = list(colour._blocks((10**7, 2), (7, 1)))
    assert max((right - left) * (low - top) for left, top, right, low in boxes) <= 2 * 2**20
    assert all(left % 7 == 0 for left, _, _, _ in boxes)
    assert sum((right - left) * (low - top) for left, top, right, low in boxes) == 2 * 10**7
