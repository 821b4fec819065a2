"""The scan of regions against ten lines of numpy."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from saccade.engine.sources.matching import Column, centre_of, match
from saccade.kernels import region_match as kernel


def regions(seed: int, half: bool, pictures: int = 40, width: int = 37):
    rng = np.random.default_rng(seed)
    counts = rng.integers(1, 9, pictures)
    values = (3 * rng.standard_normal((counts.sum(), width)) + 1).astype(np.float32)
    values[3] = 0.0
    whose = rng.permutation(pictures)  # as they were asked for, not as the collection counts
    offsets = np.concatenate([[0], np.cumsum(counts)])
    arrays = {
        "crops": values.astype(np.float16) if half else values,
        "offsets": offsets,
        "image": np.repeat(whose, counts),
    }
    return arrays, rng.standard_normal((2, width)).astype(np.float32)


def expected(arrays, asked, rows: int, unit: bool):
    values = arrays["crops"].astype(np.float64)
    if unit:
        lengths = np.linalg.norm(values, axis=1, keepdims=True)
        values = values / np.where(lengths > 0, lengths, 1)
    centre = values.mean(axis=0)
    seen, wanted = values - centre, asked - centre
    cosines = seen @ wanted.T / np.linalg.norm(seen, axis=1)[:, None]
    cosines /= np.linalg.norm(wanted, axis=1)
    if unit:
        cosines[~arrays["crops"].any(axis=1)] = 0.0
    best = np.zeros((rows, len(asked)))
    for row, value in zip(arrays["image"], cosines, strict=True):
        if row < rows:
            best[row] = np.maximum(best[row], value)
    return best.mean(axis=1)


@pytest.mark.parametrize("unit", [True, False])
@pytest.mark.parametrize("half", [True, False])
@pytest.mark.parametrize("rows", [40, 25])
def test_a_picture_counts_by_its_best_region(unit: bool, half: bool, rows: int) -> None:
    """The mean over the asked of the best centred cosine; pictures that came later are left."""
    arrays, asked = regions(1, half)
    column = Column.of(arrays, "crops", unit=unit)
    found = match([column], centre_of([column]), asked, rows, None)
    np.testing.assert_allclose(found, expected(arrays, asked, rows, unit), atol=2e-5)
    assert 0 <= found.min() <= found.max() <= 1


def test_pieces_and_threads_change_nothing(monkeypatch) -> None:
    """One column or two, one thread or three: the same bits."""
    arrays, asked = regions(2, half=True, pictures=60)
    whole = Column.of(arrays, "crops", unit=True)
    cut = int(arrays["offsets"][23])
    pieces = [
        Column(whole.values[:cut], whole.offsets[:24], whole.images[:cut], unit=True),
        Column(whole.values[cut:], whole.offsets[23:] - cut, whole.images[cut:], unit=True),
    ]
    centre = centre_of([whole])
    np.testing.assert_allclose(centre_of(pieces), centre, atol=1e-6)
    one = match([whole], centre, asked, 60, None)
    monkeypatch.setattr("saccade.engine.sources.matching._SPAN", 7)
    with ThreadPoolExecutor(3) as pool:
        assert np.array_equal(match(pieces, centre, asked, 60, pool), one)
    assert centre_of([]).shape == (0,)
    assert not match([], centre_of([]), asked, 3, None).any()


def test_every_half_is_read_exactly() -> None:
    """Normal, subnormal, zero, of either sign."""
    halves = np.arange(2**16, dtype=np.uint16)
    finite = np.isfinite(halves.view(np.float16))
    bits = np.empty(len(halves), np.uint32)
    kernel._read(halves, True, bits, bits.view(np.float32))
    wanted = halves.view(np.float16).astype(np.float32)
    assert np.array_equal(bits.view(np.float32)[finite], wanted[finite])
