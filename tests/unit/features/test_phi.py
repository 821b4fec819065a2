from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from numpy.typing import NDArray

from saccade.errors import UnknownName
from saccade.features import phi as module
from saccade.features.phi import Block, Column, phi, phi_rows, weighted
from saccade.features.scaling import bend, standard
from saccade.features.similarities import SIMILARITIES, similarity
from saccade.types import Scheme

SCHEMES = tuple(Scheme(d, s) for d in ("lbp", "gist") for s in SIMILARITIES)
WIDTHS = {"lbp": 7, "gist": 13}


def world(rows: int, seed: int = 0) -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng(seed)
    return {n: rng.normal(size=(rows, w)).astype(np.float32) for n, w in WIDTHS.items()}


def columns(
    vectors: dict[str, NDArray[np.float32]], cuts: tuple[int, ...] = ()
) -> dict[str, Column]:
    return {
        name: Column(name, tuple(Block.of(part) for part in np.split(array, cuts)))
        for name, array in vectors.items()
    }


def query(vectors: dict[str, NDArray[np.float32]], row: int) -> dict[str, NDArray[np.float32]]:
    return {name: array[row] for name, array in vectors.items()}


def test_every_column_of_phi_is_one_scheme() -> None:
    """In the order asked for, whichever schemes those are."""
    vectors = world(30)
    some = (SCHEMES[6], SCHEMES[1], SCHEMES[0], SCHEMES[7])
    found = phi(query(vectors, 4), columns(vectors), some)
    for i, scheme in enumerate(some):
        rows = vectors[scheme.descriptor]
        assert np.array_equal(found[:, i], similarity(scheme.similarity, rows[4], rows))


def test_scaled_phi_is_the_bent_similarity() -> None:
    """The kernel bends as the formula says."""
    vectors = world(80)
    asked = query(vectors, 0)
    raw = phi(asked, columns(vectors), SCHEMES)
    scale = standard(raw[1:], SCHEMES)
    found = phi(asked, columns(vectors), SCHEMES, scale=scale)
    for i, scheme in enumerate(SCHEMES):
        factors = scale[scheme.descriptor][SIMILARITIES.index(scheme.similarity)]
        np.testing.assert_allclose(found[:, i], bend(raw[:, i], factors), atol=1e-5)
    order = np.argsort(raw, axis=0, kind="stable")
    assert (np.diff(np.take_along_axis(found, order, 0), axis=0) >= 0).all()


def test_a_pool_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows shared between threads are the same rows."""
    vectors = world(1000)
    alone = phi(query(vectors, 1), columns(vectors), SCHEMES)
    monkeypatch.setattr(module, "_SHARE", 64)
    with ThreadPoolExecutor(4) as pool:
        shared = phi(query(vectors, 1), columns(vectors, (10, 500)), SCHEMES, pool=pool)
    assert np.array_equal(alone, shared)


def test_a_few_rows_are_the_same_rows() -> None:
    """Candidates get the φ that the whole scan would give them."""
    vectors = world(200)
    asked, held = query(vectors, 3), columns(vectors, (50, 51, 120))
    whole = phi(asked, held, SCHEMES)
    scale = standard(whole, SCHEMES)
    rows = np.array([199, 0, 50, 50, 119, 7], np.int64)
    assert np.array_equal(phi_rows(asked, held, SCHEMES, rows), whole[rows])
    bent = phi(asked, held, SCHEMES, scale=scale)
    assert np.array_equal(phi_rows(asked, held, SCHEMES, rows, scale=scale), bent[rows])


def test_vectors_are_taken_across_blocks() -> None:
    """Whatever the order of the rows."""
    vectors = world(40)["lbp"]
    column = columns({"lbp": vectors}, (1, 7, 30))["lbp"]
    rows = np.array([39, 0, 1, 6, 7, 29, 30, 30], np.int64)
    assert column.rows == 40
    assert np.array_equal(column.take(rows), vectors[rows])
    assert column.take(np.empty(0, np.int64)).shape == (0, 7)


def test_blocks_cannot_be_written() -> None:
    """A collection is immutable, and so are the arrays behind it."""
    block = Block.of(np.ones((3, 2), np.float32))
    with pytest.raises(ValueError, match="read-only"):
        block.vectors[0, 0] = 5


def test_an_absent_column_is_left_to_others() -> None:
    """Its part of `out` is not touched."""
    vectors = world(5)
    del vectors["gist"]
    out = np.full((5, len(SCHEMES)), 7, np.float32)
    phi(query(vectors, 0), columns(vectors), SCHEMES, out=out)
    assert (out[:, 4:] == 7).all()
    assert (out[:, :4] <= 1).all()


def test_an_unknown_similarity_is_refused() -> None:
    """Before any row is read."""
    vectors = world(5)
    with pytest.raises(UnknownName, match="did you mean 'chi2'"):
        phi(query(vectors, 0), columns(vectors), (Scheme("lbp", "chi"),))


@pytest.mark.parametrize(
    "weights",
    [
        [0.3, 0.0, 1.0, 0.0, 0.0, -0.5, 2.0, 0.1],
        [0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.7, 0.0, 0.0, 0.0, 0.0, 0.0, 0.2],
        [0.0] * 8,
    ],
)
def test_weighted_is_phi_weighed(weights: list[float], monkeypatch: pytest.MonkeyPatch) -> None:
    """Straight to the scores: what weighing φ gives, over blocks and threads, added to what is."""
    monkeypatch.setattr(module, "_SHARE", 16)
    vectors = world(100)
    asked, cut = query(vectors, 3), columns(vectors, (40, 70))
    scale = standard(phi(asked, cut, SCHEMES)[50:], SCHEMES)
    expected = phi(asked, cut, SCHEMES, scale=scale) @ np.array(weights, np.float32)
    np.testing.assert_allclose(
        weighted(asked, cut, SCHEMES, np.array(weights), scale=scale), expected, atol=1e-5
    )
    out = np.ones(100, np.float32)
    with ThreadPoolExecutor(2) as pool:
        found = weighted(asked, cut, SCHEMES, np.array(weights), scale=scale, pool=pool, out=out)
    assert found is out
    np.testing.assert_allclose(found, expected + 1, atol=1e-5)


def test_weighted_leaves_out_columns_it_has_not() -> None:
    """Schemes of other sources are theirs to add."""
    vectors = world(20)
    asked, all_columns = query(vectors, 0), columns(vectors)
    scale = standard(phi(asked, all_columns, SCHEMES)[1:], SCHEMES)
    weights = np.arange(8.0)
    both = weighted(asked, all_columns, SCHEMES, weights, scale=scale)
    parts = [
        weighted(asked, {name: all_columns[name]}, SCHEMES, weights, scale=scale)
        for name in all_columns
    ]
    np.testing.assert_allclose(both, sum(parts), atol=1e-5)


def test_a_centre_moves_the_cosine_and_nothing_else() -> None:
    """Around a centre, cosine is that of the unit vectors without it; a row's own is still 1."""
    rng = np.random.default_rng(2)
    vectors = (rng.random((50, 13)) * rng.uniform(1, 9, (50, 1))).astype(np.float32)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    centre = unit.mean(0)
    some = tuple(Scheme("gist", s) for s in SIMILARITIES)
    plain = {"gist": Column("gist", (Block.of(vectors),))}
    parts = tuple(Block.of(part, centre=centre) for part in np.split(vectors, [20]))
    around = {"gist": Column("gist", parts, centre)}
    before, after = (phi({"gist": vectors[4]}, c, some) for c in (plain, around))
    np.testing.assert_allclose(np.delete(after, 2, 1), np.delete(before, 2, 1), atol=1e-6)
    moved = unit - centre
    moved /= np.linalg.norm(moved, axis=1, keepdims=True)
    np.testing.assert_allclose(after[:, 2], (1 + moved @ moved[4]) / 2, atol=1e-5)
    assert after[4, 2] == pytest.approx(1.0, abs=1e-5)
    few = phi_rows({"gist": vectors[4]}, around, some, np.array([30, 2]))
    np.testing.assert_allclose(few, after[[30, 2]], atol=1e-6)
    blank = phi({"gist": np.zeros(13, np.float32)}, around, some)
    assert not blank.any()
