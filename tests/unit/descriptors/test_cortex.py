"""Cortex: C1 maps, centre–surround maps and global values."""

from __future__ import annotations

import numpy as np

from saccade.descriptors.cortex import Cortex, complex_cells, opponents, surround_differences
from saccade.images.picture import ArrayPicture


def scene(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    blocks = rng.integers(30, 220, (16, 16, 3)).repeat(8, axis=0).repeat(8, axis=1)
    return (blocks + rng.integers(-15, 15, blocks.shape)).astype(np.uint8)


def parts(pixels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    vector = Cortex().describe([ArrayPicture(pixels)])[0]
    assert vector.shape == (554,)
    return vector[:256].reshape(4, 4, 4, 4), vector[256:544].reshape(3, 6, 4, 4), vector[544:]


def test_a_complex_cell_does_not_care_where_its_wave_peaks():
    """Moving stripes by a quarter of their period changes no C1 map."""
    x = np.mgrid[:128, :128][1]
    maps = []
    for phase in (0.0, np.pi / 2):
        gray = np.round(120 + 80 * np.sin(2 * np.pi * x / 8 + phase)).astype(np.uint8)
        maps.append(complex_cells(gray)[:, :, 2:-2, 2:-2])
    strong = maps[0] > 0.2 * maps[0].max()
    np.testing.assert_allclose(maps[0][strong], maps[1][strong], rtol=0.05)


def test_upright_stripes_find_the_first_orientation():
    """Waves along x answer orientation 0, waves along y orientation 2."""
    wave = np.round(120 + 80 * np.sin(np.arange(128) * 2 * np.pi / 8)).astype(np.uint8)
    across = np.tile(wave, (128, 1))
    assert complex_cells(across).mean(axis=(0, 2, 3)).argmax() == 0
    assert complex_cells(np.ascontiguousarray(across.T)).mean(axis=(0, 2, 3)).argmax() == 2


def test_a_lone_spot_stands_out_from_its_surround():
    """A red spot on grey is strongest in the cell it lies in, in red against green."""
    pixels = np.full((128, 128, 3), 120, np.uint8)
    pixels[72:88, 40:56] = (230, 30, 30)
    _, differences, _ = parts(pixels)
    for pair in differences[1]:
        assert np.unravel_index(pair.argmax(), (4, 4)) == (2, 1)


def test_grey_pictures_have_no_colour_answers():
    """Both opponent channels are zero where red, green and blue are equal."""
    intensity, red_green, blue_yellow = opponents(np.full((4, 4, 3), 99, np.uint8))
    np.testing.assert_allclose(intensity, 99, rtol=1e-6)
    assert not red_green.any()
    assert not blue_yellow.any()


def test_flat_planes_have_no_surround_differences():
    """Nothing differs from its surround in a flat plane, at any pair of levels."""
    found = surround_differences(np.full((128, 128), 50, np.float32))
    assert [len(plane) for plane in found] == [128, 128, 64, 64, 32, 32]
    assert max(plane.max() for plane in found) < 1e-4


def test_mirroring_mirrors_cells_and_swaps_the_slants():
    """The maps of the mirrored picture are the mirrored maps, up to where samples fall."""
    pixels = scene(2)
    c1, cs, rest = parts(pixels)
    c1_mirrored, cs_mirrored, rest_mirrored = parts(pixels[:, ::-1])
    expected = c1[:, [0, 3, 2, 1], :, ::-1]
    assert np.corrcoef(expected.ravel(), c1_mirrored.ravel())[0, 1] > 0.95
    assert np.corrcoef(cs[..., ::-1].ravel(), cs_mirrored.ravel())[0, 1] > 0.97
    np.testing.assert_allclose(rest[:6], rest_mirrored[:6], atol=0.02)
