from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import UnknownName
from saccade.features.similarities import SIMILARITIES, check_similarity, norms, similarity


@pytest.mark.parametrize("name", SIMILARITIES)
def test_a_picture_is_most_similar_to_itself(name: str) -> None:
    """s(p, p) = 1, and nothing is above it."""
    rows = np.random.default_rng(1).normal(size=(30, 100)).astype(np.float32)
    for i, row in enumerate(rows):
        values = similarity(name, row, rows)
        assert values[i] == pytest.approx(1.0, abs=1e-6)
        assert values.argmax() == i


@pytest.mark.parametrize("name", SIMILARITIES)
def test_similarity_is_symmetric(name: str) -> None:
    """s(q, p) = s(p, q)."""
    rows = np.random.default_rng(2).normal(size=(12, 40)).astype(np.float32)
    table = np.stack([similarity(name, row, rows) for row in rows])
    np.testing.assert_allclose(table, table.T, atol=1e-6)


@pytest.mark.parametrize("name", SIMILARITIES)
def test_nothing_is_similar_to_nothing(name: str) -> None:
    """A zero vector has similarity 0 to all, itself included."""
    rows = np.array([[0, 0, 0], [1, 2, 3], [-1, 0, 0]], np.float32)
    assert similarity(name, rows[0], rows).tolist() == [0.0, 0.0, 0.0]
    assert similarity(name, rows[1], rows)[0] == 0.0


@pytest.mark.parametrize("name", SIMILARITIES)
def test_scale_of_both_does_not_matter(name: str) -> None:
    """Twice as bright on both sides is as similar."""
    rows = np.random.default_rng(4).random((20, 30)).astype(np.float32)
    np.testing.assert_allclose(
        similarity(name, rows[0], rows), similarity(name, 8 * rows[0], 8 * rows), atol=1e-6
    )


def test_no_rows_have_no_similarities() -> None:
    """An empty collection is no error."""
    empty = np.zeros((0, 5), np.float32)
    assert similarity("l1", np.ones(5, np.float32), empty).shape == (0,)
    assert norms(empty).shape == (0, 2)


def test_an_unknown_similarity_offers_the_nearest() -> None:
    """Did you mean …"""
    with pytest.raises(UnknownName, match="did you mean 'cosine'"):
        check_similarity("cosin")
