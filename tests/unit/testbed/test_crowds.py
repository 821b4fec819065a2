"""Distractors made of the columns of others."""

from __future__ import annotations

import numpy as np
import pytest

from saccade.errors import InvalidInput
from saccade.testbed import crowds
from saccade.testbed.crowds import Parents, blocks, mixed


@pytest.fixture
def parents() -> Parents:
    """Histograms, unit vectors with signs, lengths of their own, and bags of words."""
    rng = np.random.default_rng(0)
    shares = rng.random((12, 20)).astype(np.float32)
    signed = rng.normal(size=(12, 9)).astype(np.float32)
    free = rng.random((12, 6)).astype(np.float32) * rng.uniform(1, 30, (12, 1)).astype(np.float32)
    bags = [(np.unique(rng.integers(0, 50, 15)).astype(np.int32), np.int32(1)) for _ in range(12)]
    counted = [(words, np.full(len(words), one, np.int32)) for words, one in bags]
    return Parents(
        {
            "histogram": shares / shares.sum(axis=1, keepdims=True),
            "signed": signed / np.linalg.norm(signed, axis=1, keepdims=True),
            "free": free,
        },
        counted,
    )


def whole(parents: Parents, count: int, seed: int = 0) -> Parents:
    every = list(blocks(parents, count, seed=seed))
    names = parents.vectors
    return Parents(
        {name: np.concatenate([one.vectors[name] for one in every]) for name in names},
        [bag for one in every for bag in one.bags],
    )


def test_made_columns_are_of_the_kind_of_their_parents(
    parents: Parents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Histograms stay so, unit vectors too, lengths lie between; none is a copy, no two alike."""
    monkeypatch.setattr(crowds, "BLOCK", 40)
    made = whole(parents, 100)
    histogram, signed, free = (made.vectors[n] for n in ("histogram", "signed", "free"))
    assert len(histogram) == len(signed) == len(free) == len(made.bags) == 100
    np.testing.assert_allclose(histogram.sum(axis=1), 1, rtol=1e-5)
    assert histogram.min() >= 0
    np.testing.assert_allclose(np.linalg.norm(signed, axis=1), 1, rtol=1e-5)
    assert signed.min() < 0
    lengths = np.linalg.norm(parents.vectors["free"], axis=1)
    own = np.linalg.norm(free, axis=1)
    assert lengths.min() < own.min()
    assert own.max() < lengths.max()
    for name, column in made.vectors.items():
        assert len(np.unique(column, axis=0)) == 100
        far = np.abs(column[:, None] - parents.vectors[name]).max(axis=2).min(axis=1)
        assert (far > 1e-3).all()
    for words, counts in made.bags:
        assert (np.diff(words) > 0).all()
        assert (counts >= 1).all()
        assert words.dtype == counts.dtype == np.int32


def test_a_made_one_lies_between_its_parents(parents: Parents) -> None:
    """Without noise it is their mixture, at the share that was drawn."""
    column = parents.vectors["free"]
    pairs, shares = np.array([[3, 7]]), np.array([0.25], np.float32)

    class Silent:
        def standard_normal(self, shape: tuple[int, int], kind: type) -> np.ndarray:
            return np.zeros(shape, kind)

    (found,) = mixed(column, pairs, shares, Silent())  # type: ignore[arg-type]
    straight = 0.25 * column[3] + 0.75 * column[7]
    cosine = found @ straight / np.linalg.norm(found) / np.linalg.norm(straight)
    assert cosine == pytest.approx(1.0)
    sizes = np.linalg.norm(column, axis=1)
    assert np.linalg.norm(found) == pytest.approx(0.25 * sizes[3] + 0.75 * sizes[7], rel=1e-5)


def test_more_are_the_same_and_then_others(
    parents: Parents, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The first of many are the few; another seed makes others."""
    monkeypatch.setattr(crowds, "BLOCK", 8)
    few, many, other = whole(parents, 5), whole(parents, 30), whole(parents, 5, seed=1)
    for name, column in few.vectors.items():
        assert many.vectors[name][:5].tobytes() == column.tobytes()
        assert other.vectors[name].tobytes() != column.tobytes()
    assert [words.tolist() for words, _ in many.bags[:5]] == [w.tolist() for w, _ in few.bags]


def test_one_alone_makes_no_crowd(parents: Parents) -> None:
    """It takes two different ones."""
    single = Parents({"free": parents.vectors["free"][:1]}, [])
    with pytest.raises(InvalidInput, match="it takes two"):
        next(blocks(single, 3, seed=0))
