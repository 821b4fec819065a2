from __future__ import annotations

import numpy as np

from saccade.indexes import flat


def test_flat_is_the_sorted_inner_product(monkeypatch):
    """Across blocks, the answer is that of sorting all products."""
    monkeypatch.setattr(flat, "BLOCK", 7)
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((40, 5)).astype(np.float32)
    index = flat.Flat(5)
    index.add(np.arange(40), vectors)
    query = vectors[3]
    rows, products = index.search(query, 9)
    expected = np.argsort(-(vectors @ query), kind="stable")[:9]
    np.testing.assert_array_equal(rows, expected)
    np.testing.assert_allclose(products, (vectors @ query)[expected], rtol=1e-5)
    assert len(index) == 40
