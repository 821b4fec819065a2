from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from saccade.features.phi import Block, Column, phi
from saccade.features.scaling import standard
from saccade.features.similarities import SIMILARITIES
from saccade.types import Scheme

SCHEMES = tuple(Scheme("d", s) for s in SIMILARITIES)

worlds = st.builds(
    lambda rows, width, seed, zeros: (
        np.random.default_rng(seed).normal(size=(rows, width))
        * (np.random.default_rng(seed + 1).random((rows, 1)) >= zeros)
    ).astype(np.float32),
    st.integers(1, 40),
    st.integers(1, 24),
    st.integers(0, 1000),
    st.sampled_from([0.0, 0.2]),
)


def column(*parts: NDArray[np.float32]) -> dict[str, Column]:
    return {"d": Column("d", tuple(Block.of(part) for part in parts))}


@given(worlds, st.data())
@settings(max_examples=60)
def test_sharded_is_whole(rows: NDArray[np.float32], data: st.DataObject) -> None:
    """Cut a collection anywhere: the parts' φ, side by side, is the φ of the whole."""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(rows)), max_size=4)))
    asked = {"d": rows[data.draw(st.integers(0, len(rows) - 1))]}
    whole = phi(asked, column(rows), SCHEMES)
    scale = standard(whole, SCHEMES)
    parts = np.split(rows, cuts)
    assert np.array_equal(phi(asked, column(*parts), SCHEMES), whole)
    bent = phi(asked, column(rows), SCHEMES, scale=scale)
    apart = [phi(asked, column(part), SCHEMES, scale=scale) for part in parts]
    assert np.array_equal(np.concatenate(apart), bent)


@given(worlds, st.integers(0, 10_000))
@settings(max_examples=60)
def test_order_of_rows_and_schemes_does_not_matter(rows: NDArray[np.float32], seed: int) -> None:
    """φ of an image depends on the image and the query alone."""
    rng = np.random.default_rng(seed)
    order, shuffled = rng.permutation(len(rows)), rng.permutation(4)
    asked = {"d": rows[0]}
    whole = phi(asked, column(rows), SCHEMES)
    some = tuple(SCHEMES[i] for i in shuffled)
    assert np.array_equal(phi(asked, column(rows[order]), some), whole[order][:, shuffled])


@given(worlds)
@settings(max_examples=60)
def test_phi_stays_in_range_and_the_query_is_on_top(rows: NDArray[np.float32]) -> None:
    """In [0, 1], and nothing is more similar to a picture than itself."""
    for i in range(min(3, len(rows))):
        raw = phi({"d": rows[i]}, column(rows), SCHEMES)
        assert raw.min() >= 0.0
        assert raw.max() <= 1.0
        assert (raw[i] >= raw.max(0) - 1e-6).all()
        expected = 1.0 if rows[i].any() else 0.0
        np.testing.assert_allclose(raw[i], expected, atol=1e-6)
