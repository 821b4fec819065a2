"""What is true of positions as a store keeps them, whatever they are."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from saccade.descriptors.embedding import parts, sketches
from saccade.engine.sources.parts import whole_weights
from saccade.kernels import parts as kernel

SEEDS = st.integers(0, 2**32 - 1)
BYTES = hnp.arrays(np.uint8, (2, parts.BYTES, parts.POSITIONS))


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Positions of two pictures, most values near 0, and their means."""
    rng = np.random.default_rng(seed)
    positions = rng.exponential(0.03, (2, parts.POSITIONS, 1280)).astype(np.float32)
    positions /= np.linalg.norm(positions.mean(axis=1), axis=1)[:, None, None]
    return positions, positions.mean(axis=1)


@settings(max_examples=20, deadline=None)
@given(BYTES, SEEDS)
def test_the_mean_of_the_parts_is_the_score_of_the_whole(codes: np.ndarray, seed: int) -> None:
    """For any bytes and any direction, within 1e-4 of the direction's length."""
    rng = np.random.default_rng(seed)
    whole = rng.normal(size=(2, 1280)).astype(np.float32)
    direction = rng.normal(size=1280).astype(np.float32)
    found = parts.score_positions(codes, whole, direction)
    error = np.abs(found.mean(axis=1) - whole @ direction)
    assert error.max() <= 1e-4 * np.linalg.norm(direction)


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_a_weighted_bag_mean_is_a_score_of_the_embedding(seed: int) -> None:
    """What averages over positions is the linear model on the embedding."""
    positions, whole = drawn(seed)
    weights = np.random.default_rng(seed + 1).normal(size=parts.NUMBERS).astype(np.float32)
    means = (parts.projected(parts.encode(positions), whole) @ weights).mean(axis=1)
    linear = (whole - parts.centre()) @ parts.direction_of(weights)
    np.testing.assert_allclose(means, linear, atol=1e-3)


@settings(max_examples=20, deadline=None)
@given(BYTES)
def test_bytes_are_read_as_they_were_written(codes: np.ndarray) -> None:
    """Levels of bytes, written again, are the bytes."""
    levels = parts.levels_of(codes)
    fine = (levels[..., : parts.FINE] + 7.5).astype(np.uint8)
    coarse = (levels[..., parts.FINE :] + 1.5).astype(np.uint8)
    low = fine[..., 0::2] | fine[..., 1::2] << 4
    four = coarse.reshape(*coarse.shape[:2], -1, 4)
    high = (four << np.array([0, 2, 4, 6], np.uint8)).sum(axis=3).astype(np.uint8)
    assert np.array_equal(np.concatenate([low, high], axis=2).transpose(0, 2, 1), codes)


@given(
    st.tuples(*[st.floats(0, 0.9) for _ in range(2)]),
    st.tuples(*[st.floats(1e-3, 1) for _ in range(2)]),
)
def test_a_box_is_covered_by_its_positions(corner, size) -> None:
    """Shares are none below 0, and all of them are one."""
    edges = (*corner, min(1.0, corner[0] + size[0]), min(1.0, corner[1] + size[1]))
    shares = parts.cover(edges)
    assert shares.shape == (parts.POSITIONS,)
    assert shares.min() >= 0.0
    assert abs(float(shares.sum()) - 1.0) < 1e-4


@settings(max_examples=20, deadline=None)
@given(SEEDS)
def test_a_sketch_keeps_the_score_of_a_whole(seed: int) -> None:
    """For any direction, within half of what a byte of each number is worth."""
    positions, whole = drawn(seed)
    weights = np.random.default_rng(seed).normal(size=parts.NUMBERS).astype(np.float32)
    counts = sketches.counts_of(weights)
    numbers = np.clip(parts.wholes_of(whole) * weights / counts, -127, 127)
    found = sketches.sketch(parts.encode(positions), whole).wholes @ counts
    assert np.abs(found - numbers @ counts).max() <= 0.5 * np.abs(counts).sum() + 1e-2


@settings(max_examples=20, deadline=None)
@given(BYTES, SEEDS)
def test_a_window_is_the_mean_of_its_positions(codes: np.ndarray, seed: int) -> None:
    """Around the mean of all, by the finest numbers, within half of what a byte is worth."""
    whole = np.random.default_rng(seed).random((2, 1280), np.float32)
    windows = sketches.sketch(codes, whole).windows.astype(np.float32)
    step = sketches.counts_of(np.ones(parts.NUMBERS, np.float32))[0]
    levels = parts.levels_of(codes)[..., : sketches.WIDTH]
    laid = (levels - levels.mean(axis=1, keepdims=True)).reshape(2, 7, 7, -1)
    middle = laid[:, 2:5, 2:5].mean(axis=(1, 2))
    room = np.clip(middle, -127 * step, 127 * step)
    np.testing.assert_allclose(windows[:, 4] * step, room, atol=0.5 * step + 1e-4)


@settings(max_examples=20, deadline=None)
@given(BYTES, SEEDS)
def test_whole_weights_never_run_out_of_sixteen_bits(codes: np.ndarray, seed: int) -> None:
    """Scores by whole weights are those of a sum that has room, whatever weights and bytes."""
    weights = np.random.default_rng(seed).standard_cauchy(parts.NUMBERS).astype(np.float32)
    _, whole = whole_weights(weights)
    best, where = np.empty(2, np.int16), np.empty(2, np.int16)
    totals = np.empty(2, np.int32)
    fine, coarse = whole[: parts.FINE].copy(), whole[parts.FINE :].copy()
    kernel.whole(codes, np.arange(2), fine, coarse, best, where, totals)
    lowest = np.repeat(np.array([7.5, 1.5]), [parts.FINE, parts.COARSE])
    scores = (parts.levels_of(codes) + lowest) @ whole.astype(np.int64)
    np.testing.assert_array_equal(best, scores.max(axis=1))
    np.testing.assert_array_equal(where, scores.argmax(axis=1))
    np.testing.assert_array_equal(totals, scores.sum(axis=1))
