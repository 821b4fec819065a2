from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from saccade.features.similarities import SIMILARITIES, norms, similarity

Floats = NDArray[np.float64]


def oracle(name: str, q: Floats, p: Floats) -> float:
    """The formulas as they are printed, in double precision."""
    a, b = np.abs(q).sum(), np.abs(p).sum()
    if a == 0 or b == 0:
        return 0.0
    x, y = np.sqrt((q**2).sum()), np.sqrt((p**2).sum())
    mass = np.abs(q) + np.abs(p)
    terms = np.divide((q - p) ** 2, mass, out=np.zeros_like(q), where=mass > 0)
    return {
        "l1": 1 - np.abs(q - p).sum() / (a + b),
        "l2": 1 - np.sqrt(((q - p) ** 2).sum()) / (x + y),
        "cosine": (1 + q @ p / (x * y)) / 2,
        "chi2": 1 - terms.sum() / (a + b),
    }[name]


def cases() -> dict[str, NDArray[np.float32]]:
    rng = np.random.default_rng(3)
    histogram = rng.dirichlet(np.ones(59), 40).astype(np.float32)
    signed = rng.normal(size=(40, 128)).astype(np.float32)
    sparse = np.where(rng.random((40, 33)) < 0.8, 0, rng.random((40, 33))).astype(np.float32)
    sparse[[0, 7]] = 0
    return {
        "histogram": histogram,
        "signed": signed,
        "sparse with zero rows": sparse,
        "one value": rng.normal(size=(9, 1)).astype(np.float32),
        "one row": rng.random((1, 17)).astype(np.float32),
        "long": rng.random((5, 1280)).astype(np.float32),
        "large": (1e6 * rng.normal(size=(8, 20))).astype(np.float32),
        "small": (1e-6 * rng.normal(size=(8, 20))).astype(np.float32),
        "opposite": np.array([[1, 2, 3], [-1, -2, -3]], np.float32),
    }


@pytest.mark.parametrize("name", SIMILARITIES)
@pytest.mark.parametrize("case", cases())
def test_the_kernel_follows_the_formula(name: str, case: str) -> None:
    """Every row against every other, to the precision of float32."""
    rows = cases()[case]
    for query in rows[:10]:
        found = similarity(name, query, rows)
        expected = [oracle(name, query.astype(float), row.astype(float)) for row in rows]
        np.testing.assert_allclose(found, expected, atol=2e-6)
        assert found.min() >= 0.0
        assert found.max() <= 1.0


@pytest.mark.parametrize("name", SIMILARITIES)
def test_norms_are_those_of_numpy(name: str) -> None:
    """Kept beside the column, in float32."""
    rows = cases()["signed"]
    wide = rows.astype(float)
    expected = np.stack([np.abs(wide).sum(1), np.linalg.norm(wide, axis=1)], 1)
    assert np.array_equal(norms(rows), expected.astype(np.float32))
