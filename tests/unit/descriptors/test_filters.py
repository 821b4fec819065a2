"""FilterBank: boxes hold the filters, and answers are those of the whole transform."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.descriptors import cortex, gabor_texture, gist
from saccade.descriptors.blocks import edges, stack
from saccade.descriptors.filters import MARGIN, PADDED, FilterBank, cell_means, pad


def cloud(seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    radius = np.hypot(*np.meshgrid(np.fft.fftfreq(128), np.fft.fftfreq(128)))
    plane = np.fft.ifft2(np.fft.fft2(rng.standard_normal((128, 128))) / np.maximum(radius, 0.01))
    return (120 + 40 * plane.real / plane.real.std()).astype(np.float32)


@pytest.mark.parametrize(
    "spectra",
    [gabor_texture.spectra(), gist.spectra(gist.GREY), cortex.spectra()],
    ids=["gabor", "gist", "cortex"],
)
def test_answers_are_samples_of_the_whole_answer(spectra):
    """Each answer is the full inverse transform's size at every few pixels, nearly."""
    padded = pad(cloud(1))
    transform = np.fft.fft2(padded.astype(np.float64))
    steps = np.fft.fftfreq(PADDED)
    for spectrum, answer in zip(spectra, FilterBank(spectra).answers(padded), strict=True):
        step = 128 / len(answer)
        between = np.exp(2j * np.pi * (step - 1) / 2 * np.add.outer(steps, steps))
        whole = np.abs(np.fft.ifft2(transform * spectrum * between))
        inside = whole[MARGIN:-MARGIN, MARGIN:-MARGIN]
        if step == int(step):
            samples = inside[:: int(step), :: int(step)]
            np.testing.assert_allclose(answer, samples, atol=0.15 * inside.mean())
        centred = np.abs(np.fft.ifft2(transform * spectrum))[MARGIN:-MARGIN, MARGIN:-MARGIN]
        np.testing.assert_allclose(
            cell_means(answer, 4), cell_means(centred, 4), atol=0.06 * centred.mean()
        )
        assert answer.mean() == pytest.approx(centred.mean(), rel=0.02)


def test_a_narrow_filter_gets_a_small_box():
    """Coarse scales are answered with fewer samples than fine ones."""
    sides = [len(a) for a in gabor_texture.bank().answers(np.zeros((PADDED, PADDED), np.float32))]
    largest = [max(sides[first : first + 6]) for first in range(0, 24, 6)]
    assert largest[-1] < largest[0] <= 128
    assert sorted(largest, reverse=True) == largest


def test_padding_mirrors_the_plane():
    """The margin shows the plane's border pixels again, so nothing jumps."""
    plane = cloud(2)
    padded = pad(plane)
    np.testing.assert_array_equal(padded[MARGIN:-MARGIN, MARGIN:-MARGIN], plane)
    np.testing.assert_array_equal(padded[MARGIN - 1, MARGIN:-MARGIN], plane[0])


def test_blocks_cover_a_side_and_mirror():
    """Blocks follow each other without gaps, and their mirror is themselves."""
    for length in range(5, 60):
        cuts = edges(length, 5)
        assert cuts[0, 0] == 0
        assert cuts[-1, 1] == length
        assert (cuts[1:, 0] == cuts[:-1, 1]).all()
        np.testing.assert_array_equal(length - cuts[::-1, ::-1], cuts)


def test_no_block_of_a_short_side_is_empty():
    """Fewer pixels than blocks: some pixels serve twice."""
    for length in range(1, 5):
        cuts = edges(length, 5)
        assert (cuts[:, 1] > cuts[:, 0]).all()
        assert cuts.max() <= length


def test_no_pictures_give_no_rows():
    """An empty batch has the right width."""
    assert stack(lambda picture: np.zeros(7), [], 7).shape == (0, 7)
