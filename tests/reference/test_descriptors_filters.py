"""Descriptors made of filters against whole transforms, OpenCV and PyWavelets."""

from __future__ import annotations

import cv2
import numpy as np
import pytest
import pywt

from saccade.descriptors import cortex, gabor_texture, gist
from saccade.descriptors.wavelet_texture import CENTRE, WaveletTexture, strengths
from saccade.images.picture import ArrayPicture


def cloud(seed: int, channels: int = 3) -> ArrayPicture:
    """Noise with a falling spectrum, like a photograph's, with a bright square in it."""
    rng = np.random.default_rng(seed)
    radius = np.hypot(*np.meshgrid(np.fft.fftfreq(128), np.fft.fftfreq(128)))[:, :, None]
    noise = np.fft.fft2(rng.standard_normal((128, 128, channels)), axes=(0, 1))
    plane = np.fft.ifft2(noise / np.maximum(radius, 0.01), axes=(0, 1)).real
    plane = 110 + 35 * plane / plane.std()
    plane[30:60, 70:100] += 60
    return ArrayPicture(plane.clip(0, 255).astype(np.uint8))


def padded(gray: np.ndarray) -> np.ndarray:
    return np.pad(gray.astype(np.float64), 16, mode="symmetric")


def whole_answers(plane: np.ndarray, spectra: np.ndarray) -> np.ndarray:
    """Sizes of all answers at every pixel."""
    return np.abs(np.fft.ifft2(np.fft.fft2(plane) * spectra))[:, 16:-16, 16:-16]


def cells(maps: np.ndarray) -> np.ndarray:
    side = maps.shape[-1] // 4
    return maps.reshape(*maps.shape[:-2], 4, side, 4, side).mean(axis=(-3, -1))


@pytest.mark.parametrize("seed", range(3))
def test_gabor_texture_is_mean_and_deviation_of_whole_answers(seed):
    """The vector from answers at every pixel in double precision."""
    picture = cloud(seed)
    answers = whole_answers(padded(picture.gray), gabor_texture.spectra())
    expected = np.stack([answers.mean(axis=(1, 2)), answers.std(axis=(1, 2))], axis=1)
    found = gabor_texture.GaborTexture().describe([picture])[0]
    np.testing.assert_allclose(found, gabor_texture.scaled(expected), atol=0.05)


def test_gabor_answers_are_those_of_opencv():
    """The filters as kernels in space, applied by OpenCV, give the same strengths."""
    picture = cloud(5)
    plane = np.pad(picture.gray.astype(np.float64), 96, mode="symmetric")
    ours = gabor_texture.answers(picture)
    for member in (0, 8, 15):
        kernel = np.fft.fftshift(np.fft.ifft2(gabor_texture.spectra()[member]))[1:, 1:]
        # OpenCV correlates; convolution needs the kernel turned about its centre.
        parts = [cv2.filter2D(plane, -1, part[::-1, ::-1]) for part in (kernel.real, kernel.imag)]
        answer = np.hypot(*parts)[96:-96, 96:-96]
        assert ours[member].mean() == pytest.approx(answer.mean(), rel=0.03)
        assert ours[member].std() == pytest.approx(answer.std(), rel=0.06)


def slow_even_out(gray: np.ndarray) -> np.ndarray:
    """Oliva and Torralba's prefilter with whole complex transforms."""
    steps = np.fft.fftfreq(160) * 160
    squared = np.add.outer(steps**2, steps**2)
    gauss = np.exp(-squared / (4 / np.sqrt(np.log(2))) ** 2)
    plane = np.log(1 + padded(gray))
    plane = plane - np.fft.ifft2(np.fft.fft2(plane) * gauss).real
    local = np.sqrt(np.abs(np.fft.ifft2(np.fft.fft2(plane**2) * gauss)))
    return plane / (0.2 + local)


def slow_gist_filter(radius: float, angle: float, count: int) -> np.ndarray:
    """One filter, place by place."""
    spectrum = np.empty((160, 160))
    for row in range(160):
        for column in range(160):
            down = (row if row < 80 else row - 160) / 160
            across = (column if column < 80 else column - 160) / 160
            turn = np.arctan2(down, across) + angle
            turn = turn - 2 * np.pi * round(turn / (2 * np.pi))
            gap = np.hypot(across, down) / radius - 1
            spectrum[row, column] = np.exp(-3.5 * gap**2 - 2 * np.pi * (count / 8) ** 2 * turn**2)
    return spectrum


def test_gist_filters_follow_their_formula():
    """Some filters of the banks, computed place by place."""
    spectra = gist.spectra(gist.COLOUR)
    for member, (scale, j, count) in {0: (0, 0, 8), 11: (1, 3, 8), 18: (2, 2, 4)}.items():
        expected = slow_gist_filter(0.3 / 1.85**scale, np.pi * j / count, count)
        np.testing.assert_allclose(spectra[member], expected, atol=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_gist_is_the_mean_of_whole_answers_in_cells(seed):
    """The vector from every pixel in double precision, up to centre and overall strength."""
    picture = cloud(seed)
    answers = whole_answers(slow_even_out(picture.gray), gist.spectra(gist.GREY))
    expected = cells(answers).reshape(32, 16) / 0.05
    found = gist.Gist().describe([picture]).reshape(32, 16)
    # Within a filter the centre is one number, so differences between cells are comparable.
    gaps = found - found.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(gaps, expected - expected.mean(axis=1, keepdims=True), atol=0.1)
    assert (
        np.corrcoef(gaps.ravel(), (expected - expected.mean(axis=1, keepdims=True)).ravel())[0, 1]
        > 0.995
    )


def test_gist_color_is_gist_of_each_channel():
    """Red, green and blue one after the other, 8 + 8 + 4 filters each."""
    picture = cloud(7)
    found = gist.GistColor().describe([picture]).reshape(3, 20, 16)
    for channel in range(3):
        plane = slow_even_out(picture.rgb[:, :, channel])
        expected = cells(whole_answers(plane, gist.spectra(gist.COLOUR))).reshape(20, 16) / 0.05
        gaps = expected - expected.mean(axis=1, keepdims=True)
        ours = found[channel] - found[channel].mean(axis=1, keepdims=True)
        np.testing.assert_allclose(ours, gaps, atol=0.12)


def test_cortex_maps_are_block_maxima_and_pyramid_differences():
    """C1 from whole answers, CS from OpenCV's pyramid one level at a time."""
    picture = cloud(3)
    whole = whole_answers(padded(picture.gray), cortex.spectra()).reshape(4, 2, 4, 128, 128)
    blocks = whole.reshape(4, 2, 4, 16, 8, 16, 8).max(axis=(4, 6)).max(axis=1)
    ours = cortex.complex_cells(picture.gray)
    # A sample every few pixels may miss the very peak, and never lies above it by much.
    assert (ours <= blocks * 1.05 + 0.05 * blocks.mean()).all()
    assert ours.mean() == pytest.approx(blocks.mean(), rel=0.1)
    red, green, blue = np.moveaxis(picture.rgb.astype(np.float64), 2, 0)
    intensity = (red + green + blue) / 3
    opponent = 100 * (red - green) / np.maximum(intensity, 25)
    found = cortex.opponents(picture.rgb)
    np.testing.assert_allclose(found[1], opponent, atol=1e-3)
    level = intensity.copy()
    for _ in range(3):
        level = cv2.pyrDown(level)
    around = cv2.resize(level, (128, 128), interpolation=cv2.INTER_LINEAR)
    np.testing.assert_allclose(
        cortex.surround_differences(found[0])[0], np.abs(intensity - around), atol=1e-2
    )


def test_cortex_vector_is_the_log_of_cell_means():
    """Rebuilt from its maps: cell means, logarithm, centre, and what is taken out."""
    picture = cloud(4)
    vector = cortex.Cortex().describe([picture])[0]
    c1 = np.log1p(cells(cortex.complex_cells(picture.gray).astype(np.float64))).reshape(16, 16)
    ours = vector[:256].reshape(16, 16)
    np.testing.assert_allclose(
        ours - ours.mean(axis=1, keepdims=True), c1 - c1.mean(axis=1, keepdims=True), atol=1e-4
    )
    planes = cortex.opponents(picture.rgb)
    maps = [[cells(m.astype(np.float64)) for m in cortex.surround_differences(p)] for p in planes]
    cs = np.log1p(np.array(maps)).reshape(18, 16)
    ours = vector[256:544].reshape(18, 16) / 0.7
    np.testing.assert_allclose(
        ours - ours.mean(axis=1, keepdims=True), cs - cs.mean(axis=1, keepdims=True), atol=1e-4
    )


def slow_split(plane: np.ndarray) -> list[np.ndarray]:
    """One level of the transform by circular sums: smooth, horizontal, vertical, diagonal."""
    low, high = np.array(pywt.Wavelet("db4").dec_lo), np.array(pywt.Wavelet("db4").dec_hi)

    def filtered(values: np.ndarray, taps: np.ndarray) -> np.ndarray:
        total = sum(tap * np.roll(values, i - len(taps) // 2, axis=0) for i, tap in enumerate(taps))
        return total[::2]

    def both(down: np.ndarray, across: np.ndarray) -> np.ndarray:
        return filtered(filtered(plane, down).T, across).T / 2

    return [both(low, low), both(high, low), both(low, high), both(high, high)]


def test_wavelet_strengths_are_those_of_circular_convolution():
    """Every band of both trees by plain sums of shifted planes."""
    gray = cloud(2).gray.astype(np.float64)
    first = slow_split(gray)
    second = slow_split(first[0])
    pyramid = first + second + slow_split(second[0])
    middle = [slow_split(band) for band in first[1:]]
    last = [slow_split(band) for parts in middle for band in parts[1:]]
    bands = pyramid + first + [b for parts in middle for b in parts] + [b for p in last for b in p]
    expected = [(np.abs(band).mean(), np.abs(band).std()) for band in bands]
    np.testing.assert_allclose(strengths(gray.astype(np.float32)), expected, rtol=1e-3, atol=1e-3)


def test_wavelet_bands_are_those_of_wavelet_packets():
    """PyWavelets' packet tree names the same bands: h, v, d and what they split into."""
    gray = cloud(6).gray.astype(np.float64)
    packets = pywt.WaveletPacket2D(gray, "db4", mode="periodization", maxlevel=3)
    paths = ["a", "h", "v", "d", "aa", "ah", "av", "ad", "aaa", "aah", "aav", "aad"]
    paths += ["a", "h", "v", "d"]
    paths += [first + second for first in "hvd" for second in "ahvd"]
    paths += [a + b + c for a in "hvd" for b in "hvd" for c in "ahvd"]
    found = strengths(gray.astype(np.float32))
    for path, (mean, deviation) in zip(paths, found, strict=True):
        sizes = np.abs(packets[path].data) / 2 ** len(path)
        assert mean == pytest.approx(sizes.mean(), rel=1e-3, abs=1e-3)
        assert deviation == pytest.approx(sizes.std(), rel=1e-3, abs=1e-3)


def test_wavelet_vector_is_log_strength_less_centre_and_share():
    """The value is u − 3/4 of the mean of u over detail, u = log(1 + E) − centre."""
    picture = cloud(8)
    raw = np.log1p(strengths(picture.gray.astype(np.float32))) - CENTRE
    expected = raw - 0.75 * raw[np.arange(64) % 4 != 0].mean()
    found = WaveletTexture().describe([picture])[0]
    np.testing.assert_allclose(found, expected.ravel(), atol=1e-5)
