"""Directions against vectors as a part of the blend sees them, read where they are stored."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from saccade.indexes import blend
from saccade.indexes.blend import BlendPart


@pytest.mark.parametrize("rooted", [False, True])
@pytest.mark.parametrize("threads", [None, 2])
def test_it_is_the_product_with_the_seen_vectors(
    rooted: bool, threads: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over several blocks, for rows of some of them, with and without threads; zero rows give 0."""
    monkeypatch.setattr(blend, "_FEW", 7)
    rng = np.random.default_rng(0)
    whole = rng.standard_normal((60, 19)).astype(np.float32)
    whole[[5, 41]] = 0.0
    centre = rng.standard_normal(19).astype(np.float32) / 10
    whole[17] = 0.0 if rooted else 3.0 * centre / np.linalg.norm(centre)
    part = BlendPart("gist", 1.0, rooted, centre)
    directions = rng.standard_normal((3, 19)).astype(np.float32)
    rows = np.sort(rng.permutation(60)[:40])
    rows = np.union1d(rows, [5, 17, 41])
    blocks = [whole[:20], whole[20:20], whole[20:45], whole[45:]]
    for block in blocks:
        block.flags.writeable = False
    pool = None if threads is None else ThreadPoolExecutor(threads)
    found = part.along(blocks, rows, directions, pool)
    np.testing.assert_allclose(found, part.seen(whole[rows]) @ directions.T, atol=2e-6)
    assert not found[np.isin(rows, [5, 41])].any()


def test_a_vector_that_is_the_centre_has_no_direction() -> None:
    """What rounding leaves of it is not taken for one."""
    centre = np.full(16, 0.25, np.float32)
    part = BlendPart("gist", 1.0, False, centre)
    found = part.along([centre[None] * 8.0], np.arange(1), np.ones((2, 16), np.float32))
    assert found.tolist() == [[0.0, 0.0]]
